/* The open tallies, which the pools' services write, and the kill switches: read every second, and
 * at once when a stake names a tally that is not known yet. Running totals are counted here, in
 * memory, together with the row that carries the stake. */
#include "services/wallet/adapters/app.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <inttypes.h>
#include <stdio.h>

int wallet_tally_index(const struct wallet *wallet, uint32_t id)
{
	for (size_t i = 0; i < wallet->rules.tallies_n; i++)
		if (wallet->tallies[i].id == id)
			return (int)i;
	return -1;
}

void wallet_feed_know(struct wallet_shard *shard, uint32_t pool)
{
	for (size_t i = 0; i < shard->feeds_n; i++)
		if (shard->feeds[i].pool == pool)
			return;
	if (shard->feeds_n == FEED_POOLS_MAX)
		fatal("pool.tally: found more than %d pools", FEED_POOLS_MAX);
	shard->feeds[shard->feeds_n++] = (struct feed_pool){ .pool = pool };
}

/* Tallies are immutable but for being closed, and keep their index for the life of the process:
 * totals are kept by it. */
static void tally_take(struct wallet *wallet, const struct wallet_tally *tally)
{
	int at = wallet_tally_index(wallet, tally->id);

	if (at >= 0) {
		wallet->tallies[at].closed = tally->closed;
		return;
	}
	if (wallet->rules.tallies_n == WALLET_TALLIES_MAX)
		fatal("pool.tally: found more than %d rows", WALLET_TALLIES_MAX);
	wallet->tallies[wallet->rules.tallies_n++] = *tally;
	log_info("tally %u: pool %u, game %u, currency %u%s", tally->id, tally->pool, tally->game,
		tally->currency, tally->closed ? ", closed" : "");
}

static void poll_tallies(struct wallet *wallet, PGconn *conn)
{
	PGresult *result = pg_query(conn,
		"select id, pool, game, currency, (closed is not null)::integer from pool.tally "
		"order by id",
		0, NULL);

	for (int i = 0; i < PQntuples(result); i++) {
		struct wallet_tally tally = { (uint32_t)pg_number(result, i, 0),
			(uint32_t)pg_number(result, i, 1), (uint32_t)pg_number(result, i, 2),
			(uint32_t)pg_number(result, i, 3), pg_number(result, i, 4) != 0 };
		tally_take(wallet, &tally);
	}
	PQclear(result);
}

/* Kill switches, and games whose pool is paused: no further round may claim from it, for an
 * operator may take its rows off once no claim is open. */
static void poll_switches(struct wallet *wallet, PGconn *conn)
{
	PGresult *result = pg_query(conn,
		"select game from wallet.switch union select t.game from pool.tally t join "
		"pool.pool p on p.pool = t.pool where t.closed is null and p.state <> 'live' "
		"order by game",
		0, NULL);
	int n = PQntuples(result);

	if (n > WALLET_STOPS_MAX)
		fatal("wallet.switch: found %d games, expected at most %d; use game 0 to stop all",
			n, WALLET_STOPS_MAX);
	for (int i = 0; i < n; i++)
		wallet->rules.stopped[i] = (uint32_t)pg_number(result, i, 0);
	if ((size_t)n != wallet->rules.stopped_n)
		log_warn("kill switches: %d games are stopped now, %zu before", n,
			wallet->rules.stopped_n);
	wallet->rules.stopped_n = (size_t)n;
	PQclear(result);
}

/* Closed tallies are sent along until the pool has recorded the last of them. */
static void poll_acked(struct wallet *wallet, struct service *service, const char *table)
{
	char sql[256];
	PGresult *result;

	(void)snprintf(sql, sizeof(sql),
		"select v.shard, v.tally, v.total from %s v join pool.tally t on t.id = v.tally "
		"where t.closed is not null",
		table);
	result = pg_query(service_pg(service), sql, 0, NULL);
	for (int i = 0; i < PQntuples(result); i++) {
		struct service_shard *shard =
			service_shard(service, (uint32_t)pg_number(result, i, 0));
		int at = wallet_tally_index(wallet, (uint32_t)pg_number(result, i, 1));
		if (shard != NULL && shard->state != NULL && at >= 0)
			wallet_shard_of(shard)->totals_acked[at] =
				(uint64_t)pg_number(result, i, 2);
	}
	PQclear(result);
}

static bool table_exists(PGconn *conn, const char *name)
{
	const char *parameters[] = { name };
	PGresult *result =
		pg_query(conn, "select (to_regclass($1) is not null)::integer", 1, parameters);
	bool exists = pg_number(result, 0, 0) != 0;

	PQclear(result);
	return exists;
}

void wallet_poll_rules(struct wallet *wallet, struct service *service, uint64_t mono_us)
{
	static const char *const vectors[] = { "pool.vector", "cards.vector" };
	bool closed = false;

	wallet->polled_us = mono_us;
	poll_tallies(wallet, service_pg(service));
	poll_switches(wallet, service_pg(service));
	for (size_t i = 0; i < wallet->rules.tallies_n; i++)
		closed = closed || wallet->tallies[i].closed;
	for (size_t i = 0; closed && i < sizeof(vectors) / sizeof(vectors[0]); i++)
		if (table_exists(service_pg(service), vectors[i]))
			poll_acked(wallet, service, vectors[i]);
	for (size_t i = 0; i < SHARDS_MAX; i++) {
		struct service_shard *shard = service_shard_at(service, i);
		if (shard == NULL)
			break;
		for (size_t j = 0; shard->state != NULL && j < wallet->rules.tallies_n; j++)
			wallet_feed_know(wallet_shard_of(shard), wallet->tallies[j].pool);
	}
}

void wallet_totals_add(
	struct wallet *wallet, struct wallet_shard *shard, const struct wallet_row *row)
{
	for (uint32_t i = 0; i < row->tallies_n; i++) {
		int at = wallet_tally_index(wallet, row->tallies[i]);
		if (at < 0)
			fatal("journal: shard %u, seq %" PRIu64 ": tally %u is not in pool.tally",
				shard->shard, row->seq, row->tallies[i]);
		if ((uint64_t)row->stake > (uint64_t)INT64_MAX - shard->totals[at])
			fatal("tally %u: the total of shard %u does not fit 63 bits",
				row->tallies[i], shard->shard);
		shard->totals[at] += (uint64_t)row->stake;
		shard->tallies_dirty = true;
		for (size_t j = 0; j < shard->feeds_n; j++)
			if (shard->feeds[j].pool == wallet->tallies[at].pool)
				shard->feeds[j].changed = true;
	}
}
