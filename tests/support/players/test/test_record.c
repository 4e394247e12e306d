/* The judge is judged: each fault that a stack could have must be found, and a right ledger passes.
 */
#include "tests/support/players/ledger_rounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

/* A right history: open, a lost bet, a deposit, a bet with a feature and a jackpot, its release,
 * a gamble, a refused bet. Rows after the base, which is the opening deposit (row 2, move 0). */
static const struct ledger_row right[] = {
	{ .seq = 5, .move = 1, .round = 1, .kind = ROW_BET, .stake = 100, .balance_after = 900 },
	{ .seq = 6, .kind = ROW_DEPOSIT, .amount = 50, .balance_after = 950 },
	{ .seq = 9,
		.move = 2,
		.round = 2,
		.kind = ROW_BET,
		.stake = 30,
		.win_pending = 70,
		.balance_after = 920,
		.pending_after = 70 },
	{ .seq = 10,
		.round = 2,
		.kind = ROW_AWARD,
		.award_index = 1,
		.amount = 4000,
		.balance_after = 4920,
		.pending_after = 70 },
	{ .seq = 11,
		.move = 3,
		.round = 2,
		.kind = ROW_RELEASE,
		.release = 60,
		.balance_after = 4980,
		.pending_after = 10 },
	{ .seq = 12,
		.move = 4,
		.round = 2,
		.kind = ROW_GAMBLE,
		.forfeit = 10,
		.balance_after = 4980 },
	{ .seq = 14,
		.move = 5,
		.round = 5,
		.kind = ROW_BET,
		.refused = true,
		.stake = 9999,
		.balance_after = 4980 },
};
#define ROWS (sizeof(right) / sizeof(right[0]))

static void told(struct record *record)
{
	static const struct recorded_move moves[] = { { 1, 1, ROW_BET, false, 100, false },
		{ 2, 2, ROW_BET, false, 30, false }, { 3, 2, ROW_ANY, false, 0, false },
		{ 4, 2, ROW_GAMBLE, false, 0, false }, { 5, 5, ROW_BET, true, 9999, false } };
	/* 920: the jackpot is booked and hidden; 4920 is shown before its release. */
	static const struct recorded_balance balances[] = { { 0, 1000, 0 }, { 1, 900, 0 },
		{ 1, 950, 0 }, { 2, 920, 2 }, { 2, 920, 2 }, { 2, 4920, 2 }, { 3, 4980, 2 },
		{ 4, 4980, 2 }, { 5, 4980, 0 } };
	memset(record, 0, sizeof(*record));
	record->base_seq = 2;
	record->base_balance = 1000;
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		*LIST_ADD(&record->moves) = moves[i];
	for (size_t i = 0; i < sizeof(balances) / sizeof(balances[0]); i++)
		*LIST_ADD(&record->balances) = balances[i];
	*LIST_ADD(&record->jackpots) =
		(struct recorded_jackpot){ .round = 2, .index = 1, .pool = 1, .paid = 4000 };
	*LIST_ADD(&record->deposits) = (struct recorded_deposit){ 6, 50 };
}

static void ignore(void *context, const char *text)
{
	char *last = context;
	snprintf(last, 300, "%s", text);
}

static size_t compare(const struct record *record, const struct ledger_row *rows, size_t n)
{
	char last[300];
	return record_compare(record, rows, n, ignore, last);
}

static void test_right_ledger_passes(void **state)
{
	(void)state;
	struct record record;
	char last[300] = "";
	told(&record);
	if (record_compare(&record, right, ROWS, ignore, last))
		fail_msg("%s", last);
	assert_int_equal(record_awards_missing(&record, right, ROWS), 0);
	record_free(&record);
}

static void test_each_missing_row_is_found(void **state)
{
	(void)state;
	struct record record;
	told(&record);
	for (size_t gone = 0; gone < ROWS; gone++) {
		struct ledger_row rows[ROWS];
		size_t n = 0;
		for (size_t i = 0; i < ROWS; i++)
			if (i != gone)
				rows[n++] = right[i];
		if (!compare(&record, rows, n))
			fail_msg("row %zu was missing and nobody saw it", gone);
	}
	record_free(&record);
}

