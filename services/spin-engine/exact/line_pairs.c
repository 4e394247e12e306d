#include "services/spin-engine/exact/line_pairs.h"

#include <assert.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static void *take(size_t bytes)
{
	void *(*allocate)(size_t);
	void *block;

	mp_get_memory_functions(&allocate, NULL, NULL);
	block = allocate(bytes ? bytes : 1);
	memset(block, 0, bytes);
	return block;
}

static void give(void *block, size_t bytes)
{
	void (*release)(void *, size_t);

	mp_get_memory_functions(NULL, NULL, &release);
	release(block, bytes ? bytes : 1);
}

/* ---- residues ---- */

#define PRIME_BITS 61
#define PRIME_MASK ((UINT64_C(1) << PRIME_BITS) - 1)

/* 2^61 - c is prime */
static const uint16_t prime_gap[RESIDUE_PRIMES] = { 1, 31, 45, 229, 259, 283, 339, 391, 403, 465,
	531, 579 };

uint64_t residue_prime(uint32_t index)
{
	assert(index < RESIDUE_PRIMES);
	return (UINT64_C(1) << PRIME_BITS) - prime_gap[index];
}

uint32_t residue_primes_for(size_t bits)
{
	uint32_t primes = (uint32_t)(bits / (PRIME_BITS - 1)) + 1;

	assert(primes <= RESIDUE_PRIMES);
	return primes;
}

/* x below 2^125 */
static uint64_t fold(wide x, uint64_t prime)
{
	uint64_t gap = (UINT64_C(1) << PRIME_BITS) - prime;
	wide y = (wide)(uint64_t)(x >> PRIME_BITS) * gap + ((uint64_t)x & PRIME_MASK);
	uint64_t z = (uint64_t)(y >> PRIME_BITS) * gap + ((uint64_t)y & PRIME_MASK);

	return z >= prime ? z - prime : z;
}

uint64_t residue_of(const mpz_t z, uint64_t prime)
{
	return mpz_fdiv_ui(z, prime);
}

void residue_join(const uint64_t *residue, uint32_t primes, mpz_t z_r)
{
	mpz_t product, step, prime;

	mpz_inits(product, step, prime, NULL);
	mpz_set_ui(product, 1);
	mpz_set_ui(z_r, 0);
	for (uint32_t i = 0; i < primes; i++) {
		mpz_set_ui(prime, residue_prime(i));
		mpz_set_ui(step, residue[i]);
		mpz_sub(step, step, z_r);
		if (i > 0) {
			mpz_t inverse;

			mpz_init(inverse);
			mpz_invert(inverse, product, prime);
			mpz_mul(step, step, inverse);
			mpz_clear(inverse);
		}
		mpz_mod(step, step, prime);
		mpz_addmul(z_r, step, product);
		mpz_mul(product, product, prime);
	}
	mpz_clears(product, step, prime, NULL);
}

/* ---- reels ---- */

size_t pair_reel_cells(const struct pair_side *a, const struct pair_side *b)
{
	return (size_t)a->rows * a->symbols * b->rows * b->symbols;
}

void pair_reel_init(struct pair_reel *reel, const struct pair_side *a, const struct pair_side *b)
{
	reel->weight = take(pair_reel_cells(a, b) * sizeof(*reel->weight));
	reel->total = 0;
}

void pair_reel_free(struct pair_reel *reel, const struct pair_side *a, const struct pair_side *b)
{
	give(reel->weight, pair_reel_cells(a, b) * sizeof(*reel->weight));
	reel->weight = NULL;
}

static uint8_t cell_of(uint64_t column, uint32_t row)
{
	return (uint8_t)(column >> (8 * row));
}

void pair_reel_add(struct pair_reel *reel, const struct pair_side *a, const struct pair_side *b,
	uint64_t column_a, uint64_t column_b, uint64_t weight)
{
	reel->total += weight;
	for (uint32_t i = 0; i < a->rows; i++) {
		uint64_t *row = reel->weight + ((size_t)i * a->symbols + cell_of(column_a, i)) *
						       b->rows * b->symbols;

		for (uint32_t k = 0; k < b->rows; k++)
			row[k * b->symbols + cell_of(column_b, k)] += weight;
	}
}

/* ---- vectors ---- */

static uint32_t nodes_of(
	const struct pair_space *space, const struct pair_side *side, uint32_t reel)
{
	return reel < space->reels ? side->lines->level[reel].nodes : 1;
}

