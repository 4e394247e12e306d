#include "libcommon/game/reel_machine.h"

#include "libcommon/game/exact/machine_lines.h"

#include <stdlib.h>
#include <string.h>

#define STATES_MAX (UINT32_C(1) << 20)
#define WIN_MAX (UINT64_C(1) << 30)

/* States after one reel: sorted lists of open nodes, each with its number of lines. A list's words
 * are node x 64 + (lines - 1); the empty list is state 0. */
struct state_set {
	uint32_t count, room;
	uint32_t *start; /* [state]; start[state + 1] is its end */
	uint32_t *word;
	size_t words, word_room;
	uint32_t *bucket;
	uint32_t buckets;
};

/* A column from the lines' view. */
struct column_view {
	uint8_t index[GAME_ROWS_MAX]; /* of the symbol in each row, in line_level.symbol */
};

static uint32_t hash_words(const uint32_t *word, uint32_t count)
{
	uint64_t hash = count;

	for (uint32_t i = 0; i < count; i++) {
		hash = (hash ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return (uint32_t)hash;
}

static void state_bucket(struct state_set *set, uint32_t state)
{
	uint32_t from = set->start[state], count = set->start[state + 1] - from;
	uint32_t at = hash_words(&set->word[from], count) & (set->buckets - 1);

	while (set->bucket[at] != 0)
		at = (at + 1) & (set->buckets - 1);
	set->bucket[at] = state + 1;
}

static bool states_grow(struct state_set *set)
{
	uint32_t room = set->room == 0 ? 1024 : set->room * 2;
	uint32_t *start = realloc(set->start, (room + 1) * sizeof(*start));
	uint32_t *bucket;

	if (start == NULL)
		return false;
	set->start = start;
	bucket = calloc((size_t)room * 2, sizeof(*bucket));
	if (bucket == NULL)
		return false;
	free(set->bucket);
	set->bucket = bucket;
	set->buckets = room * 2;
	set->room = room;
	for (uint32_t state = 0; state < set->count; state++)
		state_bucket(set, state);
	return true;
}

static bool words_grow(struct state_set *set)
{
	size_t room = set->word_room == 0 ? 16384 : set->word_room * 2;
	uint32_t *word = realloc(set->word, room * sizeof(*word));

	if (word == NULL)
		return false;
	set->word = word;
	set->word_room = room;
	return true;
}

/* The state of this list, which may exist already. UINT32_MAX: no memory, or too many states. */
static uint32_t state_of(struct state_set *set, const uint32_t *word, uint32_t count)
{
	uint32_t at = hash_words(word, count) & (set->buckets - 1);

	for (; set->bucket[at] != 0; at = (at + 1) & (set->buckets - 1)) {
		uint32_t state = set->bucket[at] - 1, from = set->start[state];

		if (set->start[state + 1] - from == count &&
			memcmp(&set->word[from], word, count * sizeof(*word)) == 0)
			return state;
	}
	if ((set->count == set->room && !states_grow(set)) ||
		(set->words + count > set->word_room && !words_grow(set)) ||
		set->count == STATES_MAX)
		return UINT32_MAX;
	memcpy(&set->word[set->words], word, count * sizeof(*word));
	set->words += count;
	set->start[set->count + 1] = (uint32_t)set->words;
	state_bucket(set, set->count);
	return set->count++;
}

static bool states_open(struct state_set *set)
{
	uint32_t none = 0;

	if (!states_grow(set) || !words_grow(set))
		return false;
	set->start[0] = 0;
	return state_of(set, &none, 0) == 0;
}

static void states_free(struct state_set *set)
{
	free(set->start);
	free(set->word);
	free(set->bucket);
	*set = (struct state_set){ 0 };
}

/* Sorts a short list of nodes (one word each, count 1) and merges equal ones. */
static uint32_t list_canonical(uint32_t *word, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 1; i < count; i++) {
		uint32_t value = word[i], at = i;

		for (; at > 0 && word[at - 1] > value; at--)
			word[at] = word[at - 1];
		word[at] = value;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (kept > 0 && word[kept - 1] / 64 == word[i] / 64)
			word[kept - 1] += word[i] % 64 + 1;
		else
			word[kept++] = word[i];
	}
	return kept;
}

/* ---- columns ---- */

/* Do symbols a and b (places in level->symbol) have the same effect on every line in this row? */
static bool alike(const struct line_level *level, uint32_t row, uint32_t a, uint32_t b)
{
	for (uint32_t node = 1; node < level->nodes; node++) {
		const struct line_edge *edge = &level->edge[(size_t)node * level->symbols];

		if (level->row[node] == row &&
			(edge[a].gain != edge[b].gain || edge[a].node != edge[b].node))
			return false;
	}
	return true;
}

/* Merges columns that are equal in every row and have the same tag; views_r has one entry for each
 * remaining column. */
static bool columns_merge(const struct machine_reel *input, const struct line_level *level,
	uint32_t rows, struct machine_reel_states *reel, struct column_view *views_r)
{
	uint8_t as[GAME_ROWS_MAX][GAME_SYMBOLS_MAX];

	for (uint32_t row = 0; row < rows; row++)
		for (uint32_t s = 0; s < level->symbols; s++) {
			uint32_t first = 0;

			while (first < s &&
				(as[row][first] != first || !alike(level, row, first, s)))
				first++;
			as[row][s] = (uint8_t)first;
		}
	reel->column_of = malloc(input->count * sizeof(*reel->column_of));
	reel->weight = malloc(input->count * sizeof(*reel->weight));
	reel->tag = malloc(input->count * sizeof(*reel->tag));
	if (reel->column_of == NULL || reel->weight == NULL || reel->tag == NULL)
		return false;
	for (uint32_t c = 0; c < input->count; c++) {
		const struct machine_column *column = &input->column[c];
		struct column_view view = { { 0 } };
		uint32_t same = 0;

		for (uint32_t row = 0; row < rows; row++)
			view.index[row] = as[row][level->index[column->symbol[row]]];
		while (same < reel->columns &&
			(reel->tag[same] != column->tag ||
				memcmp(&views_r[same], &view, sizeof(view)) != 0))
			same++;
		if (same == reel->columns) {
			views_r[reel->columns++] = view;
			reel->tag[same] = column->tag;
			reel->weight[same] = 0;
		}
		reel->weight[same] += column->weight;
		reel->column_of[c] = same;
	}
	return true;
}

/* ---- transitions ---- */

/* One step: from a list of nodes over a column to the next list. */
static uint32_t step(const struct line_level *level, const uint32_t *word, uint32_t count,
	const struct column_view *view, uint32_t *next_r, uint32_t *gain_r)
{
	uint32_t kept = 0, gain = 0, jackpot = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = word[i] / 64, lines = word[i] % 64 + 1;
		const struct line_edge *edge =
			&level->edge[(size_t)node * level->symbols + view->index[level->row[node]]];

		jackpot |= edge->gain & MACHINE_JACKPOT;
		gain += (edge->gain & ~MACHINE_JACKPOT) * lines;
		next_r[kept] = edge->node * 64 + lines - 1;
		kept += edge->node != 0;
	}
	*gain_r = gain | jackpot;
	return list_canonical(next_r, kept);
}

