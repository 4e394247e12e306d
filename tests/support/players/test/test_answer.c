/* Jackpots in a player's answers: shown, hidden again by an engine that forgot, and shown once
 * more. */
#include "tests/support/players/player.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

void crowd_progress(struct crowd *crowd)
{
	crowd->progress_us++;
}

void crowd_schedule(struct player *player, uint64_t due_us)
{
	player->due_us = due_us;
}

/* Round 5 at this cursor; with its jackpot of 700 where it is revealed. */
static struct round_view seen(uint32_t cursor, bool revealed)
{
	struct round_view round = { .present = true, .round = 5, .cursor = cursor };
	if (revealed) {
		round.jackpots_n = 1;
		round.jackpots[0].index = 1;
		round.jackpots[0].booked = true;
		round.jackpots[0].paid = 700;
	}
	return round;
}

static int64_t taken(struct player *player, uint32_t cursor, bool revealed)
{
	struct round_view round = seen(cursor, revealed);
	return answer_take_jackpots(player, &round);
}

static void test_jackpot_is_taken_once(void **state)
{
	struct crowd crowd = { 0 };
	struct player player = { .crowd = &crowd };
	(void)state;
	assert_int_equal(taken(&player, 1, false), 0);
	assert_int_equal(taken(&player, 3, true), 700);
	assert_int_equal(taken(&player, 3, true), 0);
	assert_int_equal(taken(&player, 4, true), 0);
	record_free(&player.record);
}

static void test_forgotten_cursor_hides_the_jackpot_until_it_is_watched_again(void **state)
{
	struct crowd crowd = { 0 };
	struct player player = { .crowd = &crowd };
	(void)state;
	assert_int_equal(taken(&player, 3, true), 700);
	assert_int_equal(taken(&player, 1, false), -700);
	assert_int_equal(taken(&player, 2, false), 0);
	assert_int_equal(taken(&player, 3, true), 700);
	assert_int_equal(player.record.jackpots.n, 1);
	record_free(&player.record);
}

/* A jackpot that is gone though the round stands where it was shown is a fault of the product:
 * nothing explains it. */
static void test_missing_jackpot_without_a_forgotten_cursor_is_not_explained(void **state)
{
	struct crowd crowd = { 0 };
	struct player player = { .crowd = &crowd };
	(void)state;
	assert_int_equal(taken(&player, 3, true), 700);
	assert_int_equal(taken(&player, 3, false), 0);
	assert_int_equal(taken(&player, 4, false), 0);
	struct round_view closed = seen(0, false);
	closed.closed = true;
	assert_int_equal(answer_take_jackpots(&player, &closed), 0);
	record_free(&player.record);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_jackpot_is_taken_once),
		cmocka_unit_test(test_forgotten_cursor_hides_the_jackpot_until_it_is_watched_again),
		cmocka_unit_test(
			test_missing_jackpot_without_a_forgotten_cursor_is_not_explained) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
