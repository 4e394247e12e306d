#include "tests/support/players/watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

static size_t faults;
static char last[300];

static void fault(void *context, const char *text)
{
	(void)context;
	faults++;
	strncpy(last, text, sizeof(last) - 1);
}

/* A line: milliseconds since the connection, the frame ("" : only time passes), faults expected. */
struct line {
	uint64_t ms;
	const char *frame;
	size_t faults;
};

static void play(struct watch *watch, const struct line *lines, size_t n)
{
	watch_connected(watch, 1000000);
	for (size_t i = 0; i < n; i++) {
		uint64_t now = 1000000 + lines[i].ms * 1000;
		faults = 0;
		if (*lines[i].frame) {
			json_t *json = json_loads(lines[i].frame, 0, NULL);
			assert_non_null(json);
			watch_frame(watch, json, now, 0, fault, NULL);
			json_decref(json);
		} else {
			watch_tick(watch, now, fault, NULL);
		}
		if (faults != lines[i].faults)
			fail_msg("line %zu: %zu faults, expected %zu: %s", i, faults,
				lines[i].faults, last);
	}
}

#define COUNTERS(type, value, version, hits)                                                       \
	"{\"type\":\"" type "\",\"channel\":\"jackpots\",\"pools\":[{\"pool\":1,\"rows\":["        \
	"{\"currency\":\"EUR\",\"coin_minor\":100,\"value_minor\":" value ",\"version\":" version  \
	",\"hits\":" hits "}]}]}"
#define WINNER(hit)                                                                                \
	"{\"type\":\"winner\",\"channel\":\"winners\",\"epoch\":\"e\",\"offset\":\"1:" hit         \
	"\",\"pool\":1,\"hit\":" hit ",\"coin_minor\":100,\"paid_minor\":5}"

static void test_counters_come_in_time_and_never_go_back(void **state)
{
	(void)state;
	static const struct line lines[] = {
		{ 10, COUNTERS("snapshot", "500", "1", "0"), 0 },
		{ 1000, COUNTERS("counters", "501", "2", "0"), 0 }, { 4400, "", 0 },
		{ 4600, "", 1 },				    /* 3.6 s of silence */
		{ 4700, COUNTERS("counters", "500", "3", "0"), 1 }, /* back without a hit */
		{ 4800, COUNTERS("counters", "400", "4", "1"), 0 }, /* with one */
		{ 4900, COUNTERS("counters", "400", "3", "1"), 1 }, /* an older version */
		{ 5000, COUNTERS("counters", "400", "4", "0"), 1 }, /* a hit undone */
	};
	struct watch watch = { 0 };
	play(&watch, lines, sizeof(lines) / sizeof(lines[0]));
	watch_free(&watch);
}

static void test_snapshot_comes_first_at_each_connection(void **state)
{
	(void)state;
	static const struct line first[] = { { 1, COUNTERS("counters", "500", "1", "0"), 1 } };
	static const struct line again[] = { { 1, COUNTERS("snapshot", "500", "1", "0"), 0 },
		{ 2, COUNTERS("counters", "500", "1", "0"), 0 } };
	struct watch watch = { 0 };
	play(&watch, first, 1);
	watch_closed(&watch);
	watch_tick(&watch, 99000000, fault, NULL);
	play(&watch, again, 2);
	watch_free(&watch);
}

static void test_winners_once_without_gaps(void **state)
{
	(void)state;
	static const struct line lines[] = {
		{ 1, COUNTERS("snapshot", "500", "1", "0"), 0 },
		{ 2, WINNER("7"), 0 },
		{ 3, WINNER("8"), 0 },
		{ 4, WINNER("8"), 1 },
		{ 5, WINNER("10"), 1 },
		{ 6, "{\"type\":\"error\"}", 1 },
		{ 7, "{\"type\":\"balance\",\"channel\":\"player\",\"seq\":4,\"balance_minor\":1}",
			0 },
		{ 8, "{\"type\":\"balance\",\"channel\":\"player\",\"seq\":4,\"balance_minor\":1}",
			1 },
	};
	struct watch watch = { 0 };
	play(&watch, lines, sizeof(lines) / sizeof(lines[0]));
	assert_int_equal(watch.winners.n, 3);
	assert_string_equal(watch.winners_offset, "1:10");
	watch_free(&watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_come_in_time_and_never_go_back),
		cmocka_unit_test(test_snapshot_comes_first_at_each_connection),
		cmocka_unit_test(test_winners_once_without_gaps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
