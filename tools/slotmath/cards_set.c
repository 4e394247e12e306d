#include "tools/slotmath/cards_set.h"

#include "libcommon/base/currency.h"
#include "tools/slotmath/options.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PPM 1000000
#define WEIGHT_MAX 1000000000
#define SEED_MAX INT64_C(1000000000000)
#define ODDS_MAX INT64_C(10000000000)

static const char *const suits[CARDS_LEVELS] = { "clubs", "diamonds", "hearts", "spades" };

/* The file being read and where in it. */
struct place {
	const char *file;
	char at[96];
};

static _Noreturn void wrong(const struct place *place, const json_t *found, const char *expected)
{
	char *text = found ? json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

	refuse("%s: %s: found %.80s, expected %s", place->file, place->at, text ? text : "nothing",
		expected);
}

static struct place inside(const struct place *place, const char *name)
{
	struct place in = { .file = place->file };

	snprintf(in.at, sizeof(in.at), "%.40s/%.40s", place->at[1] ? place->at : "", name);
	return in;
}

static int64_t number_of(
	const struct place *place, const json_t *object, const char *name, int64_t min, int64_t max)
{
	const json_t *found = json_object_get(object, name);
	struct place in = inside(place, name);
	char expected[80];

	snprintf(expected, sizeof(expected), "a whole number from %lld to %lld", (long long)min,
		(long long)max);
	if (!json_is_integer(found) || json_integer_value(found) < min ||
		json_integer_value(found) > max)
		wrong(&in, found, expected);
	return json_integer_value(found);
}

static void read_level(
	const struct place *place, const json_t *json, size_t i, struct cards_set *set)
{
	struct cards_level *level = &set->level[i];
	const char *suit = json_string_value(json_object_get(json, "suit"));
	struct place in = inside(place, "suit");

	if (!suit || strcmp(suit, suits[i]) != 0)
		wrong(&in, json_object_get(json, "suit"), suits[i]);
	level->suit = suits[i];
	level->seed_minor = number_of(place, json, "seed_eur_minor",
		i > 0 ? set->level[i - 1].seed_minor + 1 : 1, SEED_MAX);
	level->wager_ppm = number_of(place, json, "wager_ppm", 0, PPM);
	level->weight = number_of(place, json, "weight", 0, WEIGHT_MAX);
}

static void read_levels(const struct place *place, const json_t *json, struct cards_set *set)
{
	struct place in = inside(place, "levels");
	int64_t ppm = 0, weights = 0;
	char at[24];

	if (json_array_size(json) != CARDS_LEVELS)
		wrong(&in, json, "four levels: clubs, diamonds, hearts, spades");
	for (size_t i = 0; i < CARDS_LEVELS; i++) {
		struct place deeper;

		snprintf(at, sizeof(at), "%zu", i);
		deeper = inside(&in, at);
		read_level(&deeper, json_array_get(json, i), i, set);
		ppm += set->level[i].wager_ppm;
		weights += set->level[i].weight;
	}
	if (ppm > PPM)
		wrong(&in, json, "parts of the wager that sum to at most 1000000");
	if (weights == 0)
		wrong(&in, json, "a weight above 0");
}

static void read_odds(const struct place *place, json_t *json, struct cards_set *set)
{
	struct place in = inside(place, "odds");
	const char *code;
	json_t *odds;

	if (!json_is_object(json) || json_object_size(json) == 0 ||
		json_object_size(json) > CARDS_CURRENCIES_MAX)
		wrong(&in, json, "an object of currencies");
	json_object_foreach(json, code, odds)
	{
		struct cards_currency *currency = &set->currency[set->currency_count++];
		struct place deeper = inside(&in, code);
		const struct currency *known = currency_by_code(code);

		if (!known)
			wrong(&deeper, odds, "a currency's code above it");
		snprintf(currency->code, sizeof(currency->code), "%s", code);
		currency->exponent = known->exponent;
		currency->of = number_of(&deeper, odds, "of", 1, ODDS_MAX);
		currency->in = number_of(&deeper, odds, "in", 0, currency->of);
	}
}

void cards_set_read(const char *path, struct cards_set *set_r)
{
	struct place place = { .file = path, .at = "/" };
	json_error_t fault;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &fault);
	const char *id;

	if (!root)
		refuse("%s: at line %d, column %d: found %s, expected JSON", path, fault.line,
			fault.column, fault.text);
	memset(set_r, 0, sizeof(*set_r));
	id = json_string_value(json_object_get(root, "set"));
	if (!id || !id[0] || strlen(id) >= sizeof(set_r->id)) {
		struct place in = inside(&place, "set");

		wrong(&in, json_object_get(root, "set"), "the name of the set");
	}
	memcpy(set_r->id, id, strlen(id) + 1);
	set_r->number = number_of(&place, root, "set_number", 1, 65535);
	read_levels(&place, json_object_get(root, "levels"), set_r);
	read_odds(&place, json_object_get(root, "odds"), set_r);
	json_decref(root);
}
