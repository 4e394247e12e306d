/* All rounds of a small game, one by one: every value of every draw, each round with its
 * probability. What the exact mathematics says of a spin is held against these sums, which know
 * nothing but the engine. A spin here is one spin and all it sets off at once; free spins it awards
 * are counted and not played. */
#ifndef CARILLON_GAME_TEST_ROUND_SPACE_H
#define CARILLON_GAME_TEST_ROUND_SPACE_H

#include "libcommon/game/round.h"

#include <gmp.h>

#define SPACE_AWARDS_MAX 64

struct round_space {
	uint64_t rounds;
	mpq_t mass;				      /* 1 when all was seen */
	mpq_t win, win2, awards, awards2, win_awards; /* in total bets */
	mpq_t kind[PHASE_KINDS];		      /* wins by kind of phase */
	mpq_t nothing[SPACE_AWARDS_MAX];	      /* P(no win, so many awards) */
	mpq_t most, most_p;			      /* the most that a spin wins, and P(it) */
	/* the most that one sticky respin wins; expected respins, and those that win it */
	mpq_t sticky_most, stickies, sticky_mosts;
	mpq_t carried[3][3][3]; /* P(state after it), by potions of a colour */
};

void round_space_init(struct round_space *space);
/* Updates the largest win: a larger `win` replaces `most` and sets most_p to p; an equal one adds p
 * to most_p. Ignores p = 0. */
void round_space_most(mpq_t most, mpq_t most_p, const mpq_t win, const mpq_t p);
void round_space_free(struct round_space *space);
/* Adds all rounds of a spin. CONTEXT_BASE: the paid spin, from `state`. CONTEXT_FREE: the first
 * free spin of a round whose paid spin has one combination of stops only, wins nothing and awards
 * free spins. `jackpot`: what a hit counts, in total bets. */
void round_space_walk(const struct game *game, const struct bet *bet,
	const struct round_state *state, enum spin_context context, const mpq_t jackpot,
	struct round_space *space);

#endif
