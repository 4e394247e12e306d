/* The player's own session: its end by logout, its clock and result, and the interval of the
 * reality check. */
#include "services/gateway/adapters/gateway.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX "500" /* rows read for the result of a session */
#define UNSEEN_MAX 64  /* rounds; a player has one open round in a game */
#define UNSEEN_TEXT (UNSEEN_MAX * 21 + 3)

struct waiting {
	struct waiter waiter; /* first */
	struct auth_session session;
	char unseen[UNSEEN_TEXT]; /* rounds, as an array of Postgres */
	uint64_t expect;	  /* the player's next move */
	uint64_t before_s; /* logout: of all sessions that began up to then; 0: of this one */
};

static struct waiting *waiting_new(
	struct gateway *gateway, struct edge_request *request, player_id player)
{
	struct waiting *waiting = waiter_new(sizeof(*waiting), gateway, request, player);

	waiting->session = auth_session(gateway, request);
	return waiting;
}

/* ---- logout ---- */

/* Other gateways' clocks may be ahead of this one's by so much: a token that they have just issued
 * is ended too. */
#define CLOCKS_APART_S 2

static const char gone_sql[] =
	"with gone as (delete from gateway.revoked where number in (select number from "
	"gateway.revoked where expires < now() - interval '1 day' order by expires limit 100)), new "
	"as (insert into gateway.revoked (session, player, before, expires) values (decode($1, "
	"'hex'), $2::bigint, to_timestamp($3::bigint), to_timestamp($4::bigint)) on conflict "
	"(session) do nothing) select 1";

/* Refused here from now on; elsewhere as soon as the row is read. */
static void on_revoked(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct gateway *gateway = waiting->waiter.gateway;
	struct json_out *out = &gateway->out;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	uint64_t now_s = clock_wall_us() / SECOND_US;
	bool done = result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK;

	if (done && waiting->before_s > 0)
		revoked_add_player(gateway->revoked, waiting->waiter.player, waiting->before_s,
			now_s, waiting->session.expires_s);
	else if (done)
		revoked_add(
			gateway->revoked, waiting->session.name, now_s, waiting->session.expires_s);
	if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_bool(out, "logged_out", true);
		out_close(out, '}');
		answer_sent(gateway, request, 200);
	}
	free(waiting);
}

/* ?all=true: all sessions of the player. False when an error was answered. */
static bool all_read(struct edge_request *request, bool *all_r)
{
	static const char *const names[] = { "all", NULL };
	char text[8];

	if (!answer_query(request, names))
		return false;
	*all_r = edge_query(request, "all", text, sizeof(text)) != NULL;
	if (!*all_r || strcmp(text, "true") == 0)
		return true;
	answer_bad(request, "all", text, "true, or leave the parameter out");
	return false;
}

void on_logout(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	player_id player_;
	char player[24], before[24], expires[24];
	struct waiting *waiting;
	bool all;

	if (!auth_player(gateway, request, &player_) || !all_read(request, &all))
		return;
	waiting = waiting_new(gateway, request, player_);
	if (all) {
		waiting->before_s = clock_wall_us() / SECOND_US + CLOCKS_APART_S;
		waiting->session.expires_s =
			waiting->before_s + (uint64_t)gateway->settings.session_s;
	}
	const char *parameters[] = { all ? NULL : waiting->session.name, player,
		all ? before : NULL, expires };
	(void)snprintf(player, sizeof(player), "%" PRId64, player_);
	(void)snprintf(before, sizeof(before), "%" PRIu64, waiting->before_s);
	(void)snprintf(expires, sizeof(expires), "%" PRIu64, waiting->session.expires_s);
	pg_pool_query(gateway->pg, gone_sql, 4, parameters, QUERY_MS, on_revoked, waiting);
}

/* ---- clock and result ---- */

static const char session_sql[] =
	"select coalesce(a.currency, 0), s.rounds, s.staked, s.returned, s.whole::integer, "
	"coalesce(g.reality_check_s, -1) from (select 1) one "
	"left join wallet.account a on a.player = $1::bigint "
	"left join gateway.player g on g.player = $1::bigint, "
	"gateway.played_since($1::bigint, $2::integer, to_timestamp($3::bigint), " ROWS_MAX ", "
	"$4::bigint[], $5::bigint) s";

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

static void read_played(struct waiting *waiting)
{
	struct gateway *gateway = waiting->waiter.gateway;
	char player[24], shard[24], since[24], expect[24];
	const char *parameters[] = { player, shard, since, waiting->unseen, expect };

	(void)snprintf(player, sizeof(player), "%" PRId64, waiting->waiter.player);
	(void)snprintf(shard, sizeof(shard), "%" PRIu32,
		shard_of_player(waiting->waiter.player, gateway->shards));
	(void)snprintf(since, sizeof(since), "%" PRIu64, waiting->session.since_s);
	(void)snprintf(expect, sizeof(expect), "%" PRIu64, waiting->expect);
	pg_pool_query(gateway->pg_ro, session_sql, 5, parameters, QUERY_MS, on_played, waiting);
}

/* "{17,23}" */
static void unseen_write(const Carillon__SpinReply *reply, char out[UNSEEN_TEXT])
{
	size_t n = reply->n_hidden_rounds < UNSEEN_MAX ? reply->n_hidden_rounds : UNSEEN_MAX;
	int at = snprintf(out, UNSEEN_TEXT, "{");

	for (size_t i = 0; i < n; i++)
		at += snprintf(out + at, UNSEEN_TEXT - (size_t)at, "%s%" PRIu64, i > 0 ? "," : "",
			reply->hidden_rounds[i]);
	(void)snprintf(out + at, UNSEEN_TEXT - (size_t)at, "}");
}

/* The engine has said what the player has seen. */
static void on_seen(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	struct waiting *waiting;

	(void)fact;
	if (!reply_accepted(gateway, request, sent, reply))
		return;
	waiting = waiting_new(gateway, request, sent->player);
	unseen_write(reply, waiting->unseen);
	waiting->expect = reply->expect;
	read_played(waiting);
}

static void ask(struct gateway *gateway, struct edge_request *request, player_id player)
{
	struct service_request sent = { .done = on_seen, .player = player };
	Carillon__SpinCommand command;

	carillon__spin_command__init(&command);
	command.kind = CARILLON__SPIN_KIND__SPIN_STATE;
	(void)request_spin(gateway, request, sent, &command);
}

void on_own_session(struct edge_request *request, void *context)
{
	static const char *const none[] = { NULL };
	struct gateway *gateway = context;
	player_id player;

	if (auth_player(gateway, request, &player) && answer_query(request, none))
		ask(gateway, request, player);
}

/* ---- the interval of the reality check ---- */

static void on_interval(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);

	if (request != NULL)
		ask(waiting->waiter.gateway, request, waiting->waiter.player);
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
