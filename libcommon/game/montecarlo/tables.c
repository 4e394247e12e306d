#include "libcommon/game/core/rule.h"
#include "libcommon/game/montecarlo/feature.h"
#include "libcommon/game/reel_machine.h"

#include <stdlib.h>
#include <string.h>

#define NARROW_CYCLE_MAX (UINT64_C(1) << 31)
#define CLASSES_MAX 65535u
#define CLASS_SLOTS (1u << 18)
#define ALWAYS 0xffffu /* examined with any suffix */

/* ---- the automaton by draw values ---- */

static uint32_t column_tag(const struct game *game, const struct tag_plan *plan, uint32_t reel,
	const struct reel_column *column)
{
	uint32_t tag = tag_column(game, plan->anywhere, column, game->jackpot_symbols.symbol);

	for (uint32_t i = 0; i < game->scatter_symbols; i++)
		tag += tag_column(game, plan->scatter[i], column, game->scatter[i]);
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_fasts[f]->tag && feature_rules[f]->offered(game))
			tag += feature_fasts[f]->tag(game, reel, column, plan->feature[f]);
	return tag;
}

static uint32_t reel_columns(const struct game *game, const struct spin_table *table, uint32_t reel,
	const struct tag_plan *plan, struct machine_column *out)
{
	uint32_t count = game->strips[table->set].reel[reel].length;

	machine_columns(game, table->set, reel, table->wild_reels, NULL, out);
	for (uint32_t stop = 0; plan != NULL && stop < count; stop++) {
		struct reel_column column;

		reel_column(game, table->set, reel, stop, table->wild_reels, &column);
		out[stop].tag = column_tag(game, plan, reel, &column);
	}
	return count;
}

/* The most coins any spin wins. */
static bool machine_gain_max(const struct reel_machine *machine, uint32_t *most_r)
{
	uint32_t *after = calloc(1, sizeof(*after));

	for (uint32_t r = machine->reels; after != NULL && r > 0; r--) {
		const struct machine_reel_states *reel = &machine->reel[r - 1];
		uint32_t *most = calloc(reel->states, sizeof(*most));

		for (uint32_t i = 0; most != NULL && i < reel->states * reel->columns; i++) {
			uint32_t gain = (reel->gain[i] & ~MACHINE_JACKPOT) + after[reel->next[i]];

			if (gain > most[i / reel->columns])
				most[i / reel->columns] = gain;
		}
		free(after);
		after = most;
	}
	if (after != NULL)
		*most_r = after[0];
	free(after);
	return after != NULL;
}

/* What a column gains in a state, with its tag. */
static uint32_t sum_of(const struct spin_table *table, const struct machine_reel_states *reel,
	size_t at, const struct tag_plan *plan)
{
	uint32_t sum = reel->gain[at] & ~MACHINE_JACKPOT;

	if (plan == NULL)
		return sum;
	sum += reel->tag[at % reel->columns] << table->gain_bits;
	if ((reel->gain[at] & MACHINE_JACKPOT) != 0)
		sum += 1u << table->gain_bits << plan->jackpot.shift;
	return sum;
}

static bool reel_steps(struct spin_table *table, const struct reel_machine *machine, uint32_t r,
	const struct tag_plan *plan)
{
	const struct machine_reel_states *reel = &machine->reel[r];
	const struct game_strip *strip = &table->game->strips[table->set].reel[r];
	size_t cells = (size_t)reel->states * reel->columns;
	bool last = r + 1 == table->reels;

	if (last)
		table->last = malloc((cells + 1) * sizeof(*table->last));
	else
		table->step[r] = malloc((cells + 1) * sizeof(*table->step[r]));
	if (last ? table->last == NULL : table->step[r] == NULL)
		return false;
	for (size_t at = 0; at < cells; at++) {
		uint32_t sum = sum_of(table, reel, at, plan);

		if (last)
			table->last[at] = sum;
		else
			table->step[r][at] =
				(struct step){ reel->next[at] * machine->reel[r + 1].columns, sum };
	}
	for (uint32_t v = table->weight[r]; v > 0; v--) {
		uint8_t stop = strip->stop_of[v - 1];

		table->first[r][stop] = (uint16_t)(v - 1);
		table->column[r][v - 1] = (uint8_t)reel->column_of[stop];
	}
	return true;
}

static uint32_t bits_for(uint64_t most)
{
	uint32_t bits = 0;

	while (most >> bits != 0)
		bits++;
	return bits;
}

