#include "services/notifications/core/holdback.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct holdback holdback;

/* One row a line: the fact and the events told, as text: "b:BALANCE" and "a:ROUND/INDEX=PAID". */
enum kind { BET, SETTING, REFUSED, MONEY, AWARD };
struct row {
	const char *what;
	player_id player;
	enum kind kind;
	uint64_t move, last_move;
	int64_t balance, paid;
	const char *told;
};

static void tell(const struct holdback_event *events, size_t n, char *out)
{
	*out = 0;
	for (size_t i = 0; i < n; i++) {
		const struct holdback_event *event = &events[i];
		out += strlen(out);
		if (event->award)
			sprintf(out, "a:%" PRIu64 "/%" PRIu32 "=%" PRId64 " ", event->round,
				event->index, event->paid);
		else
			sprintf(out, "b:%" PRId64 " ", event->balance);
	}
}

static void play(const struct row *rows, size_t n)
{
	memset(&holdback, 0, sizeof(holdback));
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &rows[i];
		struct holdback_fact fact = { .player = row->player,
			.seq = i + 1,
			.refused = row->kind == REFUSED,
			.watched = row->kind == BET,
			.move = row->kind == AWARD || row->kind == MONEY ? 0 : row->move,
			.last_move = row->last_move,
			.balance_after = row->balance,
			.award = row->kind == AWARD,
			.award_move = row->move,
			.award_index = (uint32_t)(row->paid % 10),
			.award_pool = 1,
			.award_paid = row->paid };
		struct holdback_event events[HOLDBACK_EVENTS_MAX];
		char told[600];
		tell(events, holdback_offer(&holdback, &fact, events), told);
		if (strcmp(told, row->told) != 0)
			fail_msg("%s: told '%s', expected '%s'", row->what, told, row->told);
	}
}

static void test_award_waits_for_a_later_move(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "a bet", 5, BET, 7, 7, 1000, 0, "b:1000 " },
		{ "its award is hidden", 5, AWARD, 7, 7, 5001, 4001, "" },
		{ "the same award again", 5, AWARD, 7, 7, 5001, 4001, "" },
		{ "another player is not affected", 6, MONEY, 0, 3, 50, 0, "b:50 " },
		{ "a deposit does not reveal the award", 5, MONEY, 0, 7, 5101, 0, "b:1100 " },
		{ "a refused move reveals nothing", 5, REFUSED, 8, 8, 5101, 0, "" },
		{ "nor does a setting", 5, SETTING, 9, 9, 5101, 0, "b:1100 " },
		{ "a later move", 5, BET, 10, 10, 5091, 0, "a:7/1=4001 b:5091 " },
		{ "then everything is told", 5, MONEY, 0, 10, 5092, 0, "b:5092 " },
	};
	play(rows, sizeof(rows) / sizeof(rows[0]));
	assert_int_equal(holdback.n, 0);
}

static void test_two_awards_of_one_round_in_order(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "first", 5, AWARD, 7, 7, 1101, 101, "" },
		{ "second", 5, AWARD, 7, 7, 1303, 202, "" },
		{ "money", 5, MONEY, 0, 7, 1304, 0, "b:1001 " },
		{ "both", 5, BET, 8, 8, 1304, 0, "a:7/1=101 a:7/2=202 b:1304 " },
	};
	play(rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_late_award_is_sent_at_once(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "the player has made a later move", 5, BET, 8, 8, 1000, 0, "b:1000 " },
		{ "award of an earlier round", 5, AWARD, 7, 8, 1101, 101, "a:7/1=101 b:1101 " },
	};
	play(rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_full_table_is_reported(void **state)
{
	(void)state;
	struct holdback_event events[HOLDBACK_EVENTS_MAX];
	struct holdback_fact fact = {
		.award = true, .award_move = 3, .award_paid = 9, .last_move = 3, .balance_after = 9
	};
	memset(&holdback, 0, sizeof(holdback));
	for (int i = 1; i <= HOLDBACK_HELD_MAX; i++) {
		fact.player = i;
		assert_int_equal(holdback_offer(&holdback, &fact, events), 0);
	}
	fact.player = HOLDBACK_HELD_MAX + 1;
	assert_int_equal(holdback_offer(&holdback, &fact, events), 2);
	assert_int_equal(holdback.lost, 1);
	for (int i = 1; i <= HOLDBACK_HELD_MAX; i++) {
		struct holdback_fact move = {
			.player = i, .watched = true, .move = 4, .last_move = 4
		};
		assert_int_equal(holdback_offer(&holdback, &move, events), 2);
		assert_true(events[0].award);
	}
	assert_int_equal(holdback.n, 0);
}

static void test_many_awards_over_moves(void **state)
{
	(void)state;
	struct holdback_event events[HOLDBACK_EVENTS_MAX];
	memset(&holdback, 0, sizeof(holdback));
	for (uint32_t i = 1; i <= HOLDBACK_EVENTS_MAX + 3; i++) {
		struct holdback_fact award = {
			.player = 5, .award_move = 3, .award_index = i, .award_paid = 1, .seq = i
		};
		holdback_remember(&holdback, &award);
	}
	struct holdback_fact move = {
		.player = 5, .watched = true, .move = 4, .last_move = 4, .balance_after = 100
	};
	assert_int_equal(holdback_offer(&holdback, &move, events), HOLDBACK_EVENTS_MAX);
	assert_int_equal(events[HOLDBACK_EVENTS_MAX - 1].balance, 100 - 4);
	move.move = 5;
	assert_int_equal(holdback_offer(&holdback, &move, events), 5);
	assert_int_equal(events[4].balance, 100);
}

/* The player who turned the third card has seen the prize. */
static void test_cards_are_not_held_back(void **state)
{
	struct holdback_event events[HOLDBACK_EVENTS_MAX];
	char told[200];
	(void)state;
	memset(&holdback, 0, sizeof(holdback));
	struct holdback_fact fact = { .player = 1,
		.seq = 1,
		.last_move = 7,
		.balance_after = 520,
		.award = true,
		.award_move = 7,
		.award_index = 1,
		.award_pool = 2,
		.award_paid = 500,
		.award_seen = true };
	tell(events, holdback_offer(&holdback, &fact, events), told);
	assert_string_equal(told, "a:7/1=500 b:520 ");
	fact.award_seen = false;
	assert_int_equal(holdback_offer(&holdback, &fact, events), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_award_waits_for_a_later_move),
		cmocka_unit_test(test_two_awards_of_one_round_in_order),
		cmocka_unit_test(test_late_award_is_sent_at_once),
		cmocka_unit_test(test_full_table_is_reported),
		cmocka_unit_test(test_many_awards_over_moves),
		cmocka_unit_test(test_cards_are_not_held_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
