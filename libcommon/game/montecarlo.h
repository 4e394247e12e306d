/* Monte Carlo: plays millions of whole rounds and keeps only totals.
 *
 * It plays the same rounds as libcommon/game/round.h, without win items, phases and money checks. A
 * base spin usually uses one word of ChaCha20 (montecarlo/internal.h says when it uses two).
 * Lemire's method, nested and with rejection, turns the word into unbiased indices: one for the
 * first reels together and one for each other reel. The first index selects an entry of a table.
 * The entry says what those reels decide (usually that no line can win any more); the other indices
 * walk the automaton of libcommon/game/reel_machine.h. Features use counts and tables where only
 * totals matter.
 *
 * Rounds are played in blocks. The key of a block's randomness is (seed, block number), so a run's
 * result does not depend on the number of threads, and each block can be replayed alone. With
 * AVX-512, sixteen spins are processed together; the results are the same bit for bit.
 *
 * Jackpots count at their seed. Allocates; no I/O and no clock. Tests compare it with
 * libcommon/game/round.h (distributions) and libcommon/game/lines.h (every window). */
#ifndef CARILLON_GAME_MONTECARLO_H
#define CARILLON_GAME_MONTECARLO_H

#include "libcommon/game/round.h"
#include "libcommon/game/sources.h"

__extension__ typedef unsigned __int128 fast_sum;

#define FAST_BLOCK_ROUNDS (UINT64_C(1) << 18) /* in a block; a run's last block may be shorter */
#define FAST_BINS 20

/* Totals of a run. Amounts are minor units of the bet's currency. Merging is exact. */
struct fast_stats {
	uint64_t rounds;
	uint64_t stake;	  /* of one round; for a bought mode its price */
	fast_sum win;	  /* of all rounds */
	fast_sum square;  /* the sum of win^2 */
	uint64_t hits;	  /* rounds that win */
	uint64_t win_max; /* of one round */
	fast_sum source[SOURCES];
	uint64_t event[EVENTS];
	uint64_t histogram[FAST_BINS]; /* rounds by win; bin 0: no win; see fast_bin_from */
	/* The balance over the rounds in order, starting at 0: its end, highest and lowest value,
	 * and the largest fall from a high. */
	int64_t net, peak, trough, drawdown;
};

/* The lowest win of a bin, in hundredths of the stake. Bin 1 begins above 0. */
uint32_t fast_bin_from(uint32_t bin);
/* Adds `next`, which must be the next block in order, or the drawdown is wrong. An `into` that is
 * all zero becomes a copy of `next`. */
void fast_stats_merge(struct fast_stats *into, const struct fast_stats *next);

enum fast_status {
	FAST_OK = 0,
	FAST_BAD_BET,	/* bet_check refuses it */
	FAST_TOO_LARGE, /* wins and counts do not fit the tables: use fast_reference_block */
	FAST_NO_MEMORY,
};

/* FAST_BEST: AVX-512 if the processor has it. FAST_AVX512 requires fast_has_avx512(). */
enum fast_path { FAST_BEST, FAST_SCALAR, FAST_AVX512 };
bool fast_has_avx512(void);

struct fast_sim;    /* the tables of one game, mode and bet; read-only, shared by threads */
struct fast_player; /* the data of one thread */

/* `start`: the carried state at the beginning of each block (NULL: nothing). Within a block, each
 * round passes its carried state to the next. Borrows `game` until fast_free. */
enum fast_status fast_new(const struct game *game, const struct bet *bet,
	const struct round_state *start, struct fast_sim **sim_r);
void fast_free(struct fast_sim **sim);

/* NULL when memory runs out. */
struct fast_player *fast_player_new(const struct fast_sim *sim, enum fast_path path);
void fast_player_free(struct fast_player **player);

/* Plays `rounds` whole rounds as block number `block` of the run with this seed. */
void fast_block(struct fast_player *player, uint64_t seed, uint64_t block, uint64_t rounds,
	struct fast_stats *stats_r);
/* Plays only the paid spins: lines and scatter pays, no features, no carried state. */
void fast_spins(struct fast_player *player, uint64_t seed, uint64_t block, uint64_t rounds,
	struct fast_stats *stats_r);
/* Computes the same statistics with libcommon/game/round.h, for comparison; `start` as above.
 * False: a round could not be played (bad bet or too many phases). */
bool fast_reference_block(const struct game *game, const struct bet *bet,
	const struct round_state *start, uint64_t seed, uint64_t block, uint64_t rounds,
	struct fast_stats *stats_r);

/* Plays `rounds` rounds on `threads` threads, in blocks of FAST_BLOCK_ROUNDS that are merged in
 * order. `watch` may be NULL; else one thread at a time calls it with the number of rounds done. If
 * it returns false, no more blocks begin and the result covers the blocks played. */
enum fast_status fast_run(const struct fast_sim *sim, uint64_t seed, uint64_t rounds,
	uint32_t threads, enum fast_path path, bool (*watch)(void *context, uint64_t done),
	void *context, struct fast_stats *stats_r);

#endif
