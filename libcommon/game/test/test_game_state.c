/* The state of a player in a game, and its bytes. */
#include "tests/support/game/game_fixture.h"

#include "libcommon/game/game_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct game_state full_state(void)
{
	struct game_state state;

	game_state_init(fixture_game(), &state);
	assert_true(game_state_set_witch(fixture_game(), &state, 1));
	for (uint8_t i = 0; i < 7; i++)
		game_state_show_card(&state, (uint8_t)(26 + i));
	state.autoplay = (struct autoplay){ .id = { 1, 2, 3 },
		.spins = 50,
		.left = 20,
		.loss_limit = { -1 },
		.single_win = { 500 },
		.stop_on_feature = true,
		.stopped = AUTOPLAY_STOPPED_FEATURE,
		.bets = { 3000 },
		.wins = { 2500 },
		.last_spin_ms = 1700000000000 };
	state.open = (struct open_round){ .move = 77,
		.bet = { FIXTURE_EUR, 20, 15, 10, 2 },
		.before = { { 1, 0, 1 }, 3 },
		.autospin = true,
		.has_feature = true,
		.phases = 9,
		.cursor = 4,
		.picks = 2,
		.pick = { 3, 8 },
		.win_total = { 990 },
		.gamble_pending = { 330 },
		.gamble_attempts = 2,
		.jackpot_hits = 1,
		.math_version = { 0xaa } };
	return state;
}

/* RULE bewitched 2.5: the first until chosen, then either, at any time. */
static void test_game_state_witch(void **unused)
{
	struct game_state state;

	(void)unused;
	game_state_init(fixture_game(), &state);
	assert_int_equal(state.witch, 0);
	assert_false(state.witch_chosen);
	assert_false(game_state_set_witch(fixture_game(), &state, 2));
	assert_false(state.witch_chosen);
	assert_true(game_state_set_witch(fixture_game(), &state, 1));
	assert_int_equal(state.witch, 1);
	assert_true(game_state_set_witch(fixture_game(), &state, 0));
	assert_int_equal(state.witch, 0);
	assert_true(state.witch_chosen);
}

/* RULE bewitched 5.8; RULE mystic-gem 4.8 */
static void test_game_state_cards(void **unused)
{
	static const uint8_t expected[GAMBLE_CARDS_MAX] = { 32, 31, 30, 29, 28 };
	struct game_state state = full_state();

	(void)unused;
	assert_int_equal(state.card_count, GAMBLE_CARDS_MAX);
	assert_memory_equal(state.card, expected, sizeof(expected));
}

/* RULE bewitched 7.2: what is needed to go on at the same point survives; RULE bewitched 7.4 */
static void test_game_state_round_trip(void **unused)
{
	uint8_t bytes[GAME_STATE_BYTES_MAX], again[GAME_STATE_BYTES_MAX];
	struct game_state state = full_state(), back;
	size_t count = game_state_encode(&state, bytes);

	(void)unused;
	assert_int_equal(count, game_state_bytes(fixture_game()));
	assert_true(game_state_decode(fixture_game(), bytes, count, &back));
	assert_int_equal(back.open.cursor, 4);
	assert_int_equal(back.open.pick[1], 8);
	assert_int_equal(back.open.bet.mode, 2);
	assert_true(back.autoplay.stop_on_feature && !back.autoplay.stop_on_jackpot);
	assert_memory_equal(&back.open.before, &state.open.before, sizeof(back.open.before));
	assert_int_equal(game_state_encode(&back, again), count);
	assert_memory_equal(bytes, again, count);
	game_state_init(fixture_game(), &state);
	count = game_state_encode(&state, bytes);
	assert_int_equal(count, 8);
	assert_true(game_state_decode(fixture_game(), bytes, count, &back));
	assert_memory_equal(&state, &back, sizeof(state));
	assert_int_equal(fixture_game()->resolve_after_hours, 120);
}

static void test_game_state_refuses_other_bytes(void **unused)
{
	/* offset, value: one byte of a full state each */
	static const struct {
		size_t at;
		uint8_t value;
	} rows[] = {
		{ 0, 1 },   /* format */
		{ 1, 16 },  /* unknown flag */
		{ 1, 3 },   /* a witch that was not chosen */
		{ 2, 9 },   /* another game */
		{ 6, 4 },   /* no such witch */
		{ 7, 6 },   /* six cards */
		{ 8, 53 },  /* no such card */
		{ 33, 51 }, /* more left than asked for */
		{ 53, 4 },  /* neither jackpot nor feature */
		{ 54, 7 },  /* no such reason */
		{ 79, 0 },  /* no move: the part would not be there */
		{ 107, 8 }, /* no such mode */
		{ 108, 3 }, /* three potions */
	};
	uint8_t bytes[GAME_STATE_BYTES_MAX + 1];
	struct game_state state = full_state(), back;
	size_t count = game_state_encode(&state, bytes);

	(void)unused;
	memset(&back, 0x55, sizeof(back));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t was = bytes[rows[i].at];

		bytes[rows[i].at] = rows[i].value;
		if (game_state_decode(fixture_game(), bytes, count, &back))
			fail_msg("taken: byte %zu = %u", rows[i].at, rows[i].value);
		bytes[rows[i].at] = was;
	}
	for (size_t cut = 0; cut < count; cut++)
		assert_false(game_state_decode(fixture_game(), bytes, cut, &back));
	bytes[count] = 0;
	assert_false(game_state_decode(fixture_game(), bytes, count + 1, &back));
	for (size_t i = 0; i < sizeof(back); i++)
		assert_int_equal(((const uint8_t *)&back)[i], 0x55);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_game_state_witch),
		cmocka_unit_test(test_game_state_cards),
		cmocka_unit_test(test_game_state_round_trip),
		cmocka_unit_test(test_game_state_refuses_other_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
