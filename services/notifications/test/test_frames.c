#include "services/notifications/core/frames.h"

#include <jansson.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

static struct counters counters;
static struct winners winners;
static char text[FRAME_MAX];
static const struct frame_head head = { "e1", "1:2", 1700000000000000, NULL };

static json_t *read_back(size_t length)
{
	assert_true(length > 0);
	json_t *json = json_loadb(text, length, 0, NULL);
	assert_non_null(json);
	return json;
}

static void fill(void)
{
	memset(&counters, 0, sizeof(counters));
	for (uint32_t pool = 1; pool <= COUNTERS_POOLS_MAX; pool++)
		for (uint32_t i = 1; i <= COUNTERS_ROWS_MAX; i++) {
			struct counter row = { .currency = 978,
				.coin_minor = pool == 2 ? 0 : INT64_MAX - i,
				.level = pool == 2 ? i : 0,
				.value_minor = INT64_MAX,
				.seed_minor = INT64_MAX,
				.version = UINT64_MAX,
				.hits = UINT64_MAX };
			assert_int_equal(
				counters_offer(&counters, pool, &row, 0, UINT64_MAX), COUNTERS_OK);
		}
}

static void test_largest_counters_fit_their_bound(void **state)
{
	(void)state;
	fill();
	const struct frame_ages ages = { UINT64_MAX, UINT64_MAX, UINT64_MAX };
	struct frame_head long_head = {
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"18446744073709551615", UINT64_MAX, &ages
	};
	assert_true(frame_counters(text, sizeof(text), &long_head, &counters, false) > 0);
}

static void test_full_buffer_is_reported(void **state)
{
	(void)state;
	fill();
	counters.n = 2;
	counters.pools[0].n = counters.pools[1].n = 2;
	size_t whole = frame_counters(text, sizeof(text), &head, &counters, true);
	for (size_t room = 0; room <= whole; room++) {
		memset(text, 'x', whole + 8);
		assert_int_equal(frame_counters(text, room, &head, &counters, true), 0);
		assert_int_equal(text[room], 'x');
	}
	assert_int_equal(frame_counters(text, whole + 1, &head, &counters, true), whole);
}

static void test_counters_match_the_contract(void **state)
{
	(void)state;
	struct counter row = { 978, 100, 0, 4100, 4000, 9, 2 }, level = { 752, 0, 4, 7, 5, 1, 0 };
	memset(&counters, 0, sizeof(counters));
	assert_int_equal(counters_offer(&counters, 1, &row, 0, 5), COUNTERS_OK);
	assert_int_equal(counters_offer(&counters, 2, &level, 0, 6), COUNTERS_OK);
	assert_true(counters_offer_status(&counters, 1, "live"));
	assert_true(counters_offer_id(&counters, 1, "bewitched"));
	size_t n = frame_counters(text, sizeof(text), &head, &counters, true);
	static const char expected[] =
		"{\"type\":\"snapshot\",\"channel\":\"jackpots\",\"epoch\":\"e1\",\"offset\":\"1:"
		"2\","
		"\"time_us\":1700000000000000,\"pools\":[{\"pool\":1,\"id\":\"bewitched\",\"kind\":"
		"\"progressive\",\"status\":\"live\",\"time_us\":5,\"rows\":[{\"currency\":\"EUR\","
		"\"coin_minor\":100,\"value_minor\":4100,\"seed_minor\":4000,\"version\":9,"
		"\"hits\":2}"
		"]},{\"pool\":2,\"id\":\"pool-2\",\"kind\":\"cards\",\"status\":\"\",\"time_us\":6,"
		"\"rows\":[{\"currency\":\"SEK\",\"level\":4,\"value_minor\":7,\"seed_minor\":5,"
		"\"version\":1,\"hits\":0}]}]}";
	assert_int_equal(n, strlen(expected));
	assert_memory_equal(text, expected, n);
	json_decref(read_back(n));
}

static void test_ages_are_told(void **state)
{
	static const struct {
		struct frame_ages ages;
		const char *told;
	} ROWS[] = {
		{ { 0, 0, 0 },
			"\"age_ms\":{\"jackpots\":0,\"winners\":0,\"events\":0},\"late\":false," },
		{ { 1999, 4999999, 0 },
			"\"age_ms\":{\"jackpots\":1,\"winners\":4999,\"events\":0},\"late\":false," },
		{ { 0, 0, 5000000 },
			"\"age_ms\":{\"jackpots\":0,\"winners\":0,\"events\":5000},\"late\":true," },
		{ { 5000000, 0, 0 },
			"\"age_ms\":{\"jackpots\":5000,\"winners\":0,\"events\":0},\"late\":true," },
		{ { 0, 61000000, 0 },
			"\"age_ms\":{\"jackpots\":0,\"winners\":61000,\"events\":0},\"late\":true," },
	};

	(void)state;
	memset(&counters, 0, sizeof(counters));
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		struct frame_head with = head;
		with.ages = &ROWS[i].ages;
		size_t n = frame_counters(text, sizeof(text), &with, &counters, false);
		assert_non_null(memmem(text, n, ROWS[i].told, strlen(ROWS[i].told)));
		json_decref(read_back(n));
	}
}

