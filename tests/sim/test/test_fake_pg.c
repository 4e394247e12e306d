/* The fake Postgres under the real libcommon/io/pg*.c: statements of the services, transactions,
 * locks, COPY, faults. The world around it is the few functions at the top. */
#include "libcommon/io/clock.h"
#include "tests/sim/fake.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "tests/sim/fake_pg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

FAKE(clock_mono_us);
FAKE(log_line);
FAKE(fatal);

/* ---- the world ---- */

static uint64_t now_us = UINT64_C(1700000000000000);
static void (*while_waiting)(void);
static bool coin;

struct sim_faults sim_faults;
struct sim_world sim_world = { .shards = 4 };

uint64_t sim_now_us(void)
{
	return now_us;
}

struct sim_process *sim_current(void)
{
	static int process;
	return (struct sim_process *)(void *)&process;
}

bool sim_chance(uint32_t per_million)
{
	return per_million >= 1000000 || (per_million == 500000 && coin);
}

void sim_wait_us(uint64_t us)
{
	void (*call)(void) = while_waiting;
	now_us += us;
	while_waiting = NULL;
	if (call != NULL)
		call();
}

void sim_effect(const char *what)
{
	(void)what;
}

int sim_fd_open(void)
{
	return 1000;
}

void sim_fd_set(int fd, bool readable)
{
	(void)fd;
	(void)readable;
}

void sim_fd_close(int fd)
{
	(void)fd;
}

bool sim_tracing(void)
{
	return false;
}

void sim_trace(const char *format, ...)
{
	(void)format;
}

void sim_fail(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vfprintf(stderr, format, arguments);
	va_end(arguments);
	(void)fputc('\n', stderr);
	abort();
}

/* What libcommon/io/pg*.c want of the rest of libcommon/io. */
uint64_t __wrap_clock_mono_us(void)
{
	return now_us;
}

void __wrap_log_line(enum log_level level, const char *format, ...)
{
	(void)level;
	(void)format;
}

__attribute__((format(printf, 1, 2))) void __wrap_fatal(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vfprintf(stderr, format, arguments);
	va_end(arguments);
	(void)fputc('\n', stderr);
	abort();
}

static int begin(void **state)
{
	(void)state;
	while_waiting = NULL;
	sim_faults = (struct sim_faults){ 0 };
	fake_pg_world_begin();
	return 0;
}

/* ---- helpers ---- */

static PGconn *connection(void)
{
	return pg_connect("", "wallet-1", 0);
}

static int64_t number(PGconn *conn, const char *sql)
{
	PGresult *result = pg_query(conn, sql, 0, NULL);
	assert_int_equal(PQntuples(result), 1);
	int64_t value = pg_number(result, 0, 0);
	PQclear(result);
	return value;
}

static void refused(PGconn *conn, const char *sql, const char *sqlstate)
{
	PGresult *result = pg_try(conn, sql, 0, NULL);
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	assert_int_equal(PQresultStatus(result), PGRES_FATAL_ERROR);
	if (state == NULL || strcmp(state, sqlstate) != 0)
		fail_msg("%s: found %s: %s", sql, state, PQresultErrorMessage(result));
	PQclear(result);
}

static void shards_make(PGconn *conn)
{
	const char *parameters[] = { "wallet", "4" };
	PQclear(pg_query(conn,
		"insert into carillon.shard (service, shard) select $1, n from generate_series(0, "
		"$2::int - 1) n "
		"where not exists (select from carillon.shard where service = $1 and shard = n) on "
		"conflict do nothing",
		2, parameters));
}

/* ---- tests ---- */

