#include "libcommon/game/exact/window_waits.h"

#include "libcommon/game/exact/machine_lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What a symbol turns a wait into: a wait of the next level (from 1), nothing, or a win. */
#define BECOMES_NOTHING 0u
#define BECOMES_WIN UINT32_MAX

struct wait_level {
	uint32_t waits;	   /* different ones; wait w is bit w - 1 of a set */
	uint32_t words;	   /* of a set */
	uint8_t *row;	   /* [wait] */
	uint32_t *becomes; /* [wait * GAME_SYMBOLS_MAX + symbol] */
	/* sets by number; the first is empty */
	uint32_t sets, room;
	uint64_t *set;
	uint32_t *bucket;
	uint32_t buckets;
	uint32_t room_waits;
};

/* The present set, by what each cell of the next reel can show. */
struct ready {
	uint32_t wins[GAME_ROWS_MAX]; /* bit s: symbol s wins there */
	uint64_t *next;		      /* [(row * GAME_SYMBOLS_MAX + symbol) * words]: a set */
	size_t room;
	uint64_t *sum;
};

struct waits {
	uint32_t reels, rows, symbols;
	bool sure_win;
	uint32_t first;
	struct wait_level level[GAME_REELS_MAX + 1];
	struct ready ready;
};

void *waits_take(size_t bytes)
{
	void *(*allocate)(size_t);

	mp_get_memory_functions(&allocate, NULL, NULL);
	return allocate(bytes ? bytes : 1);
}

void waits_give(void *block, size_t bytes)
{
	void (*release)(void *, size_t);

	mp_get_memory_functions(NULL, NULL, &release);
	if (block)
		release(block, bytes ? bytes : 1);
}

/* ---- waits from the line automaton ---- */

/* The automaton of the lines over all symbols that the reels can show. */
static void lines_of(const struct zero_input *input, struct line_automaton *lines)
{
	struct machine_input machine = { .game = input->game, .lines = input->lines };
	struct machine_column *columns[GAME_REELS_MAX];
	const uint32_t reels = input->game->reels;
	bool built;

	for (uint32_t r = 0; r < reels; r++) {
		const struct zero_reel *reel = &input->reel[r];

		columns[r] = waits_take((reel->count + 1) * sizeof(*columns[r]));
		memset(columns[r], 0, (reel->count + 1) * sizeof(*columns[r]));
		for (uint32_t i = 0; i < reel->count; i++) {
			memcpy(columns[r][i].symbol, reel->stop[i].symbol, input->game->rows);
			columns[r][i].weight = 1;
		}
		memset(columns[r][reel->count].symbol,
			input->covered ? reel->symbol : reel->stop[0].symbol[0], GAME_ROWS_MAX);
		columns[r][reel->count].weight = 1;
		machine.reel[r] =
			(struct machine_reel){ .column = columns[r], .count = reel->count + 1 };
	}
	built = line_automaton_build(&machine, lines);
	assert(built);
	for (uint32_t r = 0; r < reels; r++)
		waits_give(columns[r], (input->reel[r].count + 1) * sizeof(*columns[r]));
}

/* The number of this wait, which may exist already. */
static uint32_t wait_like(struct wait_level *level, uint8_t row, const uint32_t *becomes)
{
	size_t bytes = GAME_SYMBOLS_MAX * sizeof(*becomes);

	for (uint32_t w = 1; w <= level->waits; w++)
		if (level->row[w] == row &&
			memcmp(level->becomes + (size_t)w * GAME_SYMBOLS_MAX, becomes, bytes) == 0)
			return w;
	level->waits++;
	level->row[level->waits] = row;
	memcpy(level->becomes + (size_t)level->waits * GAME_SYMBOLS_MAX, becomes, bytes);
	return level->waits;
}

/* From the automaton's nodes to waits, one level; wait_of[node] of the next level is known. */
static void level_waits(const struct line_level *from, const uint32_t *next_wait,
	struct wait_level *level, uint32_t *wait_of)
{
	level->room_waits = from->nodes + 1;
	level->row = waits_take(level->room_waits);
	level->becomes =
		waits_take((size_t)level->room_waits * GAME_SYMBOLS_MAX * sizeof(*level->becomes));
	wait_of[0] = 0;
	for (uint32_t node = 1; node < from->nodes; node++) {
		uint32_t becomes[GAME_SYMBOLS_MAX] = { 0 };
		bool matters = false;

		for (uint32_t s = 0; s < from->symbols; s++) {
			const struct line_edge *edge =
				&from->edge[(size_t)node * from->symbols + s];
			uint32_t to = edge->gain != 0 ? BECOMES_WIN
				      : next_wait     ? next_wait[edge->node]
						      : BECOMES_NOTHING;

			becomes[from->symbol[s]] = to;
			matters |= to != BECOMES_NOTHING;
		}
		wait_of[node] = matters ? wait_like(level, from->row[node], becomes) : 0;
	}
}

