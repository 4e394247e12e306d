#include "libcommon/game/exact/spin_rank_build.h"

#include "libcommon/game/reel_machine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX ((exact_count)INT64_MAX)

/* Classes of states that any reel has. */
#define CLASS_LOST 0 /* nothing that can follow keeps the guarantee */
#define CLASS_KEPT 1 /* it is kept already */

/* One reel as the guarantee sees it. A column with a gain keeps the guarantee. */
struct walk_reel {
	uint32_t states, columns, stops;
	const uint32_t *next, *gain;
	const uint32_t *column_of; /* [stop] */
	const uint16_t *weight;	   /* [stop] */
	/* computed here: classes of states, their rows over the columns, and their ways */
	uint32_t classes;
	uint32_t *class_of; /* [state] */
	uint32_t *row;	    /* [class * columns + column]: class on the next reel */
	exact_count *ways;  /* [class] */
};

struct walk {
	uint32_t reels;
	struct reel_machine *machine; /* NULL for a guarantee of symbols */
	uint32_t *counted;	      /* owned, for a guarantee of symbols */
	struct walk_reel reel[GAME_REELS_MAX];
};

static void walk_free(struct walk *walk)
{
	reel_machine_free(&walk->machine);
	free(walk->counted);
	for (uint32_t r = 0; r < walk->reels; r++) {
		free(walk->reel[r].class_of);
		free(walk->reel[r].row);
		free(walk->reel[r].ways);
	}
}

/* ---- what the guarantee looks at ---- */

static bool walk_lines(const struct game *game, uint32_t set, uint32_t wild_reels, uint32_t lines,
	struct walk *walk)
{
	struct machine_input input = { .game = game, .lines = lines };
	struct machine_column *columns = malloc(sizeof(*columns) * GAME_REELS_MAX * GAME_STRIP_MAX);

	if (!columns)
		return false;
	for (uint32_t r = 0; r < game->reels; r++) {
		struct machine_column *of_reel = columns + (size_t)r * GAME_STRIP_MAX;

		input.reel[r].column = of_reel;
		input.reel[r].count = machine_columns(game, set, r, wild_reels, NULL, of_reel);
	}
	walk->machine = reel_machine_new(&input);
	free(columns);
	for (uint32_t r = 0; walk->machine && r < game->reels; r++) {
		const struct machine_reel_states *of = &walk->machine->reel[r];

		walk->reel[r].states = of->states;
		walk->reel[r].columns = of->columns;
		walk->reel[r].next = of->next;
		walk->reel[r].gain = of->gain;
		walk->reel[r].column_of = of->column_of;
	}
	return walk->machine != NULL;
}

/* A column is the number of the symbol it shows, a state the number shown before. */
static bool walk_symbols(const struct game *game, const struct game_mode *mode, uint32_t wild_reels,
	struct walk *walk)
{
	uint32_t columns = game->rows + 1, states = mode->guarantee_min;
	size_t cells = (size_t)states * columns;
	uint32_t *at = calloc(2 * cells + (size_t)game->reels * GAME_STRIP_MAX, sizeof(*at));
	uint32_t tag_of[GAME_SYMBOLS_MAX] = { 0 };
	struct machine_column shown[GAME_STRIP_MAX];

	walk->counted = at;
	if (!at)
		return false;
	tag_of[mode->guarantee_symbol] = 1;
	for (uint32_t state = 0; state < states; state++)
		for (uint32_t count = 0; count < columns; count++) {
			size_t cell = (size_t)state * columns + count;
			bool kept = state + count >= states;

			at[cell] = kept ? 0 : state + count;
			at[cells + cell] = kept;
		}
	for (uint32_t r = 0; r < game->reels; r++) {
		uint32_t *column_of = at + 2 * cells + (size_t)r * GAME_STRIP_MAX;
		uint32_t stops = machine_columns(game, mode->strips, r, wild_reels, tag_of, shown);

		for (uint32_t i = 0; i < stops; i++)
			column_of[i] = shown[i].tag;
		walk->reel[r].states = r == 0 ? 1 : states;
		walk->reel[r].columns = columns;
		walk->reel[r].next = at;
		walk->reel[r].gain = at + cells;
		walk->reel[r].column_of = column_of;
	}
	return true;
}

/* ---- classes, from the last reel back ---- */

