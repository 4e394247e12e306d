/* The journal's partitions, one per shard and day. They are created seven days ahead, begin with
 * the first row of the day, and are closed here once the day is over and all its rows are
 * checkpointed and published. Closing reads the whole partition, which takes longer than a lease:
 * it runs on its own connection, outside the fence, and the loop only polls for its end. The
 * process may lose the shard meanwhile. So it closes a partition only after the shard's daily close
 * of that day is committed, after which no owner books into that day (decision 38). Operators
 * archive and drop partitions (tools/jackpotctl/partitions.h). */
#include "services/wallet/adapters/app.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define NUMBER_TEXT 24
#define DAY_US UINT64_C(86400000000)
#define LEAVES_AHEAD 7
#define LOOK_US 2000000
#define AGAIN_US 60000000
#define DAY_PARAMETER(n) "date '1970-01-01' + $" #n "::integer"

static void time_text(uint64_t us, char text[NUMBER_TEXT])
{
	time_t seconds = (time_t)(us / 1000000);
	struct tm tm;

	if (gmtime_r(&seconds, &tm) == NULL ||
		strftime(text, NUMBER_TEXT, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		(void)snprintf(text, NUMBER_TEXT, "%" PRIu64 " us", us);
}

/* A shard never returns to an earlier day. A wrong clock that began a day in the future would keep
 * the shard in that day until it comes, so two clocks have to agree on the day, give or take one
 * day. Returns the time whose day is wanted. */
static uint64_t clock_checked(struct wallet *wallet, struct service *service, uint64_t now_us)
{
	uint64_t shifted_us = now_us + (uint64_t)wallet->day_shift * DAY_US;
	char ours[NUMBER_TEXT];
	char theirs[NUMBER_TEXT];
	uint64_t pg_us;

	if (now_us <= wallet->clock_until_us)
		return shifted_us;
	PGresult *result = pg_query(service_pg(service),
		"select (extract(epoch from now()) * 1000000)::bigint", 0, NULL);
	pg_us = (uint64_t)pg_number(result, 0, 0);
	PQclear(result);
	wallet->clock_until_us = pg_us + DAY_US;
	if (now_us <= wallet->clock_until_us)
		return shifted_us;
	time_text(now_us, ours);
	time_text(pg_us, theirs);
	fatal("clock: found %s, expected at most a day ahead of Postgres (%s): "
	      "set the clock",
		ours, theirs);
}

uint32_t wallet_days_today(struct wallet *wallet, struct service *service,
	const struct wallet_shard *shard, uint64_t now_us)
{
	return wallet_day(shard->day, false, clock_checked(wallet, service, now_us));
}

/* ---- partitions ahead ---- */

static bool partitions_make(PGconn *conn, struct wallet_shard *shard, uint32_t day, bool must)
{
	static const char sql[] = "select wallet.leaves_make($1, " DAY_PARAMETER(2) ", $3)";
	char numbers[3][NUMBER_TEXT];
	const char *parameters[] = { numbers[0], numbers[1], numbers[2] };
	PGresult *result;
	bool made;

	(void)snprintf(numbers[0], NUMBER_TEXT, "%u", shard->shard);
	(void)snprintf(numbers[1], NUMBER_TEXT, "%u", day);
	(void)snprintf(numbers[2], NUMBER_TEXT, "%d", LEAVES_AHEAD);
	result = must ? pg_query(conn, sql, 3, parameters) : pg_try(conn, sql, 3, parameters);
	made = PQresultStatus(result) == PGRES_TUPLES_OK;
	if (made) {
		shard->partitions_from = day;
		shard->partitions_end = day + LEAVES_AHEAD + 1;
	} else {
		log_warn_as("wallet.partitions.failed",
			"shard %u: cannot create the journal's next partitions: %s", shard->shard,
			PQresultErrorMessage(result));
	}
	PQclear(result);
	return made;
}

static bool partition_exists(const struct wallet_shard *shard, uint32_t day)
{
	return day >= shard->partitions_from && day < shard->partitions_end;
}

void wallet_days_load(struct wallet *wallet, struct service *service, struct wallet_shard *shard)
{
	char number[NUMBER_TEXT];
	const char *parameters[] = { number };
	uint32_t closed;

	(void)snprintf(number, sizeof(number), "%u", shard->shard);
	PGresult *result = pg_query(service_pg(service),
		"select max(day) - date '1970-01-01', greatest(max(day) filter (where state <> "
		"'open'), (select max(day) from wallet.close_run where shard = $1)) - "
		"date '1970-01-01' from wallet.leaf where shard = $1",
		1, parameters);
	shard->day = shard->partition_day = (uint32_t)pg_number(result, 0, 0);
	closed = (uint32_t)pg_number(result, 0, 1);
	PQclear(result);
	if (closed > 0)
		shard->day = wallet_day_after_close(shard->day, closed);
	(void)partitions_make(service_pg(service), shard,
		wallet_days_today(wallet, service, shard, clock_wall_us()), true);
}

uint32_t wallet_days_now(
	struct wallet *wallet, struct service *service, struct wallet_shard *shard, uint64_t now_us)
{
	uint32_t day =
		wallet_day(shard->day, shard->rows_n > 0, clock_checked(wallet, service, now_us));

	/* The clock has moved past the partitions created ahead, or back. */
	if (!partition_exists(shard, day))
		(void)partitions_make(service_pg(service), shard, day, true);
	shard->day = day;
	return day;
}

static void day_begin(struct wallet_shard *shard, void *context)
{
	char numbers[4][NUMBER_TEXT];
	char digest[2 * DIGEST_BYTES + 3] = "\\x";
	const char *parameters[] = { numbers[0], numbers[1], numbers[2], numbers[3], digest };

	if (shard->rows_n == 0 || shard->rows[0].row.day == shard->partition_day)
		return;
	(void)snprintf(numbers[0], NUMBER_TEXT, "%u", shard->shard);
	(void)snprintf(numbers[1], NUMBER_TEXT, "%u", shard->rows[0].row.day);
	(void)snprintf(numbers[2], NUMBER_TEXT, "%" PRIu64, shard->rows[0].row.seq);
	(void)snprintf(numbers[3], NUMBER_TEXT, "%" PRIu64, shard->batch + 1);
	for (size_t i = 0; i < DIGEST_BYTES; i++)
		(void)snprintf(digest + 2 + 2 * i, 3, "%02x", shard->digest[i]);
	PQclear(pg_query(context,
		"insert into wallet.leaf (shard, day, first_seq, first_batch, before) values "
		"($1, " DAY_PARAMETER(2) ", $3, $4, $5)",
		5, parameters));
	shard->partition_day = shard->rows[0].row.day;
}

void wallet_days_write(struct service *service)
{
	wallet_each_shard(service, day_begin, service_pg(service));
}

/* ---- closing ---- */

static void closer_end(struct partition_closer *closer)
{
	PQfinish(closer->conn);
	closer->conn = NULL;
}

static void closer_failed(struct partition_closer *closer, uint64_t mono_us)
{
	log_warn_as("wallet.partition.unclosed",
		"shard %u: cannot close the partition of day %u, next attempt in a minute: %s",
		closer->shard, closer->day, PQerrorMessage(closer->conn));
	closer_end(closer);
	closer->look_us = mono_us + AGAIN_US;
}

static void closer_begin(
	struct wallet *wallet, struct wallet_shard *shard, uint32_t day, uint64_t mono_us)
{
	const char *names[] = { "dbname", "fallback_application_name", "connect_timeout", NULL };
	const char *values[] = { common.pg_dsn, "carillon-leaf", "2", NULL };
	struct partition_closer *closer = &wallet->closer;
	char numbers[2][NUMBER_TEXT];
	const char *parameters[] = { numbers[0], numbers[1] };

	(void)snprintf(numbers[0], NUMBER_TEXT, "%u", shard->shard);
	(void)snprintf(numbers[1], NUMBER_TEXT, "%u", day);
	*closer = (struct partition_closer){ .conn = PQconnectdbParams(names, values, 1),
		.shard = shard->shard,
		.day = day,
		.ahead_us = closer->ahead_us };
	if (PQstatus(closer->conn) != CONNECTION_OK ||
		PQsendQueryParams(closer->conn,
			"select wallet.leaf_close($1, " DAY_PARAMETER(2) ")", 2, NULL, parameters,
			NULL, NULL, 0) != 1)
		closer_failed(closer, mono_us);
}

static void closer_poll(struct partition_closer *closer, uint64_t mono_us)
{
	PGresult *result;

	if (PQconsumeInput(closer->conn) != 1) {
		closer_failed(closer, mono_us);
		return;
	}
	if (PQisBusy(closer->conn) != 0)
		return;
	result = PQgetResult(closer->conn);
	if (PQresultStatus(result) == PGRES_TUPLES_OK) {
		log_info("shard %u: closed the partition of day %u, %s rows", closer->shard,
			closer->day, PQgetvalue(result, 0, 0));
		closer_end(closer);
		closer->look_us = 0;
	} else {
		closer_failed(closer, mono_us);
	}
	PQclear(result);
}

/* All rows of the partition are checkpointed and published. No owner can book more rows into it,
 * because a committed close includes its day (close.c). */
static bool is_over(const struct wallet_shard *shard, uint32_t day, uint64_t last_seq)
{
	uint64_t last = last_seq > 0 ? last_seq : shard->committed_seq;

	return day <= shard->close.day && (last_seq > 0 || wallet_shard_settled(shard)) &&
	       shard->checkpoint >= last && shard->outflow.acked >= last;
}

static void partitions_look(struct wallet *wallet, struct service *service, uint64_t mono_us)
{
	PGresult *result = pg_query(service_pg(service),
		"select l.shard, l.day - date '1970-01-01', coalesce((select min(n.first_seq) - 1 "
		"from wallet.leaf n where n.shard = l.shard and n.first_seq > l.first_seq), 0) "
		"from wallet.leaf l where l.state = 'open' order by l.day, l.shard",
		0, NULL);

	for (int i = 0; i < PQntuples(result) && wallet->closer.conn == NULL; i++) {
		struct service_shard *held =
			service_shard(service, (uint32_t)pg_number(result, i, 0));
		uint32_t day = (uint32_t)pg_number(result, i, 1);
		struct wallet_shard *shard = held == NULL ? NULL : held->state;
		if (shard == NULL || !is_over(shard, day, (uint64_t)pg_number(result, i, 2)))
			continue;
		closer_begin(wallet, shard, day, mono_us);
	}
	PQclear(result);
}

static void make_partitions_ahead(struct wallet_shard *shard, void *context)
{
	struct service *service = context;
	uint32_t today = wallet_days_today(wallet_app(), service, shard, clock_wall_us());

	if (shard->partitions_end <= today + LEAVES_AHEAD)
		(void)partitions_make(service_pg(service), shard, today, false);
}

void wallet_days_tick(struct wallet *wallet, struct service *service, uint64_t mono_us)
{
	struct partition_closer *closer = &wallet->closer;

	if (closer->conn != NULL) {
		closer_poll(closer, mono_us);
		return;
	}
	if (mono_us >= closer->ahead_us) {
		closer->ahead_us = mono_us + AGAIN_US;
		wallet_each_shard(service, make_partitions_ahead, service);
	}
	if (mono_us >= closer->look_us) {
		closer->look_us = mono_us + LOOK_US;
		partitions_look(wallet, service, mono_us);
	}
}
