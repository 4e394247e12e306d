#include "libcommon/game/exact/window_zero.h"

#include "libcommon/game/exact/window_waits.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MASS_LIMBS 7

struct mass {
	mp_limb_t limb[MASS_LIMBS];
};

struct state {
	uint32_t covered, own, group; /* sets of the level's waits; groups added up */
	struct mass mass;
};

/* Open addressing; room is a power of two, of which half is used at most. */
struct states {
	uint32_t count, room;
	mp_size_t limbs; /* of a mass, that any of them needs */
	struct state *state;
	uint32_t *bucket; /* place + 1 */
};

/* ---- tables ---- */

static void states_open(struct states *states, uint32_t room, mp_size_t limbs)
{
	*states = (struct states){ .room = room, .limbs = limbs };
	states->state = waits_take(room / 2 * sizeof(*states->state));
	states->bucket = waits_take(room * sizeof(*states->bucket));
	memset(states->bucket, 0, room * sizeof(*states->bucket));
}

static void states_close(struct states *states)
{
	waits_give(states->state, states->room / 2 * sizeof(*states->state));
	waits_give(states->bucket, states->room * sizeof(*states->bucket));
}

static uint32_t bucket_of(
	const struct states *states, uint32_t own, uint32_t covered, uint32_t group)
{
	uint64_t hash = ((uint64_t)own << 32 | covered) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at;

	hash = (hash ^ hash >> 31 ^ group) * UINT64_C(0xbf58476d1ce4e5b9);
	at = (uint32_t)(hash >> 32) & (states->room - 1);
	for (; states->bucket[at] != 0; at = (at + 1) & (states->room - 1)) {
		const struct state *state = &states->state[states->bucket[at] - 1];

		if (state->own == own && state->covered == covered && state->group == group)
			break;
	}
	return at;
}

static void states_grow(struct states *states)
{
	struct states larger;

	states_open(&larger, states->room * 2, states->limbs);
	memcpy(larger.state, states->state, states->count * sizeof(*states->state));
	larger.count = states->count;
	for (uint32_t i = 0; i < larger.count; i++) {
		const struct state *state = &larger.state[i];

		larger.bucket[bucket_of(&larger, state->own, state->covered, state->group)] = i + 1;
	}
	states_close(states);
	*states = larger;
}

static void states_add(struct states *states, uint32_t own, uint32_t covered, uint32_t group,
	const struct mass *mass, uint64_t weight)
{
	uint32_t at = bucket_of(states, own, covered, group);
	mp_limb_t carry;

	if (states->bucket[at] == 0) {
		if (states->count == states->room / 2) {
			states_grow(states);
			at = bucket_of(states, own, covered, group);
		}
		states->state[states->count] =
			(struct state){ .own = own, .covered = covered, .group = group };
		states->bucket[at] = ++states->count;
	}
	carry = mpn_addmul_1(
		states->state[states->bucket[at] - 1].mass.limb, mass->limb, states->limbs, weight);
	assert(carry == 0);
}

/* ---- one reel ---- */

/* The set that a stop turns one covered set into. */
struct outcome {
	uint32_t set;
	uint64_t weight;
};

struct outcomes {
	uint32_t count;
	struct outcome of[ZERO_SUBSETS];
};

/* A stop with the sets of covered rows that give the same column. */
struct covering {
	uint32_t column;
	uint64_t weight; /* of the sets */
};

/* What the stops of a reel show with all sets of covered rows: equal columns once. */
struct coverings {
	uint32_t columns, count, room; /* room for both */
	uint64_t *column;	       /* a byte a row */
	struct covering *of;	       /* stop by stop */
	uint32_t *end;		       /* [stop]: behind its last */
};

struct reel_work {
	const struct zero_input *input;
	const struct zero_reel *reel;
	struct coverings coverings;
	uint32_t *
		next; /* [column of the coverings]: the set it turns the present covered set into */
	struct waits *waits;
	uint32_t level;
	bool last;		  /* there are no waits after this reel */
	uint32_t *own;		  /* [set of this level][stop]: the set it leads to, or WAITS_WIN */
	bool *own_known;	  /* [set] */
	struct outcomes *covered; /* [stop], of the present covered set */
};

static uint64_t cover(const struct zero_input *input, const struct zero_reel *reel,
	const struct zero_stop *stop, uint32_t rows)
{
	uint64_t column = 0;

	for (uint32_t row = 0; row < input->game->rows; row++) {
		uint8_t symbol = stop->symbol[row];

		if ((rows >> row & 1) && symbol != reel->kept)
			symbol = reel->symbol;
		column |= (uint64_t)symbol << (8 * row);
	}
	return column;
}