/* For each node the symbols (bits by their place in level->symbol) with a gain or a future. */
static uint32_t *hopes_of(const struct line_level *level)
{
	uint32_t *hope = calloc(level->nodes, sizeof(*hope));

	for (uint32_t node = 1; hope != NULL && node < level->nodes; node++)
		for (uint32_t s = 0; s < level->symbols; s++) {
			const struct line_edge *edge =
				&level->edge[(size_t)node * level->symbols + s];

			if (edge->gain != 0 || edge->node != 0)
				hope[node] |= UINT32_C(1) << s;
		}
	return hope;
}

/* Steps over all columns from one state. Most columns end every open line without a pay, which is
 * checked first, row by row. */
static bool state_transitions(const struct line_level *level, const uint32_t *hope,
	const struct column_view *views, const uint32_t *word, uint32_t count,
	const struct machine_reel_states *reel, struct state_set *to, size_t at)
{
	uint32_t hope_in[GAME_ROWS_MAX] = { 0 };

	for (uint32_t i = 0; i < count; i++)
		hope_in[level->row[word[i] / 64]] |= hope[word[i] / 64];
	for (uint32_t c = 0; c < reel->columns; c++, at++) {
		uint32_t next[GAME_LINES_MAX], kept, any = 0;

		for (uint32_t row = 0; row < GAME_ROWS_MAX; row++)
			any |= hope_in[row] >> views[c].index[row];
		reel->next[at] = reel->gain[at] = 0;
		if ((any & 1) == 0)
			continue;
		kept = step(level, word, count, &views[c], next, &reel->gain[at]);
		if (to != NULL && kept > 0)
			reel->next[at] = state_of(to, next, kept);
		if (reel->next[at] == UINT32_MAX)
			return false;
	}
	return true;
}

