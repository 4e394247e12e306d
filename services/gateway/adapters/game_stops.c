/* Games that are stopped: by the engine itself, or by an operator. A stop holds for the players of
 * all operators, so only those that act on what all share stop and start games. Open rounds can be
 * finished. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/pool_actions.h"
#include "services/gateway/adapters/staff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_MS 4000

struct waiting {
	struct waiter waiter; /* first */
	bool stops;
	char game[SLUG_MAX + 1];
};

static void answer_game(struct waiting *waiting, struct edge_request *request, const char *was)
{
	struct json_out *out = &waiting->waiter.gateway->out;

	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "game", waiting->game);
	if (waiting->stops)
		out_bool(out, "stopped", true);
	else
		out_string(out, "was", was);
	out_close(out, '}');
	answer_sent(waiting->waiter.gateway, request, 200);
}

static void on_done(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);

	if (request == NULL)
		;
	else if (waiting->stops && strcmp(PQgetvalue(result, 0, 0), "stopped") != 0)
		edge_answer_error(request, 409, "stopped_already",
			"An operator has stopped this game already. Nothing was done.", "game",
			waiting->game, NULL);
	else if (!waiting->stops && PQgetisnull(result, 0, 0))
		edge_answer_error(request, 409, "not_stopped",
			"This game is not stopped, or it is already running again.", "game",
			waiting->game, NULL);
	else
		answer_game(waiting, request, PQgetvalue(result, 0, 0));
	free(waiting);
}

static bool may_stop(struct edge_request *request, uint32_t operator_id)
{
	if (pool_operator(operator_id))
		return true;
	edge_answer_error(request, 403, "not_pool_operator",
		"A game is stopped for all operators, and this operator may not stop or start it.",
		"operator", NULL, "an operator that may act on pools");
	return false;
}

static void change(struct edge_request *request, struct gateway *gateway, bool stops)
{
	const char *slug = edge_parameter(request, 1);
	struct reason_body body = { 0 };
	struct waiting *waiting;
	struct asker asker;
	char operator_text[16], actor[ACTOR_MAX], from[ASKER_FROM_MAX];
	uint32_t operator_id;
	const char *parameters[] = { slug, operator_text, actor, from, edge_request_id(request),
		body.reason };

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!may_stop(request, operator_id) || !key_may_stop(gateway, request, operator_id) ||
		(strcmp(slug, "all") != 0 && !game_served(gateway, request, slug)) ||
		!answer_parse(request, reason_fields, &body))
		return;
	waiting = waiter_new(sizeof(*waiting), gateway, request, 0);
	waiting->stops = stops;
	(void)snprintf(waiting->game, sizeof(waiting->game), "%s", slug);
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	actor_of(gateway, request, operator_id, actor);
	(void)asker_of(gateway, request, &asker);
	asker_from(&asker, request, from);
	pg_pool_query(gateway->pg,
		stops ? "select gateway.game_stop($1, $2::integer, $3, $4, $5, $6)"
		      : "select gateway.game_resume($1, $2::integer, $3, $4, $5, $6)",
		6, parameters, WRITE_MS, on_done, waiting);
}

void on_game_start(struct edge_request *request, void *context)
{
	change(request, context, false);
}

void on_game_stop(struct edge_request *request, void *context)
{
	change(request, context, true);
}

/* ---- which are stopped ---- */

static const char stops_sql[] =
	"with s as (select s.game, 'engine' as by, s.reason, '' as actor, s.since from "
	"engine.stopped_game s where not exists (select from gateway.game_start g where g.game = "
	"s.game and g.time >= s.since) union all select w.game, 'operator', w.reason, w.actor, "
	"w.since from wallet.switch w) select game, by, case when $1::boolean then reason else '' "
	"end, case when $1::boolean then actor else '' end, (extract(epoch from since) * "
	"1000000)::bigint from s order by game, by";

static void stop_json(struct json_out *out, const PGresult *rows, int i)
{
	uint32_t game = (uint32_t)pg_number(rows, i, 0);

	out_open(out, NULL, '{');
	out_string(out, "game", game == 0 ? "all" : game_slug(game));
	out_string(out, "by", PQgetvalue(rows, i, 1));
	out_string(out, "reason", PQgetvalue(rows, i, 2));
	out_string(out, "actor", PQgetvalue(rows, i, 3));
	out_int(out, "since_us", pg_number(rows, i, 4));
	out_close(out, '}');
}

static const struct list stops_list = { "stopped", "game by reason actor since_us", 0, 0, NULL };

static void on_stops(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL)
		list_answer(waiter->gateway, request, &stops_list, result, stop_json);
	free(waiter);
}

/* Why and by whom is for those who act on what all share. */
void on_game_stops(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	uint32_t operator_id;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &stops_list, &page))
		return;
	const char *parameters[] = { pool_operator(operator_id) ? "true" : "false" };
	pg_pool_query(gateway->pg_ro, stops_sql, 1, parameters, QUERY_MS, on_stops,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}
