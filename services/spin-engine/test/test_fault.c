/* The details of a refused bet: where, found, expected. */
#include "libcommon/game/definition_load.h"
#include "services/spin-engine/adapters/fault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define EUR 978u

static void load(const char *id, struct game *game)
{
	char path[256], error[DEFINITION_ERROR_MAX];

	snprintf(path, sizeof(path), "services/spin-engine/games/%s/definition.json", id);
	if (definition_load(path, game, error) != DEFINITION_OK)
		fail_msg("%s", error);
}

/* As the engine calls it. */
static void fault_at(const struct game *game, const char *mode, struct bet bet, struct fault *fault)
{
	struct player_error error = { .refusal = REFUSED_BET };
	struct bet_error told;
	struct money stake;

	bet.currency = EUR;
	while (bet.mode < game->mode_count && strcmp(game->mode[bet.mode].id, mode) != 0)
		bet.mode++;
	error.detail = (int)bet_check(game, &bet, &stake, &told);
	assert_int_not_equal(error.detail, BET_OK);
	error.field = told.field;
	error.found = told.found;
	error.min = told.min;
	error.max = told.max;
	fault_of_error(&error, fault);
	fault_of_bet(game, game_currency(game, EUR), told.status, &bet, mode, fault);
}

/* RULE mystic-gem 1.5, 3.8, 3.13; RULE mystery-elves 1.4, 4.1 */
static void test_fault_of_bets(void **unused)
{
	static const struct {
		const char *game, *mode;
		struct bet bet;
		const char *code, *where, *found, *expected;
	} rows[] = {
		{ "mystic-gem", "base", { .coin_minor = 4, .lines = 40, .coins = 1 },
			"coin_not_selectable", "bet.coin_minor", "4",
			"one of 1, 2, 3, 5, 10, 20, 25, 50, 75, 100, 125" },
		{ "mystic-gem", "base", { .coin_minor = 1, .lines = 39, .coins = 1 },
			"lines_out_of_range", "bet.lines", "39", "40" },
		{ "mystic-gem", "wild_3", { .coin_minor = 1, .lines = 40, .coins = 2 },
			"coins_out_of_range", "bet.coins", "2", "1" },
		{ "mystic-gem", "wild_4", { .coin_minor = 1, .lines = 40, .coins = 1 },
			"mode_not_offered", "bet.mode", "wild_4",
			"one of base, wild_1, wild_2, wild_3, wild_1_sure, wild_2_sure" },
		{ "mystic-gem", "wild_3", { .coin_minor = 100, .lines = 40, .coins = 1 },
			"price_above_maximum", "bet.mode", "286000", "1..250000" },
		{ "mona-lisa", "base", { .coin_minor = 100, .lines = 25, .coins = 11 },
			"coins_out_of_range", "bet.coins", "11", "1..10" },
		{ "mystery-elves", "holds", { .coin_minor = 1, .lines = 10, .coins = 1 },
			"mode_not_offered", "bet.mode", "holds", "one of base, hold" },
	};
	static struct game game;

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fault fault;

		print_message("%s %s\n", rows[i].game, rows[i].code);
		load(rows[i].game, &game);
		fault_at(&game, rows[i].mode, rows[i].bet, &fault);
		assert_int_equal(fault.http, 400);
		assert_string_equal(fault.code, rows[i].code);
		assert_string_equal(fault.where, rows[i].where);
		assert_string_equal(fault.found, rows[i].found);
		assert_string_equal(fault.expected, rows[i].expected);
		definition_free(&game);
	}
}

/* Cases that the shipped games lack: coin values without a bought mode, limits within the coins. */
static void test_fault_of_limits(void **unused)
{
	static struct game game;
	struct game_currency *currency;
	struct bet bet = { .coin_minor = 1, .lines = 10, .coins = 1 };
	struct fault fault;

	(void)unused;
	load("mystery-elves", &game);
	currency = (struct game_currency *)(uintptr_t)game_currency(&game, EUR);
	for (uint32_t i = 0; i < currency->coin_count; i++)
		currency->coin_buys[i] = i == 1 || i == 2;
	fault_at(&game, "hold", bet, &fault);
	assert_string_equal(fault.where, "bet.mode");
	assert_string_equal(fault.found, "hold at a coin value of 1");
	assert_string_equal(fault.expected, "a coin value of 2, 4");
	currency->coin_buys[1] = currency->coin_buys[2] = false;
	fault_at(&game, "hold", bet, &fault);
	assert_string_equal(
		fault.expected, "mode \"base\", because no mode can be bought in this currency");
	currency->stake_min.minor = 20;
	fault_at(&game, "base", bet, &fault);
	assert_string_equal(fault.code, "bet_below_minimum");
	assert_string_equal(fault.where, "bet");
	assert_string_equal(fault.found, "10");
	assert_string_equal(fault.expected, "20..10000");
	bet.currency = 840;
	fault_of_bet(&game, NULL, BET_CURRENCY_NOT_OFFERED, &bet, "base", &fault);
	assert_string_equal(fault.expected, "one of EUR, SEK");
	definition_free(&game);
}

/* Another definition may accept some refused bets; none makes a wrong move number right. */
static void test_fault_by_definition(void **unused)
{
	static const struct {
		enum player_refusal refusal;
		int detail;
		bool by_definition;
	} rows[] = { { REFUSED_NO_GAME, 0, true }, { REFUSED_BET, BET_CURRENCY_NOT_OFFERED, true },
		{ REFUSED_WITCH, 0, true }, { REFUSED_AUTOPLAY, AUTOPLAY_SPINS_OUT_OF_RANGE, true },
		{ REFUSED_AUTOPLAY, AUTOPLAY_UNKNOWN_ID, false }, { REFUSED_MOVE_SPENT, 0, false },
		{ REFUSED_BONUS_SPINS_EXPIRED, 0, false }, { REFUSED_GAMBLE, 0, false } };

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct player_error error = { .refusal = rows[i].refusal,
			.detail = rows[i].detail };

		assert_int_equal(fault_by_definition(&error), rows[i].by_definition);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fault_of_bets),
		cmocka_unit_test(test_fault_of_limits),
		cmocka_unit_test(test_fault_by_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
