#include "services/wallet/adapters/close.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "libcommon/io/pg_args.h"
#include "services/wallet/adapters/text.h"
#include "services/wallet/core/close.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define REQUEST_POLL_US 500000

struct closing {
	struct wallet_shard *shard;
	uint64_t cut; /* rows up to this one */
	uint64_t number, now_us;
	struct close_tally *tallies;
	size_t tallies_n;
	struct close_account *accounts;
	size_t accounts_n;
};

static void *room_for(size_t n, size_t size)
{
	void *room = calloc(n == 0 ? 1 : n, size);

	if (room == NULL)
		fatal("out of memory: a close of %zu tallies", n);
	return room;
}

/* ---- what to close ---- */

static void state_load(PGconn *conn, struct wallet_shard *shard)
{
	struct pg_args args = { 0 };
	PGresult *result;

	pg_args_int(&args, shard->shard);
	result = pg_args_query(&args, conn,
		"select number, day - date '1970-01-01', request from wallet.close_run "
		"where shard = $1 order by number desc limit 1");
	shard->close = (struct close_state){ .known = true };
	if (PQntuples(result) == 1) {
		shard->close.number = pg_u64(result, 0, 0);
		shard->close.day = pg_u32(result, 0, 1);
		shard->close.request = pg_u64(result, 0, 2);
	}
	PQclear(result);
}

static uint64_t request_newest(PGconn *conn)
{
	PGresult *result =
		pg_query(conn, "select coalesce(max(id), 0) from wallet.close_request", 0, NULL);
	uint64_t newest = pg_u64(result, 0, 0);

	PQclear(result);
	return newest;
}

/* The last row before today. All rows of a batch have one day, and the first transaction of a day
 * closes the previous days, so only this transaction's rows can be of either day. */
static uint64_t last_row_before(const struct wallet_shard *shard, uint32_t today)
{
	bool before = shard->rows_n > 0 && shard->rows[0].row.day < today;

	return before ? shard->last_seq : shard->committed_seq;
}

/* A tally's total just after row `cut`: the total in memory already counts this batch's later rows.
 */
static uint64_t total_at(
	const struct wallet *wallet, const struct wallet_shard *shard, size_t at, uint64_t cut)
{
	uint64_t total = shard->totals[at];

	for (size_t i = shard->rows_n; i > 0 && shard->rows[i - 1].row.seq > cut; i--) {
		const struct wallet_row *row = &shard->rows[i - 1].row;
		for (uint32_t j = 0; j < row->tallies_n; j++)
			if (row->tallies[j] == wallet->tallies[at].id)
				total -= (uint64_t)row->stake;
	}
	return total;
}

/* The totals in memory, as two SQL arrays. Totals of folded tallies are complete in
 * wallet.tally_total. */
static void totals_add(const struct wallet *wallet, const struct closing *closing, struct text *ids,
	struct text *totals)
{
	size_t n = 0;

	text_clear(ids);
	text_clear(totals);
	text_add(ids, "{");
	text_add(totals, "{");
	for (size_t i = 0; i < wallet->rules.tallies_n; i++) {
		if (wallet->tallies[i].id == 0)
			continue;
		text_add(ids, "%s%u", n == 0 ? "" : ",", wallet->tallies[i].id);
		text_add(totals, "%s%" PRIu64, n++ == 0 ? "" : ",",
			total_at(wallet, closing->shard, i, closing->cut));
	}
	text_add(ids, "}");
	text_add(totals, "}");
}

/* A pool's tally accrues its ppm of the stake; a set's tally accrues its levels' shares. A tally
 * whose pool or set does not exist yet waits for a later close: its last closed total stays the
 * same. */
static PGresult *query_tallies(
	PGconn *conn, uint32_t shard, const struct text *ids, const struct text *totals)
{
	static const char sql[] =
		"with known as (select * from unnest($2::integer[], $3::bigint[]) k(tally, "
		"total)), totals as (select tally, total from known union all select w.tally, "
		"w.total from wallet.tally_total w where w.shard = $1 and not exists (select from "
		"known k where k.tally = w.tally)), last as (select distinct on (tally) tally, "
		"total from wallet.close_tally where shard = $1 order by tally, number desc), "
		"shares as (select pool, 1000000000::numeric as share from pool.pool%s) "
		"select t.tally, p.pool, p.currency, trunc(s.share * p.ppm / 1000000), "
		"coalesce(l.total, 0), t.total from totals t join pool.tally p on p.id = t.tally "
		"join shares s on s.pool = p.pool left join last l on l.tally = t.tally "
		"where t.total > coalesce(l.total, 0) order by p.pool, p.currency, t.tally";
	char with_sets[sizeof(sql) + 128];
	struct pg_args args = { 0 };

	(void)snprintf(with_sets, sizeof(with_sets), sql,
		wallet_table_exists(conn, "cards.level")
			? " union all select pool, sum(share_nano) from cards.level group by pool"
			: "");
	pg_args_int(&args, shard);
	pg_args_text(&args, ids->bytes);
	pg_args_text(&args, totals->bytes);
	return pg_args_query(&args, conn, with_sets);
}

