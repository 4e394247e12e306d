/* Reads a stage of a search file. */
#include "tools/slotmath/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 200000
#define STEPS_MAX 100000000

static uint32_t symbol_of(const struct game *game, size_t stage, const char *where, const char *id)
{
	for (uint32_t s = 0; s < game->symbol_count; s++)
		if (strcmp(game->symbol[s].id, id) == 0)
			return s;
	refuse("search: /stages/%zu/%s: found '%s', expected the id of a symbol", stage, where, id);
}

#define PLACE_MAX 96 /* bytes of a place in a stage; longer names are shortened */

static const char *text_of(const json_t *object, size_t stage, const char *key, bool needed)
{
	const json_t *value = json_object_get(object, key);

	if (!value && !needed)
		return NULL;
	if (!json_is_string(value))
		refuse("search: /stages/%zu/%s: found %s, expected a string", stage, key,
			value ? "another type" : "nothing");
	return json_string_value(value);
}

/* "96.08" (percent) as a part of 1. `where` is the whole place. */
static void percent_of(const char *where, const char *text, mpq_t out)
{
	char digits[32];
	size_t length = strlen(text), n = 0, behind = 0;
	const char *point = strchr(text, '.');
	mpq_t scale;

	for (size_t i = 0; i < length; i++) {
		bool digit = text[i] >= '0' && text[i] <= '9';

		if ((!digit && text + i != point) || n + 1 >= sizeof(digits))
			refuse("%s: found '%s', expected a percentage such as \"96.08\"", where,
				text);
		if (digit)
			digits[n++] = text[i];
		behind += digit && point && text + i > point;
	}
	digits[n] = 0;
	if (n == 0)
		refuse("%s: found '%s', expected a percentage such as \"96.08\"", where, text);
	mpq_set_str(out, digits, 10);
	mpq_init(scale);
	mpz_ui_pow_ui(mpq_denref(scale), 10, behind + 2);
	mpz_set_ui(mpq_numref(scale), 1);
	mpq_mul(out, out, scale);
	mpq_clear(scale);
}

static void stage_percent(const char *text, size_t stage, const char *key, mpq_t out)
{
	char where[PLACE_MAX];

	snprintf(where, sizeof(where), "search: /stages/%zu/%s", stage, key);
	percent_of(where, text, out);
}

static int64_t number_at(const json_t *value, size_t stage, const char *where, int64_t min,
	int64_t max, int64_t fallback)
{
	if (!value && fallback >= 0)
		return fallback;
	if (!json_is_integer(value) || json_integer_value(value) < min ||
		json_integer_value(value) > max)
		refuse("search: /stages/%zu/%s: found %s, expected a whole number from %lld to %lld",
			stage, where, value ? "something else" : "nothing", (long long)min,
			(long long)max);
	return json_integer_value(value);
}

static int64_t number_of(const json_t *object, size_t stage, const char *key, int64_t min,
	int64_t max, int64_t fallback)
{
	return number_at(json_object_get(object, key), stage, key, min, max, fallback);
}

static void read_reel(const json_t *reel, size_t stage, uint32_t r, const struct game *game,
	struct search_reel *reel_r)
{
	char where[PLACE_MAX];
	const char *id;
	const json_t *count;
	uint32_t sum = 0;

	snprintf(where, sizeof(where), "reels/%u", r);
	if (!json_is_object(reel))
		refuse("search: /stages/%zu/reels/%u: found %s, expected an object", stage, r,
			reel ? "another type" : "nothing");
	json_object_foreach((json_t *)(uintptr_t)reel, id, count)
	{
		uint32_t s = symbol_of(game, stage, where, id);
		json_int_t least =
			json_integer_value(json_is_array(count) ? json_array_get(count, 0) : count);
		json_int_t most =
			json_integer_value(json_is_array(count) ? json_array_get(count, 1) : count);

		if (least < 0 || most < least || most > GAME_STRIP_MAX)
			refuse("search: /stages/%zu/reels/%u/%s: found something else, expected a "
			       "number from 0 to %d, or [least, most]",
				stage, r, id, GAME_STRIP_MAX);
		reel_r->least[s] = (uint32_t)least;
		reel_r->most[s] = (uint32_t)most;
		sum += (uint32_t)least;
	}
	if (sum == 0 || sum > GAME_STRIP_MAX)
		refuse("search: /stages/%zu/reels/%u: found at least %u symbols, expected 1 to %d",
			stage, r, sum, GAME_STRIP_MAX);
}

