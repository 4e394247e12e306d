/* Records the events of pools. */
#include "services/progressive-pool/adapters/pool_log.h"

#include "libcommon/jackpot/io/jackpot_pg.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"
#include "libcommon/io/pg_rows.h"
#include "services/progressive-pool/core/pool_event.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_HEX_MAX (2 * ACTION_ID_BYTES + 3)
#define SQL_MAX 4096

struct pool_log {
	struct pool pool; /* the state after the events so far */
	uint64_t event;	  /* number of the last event */
	bool has_action;
	uint8_t action[ACTION_ID_BYTES];
};

/* ---- rows of this transaction, one array per column ---- */

enum column {
	C_POOL,
	C_EVENT,
	C_KIND,
	C_STATE,
	C_HITS,
	C_T,
	C_JP_POOL,
	C_JP_RESERVE,
	C_JP_SEED,
	C_HOUSE_SEED,
	C_PAID,
	C_RECEIVED,
	C_SENT,
	C_CURRENCY,
	C_COIN,
	C_EXPONENT,
	C_SEED,
	C_RATE,
	C_SHARE,
	C_AMOUNT,
	C_ACTION,
	C_ROWS,
	C_SHARDS,
	C_TALLIES,
	C_TOTALS,
	C_SEQS,
	C_LEFT_OUT,
	COLUMNS,
};

static const struct {
	const char *name, *type; /* of the elements */
	const char *cast;	 /* of each, if it is formatted as text */
} COLUMN[COLUMNS] = {
	[C_POOL] = { "pool", "integer", NULL },
	[C_EVENT] = { "event", "bigint", NULL },
	[C_KIND] = { "kind", "text", NULL },
	[C_STATE] = { "state", "text", NULL },
	[C_HITS] = { "hits", "bigint", NULL },
	[C_T] = { "t_e18", "numeric", NULL },
	[C_JP_POOL] = { "jp_pool_e27", "numeric", NULL },
	[C_JP_RESERVE] = { "jp_reserve_e27", "numeric", NULL },
	[C_JP_SEED] = { "jp_seed_e27", "numeric", NULL },
	[C_HOUSE_SEED] = { "house_seed_e27", "numeric", NULL },
	[C_PAID] = { "paid_e27", "numeric", NULL },
	[C_RECEIVED] = { "received_e27", "numeric", NULL },
	[C_SENT] = { "sent_e27", "numeric", NULL },
	[C_CURRENCY] = { "currency", "integer", NULL },
	[C_COIN] = { "coin_minor", "bigint", NULL },
	[C_EXPONENT] = { "exponent", "integer", NULL },
	[C_SEED] = { "seed_minor", "bigint", NULL },
	[C_RATE] = { "row_rate_nano", "bigint", NULL },
	[C_SHARE] = { "share_nano", "bigint", NULL },
	[C_AMOUNT] = { "amount_e27", "numeric", NULL },
	[C_ACTION] = { "action", "text", "bytea" },
	[C_ROWS] = { "rows", "text", "jsonb" },
	[C_SHARDS] = { "shards", "text", "integer[]" },
	[C_TALLIES] = { "tallies", "text", "integer[]" },
	[C_TOTALS] = { "totals", "text", "bigint[]" },
	[C_SEQS] = { "seqs", "text", "bigint[]" },
	[C_LEFT_OUT] = { "left_out", "text", "integer[]" },
};

static struct pg_rows pending = { .columns = COLUMNS };

static void put_event_terms(const struct pool_terms *terms)
{
	pg_rows_int(&pending, C_SEED, terms->seed_minor);
	pg_rows_int(&pending, C_RATE, terms->row_rate_nano);
	pg_rows_int(&pending, C_SHARE, terms->share_nano);
}

/* ---- totals ---- */

static bool totals_fresh(const struct pool_vector *vector)
{
	for (uint32_t i = 0; i < vector->entry_count; i++)
		if (!vector->entry[i].noted)
			return true;
	return false;
}

static void tell_totals(struct pool_vector *vector)
{
	for (int which = 0; which < 4; which++) {
		bool first = true;
		pg_rows_put(&pending, "{");
		for (uint32_t i = 0; i < vector->entry_count; i++) {
			const struct pool_vector_entry *entry = &vector->entry[i];
			const uint64_t values[] = { entry->shard, entry->tally, entry->total_minor,
				entry->seq };
			if (entry->noted)
				continue;
			pg_rows_put(&pending, "%s%" PRIu64, first ? "" : ",", values[which]);
			first = false;
		}
		pg_rows_put(&pending, "}");
		pg_rows_told(&pending, (int)C_SHARDS + (int)which);
	}
	for (uint32_t i = 0; i < vector->entry_count; i++)
		vector->entry[i].noted = true;
}

/* ---- one event ---- */

