#include "tools/jackpotctl/verify_rows.h"

#include "tools/jackpotctl/verify_row.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define FETCH "fetch 2000 from rows"

/* The columns of row_column, in its order. */
static const char rows_sql[] =
	"declare rows no scroll cursor for select j.seq, j.player, j.kind, j.move, j.round, j.game, "
	"j.mode, j.refusal, j.currency, j.release, j.stake, j.win_balance, j.win_pending, j.forfeit, "
	"j.amount, j.balance_after, j.pending_after, j.prev_seq, j.claims, coalesce(j.last_move, "
	"j.move), j.time, j.tallies, j.request_id, j.outside_id, j.record, j.shard, j.day, j.prev_day "
	"from @journal@ j order by j.shard, j.seq";

/* ---- the database ---- */

PGresult *pass_ask(PGconn *conn, const struct verify_scope *scope, const char *sql)
{
	static const Oid types[] = { 1007, 1007, 3802 }; /* integer[], integer[], jsonb */
	const char *parameters[] = { NULL, NULL, scope->state };
	char *whole = scope_expand(scope, sql);
	PGresult *result = PQexecParams(conn, whole, 3, types, parameters, NULL, NULL, 1);
	ExecStatusType status = PQresultStatus(result);

	free(whole);
	if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
		fprintf(stderr, "jackpotctl: the journal could not be read: %s",
			PQerrorMessage(conn));
		exit(EXIT_USAGE);
	}
	return result;
}

static uint32_t number_of_4(const char *bytes)
{
	uint32_t big;

	memcpy(&big, bytes, sizeof(big));
	return ntohl(big);
}

int64_t pass_number(const PGresult *rows, int row, int column)
{
	const char *bytes = PQgetvalue(rows, row, column);
	int length = PQgetlength(rows, row, column);

	if (PQgetisnull(rows, row, column) != 0 || (length != 4 && length != 8))
		return 0;
	if (length == 4)
		return (int32_t)number_of_4(bytes);
	return (int64_t)((uint64_t)number_of_4(bytes) << 32 | number_of_4(bytes + 4));
}

struct row_bytes pass_bytes(const PGresult *rows, int row, int column)
{
	return (struct row_bytes){ PQgetvalue(rows, row, column),
		(size_t)PQgetlength(rows, row, column) };
}

void *pass_room(size_t n, size_t size)
{
	void *room = calloc(n == 0 ? 1 : n, size);

	if (room == NULL) {
		fprintf(stderr, "jackpotctl: out of memory\n");
		exit(EXIT_USAGE);
	}
	return room;
}

/* ---- a row ---- */

static void doubt_all(bool *doubts)
{
	for (size_t i = 0; i < VERIFY_RULES; i++)
		doubts[i] = true;
}

/* An array in binary: dimensions, are there nulls, type; of its dimension the size and the first
 * index; each item behind its length. False: it is not a plain list of integers. */
static bool tallies_read(struct row_bytes from, struct verify_row *row_r)
{
	row_r->tallies_n = 0;
	if (from.length >= 12 && number_of_4(from.bytes) == 0)
		return true;
	if (from.length < 20 || number_of_4(from.bytes) != 1 || number_of_4(from.bytes + 4) != 0)
		return false;
	size_t n = number_of_4(from.bytes + 12);
	if (n > ROW_TALLIES_MAX || from.length != 20 + 8 * n)
		return false;
	for (size_t i = 0; i < n; i++)
		row_r->tallies[i] = (int32_t)number_of_4(from.bytes + 20 + 8 * i + 4);
	row_r->tallies_n = n;
	return true;
}

/* A null would be read as 0, but is none to a query. */
static bool is_number(const PGresult *rows, int row, int column)
{
	int length = PQgetlength(rows, row, column);

	return PQgetisnull(rows, row, column) == 0 && (length == 4 || length == 8);
}

static bool row_read(const PGresult *rows, int at, struct verify_row *row_r)
{
	bool numbers = is_number(rows, at, ROW_SHARD) && is_number(rows, at, ROW_DAY);

	for (int i = 0; i < ROW_NUMBERS; i++) {
		numbers = numbers && is_number(rows, at, i);
		row_r->number[i] = pass_number(rows, at, i);
	}
	row_r->request = pass_bytes(rows, at, ROW_REQUEST);
	row_r->outside = pass_bytes(rows, at, ROW_OUTSIDE);
	row_r->has_outside = PQgetisnull(rows, at, ROW_OUTSIDE) == 0;
	row_r->record = pass_bytes(rows, at, ROW_RECORD);
	row_r->shard = (int32_t)pass_number(rows, at, ROW_SHARD);
	row_r->day = (int32_t)pass_number(rows, at, ROW_DAY);
	row_r->has_prev_day = PQgetisnull(rows, at, ROW_PREV_DAY) == 0;
	row_r->prev_day = row_r->has_prev_day ? (int32_t)pass_number(rows, at, ROW_PREV_DAY) : 0;
	return tallies_read(pass_bytes(rows, at, ROW_TALLIES), row_r) && numbers;
}

/* ---- order ---- */