static uint32_t row_hash(const uint32_t *row, uint32_t count)
{
	uint64_t hash = count;

	for (uint32_t i = 0; i < count; i++) {
		hash = (hash ^ row[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return (uint32_t)hash;
}

/* The class of the row at the end of reel->row, which may exist already. */
static uint32_t class_of_row(struct walk_reel *reel, uint32_t *bucket, uint32_t buckets)
{
	const uint32_t *row = reel->row + (size_t)reel->classes * reel->columns;
	uint32_t at = row_hash(row, reel->columns) & (buckets - 1);

	for (; bucket[at] != 0; at = (at + 1) & (buckets - 1))
		if (memcmp(reel->row + (size_t)(bucket[at] - 1) * reel->columns, row,
			    reel->columns * sizeof(*row)) == 0)
			return bucket[at] - 1;
	bucket[at] = reel->classes + 1;
	return reel->classes++;
}

static uint32_t class_after(
	const struct walk_reel *reel, const struct walk_reel *after, size_t cell)
{
	if (reel->gain[cell] != 0)
		return CLASS_KEPT;
	return after ? after->class_of[reel->next[cell]] : CLASS_LOST;
}

static bool reel_classes(struct walk_reel *reel, const struct walk_reel *after)
{
	uint32_t buckets = 16, *bucket;

	while (buckets < 2 * (reel->states + 2))
		buckets *= 2;
	bucket = calloc(buckets, sizeof(*bucket));
	reel->class_of = malloc(reel->states * sizeof(*reel->class_of));
	reel->row = malloc(((size_t)reel->states + 2) * reel->columns * sizeof(*reel->row));
	if (!bucket || !reel->class_of || !reel->row) {
		free(bucket);
		return false;
	}
	for (uint32_t kind = CLASS_LOST; kind <= CLASS_KEPT; kind++) {
		for (uint32_t c = 0; c < reel->columns; c++)
			reel->row[(size_t)reel->classes * reel->columns + c] = kind;
		class_of_row(reel, bucket, buckets);
	}
	for (uint32_t state = 0; state < reel->states; state++) {
		for (uint32_t c = 0; c < reel->columns; c++)
			reel->row[(size_t)reel->classes * reel->columns + c] =
				class_after(reel, after, (size_t)state * reel->columns + c);
		reel->class_of[state] = class_of_row(reel, bucket, buckets);
	}
	free(bucket);
	return true;
}

static bool reel_ways(struct walk_reel *reel, const struct walk_reel *after)
{
	static const exact_count at_end[] = { [CLASS_LOST] = 0, [CLASS_KEPT] = 1 };
	const exact_count *follow = after ? after->ways : at_end;

	reel->ways = calloc(reel->classes, sizeof(*reel->ways));
	if (!reel->ways)
		return false;
	for (uint32_t k = 0; k < reel->classes; k++)
		for (uint32_t i = 0; i < reel->stops; i++) {
			const uint32_t *row = reel->row + (size_t)k * reel->columns;

			reel->ways[k] += follow[row[reel->column_of[i]]] * reel->weight[i];
		}
	return true;
}

/* Fills classes and ways of all reels. Products of six reels stay below 2^60. */
static bool walk_count(const struct game *game, uint32_t set, struct walk *walk)
{
	bool made = true;

	assert(walk->reels > 0);
	for (uint32_t r = walk->reels; made && r-- > 0;) {
		struct walk_reel *reel = &walk->reel[r];
		const struct walk_reel *after = r + 1 < walk->reels ? reel + 1 : NULL;
		const struct game_strip *strip = &game->strips[set].reel[r];

		reel->stops = strip->length;
		reel->weight = strip->stop_weight;
		made = reel_classes(reel, after) && reel_ways(reel, after);
	}
	return made;
}

static exact_count walk_total(const struct walk *walk)
{
	return walk->reel[0].ways[walk->reel[0].class_of[0]];
}

/* ---- the tables ---- */

/* The first reel has one state, the others one for each class. Class 0 stays although nothing leads
 * there, so that numbers need no translation. */
static bool rank_reel(const struct walk *walk, uint32_t r, struct spin_rank_reel *reel_r)
{
	static const exact_count at_end[] = { [CLASS_LOST] = 0, [CLASS_KEPT] = 1 };
	const struct walk_reel *reel = &walk->reel[r];
	const exact_count *follow = r + 1 < walk->reels ? walk->reel[r + 1].ways : at_end;
	uint32_t states = r == 0 ? 1 : reel->classes;
	uint32_t *next = malloc((size_t)states * reel->stops * sizeof(*next));
	uint64_t *below = malloc((size_t)states * reel->stops * sizeof(*below));

	*reel_r = (struct spin_rank_reel){
		.states = states, .stops = reel->stops, .next = next, .below = below
	};
	if (!next || !below)
		return false;
	for (uint32_t state = 0; state < states; state++) {
		uint32_t k = r == 0 ? reel->class_of[0] : state;
		exact_count sum = 0;

		for (uint32_t i = 0; i < reel->stops; i++) {
			size_t cell = (size_t)state * reel->stops + i;

			next[cell] = reel->row[(size_t)k * reel->columns + reel->column_of[i]];
			sum += follow[next[cell]] * reel->weight[i];
			below[cell] = (uint64_t)sum;
		}
	}
	return true;
}

static enum spin_rank_status rank_position(const struct game *game, const struct game_mode *mode,
	uint64_t weight, struct spin_rank_position *position)
{
	struct walk walk = { .reels = game->reels };
	enum spin_rank_status status = SPIN_RANK_NO_MEMORY;
	bool made =
		mode->guarantee == GUARANTEE_LINE_WIN
			? walk_lines(game, mode->strips, position->reels, game->line_count, &walk)
			: walk_symbols(game, mode, position->reels, &walk);
	exact_count total;

	if (!made || !walk_count(game, mode->strips, &walk))
		goto out;
	total = walk_total(&walk);
	status = SPIN_RANK_TOO_MANY;
	if (total > COUNT_MAX / weight)
		goto out;
	position->count = (uint64_t)total;
	position->weight = (uint64_t)total * weight;
	status = SPIN_RANK_NO_MEMORY;
	for (uint32_t r = 0; r < game->reels; r++)
		if (!rank_reel(&walk, r, &position->reel[r]))
			goto out;
	status = SPIN_RANK_OK;
out:
	walk_free(&walk);
	return status;
}

enum spin_rank_status spin_rank_build(
	const struct game *game, uint32_t mode_index, const struct spin_rank **rank_r)
{
	const struct game_mode *mode = &game->mode[mode_index];
	struct spin_rank *rank = calloc(1, sizeof(*rank));
	enum spin_rank_status status = rank ? SPIN_RANK_OK : SPIN_RANK_NO_MEMORY;
	uint32_t positions = mode->position_count > 0 ? mode->position_count : 1;

	*rank_r = rank;
	for (uint32_t i = 0; status == SPIN_RANK_OK && i < positions; i++) {
		struct spin_rank_position *position = &rank->position[i];
		bool bought = mode->position_count > 0;

		rank->reels = game->reels;
		rank->position_count = i + 1;
		position->reels = bought ? mode->position[i].reels : 0;
		status = rank_position(game, mode, bought ? mode->position[i].weight : 1, position);
		if (status == SPIN_RANK_OK && position->weight > (uint64_t)INT64_MAX - rank->weight)
			status = SPIN_RANK_TOO_MANY;
		rank->weight += position->weight;
	}
	if (status == SPIN_RANK_OK && rank->weight == 0)
		status = SPIN_RANK_NONE;
	if (status != SPIN_RANK_OK)
		spin_rank_free(rank_r);
	return status;
}

/* The tables are constant for their readers; the owner frees them. */
static void free_const(const void *block)
{
	free((void *)(uintptr_t)block);
}

void spin_rank_free(const struct spin_rank **rank)
{
	if (!*rank)
		return;
	for (uint32_t i = 0; i < (*rank)->position_count; i++)
		for (uint32_t r = 0; r < (*rank)->reels; r++) {
			free_const((*rank)->position[i].reel[r].next);
			free_const((*rank)->position[i].reel[r].below);
		}
	free_const(*rank);
	*rank = NULL;
}

enum spin_rank_status spin_rank_win_share(
	const struct game *game, uint32_t set, uint32_t lines, double *share_r)
{
	struct walk walk = { .reels = game->reels };
	bool made = walk_lines(game, set, 0, lines, &walk) && walk_count(game, set, &walk);

	if (made)
		*share_r = (double)walk_total(&walk) / (double)walk.machine->total;
	walk_free(&walk);
	return made ? SPIN_RANK_OK : SPIN_RANK_NO_MEMORY;
}
