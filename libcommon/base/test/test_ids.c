/* Player ids and shards. The vectors come from an independent implementation in Python. They decide
 * where money is kept: when a test fails here, the code is wrong, never the vector. */
#include "libcommon/base/ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static const uint32_t SHARD_COUNTS[] = { 1, 2, 3, 4, 24, 256 };

static void test_shard_of_player_vectors(void **state)
{
	static const struct {
		uint32_t operator_id;
		uint64_t number;
		uint32_t shards[ROWS(SHARD_COUNTS)];
	} TABLE[] = {
		{ 1, UINT64_C(1), { 0, 0, 0, 0, 0, 0 } },
		{ 1, UINT64_C(2), { 0, 0, 0, 0, 1, 12 } },
		{ 1, UINT64_C(3), { 0, 1, 1, 2, 12, 137 } },
		{ 1, UINT64_C(17), { 0, 1, 1, 2, 13, 143 } },
		{ 1, UINT64_C(1234), { 0, 1, 2, 2, 16, 173 } },
		{ 1, UINT64_C(281474976710655), { 0, 0, 1, 1, 9, 99 } },
		{ 7, UINT64_C(1234), { 0, 1, 2, 3, 18, 196 } },
		{ 32767, UINT64_C(1), { 0, 0, 1, 1, 9, 101 } },
		{ 32767, UINT64_C(281474976710655), { 0, 0, 0, 0, 3, 42 } },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(TABLE); i++) {
		player_id id;
		assert_true(player_id_make(TABLE[i].operator_id, TABLE[i].number, &id));
		for (size_t s = 0; s < ROWS(SHARD_COUNTS); s++)
			assert_int_equal(shard_of_player(id, SHARD_COUNTS[s]), TABLE[i].shards[s]);
	}
}

static void test_shard_of_pool_vectors(void **state)
{
	static const struct {
		uint32_t pool;
		uint32_t shards[ROWS(SHARD_COUNTS)];
	} TABLE[] = {
		{ 0, { 0, 1, 2, 3, 21, 226 } },
		{ 1, { 0, 1, 1, 2, 13, 145 } },
		{ 2, { 0, 1, 1, 2, 14, 151 } },
		{ 3, { 0, 0, 0, 0, 2, 29 } },
		{ 100, { 0, 0, 0, 0, 3, 35 } },
		{ UINT32_MAX, { 0, 0, 1, 1, 10, 115 } },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(TABLE); i++)
		for (size_t s = 0; s < ROWS(SHARD_COUNTS); s++)
			assert_int_equal(
				shard_of_pool(TABLE[i].pool, SHARD_COUNTS[s]), TABLE[i].shards[s]);
}

/* Operators assign consecutive numbers. Over 240,000 players no shard of 24 is 5 % off (five
 * standard deviations). */
static void test_shard_of_player_spreads_consecutive_numbers(void **state)
{
	uint32_t counts[24] = { 0 };
	(void)state;
	for (uint64_t n = 1; n <= 240000; n++) {
		player_id id;
		assert_true(player_id_make(1, n, &id));
		counts[shard_of_player(id, 24)]++;
	}
	for (size_t i = 0; i < ROWS(counts); i++)
		assert_in_range(counts[i], 9500, 10500);
}

static void test_player_id_make_bounds(void **state)
{
	static const struct {
		uint32_t operator_id;
		uint64_t number;
		bool good;
	} TABLE[] = {
		{ 1, 1, true },
		{ OPERATOR_MAX, PLAYER_NUMBER_MAX, true },
		{ 0, 1, false },
		{ 1, 0, false },
		{ OPERATOR_MAX + 1, 1, false },
		{ UINT32_MAX, 1, false },
		{ 1, PLAYER_NUMBER_MAX + 1, false },
		{ 1, UINT64_MAX, false },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(TABLE); i++) {
		player_id id = -5;
		assert_int_equal(
			player_id_make(TABLE[i].operator_id, TABLE[i].number, &id), TABLE[i].good);
		if (!TABLE[i].good) {
			assert_int_equal(id, -5);
			continue;
		}
		assert_true(id > 0);
		assert_true(player_id_valid(id));
		assert_int_equal(player_operator(id), TABLE[i].operator_id);
		assert_true(player_number(id) == TABLE[i].number);
	}
}

static void test_player_id_valid_rejects_bad_ids(void **state)
{
	static const player_id TABLE[] = { 0, -1, INT64_MIN, 1, /* no operator */
		INT64_C(1) << 48, /* no number */ INT64_C(7) << 48 };
	(void)state;
	for (size_t i = 0; i < ROWS(TABLE); i++)
		assert_false(player_id_valid(TABLE[i]));
	assert_true(player_id_valid(INT64_MAX));
}

static void test_player_id_text(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} TABLE[] = {
		{ "1-1", true },
		{ "7-1234", true },
		{ "32767-281474976710655", true },
		{ "", false },
		{ "-", false },
		{ "1", false },
		{ "1-", false },
		{ "-1", false },
		{ "0-1", false },
		{ "1-0", false },
		{ "01-1", false },
		{ "1-01", false },
		{ "+1-1", false },
		{ "1--1", false },
		{ "1-1 ", false },
		{ " 1-1", false },
		{ "1-1x", false },
		{ "32768-1", false },
		{ "1-281474976710656", false },
		{ "99999999999999999999999-1", false },
		{ "1-99999999999999999999999", false },
		{ "1-1-1", false },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(TABLE); i++) {
		char text[PLAYER_TEXT_MAX];
		player_id id = 0;
		assert_int_equal(player_id_parse(TABLE[i].text, &id), TABLE[i].good);
		if (!TABLE[i].good)
			continue;
		player_id_format(id, text);
		assert_string_equal(text, TABLE[i].text);
	}
}

static void test_player_id_mask_hides_the_number(void **state)
{
	(void)state;
	static const struct {
		uint64_t number;
		const char *mask;
	} cases[] = {
		{ 1, "player ***1" },
		{ 42, "player ***2" },
		{ 999, "player ***9" },
		{ 1000, "player ***00" },
		{ 123456, "player ***56" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char mask[PLAYER_TEXT_MAX];
		player_id player;
		assert_true(player_id_make(3, cases[i].number, &player));
		player_id_mask(player, mask);
		assert_string_equal(mask, cases[i].mask);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shard_of_player_vectors),
		cmocka_unit_test(test_shard_of_pool_vectors),
		cmocka_unit_test(test_shard_of_player_spreads_consecutive_numbers),
		cmocka_unit_test(test_player_id_make_bounds),
		cmocka_unit_test(test_player_id_valid_rejects_bad_ids),
		cmocka_unit_test(test_player_id_text),
		cmocka_unit_test(test_player_id_mask_hides_the_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
