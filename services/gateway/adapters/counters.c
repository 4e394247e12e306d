/* Public jackpots and winners: read once a second, from Redis if its data is fresh, else from
 * Postgres; answered from memory. */
#include "services/gateway/adapters/gateway.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <hiredis/hiredis.h>
#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOLS_MAX 32 /* and sets, of an installation (docs/contracts.md) */
#define ROWS_MAX 256
#define STALE_US (5 * SECOND_US)
/* If a source still has an older version so much later, that version is right: the newer one was
 * bad data in Redis. */
#define CONTRADICTED_US (2 * SECOND_US)
#define AHEAD_US (5 * SECOND_US) /* by this machine's clock, at most */
#define POOLS_EVERY_US (2 * SECOND_US)
#define WINNERS_MAX 100
#define WINNERS_DEFAULT 20

struct counter_row {
	uint32_t currency, level;
	int64_t coin_minor, value_minor, seed_minor;
	uint64_t version, hits;
	uint64_t time_us; /* when the pool last wrote it */
	bool listed;	  /* in Postgres */
};

struct counter_pool {
	uint32_t pool;
	char id[48], kind[16], status[16];
	uint64_t time_us;
	size_t rows_n;
	struct counter_row row[ROWS_MAX];
};

static struct {
	struct counter_pool pool[POOLS_MAX];
	size_t pools_n;
	size_t left_out; /* pools that did not fit */
	uint64_t asked_us;
	uint64_t told_us;		  /* when the last completed read of the pools started */
	uint64_t jackpots_us, winners_us; /* when they were last read */
	bool waiting, winners_waiting;
	bool fresh; /* Redis, when it was last read */
	struct json_out jackpots;
	char jackpots_etag[40];
	size_t winners_n;
	char *winner[WINNERS_MAX]; /* as JSON, newest first */
} counters;

static void etag_of(const struct json_out *out, char etag[40])
{
	unsigned char digest[16];
	char hex[33];
	(void)crypto_generichash(
		digest, sizeof(digest), (const unsigned char *)out->bytes, out->n, NULL, 0);
	(void)sodium_bin2hex(hex, sizeof(hex), digest, sizeof(digest));
	(void)snprintf(etag, 40, "\"%s\"", hex);
}

static struct counter_pool *pool_of(uint32_t number, bool make)
{
	for (size_t i = 0; i < counters.pools_n; i++)
		if (counters.pool[i].pool == number)
			return &counters.pool[i];
	if (!make || counters.pools_n == POOLS_MAX)
		return NULL;
	size_t at = counters.pools_n++;
	for (; at > 0 && counters.pool[at - 1].pool > number; at--)
		counters.pool[at] = counters.pool[at - 1];
	struct counter_pool *pool = &counters.pool[at];
	memset(pool, 0, sizeof(*pool));
	pool->pool = number;
	return pool;
}

/* A value never goes back to an older version: a late read is dropped. The pool writes all its rows
 * again every second, which exposes a version that it never had. */
static void row_set(struct counter_pool *pool, const struct counter_row *fresh)
{
	for (size_t i = 0; i < pool->rows_n; i++) {
		struct counter_row *row = &pool->row[i];
		if (row->currency != fresh->currency || row->level != fresh->level ||
			row->coin_minor != fresh->coin_minor)
			continue;
		if (fresh->version >= row->version ||
			fresh->time_us > row->time_us + CONTRADICTED_US)
			*row = *fresh;
		return;
	}
	if (pool->rows_n < ROWS_MAX)
		pool->row[pool->rows_n++] = *fresh;
}

/* ---- as JSON
 * ------------------------------------------------------------------------------------------------------------------------
 */

static const char *code_of(uint32_t number)
{
	const struct currency *currency = currency_by_number(number);
	return currency == NULL ? "?" : currency->code;
}

static void pool_json(struct json_out *out, const struct counter_pool *pool)
{
	out_open(out, NULL, '{');
	out_uint(out, "pool", pool->pool);
	out_string(out, "id", pool->id);
	out_string(out, "kind", pool->kind);
	out_string(out, "status", pool->status);
	out_uint(out, "time_us", pool->time_us);
	out_open(out, "rows", '[');
	for (size_t i = 0; i < pool->rows_n; i++) {
		const struct counter_row *row = &pool->row[i];
		out_open(out, NULL, '{');
		out_string(out, "currency", code_of(row->currency));
		if (row->level > 0)
			out_uint(out, "level", row->level);
		else
			out_int(out, "coin_minor", row->coin_minor);
		out_int(out, "value_minor", row->value_minor);
		out_int(out, "seed_minor", row->seed_minor);
		out_uint(out, "version", row->version);
		out_uint(out, "hits", row->hits);
		out_close(out, '}');
	}
	out_close(out, ']');
	out_close(out, '}');
}

