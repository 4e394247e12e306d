/* What the measurements share: a figure is some work that can be done any number of times, and how
 * long it took in each pass. */
#ifndef CARILLON_BENCH_MATH_BENCH_BENCH_H
#define CARILLON_BENCH_MATH_BENCH_BENCH_H

#include "libcommon/game/game.h"

#define FIGURES_MAX 128
#define PASSES_MAX 64

/* One thread's seconds for `units` of work: by the clock on the wall, and of this process's CPU. */
struct sample {
	double wall_s, cpu_s;
};

struct figure {
	const char *what; /* "complete_rounds", "base_spins", ..; static */
	const char *game; /* id; "" for none; borrowed */
	const char *mode; /* "" for none; borrowed */
	const char *path; /* "avx512", "scalar", ..; "" for none; static */
	double items;	  /* of what is counted, in one unit of work; 1 where the unit is one */
	void (*work)(void *context, uint64_t units);
	void *context;	/* borrowed */
	uint64_t units; /* of one pass, found by trying */
	struct sample sample[PASSES_MAX];
};

struct bench {
	const char *only; /* figures whose text begins so; "" for all */
	uint32_t count;
	struct figure figure[FIGURES_MAX];
};

/* Ends the program with exit code 2. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Memory that lives as long as the program, all zero. */
void *keep(size_t bytes);

/* Adds a figure unless it is not asked for. */
void bench_add(struct bench *bench, const struct figure *figure);

/* The bet of a measurement: all lines, most coins, the largest coin value the mode may be played
 * at. */
struct bet bench_bet(const struct game *game, uint32_t mode);
/* What potion games carry at first: all unlocked, nothing collected. */
struct round_state;
void bench_state(const struct game *game, struct round_state *state_r);

/* The figures, a file each. `game` is borrowed for as long as the bench. */
void add_simulator(struct bench *bench, const struct game *game); /* complete_rounds, base_spins */
void add_server(struct bench *bench, const struct game *game);	  /* round_play and its parts */
void add_exact(struct bench *bench, const struct game *game);	  /* full_cycle, line_evaluations */
void add_plain(struct bench *bench, const struct game *game);	  /* plain_spins, plain_scan */
void add_random(struct bench *bench); /* chacha20_words, stream_begin, .. */

#endif
