/* Draws whether Jackpot Cards start when a round closes. The set, not the game, has odds of `in` in
 * `of` for one minor unit of the stake. One number below `of` is drawn; Jackpot Cards start if it
 * is below min(`of`, `in` x stake). The number comes from its own stream under the round's secret
 * (purpose "cards"), so it changes no other draw and anyone with the secret can repeat it.
 * jackpot-cards decides set, level, deal and prize. Pure. RULE mystic-gem 6.5, 6.12 */
#ifndef CARILLON_JACKPOT_CARDS_DRAW_H
#define CARILLON_JACKPOT_CARDS_DRAW_H

#include "libcommon/base/money.h"
#include "libcommon/base/rng.h"

#include <stdbool.h>
#include <stdint.h>

/* This bound keeps a draw short in the record of its move. It also prevents an overflow of `in` x
 * stake. */
#define CARDS_OF_MAX UINT64_C(10000000000)

struct cards_odds {
	uint32_t pool;	 /* number of the set */
	uint64_t in, of; /* for one minor unit of the stake; `of` 0: no Jackpot Cards here */
};

struct cards_draw {
	uint64_t below; /* 0: no draw */
	uint64_t threshold, value;
};

/* min(of, in x stake). */
uint64_t cards_threshold(const struct cards_odds *odds, struct money stake);
/* A stake of 0 draws nothing: bonus spins never start Jackpot Cards. watch may be NULL. */
struct cards_draw cards_draw(const struct cards_odds *odds, struct money stake,
	const uint8_t key[RNG_KEY_BYTES], struct rng_health *watch);
/* Can these values come from a draw? For decoders. */
bool cards_draw_possible(const struct cards_draw *draw);
static inline bool cards_triggered(const struct cards_draw *draw)
{
	return draw->below > 0 && draw->value < draw->threshold;
}

#endif
