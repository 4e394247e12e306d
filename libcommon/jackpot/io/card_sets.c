/* Reads sets of Jackpot Cards from their files. */
#include "libcommon/jackpot/io/card_sets.h"

#include "libcommon/base/currency.h"

#include <jansson.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOUND_MAX 96

/* Writes the error; always false. `found` NULL: the member is missing. */
static __attribute__((format(printf, 5, 6))) bool refuse(char *error, const char *name,
	const char *pointer, json_t *found, const char *expected, ...)
{
	char wanted[128];
	char *text = found != NULL ? json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
	va_list arguments;
	va_start(arguments, expected);
	(void)vsnprintf(wanted, sizeof(wanted), expected, arguments);
	va_end(arguments);
	(void)snprintf(error, CARD_SETS_ERROR_MAX, "%.150s: %.60s: found %.80s, expected %s", name,
		pointer, text != NULL ? text : "nothing", wanted);
	free(text);
	return false;
}

static bool keys_known(
	const char *name, const char *pointer, json_t *object, const char *const *keys, char *error)
{
	const char *key;
	json_t *value;
	if (!json_is_object(object))
		return refuse(error, name, pointer, object, "an object");
	json_object_foreach(object, key, value)
	{
		size_t i = 0;
		while (keys[i] != NULL && strcmp(keys[i], key) != 0)
			i++;
		if (keys[i] == NULL)
			return refuse(error, name, pointer, value, "no member \"%.40s\"", key);
	}
	return true;
}

static bool integer(const char *name, const char *pointer, json_t *json, int64_t min, int64_t max,
	int64_t *value_r, char *error)
{
	bool good = json_is_integer(json) && json_integer_value(json) >= min &&
		    json_integer_value(json) <= max;
	if (good)
		*value_r = json_integer_value(json);
	else
		refuse(error, name, pointer, json, "a whole number, %" PRId64 " to %" PRId64, min,
			max);
	return good;
}

static bool read_level(
	const char *name, json_t *json, int i, struct card_set_config *terms, char *error)
{
	static const char *const KEYS[] = { "suit", "seed_eur_minor", "wager_ppm", "weight", NULL };
	static const char *const SUITS[] = { "clubs", "diamonds", "hearts", "spades" };
	char pointer[48];
	int64_t weight;
	const char *suit = SUITS[i];
	(void)snprintf(pointer, sizeof(pointer), "/levels/%d", i);
	if (!keys_known(name, pointer, json, KEYS, error))
		return false;
	(void)snprintf(pointer, sizeof(pointer), "/levels/%d/suit", i);
	json_t *found = json_object_get(json, "suit");
	if (!json_is_string(found) || strcmp(json_string_value(found), suit) != 0)
		return refuse(error, name, pointer, found, "\"%s\"", suit);
	(void)snprintf(pointer, sizeof(pointer), "/levels/%d/seed_eur_minor", i);
	if (!integer(name, pointer, json_object_get(json, "seed_eur_minor"),
		    i > 0 ? terms->seed_minor[i - 1] + 1 : 1, CARD_SETS_SEED_MAX,
		    &terms->seed_minor[i], error))
		return false;
	(void)snprintf(pointer, sizeof(pointer), "/levels/%d/wager_ppm", i);
	if (!integer(name, pointer, json_object_get(json, "wager_ppm"), 0, 1000000,
		    &terms->wager_ppm[i], error))
		return false;
	(void)snprintf(pointer, sizeof(pointer), "/levels/%d/weight", i);
	if (!integer(name, pointer, json_object_get(json, "weight"), 0, CARD_SETS_WEIGHT_MAX,
		    &weight, error))
		return false;
	terms->weight[i] = (uint32_t)weight;
	return true;
}

static bool read_levels(const char *name, json_t *root, struct card_set_config *set, char *error)
{
	json_t *levels = json_object_get(root, "levels");
	int64_t sum = 0, weights = 0;
	if (!json_is_array(levels) || json_array_size(levels) != CARD_SETS_LEVELS)
		return refuse(
			error, name, "/levels", levels, "an array of %d levels", CARD_SETS_LEVELS);
	for (int i = 0; i < CARD_SETS_LEVELS; i++) {
		if (!read_level(name, json_array_get(levels, (size_t)i), i, set, error))
			return false;
		sum += set->wager_ppm[i];
		weights += set->weight[i];
	}
	if (sum > 1000000)
		return refuse(
			error, name, "/levels", levels, "wager_ppm that sum to at most 1000000");
	if (weights < 1 || weights > CARD_SETS_WEIGHT_MAX)
		return refuse(error, name, "/levels", levels, "weights that sum to 1 to %d",
			CARD_SETS_WEIGHT_MAX);
	return true;
}