static void test_each_doubled_row_is_found(void **state)
{
	(void)state;
	struct record record;
	told(&record);
	for (size_t twice = 0; twice < ROWS; twice++) {
		struct ledger_row rows[ROWS + 1];
		size_t n = 0;
		for (size_t i = 0; i < ROWS; i++) {
			rows[n++] = right[i];
			if (i == twice)
				rows[n++] = right[i];
		}
		if (!compare(&record, rows, n))
			fail_msg("row %zu was there twice and nobody saw it", twice);
	}
	record_free(&record);
}

/* A doubled row whose balances were made to fit: only what was told can show it. */
static void test_consistent_double_booking_is_found(void **state)
{
	(void)state;
	static const size_t doubled[] = { 0, 1, 3 };
	struct record record;
	told(&record);
	for (size_t d = 0; d < 3; d++) {
		struct ledger_row rows[ROWS + 1];
		size_t n = 0;
		int64_t shift = 0;
		for (size_t i = 0; i < ROWS; i++) {
			rows[n] = right[i];
			rows[n].seq += shift != 0;
			rows[n++].balance_after += shift;
			if (i != doubled[d])
				continue;
			shift = right[i].amount - right[i].stake;
			rows[n] = rows[n - 1];
			rows[n].seq++;
			rows[n++].balance_after += shift;
		}
		if (!compare(&record, rows, n))
			fail_msg(
				"a doubled %s was not seen", row_kind_text(right[doubled[d]].kind));
	}
	record_free(&record);
}

static void test_each_changed_amount_is_found(void **state)
{
	(void)state;
	struct record record;
	told(&record);
	for (size_t at = 0; at < ROWS; at++) {
		struct ledger_row rows[ROWS];
		memcpy(rows, right, sizeof(rows));
		/* One cent, booked consistently from here on. */
		for (size_t i = at; i < ROWS; i++)
			rows[i].balance_after++;
		if (rows[at].kind == ROW_DEPOSIT || rows[at].kind == ROW_AWARD)
			rows[at].amount++;
		else
			rows[at].win_balance++;
		if (!compare(&record, rows, ROWS))
			fail_msg("a cent too much in row %zu was not seen", at);
	}
	record_free(&record);
}

static void test_wrong_pushes_are_found(void **state)
{
	(void)state;
	for (int fault = 0; fault < 8; fault++) {
		struct record record;
		told(&record);
		if (fault == 0)
			record.moves.at[0].stake++;
		else if (fault == 1)
			record.moves.at[0].refused = true;
		else if (fault == 2)
			record.moves.at[4].refused = false;
		else if (fault == 3)
			record.moves.at[3].kind = ROW_COLLECT;
		else if (fault == 4)
			record.moves.at[1].round = 1;
		else if (fault == 5)
			record.jackpots.at[0].paid++;
		else if (fault == 6)
			record.jackpots.n = 0;
		else
			record.balances.at[3].balance++;
		if (!compare(&record, right, ROWS))
			fail_msg("fault %d was not seen", fault);
		record_free(&record);
	}
}

/* "Already done" tells the number alone: the ledger has the rest, but not another kind or stake. */
static void test_uncertain_moves_looked_up(void **state)
{
	(void)state;
	for (size_t at = 0; at < 5; at++) {
		struct record record;
		size_t rounds;
		bool refused;
		told(&record);
		rounds = record.rounds.n;
		refused = record.moves.at[at].refused;
		record.moves.at[at].unsure = true;
		record.moves.at[at].refused = false;
		for (int times = 0; times < 2; times++)
			record_settle(&record, right, ROWS);
		assert_int_equal(record.moves.at[at].refused, refused);
		assert_int_equal(
			record.rounds.n - rounds, record.moves.at[at].kind == ROW_BET && !refused);
		assert_int_equal(compare(&record, right, ROWS), 0);
		record.moves.at[at].kind = ROW_VOID;
		assert_true(compare(&record, right, ROWS) > 0);
		record_free(&record);
	}
}