static void tallies_take(const struct wallet *wallet, PGconn *conn, struct closing *closing)
{
	static struct text ids, totals;
	PGresult *result;

	totals_add(wallet, closing, &ids, &totals);
	result = query_tallies(conn, closing->shard->shard, &ids, &totals);
	closing->tallies_n = (size_t)PQntuples(result);
	closing->tallies = room_for(closing->tallies_n, sizeof(*closing->tallies));
	closing->accounts = room_for(closing->tallies_n, sizeof(*closing->accounts));
	for (int i = 0; i < PQntuples(result); i++) {
		struct close_tally tally = { pg_u32(result, i, 0), pg_u32(result, i, 1),
			pg_u32(result, i, 2), pg_number(result, i, 3), pg_u64(result, i, 4),
			pg_u64(result, i, 5) };
		closing->tallies[i] = tally;
		if (close_account_find(closing->accounts, closing->accounts_n, tally.pool,
			    tally.currency) == closing->accounts_n)
			closing->accounts[closing->accounts_n++] =
				(struct close_account){ .pool = tally.pool,
					.currency = tally.currency };
	}
	PQclear(result);
}

static void load_carries(PGconn *conn, struct closing *closing)
{
	struct pg_args args = { 0 };
	PGresult *result;

	pg_args_int(&args, closing->shard->shard);
	result = pg_args_query(&args, conn,
		"select distinct on (pool, currency) pool, currency, carry_nano from wallet.close "
		"where shard = $1 order by pool, currency, number desc");
	for (int i = 0; i < PQntuples(result); i++) {
		size_t at = close_account_find(closing->accounts, closing->accounts_n,
			pg_u32(result, i, 0), pg_u32(result, i, 1));
		if (at < closing->accounts_n)
			closing->accounts[at].carried_nano = pg_number(result, i, 2);
	}
	PQclear(result);
}

/* ---- writing ---- */

static void run_write(PGconn *conn, const struct closing *closing)
{
	const struct wallet_shard *shard = closing->shard;
	struct pg_args args = { 0 };

	pg_args_int(&args, shard->shard);
	pg_args_int(&args, (int64_t)closing->number);
	pg_args_int(&args, shard->close.day);
	pg_args_int(&args, (int64_t)shard->close.request);
	pg_args_int(&args, (int64_t)shard->batch);
	pg_args_int(&args, (int64_t)closing->cut);
	pg_args_int(&args, (int64_t)closing->now_us);
	pg_args_run(&args, conn,
		"insert into wallet.close_run (shard, number, day, request, batch, seq, time) "
		"values ($1, $2, date '1970-01-01' + $3::integer, $4, $5, $6, "
		"'1970-01-01 00:00:00+00'::timestamptz + $7::bigint * interval '1 microsecond')");
}

static void account_write(
	PGconn *conn, const struct closing *closing, const struct close_account *account)
{
	struct pg_args args = { 0 };

	pg_args_int(&args, closing->shard->shard);
	pg_args_int(&args, (int64_t)closing->number);
	pg_args_int(&args, account->pool);
	pg_args_int(&args, account->currency);
	pg_args_int128(&args, account->accrued_nano);
	pg_args_int(&args, account->carried_nano);
	pg_args_int(&args, account->moved_minor);
	pg_args_int(&args, account->carry_nano);
	pg_args_run(&args, conn,
		"insert into wallet.close (shard, number, pool, currency, accrued_nano, "
		"carried_nano, moved_minor, carry_nano) values ($1, $2, $3, $4, $5, $6, $7, $8)");
}

static void tallies_write(PGconn *conn, const struct closing *closing)
{
	struct pg_copy *copy = pg_copy_begin(conn,
		"wallet.close_tally (shard, number, tally, pool, currency, share_nano, "
		"total_before, total)");

	for (size_t i = 0; i < closing->tallies_n; i++) {
		const struct close_tally *tally = &closing->tallies[i];
		pg_copy_row(copy, 8);
		pg_copy_int32(copy, (int32_t)closing->shard->shard);
		pg_copy_int64(copy, (int64_t)closing->number);
		pg_copy_int32(copy, (int32_t)tally->tally);
		pg_copy_int32(copy, (int32_t)tally->pool);
		pg_copy_int32(copy, (int32_t)tally->currency);
		pg_copy_int64(copy, tally->share_nano);
		pg_copy_int64(copy, (int64_t)tally->total_before);
		pg_copy_int64(copy, (int64_t)tally->total);
	}
	(void)pg_copy_end(copy);
}

