/* The figures of the games in the repository: published bands, parts, the same return at every bet,
 * and the two depths telling one story. */
#include "libcommon/game/definition_load.h"
#include "libcommon/game/exact.h"
#include "libcommon/game/test/round_enumerate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const games[] = { "bewitched", "mystic-gem", "mystery-elves", "mona-lisa",
	"witch-feature" };

static void load(const char *id, struct game *game)
{
	char path[128], error[DEFINITION_ERROR_MAX];

	(void)snprintf(path, sizeof(path), "services/spin-engine/games/%s/definition.json", id);
	if (definition_load(path, game, error) != DEFINITION_OK)
		fail_msg("%s", error);
}

/* E[X^2] - E[X]^2 is no less than what one row of the distribution brings alone, and so on: figures
 * that no slip in one of them would keep. */
static void check_sane(const char *what, const struct exact_mode *mode)
{
	mpq_t sum, square, one;

	mpq_inits(sum, square, one, NULL);
	mpq_set_ui(one, 1, 1);
	for (uint32_t i = 0; i < mode->part_count; i++)
		mpq_add(sum, sum, mode->part[i].rtp);
	assert_same(what, sum, mode->rtp);
	mpq_mul(square, mode->rtp, mode->rtp);
	mpq_add(square, square, mode->variance);
	assert_same(what, square, mode->second_moment);
	assert_true(mpq_sgn(mode->variance) > 0);
	assert_true(mpq_sgn(mode->hit_rate) > 0 && mpq_cmp(mode->hit_rate, one) <= 0);
	assert_true(mpq_cmp(mode->max_win, mode->win[mode->win_count - 1].x) >= 0);
	mpq_set_ui(sum, 0, 1);
	for (uint32_t i = 0; i < mode->win_count; i++)
		mpq_add(sum, sum, mode->win[i].probability);
	assert_same(what, sum, one);
	mpq_clears(sum, square, one, NULL);
}

static void check_game(const char *id)
{
	struct game *game = malloc(sizeof(*game));

	assert_non_null(game);
	load(id, game);
	for (uint32_t i = 0; i < exact_mode_count(game); i++) {
		struct exact_mode all, means;
		char what[EXACT_NAME_MAX + 32];

		assert_int_equal(exact_mode(game, i, EXACT_ALL, &all), EXACT_OK);
		assert_int_equal(exact_mode(game, i, EXACT_RETURN, &means), EXACT_OK);
		(void)snprintf(what, sizeof(what), "%s %s", id, all.mode);
		assert_same(what, means.rtp, all.rtp);
		if (!all.in_band || !means.in_band)
			fail_msg("%s is out of its band", what);
		assert_int_equal(means.part_count, all.part_count);
		assert_int_equal(means.feature_count, all.feature_count);
		for (uint32_t f = 0; f < means.feature_count; f++)
			assert_same(what, means.feature[f].frequency, all.feature[f].frequency);
		check_sane(what, &all);
		exact_mode_free(&all);
		exact_mode_free(&means);
	}
	definition_free(game);
	free(game);
}

/* RULE bewitched 4.1, RULE mystic-gem 2.14, RULE mystery-elves 2.8, RULE mona-lisa 1.9, RULE
 * witch-feature 1.6 */
static void test_games_return_what_is_published(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(games) / sizeof(games[0]); i++)
		check_game(games[i]);
}

static void test_bewitched_returns_the_same_at_every_bet(void **state)
{
	struct game *game = malloc(sizeof(*game));
	mpq_t first, rtp;

	(void)state;
	assert_non_null(game);
	load("bewitched", game);
	mpq_inits(first, rtp, NULL);
	assert_int_equal(exact_bet(game, 0, 1, 1, first), EXACT_OK);
	for (uint32_t lines = game->lines_min; lines <= game->lines_max; lines++)
		for (uint32_t coins = game->coins_min; coins <= game->coins_max; coins++) {
			assert_int_equal(exact_bet(game, 0, lines, coins, rtp), EXACT_OK);
			assert_same("bewitched", rtp, first);
		}
	mpq_set_ui(rtp, 94600, 100000); /* 94.60 % to two decimals, and to four */
	mpq_sub(rtp, rtp, first);
	mpq_abs(rtp, rtp);
	assert_true(mpq_cmp_ui(rtp, 1, 2000000) < 0);
	assert_int_equal(exact_bet(game, 1, 1, 1, rtp), EXACT_NO_MODE);
	assert_int_equal(exact_bet(game, 0, 16, 1, rtp), EXACT_NO_MODE);
	mpq_clears(first, rtp, NULL);
	definition_free(game);
	free(game);
}

/* A return that follows the bet is found out, wherever on the way it leaves the band. */
static void test_bet_outside_band_is_found(void **state)
{
	struct game *game = malloc(sizeof(*game));
	struct exact_mode mode;

	(void)state;
	assert_non_null(game);
	load("bewitched", game);
	for (uint32_t i = 0; i < game->pick_outcome_count; i++)
		game->pick_outcome[i].weight_per_coin = 0;
	assert_int_equal(exact_mode(game, 0, EXACT_RETURN, &mode), EXACT_OK);
	assert_false(mode.in_band);
	exact_mode_free(&mode);
	definition_free(game);
	free(game);
}

/* The seven coin values of a currency share 0.188 of the contribution. */
static void test_the_contribution(void **state)
{
	struct game *game = malloc(sizeof(*game));
	struct exact_contribution contribution;
	mpq_t expected;

	(void)state;
	assert_non_null(game);
	load("bewitched", game);
	mpq_init(expected);
	exact_contribution(game, &contribution);
	mpq_set_ui(expected, 1, 200);
	assert_same("whole", contribution.counted_whole, expected);
	assert_int_equal(contribution.currency_count, game->currency_count);
	assert_int_equal(contribution.currency[0], game->currency[0].number);
	mpq_set_ui(expected, 188, 200000);
	mpq_canonicalize(expected);
	assert_same("rows in euros", contribution.by_currency[0], expected);
	assert_true(mpq_cmp(contribution.live_rows, expected) >= 0);
	exact_contribution_free(&contribution);
	mpq_clear(expected);
	definition_free(game);
	free(game);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_games_return_what_is_published),
		cmocka_unit_test(test_bewitched_returns_the_same_at_every_bet),
		cmocka_unit_test(test_bet_outside_band_is_found),
		cmocka_unit_test(test_the_contribution),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
