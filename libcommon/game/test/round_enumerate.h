/* A tiny game played through all its draws: every round that can happen, each with its probability,
 * by the engine itself. What comes out is exact and owes nothing to the mathematics it is held
 * against. */
#ifndef CARILLON_GAME_TEST_ROUND_ENUMERATE_H
#define CARILLON_GAME_TEST_ROUND_ENUMERATE_H

#include "libcommon/game/round.h"

#include <gmp.h>

/* Expectations over all rounds of a bet; wins in total bets, jackpots at the seed of the pool. */
struct enumerated {
	uint64_t rounds;   /* different ones */
	mpq_t win, win2;   /* E[X], E[X^2] */
	mpq_t hit;	   /* P(X > 0) */
	mpq_t jackpots;	   /* claims */
	mpq_t free_spins;  /* played */
	mpq_t hold, full;  /* hold and win: played, and with all cells filled */
	mpq_t first;	   /* lines, scatters and progressives of the paid spin and its battle */
	mpq_t first_most;  /* the most of that */
	mpq_t probability; /* of all rounds: 1, if none is endless */
};

/* Rounds that award free spins for ever cannot be played through. The test fails above `limit`
 * rounds. `e_r` is initialised by it. */
void enumerate_rounds(const struct game *game, const struct bet *bet,
	const struct round_state *state, uint64_t limit, struct enumerated *e_r);
void enumerated_free(struct enumerated *e);

/* Fails the test unless they are the same number. */
void assert_same(const char *what, const mpq_t found, const mpq_t expected);

#endif
