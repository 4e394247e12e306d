/* Secrets of card rounds. A service key is 32 bytes from the system in a file that only this
 * service reads: lines "number hex64", numbers rising, the last one in use; older ones are kept for
 * the rounds that are open under them. The secret of a round is made again from key, claim and
 * salt, so that nobody who reads the database can read the cards that are still face down. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_CARD_KEYS_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_CARD_KEYS_H

#include "libcommon/base/ids.h"
#include "services/jackpot-cards/core/card_deal.h"

#define CARD_KEYS_MAX 16
#define CARD_SALT_BYTES 16
#define CARD_SECRET_BYTES 32
#define CARD_KEYS_ERROR_MAX 256

struct card_keys {
	size_t count;
	uint32_t number[CARD_KEYS_MAX];
	uint8_t bytes[CARD_KEYS_MAX][CARD_SECRET_BYTES];
};

enum card_keys_status { CARD_KEYS_OK = 0, CARD_KEYS_MISSING, CARD_KEYS_REFUSED };

/* error holds CARD_KEYS_ERROR_MAX bytes: what, found, expected. */
enum card_keys_status card_keys_load(const char *path, struct card_keys *keys_r, char *error);
/* Key 1, fresh from the system, where there is no file: of several instances one makes it. */
bool card_keys_create(const char *path, char *error);
uint32_t card_keys_current(const struct card_keys *keys);
/* False when that key is not here. */
bool card_keys_secret(const struct card_keys *keys, uint32_t number, const struct claim_id *claim,
	const uint8_t salt[CARD_SALT_BYTES], uint8_t secret_r[CARD_SECRET_BYTES]);
void card_keys_hash(const uint8_t secret[CARD_SECRET_BYTES], uint8_t hash_r[CARD_SECRET_BYTES]);
/* Level and deal, from the stream HMAC-SHA-256(secret, player, move, index, "deal").
 * `watch` (NULL: nobody's) is fed its blocks: only where a round is dealt, for a deal that is made
 * again is a repetition. */
void card_keys_deal(const uint8_t secret[CARD_SECRET_BYTES], const struct claim_id *claim,
	const uint32_t weight[CARD_LEVELS], struct rng_health *watch, struct card_deal *deal_r);

#endif