/* The number of a column, a new one if need be. `slot`: hash -> number + 1, `slots` of them. */
static uint32_t column_number(
	struct coverings *coverings, uint32_t *slot, uint32_t slots, uint64_t column)
{
	uint32_t at = (uint32_t)(column * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (slots - 1);

	for (; slot[at] != 0; at = (at + 1) & (slots - 1))
		if (coverings->column[slot[at] - 1] == column)
			return slot[at] - 1;
	coverings->column[coverings->columns++] = column;
	slot[at] = coverings->columns;
	return slot[at] - 1;
}

static void add_covering(
	struct coverings *coverings, uint32_t from, uint32_t column, uint64_t weight)
{
	uint32_t i = from;

	while (i < coverings->count && coverings->of[i].column != column)
		i++;
	if (i == coverings->count)
		coverings->of[coverings->count++] = (struct covering){ .column = column };
	coverings->of[i].weight += weight;
}

static void coverings_open(
	struct coverings *coverings, const struct zero_input *input, const struct zero_reel *reel)
{
	uint32_t sets = 0, slots = 64, *slot;

	for (uint32_t rows = 0; rows < ZERO_SUBSETS; rows++)
		sets += reel->subset[rows] != 0;
	*coverings = (struct coverings){ .room = sets * reel->count };
	coverings->column = waits_take(coverings->room * sizeof(*coverings->column));
	coverings->of = waits_take(coverings->room * sizeof(*coverings->of));
	coverings->end = waits_take(reel->count * sizeof(*coverings->end));
	while (slots < 2 * coverings->room)
		slots *= 2;
	slot = waits_take(slots * sizeof(*slot));
	memset(slot, 0, slots * sizeof(*slot));
	for (uint32_t i = 0; i < reel->count; i++) {
		uint32_t from = coverings->count;

		for (uint32_t rows = 0; rows < ZERO_SUBSETS; rows++)
			if (reel->subset[rows] != 0)
				add_covering(coverings, from,
					column_number(coverings, slot, slots,
						cover(input, reel, &reel->stop[i], rows)),
					reel->subset[rows]);
		coverings->end[i] = coverings->count;
	}
	waits_give(slot, slots * sizeof(*slot));
}

static void coverings_close(struct coverings *coverings, uint32_t stops)
{
	waits_give(coverings->column, coverings->room * sizeof(*coverings->column));
	waits_give(coverings->of, coverings->room * sizeof(*coverings->of));
	waits_give(coverings->end, stops * sizeof(*coverings->end));
}

static void add_outcome(struct outcomes *outcomes, uint32_t set, uint64_t weight)
{
	uint32_t i = 0;

	while (i < outcomes->count && outcomes->of[i].set != set)
		i++;
	if (i == outcomes->count)
		outcomes->of[outcomes->count++] = (struct outcome){ .set = set };
	outcomes->of[i].weight += weight;
}

static void open_covered(struct reel_work *work, uint32_t set)
{
	const struct coverings *coverings = &work->coverings;
	uint32_t at = 0;

	waits_ready(work->waits, work->level, set);
	for (uint32_t c = 0; c < coverings->columns; c++) {
		uint8_t column[GAME_ROWS_MAX];

		for (uint32_t row = 0; row < GAME_ROWS_MAX; row++)
			column[row] = (uint8_t)(coverings->column[c] >> (8 * row));
		work->next[c] = waits_next(work->waits, work->level, column);
	}
	for (uint32_t i = 0; i < work->reel->count; i++) {
		struct outcomes *outcomes = &work->covered[i];

		for (outcomes->count = 0; at < coverings->end[i]; at++) {
			uint32_t next = work->next[coverings->of[at].column];

			if (next != WAITS_WIN)
				add_outcome(outcomes, next, coverings->of[at].weight);
		}
	}
}

static const uint32_t *open_own(struct reel_work *work, uint32_t set)
{
	uint32_t *next = work->own + (size_t)set * work->reel->count;

	if (work->own_known[set])
		return next;
	waits_ready(work->waits, work->level, set);
	for (uint32_t i = 0; i < work->reel->count; i++)
		next[i] = waits_next(work->waits, work->level, work->reel->stop[i].symbol);
	work->own_known[set] = true;
	return next;
}

/* After the last reel that matters, states differ only in their group, so the stops of a group are
 * summed first. */
static void step_last(const struct reel_work *work, const struct state *state, const uint32_t *own,
	struct states *next)
{
	const struct zero_reel *reel = work->reel;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < reel->count; i++) {
		if (own[i] != WAITS_WIN && work->covered[i].count > 0)
			sum += work->covered[i].of[0].weight * reel->stop[i].weight;
		if (sum > 0 &&
			(i + 1 == reel->count || reel->stop[i + 1].group != reel->stop[i].group)) {
			states_add(
				next, 0, 0, state->group + reel->stop[i].group, &state->mass, sum);
			sum = 0;
		}
	}
}

static void step(const struct reel_work *work, const struct state *state, const uint32_t *own,
	struct states *next)
{
	for (uint32_t i = 0; i < work->reel->count; i++) {
		const struct zero_stop *stop = &work->reel->stop[i];
		const struct outcomes *outcomes = &work->covered[i];

		for (uint32_t k = 0; own[i] != WAITS_WIN && k < outcomes->count; k++)
			states_add(next, own[i], outcomes->of[k].set, state->group + stop->group,
				&state->mass, outcomes->of[k].weight * stop->weight);
	}
}

