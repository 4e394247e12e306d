/* Exact mathematics of a game: every figure a rational number, none of them estimated.
 *
 * The engine says what a round is (libcommon/game/round.h); this says what it is worth. Figures are
 * per paid round, returns as a part of the stake (the price, where a mode is bought), the jackpot
 * at its seed. Methods, one file a feature: lines by the product of the reels' weights; full cycles
 * by the automaton of reel_machine.h; free spins as a branching process; sticky respins by the held
 * masks of each reel; hold and win as an absorbing chain over filled cells and respins left;
 * potions as a Markov chain over what is collected, for each level of unlocking.
 *
 * Allocates (GMP's rationals); no I/O, no clock. */
#ifndef CARILLON_GAME_EXACT_H
#define CARILLON_GAME_EXACT_H

#include "libcommon/game/game.h"

#include <gmp.h>

#define EXACT_PARTS_MAX 16
#define EXACT_FEATURES_MAX 16
#define EXACT_STATES_MAX 64
#define EXACT_NAME_MAX 64

/* A part of the return: "lines", "scatter", "battle", "bonus_money", "free_spins", "sticky_spins",
 * "hold_and_win", "explosion", "high_symbols", "jackpot_seed", ... Parts sum to the return. What
 * free spins win in whatever way is "free_spins"; a jackpot is "jackpot_seed" wherever it is won.
 */
struct exact_part {
	char source[EXACT_NAME_MAX];
	mpq_t rtp;
};

/* How often something happens: expected number per paid round, free spins included. "free_spins":
 * awards by the paid spin. */
struct exact_feature {
	char name[EXACT_NAME_MAX]; /* "free_spins", "hold_and_win", "jackpot", "explosion" */
	mpq_t frequency;
};

/* A row of the distribution of the paid spin's own win: lines, all scatter pays (also those of
 * scatters that start battles), progressives by their symbols at the seed; no features. */
struct exact_win {
	mpq_t x; /* times the stake */
	mpq_t probability;
};

/* Return from a state that is carried between rounds (Witch potions), or at a level of them. */
struct exact_state {
	/* "level 2, red blue", or "level 2" (stationary), or "first 10": the mean of so many rounds
	 * at a bet value that carries nothing yet (EXACT_ALL only) */
	char name[EXACT_NAME_MAX];
	mpq_t rtp;
};

/* What is asked: the cheap figures, or all. */
enum exact_depth {
	EXACT_RETURN, /* rtp, parts, features, states: what the loader needs */
	EXACT_ALL,    /* also hit rate, variance, max win, the distribution */
};

struct exact_mode {
	char mode[EXACT_NAME_MAX]; /* the mode's id; with "_below_max" or "_max" where the published
				      returns differ by bet */
	uint32_t mode_index;
	const struct published_rtp *published; /* NULL: none (a demo) */
	uint32_t lines;			       /* of the bet that was analysed */
	uint32_t coins;
	mpq_t rtp;
	uint32_t part_count;
	struct exact_part part[EXACT_PARTS_MAX];
	uint32_t feature_count;
	struct exact_feature feature[EXACT_FEATURES_MAX];
	uint32_t state_count;
	struct exact_state state[EXACT_STATES_MAX];
	bool in_band; /* every bet of the class, and every level, is in the published band */
	/* EXACT_ALL only */
	/* P(the round pays more than nothing). Exact, unless free spins that win nothing may award
	 * several further ones: then it holds the root of a polynomial, right to 2^-200. */
	mpq_t hit_rate;
	mpq_t second_moment; /* E[X^2], X in stakes */
	mpq_t variance;
	/* The most that one spin can win, in stakes; the kind of spin that can; and the exact
	 * probability of it in a spin of that kind. One spin is one of these:
	 * - "base spin", "free spin": lines, scatters and the progressive of its window. Each free
	 *   spin is one spin; rounds of many have no bound;
	 * - "base spin and its feature", "free spin and its feature", where potions start features:
	 *   the window and all that its potions set off in the same spin (respin, multiplier,
	 *   explosion), added up; paid spins in the long run with everything unlocked;
	 * - "hold and win": from the first cell to the last, without the window that led to it;
	 * - "sticky respin", "sticky respin in free spins": each respin by itself, as the player
	 *   starts it like a free spin; any of a trigger's respins is as likely to be looked at.
	 * Battles and bonus picks, whose pays are in the definition's tables, are not in it. */
	mpq_t max_win;
	mpq_t max_win_probability;
	char max_win_where[EXACT_NAME_MAX];
	uint32_t win_count;
	struct exact_win *win; /* owned; rising */
};

/* What the contribution returns beside the return at seed. */
struct exact_contribution {
	mpq_t counted_whole; /* contribution_ppm */
	mpq_t live_rows;     /* x the sum of all rows' shares */
	uint32_t currency_count;
	uint32_t currency[GAME_CURRENCIES_MAX];
	mpq_t by_currency[GAME_CURRENCIES_MAX]; /* x the shares of that currency's rows */
};

enum exact_status {
	EXACT_OK = 0,
	EXACT_NO_MEMORY,
	EXACT_NO_MODE,
	EXACT_SIMULATED, /* the definition says that this mode's return is simulated: only its name
			    and what it publishes are there */
	EXACT_ENDLESS,	 /* a free spin awards one free spin or more on average: no finite return */
};

/* How many figures the definition has: one for each mode and class of bets with a published return
 * of its own (one for each mode in a demo). */
uint32_t exact_mode_count(const struct game *game);
/* Figure `index`; `mode_r` is initialised by it and freed by exact_mode_free. */
enum exact_status exact_mode(
	const struct game *game, uint32_t index, enum exact_depth depth, struct exact_mode *mode_r);
void exact_mode_free(struct exact_mode *mode);
/* The same for all figures of a game, one after another by rising index: what figures of one mode
 * share is worked out once. The game must stay as it is. NULL: no memory. */
struct exact_analysis;
struct exact_analysis *exact_open(const struct game *game, enum exact_depth depth);
enum exact_status exact_figure(
	struct exact_analysis *analysis, uint32_t index, struct exact_mode *mode_r);
void exact_close(struct exact_analysis **analysis);
/* The return of one bet alone: `lines` x `coins` of a mode, jackpots at that bet. `rtp_r` is
 * initialised by the caller. */
enum exact_status exact_bet(
	const struct game *game, uint32_t mode, uint32_t lines, uint32_t coins, mpq_t rtp_r);
void exact_contribution(const struct game *game, struct exact_contribution *contribution_r);
void exact_contribution_free(struct exact_contribution *contribution);

#endif
