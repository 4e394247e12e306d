#include "libcommon/io/kafka_scram.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GS2 "n,,"	     /* no channel binding, in base64 "biws" */
#define ITERATIONS_MAX 16384 /* as Kafka has it */
#define NONCE_BYTES 18
#define USER_MAX 128

static void hmac(const uint8_t *key, const char *text, uint8_t out[KAFKA_SCRAM_KEY_BYTES])
{
	(void)HMAC(EVP_sha256(), key, KAFKA_SCRAM_KEY_BYTES, (const unsigned char *)text,
		strlen(text), out, NULL);
}

bool kafka_scram_key(const char *password, const uint8_t *salt, size_t n, int iterations,
	uint8_t key_r[KAFKA_SCRAM_KEY_BYTES])
{
	return PKCS5_PBKDF2_HMAC(password, (int)strlen(password), salt, (int)n, iterations,
		       EVP_sha256(), KAFKA_SCRAM_KEY_BYTES, key_r) == 1;
}

/* An attribute of a message: "r=..,s=..,i=..". */
static bool attribute(const char *message, char name, char out[KAFKA_SCRAM_TEXT_MAX])
{
	for (const char *at = message; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (at[0] == name && at[1] == '=') {
			size_t n = strcspn(at + 2, ",");
			if (n >= KAFKA_SCRAM_TEXT_MAX)
				return false;
			memcpy(out, at + 2, n);
			out[n] = '\0';
			return true;
		}
	}
	return false;
}

/* The bytes of base64; 0 if it is none, or too long. */
static size_t decode(const char *text, uint8_t *out, size_t room)
{
	uint8_t bytes[KAFKA_SCRAM_TEXT_MAX];
	size_t length = strlen(text);
	if (length == 0 || length % 4 != 0 || length >= sizeof(bytes))
		return 0;
	int n = EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)length);
	n -= n < 0 ? 0 : (text[length - 1] == '=') + (text[length - 2] == '=');
	if (n <= 0 || (size_t)n > room)
		return 0;
	memcpy(out, bytes, (size_t)n);
	return (size_t)n;
}

bool kafka_scram_begin(struct kafka_scram *scram_r, const char *user, const char *nonce)
{
	uint8_t random[NONCE_BYTES];
	*scram_r = (struct kafka_scram){ 0 };
	/* Commas and equal signs would need an escape; no user of ours has them. */
	if (strlen(user) > USER_MAX || strpbrk(user, ",=") != NULL)
		return false;
	if (nonce != NULL)
		(void)snprintf(scram_r->nonce, sizeof(scram_r->nonce), "%s", nonce);
	else if (RAND_bytes(random, sizeof(random)) == 1)
		(void)EVP_EncodeBlock((unsigned char *)scram_r->nonce, random, sizeof(random));
	else
		return false;
	(void)snprintf(
		scram_r->first, sizeof(scram_r->first), GS2 "n=%s,r=%s", user, scram_r->nonce);
	return true;
}

/* said: the messages so far, which both sides sign. */
static void sign(struct kafka_scram *scram, const uint8_t key[KAFKA_SCRAM_KEY_BYTES],
	const char *said, char proof[64])
{
	uint8_t client[KAFKA_SCRAM_KEY_BYTES], stored[KAFKA_SCRAM_KEY_BYTES],
		signature[KAFKA_SCRAM_KEY_BYTES], server[KAFKA_SCRAM_KEY_BYTES];
	hmac(key, "Client Key", client);
	(void)EVP_Digest(client, sizeof(client), stored, NULL, EVP_sha256(), NULL);
	hmac(stored, said, signature);
	for (size_t i = 0; i < sizeof(client); i++)
		client[i] ^= signature[i];
	(void)EVP_EncodeBlock((unsigned char *)proof, client, sizeof(client));
	hmac(key, "Server Key", server);
	hmac(server, said, scram->theirs);
}

bool kafka_scram_prove(struct kafka_scram *scram, const char *password, const char *answer)
{
	char nonce[KAFKA_SCRAM_TEXT_MAX], text[KAFKA_SCRAM_TEXT_MAX], proof[64];
	char said[4 * KAFKA_SCRAM_TEXT_MAX];
	uint8_t salt[KAFKA_SCRAM_TEXT_MAX], key[KAFKA_SCRAM_KEY_BYTES];
	if (strlen(answer) >= KAFKA_SCRAM_TEXT_MAX || !attribute(answer, 'r', nonce) ||
		strncmp(nonce, scram->nonce, strlen(scram->nonce)) != 0)
		return false;
	size_t n = attribute(answer, 's', text) ? decode(text, salt, sizeof(salt)) : 0;
	long iterations = attribute(answer, 'i', text) ? strtol(text, NULL, 10) : 0;
	if (n == 0 || iterations < KAFKA_SCRAM_ITERATIONS || iterations > ITERATIONS_MAX ||
		!kafka_scram_key(password, salt, n, (int)iterations, key))
		return false;
	(void)snprintf(
		said, sizeof(said), "%s,%s,c=biws,r=%s", scram->first + strlen(GS2), answer, nonce);
	sign(scram, key, said, proof);
	(void)snprintf(scram->final, sizeof(scram->final), "c=biws,r=%s,p=%s", nonce, proof);
	OPENSSL_cleanse(key, sizeof(key));
	return true;
}

bool kafka_scram_check(const struct kafka_scram *scram, const char *answer)
{
	char text[KAFKA_SCRAM_TEXT_MAX];
	uint8_t theirs[KAFKA_SCRAM_KEY_BYTES];
	return attribute(answer, 'v', text) &&
	       decode(text, theirs, sizeof(theirs)) == sizeof(theirs) &&
	       CRYPTO_memcmp(theirs, scram->theirs, sizeof(theirs)) == 0;
}
