/* Tokens of players: JSON Web Tokens by libjwt, always HS256, whatever the token's own header says.
 * The claims are `sub`, the player ("1-1234"), `iat` and `exp` (seconds since 1970), `iss`, always
 * "carillon", and `jti`, 16 random hex digits, so that two tokens of one second differ.
 *
 * The gateway makes tokens with its key, and checks them. The notifications service only checks
 * them, with a checking key that token_checking_key derives from the gateway's: this key signs the
 * whole token, and inside, the claim `own` proves that its maker held the gateway's key. So a
 * checking key makes no token that the gateway accepts, nor a token in another form. Both keys are
 * in CARILLON_KEYS/<service>/token.key, 64 hex digits.
 *
 * The file may hold several keys, one per line: `NUMBER HEX SINCE`. From `since` on (seconds since
 * 1970), new tokens are signed with the key. Tokens are checked with all keys in the file. So every
 * instance knows a new key before the first token is signed with it, and an old key stays until its
 * last token has expired (scripts/token-key.sh). A file with only the 64 digits holds key 0. */
#ifndef CARILLON_EDGE_TOKEN_H
#define CARILLON_EDGE_TOKEN_H

#include "libcommon/base/ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOKEN_MAX 512 /* bytes of a token with the NUL */
#define TOKEN_KEY_BYTES 32
#define TOKEN_KEYS_MAX 8
#define TOKEN_ERROR_MAX 256

enum token_status {
	TOKEN_OK = 0,
	TOKEN_MALFORMED, /* wrong syntax, algorithm or claims */
	TOKEN_FORGED,	 /* the signature does not match */
	TOKEN_EXPIRED,
	TOKEN_NOT_YET, /* issued more than a minute in the future: a clock is wrong */
	TOKEN_REVOKED, /* set by callers: the player has logged out (revoked.h) */
	TOKEN_NO_KEY,  /* token_key_read only: the file is missing or holds no key */
};

struct token_key;

/* What a key is for. */
enum token_use {
	TOKEN_MAKES = 0, /* the gateway's: makes and checks tokens */
	TOKEN_CHECKS,	 /* a checking key */
};

/* The checking key of a gateway's key: SHA-256 of its 64 hex digits in lower case and
 * " checks tokens". scripts/lib.sh computes the same. */
void token_checking_key(const uint8_t bytes[TOKEN_KEY_BYTES], uint8_t checking_r[TOKEN_KEY_BYTES]);

/* Reads `folder`/token.key. On failure *key_r is NULL and error (TOKEN_ERROR_MAX bytes) names the
 * file, what was found and what was expected. */
enum token_status token_key_read(
	const char *folder, enum token_use use, struct token_key **key_r, char *error);
/* Reads the file again if it has changed; call it once a second. False when the file cannot be
 * used: the keys stay as they are, and error says why. *changed_r is true when the file has
 * changed. */
bool token_key_again(struct token_key *key, bool *changed_r, char *error);
/* A key from bytes, for tests. */
struct token_key *token_key_new(const uint8_t bytes[TOKEN_KEY_BYTES], enum token_use use);
void token_key_free(struct token_key **key);

/* Writes a token of at most TOKEN_MAX bytes, with a key that makes tokens. now_s and life_s are in
 * seconds. */
enum token_status token_issue(const struct token_key *key, player_id player, uint64_t now_s,
	uint64_t life_s, char *token_r, uint64_t *expires_s_r);
/* Checks a token. The key remembers the most recent tokens, so it need not compute the signature of
 * a busy player's token at each request. Expiry is always checked. A gateway's key also accepts a
 * token of an earlier version, which it signed itself, without `own`. */
enum token_status token_check(struct token_key *key, const char *token, uint64_t now_s,
	player_id *player_r, uint64_t *expires_s_r);
/* When a token was issued and when it expires, in seconds since 1970. */
struct token_life {
	uint64_t issued_s, expires_s;
};

/* The time at which a token was issued, in seconds since 1970. Known only for the token that
 * token_check has just accepted; 0 for any other. */
uint64_t token_issued_s(struct token_key *key, const char *token);
/* A seal over a text that a client keeps and sends back: made with the key that signs tokens now,
 * accepted of each key. `text` must begin with what it is for. */
#define TOKEN_SEAL_BYTES 16
void token_seal(const struct token_key *key, uint64_t now_s, const char *text,
	uint8_t seal_r[TOKEN_SEAL_BYTES]);
bool token_sealed(
	const struct token_key *key, const char *text, const uint8_t seal[TOKEN_SEAL_BYTES]);

/* "token_expired": the code of the error to the client. Static. */
const char *token_status_text(enum token_status status);

#endif