static void test_values(void **state)
{
	static const struct {
		const char *sql, *expected;
	} CASES[] = {
		{ "select 1 + 2 * 3", "7" },
		{ "select -7 / 2", "-3" },
		{ "select 'a' || 'b' || 3", "ab3" },
		{ "select coalesce(null, 5)", "5" },
		{ "select (extract(epoch from '2026-01-02 03:04:05.678901+00'::timestamptz) * "
		  "1000000)::bigint",
			"1767323045678901" },
		{ "select array_to_string('{3,1,2}'::integer[], ' ')", "3 1 2" },
		{ "select '{}'::bigint[]", "{}" },
		{ "select '\\x00ff'::bytea", "\\x00ff" },
		{ "select (1, 2) < (1, 3)", "t" },
		{ "select null is not distinct from null", "t" },
		{ "select 3 = any('{1,2,3}'::int[])", "t" },
		{ "select 4 in (1, 2, 3)", "f" },
		{ "select 2 between 1 and 3 and not false", "t" },
		{ "select case when 1 > 2 then 'x' when true then 'y' end", "y" },
		{ "select greatest(1, null, 4, 2)", "4" },
		{ "select 100000000000000000000000000000 * 10::numeric",
			"1000000000000000000000000000000" },
		{ "select count(*) from generate_series(1, 5) n where n % 2 = 1", "3" },
		{ "select max(v.b) from unnest('{1,2}'::int[], '{7,5}'::int[]) as v(a, b)", "7" },
		{ "select max(c) from (select * from unnest('{1}'::int[], '{2}'::int[]) as v(b, c)) w",
			"2" },
		{ "with w(a, b) as (select * from unnest('{1}'::int[], '{2}'::int[])) select b from w",
			"2" },
		{ "select n from generate_series(1, 5) n order by n desc limit 1 offset 1", "4" },
		{ "select substring('services/wallet/migrations/0012_x.sql' from "
		  "'/migrations/([0-9]+)')::int",
			"12" },
		{ "select 'abc' like 'a%'", "t" },
		{ "select 'ann.b' ~ '^[a-z0-9][a-z0-9._-]{0,31}$'", "t" },
		{ "select 'Ann' ~ '^[a-z0-9][a-z0-9._-]{0,31}$'", "f" },
		{ "with recursive w(n) as (select 1 union all select n + 1 from w where n < 4) "
		  "select sum(n) from w",
			"10" },
		{ "select count(*) from (select 1 as a union select 1 union select 2) u", "2" },
		{ "select string_agg(a::text, ',' order by a desc) from unnest('{2,3,1}'::int[]) a",
			"3,2,1" },
		{ "select to_timestamp(1700000000123456 / 1e6) = '2023-11-14 22:13:20.123456+00'",
			"t" },
		{ "select make_interval(secs => '2') = interval '2 s'", "t" },
		{ "select (to_regclass('wallet.journal') is not null)::integer", "1" },
		{ "select to_regclass('wallet.nothing') is null", "t" },
		{ "select exists (select from carillon.installation where shards = 4)", "t" },
		{ "select nullif(0, 0) is null", "t" },
		{ "select date '2026-03-01' - date '2026-02-27'", "2" },
		{ "select '2026-03-01'::date", "2026-03-01" },
	};
	PGconn *conn = connection();
	(void)state;
	for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
		PGresult *result = pg_query(conn, CASES[i].sql, 0, NULL);
		if (PQntuples(result) != 1 ||
			strcmp(PQgetvalue(result, 0, 0), CASES[i].expected) != 0)
			fail_msg("%s: found '%s', expected '%s'", CASES[i].sql,
				PQntuples(result) == 1 ? PQgetvalue(result, 0, 0) : "no row",
				CASES[i].expected);
		PQclear(result);
	}
	PQfinish(conn);
}

static void test_installation(void **state)
{
	PGconn *conn = connection();
	(void)state;
	assert_int_equal(number(conn, "select shards from carillon.installation"), 4);
	assert_true(number(conn, "select count(*) from carillon.fx_rate") >= 2);
	assert_true(
		number(conn, "select max(substring(name from '/migrations/([0-9]+)')::int) from "
			     "carillon.migration where name like 'services/wallet' || "
			     "'/migrations/%'") >= 2);
	refused(conn, "insert into carillon.installation (kind, shards) values ('demo', 4)",
		"23505");
	refused(conn, "insert into carillon.fx_rate (currency, rate_nano) values (1, 0)", "23514");
	refused(conn, "insert into carillon.fx_rate (currency) values (1)", "23502");
	refused(conn,
		"insert into pool.vector (pool, shard, tally, total, seq, incarnation) values (1, 1, "
		"99, 0, 0, 1)",
		"23503");
	refused(conn, "select 2147483647 + 1", "22003");
	PQfinish(conn);
}