static void read_block(const json_t *block, size_t stage, size_t i, const struct game *game,
	struct search_block *out)
{
	const json_t *symbols = json_object_get(block, "symbols");
	char where[PLACE_MAX];

	if (json_array_size(symbols) == 0 || json_array_size(symbols) > sizeof(out->symbol))
		refuse("search: /stages/%zu/blocks/%zu/symbols: found %zu entries, expected 1 "
		       "to %zu ids of symbols",
			stage, i, json_array_size(symbols), sizeof(out->symbol));
	snprintf(where, sizeof(where), "blocks/%zu/reel", i);
	out->reel = (uint32_t)number_at(
			    json_object_get(block, "reel"), stage, where, 1, game->reels, -1) -
		    1;
	out->length = (uint32_t)json_array_size(symbols);
	for (uint32_t k = 0; k < out->length; k++) {
		const char *id = json_string_value(json_array_get(symbols, k));

		snprintf(where, sizeof(where), "blocks/%zu/symbols/%u", i, k);
		if (!id)
			refuse("search: /stages/%zu/%s: found another type, expected the id of a "
			       "symbol",
				stage, where);
		out->symbol[k] = (uint8_t)symbol_of(game, stage, where, id);
	}
}

static void read_blocks(
	const json_t *blocks, size_t stage, const struct game *game, struct search_stage *stage_r)
{
	const json_t *block;
	size_t i;

	json_array_foreach(blocks, i, block)
	{
		if (i == SEARCH_BLOCKS_MAX)
			refuse("search: /stages/%zu/blocks: found %zu blocks, expected at most %d",
				stage, json_array_size(blocks), SEARCH_BLOCKS_MAX);
		read_block(block, stage, i, game, &stage_r->block[i]);
		stage_r->block_count++;
	}
}

static void read_runs(
	const json_t *json, size_t stage, const struct game *game, struct search_stage *stage_r)
{
	const json_t *runs = json_object_get(json, "runs"), *length;
	const char *id;

	for (uint32_t s = 0; s < GAME_SYMBOLS_MAX; s++)
		stage_r->run[s] = 1;
	stage_r->has_runs = runs != NULL;
	json_object_foreach((json_t *)(uintptr_t)runs, id, length)
	{
		json_int_t many = json_integer_value(length);

		if (many < 1 || many > GAME_STRIP_MAX)
			refuse("search: /stages/%zu/runs/%s: found something else, expected a "
			       "number from 1 to %d",
				stage, id, GAME_STRIP_MAX);
		stage_r->run[symbol_of(game, stage, "runs", id)] = (uint32_t)many;
	}
	if (stage_r->has_runs && stage_r->block_count > 0)
		refuse("search: /stages/%zu: found both runs and blocks, expected only one of "
		       "them",
			stage);
}

static uint32_t weight_read(const json_t *value, size_t stage, const char *where)
{
	json_int_t weight = json_integer_value(value);

	if (weight < 1 || weight > GAME_STOP_WEIGHT_MAX)
		refuse("search: /stages/%zu/%s: found %s, expected a number from 1 to %d", stage,
			where, value ? "something else" : "nothing", GAME_STOP_WEIGHT_MAX);
	return (uint32_t)weight;
}

