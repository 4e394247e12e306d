/* The exact figures against every round that a tiny game can play: rational against rational. */
#include "libcommon/game/exact.h"

#include "libcommon/game/test/round_enumerate.h"
#include "libcommon/game/test/tiny_game.h"
#include "tests/support/effort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS_MAX 3000000u

static void feature_number(const struct exact_mode *mode, const char *name, mpq_t number_r)
{
	mpq_set_ui(number_r, 0, 1);
	for (uint32_t i = 0; i < mode->feature_count; i++)
		if (strcmp(mode->feature[i].name, name) == 0)
			mpq_set(number_r, mode->feature[i].frequency);
}

static void assert_feature(
	const char *what, const struct exact_mode *mode, const char *name, const mpq_t expected)
{
	char text[160];
	mpq_t number;

	mpq_init(number);
	feature_number(mode, name, number);
	(void)snprintf(text, sizeof(text), "%s: %s", what, name);
	assert_same(text, number, expected);
	mpq_clear(number);
}

static void times_price(mpq_t x, uint32_t price, uint32_t power)
{
	mpq_t factor;

	mpq_init(factor);
	mpq_set_ui(factor, price, 100);
	mpq_canonicalize(factor);
	for (uint32_t i = 0; i < power; i++)
		mpq_mul(x, x, factor);
	mpq_clear(factor);
}

/* The distribution of the paid spin's own win: all of it, its mean, and its highest row. */
static void check_distribution(
	const char *what, const struct exact_mode *mode, uint32_t price, const struct enumerated *e)
{
	mpq_t all, mean, x, one;

	mpq_inits(all, mean, x, one, NULL);
	mpq_set_ui(one, 1, 1);
	for (uint32_t i = 0; i < mode->win_count; i++) {
		mpq_add(all, all, mode->win[i].probability);
		mpq_mul(x, mode->win[i].x, mode->win[i].probability);
		mpq_add(mean, mean, x);
		assert_true(i == 0 || mpq_cmp(mode->win[i - 1].x, mode->win[i].x) < 0);
	}
	assert_same(what, all, one);
	times_price(mean, price, 1);
	assert_same(what, mean, e->first);
	mpq_set(x, mode->win[mode->win_count - 1].x);
	times_price(x, price, 1);
	assert_same(what, x, e->first_most);
	mpq_clears(all, mean, x, one, NULL);
}

static void check_parts(const char *what, const struct exact_mode *mode)
{
	mpq_t sum;

	mpq_init(sum);
	for (uint32_t i = 0; i < mode->part_count; i++)
		mpq_add(sum, sum, mode->part[i].rtp);
	assert_same(what, sum, mode->rtp);
	mpq_clear(sum);
}

/* All figures of a mode at the maximum bet. */
static void check_mode(const char *what, const struct game *game, uint32_t index)
{
	uint32_t price = game->mode[index].price_hundredths;
	struct bet bet = tiny_bet(game, index, game->lines_max, game->coins_max);
	struct enumerated e;
	struct exact_mode mode, means;

	enumerate_rounds(game, &bet, NULL, ROUNDS_MAX, &e);
	assert_int_equal(exact_mode(game, index, EXACT_ALL, &mode), EXACT_OK);
	assert_int_equal(exact_mode(game, index, EXACT_RETURN, &means), EXACT_OK);
	assert_same(what, means.rtp, mode.rtp);
	check_parts(what, &mode);
	check_parts(what, &means);
	times_price(mode.rtp, price, 1);
	times_price(mode.second_moment, price, 2);
	assert_same(what, mode.rtp, e.win);
	assert_same(what, mode.second_moment, e.win2);
	assert_same(what, mode.hit_rate, e.hit);
	assert_feature(what, &mode, "jackpot", e.jackpots);
	assert_feature(what, &mode, "hold_and_win", e.hold);
	assert_feature(what, &mode, "full_screen", e.full);
	assert_feature(what, &means, "jackpot", e.jackpots);
	check_distribution(what, &mode, price, &e);
	exact_mode_free(&mode);
	exact_mode_free(&means);
	enumerated_free(&e);
}

