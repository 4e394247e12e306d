/* Tokens of players. libjwt 1.10 takes the algorithm from the token's own header, so the decoded
 * token is checked again: neither "none" nor another algorithm passes. */
#include "libcommon/edge/token.h"

#include <jwt.h>
#include <sodium.h>

#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_SLOTS 4096
#define FUTURE_S 60
#define ISSUER "carillon"
#define ID_HEX 17
#define PROOF_BYTES 16
#define PROOF_HEX (2 * PROOF_BYTES + 1)

struct cached {
	uint8_t digest[16]; /* keyed hash of the whole token: nobody can forge a second token with
			       the same digest */
	player_id player;   /* 0: empty */
	uint64_t issued_s, expires_s;
};

struct secret {
	uint8_t bytes[TOKEN_KEY_BYTES];	   /* of the file */
	uint8_t checking[TOKEN_KEY_BYTES]; /* of a key that makes tokens */
	uint64_t number, since_s;
};

struct token_key {
	struct secret secret[TOKEN_KEYS_MAX];
	size_t n;
	enum token_use use;
	char path[1024];	 /* "": not from a file */
	struct timespec changed; /* of the file */
	uint8_t cache_key[crypto_generichash_KEYBYTES];
	struct cached cache[CACHE_SLOTS];
};

void token_checking_key(const uint8_t bytes[TOKEN_KEY_BYTES], uint8_t checking_r[TOKEN_KEY_BYTES])
{
	static const char purpose[] = " checks tokens";
	char text[2 * TOKEN_KEY_BYTES + sizeof(purpose)];
	_Static_assert(TOKEN_KEY_BYTES == crypto_hash_sha256_BYTES, "a key is a hash");

	(void)sodium_bin2hex(text, sizeof(text), bytes, TOKEN_KEY_BYTES);
	memcpy(text + (size_t)2 * TOKEN_KEY_BYTES, purpose, sizeof(purpose));
	(void)crypto_hash_sha256(checking_r, (const unsigned char *)text, strlen(text));
	sodium_memzero(text, sizeof(text));
}

struct token_key *token_key_new(const uint8_t bytes[TOKEN_KEY_BYTES], enum token_use use)
{
	struct token_key *key = calloc(1, sizeof(*key));
	if (key == NULL || sodium_init() < 0)
		abort();
	(void)sodium_mlock(key->secret, sizeof(key->secret));
	key->use = use;
	if (bytes != NULL) {
		memcpy(key->secret[0].bytes, bytes, TOKEN_KEY_BYTES);
		token_checking_key(bytes, key->secret[0].checking);
		key->n = 1;
	}
	randombytes_buf(key->cache_key, sizeof(key->cache_key));
	return key;
}

/* ---- the file ---- */

static bool digits_read(const char *text, struct secret *secret_r)
{
	size_t n = 0;

	return strlen(text) == (size_t)2 * TOKEN_KEY_BYTES &&
	       sodium_hex2bin(
		       secret_r->bytes, TOKEN_KEY_BYTES, text, strlen(text), NULL, &n, NULL) == 0 &&
	       n == TOKEN_KEY_BYTES;
}

/* "NUMBER HEX SINCE", or the digits of key 0 alone. */
static bool line_read(const char *line, struct secret *secret_r)
{
	char digits[2 * TOKEN_KEY_BYTES + 2];
	int end = 0;
	bool ok;

	*secret_r = (struct secret){ 0 };
	if (digits_read(line, secret_r))
		return true;
	ok = sscanf(line, "%" SCNu64 " %65s %" SCNu64 "%n", &secret_r->number, digits,
		     &secret_r->since_s, &end) == 3 &&
	     line[end] == '\0' && digits_read(digits, secret_r);
	sodium_memzero(digits, sizeof(digits));
	return ok;
}

