/* The way through the events of a pool. */
#include "tools/jackpotctl/replay.h"

#include "libcommon/base/currency.h"
#include "tools/jackpotctl/replay_print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_BROKEN 1
#define EXIT_USAGE 2
#define FETCH "fetch 5000 from events"

enum column {
	EVENT,
	KIND,
	TIME,
	T,
	STATE,
	HITS,
	BOOKS, /* eight of them */
	CURRENCY = BOOKS + 7,
	COIN,
	EXPONENT,
	SEED,
	RATE,
	SHARE,
	AMOUNT,
	ROWS,
	SHARDS,
	TALLIES,
	TOTALS,
	SEQS,
	PLAYER,
	MOVE,
	INDEX,
	PAID,
	HIT, /* amounts of the hit, nine of them */
};

#define SELECT                                                                                     \
	"select e.event, e.kind, e.time, e.t_e18, e.state, e.hits, "                               \
	"e.jp_pool_e27, e.jp_reserve_e27, e.jp_seed_e27, e.house_seed_e27, e.paid_e27, "           \
	"e.received_e27, e.sent_e27, coalesce(e.currency, 0), coalesce(e.coin_minor, 0), "         \
	"coalesce(e.exponent, 0), coalesce(e.seed_minor, 0), coalesce(e.row_rate_nano, 0), "       \
	"coalesce(e.share_nano, 0), coalesce(e.amount_e27, 0), coalesce(e.rows::text, ''), "       \
	"coalesce(array_to_string(e.shards, ' '), ''), coalesce(array_to_string(e.tallies, ' '), " \
	"''), coalesce(array_to_string(e.totals, ' '), ''), coalesce(array_to_string(e.seqs, ' "   \
	"'), ''), h.player, h.move, h.index, h.paid_minor, h.value_e27, h.cost_e27, h.carry_e27, " \
	"h.seed_e27, h.next_seed_e27, h.from_reserve_e27, h.from_house_e27, h.t_e18, "             \
	"h.w_before_e18, h.currency, h.coin_minor "

static const char events_sql[] =
	"declare events no scroll cursor for " SELECT "from pool.event e left join pool.hit h on "
	"e.kind = 'hit' and h.pool = e.pool and h.hit = e.hits where e.pool = $1::integer and "
	"e.event > $3::bigint and e.event <= coalesce($4::bigint, 9223372036854775807) and e.event < "
	"coalesce((select min(l.event) from pool.event l where l.pool = $1::integer and l.time > "
	"$2::timestamptz), 9223372036854775807) order by e.event";

/* The state that the oldest events were folded into, as an event. */
static const char fold_sql[] =
	SELECT "from (select f.*, 'fold' as kind, null::integer as currency, null::bigint as "
	       "coin_minor, null::integer as exponent, null::bigint as seed_minor, null::bigint as "
	       "row_rate_nano, null::bigint as share_nano, null::numeric as amount_e27 from "
	       "pool.event_fold f where f.pool = $1::integer order by f.event desc limit 1) e left "
	       "join pool.hit h on false";

/* ---- shared
 * -------------------------------------------------------------------------------------------------------
 */

bool replay_differs(
	struct replay *replay, const char *found, const char *expected, const char *where, ...)
{
	va_list arguments;
	if (replay->where[0] != '\0')
		return false;
	va_start(arguments, where);
	(void)vsnprintf(replay->where, sizeof(replay->where), where, arguments);
	va_end(arguments);
	(void)snprintf(replay->found, sizeof(replay->found), "%.150s", found);
	(void)snprintf(replay->expected, sizeof(replay->expected), "%.150s", expected);
	return false;
}

void replay_decimal(int128 value, uint32_t decimals, char *out)
{
	char digits[AMOUNT_TEXT_MAX];
	char *text = digits;
	size_t n = int128_format(value, digits);
	char *at = out;
	if (*text == '-') {
		*at++ = *text++;
		n--;
	}
	if (n > decimals) {
		memcpy(at, text, n - decimals);
		at += n - decimals;
		text += n - decimals;
		n = decimals;
	} else {
		*at++ = '0';
	}
	*at++ = '.';
	memset(at, '0', decimals - n);
	at += decimals - n;
	memcpy(at, text, n);
	at += n;
	while (at[-1] == '0')
		at--;
	if (at[-1] == '.')
		at--;
	*at = '\0';
}

PGresult *replay_query(struct replay *replay, const char *sql, int n, const char *const *parameters)
{
	PGresult *result = PQexecParams(replay->conn, sql, n, NULL, parameters, NULL, NULL, 0);
	ExecStatusType status = PQresultStatus(result);
	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return result;
	fprintf(stderr, "jackpotctl: pool replay: %s", PQerrorMessage(replay->conn));
	exit(EXIT_USAGE);
}

