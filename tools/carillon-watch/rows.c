/* What the database says: one table of queries, each a gauge. */
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/metrics_sweep.h"
#include "tools/carillon-watch/watch.h"

#include <jansson.h>
#include <libpq-fe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each query gives labels and a whole number. */
static const struct {
	const char *name, *help, *sql;
	bool slow;
} QUERIES[] = {
	{ "carillon_installation_info", "1, with the installation's kind.",
		"select format('kind=\"%s\"', kind), 1 from carillon.installation", false },
	{ "carillon_instances", "Instances whose heartbeat is younger than 10 s.",
		"select format('service=\"%s\"', s), (select count(*) from carillon.instance i where "
		"i.service = s and i.heartbeat > now() - interval '10 seconds') from unnest(array["
		"'wallet', 'spin-engine', 'progressive-pool', 'jackpot-cards', 'payments', "
		"'notifications', 'gateway']) s",
		false },
	{ "carillon_instance_started_seconds", "When the instance was started, since 1970 UTC.",
		"select format('instance=\"%s\",service=\"%s\"', name, service), "
		"extract(epoch from started)::bigint from carillon.instance",
		false },
	{ "carillon_shards_unowned", "Shards whose lease has run out.",
		"select format('service=\"%s\"', service), count(*) filter (where owner is null or "
		"lease_until is null or lease_until < now()) from carillon.shard group by service",
		false },
	{ "carillon_games_stopped", "Games that the engine has stopped; game 0 stands for all.",
		"select '', count(*) from engine.stopped_game", false },
	{ "carillon_jackpot_paused", "1: the pool is pausing or paused.",
		"select format('pool=\"%s\"', id), (state in ('pausing', 'paused'))::integer "
		"from pool.pool where state <> 'retired'",
		false },
	{ "carillon_jackpot_reserve_microeuro", "Reserve of the pool, in 10^-6 EUR.",
		"select format('pool=\"%s\"', id), trunc(jp_reserve_e27 / 1e21)::bigint from pool.pool",
		false },
	{ "carillon_jackpot_contributions_microeuro",
		"All contributions that the pool ever had, in 10^-6 EUR.",
		"select format('pool=\"%s\"', id), trunc(t_e18 / 1e12)::bigint from pool.pool",
		false },
	{ "carillon_jackpot_house_reseeds_microeuro",
		"What the house has paid for reseeding beyond the reserve, in 10^-6 EUR.",
		"select format('pool=\"%s\"', p.id), trunc(coalesce(sum(h.from_house_e27), 0) / 1e21)"
		"::bigint from pool.pool p left join pool.hit h using (pool) group by p.id",
		true },
	{ "carillon_fx_rate_age_seconds", "Age of the newest exchange rate of the currency.",
		"select format('currency=\"%s\"', currency), extract(epoch from now() - "
		"max(valid_from))::bigint from carillon.fx_rate where currency <> 978 and "
		"valid_from <= now() group by currency",
		false },
	{ "carillon_database_bytes", "Size of the database.",
		"select '', pg_database_size(current_database())", true },
	{ "carillon_database_connections", "Connections to the database.",
		"select '', count(*) from pg_stat_activity where datname = current_database()",
		false },
};

/* The returns of seven days. A published return is a span: z counts from its nearer end. A
 * definition that was replaced within these days widens it. */
static const char RETURNS_SQL[] =
	"select format('game=\"%s\",mode=\"%s\",currency=\"%s\"', coalesce((select g.id from "
	"carillon.game g where g.number = s.game order by g.first_seen desc limit 1), "
	"s.game::text), s.mode, s.currency), s.bets, round(1000000 * s.drawn / s.stakes)::bigint, "
	"round(1000 * (r.j->>'z')::numeric)::bigint from (select game, mode, currency, "
	"sum(rounds - bonus_rounds) as bets, sum(stakes) as stakes, sum(drawn) as drawn, "
	"sum(stake_squares) as ss, sum(products) as sw, sum(win_squares) as ww from "
	"gateway.rollup_quarter where time > now() - interval '7 days' and game > 0 "
	"group by 1, 2, 3 having sum(stakes) > 0) s, lateral (select min(o.low) as low, "
	"max(o.high) as high from (select now() union all select g.first_seen from carillon.game g "
	"where g.number = s.game and g.first_seen > now() - interval '7 days') d (before), "
	"gateway.theory_of(s.game, s.mode, d.before) o) t, "
	"lateral (select gateway.rtp_json(s.stakes, s.drawn, s.ss, s.sw, s.ww, t.low, t.high) "
	"as j) r";

static PGconn *conn;
static int64_t created_s;

int64_t watch_created_s(void)
{
	return created_s;
}

