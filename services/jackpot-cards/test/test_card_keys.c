/* Secrets of card rounds: derived from key, claim and salt, published by their hash; and the cards
 * drawn from them. */
#include "services/jackpot-cards/adapters/card_keys.h"
#include "services/jackpot-cards/core/card_round.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define HEX_1 "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define HEX_2 "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static const struct claim_id CLAIM = { INT64_C(0x0001000000000007), 17, 1 };
static const uint8_t SALT[CARD_SALT_BYTES] = { 9, 8, 7 };

static void write_file(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void test_keys_files(void **state)
{
	static const struct {
		const char *text;
		mode_t mode;
		enum card_keys_status status;
	} rows[] = {
		{ "1 " HEX_1 "\n", 0600, CARD_KEYS_OK },
		{ "# keep a copy\n\n1 " HEX_1 "\n2 " HEX_2 "\n", 0600, CARD_KEYS_OK },
		{ "1 " HEX_1 "\n", 0640, CARD_KEYS_REFUSED },
		{ "1 " HEX_1 "\n", 0604, CARD_KEYS_REFUSED },
		{ "", 0600, CARD_KEYS_REFUSED },
		{ HEX_1 "\n", 0600, CARD_KEYS_REFUSED },
		{ "0 " HEX_1 "\n", 0600, CARD_KEYS_REFUSED },
		{ "2 " HEX_1 "\n1 " HEX_2 "\n", 0600, CARD_KEYS_REFUSED },
		{ "1 " HEX_1 "00\n", 0600, CARD_KEYS_REFUSED },
		{ "1 0001\n", 0600, CARD_KEYS_REFUSED },
	};
	char folder[] = "/tmp/carillon-card-keys-XXXXXX", path[80], error[CARD_KEYS_ERROR_MAX];
	struct card_keys keys, again;
	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/key", folder);
	assert_int_equal(card_keys_load(path, &keys, error), CARD_KEYS_MISSING);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_file(path, rows[i].text, rows[i].mode);
		if (card_keys_load(path, &keys, error) != rows[i].status)
			fail_msg("row %zu", i);
		if (rows[i].status == CARD_KEYS_REFUSED)
			assert_non_null(strstr(error, "expected"));
	}
	assert_int_equal(unlink(path), 0);
	assert_true(card_keys_create(path, error));
	assert_int_equal(card_keys_load(path, &keys, error), CARD_KEYS_OK);
	assert_true(card_keys_create(path, error)); /* another instance was first */
	assert_int_equal(card_keys_load(path, &again, error), CARD_KEYS_OK);
	assert_memory_equal(&keys, &again, sizeof(keys));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

static struct card_keys two_keys(void)
{
	struct card_keys keys = { .count = 2, .number = { 1, 5 } };
	memset(keys.bytes[0], 1, CARD_SECRET_BYTES);
	memset(keys.bytes[1], 2, CARD_SECRET_BYTES);
	return keys;
}

static void test_keys_secret_belongs_to_key_claim_and_salt(void **state)
{
	struct card_keys keys = two_keys();
	uint8_t secret[CARD_SECRET_BYTES], other[CARD_SECRET_BYTES];
	uint8_t salt[CARD_SALT_BYTES] = { 1 };
	(void)state;
	assert_int_equal(card_keys_current(&keys), 5);
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
	struct card_keys keys = two_keys();
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
		cmocka_unit_test(test_keys_files),
		cmocka_unit_test(test_keys_secret_belongs_to_key_claim_and_salt),
		cmocka_unit_test(test_keys_deal_follows_from_the_secret),
	};
	return cmocka_run_group_tests_name("card keys", tests, NULL, NULL);
}
