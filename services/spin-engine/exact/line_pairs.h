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
 * Numbers have a hundred and more bits, so all is done modulo primes below 2^61, as many as the
 * result needs, and put together at the end: exact, without carrying long numbers through the
 * loops. Allocates with GMP's functions, which end the program when there is no memory. */
#ifndef CARILLON_SPIN_ENGINE_EXACT_LINE_PAIRS_H
#define CARILLON_SPIN_ENGINE_EXACT_LINE_PAIRS_H

#include "services/spin-engine/exact/machine_lines.h"

#include <gmp.h>

/* ---- integers by residues ---- */

#define RESIDUE_PRIMES 12

uint64_t residue_prime(uint32_t index);
/* How many primes hold a number of so many bits, sign and all. */
uint32_t residue_primes_for(size_t bits);
uint64_t residue_of(const mpz_t z, uint64_t prime);
/* The whole number >= 0 below the primes' product with these residues. */
void residue_join(const uint64_t *residue, uint32_t primes, mpz_t z_r);

/* ---- the two sides ---- */

/* `unit`: what a coin counts (so that a jackpot may be a fraction of coins), `jackpot`: what an
 * edge with MACHINE_JACKPOT wins beside its coins, in the same. */
struct pair_side {
	const struct line_automaton *lines;
	uint32_t line_count;
	uint32_t rows, symbols; /* of the joint tables: rows of the reel, ids of symbols */
	uint64_t unit, jackpot;
};

/* Joint weights of a reel: [((row_a * symbols_a + a) * rows_b + row_b) * symbols_b + b]. For every
 * pair of rows they sum to total, below 2^60. */
struct pair_reel {
	uint64_t *weight;
	uint64_t total;
};

/* What is still to come from one reel on, modulo the prime. */
struct pair_vector {
	uint32_t reel;
	uint64_t mass;
	uint64_t *a, *b; /* [node] */
	uint64_t *both;	 /* [node of a][node of b] */
};

struct pair_space {
	uint32_t reels;
	struct pair_side a, b;
	uint64_t prime;
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
/* Nothing to come: mass 1. */
void pair_vector_end(const struct pair_space *space, struct pair_vector *vector_r);
/* before += what the reel `before->reel` and then `after` give. */
void pair_step(const struct pair_space *space, const struct pair_reel *reel,
	const struct pair_vector *after, struct pair_vector *before);
/* sum += factor * x */
void pair_add(const struct pair_space *space, struct pair_vector *sum, const struct pair_vector *x,
	uint64_t factor);
/* Sums over the lines of each side, and over the pairs of lines, from the vector of reel 0. */
struct pair_sums {
	uint64_t a, b, both;
};

struct pair_sums pair_result(const struct pair_space *space, const struct pair_vector *first);

/* The whole way for reels that nothing ties together: the sum of products of both sides' units,
 * over all weights. */
void pair_sum(const struct pair_space *space, const struct pair_reel *reels, mpz_t sum_r);
/* Enough bits for such a sum. */
size_t pair_bits(const struct pair_space *space, const struct pair_reel *reels);

#endif