static void test_rollback(void **state)
{
	PGconn *conn = connection();
	PGconn *other = connection();
	(void)state;
	shards_make(conn);
	pg_exec(conn, "begin");
	pg_exec(conn, "update carillon.shard set epoch = 7 where service = 'wallet' and shard = 1");
	pg_exec(conn, "update carillon.shard set epoch = epoch + 1 where shard = 1");
	assert_int_equal(number(conn, "select epoch from carillon.shard where shard = 1"), 8);
	assert_int_equal(number(other, "select epoch from carillon.shard where shard = 1"), 0);
	pg_exec(conn, "rollback");
	assert_int_equal(number(conn, "select epoch from carillon.shard where shard = 1"), 0);
	/* A failed statement: nothing more until the end, which is a rollback in disguise. */
	pg_exec(conn, "begin");
	pg_exec(conn, "delete from carillon.shard where shard = 1");
	refused(conn, "insert into carillon.shard (service, shard) values ('wallet', 2)", "23505");
	refused(conn, "select 1", "25P02");
	PGresult *end = PQexec(conn, "commit");
	assert_string_equal(PQcmdStatus(end), "ROLLBACK");
	PQclear(end);
	assert_int_equal(number(conn, "select count(*) from carillon.shard"), 4);
	assert_int_equal(number(conn, "update carillon.shard s set epoch = b.n from (select 9 as n "
				      "order by n limit 1) b where s.shard = 1 returning epoch"),
		9);
	PQfinish(other);
	PQfinish(conn);
}

static PGconn *holder;

static void holder_commits(void)
{
	pg_exec(holder, "commit");
}

/* So long that it outlasts two lock time-outs. */
static uint64_t commits_at_us;
static void holder_commits_later(void)
{
	if (now_us >= commits_at_us)
		pg_exec(holder, "commit");
	else
		while_waiting = holder_commits_later;
}

static void test_locks(void **state)
{
	static const char UPDATE[] =
		"update carillon.shard set epoch = epoch + 1 where service = 'wallet' and shard = 0";
	PGconn *conn = connection();
	(void)state;
	holder = connection();
	shards_make(conn);
	pg_exec(holder, "begin");
	pg_exec(holder, UPDATE);
	uint64_t began_us = now_us;
	refused(conn, UPDATE, "55P03");
	assert_in_range(now_us - began_us, 200000, 202000);
	/* The holder's commit lets it through, and its work is seen. */
	while_waiting = holder_commits;
	pg_exec(conn, UPDATE);
	assert_int_equal(number(conn, "select epoch from carillon.shard where shard = 0"), 2);
	/* Outside a transaction pg_query comes back until it is let through. */
	pg_exec(holder, "begin");
	pg_exec(holder, UPDATE);
	began_us = now_us;
	commits_at_us = began_us + 500000;
	while_waiting = holder_commits_later;
	PQclear(pg_query(conn, UPDATE, 0, NULL));
	assert_in_range(now_us - began_us, 400000, 5000000);
	assert_int_equal(number(conn, "select epoch from carillon.shard where shard = 0"), 4);
	/* One that sleeps in its transaction is ended. */
	pg_exec(holder, "begin");
	PQclear(pg_query(holder, "select shard from carillon.shard for update", 0, NULL));
	now_us += 2000000;
	pg_exec(conn, UPDATE);
	assert_int_equal(PQstatus(holder), CONNECTION_BAD);
	PQfinish(holder);
	PQfinish(conn);
}

static bool notified(PGconn *conn)
{
	PGnotify *notify = PQnotifies(conn);
	bool is = notify != NULL;
	PQfreemem(notify);
	assert_null(PQnotifies(conn));
	return is;
}

