#include "libcommon/game/exact/line_pairs.h"

#include "libcommon/game/exact/line_pair_plan.h"

#include <assert.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define LIMB_BITS 64

/* ---- limbs ---- */

uint32_t pair_limbs_for(size_t bits)
{
	uint32_t limbs = (uint32_t)(bits / LIMB_BITS) + 1;

	assert(limbs <= PAIR_LIMBS_MAX);
	return limbs;
}

void pair_limbs_set(uint64_t *limb_r, uint32_t limbs, const mpz_t z)
{
	mpz_t low;

	mpz_init(low);
	mpz_fdiv_r_2exp(low, z, (mp_bitcnt_t)limbs * LIMB_BITS);
	memset(limb_r, 0, limbs * sizeof(*limb_r));
	mpz_export(limb_r, NULL, -1, sizeof(*limb_r), 0, 0, low);
	mpz_clear(low);
}

void pair_limbs_get(const uint64_t *limb, uint32_t limbs, mpz_t z_r)
{
	mpz_import(z_r, limbs, -1, sizeof(*limb), 0, 0, limb);
}

/* sum += x factor, modulo 2^(64 limbs). Inlined with a constant number of limbs, this is a few
 * instructions; gcc does not unroll the loop by itself. */
static inline __attribute__((always_inline)) void add_product(
	uint64_t *sum, const uint64_t *x, uint64_t factor, uint32_t limbs)
{
	wide carry = 0;

	if (limbs == 2 || limbs == 3) {
		carry = (wide)x[0] * factor + sum[0];
		sum[0] = (uint64_t)carry;
		carry = (carry >> LIMB_BITS) + sum[1] + (wide)x[1] * factor;
		sum[1] = (uint64_t)carry;
		if (limbs == 3)
			sum[2] += x[2] * factor + (uint64_t)(carry >> LIMB_BITS);
		return;
	}
	for (uint32_t i = 0; i < limbs; i++) {
		carry += (wide)x[i] * factor + sum[i];
		sum[i] = (uint64_t)carry;
		carry >>= LIMB_BITS;
	}
}

static inline __attribute__((always_inline)) void sub_product(
	uint64_t *sum, const uint64_t *x, uint64_t factor, uint32_t limbs)
{
	wide carry = 0;

	for (uint32_t i = 0; i < limbs; i++) {
		uint64_t low;

		carry += (wide)x[i] * factor;
		low = (uint64_t)carry;
		carry >>= LIMB_BITS;
		carry += sum[i] < low;
		sum[i] -= low;
	}
}

static inline __attribute__((always_inline)) void add_signed(
	uint64_t *sum, const uint64_t *x, int64_t factor, uint32_t limbs)
{
	if (factor >= 0)
		add_product(sum, x, (uint64_t)factor, limbs);
	else
		sub_product(sum, x, (uint64_t)-factor, limbs);
}

static inline __attribute__((always_inline)) void add_limbs(
	uint64_t *sum, const uint64_t *x, uint32_t limbs)
{
	add_product(sum, x, 1, limbs);
}

/* sum += x y, all of them of limbs */
static void add_long(uint64_t *sum, const uint64_t *x, const uint64_t *y, uint32_t limbs)
{
	for (uint32_t i = 0; i < limbs; i++)
		if (y[i] != 0)
			add_product(sum + i, x, y[i], limbs - i);
}

static bool is_zero(const uint64_t *x, uint32_t limbs)
{
	for (uint32_t i = 0; i < limbs; i++)
		if (x[i] != 0)
			return false;
	return true;
}

/* ---- reels ---- */

size_t pair_reel_cells(const struct pair_side *a, const struct pair_side *b)
{
	return (size_t)a->rows * a->symbols * b->rows * b->symbols;
}

void pair_reel_init(struct pair_reel *reel, const struct pair_side *a, const struct pair_side *b)
{
	reel->weight = pair_take(pair_reel_cells(a, b) * sizeof(*reel->weight));
	reel->total = 0;
}

