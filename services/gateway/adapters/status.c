/* The operator's status: the owner and lag of each shard, the pools' books, and the results of
 * reconciliation. Read in the background and answered from memory, so many consoles cost no more
 * than one. Figures of all operators' play are only for those that act on pools; the books of a
 * pool also for those that take part in it, but not for a key that is limited to other pools. */
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/pool_actions.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_US (5 * SECOND_US)
#define CHECK_MS 4000
#define CLAIM_AGE_MAX_S 10
#define ACCOUNTS_COUNTED "1000"
#define CLAIMS_CHECKED "1000" /* of each shard, every time */

enum check { CHECK_LEDGER, CHECK_POOLS, CHECK_MATCH, CHECK_CLAIMS, CHECKS_N };

static const struct {
	const char *name, *covers;
} checks[CHECKS_N] = {
	{ "sums_zero",
		"in every batch of the wallet that this gateway has checked, the legs of each "
		"currency sum to zero" },
	{ "identities", "contributions = T, JP_POOL, JP_SEED, and contributions + house seed + "
			"received = pool + reserve + seed + paid + sent, for each pool and set; "
			"sums of hits and transfers" },
	{ "claims_match", "of the last 1000 paid claims of each shard, each claim on a progressive "
			  "has a hit of the same amount" },
	{ "claims_in_time", "no claim on a progressive has waited longer than 10 s for its award" },
};

static struct {
	/* Parts of the answer, as Postgres formatted them; `shared`: what every operator sees. */
	char *members, *members_shared;
	struct pool_status {
		uint32_t pool;
		char *shared, *books;
	} * pools; /* NULL: not read yet */
	size_t pools_n;
	bool waiting, pools_waiting, owned;
	uint64_t checked_us, members_us;
	uint64_t services_read_us, pools_read_us; /* by the monotonic clock */
	struct {
		bool waiting, known, holds;
		uint64_t when_us, held_us, read_us;
		char found[256];
	} check[CHECKS_N];
	int64_t hits_paid, claims_open, oldest_claim_s;
	char *hits;		   /* what they add up to: see pools_check_sql; NULL: nothing yet */
	int64_t batch[SHARDS_MAX]; /* last checked batch of each shard; -1: none yet */
	bool begun;
} status;

static bool rows_ok(const PGresult *result, const char *error, const char *what)
{
	if (result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK)
		return true;
	log_warn_as("gateway.status.unreadable", "status, %s: %s", what,
		error != NULL ? error : PQresultErrorMessage(result));
	return false;
}

/* ---- shards, instances, pools
 * ------------------------------------------------------------------------------------------------------------------
 */

/* One row: the members of the answer for operators that act on pools; the same without what tells
 * of other operators' play; how many shards have an owner. lag: journal rows that a consumer of
 * wallet.facts has not read yet. It reads a few rows for each shard, however many batches and
 * accounts there are; more than ACCOUNTS_COUNTED accounts are estimated from the statistics of
 * Postgres. */
