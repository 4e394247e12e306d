/* The fast simulator: whole rounds of a game by the million, totals only.
 *
 * It plays what libcommon/game/round.h plays, without win items, phases and money checks. A base
 * spin takes one word of ChaCha20: by Lemire's method, nested, it gives an index over the first
 * reels together and one for each further reel, unbiased, by rejection. The first index leads into
 * a table of what those reels alone decide (most often: no line is alive any more), the rest walks
 * the automaton of libcommon/game/reel_machine.h. Features are played by counts and tables where
 * only totals matter.
 *
 * Rounds come in blocks. A block's randomness is keyed by (seed, number of the block), so what a
 * run gives does not depend on threads, and each block can be played again by itself. On machines
 * with AVX-512 sixteen spins are looked at together; the results are the same, bit for bit.
 *
 * Jackpots are valued at their seed. Allocates; no I/O and no clock. Tested against
 * libcommon/game/round.h (distributions) and libcommon/game/lines.h (every window). */
#ifndef CARILLON_GAME_MONTECARLO_H
#define CARILLON_GAME_MONTECARLO_H

#include "libcommon/game/round.h"
#include "libcommon/game/sources.h"

__extension__ typedef unsigned __int128 fast_sum;

#define FAST_BLOCK_ROUNDS (UINT64_C(1) << 18) /* of a run; the last block may be shorter */
#define FAST_BINS 20

/* What a run keeps. Amounts are minor units of the bet's currency. Merging is exact. */
struct fast_stats {
	uint64_t rounds;
	uint64_t stake;	  /* of one round: the price, where a mode is bought */
	fast_sum win;	  /* all rounds' */
	fast_sum square;  /* the sum of win^2 */
	uint64_t hits;	  /* rounds that win */
	uint64_t win_max; /* of one round */
	fast_sum source[SOURCES];
	uint64_t event[EVENTS];
	uint64_t histogram[FAST_BINS]; /* rounds by win; bin 0: nothing won; see fast_bin_from */
	/* The balance over the rounds in order, from 0: where it ends, its highest and lowest, and
	 * the deepest fall from a high. */
	int64_t net, peak, trough, drawdown;
};

/* The lowest win of a bin, in hundredths of the stake. Bin 1 begins above 0. */
uint32_t fast_bin_from(uint32_t bin);
/* `next` follows `into` (blocks in their order, or the drawdown is not that of the run). An empty
 * `into` (all zero) takes `next` over. */
void fast_stats_merge(struct fast_stats *into, const struct fast_stats *next);

enum fast_status {
	FAST_OK = 0,
	FAST_BAD_BET,	/* bet_check refuses it */
	FAST_TOO_LARGE, /* more wins and counts than its words hold: use fast_reference_block */
	FAST_NO_MEMORY,
};

/* FAST_BEST: AVX-512 where the processor has it. FAST_AVX512 only if fast_has_avx512(). */
enum fast_path { FAST_BEST, FAST_SCALAR, FAST_AVX512 };
bool fast_has_avx512(void);

struct fast_sim;    /* the tables of one game, mode and bet; read-only, shared by threads */
struct fast_player; /* what one thread needs beside them */

/* `start`: what the bet value carries into each block (NULL: nothing); potion games carry it on
 * from round to round within a block. `game` is borrowed until fast_free. */
enum fast_status fast_new(const struct game *game, const struct bet *bet,
	const struct round_state *start, struct fast_sim **sim_r);
void fast_free(struct fast_sim **sim);

/* NULL when memory ends. */
struct fast_player *fast_player_new(const struct fast_sim *sim, enum fast_path path);
void fast_player_free(struct fast_player **player);

/* `rounds` complete rounds as block number `block` of the run `seed`. */
void fast_block(struct fast_player *player, uint64_t seed, uint64_t block, uint64_t rounds,
	struct fast_stats *stats_r);
/* The paid spins alone: lines and scatter pays, no features, nothing carried. */
void fast_spins(struct fast_player *player, uint64_t seed, uint64_t block, uint64_t rounds,
	struct fast_stats *stats_r);
/* The same statistics by libcommon/game/round.h, for comparison; `start` as above. False: a round
 * could not be played (a bad bet, or the limit of phases). */
bool fast_reference_block(const struct game *game, const struct bet *bet,
	const struct round_state *start, uint64_t seed, uint64_t block, uint64_t rounds,
	struct fast_stats *stats_r);

/* A run of `rounds` on `threads` threads: blocks of FAST_BLOCK_ROUNDS, merged in order. `watch`
 * (or NULL) is told how many rounds are done, from one thread at a time; if it returns false, no
 * further block begins and the result is what the first blocks gave. */
enum fast_status fast_run(const struct fast_sim *sim, uint64_t seed, uint64_t rounds,
	uint32_t threads, enum fast_path path, bool (*watch)(void *context, uint64_t done),
	void *context, struct fast_stats *stats_r);

#endif
