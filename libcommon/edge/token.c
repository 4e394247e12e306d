/* Tokens of players. libjwt 1.10 takes the algorithm from the token's own header, so the decoded
 * token is checked again: neither "none" nor another algorithm passes. */
#include "libcommon/edge/token.h"

#include <jwt.h>
#include <sodium.h>

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_SLOTS 4096
#define FUTURE_S 60
#define ISSUER "carillon"

struct cached {
	uint8_t digest[16]; /* keyed hash of the whole token: nobody can forge a second token with
			       the same digest */
	player_id player;   /* 0: empty */
	uint64_t expires_s;
};

struct token_key {
	uint8_t bytes[TOKEN_KEY_BYTES];
	uint8_t cache_key[crypto_generichash_KEYBYTES];
	struct cached cache[CACHE_SLOTS];
};

struct token_key *token_key_new(const uint8_t bytes[TOKEN_KEY_BYTES])
{
	struct token_key *key = calloc(1, sizeof(*key));
	if (key == NULL || sodium_init() < 0)
		abort();
	(void)sodium_mlock(key->bytes, sizeof(key->bytes));
	memcpy(key->bytes, bytes, TOKEN_KEY_BYTES);
	randombytes_buf(key->cache_key, sizeof(key->cache_key));
	return key;
}

enum token_status token_key_read(const char *folder, struct token_key **key_r, char *error)
{
	char path[1024];
	char text[2 * TOKEN_KEY_BYTES + 8] = "";
	uint8_t bytes[TOKEN_KEY_BYTES];
	size_t n = 0;
	*key_r = NULL;
	(void)snprintf(path, sizeof(path), "%s/token.key", folder);
	FILE *file = fopen(path, "r");
	if (file == NULL) {
		(void)snprintf(error, TOKEN_ERROR_MAX,
			"%.120s: found %s, expected a file with 64 hex digits", path,
			strerror(errno));
		return TOKEN_NO_KEY;
	}
	size_t length = fread(text, 1, sizeof(text) - 1, file);
	(void)fclose(file);
	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
		text[--length] = '\0';
	bool ok = length == (size_t)2 * TOKEN_KEY_BYTES &&
		  sodium_hex2bin(bytes, sizeof(bytes), text, length, NULL, &n, NULL) == 0 &&
		  n == TOKEN_KEY_BYTES;
	sodium_memzero(text, sizeof(text));
	if (!ok) {
		(void)snprintf(error, TOKEN_ERROR_MAX,
			"%.120s: found %zu characters that are not a key, expected 64 hex digits",
			path, length);
		return TOKEN_NO_KEY;
	}
	*key_r = token_key_new(bytes);
	sodium_memzero(bytes, sizeof(bytes));
	return TOKEN_OK;
}

void token_key_free(struct token_key **key)
{
	if (*key == NULL)
		return;
	(void)sodium_munlock((*key)->bytes, sizeof((*key)->bytes));
	sodium_memzero(*key, sizeof(**key));
	free(*key);
	*key = NULL;
}

enum token_status token_issue(const struct token_key *key, player_id player, uint64_t now_s,
	uint64_t life_s, char *token_r, uint64_t *expires_s_r)
{
	char subject[PLAYER_TEXT_MAX];
	enum token_status status = TOKEN_MALFORMED;
	jwt_t *jwt = NULL;
	char *text = NULL;
	token_r[0] = '\0';
	if (!player_id_valid(player) || now_s > LONG_MAX / 2 || life_s > LONG_MAX / 2)
		return TOKEN_MALFORMED;
	player_id_format(player, subject);
	if (jwt_new(&jwt) != 0 || jwt_add_grant(jwt, "iss", ISSUER) != 0 ||
		jwt_add_grant(jwt, "sub", subject) != 0 ||
		jwt_add_grant_int(jwt, "iat", (long)now_s) != 0 ||
		jwt_add_grant_int(jwt, "exp", (long)(now_s + life_s)) != 0 ||
		jwt_set_alg(jwt, JWT_ALG_HS256, key->bytes, TOKEN_KEY_BYTES) != 0)
		goto out;
	text = jwt_encode_str(jwt);
	if (text == NULL || strlen(text) >= TOKEN_MAX)
		goto out;
	memcpy(token_r, text, strlen(text) + 1);
	*expires_s_r = now_s + life_s;
	status = TOKEN_OK;
out:
	free(text);
	jwt_free(jwt);
	return status;
}

