/* What a player carries for each bet value, and its bytes. */
#include "tests/support/game/feature_game.h"

#include "libcommon/game/game_state.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct game *game_of(uint32_t coins)
{
	static struct game game;

	feature_game_unlock(&game);
	game.currency[0].coin_count = coins;
	for (uint32_t i = 0; i < coins; i++)
		game.currency[0].coin_minor[i] = 5 * (i + 1);
	return &game;
}

static struct bet bet_of(int64_t coin_minor)
{
	return (struct bet){
		.currency = FEATURE_EUR, .coin_minor = coin_minor, .lines = 2, .coins = 1
	};
}

static void expect(const struct game *game, const struct game_state *state, int64_t coin_minor,
	uint8_t red, uint8_t blue, uint8_t green, uint8_t unlocked)
{
	struct bet bet = bet_of(coin_minor);
	struct round_state found = game_state_carried(game, state, &bet);

	if (found.collectibles[0] != red || found.collectibles[1] != blue ||
		found.collectibles[2] != green || found.unlocked != unlocked)
		fail_msg("coin %" PRId64 ": %u%u%u %u", coin_minor, found.collectibles[0],
			found.collectibles[1], found.collectibles[2], found.unlocked);
}

static bool carry(const struct game *game, struct game_state *state, int64_t coin_minor,
	struct round_state after)
{
	struct bet bet = bet_of(coin_minor);

	return game_state_carry(game, state, &bet, &after);
}

/* RULE witch-feature 3.12, 3.13 */
static void test_carried_belongs_to_the_bet(void **unused)
{
	struct game *game = game_of(16);
	struct game_state state;

	(void)unused;
	game_state_init(game, &state);
	expect(game, &state, 5, 0, 0, 0, 0);
	assert_true(carry(game, &state, 10, (struct round_state){ { 1, 1, 0 }, 2 }));
	assert_true(carry(game, &state, 5, (struct round_state){ { 0, 0, 2 }, 0 }));
	expect(game, &state, 5, 0, 0, 2, 0);
	expect(game, &state, 10, 1, 1, 0, 2);
	expect(game, &state, 15, 0, 0, 0, 0);
	/* potions are used up, what is unlocked stays; the other bet keeps its own */
	assert_true(carry(game, &state, 10, (struct round_state){ { 0, 0, 0 }, 3 }));
	expect(game, &state, 10, 0, 0, 0, 3);
	expect(game, &state, 5, 0, 0, 2, 0);
	/* nothing left: not kept */
	assert_true(carry(game, &state, 5, (struct round_state){ { 0, 0, 0 }, 0 }));
	assert_int_equal(state.carried.count, 1);
	/* the same total in another way is the same bet value */
	assert_int_equal(game_state_carried(game, &state, &(struct bet){ FEATURE_EUR, 20, 1, 1, 0 })
				 .unlocked,
		3);
}

/* Every bet value of a currency has room; one that is no longer offered makes room for a new one.
 */
static void test_carried_room(void **unused)
{
	struct game *game = game_of(CARRIED_MAX);
	struct game_state state, before;

	(void)unused;
	game_state_init(game, &state);
	for (uint32_t i = CARRIED_MAX; i > 0; i--)
		assert_true(carry(game, &state, 5 * i, (struct round_state){ { 1, 0, 0 }, i % 4 }));
	for (uint32_t i = CARRIED_MAX; i > 0; i--)
		expect(game, &state, 5 * i, 1, 0, 0, i % 4);
	before = state;
	assert_false(carry(game, &state, 1000, (struct round_state){ { 0, 1, 0 }, 0 }));
	assert_memory_equal(&state, &before, sizeof(state));
	game->currency[0].coin_minor[3] = 1000; /* instead of 20 */
	assert_true(carry(game, &state, 1000, (struct round_state){ { 0, 1, 0 }, 0 }));
	expect(game, &state, 1000, 0, 1, 0, 0);
	expect(game, &state, 20, 0, 0, 0, 0);
	expect(game, &state, 15, 1, 0, 0, 3);
}

/* A definition that has changed never meets a state that it cannot play. */
static void test_carried_outlives_the_definition(void **unused)
{
	struct game *game = game_of(1);
	struct game_state state;

	(void)unused;
	game_state_init(game, &state);
	assert_true(carry(game, &state, 5, (struct round_state){ { 0, 1, 1 }, 3 }));
	game->unlock.step_count = 2;
	expect(game, &state, 5, 0, 1, 1, 1);
	game->unlock.offered = false;
	expect(game, &state, 5, 0, 0, 0, 0);
	assert_true(carry(game, &state, 5, (struct round_state){ { 0, 0, 0 }, 0 }));
	assert_int_equal(state.carried.count, 1);
}

/* All 10 x 4 states there are, and no other byte. */
static void test_carried_packs_states(void **unused)
{
	uint32_t states = 0;

	(void)unused;
	for (uint32_t byte = 0; byte < 256; byte++) {
		struct round_state state = { { 9, 9, 9 }, 9 };

		if (!round_state_unpack((uint8_t)byte, &state)) {
			assert_int_equal(state.unlocked, 9);
			continue;
		}
		assert_true(
			state.collectibles[0] + state.collectibles[1] + state.collectibles[2] <= 2);
		assert_int_equal(round_state_pack(&state), byte);
		states++;
	}
	assert_int_equal(states, 40);
}