static const char status_sql[] =
	"with journal as (select b.* from carillon.installation i, generate_series(0, i.shards - "
	"1) s (shard), lateral (select shard, last_seq, checkpoint, batch, time from wallet.batch "
	"where shard = s.shard order by batch desc limit 1) b), "
	"accounts as (select count(*) as n from (select from wallet.account limit " ACCOUNTS_COUNTED
	" + 1) a), whole as (select jsonb_build_object("
	"'shards', (select coalesce(json_agg(json_build_object('service', s.service, 'shard', "
	"s.shard, 'owner', s.owner, 'epoch', s.epoch, "
	"'incarnation', s.incarnation, 'lease_ms', round(extract(epoch from s.lease_until - now()) "
	"* 1000)::bigint, "
	"'held', s.owner is not null and s.lease_until > now(), 'offset_1', s.offset_1, 'seq_1', "
	"s.seq_1, 'offset_2', s.offset_2, "
	"'seq_2', s.seq_2, 'deaths', s.deaths, "
	"'lag', case when s.service = 'spin-engine' then greatest(coalesce(j.last_seq, 0) - "
	"greatest(s.seq_1, s.seq_2), 0) end) "
	"order by s.service, s.shard), '[]') from carillon.shard s left join journal j on j.shard "
	"= s.shard and s.service in ('wallet', 'spin-engine')), "
	"'installation', (select json_build_object('kind', kind, 'shards', shards, 'created', "
	"created) from carillon.installation), "
	"'journal', (select coalesce(json_agg(json_build_object('shard', shard, 'last_seq', "
	"last_seq, 'batch', batch, 'checkpoint', checkpoint, "
	"'age_ms', round(extract(epoch from now() - time) * 1000)::bigint) order by shard), '[]') "
	"from journal), "
	"'instances', (select coalesce(json_agg(json_build_object('name', name, 'service', "
	"service, 'pid', pid, 'health', health, "
	"'started_us', (extract(epoch from started) * 1000000)::bigint, 'age_ms', "
	"round(extract(epoch from now() - heartbeat) * 1000)::bigint, "
	"'alive', heartbeat > now() - interval '2 s') order by service, name), '[]') from "
	"carillon.instance), "
	"'players', (select case when n <= " ACCOUNTS_COUNTED
	" then n else greatest(n, (select reltuples::bigint from pg_catalog.pg_class where oid = "
	"'wallet.account'::regclass)) end from accounts), "
	"'players_estimated', (select n > " ACCOUNTS_COUNTED " from accounts)) as j) "
	"select j::text, (j - '{players,players_estimated}'::text[] || "
	"jsonb_build_object('shards', coalesce((select jsonb_agg("
	"s - '{offset_1,seq_1,offset_2,seq_2}'::text[]) from jsonb_array_elements(j->'shards') s), "
	"'[]'), 'journal', coalesce((select jsonb_agg(s - '{last_seq,batch,checkpoint}'::text[]) "
	"from jsonb_array_elements(j->'journal') s), '[]')))::text, "
	"(select count(*) from carillon.shard where service in ('wallet', 'spin-engine') and owner "
	"is not null and lease_until > now()) from whole";

/* A row for each pool and set: its number, what all may see, and its books. */
static const char pools_sql[] =
	"select pool, json_build_object('pool', pool, 'id', id, 'kind', kind, 'status', "
	"status)::text, row_to_json(b)::text from ("
	"select pool, id, 'progressive' as kind, state as status, shard, t_e18::text, "
	"contributions_e27::text, jp_pool_e27::text, jp_reserve_e27::text, "
	"jp_seed_e27::text, house_seed_e27::text, paid_e27::text, received_e27::text, "
	"sent_e27::text, (select coalesce(sum(o.amount_e27), 0) from pool.transfer_out o where "
	"o.pool = p.pool and not exists (select 1 from pool.transfer_in i where i.from_pool = "
	"o.pool and i.number = o.number))::text as in_transit_e27, hits, version, (extract(epoch "
	"from updated) * 1000000)::bigint as updated_us from pool.pool p "
	"union all select pool, id, 'cards', state, shard, t_e18::text, contributions_e27::text, "
	"jp_pool_e27::text, jp_reserve_e27::text, "
	"jp_seed_e27::text, house_seed_e27::text, paid_e27::text, '0', '0', '0', null, version, (extract(epoch "
	"from updated) * 1000000)::bigint from cards.card_set) b order by pool";

static char *text_of(const PGresult *result, int row, int column)
{
	char *text = strdup(PQgetvalue(result, row, column));
	if (text == NULL)
		fatal("out of memory");
	return text;
}

static void on_rows(void *context, PGresult *result, const char *error)
{
	struct gateway *gateway = context;
	status.waiting = false;
	if (!rows_ok(result, error, "shards"))
		return;
	free(status.members);
	free(status.members_shared);
	status.members = text_of(result, 0, 0);
	status.members_shared = text_of(result, 0, 1);
	status.members_us = clock_wall_us();
	status.services_read_us = clock_mono_us();
	status.owned = pg_number(result, 0, 2) >= 2 * (int64_t)gateway->shards;
}

static void on_books(void *context, PGresult *result, const char *error)
{
	(void)context;
	status.pools_waiting = false;
	if (!rows_ok(result, error, "pools"))
		return;
	for (size_t i = 0; i < status.pools_n; i++) {
		free(status.pools[i].shared);
		free(status.pools[i].books);
	}
	free(status.pools);
	status.pools_read_us = clock_mono_us();
	status.pools_n = (size_t)PQntuples(result);
	status.pools = calloc(status.pools_n + 1, sizeof(*status.pools));
	if (status.pools == NULL)
		fatal("out of memory");
	for (size_t i = 0; i < status.pools_n; i++)
		status.pools[i] = (struct pool_status){ (uint32_t)pg_number(result, (int)i, 0),
			text_of(result, (int)i, 1), text_of(result, (int)i, 2) };
}

