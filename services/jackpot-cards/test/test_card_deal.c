/* Levels, deals and picks: every arrangement, and every refused order of picks. */
#include "services/jackpot-cards/core/card_round.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The suit that is complete first in an order of twelve cards, and after how many cards. */
static uint32_t first_complete(const uint8_t suit[DEAL_CARDS], uint32_t *cards_r)
{
	uint32_t open[CARD_SPADES + 1] = { 0 };

	for (uint32_t i = 0; i < DEAL_CARDS; i++) {
		if (++open[suit[i]] == DEAL_OF_A_SUIT) {
			*cards_r = i + 1;
			return suit[i];
		}
	}
	fail_msg("no suit is complete");
	return 0;
}

/* Every index gives a different arrangement of three cards a suit in which the level is complete
 * first. Their number is that of all such arrangements (369,600 / 4), so none is missing. */
static void test_deals_are_all_arrangements(void **state)
{
	(void)state;
	for (enum card_level level = CARD_CLUBS; level <= CARD_SPADES; level++) {
		struct card_deal deal, before;
		uint64_t by_picks[DEAL_CARDS + 1] = { 0 };

		for (uint32_t index = 0; index < DEAL_ARRANGEMENTS; index++) {
			uint32_t cards = 0, of[CARD_SPADES + 1] = { 0 };

			card_deal_of(level, index, &deal);
			assert_int_equal(first_complete(deal.suit, &cards), level);
			assert_int_equal(deal.picks, cards);
			for (uint32_t i = 0; i < DEAL_CARDS; i++)
				of[deal.suit[i]]++;
			for (uint32_t suit = CARD_CLUBS; suit <= CARD_SPADES; suit++)
				assert_int_equal(of[suit], DEAL_OF_A_SUIT);
			if (index > 0)
				assert_true(memcmp(before.suit, deal.suit, DEAL_CARDS) < 0);
			before = deal;
			by_picks[cards]++;
		}
		/* Three of a kind at once: 9! / 3!^3 ways to lay the rest. */
		assert_int_equal(by_picks[DEAL_PICKS_MIN], 1680);
		assert_int_equal(by_picks[DEAL_PICKS_MIN - 1] + by_picks[DEAL_PICKS_MAX + 1], 0);
		assert_true(by_picks[DEAL_PICKS_MAX] > 0);
	}
}

static void test_levels_follow_their_weights(void **state)
{
	static const struct {
		uint32_t weight[CARD_LEVELS], value;
		enum card_level level;
	} rows[] = {
		{ { 1, 1, 1, 1 }, 0, CARD_CLUBS },
		{ { 1, 1, 1, 1 }, 3, CARD_SPADES },
		{ { 40, 30, 20, 10 }, 39, CARD_CLUBS },
		{ { 40, 30, 20, 10 }, 40, CARD_DIAMONDS },
		{ { 40, 30, 20, 10 }, 89, CARD_HEARTS },
		{ { 40, 30, 20, 10 }, 90, CARD_SPADES },
		{ { 0, 0, 5, 0 }, 4, CARD_HEARTS },
		{ { 0, 7, 0, 1 }, 7, CARD_SPADES },
		{ { 1000000000, 1000000000, 1000000000, 1000000000 }, 3999999999, CARD_SPADES },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t key[RNG_KEY_BYTES] = { 0 };
		struct rng rng;

		rng_init(&rng, key);
		rng_force(&rng, &rows[i].value, 1);
		assert_int_equal(card_level_draw(&rng, rows[i].weight), rows[i].level);
		assert_false(rng_forced_misfit(&rng));
		assert_int_equal(rng_drawn(&rng), 1);
	}
}

static void test_card_deal_is_one_draw(void **state)
{
	uint8_t key[RNG_KEY_BYTES] = { 7 };
	uint32_t index = DEAL_ARRANGEMENTS - 1;
	struct card_deal deal, expected;
	struct rng rng;

	(void)state;
	rng_init(&rng, key);
	rng_force(&rng, &index, 1);
	card_deal_draw(&rng, CARD_HEARTS, &deal);
	card_deal_of(CARD_HEARTS, index, &expected);
	assert_memory_equal(deal.suit, expected.suit, DEAL_CARDS);
	assert_int_equal(rng_drawn(&rng), 1);
}

static void test_picks_are_taken_once_and_in_order(void **state)
{
	/* Index 0 of clubs: three clubs first. */
	static const struct {
		uint32_t pick, position;
		enum card_pick_status expected;
	} rows[] = {
		{ 0, 0, CARD_PICK_POSITION },
		{ 1, 12, CARD_PICK_POSITION },
		{ 2, 5, CARD_PICK_AHEAD },
		{ 1, 5, CARD_PICK_OK },
		{ 1, 5, CARD_PICK_REPEATED },
		{ 1, 6, CARD_PICK_DIFFERS },
		{ 2, 5, CARD_PICK_TURNED },
		{ 3, 7, CARD_PICK_AHEAD },
		{ 2, 11, CARD_PICK_OK },
		{ 3, 0, CARD_PICK_OK },
		{ 3, 0, CARD_PICK_REPEATED },
		{ 4, 1, CARD_PICK_OVER },
		{ 2, 10, CARD_PICK_DIFFERS },
	};
	struct card_round round;
	struct card_deal deal;

	(void)state;
	card_deal_of(CARD_CLUBS, 0, &deal);
	card_round_begin(&round, &deal);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct card_round before = round;
		enum card_pick_status found =
			card_round_pick(&round, rows[i].pick, rows[i].position);

		if (found != rows[i].expected)
			fail_msg("row %zu: found %s", i, card_pick_status_text(found));
		if (found != CARD_PICK_OK)
			assert_memory_equal(&before, &round, sizeof(round));
		assert_int_equal(card_round_won(&round), round.picked == DEAL_PICKS_MIN);
	}
}

static void test_card_round_abandoned_is_played_out(void **state)
{
	struct card_round round;
	struct card_deal deal;

	(void)state;
	for (uint32_t index = 0; index < DEAL_ARRANGEMENTS; index += 97) {
		card_deal_of(CARD_SPADES, index, &deal);
		card_round_begin(&round, &deal);
		assert_int_equal(card_round_pick(&round, 1, 3), CARD_PICK_OK);
		while (!card_round_won(&round))
			assert_int_equal(card_round_pick(&round, round.picked + 1u,
						 card_round_next_position(&round)),
				CARD_PICK_OK);
		assert_int_equal(round.picked, deal.picks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deals_are_all_arrangements),
		cmocka_unit_test(test_levels_follow_their_weights),
		cmocka_unit_test(test_card_deal_is_one_draw),
		cmocka_unit_test(test_picks_are_taken_once_and_in_order),
		cmocka_unit_test(test_card_round_abandoned_is_played_out),
	};
	return cmocka_run_group_tests_name("card deal", tests, NULL, NULL);
}
