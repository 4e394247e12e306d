/* Double-up and the state it lives in. */
#include "services/spin-engine/test/game_fixture.h"

#include "services/spin-engine/core/autoplay.h"
#include "services/spin-engine/core/gamble.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct game_state won_round(const struct game *game)
{
	struct game_state state;

	game_state_init(game, &state);
	state.open = (struct open_round){ .move = 7,
		.bet = { FIXTURE_EUR, 1, 1, 1 },
		.phases = 1,
		.cursor = 1,
		.win_total = { 30 },
		.gamble_pending = { 30 } };
	return state;
}

/* RULE bewitched 5.1, 5.3, 5.4, 5.7, 5.11; each row breaks one thing */
static void test_gamble_check(void **unused)
{
	static const struct autoplay running = { .spins = 5, .left = 3 };
	static struct game game;
	struct game_state state;

	(void)unused;
	game = *fixture_game();
	state = won_round(&game);
	assert_int_equal(gamble_check(&game, &state), GAMBLE_OK);
	assert_int_equal(gamble_halve_check(&game, &state), GAMBLE_NO_HALVE);
	state.open.gamble_pending.minor = 0;
	assert_int_equal(gamble_check(&game, &state), GAMBLE_NO_WIN);
	state = won_round(&game);
	state.open.move = 0;
	assert_int_equal(gamble_check(&game, &state), GAMBLE_NO_WIN);
	state = won_round(&game);
	state.open.phases = 2;
	assert_int_equal(gamble_check(&game, &state), GAMBLE_FEATURE_OPEN);
	state = won_round(&game);
	state.open.autospin = true;
	state.autoplay = running;
	assert_int_equal(gamble_check(&game, &state), GAMBLE_AUTOPLAY_RUNS);
	autoplay_stop(&state.autoplay); /* stopped before the next spin: open again */
	assert_int_equal(gamble_check(&game, &state), GAMBLE_OK);
	state = won_round(&game);
	state.open.gamble_attempts = 4;
	assert_int_equal(gamble_check(&game, &state), GAMBLE_OK);
	state.open.gamble_attempts = 5;
	assert_int_equal(gamble_check(&game, &state), GAMBLE_ATTEMPTS_SPENT);
	state = won_round(&game);
	state.open.gamble_pending.minor = INT64_MAX / 2 + 1;
	assert_int_equal(gamble_check(&game, &state), GAMBLE_OVERFLOW);
	game.currency[0].gamble_limited = true;
	game.currency[0].gamble_stake_max.minor = 30;
	state = won_round(&game);
	assert_int_equal(gamble_check(&game, &state), GAMBLE_OK);
	state.open.gamble_pending.minor = 31;
	assert_int_equal(gamble_check(&game, &state), GAMBLE_ABOVE_LIMIT);
	game.gamble.offered = false;
	assert_int_equal(gamble_check(&game, &state), GAMBLE_NOT_OFFERED);
}

/* RULE bewitched 5.9, 5.2 */
static void test_gamble_stake(void **unused)
{
	static struct game game;

	(void)unused;
	game = *fixture_game();
	assert_int_equal(gamble_stake_of(&game, money_of(30), money_of(100)).minor, 30);
	assert_int_equal(gamble_stake_of(&game, money_of(0), money_of(100)).minor, 0);
	game.gamble.base_lines_only = false;
	assert_int_equal(gamble_stake_of(&game, money_of(30), money_of(100)).minor, 100);
	game.gamble.offered = false;
	assert_int_equal(gamble_stake_of(&game, money_of(30), money_of(100)).minor, 0);
}

/* RULE bewitched 5.5, 5.6, 5.10: all 26 cards, each guess right on 13 of them; nothing is drawn
 * without a guess. */
static void test_gamble_draw(void **unused)
{
	const struct game *game = fixture_game();
	uint8_t key[RNG_KEY_BYTES] = { 3 }, card;
	uint32_t won_red = 0, won_black = 0;
	uint64_t seen = 0;
	struct rng rng;
	bool won;

	(void)unused;
	rng_init(&rng, key);
	assert_int_equal(gamble_draw(game, &rng, 2, &card, &won), GAMBLE_BAD_GUESS);
	assert_int_equal(rng_drawn(&rng), 0);
	for (uint32_t i = 0; i < 26; i++) {
		uint32_t forced[2] = { i, i };

		rng_force(&rng, forced, 2);
		assert_int_equal(gamble_draw(game, &rng, GUESS_RED, &card, &won), GAMBLE_OK);
		assert_true(card / 13 == 2 || card / 13 == 3);
		assert_int_equal(won, card / 13 == 2);
		won_red += won;
		seen |= UINT64_C(1) << card;
		assert_int_equal(gamble_draw(game, &rng, GUESS_BLACK, &card, &won), GAMBLE_OK);
		assert_int_equal(won, card / 13 == 3);
		won_black += won;
	}
	assert_int_equal(won_red, 13);
	assert_int_equal(won_black, 13);
	assert_int_equal(__builtin_popcountll(seen), 26);
}

/* RULE bewitched 5.10 */
static void test_gamble_settle_and_halve(void **unused)
{
	static const int64_t halves[][3] = { { 0, 0, 0 }, { 1, 0, 1 }, { 2, 1, 1 }, { 7, 3, 4 },
		{ INT64_MAX, INT64_MAX / 2, INT64_MAX / 2 + 1 } };
	struct money pending = { 0 }, banked;

	(void)unused;
	assert_int_equal(gamble_settle(money_of(30), true, &pending), GAMBLE_OK);
	assert_int_equal(pending.minor, 60);
	assert_int_equal(gamble_settle(money_of(30), false, &pending), GAMBLE_OK);
	assert_int_equal(pending.minor, 0);
	assert_int_equal(gamble_settle(money_of(INT64_MAX), true, &pending), GAMBLE_OVERFLOW);
	for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++) {
		gamble_halve(money_of(halves[i][0]), &banked, &pending);
		assert_true(banked.minor == halves[i][1] && pending.minor == halves[i][2]);
	}
}

static void test_gamble_halve_check(void **unused)
{
	static struct game game;
	struct game_state state;

	(void)unused;
	game = *fixture_game();
	game.gamble.halve = true;
	state = won_round(&game);
	assert_int_equal(gamble_halve_check(&game, &state), GAMBLE_OK);
	state.open.gamble_attempts = 5; /* halving is no attempt */
	assert_int_equal(gamble_halve_check(&game, &state), GAMBLE_OK);
	state.open.gamble_pending.minor = 1;
	assert_int_equal(gamble_halve_check(&game, &state), GAMBLE_NO_HALVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gamble_check),
		cmocka_unit_test(test_gamble_stake),
		cmocka_unit_test(test_gamble_draw),
		cmocka_unit_test(test_gamble_settle_and_halve),
		cmocka_unit_test(test_gamble_halve_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
