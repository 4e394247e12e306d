/* The loader: what it makes of the shipped definitions, and one row for each refusal. A row changes
 * one place of the shipped file. */
#include "tests/support/game/game_fixture.h"

#include "libcommon/game/test/definition_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_definition_refusals_of_fields(void **unused)
{
	static const struct refusal rows[] = {
		{ "/format", "0", "/format: found 0, expected a whole number from 1 to 1" },
		{ "/format", NULL, "/format: found nothing, expected a member of this name" },
		{ "/colour", "1", "/colour: found an unknown member, expected one of: format" },
		{ "/id", "\"Bewitched\"", "/id: found \"Bewitched\", expected a name made of a-z" },
		{ "/id", "5", "/id: found 5, expected a string of 1 to" },
		{ "/name", "\"\"", "/name: found \"\", expected a string of 1 to 47 bytes" },
		{ "/number", "0", "/number: found 0, expected a whole number from 1" },
		{ "/number", "1.5", "/number: found the fraction 1.5" },
		{ "/version", "\"1\"", "/version: found \"1\"" },
		{ "/demo", "0", "/demo: found 0, expected true or false" },
		{ "/demo", "true",
			"/modes/0/published_rtp: found an array of 1, expected an empty array" },
		{ "/grid/reels", "7", "/grid/reels: found 7" },
		{ "/grid/rows", "0", "/grid/rows: found 0" },
		{ "/symbols", "{}", "/symbols: found an object of 0 members, expected an array" },
		{ "/symbols/3/id", "\"wild\"", "expected an id that no earlier symbol has" },
		{ "/symbols/3/kind", "\"jewel\"",
			"/symbols/3/kind: found \"jewel\", expected one of: line wild scatter bonus" },
		{ "/symbols/3/kind", "\"wild\"", "found a second symbol of its kind" },
		{ "/symbols/3/pays", NULL, "/symbols/3/pays: found nothing" },
		{ "/symbols/2/pays", "{\"3\": 5}", "expected no pays" },
		{ "/symbols/3/pays/6", "9", "/symbols/3/pays/6: found a member of this name" },
		{ "/symbols/3/pays/03", "9", "/symbols/3/pays/03: found a member of this name" },
		{ "/symbols/3/pays/5", "0", "/symbols/3/pays/5: found 0" },
		{ "/symbols/3/pays/5", "1000001", "found 1000001, expected a whole number" },
		{ "/symbols/3/pays/4", "39", "found pays that fall as the length grows" },
		{ "/strips", "[]", "/strips: found an array of 0, expected an object" },
		{ "/strips/Extra", "[]", "/strips/Extra: found \"Extra\", expected a name" },
		{ "/strips/base/4", NULL,
			"/strips/base: found an array of 4, expected an array of 5" },
		{ "/strips/base/2/3", "\"dragon\"",
			"/strips/base/2/3: found \"dragon\", expected the id of a symbol" },
		{ "/strips/base/0", "[\"wild\", \"owl\"]",
			"/strips/base/0: found an array of 2, expected an array of 3 to 256" },
		{ "/strips/base/0", "{\"symbols\":[\"wild\",\"owl\",\"cat\"]}",
			"/strips/base/0/weights: found nothing" },
		{ "/strips/base/0", "{\"symbols\":[\"wild\",\"owl\",\"cat\"],\"weights\":[1,2]}",
			"/strips/base/0/weights: found an array of 2, expected an array of 3" },
		{ "/strips/base/0", "{\"symbols\":[\"wild\",\"owl\",\"cat\"],\"weights\":[1,0,2]}",
			"/strips/base/0/weights/1: found 0, expected a whole number from 1" },
		{ "/strips/base/0",
			"{\"symbols\":[\"wild\",\"owl\",\"cat\"],\"weights\":[1,1000,24]}",
			"/strips/base/0/weights/2: found 24, expected weights of a strip that sum" },
		{ "/strips/base/0",
			"{\"symbols\":[\"wild\",\"owl\",\"cat\"],\"weights\":[1,1,1],\"x\":1}",
			"/strips/base/0/x: found an unknown member" },
		{ "/lines/14", "[0, 0, 0, 0]", "/lines/14: found an array of 4" },
		{ "/lines/14/2", "3", "/lines/14/2: found 3, expected a whole number from 0 to 2" },
		{ "/lines/14", "[1, 1, 1, 1, 1]", "/lines/14: found a line that already exists" },
		{ "/bet/lines/max", "16", "/bet/lines/max: found 16" },
		{ "/bet/lines/min", "0", "/bet/lines/min: found 0" },
		{ "/bet/coins/min", "11", "/bet/coins/max: found 10" },
		{ "/bet/currencies/XQZ",
			"{\"coins\":[1],\"no_buy_coins\":[],\"stake_min\":1,"
			"\"stake_max\":1,\"price_max\":null}",
			"/bet/currencies/XQZ: found a member of this name, expected a currency code"
			" such as EUR" },
		{ "/bet/currencies/EUR/coins/1", "1",
			"/coins/1: found 1, expected a whole number" },
		{ "/bet/currencies/EUR/stake_max", "0", "/stake_max: found 0" },
		{ "/witches/1", "\"\"", "/witches/1: found \"\"" },
		{ "/free_spins/line_multiplier", "0", "found 0" },
		{ "/resolve_after_hours", "0", "/resolve_after_hours: found 0" },
		{ "/autoplay/loss_limit_stops", "\"never\"",
			"expected one of: below_zero at_zero" },
		{ "/autoplay/single_win_stops", "1", "expected one of: reaches exceeds" },
		{ "/autoplay/spins_max", "0", "found 0" },
		{ "/gamble/suits", "[\"hearts\", \"diamonds\"]", "as many red suits as black" },
		{ "/gamble/suits", "[\"hearts\", \"hearts\"]", "expected each suit only once" },
		{ "/gamble/of", "\"all\"", "expected one of: win base_lines" },
		{ "/gamble/attempts_max", "0", "found 0" },
		{ "/gamble/stake_max/USD", "5", "/gamble/stake_max: found an object of 3" },
		{ "/gamble/stake_max/EUR", "0", "/gamble/stake_max/EUR: found 0" },
		{ "/cards/set_number", "1", "a number other than that of the progressive" },
	};

	(void)unused;
	DEFINITION_REFUSALS(FIXTURE_DEFINITION, rows);
}

