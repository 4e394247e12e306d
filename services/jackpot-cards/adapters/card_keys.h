/* Secrets of card rounds. The service's keys are in a file of numbered keys that only it reads; a
 * round names the key that was current when it opened. The service derives the round's secret from
 * key, claim and salt, so the database does not reveal cards that are face down. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_CARD_KEYS_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_CARD_KEYS_H

#include "libcommon/base/ids.h"
#include "libcommon/io/numbered_keys.h"
#include "services/jackpot-cards/core/card_deal.h"

#define CARD_SALT_BYTES 16
#define CARD_SECRET_BYTES NUMBERED_KEY_BYTES

/* False if that key is unknown. */
bool card_keys_secret(const struct numbered_keys *keys, uint32_t number,
	const struct claim_id *claim, const uint8_t salt[CARD_SALT_BYTES],
	uint8_t secret_r[CARD_SECRET_BYTES]);
void card_keys_hash(const uint8_t secret[CARD_SECRET_BYTES], uint8_t hash_r[CARD_SECRET_BYTES]);
/* Draws level and deal from the stream HMAC-SHA-256(secret, player, move, index, "deal"). `watch`
 * gets the stream's blocks; pass NULL when repeating a deal, because its blocks are repetitions. */
void card_keys_deal(const uint8_t secret[CARD_SECRET_BYTES], const struct claim_id *claim,
	const uint32_t weight[CARD_LEVELS], struct rng_health *watch, struct card_deal *deal_r);

#endif
