/* Runs the queries of all points in one snapshot and tells what they found. */
#include "tools/jackpotctl/verify.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "tools/jackpotctl/rows_print.h"
#include "tools/jackpotctl/verify_archive.h"
#include "tools/jackpotctl/verify_cards.h"
#include "tools/jackpotctl/verify_heads.h"
#include "tools/jackpotctl/verify_mark.h"
#include "tools/jackpotctl/verify_rounds.h"
#include "tools/jackpotctl/verify_rows.h"
#include "tools/jackpotctl/verify_scope.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define CURRENCIES_TEXT_MAX 8192

static const char *const titles[VERIFY_POINTS] = {
	[1] = "moves of each player are 1..n without a gap",
	[2] = "each balance and pending follows from the row before",
	[3] = "each row of wallet.batch matches the journal rows of its batch",
	[4] = "each shard and currency sums to zero",
	[5] = "each tally equals the stakes of its rows",
	[6] = "the totals that pools have recorded match the journal and give T",
	[7] = "the pools' identities hold",
	[8] = "claims, hits and awards match one to one",
	[9] = "JACKPOT accounts equal the pools' memo accounts as of the last close",
	[10] = "the chain of batch digests is whole, and its signed heads match",
	[11] = "each bet is paid for or uses a granted bonus spin",
	[12] = "open withdrawals, grants and voids match their journal rows",
	[13] = "no balance and no pending is negative",
	[14] = "each move, when replayed, gives what its row says",
	[15] = "each card round shows the cards that its secret deals",
};

static char currency_numbers[CURRENCIES_TEXT_MAX], currency_exponents[CURRENCIES_TEXT_MAX];

static PGresult *ask(PGconn *conn, const char *sql, const struct verify_scope *scope)
{
	static const Oid types[] = { 1007, 1007, 3802 }; /* integer[], integer[], jsonb */
	const char *parameters[] = { currency_numbers, currency_exponents,
		scope == NULL ? NULL : scope->state };
	char *whole = scope == NULL ? NULL : scope_expand(scope, sql);
	PGresult *result = PQexecParams(conn, whole == NULL ? sql : whole, scope == NULL ? 0 : 3,
		types, parameters, NULL, NULL, 0);
	ExecStatusType status = PQresultStatus(result);

	free(whole);
	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return result;
	fprintf(stderr, "jackpotctl: the database could not be read: %s", PQerrorMessage(conn));
	PQclear(result);
	PQfinish(conn);
	exit(EXIT_USAGE);
}

static char *copy_of(const char *text)
{
	char *copy = strdup(text);

	if (copy == NULL) {
		fprintf(stderr, "jackpotctl: out of memory\n");
		exit(EXIT_USAGE);
	}
	return copy;
}

void verify_breach_add(struct verify_report *report, int point, const char *where,
	const char *found, const char *expected)
{
	struct verify_point *at = &report->points[point];

	if (at->breaches_n < sizeof(at->breaches) / sizeof(at->breaches[0]))
		at->breaches[at->breaches_n++] =
			(struct verify_breach){ copy_of(where), copy_of(found), copy_of(expected) };
}

static void currencies_format(char *numbers, char *exponents)
{
	size_t n = 0;
	size_t e = 0;

	for (size_t i = 0; currency_at(i) != NULL; i++) {
		const struct currency *currency = currency_at(i);
		char separator = i == 0 ? '{' : ',';
		n += (size_t)snprintf(
			numbers + n, CURRENCIES_TEXT_MAX - n, "%c%u", separator, currency->number);
		e += (size_t)snprintf(exponents + e, CURRENCIES_TEXT_MAX - e, "%c%u", separator,
			currency->exponent);
	}
	(void)snprintf(numbers + n, CURRENCIES_TEXT_MAX - n, "}");
	(void)snprintf(exponents + e, CURRENCIES_TEXT_MAX - e, "}");
}