static PGresult *ask(const char *sql)
{
	PGresult *rows = PQexec(conn, sql);
	if (PQresultStatus(rows) == PGRES_TUPLES_OK)
		return rows;
	log_warn_as(
		"watch.query.failed", "a query of the database failed: %s", PQerrorMessage(conn));
	PQclear(rows);
	return NULL;
}

static void gauge_set(const char *name, const char *labels, const char *help, const char *value)
{
	metric_set(metric_gauge(name, labels, help), strtoll(value, NULL, 10));
}

static bool gauges_read(bool slowly)
{
	for (size_t i = 0; i < sizeof(QUERIES) / sizeof(QUERIES[0]); i++) {
		if (QUERIES[i].slow && !slowly)
			continue;
		PGresult *rows = ask(QUERIES[i].sql);
		if (rows == NULL)
			return false;
		metrics_sweep_begin(QUERIES[i].name);
		for (int r = 0; r < PQntuples(rows); r++)
			gauge_set(QUERIES[i].name, PQgetvalue(rows, r, 0), QUERIES[i].help,
				PQgetvalue(rows, r, 1));
		metrics_sweep_end(QUERIES[i].name);
		PQclear(rows);
	}
	return true;
}

static bool returns_read(void)
{
	static const char *const NAMES[] = { "carillon_return_rounds", "carillon_return_ppm",
		"carillon_return_z_milli" };
	PGresult *rows = ask(RETURNS_SQL);
	if (rows == NULL)
		return false;
	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
		metrics_sweep_begin(NAMES[i]);
	for (int r = 0; r < PQntuples(rows); r++) {
		const char *labels = PQgetvalue(rows, r, 0);
		gauge_set("carillon_return_rounds", labels,
			"Bets of the last seven days that players paid for.",
			PQgetvalue(rows, r, 1));
		gauge_set("carillon_return_ppm", labels,
			"Drawn wins of a million staked, of these bets.", PQgetvalue(rows, r, 2));
		if (!PQgetisnull(rows, r, 3))
			gauge_set("carillon_return_z_milli", labels,
				"Thousandths of standard errors between drawn and published "
				"return.",
				PQgetvalue(rows, r, 3));
	}
	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
		metrics_sweep_end(NAMES[i]);
	PQclear(rows);
	return true;
}

/* Renamed into place: Prometheus never reads half a file. */
static void file_replace(const char *path, json_t *root)
{
	char beside[4096];
	json_t *before = json_load_file(path, 0, NULL);
	bool same = before != NULL && json_equal(before, root);
	json_decref(before);
	if (same)
		return;
	int n = snprintf(beside, sizeof(beside), "%s.new", path);
	if (n < 0 || (size_t)n >= sizeof(beside) ||
		json_dump_file(root, beside, JSON_INDENT(1)) != 0 || rename(beside, path) != 0)
		log_warn_as("watch.file.unwritten", "%s: cannot be written", path);
}

static bool targets_write(const char *path)
{
	PGresult *rows =
		ask("select name, service, health from carillon.instance where health <> '' "
		    "order by name");
	if (rows == NULL)
		return false;
	json_t *root = json_array();
	for (int r = 0; r < PQntuples(rows); r++)
		(void)json_array_append_new(
			root, json_pack("{s:[s],s:{s:s,s:s}}", "targets", PQgetvalue(rows, r, 2),
				      "labels", "instance", PQgetvalue(rows, r, 0), "service",
				      PQgetvalue(rows, r, 1)));
	PQclear(rows);
	file_replace(path, root);
	json_decref(root);
	return true;
}

static bool connected(const char *dsn)
{
	if (conn != NULL && PQstatus(conn) == CONNECTION_OK)
		return true;
	if (conn != NULL)
		PQfinish(conn);
	const char *names[] = { "dbname", "connect_timeout", "options", "application_name", NULL };
	const char *values[] = { dsn, "3",
		"-c statement_timeout=3000 -c default_transaction_read_only=on", "carillon-watch",
		NULL };
	conn = PQconnectdbParams(names, values, 1);
	if (PQstatus(conn) != CONNECTION_OK) {
		log_warn_as("watch.postgres.failed", "cannot connect to the database: %s",
			PQerrorMessage(conn));
		return false;
	}
	PGresult *rows =
		ask("select extract(epoch from created)::bigint from carillon.installation");
	if (rows != NULL && PQntuples(rows) == 1)
		created_s = strtoll(PQgetvalue(rows, 0, 0), NULL, 10);
	PQclear(rows);
	return true;
}

bool watch_rows(const struct watch_options *options, bool slowly)
{
	bool all = connected(options->dsn) && gauges_read(slowly) &&
		   (options->targets == NULL || targets_write(options->targets)) &&
		   (!slowly || returns_read());
	/* A connection that breaks is seen by the statement that needed it. */
	metric_set(metric_gauge("carillon_postgres_up", NULL, "1: the database answers."),
		PQstatus(conn) == CONNECTION_OK);
	return all;
}
