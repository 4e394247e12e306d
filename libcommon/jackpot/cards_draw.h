/* Draws whether Jackpot Cards start when a round closes. The odds belong to the set, not to the
 * game. They are two numbers: each minor unit of the stake has `in` chances out of `of`. One number
 * below `of` is drawn; Jackpot Cards start if it is below min(`of`, `in` x stake). The number comes
 * from its own stream under the round's secret (purpose "cards"), so it changes no other draw and
 * anyone with the secret can repeat it. The game's definition names the set; jackpot-cards decides
 * level, deal and prize. Pure. RULE mystic-gem 6.5, 6.12 */
#ifndef CARILLON_JACKPOT_CARDS_DRAW_H
#define CARILLON_JACKPOT_CARDS_DRAW_H

#include "libcommon/base/money.h"
#include "libcommon/base/rng.h"

#include <stdbool.h>
#include <stdint.h>

/* The largest `of`. The bound keeps a draw short in the record of its move, and leaves room for
 * currencies with nine decimals, since odds are for one minor unit. If `in` x stake overflows 64
 * bits, Jackpot Cards start for certain. */
#define CARDS_OF_MAX UINT64_C(1000000000000)

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