static void read_weights(
	const json_t *json, size_t stage, const struct game *game, struct search_stage *stage_r)
{
	const json_t *weights = json_object_get(json, "weights"), *weight;
	char where[PLACE_MAX];
	const char *id;

	stage_r->weight_each = 1;
	if (!weights)
		return;
	stage_r->weight_each = weight_read(json_object_get(weights, "each"), stage, "weights/each");
	json_object_foreach(json_object_get(weights, "showing"), id, weight)
	{
		uint32_t s = symbol_of(game, stage, "weights/showing", id);

		snprintf(where, sizeof(where), "weights/showing/%s", game->symbol[s].id);
		stage_r->weight_showing[s] = weight_read(weight, stage, where);
	}
}

static void read_also(const json_t *json, size_t stage, struct search_stage *stage_r)
{
	const json_t *also = json_object_get(json, "also"), *pointer;
	size_t i;

	json_array_foreach(also, i, pointer)
	{
		if (i == SEARCH_ALSO_MAX || !json_is_string(pointer))
			refuse("search: /stages/%zu/also: found %s, expected at most %d JSON "
			       "pointers",
				stage,
				json_is_string(pointer) ? "more" : "an entry that is no string",
				SEARCH_ALSO_MAX);
		snprintf(stage_r->also[i], sizeof(stage_r->also[i]), "%s",
			json_string_value(pointer));
		stage_r->also_count++;
	}
}

static void read_strips(
	const json_t *json, size_t stage, const struct draft *draft, struct search_stage *stage_r)
{
	const struct game *game = draft->game;
	const json_t *reels = json_object_get(json, "reels"), *distance;
	const char *set = text_of(json, stage, "strips", true), *id;

	while (stage_r->set < game->strip_sets && strcmp(game->strips[stage_r->set].id, set) != 0)
		stage_r->set++;
	if (stage_r->set == game->strip_sets)
		refuse("search: /stages/%zu/strips: found '%s', expected a set of the definition",
			stage, set);
	if (json_array_size(reels) != game->reels)
		refuse("search: /stages/%zu/reels: found %zu entries, expected %u, one for "
		       "each reel",
			stage, json_array_size(reels), game->reels);
	for (uint32_t r = 0; r < game->reels; r++)
		read_reel(json_array_get(reels, r), stage, r, game, &stage_r->reel[r]);
	for (uint32_t s = 0; s < GAME_SYMBOLS_MAX; s++)
		stage_r->apart[s] = 1;
	json_object_foreach(json_object_get(json, "apart"), id, distance)
		stage_r->apart[symbol_of(game, stage, "apart", id)] =
		(uint32_t)json_integer_value(distance);
	read_blocks(json_object_get(json, "blocks"), stage, game, stage_r);
	read_runs(json, stage, game, stage_r);
	read_weights(json, stage, game, stage_r);
	stage_r->astray = (uint32_t)number_of(json, stage, "astray", 2, STEPS_MAX, 0);
	stage_r->has_seed = json_object_get(json, "seed") != NULL;
	stage_r->seed = (uint64_t)number_of(json, stage, "seed", 0, INT32_MAX, 0);
	stage_r->steps = (uint32_t)number_of(json, stage, "steps", 1, STEPS_MAX, STEPS);
}

static void read_hit_rate(const json_t *json, size_t stage, struct search_stage *stage_r)
{
	const json_t *range = json_object_get(json, "hit_rate");

	if (!range)
		return;
	if (!json_is_string(json_array_get(range, 0)) || !json_is_string(json_array_get(range, 1)))
		refuse("search: /stages/%zu/hit_rate: found something else, expected two "
		       "percentages, such as [\"20\", \"35\"]",
			stage);
	stage_percent(json_string_value(json_array_get(range, 0)), stage, "hit_rate/0",
		stage_r->hit_least);
	stage_percent(json_string_value(json_array_get(range, 1)), stage, "hit_rate/1",
		stage_r->hit_most);
	if (mpq_cmp(stage_r->hit_least, stage_r->hit_most) > 0)
		refuse("search: /stages/%zu/hit_rate: found the larger value first, expected "
		       "minimum, maximum",
			stage);
	stage_r->has_hit_rate = true;
}