static void leg_copy(struct pg_copy *copy, const struct closing *closing, uint32_t currency,
	const char *account, int length, int64_t amount)
{
	pg_copy_row(copy, 6);
	pg_copy_int32(copy, (int32_t)closing->shard->shard);
	pg_copy_int64(copy, (int64_t)closing->shard->batch);
	pg_copy_int32(copy, (int32_t)currency);
	pg_copy_bytes(copy, account, (size_t)length);
	pg_copy_int64(copy, amount);
	pg_copy_int64(copy, (int64_t)closing->number);
}

static void legs_write(PGconn *conn, const struct closing *closing)
{
	struct pg_copy *copy = pg_copy_begin(
		conn, "wallet.house_leg (shard, batch, currency, account, amount, close)");

	for (size_t i = 0; i < closing->accounts_n; i++) {
		const struct close_account *account = &closing->accounts[i];
		char name[32];
		int length = snprintf(name, sizeof(name), "JACKPOT:%u", account->pool);
		if (account->moved_minor == 0)
			continue;
		leg_copy(copy, closing, account->currency, "HOUSE", 5, -account->moved_minor);
		leg_copy(copy, closing, account->currency, name, length, account->moved_minor);
	}
	(void)pg_copy_end(copy);
}

static void close_write(PGconn *conn, const struct closing *closing)
{
	run_write(conn, closing);
	if (closing->accounts_n == 0)
		return;
	for (size_t i = 0; i < closing->accounts_n; i++)
		account_write(conn, closing, &closing->accounts[i]);
	tallies_write(conn, closing);
	legs_write(conn, closing);
}

static void shard_close(const struct wallet *wallet, PGconn *conn, struct closing *closing)
{
	struct wallet_shard *shard = closing->shard;

	/* Once a day, over all tallies ever: unlike all other statements, not by key. */
	pg_exec(conn, "set local enable_hashjoin = on; set local enable_seqscan = on");
	tallies_take(wallet, conn, closing);
	load_carries(conn, closing);
	if (!close_count(
		    closing->tallies, closing->tallies_n, closing->accounts, closing->accounts_n))
		fatal("shard %u: the close up to row %" PRIu64 " failed: a total fell, "
		      "a share is out of bounds, or an amount exceeds 63 bits",
			shard->shard, closing->cut);
	close_write(conn, closing);
	shard->close.number = closing->number;
	log_info("shard %u: close %" PRIu64 " of rows 1..%" PRIu64 ": %zu tallies, %zu accounts",
		shard->shard, closing->number, closing->cut, closing->tallies_n,
		closing->accounts_n);
	free(closing->tallies);
	free(closing->accounts);
}

/* Like all of the wallet's state, memory is ahead of the commit: if the commit fails, the process
 * ends. */
static void shard_due(struct wallet *wallet, struct service *service, struct wallet_shard *shard,
	uint64_t now_us, uint64_t request)
{
	PGconn *conn = service_pg(service);
	struct closing closing = { .shard = shard, .now_us = now_us };
	uint32_t yesterday;
	bool asked;

	if (shard->batch == 0)
		return;
	if (!shard->close.known)
		state_load(conn, shard);
	yesterday = wallet_days_today(wallet, service, shard, now_us) - 1;
	asked = request > shard->close.request;
	if (!asked && yesterday <= shard->close.day)
		return;
	closing.cut = asked ? shard->last_seq : last_row_before(shard, yesterday + 1);
	closing.number = shard->close.number + 1;
	if (yesterday > shard->close.day)
		shard->close.day = yesterday;
	if (asked)
		shard->close.request = request;
	shard_close(wallet, conn, &closing);
	/* If the clock goes back, the day is closed, for the next owner too (wallet_days_load). */
	shard->day = wallet_day_after_close(shard->day, shard->close.day);
}

bool close_is_due(struct wallet *wallet, struct service *service)
{
	uint64_t now_us = clock_wall_us();

	if (clock_mono_us() >= wallet->close_polled_us + REQUEST_POLL_US)
		return true;
	for (size_t i = 0; i < SHARDS_MAX; i++) {
		struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			break;
		const struct wallet_shard *shard = held->state;
		if (shard != NULL &&
			(!shard->close.known || wallet->close_request > shard->close.request ||
				wallet_days_today(wallet, service, shard, now_us) - 1 >
					shard->close.day))
			return true;
	}
	return false;
}

void close_due(struct wallet *wallet, struct service *service)
{
	uint64_t mono_us = clock_mono_us();
	uint64_t now_us = clock_wall_us();

	if (mono_us >= wallet->close_polled_us + REQUEST_POLL_US) {
		wallet->close_polled_us = mono_us;
		wallet->close_request = request_newest(service_pg(service));
	}
	for (size_t i = 0; i < SHARDS_MAX; i++) {
		struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			break;
		if (held->state != NULL)
			shard_due(wallet, service, wallet_shard_of(held), now_us,
				wallet->close_request);
	}
}