/* `to`: NULL behind the last reel. */
static bool reel_transitions(const struct line_level *level, const struct column_view *views,
	const struct state_set *from, struct state_set *to, struct machine_reel_states *reel)
{
	size_t cells = (size_t)from->count * reel->columns;
	uint32_t *hope = hopes_of(level);
	bool done;

	reel->states = from->count;
	reel->next = malloc(cells * sizeof(*reel->next));
	reel->gain = malloc(cells * sizeof(*reel->gain));
	done = hope != NULL && reel->next != NULL && reel->gain != NULL &&
	       (to == NULL || states_open(to));
	for (uint32_t state = 0; done && state < from->count; state++)
		done = state_transitions(level, hope, views, &from->word[from->start[state]],
			from->start[state + 1] - from->start[state], reel, to,
			(size_t)state * reel->columns);
	free(hope);
	return done;
}

/* The single state before the first reel. It is number 0 of its reel, even if it is not dead. */
static bool root_state(const struct line_automaton *lines, uint32_t line_count,
	struct state_set *set, uint32_t *gain_r)
{
	uint32_t word[GAME_LINES_MAX], count = 0, gain = 0, jackpot = 0;

	if (!states_grow(set) || !words_grow(set))
		return false;
	set->start[0] = 0;
	for (uint32_t line = 0; line < line_count; line++) {
		jackpot |= lines->root_gain[line] & MACHINE_JACKPOT;
		gain += lines->root_gain[line] & ~MACHINE_JACKPOT;
		if (lines->root[line] != 0)
			word[count++] = lines->root[line] * 64;
	}
	*gain_r = gain | jackpot;
	count = list_canonical(word, count);
	return state_of(set, word, count) == 0;
}

static bool machine_build(const struct machine_input *input, const struct line_automaton *lines,
	struct reel_machine *machine)
{
	struct state_set set[2] = { { 0 } };
	uint32_t root_gain = 0, widest = 0;
	struct column_view *views = NULL;
	bool built =
		lines->win_max < WIN_MAX && root_state(lines, input->lines, &set[0], &root_gain);

	for (uint32_t r = 0; r < machine->reels; r++)
		if (input->reel[r].count > widest)
			widest = input->reel[r].count;
	views = malloc(widest * sizeof(*views));
	built = built && views != NULL;
	for (uint32_t r = 0; built && r < machine->reels; r++) {
		struct machine_reel_states *reel = &machine->reel[r];

		built = columns_merge(&input->reel[r], &lines->level[r], input->game->rows, reel,
				views) &&
			reel_transitions(&lines->level[r], views, &set[r % 2],
				r + 1 < machine->reels ? &set[(r + 1) % 2] : NULL, reel);
		states_free(&set[r % 2]);
	}
	for (uint32_t c = 0; built && c < machine->reel[0].columns; c++) {
		uint32_t *gain = &machine->reel[0].gain[c];

		*gain = (*gain + (root_gain & ~MACHINE_JACKPOT)) | (root_gain & MACHINE_JACKPOT);
	}
	free(views);
	states_free(&set[0]);
	states_free(&set[1]);
	return built;
}

struct reel_machine *reel_machine_new(const struct machine_input *input)
{
	struct reel_machine *machine = calloc(1, sizeof(*machine));
	struct line_automaton lines;

	if (machine == NULL)
		return NULL;
	machine->reels = input->game->reels;
	machine->total = 1;
	for (uint32_t r = 0; r < machine->reels; r++) {
		uint64_t weight = 0;

		for (uint32_t c = 0; c < input->reel[r].count; c++)
			weight += input->reel[r].column[c].weight;
		machine->total *= weight;
	}
	if (!line_automaton_build(input, &lines) || !machine_build(input, &lines, machine))
		reel_machine_free(&machine);
	line_automaton_free(&lines);
	return machine;
}

void reel_machine_free(struct reel_machine **machine)
{
	if (*machine == NULL)
		return;
	for (uint32_t r = 0; r < (*machine)->reels; r++) {
		free((*machine)->reel[r].next);
		free((*machine)->reel[r].gain);
		free((*machine)->reel[r].column_of);
		free((*machine)->reel[r].weight);
		free((*machine)->reel[r].tag);
	}
	free(*machine);
	*machine = NULL;
}
