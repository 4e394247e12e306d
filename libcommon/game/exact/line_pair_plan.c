#include "libcommon/game/exact/line_pair_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* Far below the limit of int64_t, even for the sum of the gains of all symbols. */
#define GAIN_MAX (INT64_C(1) << 56)

void *pair_take(size_t bytes)
{
	void *(*allocate)(size_t);
	void *block;

	mp_get_memory_functions(&allocate, NULL, NULL);
	block = allocate(bytes ? bytes : 1);
	memset(block, 0, bytes);
	return block;
}

void pair_give(void *block, size_t bytes)
{
	void (*release)(void *, size_t);

	mp_get_memory_functions(NULL, NULL, &release);
	if (block)
		release(block, bytes ? bytes : 1);
}

/* Makes room in a list for one more. */
static void *roomy(void *list, uint32_t count, uint32_t *room, size_t size)
{
	uint32_t larger = *room == 0 ? 64 : *room * 2;
	void *moved;

	if (count < *room)
		return list;
	moved = pair_take(larger * size);
	if (count > 0)
		memcpy(moved, list, count * size);
	pair_give(list, *room * size);
	*room = larger;
	return moved;
}

/* ---- what symbols lead to ---- */

/* Where a symbol leads: a sum of nodes in rising order, each once and with a factor other than
 * 0. */
#define FORM_TERMS (4 * GAME_SYMBOLS_MAX)

struct form {
	int64_t gain;
	uint32_t count;
	struct pair_term term[FORM_TERMS];
};

static bool form_is_zero(const struct form *form)
{
	return form->gain == 0 && form->count == 0;
}

static bool form_equal(const struct form *x, const struct form *y)
{
	return x->gain == y->gain && x->count == y->count &&
	       memcmp(x->term, y->term, x->count * sizeof(*x->term)) == 0;
}

static void add_term(struct form *form, uint32_t node, int32_t times)
{
	uint32_t at = 0;

	while (at < form->count && form->term[at].node < node)
		at++;
	if (at < form->count && form->term[at].node == node) {
		form->term[at].times += times;
		if (form->term[at].times != 0)
			return;
		form->count--;
		memmove(form->term + at, form->term + at + 1,
			(form->count - at) * sizeof(*form->term));
		return;
	}
	assert(form->count < FORM_TERMS);
	memmove(form->term + at + 1, form->term + at, (form->count - at) * sizeof(*form->term));
	form->term[at] = (struct pair_term){ .node = node, .times = times };
	form->count++;
}

/* + times a node of the next level, whose parts are known; NULL: there is no next level. */
static void form_add(struct form *form, int64_t gain, const struct pair_level *next, uint32_t node,
	int32_t times)
{
	form->gain += gain * times;
	if (node == 0)
		return;
	assert(next != NULL);
	add_term(form, node, times);
	for (uint32_t i = next->first_part[node]; i < next->first_part[node + 1]; i++)
		add_term(form, next->part[i], times);
}

/* A node with one edge for all symbols that keep it alive. */
struct simple {
	uint32_t node, row, symbols;
	int64_t gain;
	uint32_t next;
};

struct level_work {
	const struct pair_side *side;
	const struct line_level *from;
	struct pair_level *level;
	const struct pair_level *next; /* NULL: this is the last */
	struct simple *simple;
	uint32_t simples;
	struct form form[GAME_SYMBOLS_MAX]; /* of the present node, by symbol */
};

static int64_t gain_of(const struct pair_side *side, uint32_t gain)
{
	wide value = (wide)(gain & ~MACHINE_JACKPOT) * side->unit +
		     (gain & MACHINE_JACKPOT ? side->jackpot : 0);

	assert(value < (uint64_t)GAIN_MAX);
	return (int64_t)value;
}

static const struct line_edge *edges_of(const struct level_work *work, uint32_t node)
{
	return &work->from->edge[(size_t)node * work->from->symbols];
}

static bool edge_is_dead(const struct line_edge *edge)
{
	return edge->gain == 0 && edge->node == 0;
}

