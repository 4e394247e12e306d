/* The entries of a history: what each row becomes, page by page, by filters, and nothing that the
 * player has not seen. */
#include "services/gateway/adapters/history_entries.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define GAME 5
#define ROW(seq_, kind_, ...)                                                                      \
	{                                                                                          \
		.seq = seq_, .prev_seq = seq_ - 1, .kind = kind_, .time_us = seq_ * 1000,          \
		__VA_ARGS__                                                                        \
	}
#define MOVE(seq_, kind_, move_, round_, ...)                                                      \
	ROW(seq_, kind_, .move = move_, .round = round_, .game = GAME, __VA_ARGS__)

/* In the order of booking. */
static const struct history_row booked[] = {
	ROW(1, 1, .amount = 0),
	ROW(2, 20, .amount = 1000, .balance_after = 1000),
	MOVE(3, 2, 1, 1, .stake = 10, .balance_after = 990),
	MOVE(4, 2, 2, 2, .stake = 10, .win_pending = 40, .pending_after = 40, .balance_after = 980),
	MOVE(5, 4, 3, 2, .win_pending = 40, .pending_after = 80, .balance_after = 980),
	MOVE(6, 5, 4, 2, .release = 40, .pending_after = 40, .balance_after = 1020),
	MOVE(7, 4, 5, 2, .forfeit = 40, .balance_after = 1020),
	ROW(8, 28, .amount = -300, .balance_after = 720),
	ROW(9, 29, .amount = 300, .balance_after = 720),
	ROW(10, 28, .amount = -100, .balance_after = 620),
	ROW(11, 30, .amount = 100, .balance_after = 720),
	ROW(12, 23, .amount = 50, .balance_after = 770),
	ROW(13, 26, .amount = 0, .balance_after = 770),
	MOVE(14, 2, 6, 6, .bonus_spin = true, .win_balance = 5, .balance_after = 775),
	MOVE(15, 2, 7, 7, .stake = 10, .claims = 1, .mode = 2, .balance_after = 765),
	ROW(16, 24, .amount = 400, .balance_after = 1165, .award = true, .award_round = 7,
		.award_index = 1, .award_pool = 3),
	MOVE(17, 2, 8, 8, .refusal = 1, .stake = 10, .win_balance = 900, .balance_after = 1165),
	ROW(18, 24, .amount = 70, .balance_after = 1235, .award = true, .award_round = 7,
		.award_index = 2, .award_pool = 4, .cards = 1),
	ROW(19, 22, .amount = -5, .balance_after = 1230),
	MOVE(20, 7, 9, 1, .win_balance = 10, .balance_after = 1240),
	MOVE(21, 2, 10, 10, .stake = 10, .balance_after = 1230),
	MOVE(22, 2, 11, 11, .stake = 10, .win_pending = 30, .pending_after = 30,
		.balance_after = 1220),
	MOVE(23, 4, 12, 11, .forfeit = 30, .balance_after = 1220),
};
#define N (sizeof(booked) / sizeof(booked[0]))
#define LAST_MOVE 12

static const char all_entries[] = "23 double -30: 1220 to 1220\n"
				  "22 round -10: 1230 to 1220, doubled -30\n"
				  "21 round -10: 1240 to 1230\n"
				  "20 void 10: 1230 to 1240\n"
				  "19 correction -5: 1235 to 1230\n"
				  "18 card_prize 70: 1165 to 1235\n"
				  "16 jackpot 400: 765 to 1165\n"
				  "15 round 390: 775 to 1165\n"
				  "14 round 5: 770 to 775\n"
				  "13 bonus_spins 0: 770 to 770\n"
				  "12 grant 50: 720 to 770\n"
				  "11 withdrawal_returned 100: 620 to 720\n"
				  "10 withdrawal -100: 720 to 620\n"
				  "9 withdrawal_paid 300: 720 to 720\n"
				  "8 withdrawal -300: 1020 to 720\n"
				  "7 double -40: 1020 to 1020\n"
				  "6 halve 40: 980 to 1020\n"
				  "5 double 40: 980 to 980\n"
				  "4 round 30: 990 to 1020\n"
				  "3 round -10: 1000 to 990\n"
				  "2 deposit 1000: 0 to 1000\n";

