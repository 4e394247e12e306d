/* The public view of the shipped games: every feature, and nothing that helps to predict a draw. */
#include "services/gateway/adapters/games_shown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const games[] = { "bewitched", "mystic-gem", "mystery-elves", "mona-lisa",
	"witch-feature" };

static json_t *shown(const char *id)
{
	char path[256];
	json_t *definition, *game;

	snprintf(path, sizeof(path), "services/spin-engine/games/%s/definition.json", id);
	definition = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(definition);
	game = games_shown(definition, "00ff");
	json_decref(definition);
	return game;
}

static void expect_no_secrets(const json_t *value)
{
	static const char *const secret[] = { "weight", "weights", "weight_per_coin", "odds",
		"cell", "marks", "outcomes", "mega_wild", "random_wilds" };
	const char *name;
	json_t *member;
	size_t i;

	json_array_foreach(value, i, member) expect_no_secrets(member);
	json_object_foreach((json_t *)(uintptr_t)value, name, member)
	{
		for (size_t k = 0; k < sizeof(secret) / sizeof(secret[0]); k++)
			if (strcmp(name, secret[k]) == 0)
				fail_msg("%s is shown", name);
		if (strcmp(name, "strips") == 0) /* the name of a strip set, never the strips */
			assert_true(json_is_string(member));
		expect_no_secrets(member);
	}
}

static void test_games_shown_without_secrets(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(games) / sizeof(games[0]); i++) {
		json_t *game = shown(games[i]);

		print_message("%s\n", games[i]);
		expect_no_secrets(game);
		assert_string_equal(
			json_string_value(json_object_get(game, "math_version")), "00ff");
		json_decref(game);
	}
}

/* A member by a path of names and indexes, as compact JSON. */
static void test_games_shown_features(void **unused)
{
	static const struct {
		const char *game, *member, *name, *json;
	} rows[] = {
		{ "bewitched", "battle", "scatters_min", "2" },
		{ "bewitched", "jackpot", "pool", "\"bewitched\"" },
		{ "bewitched", "jackpot", "published_with_contribution", "\"95.10\"" },
		{ "bewitched", "jackpot", "rows_return_ppm", "{\"EUR\":940,\"SEK\":846}" },
		{ "mystery-elves", "hold_and_win", "multipliers", "[2,3,4,5]" },
		{ "mystery-elves", "hold_and_win", "exclude", "[\"grand\"]" },
		{ "mystery-elves", "hold_and_win", "full_screen_multiplier", "2" },
		{ "mona-lisa", "sticky_respins", "symbol", "\"jewel\"" },
		{ "mona-lisa", "free_spins", "wild_multipliers", "[1,2,4,8]" },
		{ "mona-lisa", "progressive_symbols", "bets", "\"max\"" },
		{ "witch-feature", "potions", "symbols", "[\"red\",\"blue\",\"green\"]" },
		{ "witch-feature", "potions", "multipliers", "[2,3,5,8,10]" },
		{ "mystic-gem", "expanding_wild", "reels", "[2,3,4]" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *game = shown(rows[i].game);
		json_t *member =
			json_object_get(json_object_get(game, rows[i].member), rows[i].name);
		char *text = json_dumps(member, JSON_COMPACT | JSON_ENCODE_ANY);

		if (text == NULL || strcmp(text, rows[i].json) != 0)
			fail_msg("%s %s %s: %s", rows[i].game, rows[i].member, rows[i].name, text);
		free(text);
		json_decref(game);
	}
}

/* A mode shows its price and its possible wild reels. */
static void test_games_shown_modes(void **unused)
{
	json_t *game = shown("mystic-gem");
	json_t *mode = json_array_get(json_object_get(game, "modes"), 2);
	char *reels = json_dumps(json_object_get(mode, "wild_reels"), JSON_COMPACT);

	(void)unused;
	assert_string_equal(reels, "[[2,3],[2,4],[3,4]]");
	assert_int_equal(json_integer_value(json_object_get(mode, "price_hundredths")), 1500);
	assert_int_equal(
		json_integer_value(json_object_get(
			json_array_get(json_object_get(game, "currencies"), 0), "price_max_minor")),
		250000);
	assert_true(json_is_false(json_object_get(mode, "one_spin")));
	free(reels);
	json_decref(game);
}

/* RULE mystery-elves 4.5 */
static void test_games_shown_mode_of_one_spin(void **unused)
{
	json_t *game = shown("mystery-elves"), *modes = json_object_get(game, "modes");

	(void)unused;
	assert_true(json_is_false(json_object_get(json_array_get(modes, 0), "one_spin")));
	assert_true(json_is_true(json_object_get(json_array_get(modes, 1), "one_spin")));
	json_decref(game);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_games_shown_without_secrets),
		cmocka_unit_test(test_games_shown_features),
		cmocka_unit_test(test_games_shown_modes),
		cmocka_unit_test(test_games_shown_mode_of_one_spin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