void counters_levels(struct json_out *out, uint32_t number)
{
	static const char *const SUITS[] = { "", "clubs", "diamonds", "hearts", "spades" };
	const struct counter_pool *pool = pool_of(number, false);
	out_open(out, "levels", '[');
	for (size_t i = 0; pool != NULL && i < pool->rows_n; i++) {
		const struct counter_row *row = &pool->row[i];
		out_open(out, NULL, '{');
		out_uint(out, "level", row->level);
		out_string(out, "suit", row->level <= 4 ? SUITS[row->level] : "");
		out_string(out, "currency", code_of(row->currency));
		out_int(out, "value_minor", row->value_minor);
		out_int(out, "seed_minor", row->seed_minor);
		out_uint(out, "version", row->version);
		out_close(out, '}');
	}
	out_close(out, ']');
}

static void publish(void)
{
	struct json_out *out = &counters.jackpots;
	out_begin(out);
	out_open(out, NULL, '{');
	out_open(out, "pools", '[');
	for (size_t i = 0; i < counters.pools_n; i++)
		pool_json(out, &counters.pool[i]);
	out_close(out, ']');
	out_close(out, '}');
	etag_of(out, counters.jackpots_etag);
	counters.jackpots_us = clock_mono_us();
}

/* ---- from Redis
 * ---------------------------------------------------------------------------------------------------------------------
 */

static void redis_counter(struct counter_pool *pool, const char *field, const char *value)
{
	struct counter_row row = { 0 };
	int64_t key;
	uint64_t time_us;
	if (sscanf(field, "%" SCNu32 ":%" SCNd64, &row.currency, &key) != 2 ||
		sscanf(value, "%" SCNd64 ",%" SCNd64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64,
			&row.value_minor, &row.seed_minor, &row.version, &time_us,
			&row.hits) != 5 ||
		row.value_minor < 0 || row.seed_minor < 0 || key < 1 ||
		time_us > clock_wall_us() + AHEAD_US)
		return;
	row.time_us = time_us;
	if (strcmp(pool->kind, "cards") == 0)
		row.level = (uint32_t)key;
	else
		row.coin_minor = key;
	row_set(pool, &row);
}

static void redis_meta(struct counter_pool *pool, const char *value)
{
	const char *last = strrchr(value, ',');
	size_t length = strcspn(value, ",");
	uint64_t time_us = last == NULL ? 0 : strtoull(last + 1, NULL, 10);
	if (time_us < pool->time_us || length >= sizeof(pool->status) ||
		time_us > clock_wall_us() + AHEAD_US)
		return;
	pool->time_us = time_us;
	memcpy(pool->status, value, length);
	pool->status[length] = '\0';
}

static void on_hash(void *context, size_t index, const struct redisReply *reply)
{
	(void)context;
	if (index >= counters.pools_n || reply == NULL || reply->type != REDIS_REPLY_ARRAY)
		return;
	struct counter_pool *pool = &counters.pool[index];
	for (size_t i = 0; i + 1 < reply->elements; i += 2) {
		const redisReply *field = reply->element[i];
		const redisReply *value = reply->element[i + 1];
		if (field->type != REDIS_REPLY_STRING || value->type != REDIS_REPLY_STRING)
			continue;
		if (strcmp(field->str, "meta") == 0)
			redis_meta(pool, value->str);
		else
			redis_counter(pool, field->str, value->str);
	}
}

/* True when the counters of all pools are fresh. */
static bool read_redis(struct gateway *gateway)
{
	uint64_t now_us = clock_wall_us();
	bool fresh = counters.pools_n > 0;
	for (size_t i = 0; i < counters.pools_n; i++)
		if (!redis_link_command(
			    gateway->redis, "HGETALL carillon:counters:%u", counters.pool[i].pool))
			return false;
	if (counters.pools_n == 0 || !redis_link_flush(gateway->redis, on_hash, NULL))
		return false;
	for (size_t i = 0; i < counters.pools_n; i++)
		fresh = fresh && now_us < counters.pool[i].time_us + STALE_US;
	return fresh;
}

/* ---- from Postgres
 * -------------------------------------------------------------------------------------------------------------------
 */