int128 replay_int128(const PGresult *rows, int i, int column)
{
	int128 value;
	if (!int128_parse(PQgetvalue(rows, i, column), &value)) {
		fprintf(stderr,
			"jackpotctl: pool replay: column %s: found '%s', expected a number\n",
			PQfname(rows, column), PQgetvalue(rows, i, column));
		exit(EXIT_USAGE);
	}
	return value;
}

static int64_t number(const PGresult *rows, int i, int column)
{
	return (int64_t)replay_int128(rows, i, column);
}

static bool numbers_equal(
	struct replay *replay, int128 found, int128 expected, const char *where, const char *what)
{
	char a[AMOUNT_TEXT_MAX], b[AMOUNT_TEXT_MAX];
	if (found == expected)
		return true;
	(void)int128_format(found, a);
	(void)int128_format(expected, b);
	return replay_differs(replay, a, b, "%s, %s", where, what);
}

static void *grown(void *array, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room * 2 + 64;
	array = realloc(array, *room * size);
	if (array == NULL) {
		fprintf(stderr, "jackpotctl: out of memory\n");
		exit(EXIT_USAGE);
	}
	return array;
}

/* ---- totals
 * -------------------------------------------------------------------------------------------------------
 */

static void load_tallies(struct replay *replay, const char *pool)
{
	const char *parameters[] = { pool };
	PGresult *rows = replay_query(replay,
		"select id, currency, rate_nano, ppm from pool.tally where pool = $1::integer order by "
		"id",
		1, parameters);
	for (int i = 0; i < PQntuples(rows); i++) {
		const struct currency *currency = currency_by_number((uint32_t)number(rows, i, 1));
		replay->tallies = grown(replay->tallies, replay->tallies_n, &replay->tallies_room,
			sizeof(*replay->tallies));
		replay->tallies[replay->tallies_n++] = (struct pool_tally){
			.id = (uint32_t)number(rows, i, 0),
			.exponent = currency != NULL ? currency->exponent : 0,
			.rate_nano = number(rows, i, 2),
			.ppm = (uint32_t)number(rows, i, 3),
		};
	}
	PQclear(rows);
}