bool status_owned(void)
{
	return status.owned;
}

/* ---- reconciliation
 * ----------------------------------------------------------------------------------------------------------------
 */

static void check_result(enum check check, bool holds, const char *found)
{
	status.check[check].known = true;
	status.check[check].when_us = clock_wall_us();
	status.check[check].read_us = clock_mono_us();
	if (holds)
		status.check[check].held_us = status.check[check].when_us;
	if (!holds && status.check[check].holds)
		log_error_as("gateway.reconciliation.broken", "ALARM reconciliation, %s: %s",
			checks[check].name, found);
	status.check[check].holds = holds;
	(void)snprintf(status.check[check].found, sizeof(status.check[check].found), "%s", found);
}

static void on_ledger(void *context, PGresult *result, const char *error)
{
	char found[256] = "";
	bool holds = true;
	(void)context;
	status.check[CHECK_LEDGER].waiting = false;
	if (!rows_ok(result, error, "ledger"))
		return;
	for (int i = 0; i < PQntuples(result); i++) {
		int64_t shard = pg_number(result, i, 0);
		if (shard >= 0 && shard < SHARDS_MAX)
			status.batch[shard] = pg_number(result, i, 1);
		if (pg_number(result, i, 2) == 0)
			continue;
		holds = false;
		(void)snprintf(found, sizeof(found),
			"shard %" PRId64 ": %s batches do not sum to zero, the first is %s", shard,
			PQgetvalue(result, i, 2), PQgetvalue(result, i, 3));
	}
	/* A failed check stays failed: later batches cannot correct it. */
	if (status.check[CHECK_LEDGER].known && !status.check[CHECK_LEDGER].holds) {
		status.check[CHECK_LEDGER].read_us = clock_mono_us();
		return;
	}
	check_result(CHECK_LEDGER, holds, found);
}

static void request_ledger(struct gateway *gateway)
{
	char shards[SHARDS_MAX * 4 + 8] = "{";
	char from[SHARDS_MAX * 24 + 8] = "{";
	size_t s = 1;
	size_t f = 1;
	for (uint32_t i = 0; i < gateway->shards; i++) {
		s += (size_t)snprintf(
			shards + s, sizeof(shards) - s, "%s%" PRIu32, i == 0 ? "" : ",", i);
		f += (size_t)snprintf(from + f, sizeof(from) - f, "%s%" PRId64, i == 0 ? "" : ",",
			status.begun ? status.batch[i] : -1);
	}
	(void)snprintf(shards + s, sizeof(shards) - s, "}");
	(void)snprintf(from + f, sizeof(from) - f, "}");
	const char *parameters[] = { shards, from };
	status.begun = true;
	pg_pool_query(gateway->pg_ro,
		"with last as (select v.shard, v.batch as seen, coalesce((select max(b.batch) from "
		"wallet.batch b where b.shard = v.shard), 0) as batch "
		"from unnest($1::integer[], $2::bigint[]) v(shard, batch)), "
		"span as (select shard, batch, case when seen < 0 then greatest(batch - 2000, 0) "
		"/* jackpotctl checks all of them */ else seen end as seen from last), "
		"wrong as (select h.shard, h.batch from span s join wallet.house_leg h on h.shard "
		"= s.shard and h.batch > s.seen and h.batch <= s.batch "
		"group by h.shard, h.batch, h.currency having sum(h.amount) <> 0) "
		"select s.shard, s.batch, count(w.batch), min(w.batch) from span s left join wrong "
		"w using (shard) group by s.shard, s.batch",
		2, parameters, CHECK_MS, on_ledger, NULL);
}

