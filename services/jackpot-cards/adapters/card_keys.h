/* Secrets of card rounds. A service key is 32 random bytes in a file that only this service reads:
 * lines "NUMBER HEX" with rising numbers. The last key is in use; older keys are kept for open
 * rounds. The service derives a round's secret from key, claim and salt, so the database does not
 * reveal cards that are face down. */
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

/* `error` holds CARD_KEYS_ERROR_MAX bytes: what is wrong, found and expected. */
enum card_keys_status card_keys_load(const char *path, struct card_keys *keys_r, char *error);
/* Creates the file with a new key 1 if there is no file; only one of several instances succeeds. */
bool card_keys_create(const char *path, char *error);
uint32_t card_keys_current(const struct card_keys *keys);
/* False if that key is unknown. */
bool card_keys_secret(const struct card_keys *keys, uint32_t number, const struct claim_id *claim,
	const uint8_t salt[CARD_SALT_BYTES], uint8_t secret_r[CARD_SECRET_BYTES]);
void card_keys_hash(const uint8_t secret[CARD_SECRET_BYTES], uint8_t hash_r[CARD_SECRET_BYTES]);
/* Draws level and deal from the stream HMAC-SHA-256(secret, player, move, index, "deal"). `watch`
 * gets the stream's blocks; pass NULL when repeating a deal, because its blocks are repetitions. */
void card_keys_deal(const uint8_t secret[CARD_SECRET_BYTES], const struct claim_id *claim,
	const uint32_t weight[CARD_LEVELS], struct rng_health *watch, struct card_deal *deal_r);

#endif
