#include "services/jackpot-cards/adapters/card_keys.h"

#include "libcommon/base/sha256.h"

#include <sodium.h>

#define CLAIM_BYTES 20 /* player and move as 8, index as 4, big endian */

static void put(uint64_t value, size_t bytes, uint8_t *out)
{
	for (size_t i = 0; i < bytes; i++)
		out[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
}

static void claim_bytes(const struct claim_id *claim, uint8_t out[CLAIM_BYTES])
{
	put((uint64_t)claim->player, 8, out);
	put(claim->move, 8, out + 8);
	put(claim->index, 4, out + 16);
}

bool card_keys_secret(const struct numbered_keys *keys, uint32_t number,
	const struct claim_id *claim, const uint8_t salt[CARD_SALT_BYTES],
	uint8_t secret_r[CARD_SECRET_BYTES])
{
	const struct numbered_key *key = numbered_keys_find(keys, number);
	uint8_t head[CLAIM_BYTES];
	struct hmac256 hmac;
	if (key == NULL)
		return false;
	claim_bytes(claim, head);
	hmac256_key(&hmac, key->bytes);
	hmac256(&hmac, head, sizeof(head), salt, CARD_SALT_BYTES, secret_r);
	sodium_memzero(&hmac, sizeof(hmac));
	return true;
}

void card_keys_hash(const uint8_t secret[CARD_SECRET_BYTES], uint8_t hash_r[CARD_SECRET_BYTES])
{
	struct sha256 sha;
	sha256_begin(&sha);
	sha256_add(&sha, secret, CARD_SECRET_BYTES);
	sha256_end(&sha, hash_r);
}

void card_keys_deal(const uint8_t secret[CARD_SECRET_BYTES], const struct claim_id *claim,
	const uint32_t weight[CARD_LEVELS], struct rng_health *watch, struct card_deal *deal_r)
{
	static const char purpose[] = "deal";
	uint8_t head[CLAIM_BYTES], key[RNG_KEY_BYTES];
	struct hmac256 hmac;
	struct rng rng;
	claim_bytes(claim, head);
	hmac256_key(&hmac, secret);
	hmac256(&hmac, head, sizeof(head), purpose, sizeof(purpose) - 1, key);
	rng_init(&rng, key);
	if (watch != NULL)
		rng_watch(&rng, watch);
	card_deal_draw(&rng, card_level_draw(&rng, weight), deal_r);
	sodium_memzero(&rng, sizeof(rng));
}