static void find_simple(struct level_work *work, uint32_t node)
{
	const struct line_edge *edge = edges_of(work, node), *first = NULL;
	uint32_t symbols = 0;

	for (uint32_t s = 0; s < work->from->symbols; s++) {
		if (edge_is_dead(&edge[s]))
			continue;
		if (first && (first->gain != edge[s].gain || first->node != edge[s].node))
			return;
		first = &edge[s];
		symbols |= UINT32_C(1) << work->from->symbol[s];
	}
	if (first)
		work->simple[work->simples++] = (struct simple){ .node = node,
			.row = work->from->row[node],
			.symbols = symbols,
			.gain = gain_of(work->side, first->gain),
			.next = first->node };
}

static void own_forms(struct level_work *work, uint32_t node)
{
	const struct line_edge *edge = edges_of(work, node);

	for (uint32_t s = 0; s < GAME_SYMBOLS_MAX; s++)
		work->form[s].gain = work->form[s].count = 0;
	for (uint32_t s = 0; s < work->from->symbols; s++)
		form_add(&work->form[work->from->symbol[s]], gain_of(work->side, edge[s].gain),
			work->next, edge[s].node, 1);
}

/* The number of different targets of a node's symbols. */
static uint32_t forms_count(const struct level_work *work)
{
	uint32_t count = 0;

	for (uint32_t s = 0; s < GAME_SYMBOLS_MAX; s++) {
		uint32_t first = 0;

		while (first < s && !form_equal(&work->form[first], &work->form[s]))
			first++;
		count += first == s && !form_is_zero(&work->form[s]);
	}
	return count;
}

/* ---- the flat lists ---- */

static uint32_t set_number(struct pair_level *level, uint32_t symbols)
{
	for (uint32_t i = 0; i < level->sets; i++)
		if (level->set[i] == symbols)
			return i;
	level->set = roomy(level->set, level->sets, &level->set_room, sizeof(*level->set));
	level->set[level->sets] = symbols;
	return level->sets++;
}

static uint32_t target_number(struct level_work *work, const struct form *form)
{
	struct pair_level *level = work->level;
	struct pair_target *target;

	for (uint32_t i = 0; i < level->targets; i++) {
		target = &level->target[i];
		if (target->gain == form->gain && target->count == form->count &&
			(form->count == 0 || memcmp(&level->term[target->from], form->term,
						     form->count * sizeof(*form->term)) == 0))
			return i;
	}
	level->target =
		roomy(level->target, level->targets, &level->target_room, sizeof(*level->target));
	target = &level->target[level->targets];
	*target = (struct pair_target){
		.gain = form->gain, .from = level->terms, .count = form->count
	};
	for (uint32_t i = 0; i < form->count; i++) {
		level->term =
			roomy(level->term, level->terms, &level->term_room, sizeof(*level->term));
		level->term[level->terms++] = form->term[i];
	}
	return level->targets++;
}

static void add_edges(struct level_work *work, uint32_t node)
{
	struct pair_level *level = work->level;

	for (uint32_t s = 0; s < GAME_SYMBOLS_MAX; s++) {
		uint32_t symbols = UINT32_C(1) << s, first = 0;

		while (first < s && !form_equal(&work->form[first], &work->form[s]))
			first++;
		if (first < s || form_is_zero(&work->form[s]))
			continue;
		for (uint32_t i = s + 1; i < GAME_SYMBOLS_MAX; i++)
			if (form_equal(&work->form[i], &work->form[s]))
				symbols |= UINT32_C(1) << i;
		level->edge =
			roomy(level->edge, level->edges, &level->edge_room, sizeof(*level->edge));
		level->edge[level->edges++] = (struct pair_edge){ .node = node,
			.row = work->from->row[node],
			.set = set_number(level, symbols),
			.target = target_number(work, &work->form[s]) };
	}
}

/* Subtracts a simple node from the present node. */
static void take_part(struct level_work *work, const struct simple *simple)
{
	struct pair_level *level = work->level;

	for (uint32_t s = 0; s < GAME_SYMBOLS_MAX; s++)
		if (simple->symbols >> s & 1)
			form_add(&work->form[s], simple->gain, work->next, simple->next, -1);
	level->part = roomy(level->part, level->parts, &level->part_room, sizeof(*level->part));
	level->part[level->parts++] = simple->node;
}