/* The places of the states in order of their covered sets, of which there are `sets`. */
static uint32_t *by_covered(const struct states *states, uint32_t sets)
{
	uint32_t *order = waits_take(states->count * sizeof(*order));
	uint32_t *place = waits_take((sets + 1) * sizeof(*place));

	memset(place, 0, (sets + 1) * sizeof(*place));
	for (uint32_t i = 0; i < states->count; i++)
		place[states->state[i].covered + 1]++;
	for (uint32_t i = 0; i < sets; i++)
		place[i + 1] += place[i];
	for (uint32_t i = 0; i < states->count; i++)
		order[place[states->state[i].covered]++] = i;
	waits_give(place, (sets + 1) * sizeof(*place));
	return order;
}

static int by_group(const void *a, const void *b)
{
	const struct zero_stop *x = a, *y = b;

	return x->group < y->group ? -1 : x->group > y->group;
}

static void play_reel(
	const struct zero_input *input, struct waits *waits, uint32_t level, struct states *states)
{
	const struct zero_reel *reel = &input->reel[level];
	uint32_t sets = waits_sets(waits, level);
	struct reel_work work = { .input = input,
		.reel = reel,
		.waits = waits,
		.level = level,
		.last = waits_end(waits, level + 1) };
	uint32_t *order = by_covered(states, sets);
	struct states next;

	qsort(reel->stop, reel->count, sizeof(*reel->stop), by_group);
	work.own = waits_take((size_t)sets * reel->count * sizeof(*work.own));
	work.own_known = waits_take(sets * sizeof(*work.own_known));
	memset(work.own_known, 0, sets * sizeof(*work.own_known));
	work.covered = waits_take(reel->count * sizeof(*work.covered));
	coverings_open(&work.coverings, input, reel);
	work.next = waits_take(work.coverings.columns * sizeof(*work.next));
	states_open(&next, 1024, states->limbs);
	for (uint32_t i = 0; i < states->count; i++) {
		const struct state *state = &states->state[order[i]];

		if (i == 0 || state->covered != states->state[order[i - 1]].covered)
			open_covered(&work, state->covered);
		(work.last ? step_last : step)(&work, state, open_own(&work, state->own), &next);
	}
	waits_give(order, states->count * sizeof(*order));
	waits_give(work.own, (size_t)sets * reel->count * sizeof(*work.own));
	waits_give(work.own_known, sets * sizeof(*work.own_known));
	waits_give(work.covered, reel->count * sizeof(*work.covered));
	waits_give(work.next, work.coverings.columns * sizeof(*work.next));
	coverings_close(&work.coverings, reel->count);
	states_close(states);
	*states = next;
}

/* ---- the whole window ---- */

void zero_groups_free(struct zero_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		mpz_clear(groups->of[i].ways);
	waits_give(groups->of, groups->room * sizeof(*groups->of));
	*groups = (struct zero_groups){ 0 };
}

/* No mass exceeds the weight of all windows. */
static mp_size_t limbs_for(const struct zero_input *input)
{
	size_t bits = 1;

	for (uint32_t r = 0; r < input->game->reels; r++) {
		const struct zero_reel *reel = &input->reel[r];
		uint64_t stops = 1, sets = 1;

		for (uint32_t i = 0; i < reel->count; i++)
			stops += reel->stop[i].weight;
		for (uint32_t rows = 0; rows < ZERO_SUBSETS; rows++)
			sets += reel->subset[rows];
		bits += 128 - (size_t)__builtin_clzll(stops) - (size_t)__builtin_clzll(sets);
	}
	return bits / 64 + 1 < MASS_LIMBS ? (mp_size_t)(bits / 64 + 1) : MASS_LIMBS;
}

void window_zero(const struct zero_input *input, struct zero_groups *groups_r)
{
	struct mass one = { { 1 } };
	struct waits *waits = waits_new(input);
	struct states states;

	states_open(&states, 64, limbs_for(input));
	if (!waits_sure_win(waits))
		states_add(&states, input->own ? waits_first(waits) : WAITS_NONE,
			input->covered ? waits_first(waits) : WAITS_NONE, 0, &one, 1);
	for (uint32_t r = 0; r < input->game->reels; r++)
		play_reel(input, waits, r, &states);
	*groups_r = (struct zero_groups){ .count = states.count, .room = states.count + 1 };
	groups_r->of = waits_take(groups_r->room * sizeof(*groups_r->of));
	for (uint32_t i = 0; i < states.count; i++) {
		groups_r->of[i].group = states.state[i].group;
		mpz_init(groups_r->of[i].ways);
		mpz_import(groups_r->of[i].ways, MASS_LIMBS, -1, sizeof(mp_limb_t), 0, 0,
			states.state[i].mass.limb);
	}
	states_close(&states);
	waits_free(&waits);
}
