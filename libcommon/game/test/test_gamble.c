/* Double-up and the state it lives in. The decks are those of the three games that have one. */
#include "tests/support/game/feature_game.h"

#include "libcommon/game/autoplay.h"
#include "libcommon/game/gamble.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Hearts and spades, base lines, five attempts, no limit. */
static const struct gamble_rules hearts_and_spades = { .offered = true,
	.base_lines_only = true,
	.attempts_max = 5,
	.suit_count = 2,
	.suit = { 2, 3 } };
/* The whole deck, five attempts of at most 42.00. */
static const struct gamble_rules whole_deck = {
	.offered = true, .attempts_max = 5, .suit_count = 4, .suit = { 0, 1, 2, 3 }
};
/* The whole deck and two jokers, halving, ten attempts of at most 125,000.00. */
static const struct gamble_rules with_jokers = { .offered = true,
	.halve = true,
	.attempts_max = 10,
	.suit_count = 4,
	.suit = { 0, 1, 2, 3 },
	.jokers = 2 };

static struct game *game_with(const struct gamble_rules *rules, int64_t limit)
{
	static struct game game;

	feature_game_hold(&game);
	game.gamble = *rules;
	game.currency[0].gamble_limited = limit > 0;
	game.currency[0].gamble_stake_max.minor = limit;
	return &game;
}

static struct game_state won_round(const struct game *game, int64_t pending)
{
	struct game_state state;

	game_state_init(game, &state);
	state.open = (struct open_round){ .move = 7,
		.bet = { .currency = FEATURE_EUR, .coin_minor = 5, .lines = 2, .coins = 1 },
		.phases = 1,
		.cursor = 1,
		.win_total = { pending },
		.gamble_pending = { pending } };
	return state;
}

/* RULE bewitched 5.1, 5.3, 5.4, 5.7; RULE mystic-gem 4.7, 4.11; RULE mystery-elves 5.10: each row
 * breaks one thing */
static void test_gamble_check(void **unused)
{
	static const struct autoplay running = { .spins = 5, .left = 3 };
	struct game *game = game_with(&hearts_and_spades, 0);
	struct game_state state = won_round(game, 30);

	(void)unused;
	assert_int_equal(gamble_check(game, &state), GAMBLE_OK);
	assert_int_equal(gamble_halve_check(game, &state), GAMBLE_NO_HALVE);
	state.open.gamble_pending.minor = 0;
	assert_int_equal(gamble_check(game, &state), GAMBLE_NO_WIN);
	state = won_round(game, 30);
	state.open.move = 0;
	assert_int_equal(gamble_check(game, &state), GAMBLE_NO_WIN);
	state = won_round(game, 30);
	state.open.phases = 2;
	assert_int_equal(gamble_check(game, &state), GAMBLE_FEATURE_OPEN);
	state = won_round(game, 30);
	state.open.autospin = true;
	state.autoplay = running;
	assert_int_equal(gamble_check(game, &state), GAMBLE_AUTOPLAY_RUNS);
	autoplay_stop(&state.autoplay); /* stopped before the next spin: open again */
	assert_int_equal(gamble_check(game, &state), GAMBLE_OK);
	state = won_round(game, 30);
	state.open.gamble_attempts = 4;
	assert_int_equal(gamble_check(game, &state), GAMBLE_OK);
	state.open.gamble_attempts = 5;
	assert_int_equal(gamble_check(game, &state), GAMBLE_ATTEMPTS_SPENT);
	state = won_round(game, INT64_MAX / 2 + 1);
	assert_int_equal(gamble_check(game, &state), GAMBLE_OVERFLOW);
	game->gamble.offered = false;
	assert_int_equal(gamble_check(game, &state), GAMBLE_NOT_OFFERED);
}

/* RULE mystic-gem 4.1, 4.7; RULE mystery-elves 5.1, 5.4, 5.5; RULE bewitched 5.11: attempts and the
 * stake of each, at and beyond the limit */
