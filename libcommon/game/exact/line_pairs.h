/* The exact mean of a product: the win of one set of lines times the win of another. Reels are
 * independent, but both sets see the same reels.
 *
 * The two sides can be the lines of one window (a second moment), the lines of two windows that
 * share symbols (a sticky respin; a window and the same window under question marks), or a count of
 * scatters. Each side is a line automaton (machine_lines.h). A reel gives the joint weight of a
 * symbol in a cell of the first side and a symbol in a cell of the second. From the last reel
 * backwards, a vector of four parts is computed: the mass, the mean of what each side still wins,
 * and the product. Everything is linear in the reels' weights. So if the reels are coupled (by
 * the colours of collectibles), the result is the weighted sum of one vector for each case.
 *
 * Numbers have more than a hundred bits. The result is a whole number >= 0 with a known bound, so
 * the computation is modulo a power of 2^64 above that bound: exact, with two or three machine
 * words per number, and negative intermediate values do no harm. Allocates by GMP's functions,
 * which end the program if there is no memory. */
#ifndef CARILLON_GAME_EXACT_LINE_PAIRS_H
#define CARILLON_GAME_EXACT_LINE_PAIRS_H

#include "libcommon/game/exact/machine_lines.h"

#include <gmp.h>

/* ---- numbers as limbs, lowest first ---- */

#define PAIR_LIMBS_MAX 12

/* The number of limbs that a number of so many bits needs. */
uint32_t pair_limbs_for(size_t bits);
void pair_limbs_set(uint64_t *limb_r, uint32_t limbs, const mpz_t z);
void pair_limbs_get(const uint64_t *limb, uint32_t limbs, mpz_t z_r);

/* ---- the two sides ---- */

struct pair_plan; /* line_pair_plan.h */

/* `unit`: the number of parts in a coin, so that a jackpot can be a fraction of a coin. `jackpot`:
 * what an edge with MACHINE_JACKPOT wins beside its coins, in these parts. */
struct pair_side {
	const struct line_automaton *lines;
	uint32_t line_count;
	uint32_t rows, symbols; /* sizes of the joint tables: rows of the reel, number of symbols */
	uint64_t unit, jackpot;
	struct pair_plan *plan; /* pair_side_open sets it after all else is set */
};

void pair_side_open(struct pair_side *side);
void pair_side_close(struct pair_side *side);

/* Joint weights of a reel: [((row_a * symbols_a + a) * rows_b + row_b) * symbols_b + b]. For every
 * pair of rows they sum to `total`, which is below 2^60. */
struct pair_reel {
	uint64_t *weight;
	uint64_t total;
};

/* What lines still win from one reel on; numbers of `limbs` limbs. */
struct pair_vector {
	uint32_t reel;
	uint64_t mass[PAIR_LIMBS_MAX];
	uint64_t *a, *b; /* [node] */
	uint64_t *both;	 /* [node of a][node of b] */
};

struct pair_space {
	uint32_t reels;
	struct pair_side a, b;
	uint32_t limbs;
	/* both sides have the same lines and see the same window, which halves the work */
	bool alike;
	bool means_only; /* do not compute the product */
};

size_t pair_reel_cells(const struct pair_side *a, const struct pair_side *b);
void pair_reel_init(struct pair_reel *reel, const struct pair_side *a, const struct pair_side *b);
void pair_reel_free(struct pair_reel *reel, const struct pair_side *a, const struct pair_side *b);
/* Adds one column for each side, packed one byte per row with the top row in the lowest byte. */
void pair_reel_add(struct pair_reel *reel, const struct pair_side *a, const struct pair_side *b,
	uint64_t column_a, uint64_t column_b, uint64_t weight);

/* Sets all parts to 0. reel == space->reels: after the last reel. */
void pair_vector_init(const struct pair_space *space, uint32_t reel, struct pair_vector *vector_r);
void pair_vector_free(const struct pair_space *space, struct pair_vector *vector);
void pair_vector_clear(const struct pair_space *space, struct pair_vector *vector);
/* The vector after the last reel: mass 1, nothing else. */
void pair_vector_end(const struct pair_space *space, struct pair_vector *vector_r);
/* Computes the vector of reel before->reel from `after`, the vector of the next reel, and from the
 * weights in `reel`, and adds it to `before`. After the last step into `before`, call pair_finish
 * before you use it. */
void pair_step(const struct pair_space *space, const struct pair_reel *reel,
	const struct pair_vector *after, struct pair_vector *before);
void pair_finish(const struct pair_space *space, struct pair_vector *vector);
/* sum += factor * x; both are finished. */
void pair_add(const struct pair_space *space, struct pair_vector *sum, const struct pair_vector *x,
	const uint64_t *factor);
/* Sums over the lines of each side, and over the pairs of lines, from the vector of reel 0. */
struct pair_sums {
	uint64_t a[PAIR_LIMBS_MAX], b[PAIR_LIMBS_MAX], both[PAIR_LIMBS_MAX];
};

void pair_result(
	const struct pair_space *space, const struct pair_vector *first, struct pair_sums *sums_r);

/* The whole computation for independent reels: the sum, over all weights, of the product of both
 * sides' wins in their units. Sets space->limbs. */
void pair_sum(struct pair_space *space, const struct pair_reel *reels, mpz_t sum_r);
/* Bits that are enough for that sum. */
size_t pair_bits(const struct pair_space *space, const struct pair_reel *reels);

#endif