/* Line `number` of the file; an empty line is no key. */
static bool line_take(const char *path, size_t number, const char *line,
	struct secret secret[TOKEN_KEYS_MAX], size_t *n, char *error)
{
	if (line[0] == '\0')
		return true;
	if (*n < TOKEN_KEYS_MAX && line_read(line, &secret[*n])) {
		(*n)++;
		return true;
	}
	if (*n == TOKEN_KEYS_MAX)
		(void)snprintf(error, TOKEN_ERROR_MAX,
			"%.120s: line %zu: found a further line, expected at most %d keys", path,
			number, TOKEN_KEYS_MAX);
	else
		(void)snprintf(error, TOKEN_ERROR_MAX,
			"%.120s: line %zu: found %zu characters that are not a key, expected 64 "
			"hex digits, or \"NUMBER HEX SINCE\"",
			path, number, strlen(line));
	return false;
}

/* In place of the keys there are; false leaves them. */
static bool file_read(struct token_key *key, FILE *file, char *error)
{
	struct secret secret[TOKEN_KEYS_MAX];
	char line[2 * TOKEN_KEY_BYTES + 64];
	size_t n = 0, number = 0;
	bool ok = true;

	while (ok && fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		ok = line_take(key->path, ++number, line, secret, &n, error);
	}
	if (ok && n == 0)
		(void)snprintf(error, TOKEN_ERROR_MAX,
			"%.120s: found nothing, expected 64 hex digits", key->path);
	if (ok && n > 0) {
		for (size_t i = 0; i < n; i++)
			token_checking_key(secret[i].bytes, secret[i].checking);
		memcpy(key->secret, secret, sizeof(key->secret));
		key->n = n;
		memset(key->cache, 0, sizeof(key->cache));
	}
	sodium_memzero(line, sizeof(line));
	sodium_memzero(secret, sizeof(secret));
	return ok && n > 0;
}

bool token_key_again(struct token_key *key, bool *changed_r, char *error)
{
	struct stat stat;
	FILE *file;
	bool ok;

	*changed_r = false;
	file = key->path[0] == '\0' ? NULL : fopen(key->path, "r");
	if (file == NULL || fstat(fileno(file), &stat) != 0) {
		(void)snprintf(error, TOKEN_ERROR_MAX,
			"%.120s: found %s, expected a file with 64 hex digits", key->path,
			strerror(errno));
		if (file != NULL)
			(void)fclose(file);
		return false;
	}
	*changed_r = stat.st_mtim.tv_sec != key->changed.tv_sec ||
		     stat.st_mtim.tv_nsec != key->changed.tv_nsec;
	key->changed = stat.st_mtim;
	ok = !*changed_r || file_read(key, file, error);
	(void)fclose(file);
	return ok;
}

enum token_status token_key_read(
	const char *folder, enum token_use use, struct token_key **key_r, char *error)
{
	struct token_key *key = token_key_new(NULL, use);
	bool changed;

	*key_r = NULL;
	(void)snprintf(key->path, sizeof(key->path), "%s/token.key", folder);
	if (!token_key_again(key, &changed, error)) {
		token_key_free(&key);
		return TOKEN_NO_KEY;
	}
	*key_r = key;
	return TOKEN_OK;
}

void token_key_free(struct token_key **key)
{
	if (*key == NULL)
		return;
	(void)sodium_munlock((*key)->secret, sizeof((*key)->secret));
	sodium_memzero(*key, sizeof(**key));
	free(*key);
	*key = NULL;
}

/* The newest key whose time has come; the oldest where none's has. */
static const struct secret *signing(const struct token_key *key, uint64_t now_s)
{
	const struct secret *best = NULL, *oldest = &key->secret[0];

	for (size_t i = 0; i < key->n; i++) {
		const struct secret *secret = &key->secret[i];
		if (secret->since_s < oldest->since_s)
			oldest = secret;
		if (secret->since_s <= now_s && (best == NULL || secret->since_s > best->since_s))
			best = secret;
	}
	return best != NULL ? best : oldest;
}

/* What a token says. */
struct claims {
	const char *subject, *id;
	long issued, expires;
};

