/* How a figure is put together: what the files of the exact mathematics promise one another.
 *
 * A round is one paid spin and the free spins it awards. Each spin, paid or free, has a *yield*:
 * what it and all that it sets off at once (battle, vials, hold and win, sticky respins, potion
 * features) win, by source, and how many free spins all that awards. free-spins/exact.c makes a
 * round out of the yields of the two contexts (a branching process); features only ever add to a
 * yield.
 *
 * Unit: total bets (not the price of a bought mode, not coins), jackpots at the seed. exact.c
 * divides by the price at the very end. */
#ifndef CARILLON_GAME_EXACT_YIELD_H
#define CARILLON_GAME_EXACT_YIELD_H

#include "libcommon/game/round.h"
#include "libcommon/game/sources.h"
#include "libcommon/game/exact.h"
#include "libcommon/game/exact/lines.h"

/* P(nothing is won, and `awards` free spins are awarded). */
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
	uint32_t zero_count, zero_room; /* rising awards, none twice */
	struct yield_zero *zero;	/* owned */
};

/* All zero, also the mass: the empty sum of a mixture. Moments and zeros are kept at EXACT_ALL. */
void yield_init(struct spin_yield *yield, enum exact_depth depth);
void yield_free(struct spin_yield *yield);
/* The same, but certain that nothing is won: the neutral element of yield_join. */
void yield_init_nothing(struct spin_yield *yield, enum exact_depth depth);
/* sum += p * x: a mixture, moments and zeros included. */
void yield_mix(struct spin_yield *sum, const mpq_t p, const struct spin_yield *x);
/* x joins y in the same spin, independently of it: sums of wins and awards. Both have mass 1. */
void yield_join(struct spin_yield *y, const struct spin_yield *x);
/* A certain win of a source, certain awards, join in. */
void yield_add_win(struct spin_yield *yield, enum win_source source, const mpq_t win);
void yield_add_awards(struct spin_yield *yield, uint32_t awards);
/* Adds to P(nothing is won, `awards` are awarded). */
void yield_zero_add(struct spin_yield *yield, uint32_t awards, const mpq_t p);
/* The win of all sources. */
void yield_total(const struct spin_yield *yield, mpq_t total_r);

/* One bet. */
struct exact_wager {
	uint32_t lines, coins;
	bool max;      /* all lines and the most coins a line: jackpot symbols may ask for it */
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
	void *own[FEATURES];			  /* of features; NULL: the mode has none */
};

void exact_add_part(struct exact_mode *mode, const char *source, const mpq_t rtp);
void exact_add_feature(struct exact_mode *mode, const char *name, const mpq_t frequency);
void exact_add_state(struct exact_mode *mode, const char *name, const mpq_t rtp);

/* A spin that may win `x` total bets, with probability p in a spin of its kind: kept if it is more
 * than any before. EXACT_ALL. */
void exact_offer_max(struct exact_mode *mode, const char *where, const mpq_t x, const mpq_t p);
/* What was offered up to now, in whole coins for one coin a line: less need not be offered. */
uint64_t exact_max_coins(const struct exact_mode *mode, uint32_t lines);

/* ---- features/free-spins/exact.c ---- */

/* A whole round: the paid spin and the free spins that it and they award. Wins of free spins are
 * under SOURCE_FREE_SPINS, but jackpots; events are those of all spins, but for EVENT_FREE_SPINS.
 * win2 is E[X^2]; zero[0].p is P(X = 0), see exact.h; awards is the number of free spins played.
 * `free_spin` NULL: the game has none. EXACT_ENDLESS. `round_r` is initialised by it. */
enum exact_status round_yield(const struct spin_yield *paid, const struct spin_yield *free_spin,
	struct spin_yield *round_r);

/* ---- small things ---- */
void mpq_set_u64(mpq_t q, uint64_t num, uint64_t den); /* den > 0 */
void mpz_set_count(mpz_t z, exact_count count);
void mpq_add_product(mpq_t sum, const mpq_t x, const mpq_t y);		   /* sum += x y */
void mpq_add_scaled(mpq_t sum, const mpq_t x, uint64_t num, uint64_t den); /* sum += x num / den */

#endif
