/* The sheet of exact figures: what it says of the shipped games, above all how each wins its
 * progressive, against the numbers of the definition. */
#include "services/gateway/adapters/par_sheet.h"

#include <gmp.h>
#include <jansson.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *definition_named(const char *id, const char *name)
{
	char path[256];
	json_t *definition;

	snprintf(path, sizeof(path), "services/spin-engine/games/%s/%s", id, name);
	definition = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(definition);
	return definition;
}

static json_t *definition_of(const char *id)
{
	return definition_named(id, "definition.json");
}

static json_t *sheet_of(const json_t *definition)
{
	char *text = json_dumps(definition, JSON_COMPACT), *sheet = par_sheet(text, strlen(text));
	json_t *json = json_loads(sheet, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(json);
	free(text);
	free(sheet);
	return json;
}

static const char *text(const json_t *json, const char *name)
{
	const char *found = json_string_value(json_object_get(json, name));

	if (found == NULL)
		fail_msg("no text %s", name);
	return found;
}

static int64_t number(const json_t *json, const char *name)
{
	return json_integer_value(json_object_get(json, name));
}

static double exact(const json_t *json, const char *name)
{
	double value;
	mpq_t q;

	mpq_init(q);
	assert_int_equal(mpq_set_str(q, text(json, name), 10), 0);
	value = mpq_get_d(q);
	mpq_clear(q);
	return value;
}

/* The bonus comes as often as its symbols say, and one of its outcomes is the jackpot: the weights
 * of the definition, times the bonus rounds of a round, are the chance of a bet of `coins`. */
static double chance_by_weights(const json_t *definition, const json_t *mode, int64_t coins)
{
	const json_t *list = json_object_get(json_object_get(definition, "vials"), "outcomes");
	int64_t won = 0, all = 0;
	double bonus = 0;
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(mode, "features"), i, row)
	{
		if (strcmp(text(row, "name"), "bonus") == 0)
			bonus = 1 / strtod(text(row, "one_in"), NULL);
	}
	json_array_foreach(list, i, row)
	{
		int64_t weight = number(row, "weight") + number(row, "weight_per_coin") * coins;

		all += weight;
		if (strcmp(text(row, "kind"), "jackpot") == 0)
			won += weight;
	}
	assert_true(bonus > 0 && won > 0);
	return bonus * (double)won / (double)all;
}

/* In the demo the jackpot has weight even for no coins. */
static void test_par_sheet_jackpot_by_coins(void **unused)
{
	static const char *const names[] = { "definition.json", "definition.demo.json" };

	(void)unused;
	for (size_t i = 0; i < 2; i++) {
		json_t *definition = definition_named("bewitched", names[i]);
		json_t *sheet = sheet_of(definition);
		const json_t *mode = json_array_get(json_object_get(sheet, "modes"), 0);
		const json_t *jackpot = json_array_get(json_object_get(sheet, "jackpot"), 0);

		assert_string_equal(text(jackpot, "of"), "coins");
		assert_int_equal(strcmp(text(jackpot, "base_exact"), "0/1") == 0, i == 0);
		for (int64_t coins = 1; coins <= 150; coins += 7) {
			double expected = chance_by_weights(definition, mode, coins);
			double found = exact(jackpot, "base_exact") +
				       exact(jackpot, "chance_exact") * (double)coins;

			assert_true(found > expected * (1 - 1e-10));
			assert_true(found < expected * (1 + 1e-10));
		}
		json_decref(sheet);
		json_decref(definition);
	}
}

/* Five diadems on a line of the largest bet: the sheet says how often, and that no other bet wins.
 */
static void test_par_sheet_jackpot_at_max(void **unused)
{
	json_t *definition = definition_of("mona-lisa"), *sheet = sheet_of(definition), *row,
	       *feature;
	const json_t *jackpot = json_array_get(json_object_get(sheet, "jackpot"), 0);
	double one_in = 0, chance;
	size_t i, k;

	(void)unused;
	assert_string_equal(text(jackpot, "of"), "max");
	json_array_foreach(json_object_get(sheet, "modes"), i, row)
	{
		assert_int_equal(number(row, "mode_index"), 0);
		json_array_foreach(json_object_get(row, "features"), k, feature)
		{
			if (strcmp(text(feature, "name"), "jackpot") != 0)
				continue;
			assert_string_equal(text(row, "bets"), "max");
			one_in = strtod(text(feature, "one_in"), NULL);
		}
	}
	chance = exact(jackpot, "chance_exact");
	assert_true(chance * one_in > 1 - 1e-10 && chance * one_in < 1 + 1e-10);
	json_decref(sheet);
	json_decref(definition);
}

static void test_par_sheet_without_a_jackpot(void **unused)
{
	json_t *definition = definition_of("mystery-elves"), *sheet = sheet_of(definition), *row;
	size_t i;

	(void)unused;
	assert_string_equal(text(sheet, "game"), "mystery-elves");
	assert_int_equal(json_array_size(json_object_get(sheet, "jackpot")), 0);
	assert_int_equal(json_array_size(json_object_get(sheet, "modes")),
		json_array_size(json_object_get(definition, "modes")));
	json_array_foreach(json_object_get(sheet, "modes"), i, row)
	{
		assert_int_equal(number(row, "mode_index"), i);
		assert_non_null(strchr(text(row, "rtp_exact"), '/'));
		assert_true(strtod(text(row, "hit_rate"), NULL) > 0);
	}
	json_decref(sheet);
	json_decref(definition);
}

static void test_par_sheet_of_no_definition(void **unused)
{
	static const char *const wrong[] = { "", "{", "{}", "[]" };

	(void)unused;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *sheet = par_sheet(wrong[i], strlen(wrong[i]));

		assert_memory_equal(sheet, "{\"error\"", 8);
		free(sheet);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_par_sheet_jackpot_by_coins),
		cmocka_unit_test(test_par_sheet_jackpot_at_max),
		cmocka_unit_test(test_par_sheet_without_a_jackpot),
		cmocka_unit_test(test_par_sheet_of_no_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