/* The claim `own`: a MAC over the others, by the key that makes tokens. */
static void proof_make(
	const struct secret *secret, const struct claims *claims, char proof_r[PROOF_HEX])
{
	char text[PLAYER_TEXT_MAX + ID_HEX + 48];
	uint8_t mac[crypto_auth_hmacsha256_BYTES];
	int n = snprintf(text, sizeof(text), "%s %s %ld %ld", claims->subject, claims->id,
		claims->issued, claims->expires);

	(void)crypto_auth_hmacsha256(
		mac, (const unsigned char *)text, (unsigned long long)n, secret->bytes);
	(void)sodium_bin2hex(proof_r, PROOF_HEX, mac, PROOF_BYTES);
}

/* The token of these claims, the same each time; on the heap, or NULL. */
static char *make(const struct secret *secret, const struct claims *claims)
{
	char own[PROOF_HEX];
	jwt_t *jwt = NULL;
	char *text = NULL;

	proof_make(secret, claims, own);
	if (jwt_new(&jwt) == 0 && jwt_add_grant(jwt, "iss", ISSUER) == 0 &&
		jwt_add_grant(jwt, "sub", claims->subject) == 0 &&
		jwt_add_grant(jwt, "jti", claims->id) == 0 && jwt_add_grant(jwt, "own", own) == 0 &&
		jwt_add_grant_int(jwt, "iat", claims->issued) == 0 &&
		jwt_add_grant_int(jwt, "exp", claims->expires) == 0 &&
		jwt_set_alg(jwt, JWT_ALG_HS256, secret->checking, TOKEN_KEY_BYTES) == 0)
		text = jwt_encode_str(jwt);
	jwt_free(jwt);
	return text;
}

enum token_status token_issue(const struct token_key *key, player_id player, uint64_t now_s,
	uint64_t life_s, char *token_r, uint64_t *expires_s_r)
{
	char subject[PLAYER_TEXT_MAX], id[ID_HEX];
	token_r[0] = '\0';
	if (key->use != TOKEN_MAKES || !player_id_valid(player) || now_s > LONG_MAX / 2 ||
		life_s > LONG_MAX / 2)
		return TOKEN_MALFORMED;
	player_id_format(player, subject);
	/* Sessions that begin in one second are different ones. */
	(void)snprintf(id, sizeof(id), "%08" PRIx32 "%08" PRIx32, randombytes_random(),
		randombytes_random());
	const struct claims claims = { subject, id, (long)now_s, (long)(now_s + life_s) };
	char *text = make(signing(key, now_s), &claims);
	bool fits = text != NULL && strlen(text) < TOKEN_MAX;
	if (fits) {
		memcpy(token_r, text, strlen(text) + 1);
		*expires_s_r = now_s + life_s;
	}
	free(text);
	return fits ? TOKEN_OK : TOKEN_MALFORMED;
}

/* Is this the very token that the key makes of these claims? Whoever has a checking key can write
 * them in another way, which would be another session. */
static bool made_by(const struct secret *secret, jwt_t *jwt, const char *token)
{
	const struct claims claims = { jwt_get_grant(jwt, "sub"), jwt_get_grant(jwt, "jti"),
		jwt_get_grant_int(jwt, "iat"), jwt_get_grant_int(jwt, "exp") };

	if (claims.subject == NULL || strlen(claims.subject) >= PLAYER_TEXT_MAX ||
		claims.id == NULL || strlen(claims.id) >= ID_HEX)
		return false;
	char *text = make(secret, &claims);
	bool same = text != NULL && strlen(text) == strlen(token) &&
		    sodium_memcmp(text, token, strlen(text)) == 0;
	free(text);
	return same;
}

/* Reads the claims of a token with a valid signature. */
static enum token_status claims_read(jwt_t *jwt, uint64_t now_s, struct cached *claims_r)
{
	const char *issuer = jwt_get_grant(jwt, "iss");
	const char *subject = jwt_get_grant(jwt, "sub");
	long issued = jwt_get_grant_int(jwt, "iat");
	long expires = jwt_get_grant_int(jwt, "exp");
	if (jwt_get_alg(jwt) != JWT_ALG_HS256 || issuer == NULL || strcmp(issuer, ISSUER) != 0 ||
		subject == NULL || !player_id_parse(subject, &claims_r->player) || issued <= 0 ||
		expires <= 0)
		return TOKEN_MALFORMED;
	if ((uint64_t)issued > now_s + FUTURE_S)
		return TOKEN_NOT_YET;
	claims_r->issued_s = (uint64_t)issued;
	claims_r->expires_s = (uint64_t)expires;
	return TOKEN_OK;
}

