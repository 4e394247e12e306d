/* Bets: every status, the stake, the smallest bet, and the rows of the jackpot. */
#include "tests/support/game/game_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SEK 752u
#define JPY 392u

/* RULE bewitched 1.1 to 1.4, 1.7 */
static void test_bet_check(void **unused)
{
	static const struct {
		struct bet bet;
		enum bet_status status;
		const char *field;
		int64_t found, min, max, stake;
	} rows[] = {
		{ { FIXTURE_EUR, 1, 1, 1, 0 }, BET_OK, "", 0, 0, 0, 1 },
		{ { FIXTURE_EUR, 100, 15, 10, 0 }, BET_OK, "", 0, 0, 0, 15000 },
		{ { FIXTURE_EUR, 20, 7, 3, 0 }, BET_OK, "", 0, 0, 0, 420 },
		{ { SEK, 1000, 15, 10, 0 }, BET_OK, "", 0, 0, 0, 150000 },
		{ { JPY, 1, 1, 1, 0 }, BET_CURRENCY_NOT_OFFERED, "currency", JPY, 1, 999, 0 },
		{ { 0, 1, 1, 1, 0 }, BET_CURRENCY_NOT_OFFERED, "currency", 0, 1, 999, 0 },
		{ { FIXTURE_EUR, 3, 1, 1, 0 }, BET_COIN_NOT_SELECTABLE, "coin", 3, 1, 100, 0 },
		{ { FIXTURE_EUR, 0, 1, 1, 0 }, BET_COIN_NOT_SELECTABLE, "coin", 0, 1, 100, 0 },
		{ { FIXTURE_EUR, -1, 1, 1, 0 }, BET_COIN_NOT_SELECTABLE, "coin", -1, 1, 100, 0 },
		{ { FIXTURE_EUR, 1000, 1, 1, 0 }, BET_COIN_NOT_SELECTABLE, "coin", 1000, 1, 100,
			0 },
		{ { FIXTURE_EUR, INT64_MAX, 1, 1, 0 }, BET_COIN_NOT_SELECTABLE, "coin", INT64_MAX,
			1, 100, 0 },
		{ { SEK, 1, 1, 1, 0 }, BET_COIN_NOT_SELECTABLE, "coin", 1, 10, 1000, 0 },
		{ { FIXTURE_EUR, 1, 0, 1, 0 }, BET_LINES_OUT_OF_RANGE, "lines", 0, 1, 15, 0 },
		{ { FIXTURE_EUR, 1, 16, 1, 0 }, BET_LINES_OUT_OF_RANGE, "lines", 16, 1, 15, 0 },
		{ { FIXTURE_EUR, 1, UINT32_MAX, 1, 0 }, BET_LINES_OUT_OF_RANGE, "lines", UINT32_MAX,
			1, 15, 0 },
		{ { FIXTURE_EUR, 1, 1, 0, 0 }, BET_COINS_OUT_OF_RANGE, "coins", 0, 1, 10, 0 },
		{ { FIXTURE_EUR, 1, 1, 11, 0 }, BET_COINS_OUT_OF_RANGE, "coins", 11, 1, 10, 0 },
		{ { FIXTURE_EUR, 1, 1, UINT32_MAX, 0 }, BET_COINS_OUT_OF_RANGE, "coins", UINT32_MAX,
			1, 10, 0 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bet_error error = { BET_OK, "", 0, 0, 0 };
		struct money stake = { 0 };

		print_message("row %zu %s\n", i, bet_status_text(rows[i].status));
		assert_int_equal(
			bet_check(fixture_game(), &rows[i].bet, &stake, &error), rows[i].status);
		assert_int_equal(error.status, rows[i].status);
		assert_string_equal(error.field, rows[i].field);
		assert_true(error.found == rows[i].found && error.min == rows[i].min &&
			    error.max == rows[i].max);
		assert_true(stake.minor == rows[i].stake);
	}
}

/* Limits tighter than coins, and totals no shipped definition can reach. */
static void test_bet_check_totals(void **unused)
{
	static struct game game;
	struct bet bet = { FIXTURE_EUR, 5, 2, 3, 0 };
	struct bet_error error;
	struct money stake;

	(void)unused;
	game = *fixture_game();
	game.currency[0].stake_min.minor = 31;
	assert_int_equal(bet_check(&game, &bet, &stake, &error), BET_BELOW_MINIMUM);
	assert_string_equal(error.field, "total");
	assert_int_equal(error.found, 30);
	game.currency[0].stake_min.minor = 1;
	game.currency[0].stake_max.minor = 29;
	assert_int_equal(bet_check(&game, &bet, &stake, &error), BET_ABOVE_MAXIMUM);
	game.currency[0].stake_max.minor = 30;
	assert_int_equal(bet_check(&game, &bet, &stake, &error), BET_OK);
	game.currency[0].coin_minor[2] = bet.coin_minor = INT64_MAX / 3;
	assert_int_equal(bet_check(&game, &bet, &stake, &error), BET_TOTAL_OVERFLOW);
	assert_int_equal(bet_total(&bet, &stake), BET_TOTAL_OVERFLOW);
	assert_int_equal(bet_stake(&game, &bet, &stake), BET_TOTAL_OVERFLOW);
}

/* What who has too little money is told. RULE bewitched 1.6; RULE mona-lisa 1.6; RULE
 * mystic-gem 1.5; RULE mystery-elves 1.4; RULE witch-feature 1.4 */
static void test_bet_smallest(void **unused)
{
	static struct game game;
	struct money stake;
	struct bet bet;

	(void)unused;
	game = *fixture_game();
	assert_int_equal(bet_smallest(&game, FIXTURE_EUR, &bet, &stake), BET_OK);
	assert_int_equal(stake.minor, 1);
	assert_int_equal(bet_smallest(&game, SEK, &bet, &stake), BET_OK);
	assert_int_equal(stake.minor, 10);
	assert_int_equal(bet_smallest(&game, JPY, &bet, &stake), BET_CURRENCY_NOT_OFFERED);
	game.currency[0].stake_min.minor = 131; /* prime: no product of lines and coins has it */
	assert_int_equal(bet_smallest(&game, FIXTURE_EUR, &bet, &stake), BET_OK);
	assert_int_equal(stake.minor, 132);
}

/* RULE bewitched 4.2, 4.3, 4.5; the published examples of seeds */
static void test_jackpot_link(void **unused)
{
	static const struct {
		uint32_t currency;
		int64_t coin, seed, share;
	} rows[] = {
		{ FIXTURE_EUR, 1, 2000, 1000000 }, { FIXTURE_EUR, 20, 40000, 20000000 },
		{ FIXTURE_EUR, 100, 200000, 100000000 },
		{ SEK, 20, 40000, 1800000 }, /* 0.20 SEK at 0.09: share .0018 */
	};
	const struct jackpot_link *link = &fixture_game()->jackpot;

	(void)unused;
	assert_int_equal(link->pool, 1);
	assert_int_equal(link->contribution_ppm, 5000);
	assert_int_equal(link->base_coin_minor, 1000);
	assert_int_equal(link->base_seed_minor, 2000000);
	assert_int_equal(link->row_count, 14);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct jackpot_row *row = jackpot_row(link, rows[i].currency, rows[i].coin);

		assert_non_null(row);
		assert_int_equal(row->seed_minor, rows[i].seed);
		assert_int_equal(row->share_nano, rows[i].share);
	}
	assert_null(jackpot_row(link, FIXTURE_EUR, 1000)); /* the unit, not selectable */
	assert_null(jackpot_row(link, JPY, 1));
}

