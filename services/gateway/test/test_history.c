/* Rounds from journal rows, newest first, on one page or several; and answers as JSON. */
#include "services/gateway/adapters/history_rounds.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <jansson.h>

#include <stdio.h>
#include <string.h>

#define GAME 5

/* In the order of booking; the tests reverse them. */
#define BET(seq_, move_, release_, stake_, won_, pending_, balance_)                               \
	{                                                                                          \
		.seq = seq_, .prev_seq = seq_ - 1, .kind = 2, .move = move_, .round = move_,       \
		.game = GAME, .release = release_, .stake = stake_, .win_balance = won_,           \
		.win_pending = pending_, .pending_after = pending_, .balance_after = balance_,     \
		.time_us = seq_ * 1000                                                             \
	}
#define MOVE(seq_, kind_, move_, round_, release_, won_, forfeit_, pending_after_, balance_)       \
	{                                                                                          \
		.seq = seq_, .prev_seq = seq_ - 1, .kind = kind_, .move = move_, .round = round_,  \
		.game = GAME, .release = release_, .win_pending = won_, .forfeit = forfeit_,       \
		.pending_after = pending_after_, .balance_after = balance_, .time_us = seq_ * 1000 \
	}
#define AWARD(seq_, round_, amount_, balance_)                                                     \
	{                                                                                          \
		.seq = seq_, .prev_seq = seq_ - 1, .kind = 24, .amount = amount_,                  \
		.balance_after = balance_, .award = true, .award_round = round_, .award_index = 1, \
		.award_pool = 1                                                                    \
	}

static const struct history_row booked[] = {
	{ .seq = 1, .prev_seq = 0, .kind = 1 },
	{ .seq = 2, .prev_seq = 1, .kind = 20, .amount = 1000, .balance_after = 1000 },
	BET(3, 1, 0, 10, 0, 0, 990),	      /* lost */
	BET(4, 2, 0, 10, 0, 50, 980),	      /* 50 wait for a gamble */
	MOVE(5, 4, 3, 2, 0, 50, 0, 100, 980), /* doubled */
	MOVE(6, 6, 4, 2, 100, 0, 0, 0, 1080), /* collected */
	BET(7, 5, 0, 10, 0, 30, 1070),	      /* 30 wait .. */
	BET(8, 6, 30, 10, 5, 0, 1095),	      /* the next bet collects them and wins 5 at once */
	AWARD(9, 6, 400, 1495), BET(10, 7, 0, 10, 0, 20, 1485), /* still open */
};
#define N (sizeof(booked) / sizeof(booked[0]))

static size_t page(int64_t before, size_t limit, struct history_round *rounds, int64_t *next)
{
	struct history_row rows[N];
	size_t n = 0;
	for (size_t i = N; i-- > 0;)
		if (before == 0 || booked[i].seq <= before)
			rows[n++] = booked[i];
	return history_rounds(rows, n, before > 0, limit, rounds, next);
}

static void expect_round(const struct history_round *round, int64_t number, int64_t before,
	int64_t stake, int64_t win, int64_t after, bool closed)
{
	if (round->round != number || round->balance_before != before || round->stake != stake ||
		round->win != win || round->balance_after != after || round->closed != closed)
		fail_msg("round %d: before %d, stake %d, win %d, after %d, closed %d",
			(int)round->round, (int)round->balance_before, (int)round->stake,
			(int)round->win, (int)round->balance_after, round->closed);
}

/* RULE mystic-gem 8.5 */
static void test_history_rounds(void **state)
{
	static struct history_round rounds[HISTORY_ROUNDS_MAX];
	int64_t next;
	(void)state;
	assert_int_equal(page(0, 50, rounds, &next), 5);
	assert_int_equal(next, 0);
	expect_round(&rounds[0], 7, 1495, 10, 0, 1485, false); /* its win is not shown yet */
	expect_round(&rounds[1], 6, 1100, 10, 405, 1495, true);
	expect_round(&rounds[2], 5, 1080, 10, 30, 1100, true);
	expect_round(&rounds[3], 2, 990, 10, 100, 1080, true);
	expect_round(&rounds[4], 1, 1000, 10, 0, 990, true);
	assert_int_equal(rounds[1].jackpots, 400);
}

/* For every page length all pages together show the same rounds. */
static void test_history_pages(void **state)
{
	static struct history_round whole[HISTORY_ROUNDS_MAX], part[HISTORY_ROUNDS_MAX];
	int64_t next;
	(void)state;
	size_t n = page(0, 50, whole, &next);
	for (size_t limit = 1; limit <= 6; limit++) {
		size_t seen = 0;
		int64_t before = 0;
		for (int pages = 0; pages < 20; pages++) {
			size_t more = page(before, limit, part, &next);
			for (size_t i = 0; i < more; i++, seen++)
				expect_round(&part[i], whole[seen].round,
					whole[seen].balance_before, whole[seen].stake,
					whole[seen].win, whole[seen].balance_after,
					whole[seen].closed);
			if (next == 0)
				break;
			before = next;
		}
		assert_int_equal(seen, n);
	}
}