/* ---- sets ---- */

static bool same_set(const uint64_t *x, const uint64_t *y, uint32_t words)
{
	uint32_t i = 0;

	while (i < words && x[i] == y[i])
		i++;
	return i == words;
}

static uint32_t set_bucket(const struct wait_level *level, const uint64_t *set)
{
	uint64_t hash = 1;
	uint32_t at;

	for (uint32_t i = 0; i < level->words; i++) {
		hash = (hash ^ set[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	at = (uint32_t)hash & (level->buckets - 1);
	while (level->bucket[at] != 0 &&
		!same_set(level->set + (size_t)(level->bucket[at] - 1) * level->words, set,
			level->words))
		at = (at + 1) & (level->buckets - 1);
	return at;
}

static void sets_grow(struct wait_level *level)
{
	uint32_t room = level->room ? level->room * 2 : 64;
	uint64_t *set = waits_take((size_t)room * level->words * sizeof(*set));

	if (level->set)
		memcpy(set, level->set, (size_t)level->sets * level->words * sizeof(*set));
	waits_give(level->set, (size_t)level->room * level->words * sizeof(*set));
	waits_give(level->bucket, level->buckets * sizeof(*level->bucket));
	level->set = set;
	level->room = room;
	level->buckets = room * 2;
	level->bucket = waits_take(level->buckets * sizeof(*level->bucket));
	memset(level->bucket, 0, level->buckets * sizeof(*level->bucket));
	for (uint32_t i = 0; i < level->sets; i++)
		level->bucket[set_bucket(level, level->set + (size_t)i * level->words)] = i + 1;
}

static uint32_t set_number(struct wait_level *level, const uint64_t *set)
{
	uint32_t at = set_bucket(level, set);

	if (level->bucket[at] != 0)
		return level->bucket[at] - 1;
	if (level->sets == level->room) {
		sets_grow(level);
		at = set_bucket(level, set);
	}
	memcpy(level->set + (size_t)level->sets * level->words, set, level->words * sizeof(*set));
	level->bucket[at] = level->sets + 1;
	return level->sets++;
}

static void sets_open(struct waits *waits, struct wait_level *level)
{
	uint32_t number;

	level->words = level->waits / 64 + 1;
	sets_grow(level);
	memset(waits->ready.sum, 0, level->words * sizeof(uint64_t));
	number = set_number(level, waits->ready.sum);
	assert(number == WAITS_NONE);
}

/* ---- the interface ---- */

static void first_set(struct waits *waits, const struct zero_input *input,
	const struct line_automaton *lines, const uint32_t *wait_of)
{
	uint64_t *set = waits->ready.sum;

	memset(set, 0, waits->level[0].words * sizeof(*set));
	for (uint32_t i = 0; i < input->lines; i++) {
		uint32_t wait = wait_of[lines->root[i]];

		waits->sure_win |= lines->root_gain[i] != 0;
		if (wait != 0)
			set[(wait - 1) / 64] |= UINT64_C(1) << ((wait - 1) % 64);
	}
	waits->first = set_number(&waits->level[0], set);
}

static void ready_open(struct waits *waits)
{
	uint32_t words = 1;

	for (uint32_t r = 0; r <= waits->reels; r++)
		if (waits->level[r].waits / 64 + 1 > words)
			words = waits->level[r].waits / 64 + 1;
	waits->ready.room = (size_t)GAME_ROWS_MAX * GAME_SYMBOLS_MAX * words;
	waits->ready.next = waits_take(waits->ready.room * sizeof(uint64_t));
	waits->ready.sum = waits_take(waits->ready.room * sizeof(uint64_t));
}

struct waits *waits_new(const struct zero_input *input)
{
	struct waits *waits = waits_take(sizeof(*waits));
	struct line_automaton lines;
	uint32_t *wait_of[2] = { NULL, NULL };
	size_t bytes[2] = { 0, 0 };

	memset(waits, 0, sizeof(*waits));
	waits->reels = input->game->reels;
	waits->rows = input->game->rows;
	waits->symbols = input->game->symbol_count;
	assert(waits->reels > 0);
	lines_of(input, &lines);
	for (uint32_t r = waits->reels; r-- > 0;) {
		waits_give(wait_of[r % 2], bytes[r % 2]);
		bytes[r % 2] = lines.level[r].nodes * sizeof(uint32_t);
		wait_of[r % 2] = waits_take(bytes[r % 2]);
		level_waits(&lines.level[r], r + 1 < waits->reels ? wait_of[(r + 1) % 2] : NULL,
			&waits->level[r], wait_of[r % 2]);
	}
	ready_open(waits);
	for (uint32_t r = 0; r <= waits->reels; r++)
		sets_open(waits, &waits->level[r]);
	first_set(waits, input, &lines, wait_of[0]);
	waits_give(wait_of[0], bytes[0]);
	waits_give(wait_of[1], bytes[1]);
	line_automaton_free(&lines);
	return waits;
}

void waits_free(struct waits **waits)
{
	for (uint32_t r = 0; r <= (*waits)->reels; r++) {
		struct wait_level *level = &(*waits)->level[r];

		waits_give(level->row, level->room_waits);
		waits_give(level->becomes,
			(size_t)level->room_waits * GAME_SYMBOLS_MAX * sizeof(*level->becomes));
		waits_give(level->set, (size_t)level->room * level->words * sizeof(*level->set));
		waits_give(level->bucket, level->buckets * sizeof(*level->bucket));
	}
	waits_give((*waits)->ready.next, (*waits)->ready.room * sizeof(uint64_t));
	waits_give((*waits)->ready.sum, (*waits)->ready.room * sizeof(uint64_t));
	waits_give(*waits, sizeof(**waits));
	*waits = NULL;
}

bool waits_sure_win(const struct waits *waits)
{
	return waits->sure_win;
}

uint32_t waits_first(const struct waits *waits)
{
	return waits->first;
}

bool waits_end(const struct waits *waits, uint32_t level)
{
	return waits->level[level].waits == 0;
}

uint32_t waits_sets(const struct waits *waits, uint32_t level)
{
	return waits->level[level].sets;
}

void waits_ready(struct waits *waits, uint32_t level, uint32_t set)
{
	const struct wait_level *from = &waits->level[level];
	struct ready *ready = &waits->ready;
	uint32_t words = waits->level[level + 1].words;

	memset(ready->wins, 0, sizeof(ready->wins));
	memset(ready->next, 0,
		(size_t)waits->rows * GAME_SYMBOLS_MAX * words * sizeof(*ready->next));
	for (uint32_t i = 0; i < from->words; i++)
		for (uint64_t rest = from->set[(size_t)set * from->words + i]; rest;
			rest &= rest - 1) {
			uint32_t wait = i * 64 + (uint32_t)__builtin_ctzll(rest) + 1;
			uint32_t row = from->row[wait];

			for (uint32_t s = 0; s < waits->symbols; s++) {
				uint32_t to = from->becomes[(size_t)wait * GAME_SYMBOLS_MAX + s];
				uint64_t *next =
					ready->next + ((size_t)row * GAME_SYMBOLS_MAX + s) * words;

				if (to == BECOMES_WIN)
					ready->wins[row] |= UINT32_C(1) << s;
				else if (to != BECOMES_NOTHING)
					next[(to - 1) / 64] |= UINT64_C(1) << ((to - 1) % 64);
			}
		}
}

uint32_t waits_next(struct waits *waits, uint32_t level, const uint8_t *column)
{
	const struct ready *ready = &waits->ready;
	uint32_t words = waits->level[level + 1].words;

	for (uint32_t row = 0; row < waits->rows; row++)
		if (ready->wins[row] >> column[row] & 1)
			return WAITS_WIN;
	if (waits->level[level + 1].waits == 0)
		return WAITS_NONE;
	memset(ready->sum, 0, words * sizeof(*ready->sum));
	for (uint32_t row = 0; row < waits->rows; row++)
		for (uint32_t i = 0; i < words; i++)
			ready->sum[i] |=
				ready->next[((size_t)row * GAME_SYMBOLS_MAX + column[row]) * words +
					    i];
	return set_number(&waits->level[level + 1], ready->sum);
}
