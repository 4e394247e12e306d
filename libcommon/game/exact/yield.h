/* The parts of a figure: the interface between the files of the exact mathematics.
 *
 * A round is one paid spin and the free spins it awards. Each spin, paid or free, has a *yield*: by
 * source, what the spin and the features it starts win (scatter award, pick bonus, hold and win,
 * sticky respins, collect and unlock), and how many free spins they award. free-spins/exact.c
 * computes a round from the yields of the two contexts (a branching process). Features add to a
 * yield; only cascades, which come first, replace it.
 *
 * Unit: total bets (not the price of a bought mode, not coins), jackpots at the seed. exact.c
 * divides by the price at the end. */
#ifndef CARILLON_GAME_EXACT_YIELD_H
#define CARILLON_GAME_EXACT_YIELD_H

#include "libcommon/game/round.h"
#include "libcommon/game/sources.h"
#include "libcommon/game/exact.h"
#include "libcommon/game/exact/lines.h"

/* P(no win, and `awards` free spins are awarded). */
struct yield_zero {
	uint32_t awards;
	mpq_t p;
};

struct spin_yield {
	enum exact_depth depth;
	mpq_t win[SOURCES];  /* expected */
	mpq_t event[EVENTS]; /* expected */
	mpq_t awards;	     /* expected free spins */
	/* Of the whole win W and the awards A of one spin. EXACT_ALL only. */
	mpq_t win2;			/* E[W^2] */
	mpq_t win_awards;		/* E[W A] */
	mpq_t awards2;			/* E[A^2] */
	uint32_t zero_count, zero_room; /* by rising awards, each once */
	struct yield_zero *zero;	/* owned */
};

/* All zero, also the mass: an empty mixture. Moments and zeros exist only at EXACT_ALL. */
void yield_init(struct spin_yield *yield, enum exact_depth depth);
void yield_free(struct spin_yield *yield);
/* The yield of no win with probability 1: the neutral element of yield_join. */
void yield_init_nothing(struct spin_yield *yield, enum exact_depth depth);
/* sum += p * x: a mixture, moments and zeros included. */
void yield_mix(struct spin_yield *sum, const mpq_t p, const struct spin_yield *x);
/* y += x, independent of y and in the same spin: adds wins and awards. Both have mass 1. */
void yield_join(struct spin_yield *y, const struct spin_yield *x);
/* Joins a win of a source, or awards, that occur with probability 1. */
void yield_add_win(struct spin_yield *yield, enum win_source source, const mpq_t win);
void yield_add_awards(struct spin_yield *yield, uint32_t awards);
/* Adds p to P(no win, `awards` free spins). */
void yield_zero_add(struct spin_yield *yield, uint32_t awards, const mpq_t p);
/* The win of all sources. */
void yield_total(const struct spin_yield *yield, mpq_t total_r);

/* One bet. */
struct exact_wager {
	uint32_t lines, coins;
	bool max;      /* all lines and the most coins a line; jackpot symbols may require it */
	mpq_t jackpot; /* the seed, in total bets; 0 without a progressive */
};

struct spin_figures; /* spins.c: a context's windows, prepared for every bet */

/* One mode, prepared once for all its bets. */
struct exact_work {
	const struct game *game;
	uint32_t mode;
	enum exact_depth depth;
	struct spin_figures *spin[SPIN_CONTEXTS]; /* CONTEXT_FREE: NULL without free spins;
						     CONTEXT_RESPIN: NULL */
	void *own[FEATURES];			  /* of features; NULL: the mode does not have it */
};

void exact_add_part(struct exact_mode *mode, const char *source, const mpq_t rtp);
void exact_add_feature(struct exact_mode *mode, const char *name, const mpq_t frequency);
void exact_add_state(struct exact_mode *mode, const char *name, const mpq_t rtp);

/* Offers a win of `x` total bets; a spin of kind `where` wins it with probability p. Keeps it if it
 * is the largest so far. EXACT_ALL. */
void exact_offer_max(struct exact_mode *mode, const char *where, const mpq_t x, const mpq_t p);
/* The largest offer so far, in whole coins for one coin a line: smaller wins need not be
 * offered. */
uint64_t exact_max_coins(const struct exact_mode *mode, uint32_t lines);

/* ---- features/free-spins/exact.c ---- */

/* A whole round: the paid spin, the free spins it awards, and the free spins those award. Wins in
 * free spins count as SOURCE_FREE_SPINS, except jackpots; events are of all spins, except
 * EVENT_FREE_SPINS. win2 is E[X^2]; zero[0].p is P(X = 0), see exact.h; awards is the expected
 * number of free spins played. `free_spin` NULL: the game has no free spins. EXACT_OK or
 * EXACT_ENDLESS. Initialises `round_r`. */
enum exact_status round_yield(const struct spin_yield *paid, const struct spin_yield *free_spin,
	struct spin_yield *round_r);

/* ---- small things ---- */
void mpq_set_u64(mpq_t q, uint64_t num, uint64_t den); /* den > 0 */
void mpz_set_count(mpz_t z, exact_count count);
void mpq_add_product(mpq_t sum, const mpq_t x, const mpq_t y);		   /* sum += x y */
void mpq_add_scaled(mpq_t sum, const mpq_t x, uint64_t num, uint64_t den); /* sum += x num / den */

#endif