/* Told after the commit, once; not after a rollback; behind the listener's own transaction. */
static void test_notify(void **state)
{
	PGconn *conn = connection();
	PGconn *other = connection();
	(void)state;
	fake_pg_telling(true);
	pg_exec(conn, "listen carillon_owners");
	pg_exec(other, "begin");
	pg_exec(other, "notify carillon_owners");
	assert_false(notified(conn));
	pg_exec(other, "rollback");
	pg_exec(other, "begin");
	pg_exec(other, "commit");
	assert_false(notified(conn));
	pg_exec(conn, "begin");
	pg_exec(other, "begin");
	pg_exec(other, "notify carillon_owners");
	pg_exec(other, "notify carillon_owners");
	pg_exec(other, "commit");
	assert_false(notified(conn));
	pg_exec(conn, "commit");
	assert_true(notified(conn));
	assert_false(notified(other));
	/* A session gets its own notifications, too. */
	pg_exec(conn, "notify carillon_owners");
	assert_true(notified(conn));
	/* Notifications may be lost. */
	fake_pg_telling(false);
	pg_exec(other, "notify carillon_owners");
	assert_false(notified(conn));
	PQfinish(other);
	PQfinish(conn);
}

static void test_terminate(void **state)
{
	PGconn *conn = connection();
	PGconn *other = connection();
	char pid[24];
	const char *parameters[] = { pid, "wallet-1" };
	(void)state;
	shards_make(conn);
	pg_exec(other, "begin");
	PQclear(pg_query(
		other, "select 1 from carillon.shard where shard = 3 for update", 0, NULL));
	(void)snprintf(
		pid, sizeof(pid), "%lld", (long long)number(other, "select pg_backend_pid()"));
	PGresult *result = pg_query(conn,
		"select pg_terminate_backend(pid) from pg_stat_activity "
		"where pid = $1 and application_name = $2 and pid <> pg_backend_pid()",
		2, parameters);
	assert_int_equal(PQntuples(result), 1);
	PQclear(result);
	pg_exec(conn, "update carillon.shard set epoch = 1 where shard = 3");
	assert_int_equal(PQconsumeInput(other), 0);
	result = PQexec(other, "commit");
	assert_int_equal(PQresultStatus(result), PGRES_FATAL_ERROR);
	PQclear(result);
	assert_int_equal(number(conn, "select count(*) from pg_stat_activity"), 1);
	PQfinish(other);
	PQfinish(conn);
}

static void claims_copy(PGconn *conn, int64_t move, int n)
{
	struct pg_copy *copy = pg_copy_begin(conn,
		"wallet.claim (player, move, index, shard, pool, kind, currency, coin_minor, "
		"stake_minor, opened_seq, opened)");
	for (int i = 0; i < n; i++) {
		pg_copy_row(copy, 11);
		pg_copy_int64(copy, 5);
		pg_copy_int64(copy, move + i);
		pg_copy_int32(copy, 1);
		pg_copy_int32(copy, 2);
		pg_copy_int32(copy, 3);
		pg_copy_int32(copy, 1);
		pg_copy_int32(copy, 978);
		pg_copy_int64(copy, 10);
		pg_copy_int64(copy, 20);
		pg_copy_int64(copy, move + i);
		pg_copy_time_us(copy, now_us);
	}
	assert_int_equal(pg_copy_end(copy), (uint64_t)n);
}

static size_t told;

static void changed(void *context, const struct fake_pg_table *table, const struct fake_pg_row *old,
	const struct fake_pg_row *new)
{
	(void)context;
	(void)table;
	told += old == NULL && new != NULL;
	told += old != NULL && new != NULL ? 100 : 0;
}

static void test_copy(void **state)
{
	PGconn *conn = connection();
	struct fake_claim claim;
	(void)state;
	told = 0;
	fake_pg_watch(changed, NULL);
	pg_exec(conn, "begin");
	claims_copy(conn, 1, 500);
	assert_false(fake_pg_claim(5, 3, 1, &claim));
	pg_exec(conn, "commit");
	assert_int_equal(told, 500);
	assert_true(fake_pg_claim(5, 3, 1, &claim));
	assert_int_equal(claim.stake_minor, 20);
	assert_int_equal(claim.closed_seq, 0);
	pg_exec(conn, "begin");
	pg_exec(conn,
		"update wallet.claim set closed_seq = 9, paid_minor = 1, hit = 1 where player = 5 "
		"and move = 3 and index = 1 and closed_seq is null");
	pg_exec(conn, "commit");
	assert_int_equal(told, 600);
	assert_int_equal(
		number(conn,
			"select count(*) from wallet.claim where shard = 2 and closed_seq is null"),
		499);
	assert_int_equal(fake_pg_count(fake_pg_table("wallet.claim")), 500);
	PQfinish(conn);
}