#define IDENTITIES(schema, table, rows, received, sent)                                            \
	"select format('pool %s: %s is %s, expected %s', p.pool, i.name, i.found, i.expected) as " \
	"wrong from " schema "." table " p "                                                       \
	"left join (select p.pool, sum((p.t_e18 - r.w_e18) * r.share_nano + r.r_e27) as accrued, " \
	"sum(r.seed_minor * r.unit_e27) as seed "                                                  \
	"from " schema "." table " p join " schema "." rows                                        \
	" r using (pool) group by p.pool) r using (pool), lateral (values "                        \
	"('JP_POOL', p.jp_pool_e27, coalesce(r.accrued, 0)), ('JP_SEED', p.jp_seed_e27, "          \
	"coalesce(r.seed, 0)), "                                                                   \
	"('contributions', p.contributions_e27, case when '" schema                                \
	"' = 'pool' then p.t_e18 * 1000000000 else p.contributions_e27 end), "                     \
	"('contributions + house seed', p.contributions_e27 + p.house_seed_e27" received           \
	", p.jp_pool_e27 + "                                                                       \
	"p.jp_reserve_e27 + p.jp_seed_e27 + p.paid_e27" sent ")) "                                 \
	"i(name, found, expected) where i.found <> i.expected "

/* What the hits of each pool add up to, from one check to the next: $1, a JSON array that the
 * statement gives back. `n` and `cost` are of the hits up to `hit`; a check adds the new ones. It
 * also adds up the next HITS_AGAIN old ones anew (`again`, ..), and when it is through with them,
 * that is what they add up to: a hit that was changed is found, whatever there was before. */
#define HITS_NEW "20000"
#define HITS_AGAIN "1000"
#define HITS(alias, range, most)                                                                   \
	"cross join lateral (select count(*) as n, coalesce(sum(x.cost_e27), 0) as cost, "         \
	"max(x.hit) as hit from (select t.hit, t.cost_e27 from pool.hit t where t.pool = p.pool "  \
	"and " range " order by t.hit limit " most ") x) " alias " "

static const char pools_check_sql[] =
	"with s as (select * from jsonb_to_recordset($1::jsonb) s (pool integer, hit bigint, n "
	"bigint, cost numeric, again bigint, again_n bigint, again_cost numeric)), o as (select "
	"p.pool, p.hits, p.paid_e27, coalesce(s.hit, 0) as hit, coalesce(s.n, 0) as n, "
	"coalesce(s.cost, 0) as cost, coalesce(s.again, 0) as again, coalesce(s.again_n, 0) as "
	"again_n, coalesce(s.again_cost, 0) as again_cost from pool.pool p left join s using "
	"(pool)), h as materialized (select p.pool, p.hits, p.paid_e27, coalesce(a.hit, p.hit) as "
	"hit, a.n < " HITS_NEW " as whole, b.n < " HITS_AGAIN " as through, p.again_n + b.n as "
	"again_n, p.again_cost + b.cost as again_cost, b.hit as again, case when b.n < " HITS_AGAIN
	" then p.again_n + b.n else p.n end + a.n as n, case when b.n < " HITS_AGAIN
	" then p.again_cost + b.cost else p.cost end + a.cost as cost from o p " HITS(
		"a", "t.hit > p.hit", HITS_NEW) HITS("b", "t.hit > p.again and t.hit <= p.hit",
		HITS_AGAIN) "), w as (" IDENTITIES("pool", "pool", "row", " + p.received_e27",
		" + p.sent_e27") "union all " IDENTITIES("cards", "card_set", "level", "",
		"") "union all select format('pool %s: %s hits, paid %s; the hits say %s, %s', pool, "
		    "hits, paid_e27, n, cost) from h where whole and (hits <> n or paid_e27 <> cost) "
		    "union all select format('pool "
		    "%s: sent %s, received %s; the transfers say %s, %s', p.pool, "
		    "p.sent_e27, p.received_e27, o.sum, i.sum) from pool.pool p cross join "
		    "lateral (select coalesce(sum(amount_e27), 0) as sum from "
		    "pool.transfer_out o where o.pool = p.pool) o cross join lateral (select "
		    "coalesce(sum(amount_e27), 0) as sum from pool.transfer_in i where i.pool "
		    "= p.pool) i where p.sent_e27 <> o.sum or p.received_e27 <> i.sum limit 1) "
		    "select (select wrong from w), coalesce((select bool_and(whole) from h), "
		    "true)::integer, coalesce((select jsonb_agg(jsonb_build_object('pool', pool, 'hit', "
		    "hit, 'n', n, 'cost', cost, 'again', case when through then 0 else again end, "
		    "'again_n', case when through then 0 else again_n end, 'again_cost', case when "
		    "through then 0 else again_cost end)) from h), '[]')::text";