/* The columns of every event, with the state after it. */
static void put_event_head(struct pool_instance *instance, const char *kind, bool with_action)
{
	struct pool_log *log = instance->log;
	const struct pool *pool = &log->pool;
	char id[ID_HEX_MAX];
	pg_rows_begin(&pending);
	pg_rows_int(&pending, C_POOL, pool->number);
	pg_rows_int(&pending, C_EVENT, (int64_t)++log->event);
	pg_rows_put(&pending, "%s", kind);
	pg_rows_told(&pending, C_KIND);
	pg_rows_put(&pending, "%s", pool_state_text(pool->state));
	pg_rows_told(&pending, C_STATE);
	pg_rows_int(&pending, C_HITS, (int64_t)pool->hits);
	pg_rows_int128(&pending, C_T, pool->t_e18);
	pg_rows_int128(&pending, C_JP_POOL, pool->books.jp_pool.e27);
	pg_rows_int128(&pending, C_JP_RESERVE, pool->books.jp_reserve.e27);
	pg_rows_int128(&pending, C_JP_SEED, pool->books.jp_seed.e27);
	pg_rows_int128(&pending, C_HOUSE_SEED, pool->books.house_seed.e27);
	pg_rows_int128(&pending, C_PAID, pool->books.paid.e27);
	pg_rows_int128(&pending, C_RECEIVED, pool->books.received.e27);
	pg_rows_int128(&pending, C_SENT, pool->books.sent.e27);
	if (!log->has_action || !with_action)
		return;
	pg_rows_put(&pending, "%s", jackpot_hex(log->action, ACTION_ID_BYTES, id));
	pg_rows_told(&pending, C_ACTION);
}

static void tell_event(
	struct pool_instance *instance, const struct pool_event *event, const char *left_out)
{
	put_event_head(instance, pool_event_text(event->kind), event->kind != POOL_EVENT_TOTALS);
	if (event->currency != 0) {
		pg_rows_int(&pending, C_CURRENCY, event->currency);
		pg_rows_int(&pending, C_COIN, event->coin_minor);
		pg_rows_int(&pending, C_EXPONENT, event->exponent);
	}
	if (event->kind == POOL_EVENT_LAUNCH || event->kind == POOL_EVENT_TERMS)
		put_event_terms(&event->terms);
	if (event->kind == POOL_EVENT_ADJUST || event->kind == POOL_EVENT_RECEIVE)
		pg_rows_int128(&pending, C_AMOUNT, event->amount.e27);
	if (event->kind == POOL_EVENT_TOTALS)
		tell_totals(&instance->source.vector);
	if (left_out != NULL) {
		pg_rows_put(&pending, "%s", left_out);
		pg_rows_told(&pending, C_LEFT_OUT);
	}
	pg_rows_end(&pending);
}

static void put_terms(const struct pool_terms *terms)
{
	pg_rows_put(&pending,
		"\"seed_minor\":%" PRId64 ",\"row_rate_nano\":%" PRId64 ",\"share_nano\":%" PRId64,
		terms->seed_minor, terms->row_rate_nano, terms->share_nano);
}

static void put_row(const struct pool_row *row, bool first)
{
	char w[AMOUNT_TEXT_MAX], r[AMOUNT_TEXT_MAX];
	(void)int128_format(row->w_e18, w);
	(void)int128_format(row->r.e27, r);
	pg_rows_put(&pending,
		"%s{\"currency\":%u,\"coin_minor\":%" PRId64 ",\"exponent\":%u,\"hits\":%" PRIu64
		",\"w_e18\":\"%s\",\"r_e27\":\"%s\",",
		first ? "" : ",", row->currency, row->coin_minor, row->exponent, row->hits, w, r);
	put_terms(&row->terms);
	pg_rows_put(&pending, ",\"next\":%s", row->next_waits ? "{" : "null");
	if (row->next_waits)
		put_terms(&row->next);
	pg_rows_put(&pending, row->next_waits ? "}}" : "}");
}

/* A snapshot of the whole state, from which a replay continues. */
static void tell_snapshot(struct pool_instance *instance, const char *kind)
{
	struct pool_log *log = instance->log;
	log->pool = instance->pool;
	put_event_head(instance, kind, true);
	pg_rows_put(&pending, "[");
	for (uint32_t i = 0; i < log->pool.row_count; i++)
		put_row(&log->pool.row[i], i == 0);
	pg_rows_put(&pending, "]");
	pg_rows_told(&pending, C_ROWS);
	tell_totals(&instance->source.vector);
	pg_rows_end(&pending);
	instance->dirty = true;
}

/* ---- interface ---- */

void pool_log_open(struct pool_instance *instance, PGconn *conn)
{
	struct pool_log *log = calloc(1, sizeof(*log));
	struct pg_args args = { 0 };
	if (log == NULL)
		fatal("out of memory");
	instance->log = log;
	pg_args_int(&args, instance->pool.number);
	PGresult *row = pg_args_query(
		&args, conn, "select coalesce(max(event), 0) from pool.event where pool = $1");
	log->event = pg_u64(row, 0, 0);
	PQclear(row);
	log->pool = instance->pool;
}

