#include "tests/support/players/record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	enum row_kind kind;
	const char *text;
} kinds[] = { { ROW_OPEN, "open" }, { ROW_BET, "bet" }, { ROW_RELEASE, "release" },
	{ ROW_GAMBLE, "gamble" }, { ROW_HALVE, "halve" }, { ROW_COLLECT, "collect" },
	{ ROW_VOID, "void" }, { ROW_SETTING, "setting" }, { ROW_DEPOSIT, "deposit" },
	{ ROW_WITHDRAWAL, "withdrawal" }, { ROW_CORRECTION, "correction" }, { ROW_GRANT, "grant" },
	{ ROW_AWARD, "award" }, { ROW_BLOCK, "block" }, { ROW_HOLD, "hold" },
	{ ROW_CAPTURE, "capture" }, { ROW_HOLD_RELEASE, "hold_release" },
	{ ROW_GRANT_BACK, "grant_back" } };

enum row_kind row_kind_parse(const char *text)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].text, text) == 0)
			return kinds[i].kind;
	return ROW_ANY;
}

const char *row_kind_text(enum row_kind kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].kind == kind)
			return kinds[i].text;
	return "any";
}

void *list_grow(void *at, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return at;
	*room = *room ? 2 * *room : 16;
	void *grown = realloc(at, *room * size);
	if (!grown)
		abort();
	memset((char *)grown + n * size, 0, (*room - n) * size);
	return grown;
}

void record_free(struct record *record)
{
	free(record->moves.at);
	free(record->balances.at);
	free(record->jackpots.at);
	free(record->rounds.at);
	free(record->deposits.at);
	memset(record, 0, sizeof(*record));
}

struct recorded_jackpot *record_jackpot(struct record *record, uint64_t round, uint32_t index)
{
	for (size_t i = record->jackpots.n; i-- > 0;)
		if (record->jackpots.at[i].round == round && record->jackpots.at[i].index == index)
			return &record->jackpots.at[i];
	return NULL;
}