/* A misspelt member must not be ignored. */
static void only_known(const json_t *json, size_t stage, const char *const *known)
{
	const char *name;
	json_t *member;

	json_object_foreach((json_t *)(uintptr_t)json, name, member)
	{
		char names[256] = "";
		size_t i = 0, n = 0;

		for (; known[i] && strcmp(known[i], name) != 0; i++)
			n += (size_t)snprintf(names + n, sizeof(names) - n, " %s", known[i]);
		if (!known[i])
			refuse("search: /stages/%zu/%s: found an unknown member, expected one "
			       "of:%s",
				stage, name, names);
	}
}

/* The command line overrides the file. */
static void read_options(const struct options *options, struct search_stage *stage_r)
{
	char low[32], high[32];

	if (options->target_rtp[0] && stage_r->has_target)
		percent_of("--target-rtp", options->target_rtp, stage_r->target);
	if (options->hit_rate[0]) {
		if (sscanf(options->hit_rate, "%31[0-9.]-%31[0-9.]", low, high) != 2)
			refuse("--hit-rate: found '%s', expected MIN-MAX in percent",
				options->hit_rate);
		percent_of("--hit-rate", low, stage_r->hit_least);
		percent_of("--hit-rate", high, stage_r->hit_most);
		stage_r->has_hit_rate = true;
	}
	if (options->steps)
		stage_r->steps = (uint32_t)options->steps;
}

void stage_read(const json_t *search, size_t index, const struct options *options,
	const struct draft *draft, struct search_stage *stage_r)
{
	const json_t *json = json_array_get(json_object_get(search, "stages"), index);
	const char *kind = text_of(json, index, "kind", true);
	const char *mode = text_of(json, index, "mode", true);
	const char *target = text_of(json, index, "target", false);
	static const char *const of_strips[] = { "kind", "mode", "target", "hit_rate", "strips",
		"reels", "apart", "blocks", "runs", "weights", "astray", "seed", "steps", NULL };
	static const char *const of_number[] = { "kind", "mode", "target", "hit_rate", "state",
		"pointer", "also", "from", "to", NULL };

	*stage_r = (struct search_stage){ .index = index, .number = strcmp(kind, "number") == 0 };
	if (!stage_r->number && strcmp(kind, "strips") != 0)
		refuse("search: /stages/%zu/kind: found '%s', expected strips or number", index,
			kind);
	only_known(json, index, stage_r->number ? of_number : of_strips);
	mpq_inits(stage_r->target, stage_r->hit_least, stage_r->hit_most, NULL);
	while (stage_r->mode < draft->game->mode_count &&
		strcmp(draft->game->mode[stage_r->mode].id, mode) != 0)
		stage_r->mode++;
	if (stage_r->mode == draft->game->mode_count)
		refuse("search: /stages/%zu/mode: found '%s', expected a mode of the definition",
			index, mode);
	stage_r->has_target = target != NULL;
	if (target)
		stage_percent(target, index, "target", stage_r->target);
	read_hit_rate(json, index, stage_r);
	if (stage_r->number) {
		const char *state = text_of(json, index, "state", false);

		snprintf(stage_r->state, sizeof(stage_r->state), "%s", state ? state : "");
		snprintf(stage_r->pointer, sizeof(stage_r->pointer), "%s",
			text_of(json, index, "pointer", true));
		read_also(json, index, stage_r);
		stage_r->from = number_of(json, index, "from", 0, INT32_MAX, -1);
		stage_r->to = number_of(json, index, "to", stage_r->from, INT32_MAX, -1);
		if (!target)
			refuse("search: /stages/%zu/target: found nothing, expected a percentage",
				index);
	} else {
		read_strips(json, index, draft, stage_r);
	}
	read_options(options, stage_r);
}

void stage_free(struct search_stage *stage)
{
	mpq_clears(stage->target, stage->hit_least, stage->hit_most, NULL);
}