static void test_gamble_limits(void **unused)
{
	static const struct {
		const struct gamble_rules *rules;
		int64_t limit, pending;
		uint32_t attempts; /* made */
		enum gamble_status expected;
	} rows[] = {
		{ &whole_deck, 4200, 4200, 0, GAMBLE_OK },
		{ &whole_deck, 4200, 4201, 0, GAMBLE_ABOVE_LIMIT },
		{ &whole_deck, 4200, 4200, 4, GAMBLE_OK },
		{ &whole_deck, 4200, 8400, 1, GAMBLE_ABOVE_LIMIT }, /* doubled beyond it */
		{ &whole_deck, 4200, 1, 5, GAMBLE_ATTEMPTS_SPENT },
		{ &with_jokers, 12500000, 12500000, 0, GAMBLE_OK },
		{ &with_jokers, 12500000, 12500001, 0, GAMBLE_ABOVE_LIMIT },
		{ &with_jokers, 12500000, 12500000, 9, GAMBLE_OK },
		{ &with_jokers, 12500000, 1, 10, GAMBLE_ATTEMPTS_SPENT },
		{ &hearts_and_spades, 0, INT64_MAX / 2, 0, GAMBLE_OK },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct game *game = game_with(rows[i].rules, rows[i].limit);
		struct game_state state = won_round(game, rows[i].pending);

		state.open.gamble_attempts = rows[i].attempts;
		if (gamble_check(game, &state) != rows[i].expected)
			fail_msg("row %zu: %s", i, gamble_status_text(gamble_check(game, &state)));
	}
	/* 1 to 5 attempts, as the game says */
	for (uint32_t attempts = 1; attempts <= 5; attempts++) {
		struct game *game = game_with(&whole_deck, 4200);
		struct game_state state = won_round(game, 30);

		game->gamble.attempts_max = attempts;
		state.open.gamble_attempts = attempts - 1;
		assert_int_equal(gamble_check(game, &state), GAMBLE_OK);
		state.open.gamble_attempts = attempts;
		assert_int_equal(gamble_check(game, &state), GAMBLE_ATTEMPTS_SPENT);
	}
}

/* RULE bewitched 5.9, 5.2; RULE mystic-gem 4.2; RULE mystery-elves 5.1 */
static void test_gamble_stake(void **unused)
{
	struct game *game = game_with(&hearts_and_spades, 0);

	(void)unused;
	assert_int_equal(gamble_stake_of(game, money_of(30), money_of(100)).minor, 30);
	assert_int_equal(gamble_stake_of(game, money_of(0), money_of(100)).minor, 0);
	game = game_with(&whole_deck, 4200);
	assert_int_equal(gamble_stake_of(game, money_of(30), money_of(100)).minor, 100);
	game = game_with(&with_jokers, 0);
	assert_int_equal(gamble_stake_of(game, money_of(0), money_of(100)).minor, 100);
	game->gamble.offered = false;
	assert_int_equal(gamble_stake_of(game, money_of(30), money_of(100)).minor, 0);
}

/* ---- decks without jokers ----------------------------------------------------------------------
 */

static bool is_red(uint8_t card)
{
	return card / 13 == 1 || card / 13 == 2;
}

static void check_deck(const struct gamble_rules *rules)
{
	const struct game *game = game_with(rules, 0);
	uint32_t cards = rules->suit_count * 13, won[2] = { 0, 0 };
	uint8_t key[RNG_KEY_BYTES] = { 3 };
	struct gamble_card card;
	uint64_t seen = 0;
	struct rng rng;

	rng_init(&rng, key);
	for (uint32_t i = 0; i < cards; i++)
		for (uint32_t guess = GUESS_RED; guess <= GUESS_BLACK; guess++) {
			rng_force(&rng, &i, 1);
			assert_int_equal(gamble_draw(game, &rng, guess, &card), GAMBLE_OK);
			assert_int_equal(card.won, is_red(card.card) == (guess == GUESS_RED));
			assert_int_equal(card.draw_count, 1);
			assert_int_equal(card.draw[0].meaning, DRAW_GAMBLE_CARD);
			assert_int_equal(card.draw[0].below, cards);
			assert_int_equal(card.draw[0].value, i);
			won[guess] += card.won;
			seen |= UINT64_C(1) << card.card;
		}
	assert_int_equal(won[GUESS_RED], cards / 2);
	assert_int_equal(won[GUESS_BLACK], cards / 2);
	assert_int_equal(__builtin_popcountll(seen), cards);
}

/* RULE bewitched 5.5, 5.6, 5.10; RULE mystic-gem 4.3, 4.6: every card of the deck, each guess right
 * on half of them; nothing is drawn without a guess. */
