#include "services/notifications/core/winners.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

static struct winners winners;

static enum winners_status offer(uint32_t pool, uint64_t hit)
{
	struct winner winner = { .pool = pool, .hit = hit };
	return winners_offer(&winners, &winner);
}

static void test_offer_takes_each_hit_once(void **state)
{
	(void)state;
	memset(&winners, 0, sizeof(winners));
	assert_int_equal(offer(1, 7), WINNERS_OK);
	assert_int_equal(offer(1, 7), WINNERS_SEEN);
	assert_int_equal(offer(1, 6), WINNERS_SEEN);
	assert_int_equal(offer(2, 1), WINNERS_OK);
	assert_int_equal(offer(1, 8), WINNERS_OK);
	assert_int_equal(offer(1, 10), WINNERS_GAP);
	assert_int_equal(winners.n, 4);
	assert_int_equal(winners_at(&winners, 0)->hit, 7);
	assert_int_equal(winners_at(&winners, 3)->hit, 10);
}

static bool can_resume(const char *text)
{
	struct winners_position position;
	assert_true(winners_position_parse(text, &position));
	return winners_can_resume(&winners, &position);
}

static void test_resume_needs_no_gap(void **state)
{
	(void)state;
	static const struct {
		const char *position;
		bool expected;
	} cases[] = {
		{ "1:12,2:2", true }, /* missed nothing */
		{ "1:10,2:1", true }, /* missed 11, 12 and 2:2 */
		{ "1:9,2:2", true },  /* the oldest stored hit is 10: no gap */
		{ "1:8,2:2", false }, /* 9 is gone */
		{ "1:12", true },     /* did not know pool 2, whose hits 1 and 2 are stored */
		{ "2:2", false },     /* pool 1 starts at 10 */
		{ "", false },
		{ "1:13,2:2", false },	   /* is ahead of this installation: of another one */
		{ "1:12,2:2,3:1", false }, /* an unknown pool */
	};
	memset(&winners, 0, sizeof(winners));
	for (uint64_t hit = 10; hit <= 12; hit++)
		(void)offer(1, hit);
	(void)offer(2, 1);
	(void)offer(2, 2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (can_resume(cases[i].position) != cases[i].expected)
			fail_msg("%s: expected %d", cases[i].position, cases[i].expected);
	(void)offer(1, 14);
	assert_false(can_resume("1:12,2:2"));
	assert_true(can_resume("1:13,2:2"));
}

/* As many pools as the gateway shows; one more is rejected and changes nothing. */
static void test_winners_reject_one_pool_too_many(void **state)
{
	char text[WINNERS_POSITION_TEXT_MAX];

	(void)state;
	memset(&winners, 0, sizeof(winners));
	assert_int_equal(WINNERS_POOLS_MAX, 32);
	for (uint32_t pool = 1; pool <= WINNERS_POOLS_MAX; pool++)
		assert_int_equal(offer(UINT32_MAX - pool, INT64_MAX - 1), WINNERS_OK);
	assert_int_equal(offer(99, 1), WINNERS_FULL);
	assert_int_equal(winners.n, WINNERS_POOLS_MAX);
	assert_int_equal(offer(UINT32_MAX - 1, INT64_MAX), WINNERS_OK);
	winners_position_format(&winners.position, text);
	assert_true(can_resume(text));
}

static void test_ring_forgets_the_oldest(void **state)
{
	(void)state;
	memset(&winners, 0, sizeof(winners));
	for (uint64_t hit = 1; hit <= WINNERS_MAX + 5; hit++)
		assert_int_equal(offer(1, hit), WINNERS_OK);
	assert_int_equal(winners.n, WINNERS_MAX);
	assert_int_equal(winners_at(&winners, 0)->hit, 6);
	assert_true(can_resume("1:5"));
	assert_false(can_resume("1:4"));
}

static void test_position_text_round_trip(void **state)
{
	(void)state;
	static const char *const good[] = { "", "1:1", "1:17,2:4",
		"4294967295:9223372036854775807" };
	static const char *const bad[] = { "1", "1:", ":1", "1:0", "0:1", "01:1", "1:01", "1:1,",
		",1:1", "1:1,,2:1", "1:1,1:2", "1:1 ", " 1:1", "-1:1", "4294967296:1",
		"1:9223372036854775808", "1:99999999999999999999999", "a:b", "1:1;2:1",
		("1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1,10:1,11:1,12:1,13:1,14:1,15:1,16:1,17:1,"
		 "18:1,19:1,20:1,21:1,22:1,23:1,24:1,25:1,26:1,27:1,28:1,29:1,30:1,31:1,32:1,"
		 "33:1") };
	char text[WINNERS_POSITION_TEXT_MAX];
	struct winners_position position;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(winners_position_parse(good[i], &position));
		winners_position_format(&position, text);
		assert_string_equal(text, good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (winners_position_parse(bad[i], &position))
			fail_msg("'%s' was taken", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offer_takes_each_hit_once),
		cmocka_unit_test(test_resume_needs_no_gap),
		cmocka_unit_test(test_winners_reject_one_pool_too_many),
		cmocka_unit_test(test_ring_forgets_the_oldest),
		cmocka_unit_test(test_position_text_round_trip),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
