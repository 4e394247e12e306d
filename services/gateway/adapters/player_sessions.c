/* Players' sessions for support: each is kept when it begins; when it ended, and how, is read from
 * what ended it. A move writes nothing here. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/row_json.h"

#include "libcommon/base/session.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT 50
#define LIMIT_MAX 200
#define WRITE_MS 5000
#define TEXT_NUMBER 24

/* ---- keeping ---- */

static void on_kept(void *context, PGresult *result, const char *error)
{
	(void)context;
	if (result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK)
		return;
	log_warn_as("gateway.session.not_kept",
		"a player's session is not in the list of the player's sessions as it should be: "
		"%s",
		error != NULL ? error : PQresultErrorMessage(result));
}

void player_session_begins(struct gateway *gateway, player_id player, const char *token,
	uint64_t since_s, uint64_t expires_s)
{
	char name[SESSION_NAME_MAX], number[TEXT_NUMBER], since[TEXT_NUMBER], expires[TEXT_NUMBER];
	const char *parameters[] = { name, number, since, expires };

	session_name(token, name);
	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	(void)snprintf(since, sizeof(since), "%" PRIu64, since_s);
	(void)snprintf(expires, sizeof(expires), "%" PRIu64, expires_s);
	pg_pool_query(gateway->pg,
		"select gateway.session_note(decode($1, 'hex'), $2::bigint, "
		"to_timestamp($3::bigint), to_timestamp($4::bigint))",
		4, parameters, WRITE_MS, on_kept, NULL);
}

void player_session_idle(struct gateway *gateway, const char *name, uint64_t since_ms)
{
	char since[TEXT_NUMBER];
	const char *parameters[] = { name, since };

	(void)snprintf(since, sizeof(since), "%" PRIu64, since_ms);
	pg_pool_query(gateway->pg,
		"select gateway.session_idle(decode($1, 'hex'), timestamptz 'epoch' + $2::bigint * "
		"interval '1 millisecond')",
		2, parameters, WRITE_MS, on_kept, NULL);
}

/* ---- reading ---- */

enum { NAME, BEGAN, EXPIRES, ENDED, HOW };

static const struct list sessions_list = { "sessions", "began_us expires_us ended_us end",
	LIMIT_DEFAULT, LIMIT_MAX, NULL };

static void session_json(
	struct json_out *out, const PGresult *result, int row, uint64_t idle_since_ms)
{
	out_open(out, NULL, '{');
	out_int(out, "began_us", pg_number(result, row, BEGAN));
	out_int(out, "expires_us", pg_number(result, row, EXPIRES));
	if (idle_since_ms != 0)
		out_uint(out, "ended_us", idle_since_ms * 1000);
	else if (PQgetisnull(result, row, ENDED))
		out_null(out, "ended_us");
	else
		out_int(out, "ended_us", pg_number(result, row, ENDED));
	out_string(out, "end", idle_since_ms != 0 ? "idle" : PQgetvalue(result, row, HOW));
	out_close(out, '}');
}

/* Of the open sessions of a page: since when each has ended by inactivity, 0: it has not. Redis
 * knows when a player last acted; nobody may have asked since. */
static void idle_read(struct gateway *gateway, const PGresult *result, int rows,
	uint64_t idle_since_ms[LIMIT_MAX])
{
	const char *names[LIMIT_MAX];
	int of[LIMIT_MAX];
	uint64_t since_ms[LIMIT_MAX] = { 0 };
	size_t n = 0;

	for (int i = 0; i < rows; i++) {
		idle_since_ms[i] = 0;
		if (strcmp(PQgetvalue(result, i, HOW), "open") != 0)
			continue;
		names[n] = PQgetvalue(result, i, NAME);
		of[n++] = i;
	}
	presence_idle(gateway, names, n, since_ms);
	for (size_t i = 0; i < n; i++) {
		idle_since_ms[of[i]] = since_ms[i];
		if (since_ms[i] != 0)
			player_session_idle(gateway, names[i], since_ms[i]);
	}
}

static void on_listed(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct gateway *gateway = waiter->gateway;
	struct json_out *out = &gateway->out;
	uint64_t idle_since_ms[LIMIT_MAX];
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL) {
		int rows = PQntuples(result) < LIMIT_MAX ? PQntuples(result) : LIMIT_MAX;
		idle_read(gateway, result, rows, idle_since_ms);
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "sessions", '[');
		for (int i = 0; i < rows; i++)
			session_json(out, result, i, idle_since_ms[i]);
		out_close(out, ']');
		list_end(gateway, request, &sessions_list,
			list_next(request, &sessions_list, result, rows));
	}
	free(waiter);
}

void on_player_sessions(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	char number[TEXT_NUMBER];
	uint32_t operator_id;
	player_id player;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &player) ||
		!list_asked(gateway, request, &sessions_list, &page))
		return;
	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	const char *parameters[] = { number, page.after[0], page.after[1], page.limit_text };
	pg_pool_query(gateway->pg_ro,
		"select encode(session, 'hex'), " US("began") ", " US("expires") ", (extract(epoch from ended) * 1000000)::bigint, how, " US(
			"began") " || ' ' || encode(session, 'hex') from "
				 "gateway.player_sessions($1::bigint, timestamptz 'epoch' + "
				 "$2::bigint * interval '1 microsecond', decode($3, 'hex'), "
				 "$4::bigint) order by began desc, session desc",
		4, parameters, QUERY_MS, on_listed,
		waiter_new(sizeof(struct waiter), gateway, request, player));
}