void pool_log_begin(struct pool_instance *instance, bool known)
{
	const struct pool_log *log = instance->log;
	if (log->event > 0 && known)
		return;
	if (known)
		log_error_as("pool.events.missing",
			"ALARM pool %u: found no events of this stored pool, expected its whole "
			"history",
			instance->pool.number);
	else if (log->event > 0)
		log_error_as("pool.events.foreign",
			"ALARM pool %u: found %" PRIu64 " events of this new pool, "
			"expected none",
			instance->pool.number, log->event);
	tell_snapshot(instance, log->event == 0 ? "begin" : "snapshot");
}

void pool_log_free(struct pool_instance *instance)
{
	free(instance->log);
	instance->log = NULL;
}

/* Applies an event to the copy and records it; false: it cannot be applied. */
static bool happen(
	struct pool_instance *instance, const struct pool_event *event, const char *left_out)
{
	struct pool_hit hit;
	if (pool_event_apply(&instance->log->pool, event, &hit) != POOL_OK)
		return false;
	tell_event(instance, event, left_out);
	return true;
}

/* The copy must equal the pool. If it does not, the log gets a snapshot and continues from it. */
static void compare(struct pool_instance *instance, bool good)
{
	char where[POOL_WHERE_MAX];
	if (pool_same(&instance->log->pool, &instance->pool, where) && good)
		return;
	log_error_as("pool.events.differ",
		"ALARM pool %u: its state differs from its events at \"%s\"; wrote a snapshot to "
		"the event log",
		instance->pool.number,
		where[0] != '\0' ? where : "an event that cannot be applied");
	tell_snapshot(instance, "snapshot");
}

void pool_log_sync(struct pool_instance *instance)
{
	static struct pool_event events[POOL_EVENTS_MAX];
	struct pool_log *log = instance->log;
	size_t n = pool_event_between(&log->pool, &instance->pool, events);
	bool good = true;
	/* Totals that contribute nothing are inputs too. */
	if (totals_fresh(&instance->source.vector) &&
		(n == 0 || events[n - 1].kind != POOL_EVENT_TOTALS))
		events[n++] = (struct pool_event){ .kind = POOL_EVENT_TOTALS,
			.t_e18 = instance->pool.t_e18 };
	for (size_t i = 0; i < n && good; i++)
		good = happen(instance, &events[i], NULL);
	if (n > 0) {
		compare(instance, good);
		instance->dirty = true; /* the state is written with its event */
	}
	log->has_action = false;
}

void pool_log_hit(struct pool_instance *instance, const struct pool_hit *hit, const char *left_out)
{
	const struct pool_event event = {
		.kind = POOL_EVENT_HIT,
		.t_e18 = hit->t_e18,
		.currency = hit->claim.currency,
		.coin_minor = hit->claim.coin_minor,
		.claim = hit->claim,
	};
	bool good = happen(instance, &event, left_out);
	compare(instance, good);
}

void pool_log_action(struct pool_instance *instance, const uint8_t *id)
{
	instance->log->has_action = true;
	memcpy(instance->log->action, id, ACTION_ID_BYTES);
}

static void sql_of(char *sql, size_t size)
{
	size_t n = (size_t)snprintf(sql, size, "insert into pool.event (");
	for (int i = 0; i < COLUMNS; i++)
		n += (size_t)snprintf(
			sql + n, size - n, "%s%s", i == 0 ? "" : ", ", COLUMN[i].name);
	n += (size_t)snprintf(sql + n, size - n, ") select ");
	for (int i = 0; i < COLUMNS; i++)
		n += (size_t)snprintf(sql + n, size - n, "%se.%s%s%s", i == 0 ? "" : ", ",
			COLUMN[i].name, COLUMN[i].cast != NULL ? "::" : "",
			COLUMN[i].cast != NULL ? COLUMN[i].cast : "");
	n += (size_t)snprintf(sql + n, size - n, " from unnest(");
	for (int i = 0; i < COLUMNS; i++)
		n += (size_t)snprintf(sql + n, size - n, "%s$%d::%s[]", i == 0 ? "" : ", ", i + 1,
			COLUMN[i].type);
	n += (size_t)snprintf(sql + n, size - n, ") as e(");
	for (int i = 0; i < COLUMNS; i++)
		n += (size_t)snprintf(
			sql + n, size - n, "%s%s", i == 0 ? "" : ", ", COLUMN[i].name);
	(void)snprintf(sql + n, size - n, ")");
}

void pool_log_save(PGconn *conn)
{
	static char sql[SQL_MAX];
	if (sql[0] == '\0')
		sql_of(sql, sizeof(sql));
	pg_rows_run(&pending, conn, sql);
}