static const char pools_sql[] =
	"select p.pool, p.id, 'progressive', p.state, r.currency, r.coin_minor, 0 as level, "
	"floor((r.seed_minor * r.unit_e27 + (p.t_e18 - r.w_e18) * r.share_nano + r.r_e27) / "
	"r.unit_e27)::bigint, "
	"r.seed_minor, p.version, r.hits, (extract(epoch from p.updated) * 1000000)::bigint "
	"from pool.pool p join pool.row r using (pool) "
	"union all select p.pool, p.id, 'cards', 'live', r.currency, 0, r.level, "
	"floor((r.seed_minor * r.unit_e27 + (p.t_e18 - r.w_e18) * r.share_nano + r.r_e27) / "
	"r.unit_e27)::bigint, "
	"r.seed_minor, p.version, r.hits, (extract(epoch from p.updated) * 1000000)::bigint "
	"from cards.card_set p join cards.level r using (pool) order by 1, 5, 6, 7";

/* If there are too many pools, every gateway shows those with the lowest numbers. The rows come in
 * the order of the pools. */
static void make_room(const PGresult *result)
{
	size_t n = 0, kept = 0;
	uint32_t last = 0;
	uint64_t end = UINT64_MAX; /* the first number that is not shown */
	for (int i = 0; i < PQntuples(result); i++) {
		uint32_t number = (uint32_t)pg_number(result, i, 0);
		if ((i == 0 || number != last) && n++ == POOLS_MAX)
			end = number;
		last = number;
	}
	for (size_t i = 0; i < counters.pools_n; i++) {
		if (counters.pool[i].pool >= end)
			continue;
		if (kept < i)
			counters.pool[kept] = counters.pool[i];
		kept++;
	}
	counters.pools_n = kept;
	size_t left_out = n > POOLS_MAX ? n - POOLS_MAX : 0;
	if (left_out != counters.left_out && left_out > 0)
		log_error_as("gateway.pools.too_many",
			"pools: found %zu pools and sets, expected at most %d; those numbered from %" PRIu64
			" on are not shown",
			n, POOLS_MAX, end);
	counters.left_out = left_out;
}

/* Rows that Postgres does not have: removed, or never there. */
static void drop_unlisted(void)
{
	for (size_t i = 0; i < counters.pools_n; i++) {
		struct counter_pool *pool = &counters.pool[i];
		size_t kept = 0;
		for (size_t k = 0; k < pool->rows_n; k++)
			if (pool->row[k].listed)
				pool->row[kept++] = pool->row[k];
		pool->rows_n = kept;
	}
}

static void listed(struct counter_pool *pool, const struct counter_row *as)
{
	for (size_t i = 0; i < pool->rows_n; i++) {
		struct counter_row *row = &pool->row[i];
		if (row->currency == as->currency && row->level == as->level &&
			row->coin_minor == as->coin_minor)
			row->listed = true;
	}
}

static void on_pools(void *context, PGresult *result, const char *error)
{
	(void)context;
	counters.waiting = false;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK) {
		log_warn_as("gateway.pools.unreadable", "pools: %s",
			error == NULL ? PQresultErrorMessage(result) : error);
		return;
	}
	counters.told_us = counters.asked_us;
	for (size_t i = 0; i < counters.pools_n; i++)
		for (size_t k = 0; k < counters.pool[i].rows_n; k++)
			counters.pool[i].row[k].listed = false;
	make_room(result);
	for (int i = 0; i < PQntuples(result); i++) {
		struct counter_pool *pool = pool_of((uint32_t)pg_number(result, i, 0), true);
		if (pool == NULL)
			break;
		struct counter_row row = {
			.currency = (uint32_t)pg_number(result, i, 4),
			.coin_minor = pg_number(result, i, 5),
			.level = (uint32_t)pg_number(result, i, 6),
			.value_minor = pg_number(result, i, 7),
			.seed_minor = pg_number(result, i, 8),
			.version = (uint64_t)pg_number(result, i, 9),
			.hits = (uint64_t)pg_number(result, i, 10),
		};
		uint64_t time_us = (uint64_t)pg_number(result, i, 11);
		/* Without Redis, use the stored values. */
		row.time_us = counters.fresh ? time_us : clock_wall_us();
		(void)snprintf(pool->id, sizeof(pool->id), "%s", PQgetvalue(result, i, 1));
		(void)snprintf(pool->kind, sizeof(pool->kind), "%s", PQgetvalue(result, i, 2));
		if (time_us >= pool->time_us || pool->status[0] == '\0') {
			(void)snprintf(
				pool->status, sizeof(pool->status), "%s", PQgetvalue(result, i, 3));
			pool->time_us = time_us;
		}
		row_set(pool, &row);
		listed(pool, &row);
	}
	drop_unlisted();
	publish();
}

/* ---- winners
 * ----------------------------------------------------------------------------------------------------------------------------
 */