/* RULE bewitched 3.9, 4.2 */
static void test_definition_refusals_of_mathematics(void **unused)
{
	static const struct refusal rows[] = {
		{ "/symbols/-",
			"{\"id\":\"bat\",\"name\":\"Bat\",\"kind\":\"line\","
			"\"pays\":{\"5\":1}}",
			"/symbols/13: found a symbol that is on no strip" },
		{ "/strips/base/0",
			"[\"battle\",\"owl\",\"battle\",\"cat\",\"cat\",\"wild\",\"wizard\"]",
			"/strips/base/0/2: found \"battle\", expected at least 2 other symbols" },
		{ "/strips/base/0", "[\"battle\",\"owl\",\"cat\",\"wizard\",\"battle\"]",
			"/strips/base/0/0: found \"battle\", expected at least 2" },
		{ "/battle/scatters_min", "3", "/battle/outcomes/2: found a member of this name" },
		{ "/battle/outcomes/4", NULL, "expected outcomes also for 4 scatters" },
		{ "/battle/outcomes/4", "[]", "/battle/outcomes/4: found an array of 0" },
		{ "/battle/outcomes/4/0/weight", "0", "/battle/outcomes/4/0/weight: found 0" },
		{ "/battle/outcomes/4/0/weight", "125000001", "found 125000001" },
		{ "/battle/outcomes/4/0/free_spins", "1001", "found 1001" },
		{ "/vials/picked", "6", "/vials/picked: found 6" },
		{ "/vials/shown", "2", "/vials/picked: found 3" },
		{ "/vials/bonus_min", "6", "/vials/bonus_min: found 6" },
		{ "/vials/outcomes", "[]", "/vials/outcomes: found an array of 0" },
		{ "/vials/outcomes/0", NULL, "weight_per_coin values that sum to 0, not -181" },
		{ "/vials/outcomes/0/weight", "5", "odds in proportion to the bet" },
		{ "/vials/outcomes/0/value", "5", "/vials/outcomes/0/value: found 5" },
		{ "/vials/outcomes/1/weight", "1000",
			"weight + weight_per_coin x y >= 0, with y (lines x coins) from 1 to 150" },
		{ "/vials/outcomes/1/weight", "-1", "/vials/outcomes/1/weight: found -1" },
		{ "/vials/outcomes/1/weight", "1000000000", "weights that sum to 1 .. 1000000000" },
		{ "/vials/outcomes/1/weight_per_coin", "-361", "that sum to 0, not 1" },
		{ "/vials/outcomes/1/value", "16",
			"0 for each, so that every bet has the same return" },
		{ "/vials/outcomes/1/kind", "\"gold\"", "one of: money free_spins jackpot" },
		{ "/jackpot/rows/EUR/seeds/6", NULL, "expected a row for EUR and coin value 100" },
		{ "/jackpot/rows/EUR/seeds/-", "{\"coin\": 3, \"seed\": 6000}",
			"rows only for the 14 selectable coin values, not 15 rows" },
		{ "/jackpot/rows/EUR/seeds/1/coin", "1", "each coin value only once" },
		{ "/jackpot/rows/EUR/seeds/1/seed", "0", "/seeds/1/seed: found 0" },
		{ "/jackpot/rows/EUR/row_rate_nano", "900000000", "pools are kept in EUR" },
		{ "/jackpot/rows/SEK/row_rate_nano", "900000000",
			"found shares that sum to 1.880000000, expected shares that sum to at most 1" },
		{ "/jackpot/rows/XQZ", "{}", "/jackpot/rows/XQZ: found a member of this name" },
		{ "/jackpot/contribution_ppm", "100001", "found 100001" },
		{ "/jackpot/base_coin_eur_minor", "100", "found shares that sum to over 2" },
		{ "/jackpot", "null", "no jackpot outcome in a game without a pool" },
		{ "/bet/currencies/EUR/stake_max", "1000000000000000",
			"a stake_max for EUR with which the largest win of a round fits" },
		{ "/battle/outcomes/2", "[{\"weight\":1,\"free_spins\":20}]",
			"per free spin, and a probability of 10^" },
	};

	(void)unused;
	DEFINITION_REFUSALS(FIXTURE_DEFINITION, rows);
}

