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

static json_t *definition_of(const char *id)
{
	char path[256];
	json_t *definition;

	snprintf(path, sizeof(path), "services/spin-engine/games/%s/definition.json", id);
	definition = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(definition);
	return definition;
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

/* The bonus comes as often as its symbols say, and one of its outcomes is the jackpot: the weights
 * of the definition, times the bonus rounds of a round, are the chance. */
static void test_par_sheet_jackpot_by_coins(void **unused)
{
	json_t *definition = definition_of("bewitched"), *sheet = sheet_of(definition), *row;
	const json_t *mode = json_array_get(json_object_get(sheet, "modes"), 0);
	const json_t *jackpot = json_array_get(json_object_get(sheet, "jackpot"), 0);
	const json_t *list = json_object_get(json_object_get(definition, "vials"), "outcomes");
	int64_t coins = number(mode, "lines") * number(mode, "coins"), won = 0, all = 0;
	double bonus = 0, chance;
	size_t i;
	mpq_t exact;

	(void)unused;
	assert_string_equal(text(jackpot, "of"), "coins");
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
	mpq_init(exact);
	assert_int_equal(mpq_set_str(exact, text(jackpot, "chance_exact"), 10), 0);
	chance = mpq_get_d(exact) * (double)coins;
	mpq_clear(exact);
	assert_true(chance > bonus * (double)won / (double)all * (1 - 1e-10));
	assert_true(chance < bonus * (double)won / (double)all * (1 + 1e-10));
	json_decref(sheet);
	json_decref(definition);
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
	mpq_t exact;

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
	mpq_init(exact);
	assert_int_equal(mpq_set_str(exact, text(jackpot, "chance_exact"), 10), 0);
	chance = mpq_get_d(exact);
	mpq_clear(exact);
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
