#include "services/jackpot-cards/adapters/card_draw.h"

#include <sodium.h>
#include <string.h>

enum rng_fault card_draw_begin(struct draw_health *health, card_source *source)
{
	uint8_t sample[DRAW_HEALTH_SAMPLE];
	if (draw_health_init(health) != RNG_SOUND)
		return draw_health_fault(health);
	source(sample, sizeof(sample));
	return draw_health_sample(health, sample);
}

/* Draws the deal and checks the health of its random numbers. */
static enum card_draw_status draw(struct draw_health *health, const struct numbered_keys *keys,
	const uint32_t weight[CARD_LEVELS], struct card_play *play)
{
	struct card_deal cards;
	(void)draw_health_salt(health, play->salt);
	play->key = numbered_keys_current(keys, play->opened_us / 1000000)->number;
	memcpy(play->weight, weight, sizeof(play->weight));
	if (!card_keys_secret(keys, play->key, &play->id, play->salt, play->secret))
		return CARD_DRAW_NO_KEY;
	/* Each round is dealt once; its number makes it unique. */
	(void)draw_health_key(health, play->id.player, play->number, play->secret);
	card_keys_hash(play->secret, play->secret_hash);
	card_keys_deal(play->secret, &play->id, play->weight, &health->streams, &cards);
	card_round_begin(&play->round, &cards);
	return draw_health_fault(health) == RNG_SOUND ? CARD_DRAW_OK : CARD_DRAW_FAULT;
}

enum card_draw_status card_draw(struct draw_health *health, const struct numbered_keys *keys,
	card_source *source, const uint32_t weight[CARD_LEVELS], struct card_play *play)
{
	struct card_play drawn = *play;
	if (draw_health_fault(health) != RNG_SOUND)
		return CARD_DRAW_FAULT;
	source(drawn.salt, sizeof(drawn.salt));
	enum card_draw_status status = draw(health, keys, weight, &drawn);
	if (status == CARD_DRAW_OK)
		*play = drawn;
	sodium_memzero(&drawn, sizeof(drawn));
	return status;
}
