/* Events of pools, written down. */
#include "services/progressive-pool/adapters/pool_log.h"

#include "libcommon/io/jackpot_pg.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"
#include "services/progressive-pool/core/pool_event.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_HEX_MAX (2 * ACTION_ID_BYTES + 3)
#define LINE_MAX_BYTES 4096

struct pool_log {
	struct pool pool; /* as the events so far make it */
	uint64_t event;	  /* number of the last one */
	bool has_action;
	uint8_t action[ACTION_ID_BYTES];
};

/* Of this transaction: a JSON array of rows of pool.event. */
static struct {
	char *bytes;
	size_t n, room;
} pending;

static __attribute__((format(printf, 1, 2))) void put(const char *format, ...)
{
	va_list arguments;
	if (pending.room - pending.n < LINE_MAX_BYTES) {
		pending.room = pending.room * 2 + 4 * LINE_MAX_BYTES;
		pending.bytes = realloc(pending.bytes, pending.room);
		if (pending.bytes == NULL)
			fatal("out of memory");
	}
	va_start(arguments, format);
	int n = vsnprintf(pending.bytes + pending.n, pending.room - pending.n, format, arguments);
	va_end(arguments);
	if (n < 0 || n >= LINE_MAX_BYTES)
		fatal("pool.event: a member of %d bytes", n);
	pending.n += (size_t)n;
}

static void put_int128(const char *name, int128 value)
{
	char text[AMOUNT_TEXT_MAX];
	(void)int128_format(value, text);
	put(",\"%s\":\"%s\"", name, text);
}

static void put_terms(const struct pool_terms *terms)
{
	put(",\"seed_minor\":%" PRId64 ",\"row_rate_nano\":%" PRId64 ",\"share_nano\":%" PRId64,
		terms->seed_minor, terms->row_rate_nano, terms->share_nano);
}

/* ---- totals
 * -------------------------------------------------------------------------------------------------------
 */

static bool totals_fresh(const struct pool_vector *vector)
{
	for (uint32_t i = 0; i < vector->entry_count; i++)
		if (!vector->entry[i].noted)
			return true;
	return false;
}

static void put_array(const struct pool_vector *vector, const char *name, int which)
{
	bool first = true;
	put(",\"%s\":[", name);
	for (uint32_t i = 0; i < vector->entry_count; i++) {
		const struct pool_vector_entry *entry = &vector->entry[i];
		const uint64_t values[] = { entry->shard, entry->tally, entry->total_minor,
			entry->seq };
		if (entry->noted)
			continue;
		put("%s%" PRIu64, first ? "" : ",", values[which]);
		first = false;
	}
	put("]");
}

static void put_totals(struct pool_vector *vector)
{
	static const char *const names[] = { "shards", "tallies", "totals", "seqs" };
	for (int which = 0; which < 4; which++)
		put_array(vector, names[which], which);
	for (uint32_t i = 0; i < vector->entry_count; i++)
		vector->entry[i].noted = true;
}

/* ---- one event
 * ----------------------------------------------------------------------------------------------------
 */

/* What every event says, with the state after it. */
static void put_head(struct pool_instance *instance, const char *kind, bool with_action)
{
	struct pool_log *log = instance->log;
	const struct pool *pool = &log->pool;
	char id[ID_HEX_MAX];
	put("%c{\"pool\":%u,\"event\":%" PRIu64
	    ",\"kind\":\"%s\",\"state\":\"%s\",\"hits\":%" PRIu64,
		pending.n == 0 ? '[' : ',', pool->number, ++log->event, kind,
		pool_state_text(pool->state), pool->hits);
	put_int128("t_e18", pool->t_e18);
	put_int128("jp_pool_e27", pool->books.jp_pool.e27);
	put_int128("jp_reserve_e27", pool->books.jp_reserve.e27);
	put_int128("jp_seed_e27", pool->books.jp_seed.e27);
	put_int128("house_seed_e27", pool->books.house_seed.e27);
	put_int128("paid_e27", pool->books.paid.e27);
	put_int128("received_e27", pool->books.received.e27);
	put_int128("sent_e27", pool->books.sent.e27);
	if (log->has_action && with_action)
		put(",\"action\":\"\\%s\"", jackpot_hex(log->action, ACTION_ID_BYTES, id));
}

static void put_event(struct pool_instance *instance, const struct pool_event *event)
{
	put_head(instance, pool_event_text(event->kind), event->kind != POOL_EVENT_TOTALS);
	if (event->currency != 0)
		put(",\"currency\":%u,\"coin_minor\":%" PRId64 ",\"exponent\":%u", event->currency,
			event->coin_minor, event->exponent);
	if (event->kind == POOL_EVENT_LAUNCH || event->kind == POOL_EVENT_TERMS)
		put_terms(&event->terms);
	if (event->kind == POOL_EVENT_ADJUST || event->kind == POOL_EVENT_RECEIVE)
		put_int128("amount_e27", event->amount.e27);
	if (event->kind == POOL_EVENT_TOTALS)
		put_totals(&instance->source.vector);
	put("}");
}

