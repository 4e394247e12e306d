/* The player's own session: its end by logout, its clock and result, and the interval of the
 * reality check. */
#include "services/gateway/adapters/gateway.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS_MAX "500" /* rows read for the result of a session */

struct waiting {
	struct waiter waiter; /* first */
	struct auth_session session;
};

static struct waiting *waiting_new(
	struct gateway *gateway, struct edge_request *request, player_id player)
{
	struct waiting *waiting = waiter_new(sizeof(*waiting), gateway, request, player);

	waiting->session = auth_session(gateway, request);
	return waiting;
}

/* ---- logout ---- */

/* Refused here from now on; elsewhere as soon as the row is read. */
static void on_revoked(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct gateway *gateway = waiting->waiter.gateway;
	struct json_out *out = &gateway->out;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);

	if (result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK)
		revoked_add(gateway->revoked, waiting->session.name, clock_wall_us() / SECOND_US,
			waiting->session.expires_s);
	if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_bool(out, "logged_out", true);
		out_close(out, '}');
		answer_sent(gateway, request, 200);
	}
	free(waiting);
}

void on_logout(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	player_id player_;
	char player[24], expires[24];
	struct waiting *waiting;

	if (!auth_player(gateway, request, &player_))
		return;
	waiting = waiting_new(gateway, request, player_);
	const char *parameters[] = { waiting->session.name, player, expires };
	(void)snprintf(player, sizeof(player), "%" PRId64, player_);
	(void)snprintf(expires, sizeof(expires), "%" PRIu64, waiting->session.expires_s);
	pg_pool_query(gateway->pg,
		"with gone as (delete from gateway.revoked where number in (select number from "
		"gateway.revoked where expires < now() - interval '1 day' order by expires "
		"limit 100)), new as (insert into gateway.revoked (session, player, expires) values "
		"(decode($1, 'hex'), $2::bigint, to_timestamp($3::bigint)) on conflict (session) "
		"do nothing) select 1",
		3, parameters, QUERY_MS, on_revoked, waiting);
}

/* ---- clock and result ---- */

static const char session_sql[] =
	"select coalesce(a.currency, 0), s.rounds, s.staked, s.returned, s.whole::integer, "
	"coalesce(g.reality_check_s, -1) from (select 1) one "
	"left join wallet.account a on a.player = $1::bigint "
	"left join gateway.player g on g.player = $1::bigint, "
	"gateway.played_since($1::bigint, $2::integer, to_timestamp($3::bigint), " ROWS_MAX ") s";

static void on_played(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct gateway *gateway = waiting->waiter.gateway;
	struct json_out *out = &gateway->out;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	const struct currency *currency;
	int64_t check_s;

	if (request == NULL)
		goto out;
	currency = currency_by_number((uint32_t)pg_number(result, 0, 0));
	check_s = pg_number(result, 0, 5);
	out_begin(out);
	out_open(out, NULL, '{');
	out_uint(out, "since_us", waiting->session.since_s * SECOND_US);
	out_uint(out, "expires_us", waiting->session.expires_s * SECOND_US);
	out_uint(out, "time_us", clock_wall_us());
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	out_int(out, "rounds", pg_number(result, 0, 1));
	out_int(out, "staked_minor", pg_number(result, 0, 2));
	out_int(out, "returned_minor", pg_number(result, 0, 3));
	out_int(out, "net_minor", pg_number(result, 0, 3) - pg_number(result, 0, 2));
	out_bool(out, "whole", pg_number(result, 0, 4) != 0);
	out_int(out, "reality_check_s", check_s >= 0 ? check_s : gateway->settings.reality_check_s);
	out_close(out, '}');
	answer_sent(gateway, request, 200);
out:
	free(waiting);
}

static void ask(struct waiting *waiting)
{
	struct gateway *gateway = waiting->waiter.gateway;
	char player[24], shard[24], since[24];
	const char *parameters[] = { player, shard, since };

	(void)snprintf(player, sizeof(player), "%" PRId64, waiting->waiter.player);
	(void)snprintf(shard, sizeof(shard), "%" PRIu32,
		shard_of_player(waiting->waiter.player, gateway->shards));
	(void)snprintf(since, sizeof(since), "%" PRIu64, waiting->session.since_s);
	pg_pool_query(gateway->pg_ro, session_sql, 3, parameters, QUERY_MS, on_played, waiting);
}

void on_own_session(struct edge_request *request, void *context)
{
	static const char *const none[] = { NULL };
	struct gateway *gateway = context;
	player_id player;

	if (auth_player(gateway, request, &player) && answer_query(request, none))
		ask(waiting_new(gateway, request, player));
}

/* ---- the interval of the reality check ---- */

static void on_interval(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;

	if (waiter_rows(&waiting->waiter, result, error) != NULL)
		ask(waiting);
	else
		free(waiting);
}

void on_own_session_set(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct own_session_body body = { 0 };
	struct problem problem;
	player_id player_;
	char player[24], seconds[24];
	const char *parameters[] = { player, seconds };

	if (!auth_action(gateway, request, &player_) ||
		!answer_parse(request, own_session_fields, &body))
		return;
	if (own_session_check(&body, &problem) != FIELDS_OK) {
		answer_problem(request, &problem);
		return;
	}
	(void)snprintf(player, sizeof(player), "%" PRId64, player_);
	(void)snprintf(seconds, sizeof(seconds), "%" PRId64, body.reality_check_s);
	pg_pool_query(gateway->pg,
		"insert into gateway.player (player, reality_check_s) values ($1::bigint, "
		"$2::integer) on conflict (player) do update set reality_check_s = "
		"excluded.reality_check_s returning 1",
		2, parameters, QUERY_MS, on_interval, waiting_new(gateway, request, player_));
}