/* Does the symbol lead where the simple node does, and is that at most one node? Gains may differ:
 * if all symbols gain a little less than their own nodes, because that part was added earlier, one
 * edge for all symbols remains. */
static bool same_target(
	const struct level_work *work, const struct form *form, const struct simple *simple)
{
	const struct pair_level *next = work->next;

	if (form->count != (simple->next != 0))
		return false;
	return (simple->next == 0 && form->gain == simple->gain) ||
	       (form->term[0].node == simple->next && form->term[0].times == 1 &&
		       next->first_part[simple->next] == next->first_part[simple->next + 1]);
}

/* Subtracts simple nodes that lead where a symbol of this node leads. Restores the node if that
 * does not reduce its edges. */
static void add_node(struct level_work *work, uint32_t node)
{
	struct pair_level *level = work->level;
	uint32_t plain, parts = level->parts;

	own_forms(work, node);
	plain = forms_count(work);
	for (uint32_t s = 0; plain > 2 && s < GAME_SYMBOLS_MAX; s++) {
		if (form_is_zero(&work->form[s]))
			continue;
		for (uint32_t i = 0; i < work->simples; i++) {
			const struct simple *simple = &work->simple[i];

			if (simple->row == work->from->row[node] && (simple->symbols >> s & 1) &&
				same_target(work, &work->form[s], simple)) {
				take_part(work, simple);
				break;
			}
		}
	}
	if (level->parts > parts && forms_count(work) >= plain) {
		level->parts = parts;
		own_forms(work, node);
	}
	add_edges(work, node);
}

static void open_level(const struct pair_side *side, uint32_t reel, const struct pair_level *next,
	struct pair_level *level)
{
	const struct line_level *from = &side->lines->level[reel];
	struct level_work *work = pair_take(sizeof(*work));

	*level = (struct pair_level){ .nodes = from->nodes };
	work->side = side;
	work->from = from;
	work->level = level;
	work->next = next;
	work->simple = pair_take(from->nodes * sizeof(*work->simple));
	for (uint32_t node = 1; node < from->nodes; node++)
		find_simple(work, node);
	level->first_edge = pair_take((from->nodes + 1) * sizeof(*level->first_edge));
	level->first_part = pair_take((from->nodes + 1) * sizeof(*level->first_part));
	for (uint32_t node = 1; node < from->nodes; node++) {
		level->first_edge[node] = level->edges;
		level->first_part[node] = level->parts;
		add_node(work, node);
	}
	level->first_edge[from->nodes] = level->edges;
	level->first_part[from->nodes] = level->parts;
	pair_give(work->simple, from->nodes * sizeof(*work->simple));
	pair_give(work, sizeof(*work));
}

static void close_level(struct pair_level *level)
{
	pair_give(level->edge, level->edge_room * sizeof(*level->edge));
	pair_give(level->first_edge, (level->nodes + 1) * sizeof(*level->first_edge));
	pair_give(level->first_part, (level->nodes + 1) * sizeof(*level->first_part));
	pair_give(level->target, level->target_room * sizeof(*level->target));
	pair_give(level->term, level->term_room * sizeof(*level->term));
	pair_give(level->part, level->part_room * sizeof(*level->part));
	pair_give(level->set, level->set_room * sizeof(*level->set));
}

void pair_side_open(struct pair_side *side)
{
	side->plan = pair_take(sizeof(*side->plan));
	side->plan->reels = side->lines->reels;
	for (uint32_t r = side->plan->reels; r-- > 0;)
		open_level(side, r, r + 1 < side->plan->reels ? &side->plan->level[r + 1] : NULL,
			&side->plan->level[r]);
}

void pair_side_close(struct pair_side *side)
{
	for (uint32_t r = 0; r < side->plan->reels; r++)
		close_level(&side->plan->level[r]);
	pair_give(side->plan, sizeof(*side->plan));
	side->plan = NULL;
}