void pair_vector_init(const struct pair_space *space, uint32_t reel, struct pair_vector *vector_r)
{
	size_t a = nodes_of(space, &space->a, reel), b = nodes_of(space, &space->b, reel);

	*vector_r = (struct pair_vector){ .reel = reel,
		.a = take(a * sizeof(uint64_t)),
		.b = take(b * sizeof(uint64_t)),
		.both = take(a * b * sizeof(uint64_t)) };
}

void pair_vector_free(const struct pair_space *space, struct pair_vector *vector)
{
	size_t a = nodes_of(space, &space->a, vector->reel);
	size_t b = nodes_of(space, &space->b, vector->reel);

	give(vector->a, a * sizeof(uint64_t));
	give(vector->b, b * sizeof(uint64_t));
	give(vector->both, a * b * sizeof(uint64_t));
}

void pair_vector_end(const struct pair_space *space, struct pair_vector *vector_r)
{
	pair_vector_init(space, space->reels, vector_r);
	vector_r->mass = 1;
}

void pair_add(const struct pair_space *space, struct pair_vector *sum, const struct pair_vector *x,
	uint64_t factor)
{
	uint32_t a = nodes_of(space, &space->a, x->reel), b = nodes_of(space, &space->b, x->reel);

	assert(sum->reel == x->reel);
	if (factor == 0)
		return;
	sum->mass = fold((wide)x->mass * factor + sum->mass, space->prime);
	for (uint32_t i = 0; i < a; i++)
		sum->a[i] = fold((wide)x->a[i] * factor + sum->a[i], space->prime);
	for (uint32_t i = 0; i < b; i++)
		sum->b[i] = fold((wide)x->b[i] * factor + sum->b[i], space->prime);
	for (size_t i = 0; i < (size_t)a * b; i++)
		sum->both[i] = fold((wide)x->both[i] * factor + sum->both[i], space->prime);
}

/* ---- edges ---- */

/* Edges of a node that lead to the same with the same gain are one. */
struct edge {
	uint64_t value; /* of the gain, modulo the prime */
	uint32_t node;
	uint32_t count;
	uint8_t symbol[GAME_SYMBOLS_MAX];
};

struct node_edges {
	uint32_t row, count;
	struct edge *edge;
};

struct level_edges {
	uint32_t nodes;
	size_t edges, room;
	struct node_edges *node;
	struct edge *edge;
};

static uint64_t value_of(const struct pair_side *side, uint32_t gain, uint64_t prime)
{
	wide value = (wide)(gain & ~MACHINE_JACKPOT) * side->unit;

	return fold(value + (gain & MACHINE_JACKPOT ? side->jackpot : 0), prime);
}

static void node_open(const struct pair_side *side, const struct line_level *level, uint32_t node,
	uint64_t prime, struct node_edges *open)
{
	const struct line_edge *from = &level->edge[(size_t)node * level->symbols];

	open->row = level->row[node];
	open->count = 0;
	for (uint32_t s = 0; s < level->symbols; s++) {
		uint64_t value = value_of(side, from[s].gain, prime);
		uint32_t i = 0;

		if (from[s].gain == 0 && from[s].node == 0)
			continue;
		while (i < open->count &&
			(open->edge[i].node != from[s].node || open->edge[i].value != value))
			i++;
		if (i == open->count)
			open->edge[open->count++] =
				(struct edge){ .value = value, .node = from[s].node };
		open->edge[i].symbol[open->edge[i].count++] = level->symbol[s];
	}
}

static void level_open(
	const struct pair_side *side, uint32_t reel, uint64_t prime, struct level_edges *open)
{
	const struct line_level *level = &side->lines->level[reel];

	open->nodes = level->nodes;
	open->edges = 0;
	open->room = (size_t)level->nodes * level->symbols;
	open->node = take(level->nodes * sizeof(*open->node));
	open->edge = take(open->room * sizeof(*open->edge));
	for (uint32_t node = 1; node < level->nodes; node++) {
		open->node[node].edge = open->edge + open->edges;
		node_open(side, level, node, prime, &open->node[node]);
		open->edges += open->node[node].count;
	}
}

static void level_close(struct level_edges *open)
{
	give(open->node, open->nodes * sizeof(*open->node));
	give(open->edge, open->room * sizeof(*open->edge));
}

/* ---- one reel ---- */