void pair_reel_free(struct pair_reel *reel, const struct pair_side *a, const struct pair_side *b)
{
	pair_give(reel->weight, pair_reel_cells(a, b) * sizeof(*reel->weight));
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

/* Bytes of each part of a vector. */
struct vector_size {
	size_t a, b, both;
};

static struct vector_size size_of(const struct pair_space *space, uint32_t reel)
{
	size_t a = nodes_of(space, &space->a, reel), b = nodes_of(space, &space->b, reel);
	size_t number = space->limbs * sizeof(uint64_t);

	return (struct vector_size){ a * number, b * number,
		space->means_only ? 0 : a * b * number };
}

void pair_vector_init(const struct pair_space *space, uint32_t reel, struct pair_vector *vector_r)
{
	struct vector_size size = size_of(space, reel);

	*vector_r = (struct pair_vector){ .reel = reel,
		.a = pair_take(size.a),
		.b = pair_take(size.b),
		.both = pair_take(size.both) };
}

void pair_vector_free(const struct pair_space *space, struct pair_vector *vector)
{
	struct vector_size size = size_of(space, vector->reel);

	pair_give(vector->a, size.a);
	pair_give(vector->b, size.b);
	pair_give(vector->both, size.both);
}

void pair_vector_end(const struct pair_space *space, struct pair_vector *vector_r)
{
	pair_vector_init(space, space->reels, vector_r);
	vector_r->mass[0] = 1;
}

void pair_vector_clear(const struct pair_space *space, struct pair_vector *vector)
{
	struct vector_size size = size_of(space, vector->reel);

	memset(vector->mass, 0, sizeof(vector->mass));
	memset(vector->a, 0, size.a);
	memset(vector->b, 0, size.b);
	memset(vector->both, 0, size.both);
}

static void add_all(
	uint64_t *sum, const uint64_t *x, size_t bytes, const uint64_t *factor, uint32_t limbs)
{
	for (size_t i = 0; i < bytes / sizeof(*sum); i += limbs)
		add_long(sum + i, x + i, factor, limbs);
}

void pair_add(const struct pair_space *space, struct pair_vector *sum, const struct pair_vector *x,
	const uint64_t *factor)
{
	struct vector_size size = size_of(space, x->reel);

	assert(sum->reel == x->reel);
	if (is_zero(factor, space->limbs))
		return;
	add_long(sum->mass, x->mass, factor, space->limbs);
	add_all(sum->a, x->a, size.a, factor, space->limbs);
	add_all(sum->b, x->b, size.b, factor, space->limbs);
	add_all(sum->both, x->both, size.both, factor, space->limbs);
}

/* ---- one reel: weights of sets of symbols ---- */

struct step {
	const struct pair_space *space;
	const struct pair_reel *reel;
	const struct pair_vector *after;
	struct pair_vector *before;
	const struct pair_level *a, *b;
	uint32_t limbs;
	uint64_t *joint; /* [row of a * sets + set][row of b * sets + set] */
	uint64_t *worth; /* [target of a][target of b]: E of the product of what both lead to */
	uint64_t *mean_a, *mean_b; /* [target] */
};

static size_t joint_bytes(const struct step *step)
{
	return (size_t)step->space->a.rows * step->a->sets * step->space->b.rows * step->b->sets *
	       sizeof(uint64_t);
}

/* The joint weights of one cell of a and the sets of b's cells. */
static void weigh_sets(const struct step *step, const uint64_t *from, uint64_t *joint)
{
	const struct pair_side *b = &step->space->b;

	for (uint32_t row = 0; row < b->rows; row++)
		for (uint32_t set = 0; set < step->b->sets; set++) {
			uint64_t sum = 0;

			for (uint32_t rest = step->b->set[set]; rest; rest &= rest - 1)
				sum += from[row * b->symbols + (uint32_t)__builtin_ctz(rest)];
			joint[row * step->b->sets + set] += sum;
		}
}

static void weigh(struct step *step)
{
	const struct pair_side *a = &step->space->a, *b = &step->space->b;
	size_t cells = (size_t)b->rows * b->symbols, sets = (size_t)b->rows * step->b->sets;
	uint64_t *shown = pair_take(cells * sizeof(*shown));

	step->joint = pair_take(joint_bytes(step));
	for (uint32_t row = 0; row < a->rows; row++)
		for (uint32_t set = 0; set < step->a->sets; set++) {
			memset(shown, 0, cells * sizeof(*shown));
			for (uint32_t rest = step->a->set[set]; rest; rest &= rest - 1) {
				const uint64_t *from =
					step->reel->weight +
					(row * a->symbols + (uint32_t)__builtin_ctz(rest)) * cells;

				for (size_t i = 0; i < cells; i++)
					shown[i] += from[i];
			}
			weigh_sets(step, shown,
				step->joint + ((size_t)row * step->a->sets + set) * sets);
		}
	pair_give(shown, cells * sizeof(*shown));
}

/* The weight of a set of one side, whatever the other side shows: the sum over any row of the other
 * side. */
static uint64_t alone(const struct step *step, bool side_a, const struct pair_edge *edge)
{
	const struct pair_side *a = &step->space->a, *b = &step->space->b;
	size_t cells = (size_t)b->rows * b->symbols;
	uint32_t symbols = (side_a ? step->a : step->b)->set[edge->set];
	const uint64_t *weight = step->reel->weight;
	uint64_t sum = 0;

	for (uint32_t rest = symbols; rest; rest &= rest - 1) {
		uint32_t symbol = (uint32_t)__builtin_ctz(rest);

		if (side_a)
			for (uint32_t s = 0; s < b->symbols; s++)
				sum += weight[((size_t)edge->row * a->symbols + symbol) * cells +
					      s];
		else
			for (uint32_t s = 0; s < a->symbols; s++)
				sum += weight[s * cells + (size_t)edge->row * b->symbols + symbol];
	}
	return sum;
}

/* ---- one reel: what targets are worth ---- */

static void target_means(const struct step *step, const struct pair_level *level,
	const uint64_t *after, uint64_t *mean_r)
{
	for (uint32_t i = 0; i < level->targets; i++) {
		const struct pair_target *target = &level->target[i];
		uint64_t *mean = mean_r + (size_t)i * step->limbs;

		add_signed(mean, step->after->mass, target->gain, step->limbs);
		for (uint32_t t = 0; t < target->count; t++) {
			const struct pair_term *term = &level->term[target->from + t];

			add_signed(mean, after + (size_t)term->node * step->limbs, term->times,
				step->limbs);
		}
	}
}

/* Most targets are a gain and a single node, once. */
static bool is_single(const struct pair_level *level, const struct pair_target *target)
{
	return target->count == 1 && level->term[target->from].times == 1;
}

/* The value of one target of a with each node of b after the reel; computed in `row` unless it is
 * there already. */
static inline __attribute__((always_inline)) const uint64_t *beside_nodes(
	const struct step *step, const struct pair_target *target, uint64_t *row, uint32_t limbs)
{
	size_t nodes = nodes_of(step->space, &step->space->b, step->after->reel);
	/* A level without terms has no array of them. */
	const struct pair_term *term = target->count > 0 ? &step->a->term[target->from] : NULL;
	bool single = is_single(step->a, target);

	if (single && target->gain == 0)
		return step->after->both + term->node * nodes * limbs;
	if (single)
		memcpy(row, step->after->both + term->node * nodes * limbs,
			nodes * limbs * sizeof(*row));
	else
		memset(row, 0, nodes * limbs * sizeof(*row));
	if (target->gain != 0)
		for (size_t k = 0; k < nodes * limbs; k += limbs)
			add_signed(row + k, step->after->b + k, target->gain, limbs);
	for (uint32_t t = 0; t < target->count && !single; t++) {
		const uint64_t *both = step->after->both + term[t].node * nodes * limbs;

		for (size_t k = 0; k < nodes * limbs; k += limbs)
			add_signed(row + k, both + k, term[t].times, limbs);
	}
	return row;
}

/* One target of a and one of b. */
static inline __attribute__((always_inline)) void target_worth(const struct step *step,
	const struct pair_target *target, const uint64_t *row, const uint64_t *mean,
	uint64_t *worth, uint32_t limbs)
{
	const struct pair_term *term = target->count > 0 ? &step->b->term[target->from] : NULL;

	if (is_single(step->b, target))
		for (uint32_t i = 0; i < limbs; i++)
			worth[i] = row[(size_t)term->node * limbs + i];
	else
		for (uint32_t t = 0; t < target->count; t++)
			add_signed(worth, row + (size_t)term[t].node * limbs, term[t].times, limbs);
	if (target->gain != 0)
		add_signed(worth, mean, target->gain, limbs);
}

/* `room`: for one number for each node of b. */
static inline __attribute__((always_inline)) void target_worths(
	const struct step *step, uint64_t *room, uint32_t limbs)
{
	uint32_t targets_b = step->b->targets;
	uint64_t *worth = step->worth;

	for (uint32_t i = 0; i < step->a->targets; i++) {
		const uint64_t *mean = step->mean_a + (size_t)i * limbs;
		const uint64_t *row = beside_nodes(step, &step->a->target[i], room, limbs);

		for (uint32_t k = 0; k < targets_b; k++, worth += limbs)
			target_worth(step, &step->b->target[k], row, mean, worth, limbs);
	}
}

/* ---- one reel: the sums ---- */

static void step_alone(const struct step *step, bool side_a, uint64_t *before)
{
	const struct pair_level *level = side_a ? step->a : step->b;
	const uint64_t *mean = side_a ? step->mean_a : step->mean_b;

	for (uint32_t e = 0; e < level->edges; e++) {
		const struct pair_edge *edge = &level->edge[e];

		add_product(before + (size_t)edge->node * step->limbs,
			mean + (size_t)edge->target * step->limbs, alone(step, side_a, edge),
			step->limbs);
	}
}

/* An edge of b in the form of the innermost loop. */
struct place {
	uint32_t node, target, set;
};

/* Every edge of a with every edge of b. If both sides are alike, only from the diagonal on. */
static inline __attribute__((always_inline)) void step_edges(
	const struct step *step, const struct place *place, uint32_t limbs)
{
	size_t row_sets = (size_t)step->space->b.rows * step->b->sets;
	size_t targets_b = step->b->targets, nodes_b = step->b->nodes;
	uint32_t edges_b = step->b->edges;

	for (uint32_t e = 0; e < step->a->edges; e++) {
		const struct pair_edge *edge = &step->a->edge[e];
		const uint64_t *joint =
			step->joint + ((size_t)edge->row * step->a->sets + edge->set) * row_sets;
		const uint64_t *worth = step->worth + edge->target * targets_b * limbs;
		uint64_t *both = step->before->both + edge->node * nodes_b * limbs;
		uint32_t k = step->space->alike ? step->b->first_edge[edge->node] : 0;

		for (; k < edges_b; k++)
			add_product(both + (size_t)place[k].node * limbs,
				worth + (size_t)place[k].target * limbs, joint[place[k].set],
				limbs);
	}
}

/* A function each, so that the inner loops have the registers to themselves. */
static __attribute__((noinline)) void worths_of_2(const struct step *step, uint64_t *row)
{
	target_worths(step, row, 2);
}

static __attribute__((noinline)) void worths_of_3(const struct step *step, uint64_t *row)
{
	target_worths(step, row, 3);
}

static __attribute__((noinline)) void edges_of_2(const struct step *step, const struct place *place)
{
	step_edges(step, place, 2);
}

static __attribute__((noinline)) void edges_of_3(const struct step *step, const struct place *place)
{
	step_edges(step, place, 3);
}

static void step_places(const struct step *step, const struct place *place, uint64_t *row)
{
	switch (step->limbs) {
	case 2:
		worths_of_2(step, row);
		edges_of_2(step, place);
		break;
	case 3:
		worths_of_3(step, row);
		edges_of_3(step, place);
		break;
	default:
		target_worths(step, row, step->limbs);
		step_edges(step, place, step->limbs);
		break;
	}
}

static void step_both(struct step *step)
{
	struct place *place = pair_take(step->b->edges * sizeof(*place));
	size_t number = step->limbs * sizeof(uint64_t);
	size_t row_bytes = nodes_of(step->space, &step->space->b, step->after->reel) * number;
	size_t worth_bytes = (size_t)step->a->targets * step->b->targets * number;
	uint64_t *row = pair_take(row_bytes);

	step->worth = pair_take(worth_bytes);
	weigh(step);
	for (uint32_t k = 0; k < step->b->edges; k++) {
		const struct pair_edge *edge = &step->b->edge[k];

		place[k] = (struct place){ edge->node, edge->target,
			edge->row * step->b->sets + edge->set };
	}
	step_places(step, place, row);
	pair_give(place, step->b->edges * sizeof(*place));
	pair_give(row, row_bytes);
	pair_give(step->worth, worth_bytes);
	pair_give(step->joint, joint_bytes(step));
}

void pair_step(const struct pair_space *space, const struct pair_reel *reel,
	const struct pair_vector *after, struct pair_vector *before)
{
	struct step step = { .space = space,
		.reel = reel,
		.after = after,
		.before = before,
		.a = &space->a.plan->level[before->reel],
		.b = &space->b.plan->level[before->reel],
		.limbs = space->limbs };
	size_t number = space->limbs * sizeof(uint64_t);

	assert(after->reel == before->reel + 1 && reel->total >> 60 == 0);
	step.mean_a = pair_take(step.a->targets * number);
	step.mean_b = pair_take(step.b->targets * number);
	target_means(&step, step.a, after->a, step.mean_a);
	target_means(&step, step.b, after->b, step.mean_b);
	step_alone(&step, true, before->a);
	step_alone(&step, false, before->b);
	if (!space->means_only)
		step_both(&step);
	add_product(before->mass, after->mass, reel->total, space->limbs);
	pair_give(step.mean_a, step.a->targets * number);
	pair_give(step.mean_b, step.b->targets * number);
}

/* If both sides are alike, a step computes only from the diagonal on. */
void pair_finish(const struct pair_space *space, struct pair_vector *vector)
{
	size_t nodes = nodes_of(space, &space->a, vector->reel), limbs = space->limbs;

	if (!space->alike || space->means_only)
		return;
	for (size_t i = 1; i < nodes; i++)
		for (size_t k = 0; k < i; k++)
			memcpy(vector->both + (i * nodes + k) * limbs,
				vector->both + (k * nodes + i) * limbs,
				limbs * sizeof(*vector->both));
}

/* ---- the result ---- */

/* The nodes that a line is the sum of. */
struct root {
	uint32_t count;
	uint32_t node[GAME_SYMBOLS_MAX + 1];
};

static struct root root_of(const struct pair_side *side, uint32_t line)
{
	const struct pair_level *level = &side->plan->level[0];
	uint32_t node = side->lines->root[line];
	struct root root = { .count = 0 };

	if (node == 0)
		return root;
	root.node[root.count++] = node;
	for (uint32_t i = level->first_part[node]; i < level->first_part[node + 1]; i++)
		root.node[root.count++] = level->part[i];
	return root;
}

static int64_t root_gain(const struct pair_side *side, uint32_t line)
{
	uint32_t gain = side->lines->root_gain[line];

	return (int64_t)((uint64_t)(gain & ~MACHINE_JACKPOT) * side->unit +
			 (gain & MACHINE_JACKPOT ? side->jackpot : 0));
}

/* The value of a line of one side alone, before the first reel. */
static void root_mean(const struct pair_space *space, const struct pair_vector *first,
	const struct pair_side *side, const uint64_t *mean, uint32_t line, uint64_t *sum)
{
	struct root root = root_of(side, line);

	for (uint32_t i = 0; i < root.count; i++)
		add_limbs(sum, mean + (size_t)root.node[i] * space->limbs, space->limbs);
	add_signed(sum, first->mass, root_gain(side, line), space->limbs);
}

/* A line of each side. */
static void root_both(const struct pair_space *space, const struct pair_vector *first, uint32_t i,
	uint32_t k, uint64_t *sum)
{
	const struct pair_side *a = &space->a, *b = &space->b;
	struct root root_a = root_of(a, i), root_b = root_of(b, k);
	size_t nodes_b = nodes_of(space, b, 0);
	int64_t gain_a = root_gain(a, i), gain_b = root_gain(b, k);

	if (gain_a != 0) {
		uint64_t later[PAIR_LIMBS_MAX] = { 0 };

		root_mean(space, first, b, first->b, k, later);
		add_signed(sum, later, gain_a, space->limbs);
	}
	for (uint32_t x = 0; x < root_a.count; x++) {
		add_signed(sum, first->a + (size_t)root_a.node[x] * space->limbs, gain_b,
			space->limbs);
		for (uint32_t y = 0; y < root_b.count; y++)
			add_limbs(sum,
				first->both +
					(root_a.node[x] * nodes_b + root_b.node[y]) * space->limbs,
				space->limbs);
	}
}

void pair_result(
	const struct pair_space *space, const struct pair_vector *first, struct pair_sums *sums_r)
{
	const struct pair_side *a = &space->a, *b = &space->b;

	memset(sums_r, 0, sizeof(*sums_r));
	for (uint32_t k = 0; k < b->line_count; k++)
		root_mean(space, first, b, first->b, k, sums_r->b);
	for (uint32_t i = 0; i < a->line_count; i++)
		root_mean(space, first, a, first->a, i, sums_r->a);
	for (uint32_t i = 0; i < a->line_count && !space->means_only; i++)
		for (uint32_t k = 0; k < b->line_count; k++)
			root_both(space, first, i, k, sums_r->both);
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

void pair_sum(struct pair_space *space, const struct pair_reel *reels, mpz_t sum_r)
{
	struct pair_vector after, before;
	struct pair_sums sums;

	space->limbs = pair_limbs_for(pair_bits(space, reels));
	pair_vector_end(space, &after);
	for (uint32_t r = space->reels; r-- > 0;) {
		pair_vector_init(space, r, &before);
		pair_step(space, &reels[r], &after, &before);
		pair_finish(space, &before);
		pair_vector_free(space, &after);
		after = before;
	}
	pair_result(space, &after, &sums);
	pair_limbs_get(sums.both, space->limbs, sum_r);
	pair_vector_free(space, &after);
}
