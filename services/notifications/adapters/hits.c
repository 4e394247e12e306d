/* Hits from Postgres: those that no fact has brought, and those missing between two facts. */
#include "services/notifications/adapters/hits.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define QUERY_MS 1000
#define GIVE_UP_US 10000000u
#define NUMBER_TEXT 24

struct hole {
	struct hits *hits;
	uint32_t pool;	 /* 0: a free place */
	uint64_t last;	 /* told */
	uint64_t wanted; /* highest number in a fact */
	uint64_t since_us;
	bool asking;
};

struct hits {
	struct pg_pool *pg;
	hits_tell *tell;
	void *context;
	struct hole hole[WINNERS_POOLS_MAX];
	bool looking;
	uint64_t look_us, known_us; /* the last look began then; all hits until then are told */
};

struct hits *hits_new(struct pg_pool *pg, hits_tell *tell, void *context)
{
	struct hits *hits = calloc(1, sizeof(*hits));
	if (hits == NULL)
		fatal("out of memory");
	*hits = (struct hits){ .pg = pg, .tell = tell, .context = context };
	return hits;
}

void hits_free(struct hits **hits)
{
	free(*hits);
	*hits = NULL;
}

static void winner_read(struct winner *winner_r, uint32_t pool, const PGresult *result, int row)
{
	*winner_r = (struct winner){
		.pool = pool,
		.hit = (uint64_t)pg_number(result, row, 0),
		.currency = (uint32_t)pg_number(result, row, 1),
		.coin_minor = pg_number(result, row, 2),
		.level = (uint32_t)pg_number(result, row, 3),
		.paid_minor = pg_number(result, row, 4),
		.player = pg_number(result, row, 5),
		.time_us = (uint64_t)pg_number(result, row, 6),
	};
}

static void ask(struct hole *hole);

static void on_answer(void *context, PGresult *result, const char *error)
{
	struct hole *hole = context;
	struct winner winner;

	hole->asking = false;
	if (error != NULL || PQresultStatus(result) != PGRES_TUPLES_OK)
		return; /* the tick repeats the query */
	for (int i = 0; i < PQntuples(result); i++) {
		winner_read(&winner, hole->pool, result, i);
		hole->last = winner.hit;
		hole->hits->tell(hole->hits->context, &winner);
	}
	if (PQntuples(result) > 0 && hole->last < hole->wanted)
		ask(hole);
}

static void ask(struct hole *hole)
{
	static const char sql[] =
		"select hit, currency, coin_minor, 0 as level, paid_minor, player, (extract(epoch "
		"from time) * 1000000)::bigint from pool.hit where pool = $1::integer and hit > "
		"$2::bigint and hit <= $3::bigint union all "
		"select hit, currency, 0, level, paid_minor, player, (extract(epoch from time) * "
		"1000000)::bigint from cards.hit where pool = $1::integer and hit > $2::bigint and "
		"hit <= $3::bigint order by hit limit 200";
	char numbers[3][NUMBER_TEXT];
	const char *parameters[] = { numbers[0], numbers[1], numbers[2] };

	(void)snprintf(numbers[0], NUMBER_TEXT, "%" PRIu32, hole->pool);
	(void)snprintf(numbers[1], NUMBER_TEXT, "%" PRIu64, hole->last);
	(void)snprintf(numbers[2], NUMBER_TEXT, "%" PRIu64, hole->wanted);
	hole->asking = true;
	pg_pool_query(hole->hits->pg, sql, 3, parameters, QUERY_MS, on_answer, hole);
}

static struct hole *hole_of(struct hits *hits, uint32_t pool)
{
	for (size_t i = 0; i < WINNERS_POOLS_MAX; i++) {
		struct hole *hole = &hits->hole[i];
		if (hole->pool == 0)
			*hole = (struct hole){ .hits = hits, .pool = pool };
		if (hole->pool == pool)
			return hole;
	}
	return NULL;
}

void hits_offer(struct hits *hits, const struct winner *winner, uint64_t mono_us)
{
	struct hole *hole = winner->pool == 0 ? NULL : hole_of(hits, winner->pool);
	bool next = hole == NULL || hole->last == 0 || winner->hit <= hole->last + 1;

	/* Receivers recognise a repeated hit by its number. */
	if (next && (hole == NULL || !hole->asking)) {
		if (hole != NULL && winner->hit > hole->last)
			hole->last = winner->hit;
		hits->tell(hits->context, winner);
		return;
	}
	if (winner->hit <= hole->last || winner->hit > INT64_MAX)
		return;
	if (winner->hit > hole->wanted) {
		hole->wanted = winner->hit;
		hole->since_us = mono_us;
	}
	if (!hole->asking)
		ask(hole);
}