static void test_gamble_decks(void **unused)
{
	const struct game *game = game_with(&whole_deck, 0);
	uint8_t key[RNG_KEY_BYTES] = { 3 };
	struct gamble_card card;
	struct rng rng;

	(void)unused;
	rng_init(&rng, key);
	assert_int_equal(gamble_draw(game, &rng, 2, &card), GAMBLE_BAD_GUESS);
	assert_int_equal(rng_drawn(&rng), 0);
	check_deck(&hearts_and_spades);
	check_deck(&whole_deck);
}

/* ---- jokers ------------------------------------------------------------------------------------
 */

/* RULE mystery-elves 5.2, 5.8, 5.9: every outcome with every card that may be shown for it. Won:
 * the colour guessed or a joker; lost: the other colour, never a joker. */
static void test_gamble_jokers(void **unused)
{
	const struct game *game = game_with(&with_jokers, 0);
	uint8_t key[RNG_KEY_BYTES] = { 3 };
	struct gamble_card card;
	struct rng rng;

	(void)unused;
	rng_init(&rng, key);
	for (uint32_t guess = GUESS_RED; guess <= GUESS_BLACK; guess++)
		for (uint32_t win = 0; win < 2; win++) {
			uint32_t below = win ? 28 : 26, jokers = 0;
			uint64_t seen = 0;

			for (uint32_t i = 0; i < below; i++) {
				uint32_t forced[2] = { win, i };

				rng_force(&rng, forced, 2);
				assert_int_equal(gamble_draw(game, &rng, guess, &card), GAMBLE_OK);
				assert_false(rng_forced_misfit(&rng));
				assert_int_equal(card.won, win);
				assert_int_equal(card.draw_count, 2);
				assert_int_equal(card.draw[0].meaning, DRAW_GAMBLE_WINS);
				assert_int_equal(card.draw[0].below, 2);
				assert_int_equal(card.draw[0].value, win);
				assert_int_equal(card.draw[1].meaning, DRAW_GAMBLE_CARD);
				assert_int_equal(card.draw[1].below, below);
				assert_int_equal(card.draw[1].value, i);
				if (card.card == GAMBLE_JOKER) {
					jokers++;
					continue;
				}
				assert_int_equal(is_red(card.card),
					win ? guess == GUESS_RED : guess != GUESS_RED);
				seen |= UINT64_C(1) << card.card;
			}
			assert_int_equal(jokers, win ? 2 : 0);
			assert_int_equal(__builtin_popcountll(seen), 26);
		}
}

/* RULE mystery-elves 5.8: neither the guess nor the cards before change what is drawn: attempt by
 * attempt, red and black are told the same outcomes from the same stream. */
static void test_gamble_outcome_ignores_guess(void **unused)
{
	const struct game *game = game_with(&with_jokers, 0);
	const char *text = getenv("TEST_SEED");
	uint32_t seed = text ? (uint32_t)strtoul(text, NULL, 10) : 20240603, won = 0;
	uint8_t key[RNG_KEY_BYTES] = { 0 };
	struct rng red, black;

	(void)unused;
	print_message("TEST_SEED=%" PRIu32 "\n", seed);
	memcpy(key, &seed, sizeof(seed));
	rng_init(&red, key);
	rng_init(&black, key);
	for (uint32_t i = 0; i < 20000; i++) {
		struct gamble_card a, b;

		assert_int_equal(gamble_draw(game, &red, GUESS_RED, &a), GAMBLE_OK);
		assert_int_equal(gamble_draw(game, &black, GUESS_BLACK, &b), GAMBLE_OK);
		assert_int_equal(a.won, b.won);
		assert_int_equal(a.draw[1].value, b.draw[1].value);
		won += a.won;
	}
	assert_in_range(won, 10000 - 300, 10000 + 300); /* 4.2 sigma */
}

/* ---- sums --------------------------------------------------------------------------------------
 */

/* RULE bewitched 5.10; RULE mystic-gem 4.4; RULE mystery-elves 5.3 and, for the halves, 5.7: what
 * is banked is rounded down, the odd one stays */
static void test_gamble_settle_and_halve(void **unused)
{
	static const int64_t halves[][3] = { { 0, 0, 0 }, { 1, 0, 1 }, { 2, 1, 1 }, { 3, 1, 2 },
		{ 7, 3, 4 }, { 12500001, 6250000, 6250001 },
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
		assert_true(banked.minor + pending.minor == halves[i][0]);
	}
}