/* What was compared is forgotten, and the rest is judged as before. */
static void test_folded_record_finds_the_same(void **state)
{
	(void)state;
	for (uint64_t move = 2; move <= 5; move++) {
		struct record record;
		char last[300] = "";
		told(&record);
		size_t folded = record_fold(&record, right, ROWS, move);
		assert_int_equal(right[folded].move, move);
		assert_int_equal(record.base_seq, right[folded - 1].seq);
		assert_int_equal(record.moves.at[0].move, move);
		assert_int_equal(record.deposits.n, 0);
		assert_true(record.balances.at[0].move >= move);
		if (record_compare(&record, right + folded, ROWS - folded, ignore, last))
			fail_msg("folded at move %d: %s", (int)move, last);
		for (size_t at = folded; at < ROWS; at++) {
			struct ledger_row rows[ROWS];
			memcpy(rows, right, sizeof(rows));
			rows[at].balance_after++;
			assert_true(compare(&record, rows + folded, ROWS - folded) > 0);
			rows[at] = right[at];
			memmove(&rows[at], &rows[at + 1], (ROWS - at - 1) * sizeof(rows[0]));
			assert_true(compare(&record, rows + folded, ROWS - folded - 1) > 0);
		}
		record_free(&record);
	}
}

/* The award of a folded jackpot is told and booked once: a second one is one that nobody told. */
static void test_award_after_its_fold_is_found(void **state)
{
	const struct ledger_row later[] = { right[ROWS - 1], { .seq = 15,
								     .round = 2,
								     .kind = ROW_AWARD,
								     .award_index = 1,
								     .amount = 4000,
								     .balance_after = 8980 } };
	struct record record;
	(void)state;
	told(&record);
	assert_int_equal(record_fold(&record, right, ROWS, 5), ROWS - 1);
	assert_true(record.jackpots.at[0].compared);
	assert_int_equal(record.jackpots.at[0].booked, 4000);
	assert_int_equal(record_awards_missing(&record, later, 1), 0);
	assert_int_equal(compare(&record, later, 1), 0);
	assert_int_equal(compare(&record, later, 2), 1);
	record_free(&record);
}

/* An award that comes after the fold still belongs to a jackpot that was told before it. */
static void test_late_award_is_awaited(void **state)
{
	struct ledger_row rows[ROWS];
	size_t n = 0, folded;
	struct record record;
	(void)state;
	told(&record);
	record.balances.n = 4; /* before the jackpot was shown */
	for (size_t i = 0; i < ROWS; i++)
		if (right[i].kind != ROW_AWARD)
			rows[n++] = right[i];
	for (size_t i = 3; i < n; i++)
		rows[i].balance_after -= 4000;
	folded = record_fold(&record, rows, n, 5);
	assert_int_equal(folded, n - 1);
	assert_false(record.jackpots.at[0].compared);
	assert_int_equal(record_awards_missing(&record, rows + folded, 1), 1);
	rows[n] = right[3];
	rows[n].seq = 20;
	rows[n].balance_after = 4980;
	assert_int_equal(record_awards_missing(&record, rows + folded, 2), 0);
	assert_int_equal(compare(&record, rows + folded, 2), 0);
	record_free(&record);
}

static void test_missing_move_stops_folding(void **state)
{
	struct record record;
	(void)state;
	told(&record);
	assert_int_equal(record_fold(&record, right, ROWS, 1), 0);
	assert_int_equal(record_fold(&record, right, ROWS, 6), 0);
	assert_int_equal(record_fold(&record, right, 2, 2), 0);
	assert_int_equal(record_fold(&record, NULL, 0, 2), 0);
	assert_int_equal(record.base_seq, 2);
	assert_int_equal(compare(&record, right, ROWS), 0);
	record_free(&record);
}

static void test_hidden_jackpot_only_in_its_round(void **state)
{
	(void)state;
	struct record record;
	told(&record);
	record.balances.at[6].balance =
		980; /* after the release it must be shown: round still open */
	assert_int_equal(compare(&record, right, ROWS), 0);
	record.balances.at[6].open_round = 0; /* but not when the round is closed */
	assert_int_equal(compare(&record, right, ROWS), 1);
	record_free(&record);
}

