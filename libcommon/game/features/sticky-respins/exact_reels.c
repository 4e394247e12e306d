#include "libcommon/game/features/sticky-respins/exact_reels.h"

#include "libcommon/game/core/reels.h"
#include "libcommon/game/reel_machine.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

void *sticky_take(size_t bytes)
{
	void *(*allocate)(size_t);

	mp_get_memory_functions(&allocate, NULL, NULL);
	return allocate(bytes);
}

void sticky_give(void *block, size_t bytes)
{
	void (*release)(void *, size_t);

	mp_get_memory_functions(NULL, NULL, &release);
	release(block, bytes);
}

static void ways_init(struct sticky_ways *ways, size_t room)
{
	*ways = (struct sticky_ways){ .room = room ? room : 1 };
	ways->way = sticky_take(ways->room * sizeof(*ways->way));
}

void sticky_ways_free(struct sticky_ways *ways)
{
	if (ways->way)
		sticky_give(ways->way, ways->room * sizeof(*ways->way));
	*ways = (struct sticky_ways){ 0 };
}

static int by_columns(const void *a, const void *b)
{
	const struct sticky_way *x = a, *y = b;

	if (x->before != y->before)
		return x->before < y->before ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

/* A stable sort by one byte of a key. Does nothing if that byte is the same in all ways. */
static bool by_byte(const struct sticky_way *from, size_t count, bool before, uint32_t shift,
	struct sticky_way *to)
{
	size_t place[257] = { 0 };

	for (size_t i = 0; i < count; i++)
		place[((before ? from[i].before : from[i].column) >> shift & 0xff) + 1]++;
	if (place[((before ? from->before : from->column) >> shift & 0xff) + 1] == count)
		return false;
	for (uint32_t b = 0; b < 256; b++)
		place[b + 1] += place[b];
	for (size_t i = 0; i < count; i++)
		to[place[(before ? from[i].before : from[i].column) >> shift & 0xff]++] = from[i];
	return true;
}

/* Sorts many ways byte by byte, the lowest first: `column`, then `before`. */
static void sort(struct sticky_ways *ways)
{
	struct sticky_way *from = ways->way, *to, *swap;

	if (ways->count < 256) {
		qsort(ways->way, ways->count, sizeof(*ways->way), by_columns);
		return;
	}
	to = sticky_take(ways->room * sizeof(*to));
	for (uint32_t byte = 0; byte < 2 * GAME_ROWS_MAX; byte++)
		if (by_byte(from, ways->count, byte >= GAME_ROWS_MAX, byte % GAME_ROWS_MAX * 8,
			    to)) {
			swap = from;
			from = to;
			to = swap;
		}
	sticky_give(to, ways->room * sizeof(*to));
	ways->way = from;
}

static void merge(struct sticky_ways *ways)
{
	size_t kept = 0;

	sort(ways);
	for (size_t i = 0; i < ways->count; i++) {
		if (kept > 0 && by_columns(&ways->way[kept - 1], &ways->way[i]) == 0)
			ways->way[kept - 1].weight += ways->way[i].weight;
		else
			ways->way[kept++] = ways->way[i];
	}
	ways->count = kept;
}

static uint64_t packed(const struct game *game, const uint8_t *symbols)
{
	uint64_t column = 0;

	for (uint32_t row = 0; row < game->rows; row++)
		column |= (uint64_t)symbols[row] << (8 * row);
	return column;
}

/* Only symbols of the strip itself trigger, not symbols that cover them. RULE mona-lisa 3.2 */
static bool triggers(const struct game *game, const struct reel_column *column)
{
	uint32_t natural = 0;

	for (uint32_t row = 0; row < game->rows; row++)
		natural +=
			column->symbol[row] == game->sticky.symbol && !(column->covered >> row & 1);
	return natural >= game->sticky.at_least;
}

static void strip_ways(const struct sticky_spin *spin, uint32_t set, uint32_t reel,
	uint32_t wild_reels, struct sticky_ways *ways_r)
{
	const struct game *game = spin->game;
	const struct game_strip *strip = &game->strips[set].reel[reel];
	bool locked = reel == game->sticky.reel;

	ways_init(ways_r, strip->length);
	for (uint32_t stop = 0; stop < strip->length; stop++) {
		struct reel_column column;

		reel_column(game, set, reel, stop, wild_reels, &column);
		if (!locked || triggers(game, &column))
			ways_r->way[ways_r->count++] =
				(struct sticky_way){ .column = packed(game, column.symbol),
					.weight = strip->stop_weight[stop] };
	}
	merge(ways_r);
}

void sticky_first(const struct sticky_spin *spin, uint32_t reel, struct sticky_ways *ways_r)
{
	strip_ways(spin, spin->set, reel, spin->wild_reels, ways_r);
}

void sticky_remember(struct sticky_ways *ways)
{
	for (size_t i = 0; i < ways->count; i++)
		ways->way[i].before = ways->way[i].column;
	merge(ways);
}

/* RULE mona-lisa 3.4 to 3.6: sticky symbols and the whole locked reel stay; all other cells are
 * free. */
uint64_t sticky_held(const struct sticky_spin *spin, uint32_t reel, uint64_t column)
{
	const struct game *game = spin->game;

	for (uint32_t row = 0; row < game->rows && reel != game->sticky.reel; row++)
		if (!(game->sticky.sticky >> sticky_cell(column, row) & 1))
			column |= (uint64_t)STICKY_FREE << (8 * row);
	return column;
}

void sticky_hold(const struct sticky_spin *spin, uint32_t reel, struct sticky_ways *ways)
{
	for (size_t i = 0; i < ways->count; i++)
		ways->way[i].column = sticky_held(spin, reel, ways->way[i].column);
	merge(ways);
}

static uint64_t over(const struct game *game, uint64_t held, uint64_t spun)
{
	for (uint32_t row = 0; row < game->rows; row++)
		if (sticky_cell(held, row) == STICKY_FREE)
			held ^= (uint64_t)(STICKY_FREE ^ sticky_cell(spun, row)) << (8 * row);
	return held;
}

/* Merges equal ways at once: most ways are equal, so few are left to sort. `slot`: a hash table of
 * places + 1 with `slots` entries, a power of two. */
static void way_add(
	struct sticky_ways *ways, uint32_t *slot, size_t slots, const struct sticky_way *way)
{
	uint64_t hash = (way->before ^ way->column * UINT64_C(0xbf58476d1ce4e5b9)) *
			UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(hash >> 32) & (slots - 1);

	for (; slot[at] != 0; at = (at + 1) & (slots - 1)) {
		struct sticky_way *other = &ways->way[slot[at] - 1];

		if (other->before == way->before && other->column == way->column) {
			other->weight += way->weight;
			return;
		}
	}
	ways->way[ways->count++] = *way;
	slot[at] = (uint32_t)ways->count;
}

static void respin(const struct sticky_spin *spin, uint32_t reel, struct sticky_ways *ways)
{
	const struct game *game = spin->game;
	struct sticky_ways spun, next;
	size_t slots = 64;
	uint32_t *slot;

	strip_ways(spin, game->sticky.strips, reel, 0, &spun);
	ways_init(&next, ways->count * spun.count);
	while (slots < 2 * next.room)
		slots *= 2;
	slot = sticky_take(slots * sizeof(*slot));
	memset(slot, 0, slots * sizeof(*slot));
	for (size_t i = 0; i < ways->count; i++)
		for (size_t k = 0; k < spun.count; k++)
			way_add(&next, slot, slots,
				&(struct sticky_way){
					.before = ways->way[i].before,
					.column =
						over(game, ways->way[i].column, spun.way[k].column),
					.weight = ways->way[i].weight * spun.way[k].weight,
				});
	merge(&next);
	sticky_give(slot, slots * sizeof(*slot));
	sticky_ways_free(&spun);
	sticky_ways_free(ways);
	*ways = next;
}

void sticky_next(const struct sticky_spin *spin, uint32_t reel, struct sticky_ways *ways)
{
	if (reel == spin->game->sticky.reel)
		return;
	sticky_hold(spin, reel, ways);
	respin(spin, reel, ways);
}

void sticky_from(
	const struct sticky_spin *spin, uint32_t reel, uint64_t held, struct sticky_ways *ways_r)
{
	ways_init(ways_r, 1);
	ways_r->way[ways_r->count++] = (struct sticky_way){ .column = held, .weight = 1 };
	if (reel != spin->game->sticky.reel)
		respin(spin, reel, ways_r);
}

/* ---- what is kept ---- */

static void ways_copy(const struct sticky_ways *from, struct sticky_ways *ways_r)
{
	ways_init(ways_r, from->count);
	ways_r->count = from->count;
	memcpy(ways_r->way, from->way, from->count * sizeof(*from->way));
}

void sticky_at(
	const struct sticky_spin *spin, uint32_t reel, uint32_t time, struct sticky_ways *ways_r)
{
	struct sticky_ways *kept = spin->cache ? &spin->cache->at[reel][time] : NULL;

	if (kept && kept->way) {
		ways_copy(kept, ways_r);
		return;
	}
	if (time == 0) {
		sticky_first(spin, reel, ways_r);
	} else {
		sticky_at(spin, reel, time - 1, ways_r);
		sticky_next(spin, reel, ways_r);
	}
	if (kept)
		ways_copy(ways_r, kept);
}

void sticky_between(const struct sticky_spin *spin, uint32_t reel, uint32_t earlier, uint32_t later,
	struct sticky_ways *ways_r)
{
	struct sticky_ways *kept = spin->cache ? &spin->cache->between[reel][earlier][later] : NULL;

	if (kept && kept->way) {
		ways_copy(kept, ways_r);
		return;
	}
	if (earlier == later) {
		sticky_at(spin, reel, earlier, ways_r);
		sticky_remember(ways_r);
	} else {
		sticky_between(spin, reel, earlier, later - 1, ways_r);
		sticky_next(spin, reel, ways_r);
	}
	if (kept)
		ways_copy(ways_r, kept);
}

void sticky_windows(const struct sticky_spin *spin, uint32_t time, struct machine_input *input)
{
	const struct game *game = input->game;

	for (uint32_t r = 0; r < game->reels; r++) {
		struct sticky_ways ways;
		struct machine_column *columns;

		sticky_at(spin, r, time, &ways);
		columns = sticky_take(ways.count * sizeof(*columns));
		memset(columns, 0, ways.count * sizeof(*columns));
		for (size_t w = 0; w < ways.count; w++) {
			columns[w].weight = 1;
			for (uint32_t row = 0; row < game->rows; row++)
				columns[w].symbol[row] = sticky_cell(ways.way[w].column, row);
		}
		input->reel[r] = (struct machine_reel){ columns, (uint32_t)ways.count };
		sticky_ways_free(&ways);
	}
}

void sticky_windows_free(struct machine_input *input)
{
	for (uint32_t r = 0; r < input->game->reels; r++)
		sticky_give((void *)(uintptr_t)input->reel[r].column,
			input->reel[r].count * sizeof(*input->reel[r].column));
}

void sticky_cache_free(struct sticky_cache *cache)
{
	for (uint32_t r = 0; r < GAME_REELS_MAX; r++)
		for (uint32_t t = 0; t < STICKY_TIMES_MAX; t++) {
			sticky_ways_free(&cache->at[r][t]);
			for (uint32_t u = 0; u < STICKY_TIMES_MAX; u++)
				sticky_ways_free(&cache->between[r][t][u]);
		}
}

bool sticky_can_trigger(const struct sticky_spin *spin)
{
	struct sticky_ways ways;
	bool can;

	sticky_first(spin, spin->game->sticky.reel, &ways);
	can = ways.count > 0;
	sticky_ways_free(&ways);
	return can;
}

uint64_t sticky_scale(const struct sticky_spin *spin, uint32_t reel, uint32_t time)
{
	const struct game *game = spin->game;
	uint64_t scale = game->strips[spin->set].reel[reel].weight;

	for (uint32_t i = 0; i < time && reel != game->sticky.reel; i++)
		scale *= game->strips[game->sticky.strips].reel[reel].weight;
	return scale;
}
