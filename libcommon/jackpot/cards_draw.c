#include "libcommon/jackpot/cards_draw.h"

uint64_t cards_threshold(const struct cards_odds *odds, struct money stake)
{
	uint64_t threshold;

	if (stake.minor <= 0)
		return 0;
	if (__builtin_mul_overflow(odds->in, (uint64_t)stake.minor, &threshold) ||
		threshold > odds->of)
		return odds->of;
	return threshold;
}

struct cards_draw cards_draw(const struct cards_odds *odds, struct money stake,
	const uint8_t key[RNG_KEY_BYTES], struct rng_health *watch)
{
	struct cards_draw draw = { .below = 0 };
	struct rng rng;

	/* RULE mystic-gem 7.3: a bonus spin has no stake */
	if (odds->of == 0 || stake.minor <= 0)
		return draw;
	rng_init(&rng, key);
	if (watch)
		rng_watch(&rng, watch);
	draw.below = odds->of;
	draw.threshold = cards_threshold(odds, stake);
	draw.value = rng_below64(&rng, odds->of);
	return draw;
}

bool cards_draw_possible(const struct cards_draw *draw)
{
	if (draw->below == 0)
		return draw->threshold == 0 && draw->value == 0;
	return draw->below <= CARDS_OF_MAX && draw->threshold <= draw->below &&
	       draw->value < draw->below;
}