/* In the format of notifications. */
static void on_hits(void *context, PGresult *result, const char *error)
{
	char text[PLAYER_TEXT_MAX];
	(void)context;
	counters.winners_waiting = false;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK) {
		log_warn_as("gateway.winners.unreadable", "winners: %s",
			error == NULL ? PQresultErrorMessage(result) : error);
		return;
	}
	struct json_out out = { 0 };
	for (size_t i = 0; i < counters.winners_n; i++)
		free(counters.winner[i]);
	counters.winners_n = 0;
	for (int i = 0; i < PQntuples(result); i++) {
		out_begin(&out);
		out_open(&out, NULL, '{');
		out_int(&out, "time_us", pg_number(result, i, 0));
		out_int(&out, "pool", pg_number(result, i, 1));
		out_int(&out, "hit", pg_number(result, i, 2));
		if (pg_number(result, i, 7) > 0)
			out_int(&out, "level", pg_number(result, i, 7));
		else
			out_int(&out, "coin_minor", pg_number(result, i, 3));
		out_string(&out, "currency", code_of((uint32_t)pg_number(result, i, 4)));
		out_int(&out, "paid_minor", pg_number(result, i, 5));
		player_id_mask(pg_number(result, i, 6), text);
		out_string(&out, "player", text);
		out_close(&out, '}');
		counters.winner[counters.winners_n++] = strndup(out.bytes, out.n);
	}
	counters.winners_us = clock_mono_us();
	out_free(&out);
}

static void query_winners(struct gateway *gateway)
{
	if (counters.winners_waiting)
		return;
	counters.winners_waiting = true;
	pg_pool_query(gateway->pg_ro,
		"select (extract(epoch from h.time) * 1000000)::bigint, h.pool, h.hit, "
		"h.coin_minor, h.currency, h.paid_minor, h.player, h.level from ("
		"select h.time, h.pool, h.hit, h.coin_minor, h.currency, h.paid_minor, h.player, "
		"0 as level from pool.pool p cross join lateral (select * from pool.hit h where "
		"h.pool = p.pool order by h.hit desc limit 100) h union all "
		"select h.time, h.pool, h.hit, 0, h.currency, h.paid_minor, h.player, h.level "
		"from cards.card_set p cross join lateral (select * from cards.hit h where "
		"h.pool = p.pool order by h.hit desc limit 100) h) h "
		"order by h.time desc, h.pool, h.hit desc limit 100",
		0, NULL, QUERY_MS, on_hits, NULL);
}

/* ---- public functions
 * --------------------------------------------------------------------------------------------------------------------------
 */

void counters_tick(struct gateway *gateway)
{
	uint64_t now_us = edge_now_us(gateway->edge);
	bool fresh = read_redis(gateway);
	counters.fresh = fresh;
	if (fresh)
		publish();
	if (!counters.waiting && (!fresh || now_us - counters.asked_us > POOLS_EVERY_US)) {
		counters.waiting = true;
		counters.asked_us = now_us;
		pg_pool_query(gateway->pg_ro, pools_sql, 0, NULL, QUERY_MS, on_pools, NULL);
	}
	query_winners(gateway);
}

bool counters_read_since(uint64_t us)
{
	return counters.told_us >= us;
}

void counters_read_at(uint64_t *jackpots_us_r, uint64_t *winners_us_r)
{
	*jackpots_us_r = counters.jackpots_us;
	*winners_us_r = counters.winners_us;
}

void on_jackpots(struct edge_request *request, void *context)
{
	static const char *const names[] = { NULL };
	(void)context;
	if (!answer_query(request, names))
		return;
	if (counters.jackpots.n == 0)
		answer_unavailable(request, "the counters have not been read yet");
	else if (!edge_answer_etag(request, counters.jackpots_etag))
		edge_answer_json(request, 200, counters.jackpots.bytes, counters.jackpots.n);
}

void on_winners(struct edge_request *request, void *context)
{
	static const char *const names[] = { "limit", NULL };
	struct gateway *gateway = context;
	struct json_out *out = &gateway->out;
	char etag[40];
	int64_t limit;
	if (!answer_query(request, names) ||
		!answer_limit(request, WINNERS_DEFAULT, WINNERS_MAX, &limit))
		return;
	out_begin(out);
	out_open(out, NULL, '{');
	out_open(out, "winners", '[');
	for (size_t i = 0; i < counters.winners_n && i < (size_t)limit; i++)
		out_raw(out, NULL, counters.winner[i]);
	out_close(out, ']');
	out_close(out, '}');
	etag_of(out, etag);
	if (!edge_answer_etag(request, etag))
		answer_sent(gateway, request, 200);
}