static const struct pool_tally *tally_of(const struct replay *replay, uint32_t id)
{
	size_t low = 0;
	size_t high = replay->tallies_n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (replay->tallies[middle].id == id)
			return &replay->tallies[middle];
		if (replay->tallies[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The newest first: those are the ones that still change. */
static struct replay_total *total_of(struct replay *replay, uint32_t shard, uint32_t tally)
{
	for (size_t i = replay->totals_n; i > 0; i--)
		if (replay->totals[i - 1].shard == shard && replay->totals[i - 1].tally == tally)
			return &replay->totals[i - 1];
	replay->totals = grown(
		replay->totals, replay->totals_n, &replay->totals_room, sizeof(*replay->totals));
	replay->totals[replay->totals_n] = (struct replay_total){ .shard = shard, .tally = tally };
	return &replay->totals[replay->totals_n++];
}

/* Money that came back from a backup is an incident, whatever it heals into: the pool has counted
 * stakes that the wallet no longer knows. So it is a difference like any other, but told as what it
 * most likely is: the wallet's rows are numbered without an end, and go back by a restore alone. */
static bool seq_fell(
	struct replay *replay, const struct replay_total *now, uint64_t before, const char *where)
{
	char found[32], expected[REPLAY_TEXT_MAX], shard[16];
	const char *parameters[] = { shard };
	(void)snprintf(shard, sizeof(shard), "%u", now->shard);
	PGresult *rows = replay_query(replay,
		"select coalesce(max(incarnation), 1) from carillon.shard where service = 'wallet' "
		"and shard = $1",
		1, parameters);
	(void)snprintf(found, sizeof(found), "row %" PRIu64, now->seq);
	(void)snprintf(expected, sizeof(expected),
		"row %" PRIu64 " or later: the wallet's sequence went back; restored from a "
		"backup? (its incarnation is %s)",
		before, PQgetvalue(rows, 0, 0));
	PQclear(rows);
	return replay_differs(
		replay, found, expected, "%s, shard %u, tally %u", where, now->shard, now->tally);
}

static bool take_total(struct replay *replay, const struct replay_total *now, const char *where)
{
	const struct pool_tally *tally = tally_of(replay, now->tally);
	struct replay_total *was = total_of(replay, now->shard, now->tally);
	int128 before, after;
	char found[64], expected[32];
	(void)snprintf(found, sizeof(found), "%" PRIu64 " at seq %" PRIu64, now->total, now->seq);
	(void)snprintf(expected, sizeof(expected), "%" PRIu64 " or more", was->total);
	if (tally == NULL)
		return replay_differs(replay, "a tally of another pool", "one of pool.tally",
			"%s, tally %u", where, now->tally);
	if (now->total < was->total)
		return replay_differs(replay, found, expected, "%s, shard %u, tally %u", where,
			now->shard, now->tally);
	if (now->seq < was->seq)
		return seq_fell(replay, now, was->seq, where);
	if (!pool_tally_contribution(tally, was->total, &before) ||
		!pool_tally_contribution(tally, now->total, &after))
		return replay_differs(replay, found, "a total that can be counted", "%s", where);
	replay->t_e18 += after - before;
	*was = *now;
	return true;
}

static bool take_totals(struct replay *replay, const PGresult *rows, int i, const char *where)
{
	char *at[4];
	for (int k = 0; k < 4; k++)
		at[k] = PQgetvalue(rows, i, SHARDS + k);
	while (*at[0] != '\0') {
		uint64_t values[4];
		for (int k = 0; k < 4; k++) {
			char *end;
			values[k] = strtoull(at[k], &end, 10);
			if (end == at[k])
				return replay_differs(replay, "lists of different lengths",
					"shards, tallies, totals and seqs of the same length", "%s",
					where);
			at[k] = *end == ' ' ? end + 1 : end;
		}
		struct replay_total now = { (uint32_t)values[0], (uint32_t)values[1], values[2],
			values[3] };
		if (!take_total(replay, &now, where))
			return false;
	}
	return true;
}

/* ---- events
 * -------------------------------------------------------------------------------------------------------
 */

static int64_t member(json_t *json, const char *name)
{
	json_t *value = json_object_get(json, name);
	return json_is_integer(value) ? json_integer_value(value) : -1;
}

static int128 big(json_t *json, const char *name)
{
	int128 value = 0;
	json_t *text = json_object_get(json, name);
	if (!json_is_string(text) || !int128_parse(json_string_value(text), &value))
		return -1;
	return value;
}

static struct pool_terms terms_of(json_t *json)
{
	return (struct pool_terms){ member(json, "seed_minor"), member(json, "row_rate_nano"),
		member(json, "share_nano") };
}

/* What begin and snapshot say is taken over whole. */
static bool take_state(struct replay *replay, const PGresult *rows, int i, const char *where)
{
	struct pool *pool = &replay->pool;
	json_t *list = json_loads(PQgetvalue(rows, i, ROWS), 0, NULL);
	pool_begin(pool, replay->number);
	pool->t_e18 = replay_int128(rows, i, T);
	pool->hits = (uint64_t)number(rows, i, HITS);
	pool->books = (struct pool_books){
		.contributions = { pool->t_e18 * POOL_NANO },
		.jp_pool = { replay_int128(rows, i, BOOKS) },
		.jp_reserve = { replay_int128(rows, i, BOOKS + 1) },
		.jp_seed = { replay_int128(rows, i, BOOKS + 2) },
		.house_seed = { replay_int128(rows, i, BOOKS + 3) },
		.paid = { replay_int128(rows, i, BOOKS + 4) },
		.received = { replay_int128(rows, i, BOOKS + 5) },
		.sent = { replay_int128(rows, i, BOOKS + 6) },
	};
	for (size_t k = 0; k < json_array_size(list) && k < POOL_ROWS_MAX; k++) {
		json_t *json = json_array_get(list, k);
		json_t *next = json_object_get(json, "next");
		pool->row[pool->row_count++] = (struct pool_row){
			.currency = (uint32_t)member(json, "currency"),
			.coin_minor = member(json, "coin_minor"),
			.exponent = (uint32_t)member(json, "exponent"),
			.hits = (uint64_t)member(json, "hits"),
			.terms = terms_of(json),
			.w_e18 = big(json, "w_e18"),
			.r = { big(json, "r_e27") },
			.next_waits = json_is_object(next),
			.next = json_is_object(next) ? terms_of(next) : (struct pool_terms){ 0 },
		};
	}
	bool good =
		json_is_array(list) && pool_state_parse(PQgetvalue(rows, i, STATE), &pool->state);
	json_decref(list);
	return good || replay_differs(replay, "values that cannot be read", "rows and a state",
			       "%s", where);
}

static bool read_event(struct replay *replay, const PGresult *rows, int i, const char *where,
	struct pool_event *event_r)
{
	*event_r = (struct pool_event){
		.t_e18 = replay_int128(rows, i, T),
		.currency = (uint32_t)number(rows, i, CURRENCY),
		.exponent = (uint32_t)number(rows, i, EXPONENT),
		.coin_minor = number(rows, i, COIN),
		.terms = { number(rows, i, SEED), number(rows, i, RATE), number(rows, i, SHARE) },
		.amount = { replay_int128(rows, i, AMOUNT) },
	};
	if (!pool_event_parse(PQgetvalue(rows, i, KIND), &event_r->kind))
		return replay_differs(
			replay, PQgetvalue(rows, i, KIND), "a known kind of event", "%s", where);
	if (!pool_state_parse(PQgetvalue(rows, i, STATE), &event_r->state))
		return replay_differs(replay, PQgetvalue(rows, i, STATE),
			"a known state of the pool", "%s", where);
	if (event_r->kind != POOL_EVENT_HIT)
		return true;
	if (PQgetisnull(rows, i, PLAYER))
		return replay_differs(replay, "no such row", "the hit of this event",
			"pool.hit %u, %s", replay->number, PQgetvalue(rows, i, HITS));
	event_r->claim =
		(struct pool_claim){ { number(rows, i, PLAYER), (uint64_t)number(rows, i, MOVE),
					     (uint32_t)number(rows, i, INDEX) },
			(uint32_t)number(rows, i, HIT + 9), number(rows, i, HIT + 10) };
	return (event_r->claim.currency == event_r->currency &&
		       event_r->claim.coin_minor == event_r->coin_minor) ||
	       replay_differs(replay, "another row", "the row of this event", "pool.hit %u, %s",
		       replay->number, PQgetvalue(rows, i, HITS));
}

static bool hit_same(struct replay *replay, const PGresult *rows, int i, const struct pool_hit *hit)
{
	static const char *const names[] = { "value_e27", "cost_e27", "carry_e27", "seed_e27",
		"next_seed_e27", "from_reserve_e27", "from_house_e27", "t_e18", "w_before_e18" };
	const int128 made[] = { hit->price.value.e27, hit->price.cost.e27, hit->price.carry.e27,
		hit->seed.e27, hit->next_seed.e27, hit->reseed.from_reserve.e27,
		hit->reseed.from_house.e27, hit->t_e18, hit->w_before_e18 };
	char where[64];
	(void)snprintf(where, sizeof(where), "pool.hit %u, %" PRIu64, replay->number, hit->number);
	for (int k = 0; k < 9; k++)
		if (!numbers_equal(
			    replay, replay_int128(rows, i, HIT + k), made[k], where, names[k]))
			return false;
	return numbers_equal(
		replay, number(rows, i, PAID), hit->price.paid_minor, where, "paid_minor");
}

/* The books as they were written down beside the event. */
static bool state_same(struct replay *replay, const PGresult *rows, int i, const char *where)
{
	static const char *const names[] = { "jp_pool_e27", "jp_reserve_e27", "jp_seed_e27",
		"house_seed_e27", "paid_e27", "received_e27", "sent_e27" };
	const struct pool *pool = &replay->pool;
	const int128 made[] = { pool->books.jp_pool.e27, pool->books.jp_reserve.e27,
		pool->books.jp_seed.e27, pool->books.house_seed.e27, pool->books.paid.e27,
		pool->books.received.e27, pool->books.sent.e27 };
	const char *broken;
	if (!numbers_equal(replay, replay_int128(rows, i, T), replay->t_e18, where, "t_e18"))
		return false;
	for (int k = 0; k < 7; k++)
		if (!numbers_equal(
			    replay, replay_int128(rows, i, BOOKS + k), made[k], where, names[k]))
			return false;
	if (!numbers_equal(replay, number(rows, i, HITS), (int128)pool->hits, where, "hits"))
		return false;
	if (strcmp(PQgetvalue(rows, i, STATE), pool_state_text(pool->state)) != 0)
		return replay_differs(replay, PQgetvalue(rows, i, STATE),
			pool_state_text(pool->state), "%s, state", where);
	return pool_identities_hold(pool, &broken) ||
	       replay_differs(replay, broken, "identities that hold", "%s", where);
}

static bool take_event(struct replay *replay, const PGresult *rows, int i)
{
	char where[80], expected[32];
	const char *kind = PQgetvalue(rows, i, KIND);
	struct pool_event event;
	struct pool_hit hit;
	bool fold = strcmp(kind, "fold") == 0;
	bool whole = fold || strcmp(kind, "begin") == 0 || strcmp(kind, "snapshot") == 0;
	if (fold)
		replay->events = replay->folded - 1;
	(void)snprintf(expected, sizeof(expected), "%" PRIu64, replay->events + 1);
	(void)snprintf(where, sizeof(where), "pool.event %u, %s (%s)", replay->number,
		PQgetvalue(rows, i, EVENT), kind);
	if (strcmp(PQgetvalue(rows, i, EVENT), expected) != 0)
		return replay_differs(replay, PQgetvalue(rows, i, EVENT), expected,
			"pool.event %u, number", replay->number);
	if ((replay->events == 0) != (strcmp(kind, "begin") == 0) && !fold)
		return replay_differs(
			replay, kind, "the event 'begin' first and only once", "%s", where);
	if (!take_totals(replay, rows, i, where))
		return false;
	if (whole) {
		if (!take_state(replay, rows, i, where))
			return false;
	} else {
		if (!read_event(replay, rows, i, where, &event))
			return false;
		enum pool_status status = pool_event_apply(&replay->pool, &event, &hit);
		if (status != POOL_OK)
			return replay_differs(replay, pool_status_text(status),
				"an event that the pool's state allows", "%s", where);
		if (event.kind == POOL_EVENT_HIT && !hit_same(replay, rows, i, &hit))
			return false;
	}
	replay->events++;
	(void)snprintf(
		replay->last_time, sizeof(replay->last_time), "%s", PQgetvalue(rows, i, TIME));
	return state_same(replay, rows, i, where);
}

static bool take_fold(struct replay *replay, const char *pool)
{
	PGresult *row = replay_query(replay, fold_sql, 1, &pool);
	bool good = true;
	if (PQntuples(row) == 1) {
		replay->folded = (uint64_t)number(row, 0, EVENT);
		good = take_event(replay, row, 0);
	}
	PQclear(row);
	return good;
}

bool replay_events(struct replay *replay, const char *pool, const char *at, const char *last)
{
	char folded[24];
	const char *parameters[] = { pool, at, folded, last };
	bool good = take_fold(replay, pool);
	int n;
	(void)snprintf(folded, sizeof(folded), "%" PRIu64, replay->folded);
	PQclear(replay_query(replay, events_sql, 4, parameters));
	do {
		PGresult *rows = replay_query(replay, FETCH, 0, NULL);
		n = PQntuples(rows);
		for (int i = 0; i < n && good; i++)
			good = take_event(replay, rows, i);
		PQclear(rows);
	} while (n > 0 && good);
	PQclear(replay_query(replay, "close events", 0, NULL));
	return good;
}

bool replay_begin(struct replay *replay, PGconn *conn, const char *pool)
{
	char *end;
	replay->conn = conn;
	replay->number = (uint32_t)strtoul(pool, &end, 10);
	if (*end != '\0' || replay->number == 0 || replay->number > 65535) {
		fprintf(stderr, "jackpotctl: pool: found '%s', expected a number from 1 to 65535\n",
			pool);
		return false;
	}
	PQclear(replay_query(
		replay, "begin transaction isolation level repeatable read, read only", 0, NULL));
	PQclear(replay_query(replay, "set local statement_timeout = 0", 0, NULL));
	PQclear(replay_query(replay, "set local jit = off", 0, NULL));
	load_tallies(replay, pool);
	return true;
}

/* A moment whose events were folded can be looked up in their file only. */
static bool moment_is_stored(struct replay *replay, const char *pool, const char *at)
{
	const char *parameters[] = { pool, at };
	PGresult *row = replay_query(replay,
		"select archive from pool.event_fold where pool = $1::integer and time > "
		"$2::timestamptz order by event limit 1",
		2, parameters);
	bool there = PQntuples(row) == 0;
	if (!there)
		fprintf(stderr,
			"jackpotctl: pool %s: --at: found '%s', but the events up to that time are "
			"only in %s, expected a later time\n",
			pool, at, PQgetvalue(row, 0, 0));
	PQclear(row);
	return there;
}

int replay_run(PGconn *conn, const char *pool, const char *at, bool json)
{
	static struct replay replay;
	if (!replay_begin(&replay, conn, pool) ||
		(at != NULL && !moment_is_stored(&replay, pool, at)))
		return EXIT_USAGE;
	bool good = replay_events(&replay, pool, at, NULL) && replay_prove(&replay, at == NULL);
	PQclear(replay_query(&replay, "commit", 0, NULL));
	if (good && replay.events == 0) {
		fprintf(stderr, "jackpotctl: pool %s: found no event%s%s, expected some\n", pool,
			at != NULL ? " up to " : "", at != NULL ? at : "");
		return EXIT_USAGE;
	}
	if (json)
		replay_print_json(&replay);
	else
		replay_print(&replay);
	return good ? 0 : EXIT_BROKEN;
}