/* Rows of a shard are 1, 2, 3, ..: all other rules build on it. */
struct order {
	const struct verify_scope *scope;
	bool begun;
	int32_t shard;
	int64_t seq;
};

static int64_t proven_of(const struct verify_scope *scope, int32_t shard)
{
	for (size_t i = 0; i < scope->shards_n; i++)
		if (scope->shards[i].shard == (uint32_t)shard)
			return (int64_t)scope->shards[i].seq;
	return 0;
}

static bool in_order(struct order *order, const struct verify_row *row)
{
	if (!order->begun || order->shard != row->shard)
		order->seq = proven_of(order->scope, row->shard);
	order->begun = true;
	order->shard = row->shard;
	order->seq++;
	return row->shard >= 0 && row->number[ROW_SEQ] == order->seq;
}

/* ---- days ---- */

struct leaf {
	int32_t shard, day;
	int64_t first, last; /* last: of an open day the largest there is */
};
static struct leaf *leaves;
static size_t leaves_n;

/* Each day of a shard once, or rows could stand beside another one than the queries take. */
static void leaves_read(PGconn *conn, const struct verify_scope *scope, bool *doubts)
{
	PGresult *rows = pass_ask(conn, scope,
		"select shard, day, first_seq, coalesce(last_seq, 9223372036854775807) from "
		"wallet.leaf order by shard, day");

	leaves_n = (size_t)PQntuples(rows);
	leaves = pass_room(leaves_n, sizeof(*leaves));
	for (int i = 0; i < (int)leaves_n; i++)
		leaves[i] = (struct leaf){ (int32_t)pass_number(rows, i, 0),
			(int32_t)pass_number(rows, i, 1), pass_number(rows, i, 2),
			pass_number(rows, i, 3) };
	for (size_t i = 1; i < leaves_n; i++)
		if (leaves[i].shard == leaves[i - 1].shard && leaves[i].day == leaves[i - 1].day)
			doubts[VERIFY_RULE_DAYS] = doubts[VERIFY_RULE_DAYS_BEFORE] = true;
	PQclear(rows);
}

static bool in_day(int32_t shard, int32_t day, int64_t seq)
{
	size_t low = 0, high = leaves_n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct leaf *at = &leaves[middle];

		if (at->shard == shard && at->day == day)
			return seq >= at->first && seq <= at->last;
		if (at->shard < shard || (at->shard == shard && at->day < day))
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static void days_row(const struct verify_row *row, bool *doubts)
{
	int64_t before = row->number[ROW_PREV_SEQ];

	if (!in_day(row->shard, row->day, row->number[ROW_SEQ]))
		doubts[VERIFY_RULE_DAYS] = true;
	if ((before == 0) == row->has_prev_day ||
		(before > 0 && !in_day(row->shard, row->prev_day, before)))
		doubts[VERIFY_RULE_DAYS_BEFORE] = true;
}

/* ---- rows that other tables tell more of ---- */

/* Most rows are of none of these kinds; where there is one, the query looks it up. */
static void kinds_row(const struct verify_row *row, bool *doubts)
{
	int64_t kind = row->number[ROW_KIND];

	if (row->number[ROW_REFUSAL] != 0)
		return;
	if (kind == 2 && (row->number[ROW_STAKE] == 0 || row->has_outside))
		doubts[VERIFY_RULE_SPIN_ROWS] = true;
	if (kind == 23 || (kind >= 28 && kind <= 31))
		doubts[VERIFY_RULE_HOLDS] = true;
}

/* ---- the pass ---- */

static void row_take(const struct verify_row *row, bool *doubts)
{
	days_row(row, doubts);
	kinds_row(row, doubts);
	rows_accounts_row(row, doubts);
	rows_batches_row(row, doubts);
	rows_tallies_row(row, doubts);
}

static bool fetch(PGconn *conn, const struct verify_scope *scope, struct order *order, bool *doubts)
{
	static struct verify_row row;
	PGresult *rows = pass_ask(conn, scope, FETCH);
	int n = PQntuples(rows);

	for (int i = 0; i < n; i++) {
		if (!row_read(rows, i, &row) || !in_order(order, &row))
			doubt_all(doubts);
		row_take(&row, doubts);
	}
	PQclear(rows);
	return n > 0;
}

void verify_rows_run(PGconn *conn, const struct verify_scope *scope, bool *doubts_r)
{
	struct order order = { .scope = scope };

	memset(doubts_r, 0, VERIFY_RULES * sizeof(*doubts_r));
	doubts_r[VERIFY_RULE_NONE] = true;
	leaves_read(conn, scope, doubts_r);
	rows_accounts_begin(conn, scope, doubts_r);
	rows_batches_begin(conn, scope, doubts_r);
	rows_tallies_begin(conn, scope, doubts_r);
	PQclear(pass_ask(conn, scope, rows_sql));
	while (fetch(conn, scope, &order, doubts_r))
		;
	PQclear(pass_ask(conn, scope, "close rows"));
	rows_accounts_end();
	rows_batches_end(doubts_r);
	rows_tallies_end(doubts_r);
	free(leaves);
}
