/* The tallies, which the pools' services write, and the kill switches: read every second, and at
 * once when a stake names an unknown tally. This file counts running totals in memory, together
 * with the row of the stake.
 *
 * The table holds open tallies, those closed a moment ago, and older ones until their pool has
 * recorded their totals. A recorded closed tally is folded: its slot is free for another one. Its
 * totals stay in wallet.tally_total; rolling a row forward may load it again. */
#include "services/wallet/adapters/app.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "services/wallet/adapters/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DAY_S 86400
#define RATE_SET_WITHIN(seconds)                                                                   \
	"f.currency = t.currency and f.rate_nano = t.rate_nano and f.valid_from <= now() and "     \
	"f.valid_from > now() - " seconds "::bigint * interval '1 second'"
#define TALLY_RECENT "1 minute" /* a wallet that has not polled yet may still count into it */

int wallet_tally_index(const struct wallet *wallet, uint32_t id)
{
	for (size_t i = 0; i < wallet->rules.tallies_n; i++)
		if (wallet->tallies[i].id == id)
			return (int)i;
	return -1;
}

void wallet_feed_add_pool(struct wallet_shard *shard, uint32_t pool)
{
	for (size_t i = 0; i < shard->feeds_n; i++)
		if (shard->feeds[i].pool == pool)
			return;
	if (shard->feeds_n == FEED_POOLS_MAX) {
		static bool told;
		if (!told)
			log_error_as("wallet.tally.too_many_pools",
				"ALARM pool.tally: found more than %d pools: the totals of pool %u "
				"are told only when it asks",
				FEED_POOLS_MAX, pool);
		told = true;
		return;
	}
	shard->feeds[shard->feeds_n++] = (struct feed_pool){ .pool = pool };
}

/* A tally keeps its slot until it is folded: totals are stored by slot. */
static int tally_place(struct wallet *wallet)
{
	for (size_t i = 0; i < wallet->rules.tallies_n; i++)
		if (wallet->tallies[i].id == 0)
			return (int)i;
	if (wallet->rules.tallies_n == WALLET_TALLIES_MAX)
		return -1;
	return (int)wallet->rules.tallies_n++;
}

/* Its totals in the loaded shards. Postgres has all of them: this process has not counted the tally
 * since it was folded. */
static void tally_totals(struct service *service, uint32_t id, int at)
{
	char number[16];
	const char *parameters[] = { number };
	PGresult *result;

	(void)snprintf(number, sizeof(number), "%u", id);
	result = pg_query(service_pg(service),
		"select shard, total from wallet.tally_total where tally = $1", 1, parameters);
	for (int i = 0; i < PQntuples(result); i++) {
		struct service_shard *held =
			service_shard(service, (uint32_t)pg_number(result, i, 0));
		if (held != NULL && held->state != NULL)
			wallet_shard_of(held)->totals[at] = (uint64_t)pg_number(result, i, 1);
	}
	PQclear(result);
}

static int tally_take(
	struct wallet *wallet, struct service *service, const PGresult *result, int row)
{
	struct wallet_tally tally = { (uint32_t)pg_number(result, row, 0),
		(uint32_t)pg_number(result, row, 1), (uint32_t)pg_number(result, row, 2),
		(uint32_t)pg_number(result, row, 3), pg_number(result, row, 4) != 0 };
	int at = wallet_tally_index(wallet, tally.id);

	if (at < 0) {
		at = tally_place(wallet);
		if (at < 0)
			return -1;
		log_info("tally %u: pool %u, game %u, currency %u%s", tally.id, tally.pool,
			tally.game, tally.currency, tally.closed ? ", closed" : "");
		tally_totals(service, tally.id, at);
	}
	wallet->tallies[at] = tally;
	return at;
}

/* A tally that is not among these was closed a while ago, even if it was open when last read. */
static void poll_tallies(struct wallet *wallet, struct service *service)
{
	static bool seen[WALLET_TALLIES_MAX];
	int missed = 0;
	PGresult *result = pg_again(service_pg(service),
		"select id, pool, game, currency, (closed is not null)::integer from pool.tally "
		"where closed is null or closed > now() - interval '" TALLY_RECENT "' order by id",
		0, NULL);

	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < PQntuples(result); i++) {
		int at = tally_take(wallet, service, result, i);
		if (at >= 0)
			seen[at] = true;
		else
			missed++;
	}
	PQclear(result);
	for (size_t i = 0; i < wallet->rules.tallies_n; i++) {
		wallet->tallies[i].closed = wallet->tallies[i].closed || !seen[i];
		wallet->tally_old[i] = wallet->tallies[i].id != 0 && !seen[i];
	}
	if (missed != wallet->tallies_missed && missed > 0)
		log_error_as("wallet.tally.too_many",
			"ALARM pool.tally: found %d tallies above the maximum of %d: bets that feed "
			"them are refused",
			missed, WALLET_TALLIES_MAX);
	wallet->tallies_missed = missed;
}