struct step {
	const struct pair_space *space;
	const struct pair_reel *reel;
	const struct pair_vector *after;
	struct pair_vector *before;
	struct level_edges a, b;
	size_t row_cells; /* of side b for one cell of a */
};

/* What one side shows, whatever the other does: any row of the other sums up to it. */
static uint64_t alone_a(const struct step *step, uint32_t row, uint32_t symbol)
{
	const struct pair_side *b = &step->space->b;
	const uint64_t *from = step->reel->weight +
			       ((size_t)row * step->space->a.symbols + symbol) * step->row_cells;
	uint64_t sum = 0;

	for (uint32_t s = 0; s < b->symbols; s++)
		sum += from[s];
	return sum;
}

static uint64_t alone_b(const struct step *step, uint32_t row, uint32_t symbol)
{
	const uint64_t *from = step->reel->weight + row * step->space->b.symbols + symbol;
	uint64_t sum = 0;

	for (uint32_t s = 0; s < step->space->a.symbols; s++)
		sum += from[s * step->row_cells];
	return sum;
}

static void step_alone(const struct step *step, const struct level_edges *edges,
	uint64_t (*alone)(const struct step *, uint32_t, uint32_t), const uint64_t *after,
	uint64_t *before)
{
	uint64_t prime = step->space->prime;

	for (uint32_t node = 1; node < edges->nodes; node++)
		for (uint32_t e = 0; e < edges->node[node].count; e++) {
			const struct edge *edge = &edges->node[node].edge[e];
			uint64_t weight = 0, worth;

			for (uint32_t s = 0; s < edge->count; s++)
				weight += alone(step, edges->node[node].row, edge->symbol[s]);
			worth = fold(
				(wide)edge->value * step->after->mass + after[edge->node], prime);
			before[node] = fold((wide)weight * worth + before[node], prime);
		}
}

/* Joint weights of each symbol of a's row with each edge of b's node. */
static void weigh_edges(const struct step *step, uint32_t row_a, const struct node_edges *node_b,
	uint64_t weight_r[GAME_SYMBOLS_MAX][GAME_SYMBOLS_MAX])
{
	const struct pair_space *space = step->space;

	for (uint32_t s = 0; s < space->a.symbols; s++) {
		const uint64_t *from = step->reel->weight +
				       ((size_t)row_a * space->a.symbols + s) * step->row_cells +
				       node_b->row * space->b.symbols;

		for (uint32_t e = 0; e < node_b->count; e++) {
			const struct edge *edge = &node_b->edge[e];
			uint64_t sum = 0;

			for (uint32_t i = 0; i < edge->count; i++)
				sum += from[edge->symbol[i]];
			weight_r[s][e] = sum;
		}
	}
}

/* One pair of nodes: over the pairs of their edges. `later_b`: what each edge of b is worth alone.
 */
static uint64_t pair_nodes(const struct step *step, const struct node_edges *node_a,
	const struct node_edges *node_b, uint64_t weight[GAME_SYMBOLS_MAX][GAME_SYMBOLS_MAX],
	const uint64_t *later_b)
{
	const struct pair_vector *after = step->after;
	uint64_t prime = step->space->prime;
	size_t nodes_b = nodes_of(step->space, &step->space->b, after->reel);
	wide sum = 0;

	for (uint32_t x = 0; x < node_a->count; x++) {
		const struct edge *a = &node_a->edge[x];
		const uint64_t *both = after->both + a->node * nodes_b;

		for (uint32_t y = 0; y < node_b->count; y++) {
			const struct edge *b = &node_b->edge[y];
			uint64_t joint = 0;
			wide worth;

			for (uint32_t i = 0; i < a->count; i++)
				joint += weight[a->symbol[i]][y];
			if (joint == 0)
				continue;
			worth = (wide)b->value * after->a[a->node] + both[b->node];
			if (a->value != 0)
				worth += (wide)a->value * later_b[y];
			sum += (wide)joint * fold(worth, prime);
			if (sum >> 124)
				sum = fold(sum, prime);
		}
	}
	return fold(sum, prime);
}