enum { POOLS_WRONG, POOLS_WHOLE, POOLS_HITS };

/* Until all hits were added up once, it is not known whether all is in order. */
static void on_pools(void *context, PGresult *result, const char *error)
{
	bool wrong;

	(void)context;
	status.check[CHECK_POOLS].waiting = false;
	if (!rows_ok(result, error, "pools"))
		return;
	free(status.hits);
	status.hits = text_of(result, 0, POOLS_HITS);
	wrong = !PQgetisnull(result, 0, POOLS_WRONG);
	if (wrong || pg_number(result, 0, POOLS_WHOLE) != 0)
		check_result(CHECK_POOLS, !wrong, PQgetvalue(result, 0, POOLS_WRONG));
}

static void on_claims(void *context, PGresult *result, const char *error)
{
	char found[128] = "";
	(void)context;
	status.check[CHECK_CLAIMS].waiting = false;
	status.check[CHECK_MATCH].waiting = false;
	if (!rows_ok(result, error, "claims"))
		return;
	status.claims_open = pg_number(result, 0, 0);
	status.oldest_claim_s = pg_number(result, 0, 1);
	status.hits_paid = pg_number(result, 0, 2);
	bool holds = status.oldest_claim_s <= CLAIM_AGE_MAX_S;
	if (!holds)
		(void)snprintf(found, sizeof(found),
			"%" PRId64 " claims are open, the oldest for %" PRId64 " s",
			status.claims_open, status.oldest_claim_s);
	check_result(CHECK_CLAIMS, holds, found);
	int64_t wrong = pg_number(result, 0, 3);
	(void)snprintf(found, sizeof(found),
		"%" PRId64 " paid claims without a hit of the same amount", wrong);
	check_result(CHECK_MATCH, wrong == 0, wrong == 0 ? "" : found);
}

static void check_all(struct gateway *gateway)
{
	for (size_t i = 0; i < CHECKS_N; i++)
		if (status.check[i].waiting)
			return;
	for (size_t i = 0; i < CHECKS_N; i++)
		status.check[i].waiting = true;
	request_ledger(gateway);
	pg_pool_query(gateway->pg_ro, pools_check_sql, 1,
		(const char *const[]){ status.hits != NULL ? status.hits : "[]" }, CHECK_MS,
		on_pools, NULL);
	pg_pool_query(gateway->pg_ro,
		"select (select count(*) from wallet.claim where closed_seq is null), "
		"(select coalesce(max(extract(epoch from now() - opened)), 0)::bigint from "
		"wallet.claim where closed_seq is null and kind = 1), "
		"(select coalesce(sum(hits), 0) from pool.pool)::bigint, "
		"(select count(*) from carillon.installation i, generate_series(0, i.shards - 1) "
		"s (shard), lateral (select * from wallet.claim where shard = s.shard and "
		"closed_seq is not null order by closed_seq desc limit " CLAIMS_CHECKED
		") c left join pool.hit h using (player, move, index) "
		"where c.kind = 1 and h.paid_minor is distinct from c.paid_minor)",
		0, NULL, CHECK_MS, on_claims, NULL);
}

/* ---- public functions
 * ----------------------------------------------------------------------------------------------------------------------------
 */

void status_tick(struct gateway *gateway)
{
	uint64_t now_us = edge_now_us(gateway->edge);
	if (!status.waiting) {
		status.waiting = true;
		pg_pool_query(gateway->pg_ro, status_sql, 0, NULL, CHECK_MS, on_rows, gateway);
	}
	if (!status.pools_waiting) {
		status.pools_waiting = true;
		pg_pool_query(gateway->pg_ro, pools_sql, 0, NULL, CHECK_MS, on_books, NULL);
	}
	pool_part_tick(gateway);
	if (status.checked_us == 0 || now_us - status.checked_us >= CHECK_US) {
		status.checked_us = now_us;
		check_all(gateway);
	}
}

static void check_json(struct json_out *out, size_t i, bool all)
{
	out_open(out, NULL, '{');
	out_string(out, "name", checks[i].name);
	out_string(out, "covers", checks[i].covers);
	if (status.check[i].known)
		out_bool(out, "holds", status.check[i].holds);
	else
		out_null(out, "holds");
	out_uint(out, "checked_us", status.check[i].when_us);
	out_uint(out, "held_us", status.check[i].held_us);
	out_string(out, "found", all ? status.check[i].found : "");
	out_close(out, '}');
}