int wallet_tally_load(struct wallet *wallet, struct service *service, uint32_t id)
{
	char number[16];
	const char *parameters[] = { number };
	int at = wallet_tally_index(wallet, id);

	if (at >= 0)
		return at;
	(void)snprintf(number, sizeof(number), "%u", id);
	PGresult *result = pg_query(service_pg(service),
		"select id, pool, game, currency, (closed is not null)::integer from pool.tally "
		"where id = $1",
		1, parameters);
	if (PQntuples(result) == 0)
		fatal("tally %u has a total, but is not in pool.tally", id);
	at = tally_take(wallet, service, result, 0);
	if (at < 0)
		fatal("tally %u: found no free slot: all %d hold tallies that are open, or "
		      "whose last totals their pools have not stored yet",
			id, WALLET_TALLIES_MAX);
	PQclear(result);
	return at;
}

/* Kill switches, and games whose own pool is paused: no new round may claim from it, because
 * operators may remove its rows once no claim is open. */
static void poll_switches(struct wallet *wallet, PGconn *conn)
{
	PGresult *result = pg_again(conn,
		"select game from wallet.switch union select t.game from pool.tally t join "
		"pool.pool p on p.pool = t.pool where t.closed is null and p.state <> 'live' "
		"and not exists (select 1 from pool.link l where l.pool = t.pool and l.game = "
		"t.game) "
		"order by game",
		0, NULL);
	int n = PQntuples(result);

	if (n > WALLET_STOPS_MAX) {
		/* Nobody may play what is stopped, so everybody waits. */
		if (wallet->rules.stopped_n != 1 || wallet->rules.stopped[0] != 0)
			log_error_as("wallet.switch.too_many",
				"ALARM wallet.switch: found %d games, expected at most %d: all "
				"games are stopped",
				n, WALLET_STOPS_MAX);
		wallet->rules.stopped[0] = 0;
		wallet->rules.stopped_n = 1;
		PQclear(result);
		return;
	}
	for (int i = 0; i < n; i++)
		wallet->rules.stopped[i] = (uint32_t)pg_number(result, i, 0);
	if ((size_t)n != wallet->rules.stopped_n)
		log_warn_as("wallet.switch.changed",
			"kill switches: %d games are stopped now, %zu before", n,
			wallet->rules.stopped_n);
	wallet->rules.stopped_n = (size_t)n;
	PQclear(result);
}

/* Tallies whose FX rate was last set too long ago: no stake feeds them until a new tally is opened
 * or the same rate is set again. A stake is converted by its tally's rate; a newer rate that the
 * pool has not applied yet does not count. EUR, the currency of pools, needs no rate. */
static void poll_stale(struct wallet *wallet, PGconn *conn)
{
	struct wallet_rules *rules = &wallet->rules;
	char age[24], soon[24];
	const char *parameters[] = { age, soon };
	size_t before = rules->stale_n, ageing = 0;

	if (common.fx_max_age_s == 0)
		return;
	(void)snprintf(age, sizeof(age), "%" PRId64, common.fx_max_age_s);
	(void)snprintf(soon, sizeof(soon), "%" PRId64,
		common.fx_max_age_s - (common.fx_max_age_s > DAY_S ? DAY_S : 0));
	PGresult *result = pg_again(conn,
		"select t.id, t.currency, t.pool, (not exists (select from carillon.fx_rate f "
		"where " RATE_SET_WITHIN(
			"$1") "))::integer from pool.tally t where t.closed is "
			      "null and t.currency <> 978 and not exists (select from carillon.fx_rate f "
			      "where " RATE_SET_WITHIN("$2") ") order by 4 desc, t.id",
		2, parameters);
	rules->stale_n = 0;
	for (int i = 0; i < PQntuples(result) && rules->stale_n < WALLET_TALLIES_MAX; i++)
		if (pg_number(result, i, 3) == 1)
			rules->stale[rules->stale_n++] = (uint32_t)pg_number(result, i, 0);
		else
			ageing++;
	if (ageing > 0 && wallet->rates_ageing == 0)
		log_warn_as("wallet.rates.ageing",
			"carillon.fx_rate: the FX rates of %zu open tallies are older than %s s, "
			"for example tally %s (currency %s, pool %s). From %s s on, bets that feed "
			"them are refused: set these rates again, even if they have not changed",
			ageing, soon, PQgetvalue(result, (int)rules->stale_n, 0),
			PQgetvalue(result, (int)rules->stale_n, 1),
			PQgetvalue(result, (int)rules->stale_n, 2), age);
	wallet->rates_ageing = ageing;
	if (rules->stale_n > before)
		log_error_as("wallet.rates.too_old",
			"ALARM carillon.fx_rate: the FX rates of %zu open tallies are older "
			"than %s s, for example tally %u (currency %s, pool %s): bets that feed them are "
			"refused",
			rules->stale_n, age, rules->stale[0], PQgetvalue(result, 0, 1),
			PQgetvalue(result, 0, 2));
	PQclear(result);
}