void hits_tick(struct hits *hits, uint64_t mono_us)
{
	for (size_t i = 0; i < WINNERS_POOLS_MAX && hits->hole[i].pool != 0; i++) {
		struct hole *hole = &hits->hole[i];
		if (hole->wanted <= hole->last || hole->asking)
			continue;
		if (mono_us > hole->since_us + GIVE_UP_US) {
			log_warn_as("notifications.hit.unbooked",
				"pool %" PRIu32 ": hit %" PRIu64
				" is in a fact but not in Postgres",
				hole->pool, hole->wanted);
			hole->wanted = hole->last;
		} else {
			ask(hole);
		}
	}
}

/* ---- hits without a fact ---- */

static void on_look(void *context, PGresult *result, const char *error)
{
	struct hits *hits = context;
	struct winner winner;

	hits->looking = false;
	if (error != NULL || PQresultStatus(result) != PGRES_TUPLES_OK)
		return; /* the next look finds them */
	for (int i = 0; i < PQntuples(result); i++) {
		winner_read(&winner, (uint32_t)pg_number(result, i, 7), result, i);
		struct hole *hole = winner.pool == 0 ? NULL : hole_of(hits, winner.pool);
		if (hole == NULL || hole->asking || winner.hit <= hole->last)
			continue;
		hole->last = winner.hit;
		hits->tell(hits->context, &winner);
	}
	hits->known_us = hits->look_us;
}

/* In the order of time, but never against the order of a pool. */
#define NEWEST(kind, pools, level, coin)                                                           \
	"select h.hit, h.currency, " coin ", " level ", h.paid_minor, h.player, h.time, p.pool "   \
	"from " pools " p left join told using (pool), lateral (select * from " kind               \
	".hit where pool = p.pool and hit > coalesce(told.last, 0) order by hit desc limit $3) h "
static const char LOOK_SQL[] =
	"with told as (select unnest($1::integer[]) as pool, unnest($2::bigint[]) as last), found "
	"as (" NEWEST("pool", "pool.pool", "0 as level", "h.coin_minor") "union all " NEWEST(
		"cards", "cards.card_set", "h.level",
		"0") ") select hit, currency, coin_minor, level, paid_minor, player, (extract(epoch from "
		     "time) * 1000000)::bigint, pool from found order by max(time) over (partition by "
		     "pool order by hit), pool, hit";

void hits_look(struct hits *hits, int64_t most)
{
	char pools[WINNERS_POOLS_MAX * NUMBER_TEXT], lasts[WINNERS_POOLS_MAX * NUMBER_TEXT];
	char limit[NUMBER_TEXT];
	const char *parameters[] = { pools, lasts, limit };
	size_t at = 0, n = 0;

	if (hits->looking)
		return;
	for (size_t i = 0; i < WINNERS_POOLS_MAX && hits->hole[i].pool != 0; i++) {
		const char *mark = i == 0 ? "{" : ",";
		at += (size_t)snprintf(
			pools + at, sizeof(pools) - at, "%s%" PRIu32, mark, hits->hole[i].pool);
		n += (size_t)snprintf(
			lasts + n, sizeof(lasts) - n, "%s%" PRIu64, mark, hits->hole[i].last);
	}
	(void)snprintf(pools + at, sizeof(pools) - at, at == 0 ? "{}" : "}");
	(void)snprintf(lasts + n, sizeof(lasts) - n, n == 0 ? "{}" : "}");
	(void)snprintf(limit, sizeof(limit), "%" PRId64, most);
	hits->looking = true;
	hits->look_us = clock_mono_us();
	pg_pool_query(hits->pg, LOOK_SQL, 3, parameters, QUERY_MS, on_look, hits);
}

bool hits_known(const struct hits *hits)
{
	return hits->known_us != 0;
}

uint64_t hits_age_us(const struct hits *hits, uint64_t mono_us)
{
	return mono_us > hits->known_us ? mono_us - hits->known_us : 0;
}
