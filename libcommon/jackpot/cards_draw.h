/* Whether Jackpot Cards begin when a round closes. One number below `of`, from a stream of its own
 * under the round's secret (purpose "cards"), so that the draw changes no other and can be made
 * again by whoever has the secret. The odds are those of one minor unit of the stake and belong to
 * the set, not to the game: `in` of `of`, times the stake, never above 1. The set, level, deal and
 * prize are the service's of the cards. Pure. RULE mystic-gem 6.5, 6.12 */
#ifndef CARILLON_JACKPOT_CARDS_DRAW_H
#define CARILLON_JACKPOT_CARDS_DRAW_H

#include "libcommon/base/money.h"
#include "libcommon/base/rng.h"

#include <stdbool.h>
#include <stdint.h>

/* Bounds the bytes of a record, and keeps `in` x a stake of any size out of trouble. */
#define CARDS_OF_MAX UINT64_C(10000000000)

struct cards_odds {
	uint32_t pool;	 /* number of the set */
	uint64_t in, of; /* of one minor unit of the stake; of 0: no cards here */
};

struct cards_draw {
	uint64_t below; /* 0: nothing was drawn */
	uint64_t threshold, value;
};

/* min(of, in x stake). */
uint64_t cards_threshold(const struct cards_odds *odds, struct money stake);
/* Nothing is drawn for a stake of 0: bonus spins never begin the cards. watch may be NULL. */
struct cards_draw cards_draw(const struct cards_odds *odds, struct money stake,
	const uint8_t key[RNG_KEY_BYTES], struct rng_health *watch);
/* Of possible values: what a decoder may let in. */
bool cards_draw_possible(const struct cards_draw *draw);
static inline bool cards_triggered(const struct cards_draw *draw)
{
	return draw->below > 0 && draw->value < draw->threshold;
}

#endif