/* Reads the claims of a token with a valid signature. */
static enum token_status claims_read(
	jwt_t *jwt, uint64_t now_s, player_id *player_r, uint64_t *expires_s_r)
{
	const char *issuer = jwt_get_grant(jwt, "iss");
	const char *subject = jwt_get_grant(jwt, "sub");
	long issued = jwt_get_grant_int(jwt, "iat");
	long expires = jwt_get_grant_int(jwt, "exp");
	if (jwt_get_alg(jwt) != JWT_ALG_HS256 || issuer == NULL || strcmp(issuer, ISSUER) != 0 ||
		subject == NULL || !player_id_parse(subject, player_r) || issued <= 0 ||
		expires <= 0)
		return TOKEN_MALFORMED;
	if ((uint64_t)issued > now_s + FUTURE_S)
		return TOKEN_NOT_YET;
	*expires_s_r = (uint64_t)expires;
	return TOKEN_OK;
}

/* Checks for three parts of base64url and nothing else; libjwt never sees longer or other text */
static bool shape_ok(const char *token, size_t *length_r)
{
	size_t length = strnlen(token, TOKEN_MAX);
	size_t dots = 0;
	for (size_t i = 0; i < length; i++) {
		char c = token[i];
		bool alphanumeric =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		if (c == '.')
			dots++;
		else if (!alphanumeric && c != '-' && c != '_')
			return false;
	}
	*length_r = length;
	return length > 0 && length < TOKEN_MAX && dots == 2;
}

enum token_status token_check(struct token_key *key, const char *token, uint64_t now_s,
	player_id *player_r, uint64_t *expires_s_r)
{
	size_t length;
	uint8_t digest[16];
	if (!shape_ok(token, &length))
		return TOKEN_MALFORMED;
	(void)crypto_generichash(digest, sizeof(digest), (const unsigned char *)token, length,
		key->cache_key, sizeof(key->cache_key));
	struct cached *cached = &key->cache[(digest[0] | digest[1] << 8) % CACHE_SLOTS];
	if (cached->player == 0 || sodium_memcmp(cached->digest, digest, sizeof(digest)) != 0) {
		jwt_t *jwt = NULL;
		struct cached fresh;
		errno = 0;
		if (jwt_decode(&jwt, token, key->bytes, TOKEN_KEY_BYTES) != 0) {
			jwt_free(jwt);
			/* libjwt returns EINVAL for both; a token that decodes without a key is
			 * well-formed. */
			jwt = NULL;
			bool shape = jwt_decode(&jwt, token, NULL, 0) == 0;
			jwt_free(jwt);
			return shape ? TOKEN_FORGED : TOKEN_MALFORMED;
		}
		enum token_status status = claims_read(jwt, now_s, &fresh.player, &fresh.expires_s);
		jwt_free(jwt);
		if (status != TOKEN_OK)
			return status;
		memcpy(fresh.digest, digest, sizeof(digest));
		*cached = fresh;
	}
	if (now_s >= cached->expires_s)
		return TOKEN_EXPIRED;
	*player_r = cached->player;
	*expires_s_r = cached->expires_s;
	return TOKEN_OK;
}

const char *token_status_text(enum token_status status)
{
	switch (status) {
	case TOKEN_OK:
		return "ok";
	case TOKEN_MALFORMED:
		return "token_malformed";
	case TOKEN_FORGED:
		return "token_forged";
	case TOKEN_EXPIRED:
		return "token_expired";
	case TOKEN_NOT_YET:
		return "token_not_yet";
	case TOKEN_NO_KEY:
		return "token_key_missing";
	}
	return "token_malformed";
}