/* NULL: the key did not sign it. */
static jwt_t *decode_with(const uint8_t bytes[TOKEN_KEY_BYTES], const char *token)
{
	jwt_t *jwt = NULL;

	errno = 0;
	if (jwt_decode(&jwt, token, bytes, TOKEN_KEY_BYTES) == 0)
		return jwt;
	jwt_free(jwt);
	return NULL;
}

/* A token that this key signed; for a key that makes tokens, one that it made. */
static jwt_t *decode_as(const struct secret *secret, enum token_use use, const char *token)
{
	jwt_t *jwt = use == TOKEN_MAKES ? decode_with(secret->checking, token) : NULL;

	if (jwt != NULL && made_by(secret, jwt, token))
		return jwt;
	jwt_free(jwt);
	return decode_with(secret->bytes, token);
}

/* Decodes a token with the key that has signed it. libjwt returns EINVAL for a wrong signature and
 * for wrong text; a token that decodes without a key is well-formed. */
static enum token_status decode(const struct token_key *key, const char *token, jwt_t **jwt_r)
{
	bool shape;

	for (size_t i = 0; i < key->n; i++) {
		*jwt_r = decode_as(&key->secret[i], key->use, token);
		if (*jwt_r != NULL)
			return TOKEN_OK;
	}
	*jwt_r = NULL;
	shape = jwt_decode(jwt_r, token, NULL, 0) == 0;
	jwt_free(*jwt_r);
	*jwt_r = NULL;
	return shape ? TOKEN_FORGED : TOKEN_MALFORMED;
}

static struct cached *cached_of(
	struct token_key *key, const char *token, size_t length, uint8_t digest[16])
{
	(void)crypto_generichash(digest, 16, (const unsigned char *)token, length, key->cache_key,
		sizeof(key->cache_key));
	return &key->cache[(digest[0] | digest[1] << 8) % CACHE_SLOTS];
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
	struct cached *cached = cached_of(key, token, length, digest);
	if (cached->player == 0 || sodium_memcmp(cached->digest, digest, sizeof(digest)) != 0) {
		jwt_t *jwt;
		struct cached fresh;
		enum token_status status = decode(key, token, &jwt);
		if (status == TOKEN_OK)
			status = claims_read(jwt, now_s, &fresh);
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

uint64_t token_issued_s(struct token_key *key, const char *token)
{
	uint8_t digest[16];
	const struct cached *cached = cached_of(key, token, strnlen(token, TOKEN_MAX), digest);
	return sodium_memcmp(cached->digest, digest, sizeof(digest)) == 0 ? cached->issued_s : 0;
}

static void seal_make(
	const struct secret *secret, const char *text, uint8_t seal_r[TOKEN_SEAL_BYTES])
{
	(void)crypto_generichash(seal_r, TOKEN_SEAL_BYTES, (const unsigned char *)text,
		strlen(text), secret->bytes, TOKEN_KEY_BYTES);
}

void token_seal(const struct token_key *key, uint64_t now_s, const char *text,
	uint8_t seal_r[TOKEN_SEAL_BYTES])
{
	seal_make(signing(key, now_s), text, seal_r);
}

bool token_sealed(
	const struct token_key *key, const char *text, const uint8_t seal[TOKEN_SEAL_BYTES])
{
	uint8_t made[TOKEN_SEAL_BYTES];
	bool good = false;

	for (size_t i = 0; i < key->n; i++) {
		seal_make(&key->secret[i], text, made);
		good = good || sodium_memcmp(made, seal, TOKEN_SEAL_BYTES) == 0;
	}
	return good;
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
	case TOKEN_REVOKED:
		return "logged_out";
	case TOKEN_NO_KEY:
		return "token_key_missing";
	}
	return "token_malformed";
}
