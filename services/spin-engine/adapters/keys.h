/* Secrets of rounds. A service key is 32 bytes from the OS in a file that only this service
 * reads. Only secrets of single moves leave this module, never the key. Source: docs/rng.md. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_KEYS_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_KEYS_H

#include "services/spin-engine/core/player.h"

#define SECRET_BYTES 32
#define KEYS_MAX 16
#define KEY_CHECK_BYTES 16
#define KEYS_ERROR_MAX 256

enum keys_status { KEYS_OK = 0, KEYS_MISSING, KEYS_REFUSED };

struct keys;

/* Reads lines "NUMBER HEX" or "NUMBER HEX SINCE" (numbers > 0, rising; since: seconds since
 * 1970) from a file that only its owner may read, into locked memory. On failure `error`
 * (KEYS_ERROR_MAX bytes) says what is wrong, found and expected. */
enum keys_status keys_load(const char *path, struct keys **keys_r, char *error);
/* Creates the file with key 1, fresh from the OS, if it does not exist. False: `error` says why
 * not.
 */
bool keys_create(const char *path, char *error);
/* Does a file that was read again still have every earlier key? False: `error` names one that is
 * missing. */
bool keys_follow(const struct keys *fresh, const struct keys *keys, char *error);
/* Moves the keys of *fresh to `keys`, whose address stays; frees *fresh. */
void keys_take(struct keys *keys, struct keys **fresh);
/* For tests: `bytes` is key 1. */
struct keys *keys_of(const uint8_t bytes[SECRET_BYTES]);
void keys_free(struct keys **keys);

/* Number of the key that new moves use: the newest whose `since` has come, or the first. */
uint32_t keys_current(const struct keys *keys);
size_t keys_count(const struct keys *keys);
uint32_t keys_number(const struct keys *keys, size_t at);
/* A fingerprint that reveals nothing of the key, to detect a wrong file. */
void keys_check(const struct keys *keys, size_t at, uint8_t check_r[KEY_CHECK_BYTES]);

/* secret = HMAC-SHA-256(key, player || move || salt), numbers as eight bytes, big endian. False:
 * the salt's key is not in the file. */
bool keys_secret(const struct keys *keys, player_id player, uint64_t move,
	const struct player_salt *salt, uint8_t secret_r[SECRET_BYTES]);
/* SHA-256(secret): the player gets it before they send their nonce. */
void keys_secret_hash(const uint8_t secret[SECRET_BYTES], uint8_t hash_r[SECRET_BYTES]);
/* stream key = HMAC-SHA-256(secret, nonce || purpose); purpose "game", "gamble", "cards". */
void keys_stream(const uint8_t secret[SECRET_BYTES], const uint8_t *nonce, size_t nonce_length,
	const char *purpose, uint8_t key_r[PLAYER_KEY_BYTES]);
/* A fresh salt from the OS for the next move, with the newest key. */
void keys_salt(const struct keys *keys, struct player_salt *salt_r);

#endif