static void put_row(const struct pool_row *row, bool first)
{
	put("%s{\"currency\":%u,\"coin_minor\":%" PRId64 ",\"exponent\":%u,\"hits\":%" PRIu64,
		first ? "" : ",", row->currency, row->coin_minor, row->exponent, row->hits);
	put_terms(&row->terms);
	put_int128("w_e18", row->w_e18);
	put_int128("r_e27", row->r.e27);
	if (row->next_waits)
		put(",\"next\":{\"seed_minor\":%" PRId64 ",\"row_rate_nano\":%" PRId64
		    ",\"share_nano\":%" PRId64 "}}",
			row->next.seed_minor, row->next.row_rate_nano, row->next.share_nano);
	else
		put(",\"next\":null}");
}

/* The whole state, to go on from. */
static void put_snapshot(struct pool_instance *instance, const char *kind)
{
	struct pool_log *log = instance->log;
	log->pool = instance->pool;
	put_head(instance, kind, true);
	put(",\"rows\":[");
	for (uint32_t i = 0; i < log->pool.row_count; i++)
		put_row(&log->pool.row[i], i == 0);
	put("]");
	put_totals(&instance->source.vector);
	put("}");
	instance->dirty = true;
}

/* ---- what the service calls
 * ---------------------------------------------------------------------------------------
 */

void pool_log_open(struct pool_instance *instance, PGconn *conn, bool known)
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
	if (log->event > 0 && known)
		return;
	if (log->event > 0 || known)
		log_error("ALARM pool %u: found %" PRIu64 " events of a pool that %s, expected %s",
			instance->pool.number, log->event, known ? "is known" : "is new",
			known ? "all of them" : "none");
	put_snapshot(instance, log->event == 0 ? "begin" : "snapshot");
}

void pool_log_free(struct pool_instance *instance)
{
	free(instance->log);
	instance->log = NULL;
}

/* Applies an event to the copy and writes it down; false when it cannot be applied. */
static bool happen(struct pool_instance *instance, const struct pool_event *event)
{
	struct pool_hit hit;
	if (pool_event_apply(&instance->log->pool, event, &hit) != POOL_OK)
		return false;
	put_event(instance, event);
	return true;
}

/* The copy must be where the pool is; if it is not, the log says so and goes on from there. */
static void compare(struct pool_instance *instance, bool good)
{
	char where[POOL_WHERE_MAX];
	if (pool_same(&instance->log->pool, &instance->pool, where) && good)
		return;
	log_error("ALARM pool %u: no event explains its state (%s): a snapshot is written",
		instance->pool.number, where);
	put_snapshot(instance, "snapshot");
}

void pool_log_sync(struct pool_instance *instance)
{
	static struct pool_event events[POOL_EVENTS_MAX];
	struct pool_log *log = instance->log;
	size_t n = pool_event_between(&log->pool, &instance->pool, events);
	bool good = true;
	/* Totals that contribute nothing, by themselves, are inputs as well. */
	if (totals_fresh(&instance->source.vector) &&
		(n == 0 || events[n - 1].kind != POOL_EVENT_TOTALS))
		events[n++] = (struct pool_event){ .kind = POOL_EVENT_TOTALS,
			.t_e18 = instance->pool.t_e18 };
	for (size_t i = 0; i < n && good; i++)
		good = happen(instance, &events[i]);
	if (n > 0) {
		compare(instance, good);
		instance->dirty = true; /* the state goes with its event */
	}
	log->has_action = false;
}

void pool_log_hit(struct pool_instance *instance, const struct pool_hit *hit)
{
	const struct pool_event event = {
		.kind = POOL_EVENT_HIT,
		.t_e18 = hit->t_e18,
		.currency = hit->claim.currency,
		.coin_minor = hit->claim.coin_minor,
		.claim = hit->claim,
	};
	bool good = happen(instance, &event);
	compare(instance, good);
}

void pool_log_action(struct pool_instance *instance, const uint8_t *id)
{
	instance->log->has_action = true;
	memcpy(instance->log->action, id, ACTION_ID_BYTES);
}

void pool_log_save(PGconn *conn)
{
	if (pending.n == 0)
		return;
	put("]");
	const char *parameters[] = { pending.bytes };
	PQclear(pg_query(conn,
		"insert into pool.event (pool, event, kind, t_e18, state, hits, jp_pool_e27, "
		"jp_reserve_e27, jp_seed_e27, house_seed_e27, paid_e27, received_e27, sent_e27, "
		"currency, coin_minor, exponent, seed_minor, row_rate_nano, share_nano, amount_e27, "
		"action, rows, shards, tallies, totals, seqs) select pool, event, kind, t_e18, "
		"state, hits, jp_pool_e27, jp_reserve_e27, jp_seed_e27, house_seed_e27, paid_e27, "
		"received_e27, sent_e27, currency, coin_minor, exponent, seed_minor, row_rate_nano, "
		"share_nano, amount_e27, action, rows, shards, tallies, totals, seqs from "
		"json_populate_recordset(null::pool.event, $1::json)",
		1, parameters));
	pending.n = 0;
}