/* RULE mystery-elves 5.7 */
static void test_gamble_halve_check(void **unused)
{
	static const struct {
		int64_t pending;
		uint32_t attempts;
		enum gamble_status expected;
	} rows[] = {
		{ 30, 0, GAMBLE_OK },
		{ 30, 9, GAMBLE_OK }, /* halving is no attempt */
		{ 2, 0, GAMBLE_OK },
		{ 1, 0, GAMBLE_NO_HALVE }, /* nothing would be banked */
		{ 0, 0, GAMBLE_NO_WIN },
		{ 30, 10, GAMBLE_ATTEMPTS_SPENT }, /* the rest could not be gambled */
		{ 12500001, 0, GAMBLE_ABOVE_LIMIT },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct game *game = game_with(&with_jokers, 12500000);
		struct game_state state = won_round(game, rows[i].pending);

		state.open.gamble_attempts = rows[i].attempts;
		if (gamble_halve_check(game, &state) != rows[i].expected)
			fail_msg("row %zu: %s", i,
				gamble_status_text(gamble_halve_check(game, &state)));
	}
}

/* ---- the return --------------------------------------------------------------------------------
 */

/* What the player has at the end on average, by the best and by the worst way to play: he stops,
 * halves or gambles wherever he may. Half of all draws win (above), so an attempt is the mean of
 * both outcomes. */
struct expected {
	int64_t least, most;
};

static void widen(struct expected *expected, int64_t banked, struct expected rest)
{
	if (banked + rest.least < expected->least)
		expected->least = banked + rest.least;
	if (banked + rest.most > expected->most)
		expected->most = banked + rest.most;
}

static struct expected play_on(const struct game *game, int64_t pending, uint32_t attempts)
{
	struct game_state state = won_round(game, pending);
	struct expected expected = { pending, pending }; /* he stops */
	struct money banked, after;

	state.open.gamble_attempts = attempts;
	if (gamble_halve_check(game, &state) == GAMBLE_OK) {
		gamble_halve(money_of(pending), &banked, &after);
		widen(&expected, banked.minor, play_on(game, after.minor, attempts));
	}
	if (gamble_check(game, &state) == GAMBLE_OK) {
		struct expected won, lost;

		assert_int_equal(gamble_settle(money_of(pending), true, &after), GAMBLE_OK);
		won = play_on(game, after.minor, attempts + 1);
		assert_int_equal(gamble_settle(money_of(pending), false, &after), GAMBLE_OK);
		lost = play_on(game, after.minor, attempts + 1);
		assert_int_equal((won.least + lost.least) % 2, 0);
		assert_int_equal((won.most + lost.most) % 2, 0);
		widen(&expected, 0,
			(struct expected){
				(won.least + lost.least) / 2, (won.most + lost.most) / 2 });
	}
	return expected;
}

/* Whatever the player does, the win is worth what it was: the gamble leaves the return as it is,
 * odd units and limits included. RULE mystery-elves 5.7 */
static void test_gamble_changes_no_return(void **unused)
{
	static const struct gamble_rules *const decks[] = { &hearts_and_spades, &whole_deck,
		&with_jokers };

	(void)unused;
	for (size_t d = 0; d < sizeof(decks) / sizeof(decks[0]); d++)
		for (int64_t win = 1; win <= 21; win += 2)
			for (int64_t limit = 0; limit <= 40; limit += 20) {
				struct gamble_rules rules = *decks[d];
				struct expected expected;

				if (rules.attempts_max > 6)
					rules.attempts_max = 6; /* every way to play is walked */
				expected = play_on(game_with(&rules, limit), win, 0);
				assert_true(expected.least == win && expected.most == win);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gamble_check),
		cmocka_unit_test(test_gamble_limits),
		cmocka_unit_test(test_gamble_stake),
		cmocka_unit_test(test_gamble_decks),
		cmocka_unit_test(test_gamble_jokers),
		cmocka_unit_test(test_gamble_outcome_ignores_guess),
		cmocka_unit_test(test_gamble_settle_and_halve),
		cmocka_unit_test(test_gamble_halve_check),
		cmocka_unit_test(test_gamble_changes_no_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