static void test_carried_round_trip(void **unused)
{
	struct game *game = game_of(CARRIED_MAX);
	uint8_t bytes[CARRIED_BYTES_MAX], again[CARRIED_BYTES_MAX];
	struct carried carried = { .count = 0 }, back;
	size_t count;

	(void)unused;
	assert_int_equal(carried_encode(&carried, bytes), 0);
	assert_true(carried_decode(bytes, 0, &back));
	for (uint32_t i = 1; i <= CARRIED_MAX; i++) {
		struct round_state state = { { 0, (uint8_t)(i % 3), 0 }, (uint8_t)(1 + i % 3) };

		assert_true(carried_set(
			&carried, game, FEATURE_EUR, money_of(10 * (int64_t)i), &state));
		count = carried_encode(&carried, bytes);
		assert_int_equal(count, 1 + 7 * i);
		assert_true(carried_decode(bytes, count, &back));
		assert_int_equal(carried_encode(&back, again), count);
		assert_memory_equal(bytes, again, count);
	}
}

/* The same among the bytes of a whole state, at its longest. */
static void test_carried_in_a_state(void **unused)
{
	struct game *game = game_of(CARRIED_MAX);
	uint8_t bytes[GAME_STATE_BYTES_MAX], again[GAME_STATE_BYTES_MAX];
	struct game_state state, back;
	size_t count;

	(void)unused;
	game->gamble.offered = game->autoplay.offered = true;
	game_state_init(game, &state);
	state.autoplay = (struct autoplay){ .spins = 5, .left = 2 };
	state.open = (struct open_round){
		.move = 3, .bet = bet_of(5), .before = { { 1, 1, 0 }, 2 }, .phases = 2, .cursor = 1
	};
	for (uint32_t i = 0; i < 5; i++)
		game_state_show_card(&state, 52);
	for (uint32_t i = 1; i <= CARRIED_MAX; i++)
		assert_true(carry(game, &state, 5 * i, (struct round_state){ { 0, 0, 2 }, 1 }));
	count = game_state_encode(&state, bytes);
	assert_int_equal(count, game_state_bytes(game));
	assert_true(count <= GAME_STATE_BYTES_MAX);
	assert_true(game_state_decode(game, bytes, count, &back));
	assert_int_equal(back.open.before.unlocked, 2);
	expect(game, &back, 80, 0, 0, 2, 1);
	assert_int_equal(game_state_encode(&back, again), count);
	assert_memory_equal(bytes, again, count);
	for (size_t cut = 0; cut < count; cut++)
		assert_false(game_state_decode(game, bytes, cut, &back));
}

static void test_carried_refuses_other_bytes(void **unused)
{
	static const struct {
		const char *what;
		size_t count;
		uint8_t bytes[15];
	} rows[] = {
		{ "a count of none", 1, { 0 } },
		{ "more than there is room for", 1, { 17 } },
		{ "cut short", 7, { 1, 1, 10 } },
		{ "too long", 9, { 1, 1, 10 } },
		{ "a state of nothing", 8, { 1, 0, 10 } },
		{ "three potions", 8, { 1, 3, 10 } },
		{ "a total of 0", 8, { 1, 1, 0 } },
		{ "the same total twice", 15, { 2, 1, 10, 0, 0, 0, 0, 0, 1, 10 } },
		{ "falling totals", 15, { 2, 1, 10, 0, 0, 0, 0, 0, 1, 9 } },
	};
	struct carried carried = { .count = 5 };

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (carried_decode(rows[i].bytes, rows[i].count, &carried))
			fail_msg("taken: %s", rows[i].what);
		assert_int_equal(carried.count, 5);
	}
}

/* A player who changes between bet values, round after round: what each is told is what it left. */
static void test_carried_properties(void **unused)
{
	static struct game *game;
	static struct phase phase;
	static const char *const windows[] = { "AKQJA/AKQJA/ArKbA/AKQJA/AKQJA",
		"AKQJA/AKQJA/AKgJA/AKQJA/AKQJA", "AKQJA/AKQJA/ArQbA/AKQJA/AKQJA",
		"AKQJA/AKQJA/AgQgA/AKQJA/AKQJA" };
	static const char *const win[] = { "AKQJA/AKQJA/AAAJA/AKQJA/AKQJA" };
	const char *text = getenv("TEST_SEED");
	uint32_t seed = text ? (uint32_t)strtoul(text, NULL, 10) : 20240604;
	uint8_t key[RNG_KEY_BYTES] = { 0 };
	struct round_state expected[CARRIED_MAX] = { { { 0 }, 0 } };
	struct game_state state;

	(void)unused;
	print_message("TEST_SEED=%" PRIu32 "\n", seed);
	game = game_of(CARRIED_MAX);
	feature_windows(game, SET_BASE, windows, 4);
	feature_windows(game, SET_MULTIPLIER, win, 1);
	game_state_init(game, &state);
	for (uint32_t i = 0; i < 5000; i++) {
		uint32_t coin = i * 7 % CARRIED_MAX;
		struct bet bet = bet_of(5 * ((int64_t)coin + 1));
		struct round_state before = game_state_carried(game, &state, &bet);
		struct round_sum sum;
		struct rng rng;

		assert_memory_equal(&before, &expected[coin], sizeof(before));
		memcpy(key, &seed, sizeof(seed));
		memcpy(key + 4, &i, sizeof(i));
		rng_init(&rng, key);
		assert_int_equal(round_play(game, &bet, &before, &rng, &phase, &sum), ROUND_DONE);
		assert_memory_equal(&sum.state, &phase.state, sizeof(sum.state));
		assert_true(game_state_carry(game, &state, &bet, &sum.state));
		expected[coin] = sum.state;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carried_belongs_to_the_bet),
		cmocka_unit_test(test_carried_room),
		cmocka_unit_test(test_carried_outlives_the_definition),
		cmocka_unit_test(test_carried_packs_states),
		cmocka_unit_test(test_carried_round_trip),
		cmocka_unit_test(test_carried_in_a_state),
		cmocka_unit_test(test_carried_refuses_other_bytes),
		cmocka_unit_test(test_carried_properties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
