/* Secrets of card rounds: derived from key, claim and salt, published by their hash; and the cards
 * drawn from them. */
#include "services/jackpot-cards/adapters/card_keys.h"
#include "services/jackpot-cards/core/card_round.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct claim_id CLAIM = { INT64_C(0x0001000000000007), 17, 1 };
static const uint8_t SALT[CARD_SALT_BYTES] = { 9, 8, 7 };

static struct numbered_keys two_keys(void)
{
	struct numbered_keys keys = { .count = 2, .key = { { .number = 1 }, { .number = 5 } } };
	memset(keys.key[0].bytes, 1, CARD_SECRET_BYTES);
	memset(keys.key[1].bytes, 2, CARD_SECRET_BYTES);
	return keys;
}

static void test_keys_secret_belongs_to_key_claim_and_salt(void **state)
{
	struct numbered_keys keys = two_keys();
	uint8_t secret[CARD_SECRET_BYTES], other[CARD_SECRET_BYTES];
	uint8_t salt[CARD_SALT_BYTES] = { 1 };
	(void)state;
	assert_true(card_keys_secret(&keys, 5, &CLAIM, SALT, secret));
	assert_true(card_keys_secret(&keys, 5, &CLAIM, SALT, other));
	assert_memory_equal(secret, other, sizeof(secret));
	assert_true(card_keys_secret(&keys, 1, &CLAIM, SALT, other));
	assert_memory_not_equal(secret, other, sizeof(secret));
	assert_true(card_keys_secret(&keys, 5, &CLAIM, salt, other));
	assert_memory_not_equal(secret, other, sizeof(secret));
	for (int i = 0; i < 3; i++) {
		struct claim_id claim = CLAIM;
		claim.player += i == 0;
		claim.move += i == 1;
		claim.index += i == 2;
		assert_true(card_keys_secret(&keys, 5, &claim, SALT, other));
		assert_memory_not_equal(secret, other, sizeof(secret));
	}
	assert_false(card_keys_secret(&keys, 2, &CLAIM, SALT, other));
}

/* RULE mystic-gem 6.13: level by the weights, then a deal in which its suit is complete first; the
 * same secret gives the same cards. RULE mystic-gem 6.6: one level is certain, RULE mystic-gem 6.8,
 * 6.9 after 3 to 9 cards of twelve */
static void test_keys_deal_follows_from_the_secret(void **state)
{
	static const uint32_t weights[CARD_LEVELS] = { 4, 3, 0, 1 };
	struct numbered_keys keys = two_keys();
	uint32_t count[CARD_LEVELS + 1] = { 0 };
	(void)state;
	for (uint32_t i = 0; i < 8000; i++) {
		struct claim_id claim = { CLAIM.player, i + 1, 1 };
		uint8_t secret[CARD_SECRET_BYTES];
		struct card_deal deal, again;
		struct card_round round;
		assert_true(card_keys_secret(&keys, 5, &claim, SALT, secret));
		card_keys_deal(secret, &claim, weights, NULL, &deal);
		card_keys_deal(secret, &claim, weights, NULL, &again);
		assert_int_equal(deal.level, again.level);
		assert_memory_equal(deal.suit, again.suit, sizeof(deal.suit));
		count[deal.level]++;
		card_round_begin(&round, &deal);
		for (uint32_t pick = 1; !card_round_won(&round); pick++)
			assert_int_equal(
				card_round_pick(&round, pick, card_round_next_position(&round)),
				CARD_PICK_OK);
		assert_in_range(round.picked, DEAL_PICKS_MIN, DEAL_PICKS_MAX);
		assert_int_equal(deal.suit[round.picked - 1], deal.level);
	}
	assert_int_equal(count[CARD_HEARTS], 0);
	assert_in_range(count[CARD_CLUBS], 3800, 4200); /* 4,000 +- 4.5 sigma */
	assert_in_range(count[CARD_SPADES], 860, 1140);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_secret_belongs_to_key_claim_and_salt),
		cmocka_unit_test(test_keys_deal_follows_from_the_secret),
	};
	return cmocka_run_group_tests_name("card keys", tests, NULL, NULL);
}
