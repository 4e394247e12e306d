/* The published bands, held against the exact returns, and the warnings about seeds. */
#include "tests/support/game/game_fixture.h"

#include "libcommon/game/test/definition_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GAME_FILE(id) "services/spin-engine/games/" id "/definition.json"
#define EXAMPLE "docs/example-game/definition.json"

static struct game game;

/* Every definition in the repository is in its bands: the example too, a game without code. */
static void test_definition_returns_in_band(void **unused)
{
	static const char *const paths[] = { GAME_FILE("bewitched"), GAME_FILE("mona-lisa"),
		GAME_FILE("mystery-elves"), GAME_FILE("mystic-gem"), GAME_FILE("witch-feature"),
		EXAMPLE };
	char error[DEFINITION_ERROR_MAX];

	(void)unused;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (definition_load(paths[i], &game, error) != DEFINITION_OK)
			fail_msg("%s", error);
		assert_int_equal(definition_warnings(&game, NULL, NULL), 0);
		definition_free(&game);
	}
}

/* Half-open: the lower edge belongs to the band, the upper one does not; a draft is not held to
 * it. RULE bewitched 4.1; RULE mona-lisa 4.1: the jackpot is in it, at its seed. */
static void test_definition_returns_refused(void **unused)
{
	static const struct {
		const char *path, *pointer, *value, *says;
	} rows[] = {
		{ GAME_FILE("bewitched"), "/modes/0/published_rtp/0",
			"{\"bets\":\"all\",\"percent\":\"94.6045\",\"tolerance\":\"0.0005\"}",
			"/modes/0/published_rtp: found an exact return of 94.600007 %" },
		{ GAME_FILE("bewitched"), "/modes/0/published_rtp/0",
			"{\"bets\":\"all\",\"percent\":\"94.5955\",\"tolerance\":\"0.0005\"}",
			"expected at least 94.5950 % and less than 94.5960 % in mode base" },
		{ GAME_FILE("bewitched"), "/vials/outcomes/0/weight_per_coin", "182",
			"that sum to 0, not 1" },
		{ GAME_FILE("mona-lisa"), "/modes/0/published_rtp/1/percent", "\"94.70\"",
			"(25 lines x 10 coins), expected at least 94.6950 %" },
		{ GAME_FILE("mona-lisa"), "/jackpot/base_seed_eur_minor", "100000000",
			"found an exact return of 94.974564 %" },
		{ GAME_FILE("mystic-gem"), "/modes/1/price_hundredths", "500",
			"/modes/1/published_rtp: found an exact return of " },
		{ GAME_FILE("mystery-elves"), "/hold_and_win/full_screen_multiplier", "3",
			"/published_rtp: found an exact return of " },
		{ GAME_FILE("witch-feature"), "/potions/explosion/locked/mega_wild/in", "0",
			"% at level " },
		{ EXAMPLE, "/symbols/2/pays/5", "1100", "expected at least " },
	};
	char error[DEFINITION_ERROR_MAX];

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *root = json_load_file(rows[i].path, 0, NULL);

		assert_non_null(root);
		definition_change(root, rows[i].pointer, rows[i].value);
		assert_int_equal(definition_of_json(root, 0, &game, error), DEFINITION_REFUSED);
		if (!strstr(error, rows[i].says))
			fail_msg("%s %s:\n found    %s\n expected %s", rows[i].path,
				rows[i].pointer, error, rows[i].says);
		json_decref(root);
	}
}

static void test_definition_returns_of_drafts(void **unused)
{
	json_t *root = json_load_file(FIXTURE_DEFINITION, 0, NULL);
	char error[DEFINITION_ERROR_MAX];

	(void)unused;
	assert_non_null(root);
	definition_change(root, "/modes/0/published_rtp/0/percent", "\"90.00\"");
	definition_change(root, "/jackpot/published_with_contribution", "\"90.50\"");
	assert_int_equal(
		definition_of_json(root, DEFINITION_UNPROVEN, &game, error), DEFINITION_OK);
	definition_free(&game);
	assert_int_equal(definition_of_json(root, 0, &game, error), DEFINITION_REFUSED);
	json_decref(root);
}

static void keep(void *context, const char *warning)
{
	char *all = context;

	strcat(strcat(all, warning), "\n");
}

/* The published seed of Mona Lisa's 0.20 is a tenth of its proportion: accepted, and said. */
static void test_definition_warnings_of_seeds(void **unused)
{
	static char said[16 * DEFINITION_WARNING_MAX];
	json_t *root = json_load_file(GAME_FILE("bewitched"), 0, NULL);
	char error[DEFINITION_ERROR_MAX];

	(void)unused;
	assert_non_null(root);
	definition_change(root, "/jackpot/rows/EUR/seeds/4/seed", "4000");
	definition_change(root, "/jackpot/rows/SEK/seeds/0/seed", "40000");
	assert_int_equal(definition_of_json(root, 0, &game, error), DEFINITION_OK);
	json_decref(root);
	said[0] = 0;
	assert_int_equal(definition_warnings(&game, keep, said), 2);
	/* the jackpot's part is 0.405155 %: a tenth of it, and twice of it */
	assert_non_null(strstr(said, "/jackpot/rows/EUR: coin value 20 has a seed of 4000, out of "
				     "proportion to the pool's seed of 2000000 at coin value 1000: "
				     "mode base then returns 94.235367 %"));
	assert_non_null(strstr(said, "/jackpot/rows/SEK: coin value 10 has a seed of 40000"));
	assert_non_null(strstr(said, "returns 95.00516"));
	definition_free(&game);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definition_returns_in_band),
		cmocka_unit_test(test_definition_returns_refused),
		cmocka_unit_test(test_definition_returns_of_drafts),
		cmocka_unit_test(test_definition_warnings_of_seeds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