static void test_faults(void **state)
{
	PGconn *conn = connection();
	(void)state;
	shards_make(conn);
	sim_faults.disk_full = true;
	refused(conn, "insert into carillon.fx_rate (currency, rate_nano) values (1, 1)", "53100");
	pg_exec(conn, "update carillon.shard set epoch = 0"); /* has room */
	sim_faults.disk_full = false;
	for (int kept = 0; kept < 2; kept++) {
		PGconn *unlucky = connection();
		pg_exec(unlucky, "begin");
		pg_exec(unlucky, "update carillon.shard set epoch = 5 where shard = 2");
		sim_faults.commit_unknown_ppm = 1000000;
		coin = kept == 1;
		PGresult *result = PQexec(unlucky, "commit");
		sim_faults.commit_unknown_ppm = 0;
		coin = false;
		assert_int_equal(PQresultStatus(result), PGRES_FATAL_ERROR);
		assert_int_equal(PQstatus(unlucky), CONNECTION_BAD);
		PQclear(result);
		PQfinish(unlucky);
		assert_int_equal(number(conn, "select epoch from carillon.shard where shard = 2"),
			kept == 1 ? 5 : 0);
	}
	fake_pg_server(false);
	assert_int_equal(PQstatus(conn), CONNECTION_BAD);
	fake_pg_server(true);
	PQfinish(conn);
	conn = connection();
	assert_int_equal(number(conn, "select count(*) from carillon.shard where epoch = 5"), 1);
	fake_pg_process_died(sim_current());
}

static void test_unique(void **state)
{
	PGconn *conn = connection();
	PGconn *other = connection();
	static const char OPEN[] =
		"insert into pool.tally (id, pool, game, currency, rate_nano, ppm) values "
		"(nextval('pool.tally_id'), 1, 2, 978, 5, 6) returning id";
	(void)state;
	assert_int_equal(number(conn, OPEN), 1);
	refused(conn, OPEN, "23505");
	pg_exec(conn, "update pool.tally set closed = now() where pool = 1 and closed is null");
	assert_int_equal(number(conn, OPEN), 3); /* a sequence is never rolled back */
	/* Two at once: the second waits, and then finds the first. */
	pg_exec(conn, "update pool.tally set closed = now() where closed is null");
	pg_exec(conn, "begin");
	assert_int_equal(number(conn, OPEN), 4);
	holder = conn;
	while_waiting = holder_commits;
	refused(other, OPEN, "23505");
	assert_int_equal(number(conn, "select count(*) from pool.tally where closed is null"), 1);
	PQfinish(other);
	PQfinish(conn);
}

/* What the wallet writes its accounts by: arrays in binary, with their types. */
static void test_binary(void **state)
{
	static const Oid TYPES[] = { 1016, 1016 };
	static const uint8_t TWO[] = { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 2, 0, 0, 0, 1,
		0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 8, 255, 255, 255, 255, 255, 255, 255,
		254 };
	const char *values[] = { (const char *)TWO, (const char *)TWO };
	const int lengths[] = { sizeof(TWO), sizeof(TWO) };
	const int formats[] = { 1, 1 };
	PGconn *conn = connection();
	(void)state;
	PQclear(PQprepare(conn, "two",
		"select v.a, ($2::bigint[])[1:v.a], ($2)[v.b + 4] from unnest($1, $2) as v(a, b) order "
		"by 1",
		2, TYPES));
	PGresult *result = PQexecPrepared(conn, "two", 2, values, lengths, formats, 0);
	assert_int_equal(PQntuples(result), 2);
	assert_int_equal(pg_number(result, 0, 0), -2);
	assert_string_equal(PQgetvalue(result, 0, 1), "{}");
	assert_string_equal(PQgetvalue(result, 1, 1), "{5,-2}");
	assert_int_equal(pg_number(result, 0, 2), -2);
	PQclear(result);
	PQfinish(conn);
}