static enum fast_status steps_build(
	struct spin_table *table, const struct table_terms *terms, const struct tag_plan *plan)
{
	const struct game *game = table->game;
	struct machine_column(*column)[GAME_STRIP_MAX] = calloc(game->reels, sizeof(*column));
	struct machine_input input = { .game = game,
		.lines = terms->lines,
		.wild_multiplier_count = terms->wild_multiplier_count,
		.wild_multiplier = terms->wild_multiplier,
		.no_jackpot_pay = terms->progressive };
	struct reel_machine *machine = NULL;
	enum fast_status status = FAST_NO_MEMORY;
	uint32_t most = 0;

	for (uint32_t r = 0; column != NULL && r < game->reels; r++)
		input.reel[r] = (struct machine_reel){ column[r],
			reel_columns(game, table, r, terms->tagged ? plan : NULL, column[r]) };
	if (column != NULL)
		machine = reel_machine_new(&input);
	if (machine != NULL && machine_gain_max(machine, &most)) {
		table->gain_bits = bits_for(most);
		status = table->gain_bits + plan->bits > 32 ? FAST_TOO_LARGE : FAST_OK;
		for (uint32_t r = 0; status == FAST_OK && r < game->reels; r++)
			if (!reel_steps(table, machine, r, terms->tagged ? plan : NULL))
				status = FAST_NO_MEMORY;
	}
	reel_machine_free(&machine);
	free(column);
	return status;
}

/* ---- prefix and suffix ---- */

/* The number of first reels whose index is at most `most`; also the number of values of the other
 * reels. */
static uint64_t prefix_split(struct spin_table *table, uint32_t most)
{
	uint64_t suffixes = table->cycle;

	table->prefixes = 1;
	table->prefix_reels = 0;
	while (table->prefix_reels < table->reels &&
		(uint64_t)table->prefixes * table->weight[table->prefix_reels] <= most) {
		table->prefixes *= table->weight[table->prefix_reels];
		suffixes /= table->weight[table->prefix_reels++];
	}
	return suffixes;
}

static void table_widen(struct spin_table *table)
{
	table->wide = true;
	table->pair = false;
	table->reject = (0 - table->cycle) % table->cycle;
}

static void table_split(struct spin_table *table)
{
	uint64_t suffixes = prefix_split(table, PREFIXES_MAX);

	table->reject = (UINT64_C(1) << 32) % table->cycle;
	if (table->cycle > NARROW_CYCLE_MAX) {
		suffixes = prefix_split(table, PAIR_PREFIXES_MAX);
		table->pair = true;
		table->reject_prefix = (uint32_t)((UINT64_C(1) << 32) % table->prefixes);
		table->reject = (UINT64_C(1) << 32) % suffixes;
	}
	table->suffixes = suffixes <= SUFFIXES_MAX ? (uint32_t)suffixes : 0;
	if (suffixes > SUFFIXES_MAX || table->prefix_reels == 0)
		table_widen(table);
}

/* All sums that reels from..to-1 can reach, in the order of their index. `at`: the starting state.
 * The caller frees it. */
static struct step *sums_of(
	const struct spin_table *table, uint32_t from, uint32_t to, uint32_t count)
{
	struct step *sums = malloc(((size_t)count + 1) * sizeof(*sums));
	size_t filled = 1;

	if (sums == NULL)
		return NULL;
	sums[0] = (struct step){ 0, 0 };
	for (uint32_t r = from; r < to; r++) {
		/* from the last to the first, so that it works in place */
		for (size_t i = filled; i > 0; i--)
			for (uint32_t v = table->weight[r]; v > 0; v--) {
				struct step before = sums[i - 1];

				/* entry i - 1 is read until its own first value is written */
				sums[(i - 1) * table->weight[r] + v - 1] =
					table_step(table, r, before, v - 1);
			}
		filled *= table->weight[r];
	}
	return sums;
}

/* Tags of the other reels when no line is alive: their classes, and the tag of each class. */
static bool suffix_build(
	struct spin_table *table, uint32_t tag_of_class[SUFFIX_CLASSES], uint32_t *classes_r)
{
	struct step *sums = sums_of(table, table->prefix_reels, table->reels, table->suffixes);