static void step_both(struct step *step)
{
	const struct pair_space *space = step->space;
	uint64_t weight[GAME_SYMBOLS_MAX][GAME_SYMBOLS_MAX];
	uint64_t later_b[GAME_SYMBOLS_MAX];

	for (uint32_t k = 1; k < step->b.nodes; k++) {
		const struct node_edges *node_b = &step->b.node[k];

		for (uint32_t e = 0; e < node_b->count; e++)
			later_b[e] = fold((wide)node_b->edge[e].value * step->after->mass +
						  step->after->b[node_b->edge[e].node],
				space->prime);
		for (uint32_t row = 0; row < space->a.rows; row++) {
			weigh_edges(step, row, node_b, weight);
			for (uint32_t i = 1; i < step->a.nodes; i++) {
				uint64_t *sum = &step->before->both[(size_t)i * step->b.nodes + k];
				uint64_t x;

				if (step->a.node[i].row != row)
					continue;
				x = pair_nodes(step, &step->a.node[i], node_b, weight, later_b);
				*sum = fold((wide)*sum + x, space->prime);
			}
		}
	}
}

void pair_step(const struct pair_space *space, const struct pair_reel *reel,
	const struct pair_vector *after, struct pair_vector *before)
{
	struct step step = { .space = space,
		.reel = reel,
		.after = after,
		.before = before,
		.row_cells = (size_t)space->b.rows * space->b.symbols };

	assert(after->reel == before->reel + 1 && reel->total >> 60 == 0);
	level_open(&space->a, before->reel, space->prime, &step.a);
	level_open(&space->b, before->reel, space->prime, &step.b);
	step_alone(&step, &step.a, alone_a, after->a, before->a);
	step_alone(&step, &step.b, alone_b, after->b, before->b);
	step_both(&step);
	before->mass = fold((wide)reel->total * after->mass + before->mass, space->prime);
	level_close(&step.a);
	level_close(&step.b);
}

struct pair_sums pair_result(const struct pair_space *space, const struct pair_vector *first)
{
	const struct pair_side *a = &space->a, *b = &space->b;
	size_t nodes_b = nodes_of(space, b, 0);
	uint64_t prime = space->prime;
	struct pair_sums sums = { 0 };

	for (uint32_t k = 0; k < b->line_count; k++)
		sums.b = fold((wide)value_of(b, b->lines->root_gain[k], prime) * first->mass +
				      first->b[b->lines->root[k]] + sums.b,
			prime);
	for (uint32_t i = 0; i < a->line_count; i++) {
		uint64_t gain_a = value_of(a, a->lines->root_gain[i], prime);
		uint32_t root_a = a->lines->root[i];

		sums.a = fold((wide)gain_a * first->mass + first->a[root_a] + sums.a, prime);
		for (uint32_t k = 0; k < b->line_count; k++) {
			uint64_t gain_b = value_of(b, b->lines->root_gain[k], prime);
			uint32_t root_b = b->lines->root[k];
			uint64_t later = fold((wide)gain_b * first->mass + first->b[root_b], prime);

			sums.both = fold((wide)gain_a * later + (wide)gain_b * first->a[root_a] +
						 first->both[root_a * nodes_b + root_b] + sums.both,
				prime);
		}
	}
	return sums;
}

/* ---- independent reels ---- */

static size_t bits_of(uint64_t x)
{
	return x == 0 ? 0 : 64 - (size_t)__builtin_clzll(x);
}

size_t pair_bits(const struct pair_space *space, const struct pair_reel *reels)
{
	size_t bits = 2;
	const struct pair_side *side[2] = { &space->a, &space->b };

	for (uint32_t i = 0; i < 2; i++)
		bits += bits_of(side[i]->lines->win_max) + bits_of(side[i]->unit) +
			bits_of(side[i]->jackpot) + bits_of(side[i]->line_count);
	for (uint32_t r = 0; reels && r < space->reels; r++)
		bits += bits_of(reels[r].total);
	return bits;
}

void pair_sum(const struct pair_space *space, const struct pair_reel *reels, mpz_t sum_r)
{
	uint32_t primes = residue_primes_for(pair_bits(space, reels));
	uint64_t residue[RESIDUE_PRIMES];

	for (uint32_t i = 0; i < primes; i++) {
		struct pair_space here = *space;
		struct pair_vector after, before;

		here.prime = residue_prime(i);
		pair_vector_end(&here, &after);
		for (uint32_t r = here.reels; r-- > 0;) {
			pair_vector_init(&here, r, &before);
			pair_step(&here, &reels[r], &after, &before);
			pair_vector_free(&here, &after);
			after = before;
		}
		residue[i] = pair_result(&here, &after).both;
		pair_vector_free(&here, &after);
	}
	residue_join(residue, primes, sum_r);
}