/* A rate may be that of the dearest currency: bitcoin has been above 1,000 EUR for long. */
static void test_definition_rates_of_rows(void **unused)
{
	static const struct {
		const char *rate, *says; /* NULL: accepted */
	} rows[] = {
		{ "0", "/jackpot/rows/XBT/row_rate_nano: found 0" },
		{ "1", NULL },
		{ "1000000000001", NULL },
		{ "60000000000000", NULL },
		{ "1000000000000000", NULL },
		{ "1000000000000001", "found 1000000000000001, expected a whole number from 1 to "
				      "1000000000000000" },
	};
	static struct game game;
	char error[DEFINITION_ERROR_MAX], xbt[128];

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *root = json_load_file(FIXTURE_DEFINITION, 0, NULL);

		definition_change(root, "/bet/currencies/XBT",
			"{\"coins\":[1,2],\"no_buy_coins\":[],\"stake_min\":1,"
			"\"stake_max\":15000,\"price_max\":null}");
		snprintf(xbt, sizeof(xbt),
			"{\"row_rate_nano\":%s,\"seeds\":[{\"coin\":1,\"seed\":5},"
			"{\"coin\":2,\"seed\":10}]}",
			rows[i].rate);
		definition_change(root, "/jackpot/rows/XBT", xbt);
		definition_change(root, "/gamble/stake_max/XBT", "15000");
		assert_int_equal(definition_of_json(root, 0, &game, error),
			rows[i].says ? DEFINITION_REFUSED : DEFINITION_OK);
		if (rows[i].says && !strstr(error, rows[i].says))
			fail_msg("%s: found %s, expected %s", rows[i].rate, error, rows[i].says);
		if (!rows[i].says) {
			assert_int_equal(jackpot_row(&game.jackpot, 1001, 2)->row_rate_nano,
				strtoll(rows[i].rate, NULL, 10));
			definition_free(&game);
		}
		json_decref(root);
	}
}

