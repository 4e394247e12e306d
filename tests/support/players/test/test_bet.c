/* Bets are those that a game offers, every mode comes up, and a player lasts. */
#include "tests/support/players/player.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BETS 20000

/* As GET /v1/games/{id} tells it. */
static const char *const fixed =
	"{\"id\":\"gems\",\"bet\":{\"lines\":{\"min\":40,\"max\":40},\"coins\":{\"min\":1,\"max\":1}},"
	"\"modes\":[{\"id\":\"base\",\"price_hundredths\":100},{\"id\":\"wild_1\",\"price_hundredths\":450},"
	"{\"id\":\"wild_3\",\"price_hundredths\":7150}],\"gamble\":{\"halve\":true},\"currencies\":["
	"{\"currency\":\"SEK\",\"coins_minor\":[7]},{\"currency\":\"EUR\",\"coins_minor\":[1,2,5,10,125],"
	"\"no_buy_coins_minor\":[2],\"stake_min_minor\":40,\"stake_max_minor\":5000,\"price_max_minor\":20000}]}";
static const char *const free_choice =
	"{\"id\":\"art\",\"vials\":9,\"bet\":{\"lines\":{\"min\":1,\"max\":25},\"coins\":{\"min\":1,\"max\":10}},"
	"\"modes\":[{\"id\":\"base\",\"price_hundredths\":100}],\"gamble\":null,\"currencies\":["
	"{\"currency\":\"EUR\",\"coins_minor\":[1,2,5],\"stake_min_minor\":10,\"stake_max_minor\":1000,"
	"\"price_max_minor\":null}]}";

static struct options options = { .currency = "EUR" };
static struct crowd crowd = { .options = &options };

static void game(const char *text, struct player *player)
{
	json_t *json = json_loads(text, 0, NULL);

	assert_true(bet_rules_read(&options, json, &crowd.game[0]));
	json_decref(json);
	*player = (struct player){ .crowd = &crowd, .game = &crowd.game[0], .random = 3 };
}

static bool offers(const struct game_rules *rules, int64_t coin, bool bought)
{
	for (size_t i = 0; i < rules->coins_n; i++)
		if (rules->coin[i] == coin)
			return !bought || rules->sold[i];
	return false;
}

static void expect_allowed(const struct game_rules *rules, const struct bet_choice *bet)
{
	int64_t total = bet->coin * bet->lines * bet->coins;

	assert_true(offers(rules, bet->coin, bet->mode > 0));
	assert_in_range(bet->lines, rules->lines_min, rules->lines_max);
	assert_in_range(bet->coins, rules->coins_min, rules->coins_max);
	assert_true(bet->stake * 100 == total * rules->mode[bet->mode].price_hundredths);
	assert_true(total <= rules->stake_max);
	assert_true(bet->mode == 0 || bet->stake <= rules->price_max);
}

static void test_bet_every_mode_within_the_rules(void **unused)
{
	struct player player;
	uint32_t seen[STATS_MODES_MAX] = { 0 };

	(void)unused;
	game(fixed, &player);
	assert_true(player.game->halves);
	player.balance = 100000;
	for (int i = 0; i < BETS; i++) {
		struct bet_choice bet;

		bet_choose(&player, &bet);
		expect_allowed(player.game, &bet);
		assert_true(bet.stake <= player.balance / 10);
		seen[bet.mode]++;
	}
	assert_true(seen[0] > BETS / 2 && seen[1] > BETS / 100 && seen[2] > BETS / 100);
}

/* With next to nothing left: the base game at the smallest coin. */
static void test_bet_with_low_balance(void **unused)
{
	struct player player;

	(void)unused;
	game(fixed, &player);
	player.balance = 41;
	for (int i = 0; i < 1000; i++) {
		struct bet_choice bet;

		bet_choose(&player, &bet);
		assert_true(bet.mode == 0 && bet.stake == 40);
	}
}

/* What the options ask for, as far as the game has it. */
static void test_bet_options_where_the_game_has_them(void **unused)
{
	static const struct {
		const char *text;
		int64_t coin, lines, coins;
	} rows[] = { { free_choice, 5, 7, 3 }, { fixed, 5, 40, 1 } };
	struct player player;

	(void)unused;
	options.coin_minor = 5;
	options.lines = 7;
	options.coins = 3;
	for (size_t i = 0; i < 2; i++) {
		struct bet_choice bet;

		game(rows[i].text, &player);
		player.balance = 100;
		bet_choose(&player, &bet);
		assert_true(bet.coin == rows[i].coin && bet.lines == rows[i].lines &&
			    bet.coins == rows[i].coins && bet.mode == 0);
	}
	options.coin_minor = options.lines = options.coins = 0;
	for (int i = 0; i < BETS; i++) {
		struct bet_choice bet;

		game(free_choice, &player);
		player.random = (uint64_t)i;
		player.balance = 100000;
		bet_choose(&player, &bet);
		expect_allowed(player.game, &bet);
	}
}

static void test_empty_bet_rules(void **unused)
{
	static const char *const texts[] = {
		"{}", "{\"id\":\"x\",\"modes\":[{\"id\":\"base\"}]}",
		"{\"id\":\"x\",\"modes\":[],\"currencies\":[{\"currency\":\"EUR\",\"coins_minor\":[1]}]}"
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *json = json_loads(texts[i], 0, NULL);

		assert_false(bet_rules_read(&options, json, &crowd.game[0]));
		json_decref(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bet_every_mode_within_the_rules),
		cmocka_unit_test(test_bet_with_low_balance),
		cmocka_unit_test(test_bet_options_where_the_game_has_them),
		cmocka_unit_test(test_empty_bet_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