static void test_json_out_is_valid_json(void **state)
{
	struct json_out out = { 0 };
	Carillon__RoundView round;
	carillon__round_view__init(&round);
	Carillon__Phase phase;
	carillon__phase__init(&phase);
	Carillon__Phase *phases[] = { &phase };
	char nasty[] = "a\"b\\c\n\x01\x7f\xc3\xa9\xff\xe2\x82\xac";
	char kind[] = "spin";
	uint8_t bytes[] = { 0, 15, 255 };
	(void)state;
	phase.kind = kind;
	phase.window.data = bytes;
	phase.window.len = 3;
	phase.win_minor = INT64_MIN;
	round.phases = phases;
	round.n_phases = 1;
	round.round = UINT64_C(9007199254740993);
	out_begin(&out);
	out_open(&out, NULL, '{');
	out_string(&out, "text", nasty);
	out_message(&out, "round", &round.base);
	out_message(&out, "none", NULL);
	out_hex(&out, "hex", bytes, 0);
	out_open(&out, "list", '[');
	out_int(&out, NULL, -1);
	out_bool(&out, NULL, true);
	out_close(&out, ']');
	out_close(&out, '}');
	json_error_t error;
	json_t *root = json_loadb(out.bytes, out.n, 0, &error);
	if (root == NULL)
		fail_msg("%s: %.*s", error.text, (int)out.n, out.bytes);
	const json_t *view = json_object_get(root, "round");
	const json_t *first = json_array_get(json_object_get(view, "phases"), 0);
	assert_int_equal(
		json_integer_value(json_object_get(view, "round")), INT64_C(9007199254740993));
	assert_string_equal(json_string_value(json_object_get(first, "window")), "000fff");
	assert_int_equal(json_integer_value(json_object_get(first, "win_minor")), INT64_MIN);
	assert_true(json_is_null(json_object_get(view, "bet")));
	assert_true(json_is_array(json_object_get(view, "jackpots")));
	assert_true(json_is_false(json_object_get(view, "closed")));
	assert_true(json_is_null(json_object_get(root, "none")));
	assert_string_equal(json_string_value(json_object_get(root, "text")),
		"a\"b\\c\n\x01\x7f\xc3\xa9?\xe2\x82\xac");
	json_decref(root);
	out_free(&out);
}

/* A Jackpot Cards award is not a win of a round: it names the move that closed the round, which
 * need not be a round itself. A claim for Jackpot Cards leaves nothing to watch. */
static void test_history_keeps_cards_apart_from_rounds(void **state)
{
	static const struct history_row rows[] = {
		{ .seq = 6,
			.prev_seq = 5,
			.kind = 24,
			.amount = 500,
			.balance_after = 1510,
			.award = true,
			.award_round = 3,
			.award_index = 1,
			.award_pool = 2,
			.cards = 1 },
		{ .seq = 5,
			.prev_seq = 4,
			.kind = 6,
			.move = 3,
			.round = 2,
			.game = GAME,
			.release = 30,
			.balance_after = 1010,
			.claims = 1,
			.cards = 1 },
		BET(4, 2, 0, 10, 0, 30, 980),
		{ .seq = 3,
			.prev_seq = 0,
			.kind = 2,
			.move = 1,
			.round = 1,
			.game = GAME,
			.stake = 10,
			.balance_after = 990,
			.claims = 1,
			.cards = 1 },
	};
	struct history_round rounds[HISTORY_ROUNDS_MAX];
	int64_t next;
	(void)state;
	size_t n = history_rounds(rows, 4, false, 10, rounds, &next);
	assert_int_equal(n, 2);
	assert_int_equal(rounds[0].round, 2);
	assert_true(rounds[0].closed);
	assert_int_equal(rounds[0].win, 30);
	assert_int_equal(rounds[0].jackpots, 0);
	assert_true(rounds[1].closed);
	assert_int_equal(next, 0);
	assert_int_equal(history_rounds(rows + 3, 1, false, 10, rounds, &next), 1);
	assert_true(rounds[0].closed);
}

/* Round 6 is not watched to its end: its award is in the balance of round 7 and of the rows behind
 * it, and nothing of that is told. Pages that do not go back to its bet tell no balance at all. */
static void test_history_hides_what_was_not_seen(void **state)
{
	static struct history_round rounds[HISTORY_ROUNDS_MAX];
	struct history_row rows[N];
	const struct hiding hiding = {
		.round = { 6 }, .n = 1, .oldest = 6, .expect = 8, .minor = 400, .seq = 10
	};
	const struct hiding none = { .expect = 8 };
	int64_t next;
	(void)state;
	for (size_t i = 0; i < N; i++)
		rows[i] = booked[N - 1 - i];
	size_t n = history_rounds(rows, N, false, 50, rounds, &next);
	history_rounds_hide(rounds, n, rows, N, &none);
	for (size_t i = 0; i < n; i++)
		assert_true(rounds[i].before_known && rounds[i].after_known);
	assert_int_equal(rounds[1].jackpots, 400);
	history_rounds_hide(rounds, n, rows, N, &hiding);
	assert_int_equal(rounds[0].round, 7);
	assert_false(rounds[0].before_known || rounds[0].after_known);
	expect_round(&rounds[1], 6, 1100, 10, 0, 1090, false);
	assert_true(rounds[1].before_known && rounds[1].after_known);
	assert_int_equal(rounds[1].jackpots, 0);
	assert_true(rounds[2].before_known && rounds[2].after_known);

	n = history_rounds(rows, 1, false, 50, rounds, &next);
	assert_int_equal(n, 1);
	history_rounds_hide(rounds, n, rows, 1, &hiding);
	assert_false(rounds[0].before_known || rounds[0].after_known);
	assert_int_equal(history_hidden_from(rows, N, &hiding), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_history_rounds),
		cmocka_unit_test(test_history_pages),
		cmocka_unit_test(test_json_out_is_valid_json),
		cmocka_unit_test(test_history_keeps_cards_apart_from_rounds),
		cmocka_unit_test(test_history_hides_what_was_not_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