/* Says on a terminal how far the proof is: large ledgers take minutes. */
static void progress(const char *about, size_t at, size_t of, uint64_t rows)
{
	if (isatty(STDERR_FILENO) == 1)
		fprintf(stderr, "\r%s: check %zu of %zu over %" PRIu64 " rows\033[K", about, at, of,
			rows);
}

static void progress_end(void)
{
	if (isatty(STDERR_FILENO) == 1)
		fprintf(stderr, "\r\033[K");
}

static bool doubts[VERIFY_RULES]; /* of the pass over the journal's rows */

static void queries_run(PGconn *conn, const struct verify_scope *scope, const char *about,
	const struct verify_query *queries, struct verify_report *report)
{
	size_t n = 0, at = 0;

	while (queries[n].sql != NULL)
		n++;
	for (; queries->sql != NULL; queries++) {
		progress(about, ++at, n, report->rows);
		if (!doubts[queries->rule])
			continue;
		PGresult *result = ask(conn, queries->sql, scope);
		for (int i = 0; i < PQntuples(result); i++)
			verify_breach_add(report, atoi(PQgetvalue(result, i, 0)),
				PQgetvalue(result, i, 1), PQgetvalue(result, i, 2),
				PQgetvalue(result, i, 3));
		PQclear(result);
	}
}

/* How much each point looked at: a proof over nothing proves nothing. */
static void counts_take(
	PGconn *conn, const struct verify_scope *scope, struct verify_report *report)
{
	static const char sql[] =
		"select count(*), count(*) filter (where move > 0), count(*) filter (where kind = "
		"2 and refusal = 0), "
		"(select count(*) from @batch@ b), (select count(*) from @leg@ l), "
		"(select count(*) from wallet.tally_total), "
		"(select count(*) from pool.vector) + (select count(*) from cards.vector), "
		"(select count(*) from pool.pool) + (select count(*) from cards.card_set), (select "
		"count(*) from wallet.claim), (select count(*) from pool.hit) + (select "
		"count(*) from cards.hit), (select count(*) from @close@ c) + (select count(*) from "
		"pool.pool) + (select count(*) from cards.card_set), (select "
		"coalesce(sum(seq), 0) from @base@ s), (select count(*) from wallet.hold) from "
		"@journal@ j";
	static const struct {
		int point, column;
	} map[] = { { 1, 1 }, { 2, 0 }, { 3, 3 }, { 4, 4 }, { 5, 5 }, { 6, 6 }, { 7, 7 }, { 8, 8 },
		{ 9, 10 }, { 10, 3 }, { 11, 2 }, { 12, 12 }, { 13, 0 } };
	PGresult *result = ask(conn, sql, scope);

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		report->points[map[i].point].checked =
			strtoull(PQgetvalue(result, 0, map[i].column), NULL, 10);
	report->rows = strtoull(PQgetvalue(result, 0, 0), NULL, 10);
	report->rounds = strtoull(PQgetvalue(result, 0, 2), NULL, 10);
	report->hits = strtoull(PQgetvalue(result, 0, 9), NULL, 10);
	report->since = strtoull(PQgetvalue(result, 0, 11), NULL, 10);
	PQclear(result);
}

static void verdicts_take(struct verify_report *report)
{
	report->ledger_ok = report->pools_ok = true;
	for (size_t i = 1; i < VERIFY_POINTS; i++) {
		bool ok = report->points[i].breaches_n == 0;
		if (i >= 6 && i <= 9)
			report->pools_ok = report->pools_ok && ok;
		else
			report->ledger_ok = report->ledger_ok && ok;
	}
}

static _Noreturn void fail(const char *error)
{
	fprintf(stderr, "jackpotctl: %s\n", error);
	exit(EXIT_USAGE);
}

static void scope_take(PGconn *conn, const struct verify_options *options,
	struct verify_mark *mark_r, struct verify_scope *scope_r)
{
	char error[SCOPE_ERROR_MAX];