/* Ids of closed tallies as an SQL array; NULL: none. */
static const char *closed_ids(const struct wallet *wallet)
{
	static struct text list;
	size_t n = 0;

	text_clear(&list);
	for (size_t i = 0; i < wallet->rules.tallies_n; i++)
		if (wallet->tallies[i].closed && wallet->tallies[i].id != 0)
			text_add(&list, "%c%u", n++ == 0 ? '{' : ',', wallet->tallies[i].id);
	if (n == 0)
		return NULL;
	text_add(&list, "}");
	return list.bytes;
}

/* Totals of closed tallies by shard, from a pool's vector or from wallet.tally_total. */
static void poll_totals(struct wallet *wallet, struct service *service, const char *table,
	const char *ids, bool acked)
{
	char sql[160];
	const char *parameters[] = { ids };
	PGresult *result;

	(void)snprintf(sql, sizeof(sql),
		"select shard, tally, total from %s where tally = any($1::integer[])", table);
	result = pg_query(service_pg(service), sql, 1, parameters);
	for (int i = 0; i < PQntuples(result); i++) {
		struct service_shard *shard =
			service_shard(service, (uint32_t)pg_number(result, i, 0));
		int at = wallet_tally_index(wallet, (uint32_t)pg_number(result, i, 1));
		uint64_t total = (uint64_t)pg_number(result, i, 2);
		if (shard == NULL || shard->state == NULL || at < 0)
			continue;
		if (acked)
			wallet_shard_of(shard)->totals_acked[at] = total;
		else
			wallet_shard_of(shard)->totals_written[at] = total;
	}
	PQclear(result);
}

/* True if none of this process's shards has anything of the tally left to send or write. Other
 * processes check their own shards. */
static bool tally_is_recorded(struct service *service, size_t at)
{
	for (size_t i = 0; i < SHARDS_MAX; i++) {
		struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			break;
		const struct wallet_shard *shard = held->state;
		if (shard != NULL && (shard->totals_acked[at] < shard->totals[at] ||
					     shard->totals_written[at] != shard->totals[at]))
			return false;
	}
	return true;
}

static void tally_fold(struct wallet *wallet, struct service *service, size_t at)
{
	log_info("tally %u: folded, its pool has recorded it", wallet->tallies[at].id);
	for (size_t i = 0; i < SHARDS_MAX; i++) {
		struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			break;
		struct wallet_shard *shard = held->state;
		if (shard != NULL)
			shard->totals[at] = shard->totals_acked[at] = shard->totals_written[at] = 0;
	}
	wallet->tallies[at] = (struct wallet_tally){ .closed = true };
	wallet->tally_old[at] = false;
}

bool wallet_table_exists(PGconn *conn, const char *name)
{
	const char *parameters[] = { name };
	PGresult *result =
		pg_query(conn, "select (to_regclass($1) is not null)::integer", 1, parameters);
	bool exists = pg_number(result, 0, 0) != 0;

	PQclear(result);
	return exists;
}

/* Sends closed tallies too, until the pool has recorded them. */
static void poll_closed(struct wallet *wallet, struct service *service)
{
	static const char *const vectors[] = { "pool.vector", "cards.vector" };
	const char *ids = closed_ids(wallet);

	if (ids == NULL)
		return;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		if (wallet_table_exists(service_pg(service), vectors[i]))
			poll_totals(wallet, service, vectors[i], ids, true);
	poll_totals(wallet, service, "wallet.tally_total", ids, false);
	for (size_t i = 0; i < wallet->rules.tallies_n; i++)
		if (wallet->tally_old[i] && tally_is_recorded(service, i))
			tally_fold(wallet, service, i);
}

void wallet_poll_rules(struct wallet *wallet, struct service *service, uint64_t mono_us)
{
	wallet->polled_us = mono_us;
	poll_tallies(wallet, service);
	poll_switches(wallet, service_pg(service));
	wallet_poll_pools(wallet, service_pg(service));
	poll_stale(wallet, service_pg(service));
	poll_closed(wallet, service);
	for (size_t i = 0; i < SHARDS_MAX; i++) {
		struct service_shard *shard = service_shard_at(service, i);
		if (shard == NULL)
			break;
		for (size_t j = 0; shard->state != NULL && j < wallet->rules.tallies_n; j++)
			if (wallet->tallies[j].id != 0)
				wallet_feed_add_pool(
					wallet_shard_of(shard), wallet->tallies[j].pool);
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
			fatal("tally %u: the total of shard %u exceeds 63 bits", row->tallies[i],
				shard->shard);
		shard->totals[at] += (uint64_t)row->stake;
		shard->tallies_dirty = true;
		for (size_t j = 0; j < shard->feeds_n; j++)
			if (shard->feeds[j].pool == wallet->tallies[at].pool)
				shard->feeds[j].changed = true;
	}
}