/* Begin and a statement in one go, as the loop's fence is. */
static void test_pipeline(void **state)
{
	PGconn *conn = connection();
	(void)state;
	for (int good = 1; good >= 0; good--) {
		assert_int_equal(PQenterPipelineMode(conn), 1);
		assert_int_equal(PQsendQueryParams(conn, "begin", 0, NULL, NULL, NULL, NULL, 0), 1);
		assert_int_equal(PQsendQueryParams(conn, good ? "select 1" : "select 1 / 0", 0,
					 NULL, NULL, NULL, NULL, 0),
			1);
		assert_int_equal(PQpipelineSync(conn), 1);
		PGresult *result = PQgetResult(conn);
		assert_string_equal(PQcmdStatus(result), "BEGIN");
		PQclear(result);
		assert_null(PQgetResult(conn));
		result = PQgetResult(conn);
		assert_int_equal(
			PQresultStatus(result), good ? PGRES_TUPLES_OK : PGRES_FATAL_ERROR);
		PQclear(result);
		assert_null(PQgetResult(conn));
		result = PQgetResult(conn);
		assert_int_equal(PQresultStatus(result), PGRES_PIPELINE_SYNC);
		PQclear(result);
		assert_int_equal(PQexitPipelineMode(conn), 1);
		result = PQexec(conn, "commit");
		assert_string_equal(PQcmdStatus(result), good ? "COMMIT" : "ROLLBACK");
		PQclear(result);
	}
	PQfinish(conn);
}

/* A row goes into a leaf, or nowhere. */
static void test_partitions(void **state)
{
	static const char ROW[] =
		"insert into wallet.journal (shard, seq, player, kind, move, round, game, mode, "
		"refusal, currency, release, stake, win_balance, win_pending, forfeit, amount, "
		"balance_after, pending_after, prev_seq, claims, tallies, time, day) values (1, 1, 9, "
		"1, 0, 0, 0, 0, 0, 978, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{4,5}', now(), date "
		"'2026-05-05')";
	PGconn *conn = connection();
	struct fake_journal journal;
	(void)state;
	refused(conn, ROW, "23514");
	PQclear(pg_query(conn, "select wallet.leaves_make(1, date '2026-05-01', 7)", 0, NULL));
	pg_exec(conn, ROW);
	refused(conn, ROW, "23505");
	assert_true(fake_pg_journal(1, 1, &journal));
	assert_int_equal(journal.player, 9);
	assert_int_equal(journal.tallies_n, 2);
	assert_int_equal(journal.tallies[1], 5);
	assert_int_equal(fake_pg_journal_last(1), 1);
	assert_int_equal(fake_pg_journal_last(0), 0);
	pg_exec(conn, "insert into wallet.leaf (shard, day, first_seq, first_batch, before) values "
		      "(1, date '2026-05-05', 1, 1, '')");
	pg_exec(conn,
		"insert into wallet.batch (shard, batch, first_seq, last_seq, checkpoint, "
		"epoch, digest, sums, time, day) values (1, 1, 1, 1, 1, 1, '', '[]', now(), date "
		"'2026-05-05')");
	assert_int_equal(number(conn, "select wallet.leaf_close(1, date '2026-05-05')"), 1);
	assert_int_equal(
		number(conn, "select count(*) from wallet.leaf where state = 'closed'"), 1);
	PQfinish(conn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_values, begin),
		cmocka_unit_test_setup(test_installation, begin),
		cmocka_unit_test_setup(test_rollback, begin),
		cmocka_unit_test_setup(test_locks, begin),
		cmocka_unit_test_setup(test_notify, begin),
		cmocka_unit_test_setup(test_terminate, begin),
		cmocka_unit_test_setup(test_copy, begin),
		cmocka_unit_test_setup(test_faults, begin),
		cmocka_unit_test_setup(test_unique, begin),
		cmocka_unit_test_setup(test_binary, begin),
		cmocka_unit_test_setup(test_pipeline, begin),
		cmocka_unit_test_setup(test_partitions, begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