/* Reads the odds of one minor unit. With `in` 0 Jackpot Cards would never start. */
static bool read_odds(const char *name, json_t *root, struct card_set_config *set, char *error)
{
	static const char *const KEYS[] = { "in", "of", NULL };
	json_t *odds = json_object_get(root, "odds"), *json;
	const char *code;
	if (!json_is_object(odds) || json_object_size(odds) < 1 ||
		json_object_size(odds) > CARD_SETS_ODDS_MAX)
		return refuse(error, name, "/odds", odds, "an object of 1 to %d currencies",
			CARD_SETS_ODDS_MAX);
	json_object_foreach(odds, code, json)
	{
		char pointer[48];
		const struct currency *currency = currency_by_code(code);
		int64_t in, of;
		(void)snprintf(pointer, sizeof(pointer), "/odds/%.8s", code);
		if (currency == NULL)
			return refuse(error, name, pointer, json,
				"a known currency's code as this member's name");
		if (!keys_known(name, pointer, json, KEYS, error))
			return false;
		(void)snprintf(pointer, sizeof(pointer), "/odds/%.8s/of", code);
		if (!integer(name, pointer, json_object_get(json, "of"), 1, CARD_SETS_OF_MAX, &of,
			    error))
			return false;
		(void)snprintf(pointer, sizeof(pointer), "/odds/%.8s/in", code);
		if (!integer(name, pointer, json_object_get(json, "in"), 1, of, &in, error))
			return false;
		set->odds[set->odds_count++] =
			(struct card_set_odds){ currency->number, (uint64_t)in, (uint64_t)of };
	}
	return true;
}

static bool read_set(const char *name, json_t *root, struct card_set_config *set, char *error)
{
	static const char *const KEYS[] = { "set", "set_number", "levels", "odds", NULL };
	int64_t number;
	if (!keys_known(name, "/", root, KEYS, error) ||
		!integer(name, "/set_number", json_object_get(root, "set_number"), 1, 65535,
			&number, error))
		return false;
	set->number = (uint32_t)number;
	json_t *id = json_object_get(root, "set");
	const char *text = json_is_string(id) ? json_string_value(id) : "";
	if (strlen(text) < 1 || strlen(text) >= CARD_SET_ID_MAX ||
		strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-_") != strlen(text))
		return refuse(error, name, "/set", id,
			"a name of 1 to %d characters of a-z, 0-9, - and _", CARD_SET_ID_MAX - 1);
	memcpy(set->id, text, strlen(text) + 1);
	return read_levels(name, root, set, error) && read_odds(name, root, set, error);
}

bool card_sets_parse(const char *name, const char *text, size_t length,
	struct card_set_config *set_r, char *error)
{
	json_error_t fault;
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault);
	memset(set_r, 0, sizeof(*set_r));
	error[0] = '\0';
	if (root == NULL) {
		(void)snprintf(error, CARD_SETS_ERROR_MAX,
			"%.150s: at line %d, column %d: found %.160s, expected JSON", name,
			fault.line, fault.column, fault.text);
		return false;
	}
	bool good = read_set(name, root, set_r, error);
	json_decref(root);
	return good;
}

static bool load_one(const char *path, struct card_sets *sets, char *error)
{
	char text[16 * 1024];
	FILE *file = fopen(path, "rb");
	size_t length = file != NULL ? fread(text, 1, sizeof(text), file) : 0;
	bool readable = file != NULL && !ferror(file);
	int reason = errno;
	if (file != NULL)
		(void)fclose(file);
	if (!readable)
		(void)snprintf(error, CARD_SETS_ERROR_MAX,
			"%.300s: found %s, expected a readable file", path, strerror(reason));
	else if (length == sizeof(text))
		(void)snprintf(error, CARD_SETS_ERROR_MAX,
			"%.300s: found a file of %zu bytes or more, expected fewer", path,
			sizeof(text));
	else if (sets->count == CARD_SETS_MAX)
		(void)snprintf(error, CARD_SETS_ERROR_MAX,
			"%.300s: found a set after %d others, expected at most %d sets", path,
			CARD_SETS_MAX, CARD_SETS_MAX);
	if (!readable || length == sizeof(text) || sets->count == CARD_SETS_MAX)
		return false;
	struct card_set_config *set = &sets->set[sets->count];
	if (!card_sets_parse(path, text, length, set, error))
		return false;
	for (size_t i = 0; i < sets->count; i++) {
		if (sets->set[i].number != set->number)
			continue;
		(void)snprintf(error, CARD_SETS_ERROR_MAX,
			"%.200s: /set_number: found %u, which set \"%s\" already has, expected "
			"another number",
			path, set->number, sets->set[i].id);
		return false;
	}
	sets->count++;
	return true;
}

static int json_file(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);
	return entry->d_name[0] != '.' && length > 5 &&
	       strcmp(entry->d_name + length - 5, ".json") == 0;
}

bool card_sets_load(const char *setting, const char *folder, struct card_sets *sets_r, char *error)
{
	struct dirent **names;
	char path[PATH_MAX];
	sets_r->count = 0;
	error[0] = '\0';
	int n = scandir(folder, &names, json_file, alphasort);
	if (n < 0) {
		(void)snprintf(error, CARD_SETS_ERROR_MAX,
			"%s: found %.200s (%s), expected a folder of sets", setting, folder,
			strerror(errno));
		return false;
	}
	bool good = true;
	for (int i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path), "%.3000s/%s", folder, names[i]->d_name);
		good = good && load_one(path, sets_r, error);
		free(names[i]);
	}
	free(names);
	if (good && sets_r->count == 0) {
		(void)snprintf(error, CARD_SETS_ERROR_MAX,
			"%s: found no .json in %.200s, expected at least one", setting, folder);
		return false;
	}
	return good;
}

const struct card_set_config *card_sets_find(const struct card_sets *sets, uint32_t number)
{
	for (size_t i = 0; i < sets->count; i++)
		if (sets->set[i].number == number)
			return &sets->set[i];
	return NULL;
}

const struct card_set_odds *card_set_odds(const struct card_set_config *set, uint32_t currency)
{
	for (size_t i = 0; i < set->odds_count; i++)
		if (set->odds[i].currency == currency)
			return &set->odds[i];
	return NULL;
}