/* null before the first check: unknown is neither true nor false. Without `all` it has no figures
 * of what other operators' players won. */
static void reconciliation_json(struct json_out *out, bool all)
{
	uint64_t held_us = UINT64_MAX;
	bool known = true;
	bool holds = true;
	for (size_t i = 0; i < CHECKS_N; i++) {
		known = known && status.check[i].known;
		holds = holds && status.check[i].holds;
		if (status.check[i].held_us < held_us)
			held_us = status.check[i].held_us;
	}
	if (!known) {
		out_null(out, "reconciliation");
		return;
	}
	out_open(out, "reconciliation", '{');
	for (size_t i = 0; i < CHECKS_N; i++)
		out_bool(out, checks[i].name, status.check[i].holds);
	out_bool(out, "holds", holds);
	out_uint(out, "held_us", held_us);
	out_int(out, "oldest_claim_s", status.oldest_claim_s);
	if (all) {
		out_int(out, "claims_open", status.claims_open);
		out_int(out, "hits_paid", status.hits_paid);
	}
	out_string(out, "covers",
		"only the checks listed here; jackpotctl ledger verify proves the whole ledger");
	out_open(out, "checks", '[');
	for (size_t i = 0; i < CHECKS_N; i++)
		check_json(out, i, all);
	out_close(out, ']');
	out_close(out, '}');
}

/* An object from Postgres without its braces. */
static void members_json(struct json_out *out, char *object)
{
	size_t length = strlen(object);
	if (length <= 2)
		return;
	object[length - 1] = '\0';
	out_raw(out, NULL, object + 1);
	object[length - 1] = '}';
}

static void pools_json(
	struct gateway *gateway, const struct edge_request *request, uint32_t operator_id)
{
	out_open(&gateway->out, "pools", '[');
	for (size_t i = 0; i < status.pools_n; i++) {
		const struct pool_status *pool = &status.pools[i];
		bool sees = pool_part(operator_id, pool->pool) &&
			    key_sees_pool(gateway, request, pool->pool);
		out_raw(&gateway->out, NULL, sees ? pool->books : pool->shared);
	}
	out_close(&gateway->out, ']');
}

static void age_json(struct json_out *out, const char *name, uint64_t now_us, uint64_t read_us)
{
	if (read_us == 0)
		out_null(out, name);
	else
		out_uint(out, name, (now_us < read_us ? 0 : now_us - read_us) / SECOND_US);
}

/* How old what this gateway answers from memory is, in whole seconds, so that an answer stays the
 * same to the byte for some time; of the checks the oldest counts. */
static void ages_json(struct json_out *out)
{
	uint64_t now_us = clock_mono_us(), checks_us = UINT64_MAX, jackpots_us, winners_us;

	for (size_t i = 0; i < CHECKS_N; i++)
		if (status.check[i].read_us < checks_us)
			checks_us = status.check[i].read_us;
	counters_read_at(&jackpots_us, &winners_us);
	out_open(out, "age_s", '{');
	age_json(out, "services", now_us, status.services_read_us);
	age_json(out, "pools", now_us, status.pools_read_us);
	age_json(out, "checks", now_us, checks_us);
	age_json(out, "jackpots", now_us, jackpots_us);
	age_json(out, "winners", now_us, winners_us);
	out_close(out, '}');
}

void on_status(struct edge_request *request, void *context)
{
	static const char *const names[] = { NULL };
	struct gateway *gateway = context;
	struct json_out *out = &gateway->out;
	uint32_t operator_id;
	if (!auth_operator(gateway, request, 0, &operator_id) || !answer_query(request, names))
		return;
	if (status.members == NULL || status.pools == NULL || !pool_part_known()) {
		answer_unavailable(request, "the status has not been read yet");
		return;
	}
	bool all = pool_operator(operator_id);
	out_begin(out);
	out_open(out, NULL, '{');
	out_uint(out, "time_us", status.members_us);
	ages_json(out);
	out_string(out, "instance", common.instance);
	out_string(out, "kind", common.kind);
	out_uint(out, "requests_open", gateway->inflight.open);
	reconciliation_json(out, all);
	members_json(out, all ? status.members : status.members_shared);
	pools_json(gateway, request, operator_id);
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}