	if (options->state == NULL)
		scope_whole(scope_r);
	else if (!mark_open(options->state, mark_r, error) || !scope_load(mark_r, scope_r, error))
		fail(error);
	if (!scope_after_dropped(conn, scope_r, error))
		fail(error);
}

static void scope_keep(PGconn *conn, const struct verify_options *options, struct verify_mark *mark,
	const struct verify_scope *scope, struct verify_report *report)
{
	char error[SCOPE_ERROR_MAX];

	if (options->state == NULL)
		return;
	if (report->ledger_ok && report->pools_ok &&
		!scope_save(conn, mark, scope, verify_rounds_all(options, report), error))
		fail(error);
	report->mark = mark->number;
	mark_close(mark);
}

void verify_run(PGconn *conn, const struct verify_options *options, struct verify_report *report_r)
{
	static struct verify_scope scope;
	static struct verify_mark mark;
	struct verify_heads heads, copy;
	uint64_t began_us = clock_mono_us();

	memset(report_r, 0, sizeof(*report_r));
	for (size_t i = 0; i < VERIFY_POINTS; i++)
		report_r->points[i].title = titles[i];
	currencies_format(currency_numbers, currency_exponents);
	scope_take(conn, options, &mark, &scope);
	proof_note_begin(conn, &report_r->note);
	verify_heads_read(options, &scope, &heads, &copy, report_r);
	PQclear(ask(conn, "begin transaction isolation level repeatable read, read only", NULL));
	PQclear(ask(conn, "set local work_mem = '256MB'", NULL));
	PQclear(ask(conn, "set local statement_timeout = 0", NULL));
	PQclear(ask(conn, "set local jit = off", NULL));
	counts_take(conn, &scope, report_r);
	verify_rows_run(conn, &scope, doubts);
	queries_run(conn, &scope, "the journal", verify_ledger_queries, report_r);
	queries_run(conn, &scope, "the pools", verify_pool_queries, report_r);
	queries_run(conn, &scope, "the daily closes", verify_close_queries, report_r);
	queries_run(conn, &scope, "the partitions", verify_partitions_queries, report_r);
	progress_end();
	verify_heads_check(conn, &heads, &copy, report_r);
	verify_archive_run(conn, options, report_r);
	verify_rounds_run(conn, options, &scope, report_r);
	verify_cards_run(conn, options, &scope, report_r);
	verdicts_take(report_r);
	scope_keep(conn, options, &mark, &scope, report_r);
	proof_note_totals(conn, options->state != NULL, &report_r->note);
	PQclear(ask(conn, "commit", NULL));
	scope_free(&scope);
	verify_heads_free(&heads);
	verify_heads_free(&copy);
	report_r->seconds = (double)(clock_mono_us() - began_us) / 1e6;
}

const char *verify_why_not(const struct verify_report *report, size_t point)
{
	return point == VERIFY_POINT_ROUNDS  ? report->replay.why_not
	       : point == VERIFY_POINT_CARDS ? report->cards.why_not
					     : NULL;
}