/* RULE bewitched 3.9: odds of the jackpot in proportion to y, money's mean the same with it. */
static void test_pick_odds_follow_the_wager(void **unused)
{
	const struct game *game = fixture_game();
	int64_t jackpot_1 = 0, money_1 = 0;

	(void)unused;
	for (int64_t y = 1; y <= 150; y++) {
		int64_t jackpot = 0, money = 0, sum = 0;

		for (uint32_t i = 0; i < game->pick_outcome_count; i++) {
			const struct pick_outcome *pick_outcome = &game->pick_outcome[i];
			int64_t weight = pick_outcome->weight + pick_outcome->weight_per_coin * y;

			assert_true(weight >= 0);
			sum += weight;
			if (pick_outcome->kind == PICK_JACKPOT)
				jackpot += weight;
			if (pick_outcome->kind == PICK_MONEY)
				money += weight * pick_outcome->value;
		}
		if (y == 1)
			jackpot_1 = jackpot;
		assert_int_equal(jackpot, jackpot_1 * y);
		assert_int_equal(sum, game->pick_weight);
		if (y == 1)
			money_1 = money;
		assert_int_equal(money, money_1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bet_check),
		cmocka_unit_test(test_bet_check_totals),
		cmocka_unit_test(test_bet_smallest),
		cmocka_unit_test(test_jackpot_link),
		cmocka_unit_test(test_pick_odds_follow_the_wager),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