/* The return of every other bet. */
static void check_bets(const char *what, const struct game *game, uint32_t mode)
{
	for (uint32_t lines = game->lines_min; lines <= game->lines_max; lines++)
		for (uint32_t coins = game->coins_min; coins <= game->coins_max; coins++) {
			struct bet bet = tiny_bet(game, mode, lines, coins);
			struct enumerated e;
			mpq_t rtp;

			mpq_init(rtp);
			enumerate_rounds(game, &bet, NULL, ROUNDS_MAX, &e);
			assert_int_equal(exact_bet(game, mode, lines, coins, rtp), EXACT_OK);
			times_price(rtp, game->mode[mode].price_hundredths, 1);
			assert_same(what, rtp, e.win);
			enumerated_free(&e);
			mpq_clear(rtp);
		}
}

static void check_games(uint32_t features, uint32_t count)
{
	static struct game game;

	for (uint32_t seed = 1; seed <= effort(count); seed++) {
		struct dice dice = { seed + features * 1000 };
		char what[64];

		(void)snprintf(what, sizeof(what), "features %u, seed %u", features, seed);
		tiny_game(&dice, features, &game);
		for (uint32_t m = 0; m < game.mode_count; m++)
			check_mode(what, &game, m);
		if (seed % 4 == 1)
			check_bets(what, &game, 0);
		tiny_game_free(&game);
	}
}

static void test_exact_lines_and_scatters(void **state)
{
	(void)state;
	check_games(0, 40);
}

static void test_exact_scatter_awards(void **state)
{
	(void)state;
	check_games(TINY_SCATTER_AWARD, 16);
}

static void test_exact_pick_bonus(void **state)
{
	(void)state;
	check_games(TINY_PICKS, 16);
}

static void test_exact_free_spins(void **state)
{
	(void)state;
	check_games(TINY_FREE_SPINS, 12);
	check_games(TINY_FREE_SPINS | TINY_WILD_MULTIPLIERS, 12);
}

static void test_exact_awards_and_picks(void **state)
{
	(void)state;
	check_games(TINY_SCATTER_AWARD | TINY_PICKS | TINY_WILD_MULTIPLIERS, 8);
}

static void test_exact_progressive_symbols(void **state)
{
	(void)state;
	check_games(TINY_PROGRESSIVE, 40);
	check_games(TINY_PROGRESSIVE | TINY_BOUGHT, 16);
	check_games(TINY_PROGRESSIVE | TINY_FREE_SPINS | TINY_WILD_MULTIPLIERS, 8);
	check_games(TINY_PROGRESSIVE | TINY_PICKS, 8);
}

static void test_exact_bought_wild_reels(void **state)
{
	(void)state;
	check_games(TINY_BOUGHT, 24);
	check_games(TINY_BOUGHT | TINY_FREE_SPINS, 8);
}

static void test_exact_cascades(void **state)
{
	(void)state;
	check_games(TINY_CASCADE, 40);
	check_games(TINY_CASCADE | TINY_FREE_SPINS | TINY_WILD_MULTIPLIERS, 16);
	check_games(TINY_CASCADE | TINY_SCATTER_AWARD | TINY_PICKS, 12);
}

static void test_exact_hold_and_win(void **state)
{
	(void)state;
	check_games(TINY_HOLD, 12);
}

/* RULE mystery-elves 2.7 */
static void test_exact_wild_counts(void **state)
{
	(void)state;
	check_games(TINY_WILD_COUNTS, 12);
	check_games(TINY_WILD_COUNTS | TINY_HOLD, 4);
	check_games(TINY_WILD_COUNTS | TINY_FREE_SPINS | TINY_WILD_MULTIPLIERS, 6);
	check_games(TINY_WILD_COUNTS | TINY_SCATTER_AWARD, 6);
	check_games(TINY_WILD_COUNTS | TINY_CASCADE, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_lines_and_scatters),
		cmocka_unit_test(test_exact_scatter_awards),
		cmocka_unit_test(test_exact_pick_bonus),
		cmocka_unit_test(test_exact_free_spins),
		cmocka_unit_test(test_exact_awards_and_picks),
		cmocka_unit_test(test_exact_progressive_symbols),
		cmocka_unit_test(test_exact_bought_wild_reels),
		cmocka_unit_test(test_exact_cascades),
		cmocka_unit_test(test_exact_hold_and_win),
		cmocka_unit_test(test_exact_wild_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