/* A told bet that comes late, out of a look-up, is found like those before and after it. */
static void test_rounds_are_found_in_any_order(void **state)
{
	static const uint64_t numbers[] = { 5, 9, 7, 1, 8 };
	struct record record = { 0 };
	(void)state;
	for (size_t i = 0; i < 5; i++)
		(void)record_round_add(&record, numbers[i], (int64_t)numbers[i] * 10);
	for (size_t i = 0; i < 5; i++) {
		assert_non_null(record_round(&record, numbers[i]));
		assert_int_equal(record_round(&record, numbers[i])->stake, numbers[i] * 10);
		assert_true(i == 0 || record.rounds.at[i - 1].round < record.rounds.at[i].round);
	}
	assert_null(record_round(&record, 0));
	assert_null(record_round(&record, 6));
	assert_null(record_round(&record, 10));
	record_free(&record);
}

static void test_round_sums(void **state)
{
	(void)state;
	int64_t stake, win, awards;
	struct ledger_rounds rounds = { 0 };
	ledger_rounds_make(&rounds, right, ROWS);
	ledger_round(&rounds, 2, &stake, &win, &awards);
	assert_true(stake == 30 && win == 60 && awards == 4000);
	ledger_round(&rounds, 5, &stake, &win, &awards);
	assert_true(stake == 0 && win == 0 && awards == 0);
	ledger_rounds_make(&rounds, NULL, 0);
	ledger_round(&rounds, 2, &stake, &win, &awards);
	assert_true(stake == 0 && win == 0 && awards == 0);
	ledger_rounds_free(&rounds);
}

/* Two prizes of one round, the second claimed by its gamble: with each of them, none, or one
 * missing a history may be right; with any other sum it is not. */
static void test_prizes_belong_to_the_round_of_their_move(void **state)
{
	static const struct ledger_row rows[] = {
		{ .seq = 1, .move = 7, .round = 7, .kind = ROW_BET, .stake = 10, .win_pending = 4 },
		{ .seq = 2, .round = 7, .kind = ROW_AWARD, .award_index = 1, .amount = 100 },
		{ .seq = 3, .move = 8, .round = 7, .kind = ROW_GAMBLE, .win_pending = 4 },
		{ .seq = 4, .move = 9, .round = 9, .kind = ROW_BET, .stake = 20 },
		{ .seq = 5, .round = 8, .kind = ROW_AWARD, .award_index = 1, .amount = 3000 },
		{ .seq = 6, .move = 10, .round = 10, .kind = ROW_BET, .refused = true },
	};
	static const int64_t good[] = { 8, 108, 3008, 3108 }, bad[] = { 0, 7, 9, 100, 3107, 6108 };
	struct ledger_rounds rounds = { 0 };
	int64_t stake, win, awards;
	(void)state;
	ledger_rounds_make(&rounds, rows, sizeof(rows) / sizeof(rows[0]));
	ledger_round(&rounds, 7, &stake, &win, &awards);
	assert_true(stake == 10 && win == 8 && awards == 3100);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(ledger_round_won(&rounds, 7, good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(ledger_round_won(&rounds, 7, bad[i]));
	assert_true(ledger_round_won(&rounds, 9, 0));
	assert_false(ledger_round_won(&rounds, 9, 3000));
	ledger_rounds_free(&rounds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right_ledger_passes),
		cmocka_unit_test(test_each_missing_row_is_found),
		cmocka_unit_test(test_each_doubled_row_is_found),
		cmocka_unit_test(test_consistent_double_booking_is_found),
		cmocka_unit_test(test_each_changed_amount_is_found),
		cmocka_unit_test(test_wrong_pushes_are_found),
		cmocka_unit_test(test_uncertain_moves_looked_up),
		cmocka_unit_test(test_hidden_jackpot_only_in_its_round),
		cmocka_unit_test(test_folded_record_finds_the_same),
		cmocka_unit_test(test_award_after_its_fold_is_found),
		cmocka_unit_test(test_late_award_is_awaited),
		cmocka_unit_test(test_missing_move_stops_folding),
		cmocka_unit_test(test_rounds_are_found_in_any_order),
		cmocka_unit_test(test_round_sums),
		cmocka_unit_test(test_prizes_belong_to_the_round_of_their_move),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
