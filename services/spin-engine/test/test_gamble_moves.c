/* The gamble with halving and jokers as a player's moves: what is booked, what stays pending. */
#include "services/spin-engine/test/player_world.h"
#include "tests/support/game/game_fixture.h"

#include "libcommon/game/gamble.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WIN_30 "MO FE TO MA LA/CT CT CT LA CA/CA LA MO FE GR"
#define LIMIT 12500000

/* A shipped game, on a window that wins 30, with another game's gamble. */
static void begin(struct world *world, uint8_t salt)
{
	static const char *const windows[] = { WIN_30 };

	world_init(world, windows, 1, 100);
	world->salt = salt;
	world->game.gamble = (struct gamble_rules){ .offered = true,
		.halve = true,
		.attempts_max = 10,
		.suit_count = 4,
		.suit = { 0, 1, 2, 3 },
		.jokers = 2 };
	world->game.currency[0].gamble_limited = true;
	world->game.currency[0].gamble_stake_max.minor = LIMIT;
}

static const char *act(struct world *world, enum player_verb verb, uint32_t choice)
{
	static char result[200];
	struct player_command command = world_command(world, verb);

	command.choice = choice;
	if (verb == VERB_BET) { /* the window, not the rows between two of them */
		world->forced_count = world->game.reels;
		memset(world->forced, 0, sizeof(world->forced));
	}
	world_do(world, &command, result, sizeof(result));
	world_check(world);
	return result;
}

static const struct gamble_step *last_step(const struct world *world)
{
	return &world->play.round.gamble[world->play.round.gamble_count - 1];
}

/* RULE mystery-elves 5.7: half is booked, the odd unit stays; no attempt is spent.
 * RULE mystery-elves 5.6: collecting ends it. RULE mystic-gem 4.9 */
static void test_gamble_moves_halve(void **unused)
{
	static const char *const halves[] = { "halve release 15 open", "halve release 7 open",
		"halve release 4 open", "halve release 2 open", "halve release 1 open",
		"409 halve_not_offered", "collect release 1", "409 round_closed" };
	static const int64_t pending[] = { 15, 8, 4, 2, 1, 1, 0, 0 };
	static struct world world;

	(void)unused;
	begin(&world, 1);
	act(&world, VERB_BET, 0);
	for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++) {
		const char *found = act(&world, i < 6 ? VERB_HALVE : VERB_COLLECT, 0);

		assert_string_equal(found, halves[i]);
		assert_int_equal(world.pending, pending[i]);
		assert_int_equal(world.play.state.open.gamble_attempts, 0);
	}
}

/* RULE mystery-elves 5.3 to 5.9; RULE mystic-gem 4.4, 4.5: both guesses are told the same, a joker
 * shows on wins only, the tenth attempt or the limit ends it with a collect. */
static void test_gamble_moves_jokers(void **unused)
{
	static struct world red, black;
	uint32_t jokers = 0, losses = 0, attempts = 0;

	(void)unused;
	for (uint32_t salt = 0; salt < 250; salt++) {
		begin(&red, (uint8_t)salt);
		begin(&black, (uint8_t)salt);
		act(&red, VERB_BET, 0);
		act(&black, VERB_BET, 0);
		while (red.play.state.open.move > 0) {
			int64_t pending = red.pending;
			char result[200];

			snprintf(result, sizeof(result), "%s", act(&red, VERB_GAMBLE, GUESS_RED));
			assert_string_equal(result, act(&black, VERB_GAMBLE, GUESS_BLACK));
			attempts++;
			jokers += last_step(&red)->card == GAMBLE_JOKER;
			assert_int_equal(last_step(&red)->card == GAMBLE_JOKER,
				last_step(&black)->card == GAMBLE_JOKER);
			assert_int_equal(red.pending, black.pending);
			if (last_step(&red)->won) {
				assert_true(red.pending == 2 * pending || red.pending == 0);
				continue;
			}
			losses++;
			assert_int_not_equal(last_step(&red)->card, GAMBLE_JOKER);
			assert_int_equal(red.pending, 0);
			assert_int_equal(red.play.state.open.move, 0);
		}
		assert_true(red.play.round.gamble_count <= 10);
		assert_int_equal(red.balance, black.balance);
	}
	/* 250 rounds of two attempts each on average, half of them lost; 2 of 28 wins show a joker
	 */
	assert_in_range(attempts, 400, 600);
	assert_in_range(losses, 240, 250);
	assert_in_range(jokers, 5, 40);
}

/* RULE mystery-elves 5.1, 5.11; RULE mystic-gem 4.12: a win doubled beyond the limit is collected
 * at once, and halving does not reopen the gamble. */
static void test_gamble_moves_limit(void **unused)
{
	static struct world world;
	uint32_t collected = 0;

	(void)unused;
	for (uint32_t salt = 0; salt < 20; salt++) {
		begin(&world, (uint8_t)salt);
		world.game.currency[0].gamble_stake_max.minor = 59;
		act(&world, VERB_BET, 0);
		act(&world, VERB_GAMBLE, GUESS_RED);
		assert_int_equal(world.pending, 0);
		assert_int_equal(world.play.round.gamble_count, 1);
		assert_string_equal(act(&world, VERB_HALVE, 0), "409 round_closed");
		collected += world.balance == 100 - 1 + 60;
		assert_true(world.balance == 100 - 1 + 60 || world.balance == 100 - 1);
	}
	assert_in_range(collected, 2, 18);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gamble_moves_halve),
		cmocka_unit_test(test_gamble_moves_jokers),
		cmocka_unit_test(test_gamble_moves_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