	*classes_r = 0;
	table->suffix = calloc((size_t)table->suffixes + 8, 1); /* read by four bytes at once */
	for (uint32_t i = 0; sums != NULL && table->suffix != NULL && i < table->suffixes; i++) {
		uint32_t tag = sums[i].sum >> table->gain_bits, class = 0;

		while (class < *classes_r && tag_of_class[class] != tag)
			class ++;
		if (class == *classes_r && class + 1 < SUFFIX_CLASSES)
			tag_of_class[(*classes_r)++] = tag;
		/* tags without a class of their own share the last class, which is always
		 * examined */
		table->suffix[i] = (uint8_t) class;
	}
	free(sums);
	return sums != NULL && table->suffix != NULL;
}

static uint32_t class_of(struct spin_table *table, uint32_t *slot, struct step sum)
{
	uint64_t hash = ((uint64_t)sum.row << 32 | sum.sum) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = (uint32_t)(hash >> 40) & (CLASS_SLOTS - 1);

	for (; slot[at] != 0; at = (at + 1) & (CLASS_SLOTS - 1)) {
		const struct step *class = &table->prefix_class[slot[at] - 1];

		if (class->row == sum.row && class->sum == sum.sum)
			return slot[at] - 1;
	}
	if (table->classes > CLASSES_MAX)
		return CLASSES_MAX; /* too many: the count shows it */
	table->prefix_class[table->classes] = sum;
	slot[at] = ++table->classes;
	return table->classes - 1;
}

/* The suffixes that need a closer look: all of them while a line is alive or has won. */
static uint32_t prefix_mask(const struct spin_table *table, struct step sum,
	const uint32_t tag_of_class[], uint32_t classes, const uint8_t *quiet)
{
	uint32_t mask = ALWAYS;

	if (sum.row != 0 || (sum.sum & ((1u << table->gain_bits) - 1)) != 0)
		return mask;
	for (uint32_t class = 0; class < classes; class ++)
		if (quiet == NULL ||
			quiet[(sum.sum >> table->gain_bits) + tag_of_class[class]] != 0)
			mask &= ~(1u << class);
	return mask;
}

struct class_use {
	uint32_t old, often, mask;
	struct step step;
};

/* In rising order: classes that may need no look, the most frequent first. */
static int by_use(const void *a, const void *b)
{
	const struct class_use *x = a, *y = b;

	if ((x->mask == ALWAYS) != (y->mask == ALWAYS))
		return x->mask == ALWAYS ? 1 : -1;
	if (x->often != y->often)
		return x->often < y->often ? 1 : -1;
	return (x->old > y->old) - (x->old < y->old);
}

/* Renumbers the classes so that classes that may need no look come first. Those without room are
 * examined like all others. */
static bool quiet_first(struct spin_table *table, const uint32_t tag_of_class[], uint32_t suffixes,
	const uint8_t *quiet)
{
	struct class_use *use = calloc(table->classes, sizeof(*use));
	uint16_t *number = malloc(table->classes * sizeof(*number));
	bool room = use != NULL && number != NULL;

	for (uint32_t i = 0; room && i < table->prefixes; i++)
		use[table->prefix[i]].often++;
	for (uint32_t i = 0; room && i < table->classes; i++) {
		use[i].old = i;
		use[i].step = table->prefix_class[i];
		use[i].mask = prefix_mask(table, use[i].step, tag_of_class, suffixes, quiet);
	}
	if (room)
		qsort(use, table->classes, sizeof(*use), by_use);
	for (uint32_t i = 0; i <= QUIET_CLASSES; i++)
		table->quiet_mask[i] =
			room && i < table->classes && i < QUIET_CLASSES ? use[i].mask : ALWAYS;
	for (uint32_t i = 0; room && i < table->classes; i++) {
		table->prefix_class[i] = use[i].step;
		number[use[i].old] = (uint16_t)i;
	}
	for (uint32_t i = 0; room && i < table->prefixes; i++)
		table->prefix[i] = number[table->prefix[i]];
	free(use);
	free(number);
	return room;
}

static enum fast_status prefix_build(struct spin_table *table, const uint8_t *quiet)
{
	uint32_t tag_of_class[SUFFIX_CLASSES], suffixes;
	struct step *sums = sums_of(table, 0, table->prefix_reels, table->prefixes);
	uint32_t *slot = calloc(CLASS_SLOTS, sizeof(*slot));
	enum fast_status status = FAST_NO_MEMORY;