/* Where a round of that number is or would be: they are in the order of their numbers. */
static size_t round_place(const struct record *record, uint64_t round)
{
	size_t low = 0, high = record->rounds.n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (record->rounds.at[middle].round < round)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct recorded_round *record_round(struct record *record, uint64_t round)
{
	size_t at = round_place(record, round);
	return at < record->rounds.n && record->rounds.at[at].round == round
		       ? &record->rounds.at[at]
		       : NULL;
}

struct recorded_round *record_round_add(struct record *record, uint64_t round, int64_t stake)
{
	size_t at = round_place(record, round);
	(void)LIST_ADD(&record->rounds);
	memmove(&record->rounds.at[at + 1], &record->rounds.at[at],
		(record->rounds.n - 1 - at) * sizeof(*record->rounds.at));
	record->rounds.at[at] = (struct recorded_round){ .round = round, .stake = stake };
	return &record->rounds.at[at];
}

void record_settle(struct record *record, const struct ledger_row *rows, size_t n)
{
	for (size_t i = 0; i < record->moves.n; i++) {
		struct recorded_move *told = &record->moves.at[i];
		for (size_t j = 0; told->unsure && j < n; j++) {
			if (rows[j].kind >= ROW_DEPOSIT || rows[j].move != told->move)
				continue;
			told->unsure = false;
			told->refused = rows[j].refused;
			if (told->kind == ROW_BET && !told->refused)
				(void)record_round_add(record, told->round, told->stake);
		}
	}
}

struct comparison {
	const struct record *record;
	const struct ledger_row *rows;
	size_t n;
	record_mismatch *mismatch;
	void *context;
	size_t mismatches;
};

__attribute__((format(printf, 2, 3))) static void differs(
	struct comparison *comparison, const char *format, ...)
{
	char text[300];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	comparison->mismatches++;
	comparison->mismatch(comparison->context, text);
}

static bool is_move(const struct ledger_row *row)
{
	return row->kind < ROW_DEPOSIT;
}

/* Effect on the balance: proto/wallet.proto, Proposal. */
static int64_t effect(const struct ledger_row *row)
{
	if (row->refused || row->kind == ROW_BLOCK || row->kind == ROW_OPEN ||
		row->kind == ROW_CAPTURE)
		return 0;
	if (is_move(row))
		return row->release - row->stake + row->win_balance;
	return row->amount;
}

/* Each row follows from the one before, each move takes the next number, nothing is negative. */
static void compare_chain(struct comparison *comparison)
{
	const struct record *record = comparison->record;
	int64_t balance = record->base_balance;
	uint64_t move = record->base_move, seq = record->base_seq;
	for (size_t i = 0; i < comparison->n; i++) {
		const struct ledger_row *row = &comparison->rows[i];
		if (row->seq <= seq)
			differs(comparison, "journal row %" PRIu64 " comes after row %" PRIu64,
				row->seq, seq);
		seq = row->seq;
		if (row->balance_after != balance + effect(row))
			differs(comparison,
				"journal row %" PRIu64 " (%s, move %" PRIu64 "): balance %" PRId64
				" after, expected %" PRId64 " %+" PRId64,
				row->seq, row_kind_text(row->kind), row->move, row->balance_after,
				balance, effect(row));
		balance = row->balance_after;
		if (balance < 0 || row->pending_after < 0)
			differs(comparison, "journal row %" PRIu64 ": negative money", row->seq);
		if (!is_move(row))
			continue;
		if (row->move != move + 1)
			differs(comparison,
				"journal row %" PRIu64 " is move %" PRIu64 ", expected %" PRIu64,
				row->seq, row->move, move + 1);
		move = row->move;
	}
}

static void compare_move(struct comparison *comparison, const struct recorded_move *told,
	const struct ledger_row *row)
{
	if (told->refused != row->refused)
		differs(comparison, "move %" PRIu64 ": told %s, the ledger has it %s", told->move,
			told->refused ? "refused" : "accepted",
			row->refused ? "refused" : "accepted");
	if (told->kind != ROW_ANY && told->kind != row->kind)
		differs(comparison, "move %" PRIu64 ": told %s, the ledger has %s", told->move,
			row_kind_text(told->kind), row_kind_text(row->kind));
	if (told->refused || row->refused)
		return;
	if (told->kind == ROW_BET && told->stake != row->stake)
		differs(comparison, "move %" PRIu64 ": told stake %" PRId64 ", the ledger %" PRId64,
			told->move, told->stake, row->stake);
	if (told->kind != ROW_ANY && told->round != row->round)
		differs(comparison, "move %" PRIu64 ": told round %" PRIu64 ", the ledger %" PRIu64,
			told->move, told->round, row->round);
}

/* Both are in the order of moves: told and ledger are merged; what is on one side only is wrong. */
static void compare_moves(struct comparison *comparison)
{
	const struct recorded_move *told = comparison->record->moves.at;
	size_t told_n = comparison->record->moves.n, t = 0;
	for (size_t i = 0; i < comparison->n; i++) {
		const struct ledger_row *row = &comparison->rows[i];
		if (!is_move(row))
			continue;
		while (t < told_n && told[t].move < row->move)
			differs(comparison,
				"move %" PRIu64 " was told (%s) and is not in the ledger",
				told[t].move, row_kind_text(told[t].kind)),
				t++;
		if (t < told_n && told[t].move == row->move) {
			compare_move(comparison, &told[t], row);
			t++;
			if (t < told_n && told[t].move == row->move)
				differs(comparison, "move %" PRIu64 " was told twice as new",
					row->move);
		} else {
			differs(comparison,
				"move %" PRIu64 " (%s%s, stake %" PRId64
				") is in the ledger and was never told",
				row->move, row_kind_text(row->kind),
				row->refused ? ", refused" : "", row->stake);
		}
	}
	for (; t < told_n; t++)
		differs(comparison, "move %" PRIu64 " was told (%s) and is not in the ledger",
			told[t].move, row_kind_text(told[t].kind));
}

/* Is `balance` what a player may be shown between rows [from, to)? Jackpots of the open round may
 * be hidden, the later ones first. */
static bool possible(const struct comparison *comparison, const struct recorded_balance *told,
	size_t from, size_t to)
{
	int64_t shown =
		from ? comparison->rows[from - 1].balance_after : comparison->record->base_balance;
	for (size_t i = from;; i++) {
		int64_t visible = shown;
		if (visible == told->balance)
			return true;
		for (size_t j = i; told->open_round && j-- > 0;) {
			const struct ledger_row *row = &comparison->rows[j];
			if (row->kind == ROW_BET && row->move <= told->open_round)
				break;
			if (row->kind != ROW_AWARD || row->round != told->open_round)
				continue;
			visible -= row->amount;
			if (visible == told->balance)
				return true;
		}
		if (i >= to)
			return false;
		shown = comparison->rows[i].balance_after;
	}
}

/* Every balance told was the ledger's at that time: after the last move told and before the next.
 */
static void compare_balances(struct comparison *comparison)
{
	size_t from = 0;
	for (size_t i = 0; i < comparison->record->balances.n; i++) {
		const struct recorded_balance *told = &comparison->record->balances.at[i];
		while (from < comparison->n &&
			(from == 0 || !is_move(&comparison->rows[from - 1]) ||
				comparison->rows[from - 1].move < told->move)) {
			/* Before the first move told there may be deposits only. */
			if (comparison->record->base_move >= told->move)
				break;
			from++;
		}
		size_t to = from;
		while (to < comparison->n && !is_move(&comparison->rows[to]))
			to++;
		if (!possible(comparison, told, from, to))
			differs(comparison,
				"after move %" PRIu64 " the balance told was %" PRId64
				", the ledger had %" PRId64 " to %" PRId64,
				told->move, told->balance,
				from ? comparison->rows[from - 1].balance_after
				     : comparison->record->base_balance,
				to ? comparison->rows[to - 1].balance_after
				   : comparison->record->base_balance);
	}
}

static const struct ledger_row *find_award(const struct ledger_row *rows, size_t n,
	const struct recorded_jackpot *told, size_t *times_r)
{
	const struct ledger_row *found = NULL;
	*times_r = 0;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].kind != ROW_AWARD || rows[i].round != told->round)
			continue;
		if (rows[i].award_index && rows[i].award_index != told->index)
			continue;
		found = &rows[i];
		(*times_r)++;
	}
	return found;
}