void verify_print(const struct verify_report *report)
{
	for (size_t i = 1; i < VERIFY_POINTS; i++) {
		const struct verify_point *point = &report->points[i];
		if (point->title == NULL)
			continue;
		if (verify_why_not(report, i) != NULL) {
			printf("skip    %2zu  %s: %s\n", i, point->title,
				verify_why_not(report, i));
			continue;
		}
		printf("%s  %2zu  %s (%" PRIu64 " checked)\n",
			point->breaches_n == 0 ? "ok    " : "BROKEN", i, point->title,
			point->checked);
		for (size_t j = 0; j < point->breaches_n; j++)
			printf("            %s: found %s, expected %s\n", point->breaches[j].where,
				point->breaches[j].found, point->breaches[j].expected);
	}
	printf("%s: %" PRIu64 " rows, %" PRIu64 " rounds, %" PRIu64 " hits, %.1f s",
		report->ledger_ok && report->pools_ok ? "the books are in order"
						      : "THE BOOKS ARE NOT IN ORDER",
		report->rows, report->rounds, report->hits, report->seconds);
	if (report->since > 0)
		printf(", after %" PRIu64 " rows that were proven before or are archived",
			report->since);
	if (report->replay.sample > 0)
		printf("; replayed: a sample of %" PRIu64 " accounts", report->replay.sample);
	if (report->replay.skipped > 0)
		printf("; %" PRIu64
		       " moves could not be replayed, because they depend on archived rows",
			report->replay.skipped);
	if (report->replay.scripted > 0)
		printf("; %" PRIu64 " rounds were scripted by a test", report->replay.scripted);
	if (report->mark > 0)
		printf("; mark %" PRIu64, report->mark);
	if (report->heads_copied > 0)
		printf("; the heads have a copy");
	if (report->archive.days > 0)
		printf("; %" PRIu64 " carried rows were compared with %" PRIu64 " archived days",
			report->archive.carried, report->archive.days);
	if (report->archive.not_compared > 0)
		printf("; %" PRIu64 " carried rows were not compared with the archive",
			report->archive.not_compared);
	printf("%s\n", report->heads == 0 ? "; no signed heads to compare with" : "");
}

static json_t *replay_json(const struct verify_replay *replay)
{
	return json_pack("{s:b,s:s?,s:I,s:I,s:I,s:I,s:I}", "done", replay->why_not == NULL,
		"why_not", replay->why_not, "moves", (json_int_t)replay->moves, "rounds",
		(json_int_t)replay->rounds, "skipped", (json_int_t)replay->skipped, "scripted",
		(json_int_t)replay->scripted, "sample", (json_int_t)replay->sample);
}

void verify_print_json(const struct verify_report *report)
{
	json_t *points = json_array();
	json_t *root;

	for (size_t i = 1; i < VERIFY_POINTS; i++) {
		const struct verify_point *point = &report->points[i];
		json_t *breaches = json_array();
		if (point->title == NULL || verify_why_not(report, i) != NULL) {
			json_decref(breaches);
			continue;
		}
		for (size_t j = 0; j < point->breaches_n; j++)
			json_array_append_new(breaches,
				json_pack("{s:s,s:s,s:s}", "where", point->breaches[j].where,
					"found", point->breaches[j].found, "expected",
					point->breaches[j].expected));
		json_array_append_new(points,
			json_pack("{s:i,s:b,s:I,s:s,s:o}", "point", (int)i, "ok",
				point->breaches_n == 0, "checked", (json_int_t)point->checked,
				"title", point->title, "breaches", breaches));
	}
	root = json_pack("{s:b,s:b,s:o,s:I,s:I,s:I,s:I,s:I,s:f}", "ledger_ok", report->ledger_ok,
		"pools_ok", report->pools_ok, "points", points, "rows", (json_int_t)report->rows,
		"rounds", (json_int_t)report->rounds, "hits", (json_int_t)report->hits, "since",
		(json_int_t)report->since, "heads", (json_int_t)report->heads, "seconds",
		report->seconds);
	json_object_set_new(root, "heads_copy", json_integer((json_int_t)report->heads_copied));
	json_object_set_new(root, "mark", json_integer((json_int_t)report->mark));
	json_object_set_new(root, "archive",
		json_pack("{s:I,s:I,s:I}", "days", (json_int_t)report->archive.days, "carried",
			(json_int_t)report->archive.carried, "not_compared",
			(json_int_t)report->archive.not_compared));
	json_object_set_new(root, "replay", replay_json(&report->replay));
	json_object_set_new(root, "cards",
		json_pack("{s:b,s:s?,s:I}", "done", report->cards.why_not == NULL, "why_not",
			report->cards.why_not, "rounds", (json_int_t)report->cards.rounds));
	json_print(root);
}
