/* The mean of a product: what one set of lines wins times what another wins, exactly, when the
 * reels are independent but the two see each reel together.
 *
 * The two sides may be the lines of one window (a second moment), of two windows that share
 * symbols (a respin with sticky ones, a window and the same window under question marks), or a
 * count of scatters. Either side is a line automaton (machine_lines.h); a reel is the joint weight
 * of what a cell shows to the one and another cell to the other. From the last reel back a vector
 * of four parts is kept: the mass, what each side still wins on average, and the product. All is
 * linear in the reels' weights, so mixtures over what ties reels together (colours of potions) are
 * sums of vectors.
 *
 * Numbers have a hundred and more bits. The result is a whole number >= 0 with a known bound, so
 * all is done modulo a power of 2^64 above that bound: exact, with two or three machine words a
 * number, and differences do no harm on the way. Allocates with GMP's functions, which end the
 * program when there is no memory. */
#ifndef CARILLON_GAME_EXACT_LINE_PAIRS_H
#define CARILLON_GAME_EXACT_LINE_PAIRS_H

#include "libcommon/game/exact/machine_lines.h"

#include <gmp.h>

/* ---- numbers of limbs, the lowest first ---- */

#define PAIR_LIMBS_MAX 12

/* How many limbs hold a number of so many bits. */
uint32_t pair_limbs_for(size_t bits);
void pair_limbs_set(uint64_t *limb_r, uint32_t limbs, const mpz_t z);
void pair_limbs_get(const uint64_t *limb, uint32_t limbs, mpz_t z_r);

/* ---- the two sides ---- */

struct pair_plan; /* line_pair_plan.h */

/* `unit`: what a coin counts (so that a jackpot may be a fraction of coins), `jackpot`: what an
 * edge with MACHINE_JACKPOT wins beside its coins, in the same. */
struct pair_side {
	const struct line_automaton *lines;
	uint32_t line_count;
	uint32_t rows, symbols; /* of the joint tables: rows of the reel, ids of symbols */
	uint64_t unit, jackpot;
	struct pair_plan *plan; /* by pair_side_open, once all else is set */
};

void pair_side_open(struct pair_side *side);
void pair_side_close(struct pair_side *side);

/* Joint weights of a reel: [((row_a * symbols_a + a) * rows_b + row_b) * symbols_b + b]. For every
 * pair of rows they sum to total, below 2^60. */
struct pair_reel {
	uint64_t *weight;
	uint64_t total;
};

/* What is still to come from one reel on: numbers of `limbs` limbs. */
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
	bool alike;	 /* both sides are the same lines and see the same: half the work */
	bool means_only; /* the product is not asked for */
};

size_t pair_reel_cells(const struct pair_side *a, const struct pair_side *b);
void pair_reel_init(struct pair_reel *reel, const struct pair_side *a, const struct pair_side *b);
void pair_reel_free(struct pair_reel *reel, const struct pair_side *a, const struct pair_side *b);
/* Both sides see one column each. Each side's column is a byte a row, the top row lowest. */
void pair_reel_add(struct pair_reel *reel, const struct pair_side *a, const struct pair_side *b,
	uint64_t column_a, uint64_t column_b, uint64_t weight);

/* All parts 0; reel == space->reels: behind the last one. */
void pair_vector_init(const struct pair_space *space, uint32_t reel, struct pair_vector *vector_r);
void pair_vector_free(const struct pair_space *space, struct pair_vector *vector);
void pair_vector_clear(const struct pair_space *space, struct pair_vector *vector);
/* Nothing to come: mass 1. */
void pair_vector_end(const struct pair_space *space, struct pair_vector *vector_r);
/* before += what the reel `before->reel` and then `after` give. After the last of these
 * pair_finish makes the vector whole; only then it may be used. */
void pair_step(const struct pair_space *space, const struct pair_reel *reel,
	const struct pair_vector *after, struct pair_vector *before);
void pair_finish(const struct pair_space *space, struct pair_vector *vector);
/* sum += factor * x, both of them finished. */
void pair_add(const struct pair_space *space, struct pair_vector *sum, const struct pair_vector *x,
	const uint64_t *factor);
/* Sums over the lines of each side, and over the pairs of lines, from the vector of reel 0. */
struct pair_sums {
	uint64_t a[PAIR_LIMBS_MAX], b[PAIR_LIMBS_MAX], both[PAIR_LIMBS_MAX];
};

void pair_result(
	const struct pair_space *space, const struct pair_vector *first, struct pair_sums *sums_r);

/* The whole way for reels that nothing ties together: the sum of products of both sides' units,
 * over all weights. Sets space->limbs. */
void pair_sum(struct pair_space *space, const struct pair_reel *reels, mpz_t sum_r);
/* Enough bits for such a sum. */
size_t pair_bits(const struct pair_space *space, const struct pair_reel *reels);

#endif