size_t record_awards_missing(const struct record *record, const struct ledger_row *rows, size_t n)
{
	size_t missing = 0, times;
	for (size_t i = 0; i < record->jackpots.n; i++)
		missing += !record->jackpots.at[i].compared &&
			   !find_award(rows, n, &record->jackpots.at[i], &times);
	return missing;
}

static void compare_awards(struct comparison *comparison)
{
	size_t in_ledger = 0, times;
	for (size_t i = 0; i < comparison->n; i++)
		in_ledger += comparison->rows[i].kind == ROW_AWARD &&
			     comparison->rows[i].round > comparison->record->start_move;
	for (size_t i = 0; i < comparison->record->jackpots.n; i++) {
		const struct recorded_jackpot *told = &comparison->record->jackpots.at[i];
		if (told->compared) /* its award is in no later row: one more was never told */
			continue;
		const struct ledger_row *row =
			find_award(comparison->rows, comparison->n, told, &times);
		in_ledger -= row && told->round > comparison->record->start_move;
		if (!row)
			differs(comparison,
				"jackpot %" PRIu32 " of round %" PRIu64 " was never booked",
				told->index, told->round);
		else if (times > 1 && row->award_index)
			differs(comparison,
				"jackpot %" PRIu32 " of round %" PRIu64 " was booked %zu times",
				told->index, told->round, times);
		else if (told->paid && row->award_index && told->paid != row->amount)
			differs(comparison,
				"jackpot %" PRIu32 " of round %" PRIu64 ": told %" PRId64
				", the ledger %" PRId64,
				told->index, told->round, told->paid, row->amount);
	}
	if (in_ledger)
		differs(comparison, "%zu jackpots were booked and never told", in_ledger);
}

static void compare_deposits(struct comparison *comparison)
{
	int64_t told = 0, booked = 0;
	size_t n = 0;
	for (size_t i = 0; i < comparison->record->deposits.n; i++)
		told += comparison->record->deposits.at[i].amount;
	for (size_t i = 0; i < comparison->n; i++) {
		if (comparison->rows[i].kind != ROW_DEPOSIT || comparison->rows[i].refused)
			continue;
		booked += comparison->rows[i].amount;
		n++;
	}
	if (told != booked || n != comparison->record->deposits.n)
		differs(comparison,
			"told %zu deposits of %" PRId64 ", the ledger has %zu of %" PRId64,
			comparison->record->deposits.n, told, n, booked);
}

size_t record_compare(const struct record *record, const struct ledger_row *rows, size_t n,
	record_mismatch *mismatch, void *context)
{
	struct comparison comparison = { record, rows, n, mismatch, context, 0 };
	compare_chain(&comparison);
	compare_moves(&comparison);
	compare_balances(&comparison);
	compare_awards(&comparison);
	compare_deposits(&comparison);
	return comparison.mismatches;
}

/* ---- folding ------------------------------------------------------------------------------- */

#define KEEP(list, kept)                                                                           \
	do {                                                                                       \
		size_t left = 0;                                                                   \
		for (size_t i = 0; i < (list)->n; i++)                                             \
			if (kept)                                                                  \
				(list)->at[left++] = (list)->at[i];                                \
		(list)->n = left;                                                                  \
	} while (0)

static void fold_jackpots(struct record *record, const struct ledger_row *rows, size_t n)
{
	for (size_t i = 0; i < record->jackpots.n; i++) {
		struct recorded_jackpot *told = &record->jackpots.at[i];
		size_t times;
		const struct ledger_row *row = find_award(rows, n, told, &times);
		if (told->compared || !row)
			continue;
		told->compared = true;
		told->booked = row->award_index ? row->amount : 0;
	}
}

size_t record_fold(struct record *record, const struct ledger_row *rows, size_t n, uint64_t move)
{
	size_t folded = 0, deposits = 0;
	while (folded < n && !(is_move(&rows[folded]) && rows[folded].move >= move)) {
		deposits += rows[folded].kind == ROW_DEPOSIT && !rows[folded].refused;
		folded++;
	}
	if (!folded || folded == n || rows[folded].move != move)
		return 0;
	fold_jackpots(record, rows, folded);
	KEEP(&record->moves, record->moves.at[i].move >= move);
	KEEP(&record->balances, record->balances.at[i].move >= move);
	KEEP(&record->rounds, record->rounds.at[i].round >= move);
	KEEP(&record->deposits, i >= deposits); /* told in the order in which they were booked */
	record->base_seq = rows[folded - 1].seq;
	record->base_balance = rows[folded - 1].balance_after;
	record->base_move = move - 1;
	return folded;
}
