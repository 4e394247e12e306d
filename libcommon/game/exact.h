/* Exact mathematics of a game: every figure is a rational number, none is estimated.
 *
 * libcommon/game/round.h plays a round; this file computes what a round returns. Figures are per
 * paid round. Returns are fractions of the stake (in a bought mode, of its price). Jackpots count
 * at their seed. The methods, each in its own file:
 *
 * - lines: the product of the reels' weights
 * - all windows of a spin: the automaton of reel_machine.h
 * - free spins: a branching process
 * - sticky respins: for each reel, the distribution of the symbols that it holds
 * - hold and win: an absorbing Markov chain over filled cells and respins left
 * - cascades: every combination of stops, played to its end
 * - collect and unlock: a Markov chain over the collectibles, for each level of unlocking
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

/* A part of the return: "lines", "scatter", "battle", "bonus_money", "free_spins", "jackpot_seed",
 * .. (the sources of features.def). Parts sum to the return. Every win in free spins counts as
 * "free_spins", and every jackpot as "jackpot_seed" wherever it is won. */
struct exact_part {
	char source[EXACT_NAME_MAX];
	mpq_t rtp;
};

/* The expected number of an event per paid round, free spins included. "free_spins" counts
 * awards by the paid spin and by the features it starts, not those within free spins. */
struct exact_feature {
	char name[EXACT_NAME_MAX]; /* "free_spins", "hold_and_win", "jackpot", "explosion" */
	mpq_t frequency;
};

/* A row of the distribution of the paid spin's own win. It counts lines, all scatter pays (also
 * those of a scatter award) and progressives won by symbols, at the seed, but no features. */
struct exact_win {
	mpq_t x; /* times the stake */
	mpq_t probability;
};

/* The return from one carried state, or at one level of unlocking. */
struct exact_state {
	/* "level 2, red blue": from this carried state. "level 2": the long-run mean at this level.
	 * "first 10" (EXACT_ALL only): the mean of the first 10 rounds at a bet value that carries
	 * nothing yet */
	char name[EXACT_NAME_MAX];
	mpq_t rtp;
};

/* Which figures to compute. */
enum exact_depth {
	EXACT_RETURN, /* rtp, parts, features, states; the loader needs these */
	EXACT_ALL,    /* also hit rate, variance, max win and the distribution */
};

struct exact_mode {
	char mode[EXACT_NAME_MAX]; /* the mode's id, with "_below_max" or "_max" if the published
				      returns differ by bet */
	uint32_t mode_index;
	const struct published_rtp *published; /* NULL: none (a demo) */
	uint32_t lines;			       /* of the analysed bet */
	uint32_t coins;
	mpq_t rtp;
	uint32_t part_count;
	struct exact_part part[EXACT_PARTS_MAX];
	uint32_t feature_count;
	struct exact_feature feature[EXACT_FEATURES_MAX];
	uint32_t state_count;
	struct exact_state state[EXACT_STATES_MAX];
	/* is the return of every bet of the class in the published band, at every level? */
	bool in_band;
	/* EXACT_ALL only */
	/* P(the round wins). Exact, with one exception: if a free spin that wins nothing can award
	 * several free spins, the probability comes from the root of a polynomial and is correct to
	 * 2^-200. */
	mpq_t hit_rate;
	mpq_t second_moment; /* E[X^2], X in stakes */
	mpq_t variance;
	/* max_win: the largest win of one spin, in stakes. max_win_where: the kind of that spin.
	 * max_win_probability: the win's exact probability in a spin of that kind. The kinds:
	 * - "base spin", "free spin": lines, scatters and the progressive of its window. Each free
	 *   spin counts alone, because the number of free spins has no bound;
	 * - "base spin and its feature", "free spin and its feature", if collectibles start
	 *   features: the sum of the window and of the features that its collectibles start
	 *   (respin, multiplier, explosion). For a base spin, the probability is the long-run one
	 *   with everything unlocked;
	 * - "base spin and its tumbles", "free spin and its tumbles", in games with cascades: the
	 *   sum of the lines, the tumbles and the scatters;
	 * - "hold and win": the whole feature, without the window that started it;
	 * - "sticky respin", "sticky respin in free spins": each respin alone, because the player
	 *   starts it like a free spin; the probability is averaged over the respins that one
	 *   trigger starts.
	 * A scatter award counts with the pay of its scatter, but without its free spins. Pick
	 * bonuses are not included: their pays are in the definition. */
	mpq_t max_win;
	mpq_t max_win_probability;
	char max_win_where[EXACT_NAME_MAX];
	uint32_t win_count;
	struct exact_win *win; /* owned; in rising order of x */
};

/* What the contribution adds to the return. The return itself counts jackpots at their seed. */
struct exact_contribution {
	/* as if the whole contribution were returned: contribution_ppm as a fraction */
	mpq_t counted_whole;
	mpq_t live_rows; /* counted_whole times the sum of all rows' shares */
	uint32_t currency_count;
	uint32_t currency[GAME_CURRENCIES_MAX];
	/* counted_whole times the sum of the shares of that currency's rows */
	mpq_t by_currency[GAME_CURRENCIES_MAX];
};

enum exact_status {
	EXACT_OK = 0,
	EXACT_NO_MEMORY,
	EXACT_NO_MODE,
	EXACT_SIMULATED, /* the definition says that this mode's return is simulated: only its name
			    and its published return are filled in */
	EXACT_ENDLESS,	 /* a free spin awards at least one free spin on average: there is no finite
			    return */
};

/* The number of struct exact_mode that the game has: one for each mode and class of bets with its
 * own published return (in a demo: one for each mode). */
uint32_t exact_mode_count(const struct game *game);
/* Computes the one with number `index`. Initialises `mode_r`; exact_mode_free frees it. */
enum exact_status exact_mode(
	const struct game *game, uint32_t index, enum exact_depth depth, struct exact_mode *mode_r);
void exact_mode_free(struct exact_mode *mode);
/* The same for several indices of a game. Call exact_figure in rising order of index, because
 * consecutive figures of a mode share work. The game must not change between exact_open and
 * exact_close. exact_open returns NULL if memory runs out. */
struct exact_analysis;
struct exact_analysis *exact_open(const struct game *game, enum exact_depth depth);
enum exact_status exact_figure(
	struct exact_analysis *analysis, uint32_t index, struct exact_mode *mode_r);
void exact_close(struct exact_analysis **analysis);
/* The return of one bet: `lines` x `coins` in a mode, with the jackpots of that bet. The caller
 * initialises `rtp_r`. */
enum exact_status exact_bet(
	const struct game *game, uint32_t mode, uint32_t lines, uint32_t coins, mpq_t rtp_r);
void exact_contribution(const struct game *game, struct exact_contribution *contribution_r);
void exact_contribution_free(struct exact_contribution *contribution);

#endif