static void test_winners_are_masked(void **state)
{
	(void)state;
	memset(&winners, 0, sizeof(winners));
	for (uint64_t hit = 1; hit <= 2 * FRAME_WINNERS_SHOWN; hit++) {
		struct winner winner = { .pool = 1,
			.hit = hit,
			.currency = 978,
			.coin_minor = 20,
			.paid_minor = 41000,
			.time_us = hit };
		assert_true(player_id_make(1, 555123, &winner.player));
		assert_int_equal(winners_offer(&winners, &winner), WINNERS_OK);
	}
	size_t n = frame_winners(text, sizeof(text), &head, &winners);
	json_t *json = read_back(n);
	const json_t *list = json_object_get(json, "winners");
	assert_int_equal(json_array_size(list), FRAME_WINNERS_SHOWN);
	assert_int_equal(json_integer_value(json_object_get(
				 json_array_get(list, FRAME_WINNERS_SHOWN - 1), "hit")),
		2 * FRAME_WINNERS_SHOWN);
	assert_null(memmem(text, n, "555123", 6));
	json_decref(json);
	n = frame_winner(text, sizeof(text), &head, winners_at(&winners, 0));
	assert_null(memmem(text, n, "555123", 6));
	json_decref(read_back(n));
}

static void test_own_events_and_recovered(void **state)
{
	(void)state;
	struct holdback_event award = {
		.award = true, .seq = 8, .round = 7, .index = 1, .pool = 1, .paid = 41000
	};
	struct holdback_event balance = { .seq = 9, .balance = 12 };
	size_t n = frame_own(text, sizeof(text), &head, &award);
	json_t *json = read_back(n);
	assert_string_equal(json_string_value(json_object_get(json, "type")), "award");
	assert_int_equal(json_integer_value(json_object_get(json, "paid_minor")), 41000);
	json_decref(json);
	json = read_back(frame_own(text, sizeof(text), &head, &balance));
	assert_string_equal(json_string_value(json_object_get(json, "type")), "balance");
	assert_int_equal(json_integer_value(json_object_get(json, "balance_minor")), 12);
	json_decref(json);
	json = read_back(frame_recovered(text, sizeof(text), &head, "winners", false));
	assert_true(json_is_false(json_object_get(json, "recovered")));
	json_decref(json);
}

/* RULE mystic-gem 6.15, 6.16: an event of a card round, in the gateway's format; a won level,
 * masked */
static void test_cards_match_the_contract(void **state)
{
	(void)state;
	struct card_news news = { .event = "picked",
		.move = 17,
		.index = 1,
		.pool = 2,
		.number = 3,
		.currency = 978,
		.secret_hash = "ab",
		.turned = 2,
		.position = { 7, 0 },
		.suit = { 4, 1 } };
	json_t *json = read_back(frame_card(text, sizeof(text), &head, &news));
	const json_t *round = json_object_get(json, "card_round");
	assert_string_equal(json_string_value(json_object_get(json, "channel")), "player");
	assert_string_equal(json_string_value(json_object_get(json, "type")), "cards");
	assert_string_equal(json_string_value(json_object_get(json, "event")), "picked");
	assert_string_equal(json_string_value(json_object_get(round, "id")), "17-1");
	assert_int_equal(json_integer_value(json_object_get(round, "next_pick")), 3);
	assert_string_equal(json_string_value(json_object_get(round, "suit")), "");
	const json_t *card = json_array_get(json_object_get(round, "turned"), 0);
	assert_string_equal(json_string_value(json_object_get(card, "suit")), "spades");
	assert_int_equal(json_integer_value(json_object_get(card, "position")), 7);
	json_decref(json);
	news.won = true;
	news.level = 4;
	news.paid_minor = 1000000;
	json = read_back(frame_card(text, sizeof(text), &head, &news));
	round = json_object_get(json, "card_round");
	assert_int_equal(json_integer_value(json_object_get(round, "next_pick")), 0);
	assert_string_equal(json_string_value(json_object_get(round, "suit")), "spades");
	json_decref(json);
	assert_int_equal(frame_card(text, 40, &head, &news), 0);
	struct winner winner = {
		.pool = 2, .hit = 1, .level = 4, .currency = 978, .paid_minor = 9
	};
	assert_true(player_id_make(1, 555123, &winner.player));
	size_t n = frame_winner(text, sizeof(text), &head, &winner);
	json = read_back(n);
	assert_int_equal(json_integer_value(json_object_get(json, "level")), 4);
	assert_null(json_object_get(json, "coin_minor"));
	assert_null(memmem(text, n, "555123", 6));
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_largest_counters_fit_their_bound),
		cmocka_unit_test(test_full_buffer_is_reported),
		cmocka_unit_test(test_counters_match_the_contract),
		cmocka_unit_test(test_ages_are_told),
		cmocka_unit_test(test_winners_are_masked),
		cmocka_unit_test(test_own_events_and_recovered),
		cmocka_unit_test(test_cards_match_the_contract),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