	/* read by four bytes at once */
	table->prefix = malloc(((size_t)table->prefixes + 1) * sizeof(*table->prefix));
	table->prefix_class = malloc(((size_t)CLASSES_MAX + 1) * sizeof(*table->prefix_class));
	if (sums != NULL && slot != NULL && table->prefix != NULL && table->prefix_class != NULL &&
		suffix_build(table, tag_of_class, &suffixes)) {
		for (uint32_t i = 0; i < table->prefixes; i++)
			table->prefix[i] = (uint16_t)class_of(table, slot, sums[i]);
		if (table->classes > CLASSES_MAX)
			status = FAST_TOO_LARGE;
		else if (quiet_first(table, tag_of_class, suffixes, quiet))
			status = FAST_OK;
	}
	free(sums);
	free(slot);
	return status;
}

enum fast_status table_build(const struct game *game, uint32_t set, uint32_t wild_reels,
	const struct table_terms *terms, const struct tag_plan *plan, const uint8_t *quiet,
	struct spin_table *table_r)
{
	struct spin_table *table = table_r;
	enum fast_status status;

	*table = (struct spin_table){ .game = game, .set = set, .wild_reels = wild_reels };
	table->reels = game->reels;
	table->cycle = 1;
	for (uint32_t r = 0; r < game->reels; r++) {
		table->weight[r] = game->strips[set].reel[r].weight;
		table->cycle *= table->weight[r];
	}
	status = steps_build(table, terms, plan);
	if (status != FAST_OK)
		return status;
	table_split(table);
	if (!table->wide)
		status = prefix_build(table, quiet);
	if (status ==
		FAST_TOO_LARGE) { /* too many different prefixes for the bits of their numbers */
		table_widen(table);
		status = FAST_OK;
	}
	return status;
}

void table_free(struct spin_table *table)
{
	for (uint32_t r = 0; r < table->reels; r++)
		free(table->step[r]);
	free(table->last);
	free(table->prefix);
	free(table->prefix_class);
	free(table->suffix);
	*table = (struct spin_table){ 0 };
}

/* ---- single spins ---- */

uint32_t table_sum_of_stops(const struct spin_table *table, const uint16_t *stop)
{
	struct step at = { 0, 0 };

	for (uint32_t r = 0; r < table->reels; r++)
		at = table_step(table, r, at, table->first[r][stop[r]]);
	return at.sum;
}

static uint32_t spin_wide(
	const struct spin_table *table, struct word_stream *stream, uint64_t *word_r)
{
	struct step at;
	uint64_t rest;

	do {
		*word_r = rest = stream_word64(stream);
		at = (struct step){ 0, 0 };
		for (uint32_t r = 0; r < table->reels; r++) {
			stream_wide product = (stream_wide)rest * table->weight[r];

			at = table_step(table, r, at, (uint32_t)(product >> 64));
			rest = (uint64_t)product;
		}
	} while (rest < table->reject);
	return at.sum;
}

uint32_t table_spin(
	const struct spin_table *table, struct word_stream *stream, struct place *place_r)
{
	uint32_t rest, low;
	struct step at;

	*place_r = (struct place){ .table = table };
	if (table->wide)
		return spin_wide(table, stream, &place_r->word);
	do {
		uint32_t word = stream_word(stream);
		uint64_t product = (uint64_t)word * table->prefixes;

		at = table->prefix_class[table->prefix[product >> 32]];
		low = rest = (uint32_t)product;
		if (table->pair)
			rest = stream_word(stream);
		place_r->word = (table->pair ? (uint64_t)rest << 32 : 0) | word;
		for (uint32_t r = table->prefix_reels; r < table->reels; r++) {
			product = (uint64_t)rest * table->weight[r];
			at = table_step(table, r, at, (uint32_t)(product >> 32));
			rest = (uint32_t)product;
		}
	} while (rest < table->reject || low < table->reject_prefix);
	return at.sum;
}

/* The same words, reel by reel: the nested products give the same values. */
void place_stops(const struct place *place, uint16_t stop_r[GAME_REELS_MAX])
{
	const struct spin_table *table = place->table;
	uint64_t rest = table->wide ? place->word : place->word << 32;

	if (place->stop != NULL) {
		memcpy(stop_r, place->stop, table->reels * sizeof(*stop_r));
		return;
	}
	for (uint32_t r = 0; r < table->reels; r++) {
		stream_wide product;

		if (table->pair && r == table->prefix_reels)
			rest = place->word >> 32 << 32;
		product = (stream_wide)rest * table->weight[r];
		stop_r[r] = table->game->strips[table->set].reel[r].stop_of[product >> 64];
		rest = (uint64_t)product;
	}
}