static void test_definition_refusals_of_files(void **unused)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "expected JSON" },
		{ "{", "expected JSON" },
		{ "[]", "at /: found an array of 0, expected an object" },
		{ "{\"id\": 1, \"id\": 2}", "duplicate object key" },
		{ "{\"number\": 99999999999999999999}", "too big integer" },
		{ "null", "expected JSON" },
	};
	static struct game game;
	char error[DEFINITION_ERROR_MAX];

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_not_equal(definition_parse("file.json", rows[i].text,
					     strlen(rows[i].text), &game, error),
			DEFINITION_OK);
		if (!strstr(error, rows[i].says))
			fail_msg("%s: found %s, expected %s", rows[i].text, error, rows[i].says);
	}
	assert_int_equal(definition_load("no/such/file.json", &game, error), DEFINITION_UNREADABLE);
	assert_non_null(strstr(error, "no/such/file.json: found No such file"));
}

/* The math version: the same whatever the white space, another one for another number; the demo has
 * its own. */
static void test_definition_digest(void **unused)
{
	static struct game game, other;
	char error[DEFINITION_ERROR_MAX];
	json_t *root = json_load_file(FIXTURE_DEFINITION, 0, NULL);

	(void)unused;
	assert_int_equal(definition_of_json(root, 0, &game, error), DEFINITION_OK);
	assert_string_equal(error, "");
	assert_memory_equal(game.digest, fixture_game()->digest, GAME_DIGEST_BYTES);
	assert_false(game.demo);
	definition_change(root, "/version", "3");
	assert_int_equal(definition_of_json(root, 0, &other, error), DEFINITION_OK);
	assert_memory_not_equal(game.digest, other.digest, GAME_DIGEST_BYTES);
	json_decref(root);
	assert_int_equal(definition_load(FIXTURE_DEMO, &other, error), DEFINITION_OK);
	assert_true(other.demo);
	assert_string_equal(other.id, game.id);
	assert_int_equal(other.number, game.number);
	assert_memory_not_equal(game.digest, other.digest, GAME_DIGEST_BYTES);
}

/* RULE bewitched 1.1, 1.2, 1.9, 2.5, 3.12, 4.10, 5.7, 6.1, 7.4: the numbers of the rules */
static void test_definition_numbers_of_the_rules(void **unused)
{
	const struct game *game = fixture_game();

	(void)unused;
	assert_int_equal(game->reels, 5);
	assert_int_equal(game->rows, 3);
	assert_int_equal(game->lines_min, 1);
	assert_int_equal(game->lines_max, 15);
	assert_int_equal(game->coins_min, 1);
	assert_int_equal(game->coins_max, 10);
	assert_int_equal(game->scatter_count_min, 2);
	assert_int_equal(game->bonus_count_min, 3);
	assert_int_equal(game->picks_made, 3);
	assert_int_equal(game->free_spins.line_multiplier, 2);
	assert_int_equal(game->free_spins.wild_multiplier_count, 0);
	assert_int_equal(game->witch_count, 2);
	assert_int_equal(game->gamble.attempts_max, 5);
	assert_false(game->gamble.halve);
	assert_true(game->gamble.base_lines_only);
	assert_int_equal(game->autoplay.loss_rule, LOSS_BELOW_ZERO);
	assert_int_equal(game->autoplay.win_rule, WIN_REACHES);
	assert_int_equal(game->cards.pool, 2);
	assert_true(game->cards.eligible);
	assert_int_equal(game->resolve_after_hours, 120);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definition_refusals_of_fields),
		cmocka_unit_test(test_definition_refusals_of_mathematics),
		cmocka_unit_test(test_definition_rates_of_rows),
		cmocka_unit_test(test_definition_refusals_of_files),
		cmocka_unit_test(test_definition_digest),
		cmocka_unit_test(test_definition_numbers_of_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