/* Writes the entries of one page that the filter shows; returns where the next begins. */
static int64_t page(int64_t before, int64_t upto, size_t limit, const struct hiding *hiding,
	const struct history_filter *filter, char *out)
{
	static struct history_round rounds[HISTORY_ROUNDS_MAX];
	static struct history_entry entries[HISTORY_ROUNDS_MAX];
	struct history_row rows[N];
	size_t n = 0;
	for (size_t i = N; i-- > 0;)
		if ((before == 0 || booked[i].seq <= before) && booked[i].seq <= upto)
			rows[n++] = booked[i];
	struct history_page made = { .continued = before > 0,
		.past = before > 0 || upto < (int64_t)N,
		.counts = history_counts,
		.limit = limit };
	size_t rounds_n = history_page(rows, n, &made, rounds);
	history_rounds_hide(rounds, rounds_n, rows, n, hiding);
	n = history_entries(&(struct history_made){ .rows = rows,
				    .first = before > 0,
				    .n = made.used_r,
				    .rounds = rounds,
				    .rounds_n = rounds_n,
				    .hidden_from = history_hidden_from(rows, n, hiding) },
		hiding, entries);
	for (size_t i = 0; i < n; i++) {
		const struct history_entry *entry = &entries[i];
		char balances[2][24] = { "?", "?" };
		if (!history_shows(filter, entry))
			continue;
		if (entry->before_known)
			(void)snprintf(balances[0], 24, "%" PRId64, entry->balance_before);
		if (entry->after_known)
			(void)snprintf(balances[1], 24, "%" PRId64, entry->balance_after);
		out += sprintf(out, "%" PRId64 " %s %" PRId64 ": %s to %s", entry->seq,
			history_kind_text(entry->kind), entry->amount, balances[0], balances[1]);
		if (entry->past.doubled != 0)
			out += sprintf(out, ", doubled %" PRId64, entry->past.doubled);
		out += sprintf(out, "\n");
	}
	*out = '\0';
	return made.next_r;
}

static const struct hiding seen_all = { .expect = LAST_MOVE + 1 };
static const struct history_filter no_filter;

static void test_entries_of_all_kinds(void **state)
{
	char out[4000];
	(void)state;
	assert_int_equal(page(0, N, 100, &seen_all, &no_filter, out), 0);
	assert_string_equal(out, all_entries);
}

/* All pages together list the same, whatever their length; none is empty. */
static void test_pages_list_the_same(void **state)
{
	(void)state;
	for (size_t limit = 1; limit <= N; limit++) {
		char all[4000] = "", out[4000];
		int64_t next = 0;
		for (int pages = 0; pages < 40; pages++) {
			next = page(next, N, limit, &seen_all, &no_filter, out);
			assert_true(out[0] != '\0' || next == 0);
			strcat(all, out);
			if (next == 0)
				break;
		}
		assert_string_equal(all, all_entries);
	}
}

static void test_filters(void **state)
{
	static const struct {
		struct history_filter filter;
		const char *expected;
	} rows[] = {
		{ { .wins = true },
			"22 round -10: 1230 to 1220, doubled -30\n18 card_prize 70: 1165 to 1235\n"
			"16 jackpot 400: 765 to 1165\n"
			"15 round 390: 775 to 1165\n14 round 5: 770 to 775\n5 double 40: 980 to "
			"980\n4 round 30: 990 to 1020\n" },
		{ { .kind = HISTORY_JACKPOT }, "16 jackpot 400: 765 to 1165\n" },
		{ { .kind = HISTORY_BONUS_SPINS },
			"14 round 5: 770 to 775\n13 bonus_spins 0: 770 to 770\n" },
		{ { .money = true },
			"19 correction -5: 1235 to 1230\n12 grant 50: 720 to 770\n"
			"11 withdrawal_returned 100: 620 to 720\n10 withdrawal -100: 720 to 620\n"
			"9 withdrawal_paid 300: 720 to 720\n8 withdrawal -300: 1020 to 720\n"
			"2 deposit 1000: 0 to 1000\n" },
		{ { .game = GAME, .from_us = 14000, .to_us = 16000 },
			"16 jackpot 400: 765 to 1165\n15 round 390: 775 to 1165\n"
			"14 round 5: 770 to 775\n" },
		{ { .game = GAME + 1 }, "" },
	};
	char out[4000];
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		(void)page(0, N, 100, &seen_all, &rows[i].filter, out);
		assert_string_equal(out, rows[i].expected);
	}
}

/* Round 7 is not watched to its end: neither its jackpot nor a balance with it in is told. */
static void test_unseen_jackpots_are_not_told(void **state)
{
	static const struct hiding hiding = {
		.round = { 7 }, .n = 1, .oldest = 7, .expect = 11, .minor = 400, .seq = 21
	};
	char out[4000];
	(void)state;
	(void)page(0, N, 100, &hiding, &(struct history_filter){ .from_us = 14000 }, out);
	assert_string_equal(out, "23 double -30: ? to ?\n22 round -10: ? to ?, doubled -30\n"
				 "21 round -10: ? to ?\n20 void 10: ? to ?\n"
				 "19 correction -5: ? to ?\n15 round -10: 775 to 765\n"
				 "14 round 5: 770 to 775\n");
}

/* A list that begins in the past: row 4 is followed by rows that are not read, so the round has
 * ended, and what came of its 40 is not known. */
static void test_rounds_of_the_past_have_ended(void **state)
{
	char out[4000];
	(void)state;
	(void)page(0, 4, 100, &seen_all, &no_filter, out);
	assert_string_equal(out, "4 round 30: 990 to ?\n3 round -10: 1000 to 990\n"
				 "2 deposit 1000: 0 to 1000\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries_of_all_kinds),
		cmocka_unit_test(test_pages_list_the_same),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_unseen_jackpots_are_not_told),
		cmocka_unit_test(test_rounds_of_the_past_have_ended),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
