/* Voids that take back a round's jackpots: one key or user of the operator requests them, another
 * approves or refuses. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/pool_actions.h"
#include "services/gateway/adapters/row_json.h"
#include "services/gateway/adapters/voids.h"

#include "libcommon/base/hex.h"
#include "libcommon/io/log.h"

#include <jansson.h>
#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_NUMBER 24
#define HEX_MAX (2 * crypto_hash_sha256_BYTES + 3) /* a digest as text of type bytea */
#define WRITE_MS 4000
#define TELL_AGE_S "10" /* an approved void is taken up again if its outcome is unknown so long */
#define TELL_MOST "16"

static bool taking;

struct waiting {
	struct waiter waiter; /* first */
	uint32_t operator_id;
	struct void_order order;
	bool refuses, again; /* of a decision; again: it is asked for the second time */
	char operator_text[TEXT_NUMBER], player_text[TEXT_NUMBER], round_text[TEXT_NUMBER],
		awards_text[TEXT_NUMBER];
	char id[HEX_MAX], content[HEX_MAX], key[HEX_MAX];
};

#define COLUMNS                                                                                    \
	"encode(id, 'hex') as id, encode(content, 'hex') as _content, status, player, game, "      \
	"round, reason, awards as awards_minor, asked_by, coalesce(approved_by, '') as "           \
	"approved_by, " US("asked") " as time_us, coalesce(outcome, '') as outcome "
enum column {
	ID,
	CONTENT,
	STATUS,
	PLAYER,
	GAME,
	ROUND,
	REASON,
	AWARDS,
	ASKED_BY,
	APPROVED_BY,
	ASKED_US,
	OUTCOME,
	MADE, /* of a decision: this request made it */
	SAME  /* the requester asks */
};

static struct waiting *waiting_new(struct gateway *gateway, struct edge_request *request,
	uint32_t operator_id, const struct void_order *order)
{
	struct waiting *waiting = waiter_new(sizeof(*waiting), gateway, request, order->player);

	waiting->operator_id = operator_id;
	waiting->order = *order;
	pg_bytea_text(order->asker, sizeof(order->asker), waiting->key);
	pg_bytea_text(order->id, ID_BYTES, waiting->id);
	pg_bytea_text(order->hash, ID_BYTES, waiting->content);
	(void)snprintf(
		waiting->operator_text, sizeof(waiting->operator_text), "%" PRIu32, operator_id);
	(void)snprintf(
		waiting->player_text, sizeof(waiting->player_text), "%" PRId64, order->player);
	(void)snprintf(
		waiting->round_text, sizeof(waiting->round_text), "%" PRId64, order->body.round);
	(void)snprintf(
		waiting->awards_text, sizeof(waiting->awards_text), "%" PRId64, order->awards);
	return waiting;
}

bool void_may_name(struct gateway *gateway, struct edge_request *request, uint32_t operator_id,
	struct void_order *order)
{
	struct asker asker;

	if (!pool_operator(operator_id)) {
		wrong_denied(request, "not_pool_operator");
		edge_answer_error(request, 403, "not_pool_operator",
			"The jackpots of a round are the money of all operators, and this operator "
			"may not take them back.",
			"award", "true", "an operator that may act on pools");
		return false;
	}
	if (!asker_of(gateway, request, &asker)) {
		edge_answer_error(request, 401, "operator_key",
			"The session has ended. Nothing was done.", "Authorization", NULL,
			"Bearer and the operator's key, or a session");
		return false;
	}
	memcpy(order->asker, asker.digest, sizeof(order->asker));
	(void)snprintf(order->actor, sizeof(order->actor), "%s", asker.name);
	return true;
}

static void audit(
	const struct waiting *waiting, const char *action, const char *id, uint32_t status)
{
	json_t *json = json_pack("{s:s,s:b}", "id", id, "award", 1);
	char *content;

	if (waiting->refuses)
		(void)json_object_set_new(json, "reason", json_string(waiting->order.body.reason));
	content = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	audit_write(waiting->waiter.gateway, waiting->waiter.ticket, waiting->operator_id, action,
		waiting->order.player, content == NULL ? "{}" : content, status);
	free(content);
}

/* ---- what is approved ---- */

static void on_noted(void *context, PGresult *result, const char *error)
{
	(void)context;
	/* It is taken up again, and comes to the same. */
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK)
		log_warn_as("gateway.void.unnoted",
			"an approved void: its outcome could not be noted: %s",
			error != NULL ? error : PQresultErrorMessage(result));
}

void void_note(struct gateway *gateway, player_id player, const uint8_t id[ID_BYTES],
	const char *outcome, uint32_t status, bool audited)
{
	char operator_text[TEXT_NUMBER], id_text[HEX_MAX], status_text[TEXT_NUMBER];
	const char *parameters[] = { operator_text, id_text, outcome, status_text,
		audited ? "false" : "true" };

	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, player_operator(player));
	pg_bytea_text(id, ID_BYTES, id_text);
	(void)snprintf(status_text, sizeof(status_text), "%" PRIu32, status);
	pg_pool_query(gateway->pg,
		"select gateway.void_noted($1::integer, $2::bytea, $3, $4::integer, $5::boolean)",
		5, parameters, WRITE_MS, on_noted, NULL);
}

/* The order of an approved row, as requested; false if the row is not readable. */
static bool order_read(const PGresult *rows, int i, struct void_order *order)
{
	order->player = pg_number(rows, i, PLAYER);
	order->approved = true;
	order->agreed = pg_number(rows, i, AWARDS);
	order->body.award = true;
	order->body.round = pg_number(rows, i, ROUND);
	(void)snprintf(order->body.game, sizeof(order->body.game), "%s", PQgetvalue(rows, i, GAME));
	(void)snprintf(
		order->body.reason, sizeof(order->body.reason), "%s", PQgetvalue(rows, i, REASON));
	return hex_parse(PQgetvalue(rows, i, ID), ID_BYTES, order->id) &&
	       hex_parse(PQgetvalue(rows, i, CONTENT), ID_BYTES, order->hash);
}

static void on_reopened(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request =
		edge_find(waiting->waiter.gateway->edge, waiting->waiter.ticket);

	if (result != NULL && PQresultStatus(result) == PGRES_COMMAND_OK)
		void_carry_out(waiting->waiter.gateway, &waiting->order);
	else if (request != NULL)
		answer_unavailable(request, error);
	free(waiting);
}

/* Carries an approved order out, and takes `waiting`. One that was refused after its approval may
 * be asked for again: then its outcome is open again, so that this attempt is not lost either. */
static void approved(struct waiting *waiting, const PGresult *row)
{
	const char *outcome = PQgetvalue(row, 0, OUTCOME);
	const char *parameters[] = { waiting->operator_text, waiting->id };

	if (!order_read(row, 0, &waiting->order)) {
		free(waiting);
	} else if (outcome[0] == '\0' || strcmp(outcome, "voided") == 0) {
		void_carry_out(waiting->waiter.gateway, &waiting->order);
		free(waiting);
	} else {
		pg_pool_query(waiting->waiter.gateway->pg,
			"update gateway.void_request set told = now(), outcome = null where "
			"operator = $1::integer and id = $2::bytea and status = 'approved' and "
			"outcome is distinct from 'voided'",
			2, parameters, WRITE_MS, on_reopened, waiting);
	}
}

static void on_taken(void *context, PGresult *result, const char *error)
{
	struct gateway *gateway = context;

	taking = false;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK) {
		log_warn_as("gateway.voids.unreadable", "cannot read the approved voids: %s",
			error != NULL ? error : PQresultErrorMessage(result));
		return;
	}
	for (int i = 0; i < PQntuples(result); i++) {
		struct void_order order = { 0 };

		if (order_read(result, i, &order))
			void_carry_out(gateway, &order);
	}
}

void voids_tick(struct gateway *gateway)
{
	if (taking)
		return;
	taking = true;
	pg_pool_query(gateway->pg,
		"select " COLUMNS "from gateway.void_take(" TELL_AGE_S ", " TELL_MOST ")", 0, NULL,
		WRITE_MS, on_taken, gateway);
}

/* ---- asking ---- */

static void answer_order(
	struct waiting *waiting, struct edge_request *request, const PGresult *row, uint32_t status)
{
	struct gateway *gateway = waiting->waiter.gateway;

	out_begin(&gateway->out);
	row_json(&gateway->out, row, 0);
	answer_sent(gateway, request, status);
}

static void on_asked(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);

	if (request == NULL)
		goto out;
	if (PQntuples(result) == 0) {
		/* the same request at the same moment: the client must retry */
		answer_unavailable(request, "the same request, which is still being handled");
	} else if (strcmp(PQgetvalue(result, 0, CONTENT), waiting->content + 2) != 0) {
		audit(waiting, "void", PQgetvalue(result, 0, ID), 422);
		void_other_content(request);
	} else if (strcmp(PQgetvalue(result, 0, STATUS), "approved") == 0) {
		approved(waiting, result);
		return;
	} else if (strcmp(PQgetvalue(result, 0, STATUS), "refused") == 0) {
		edge_answer_error(request, 409, "approval_refused",
			"Another user or key has refused this request. Nothing was done.",
			"Idempotency-Key", NULL, "a new key, if it is to be asked for again");
	} else {
		audit(waiting, "void", PQgetvalue(result, 0, ID), 202);
		answer_order(waiting, request, result, 202);
	}
out:
	free(waiting);
}

void void_ask_second(
	struct gateway *gateway, struct edge_request *request, const struct void_order *order)
{
	struct waiting *waiting =
		waiting_new(gateway, request, player_operator(order->player), order);
	const char *parameters[] = { waiting->operator_text, waiting->id, waiting->content,
		waiting->player_text, order->body.game, waiting->round_text, order->body.reason,
		waiting->awards_text, waiting->key, waiting->order.actor };

	pg_pool_query(gateway->pg,
		"with made as (insert into gateway.void_request (operator, id, content, player, "
		"game, round, reason, awards, status, asked_key, asked_by) values ($1::integer, "
		"$2::bytea, $3::bytea, $4::bigint, $5, $6::bigint, $7, $8::bigint, 'waiting', "
		"$9::bytea, $10) on conflict do nothing returning *) select " COLUMNS
		"from made union all select " COLUMNS
		"from gateway.void_request where operator = $1::integer and id = $2::bytea and not "
		"exists (select from made)",
		10, parameters, WRITE_MS, on_asked, waiting);
}

static void answer_decided(struct edge_request *request)
{
	edge_answer_error(request, 409, "approval_decided",
		"This request has already been decided otherwise.", "id",
		edge_parameter(request, 2), "the id of a void that waits for approval");
}

/* Whoever decided has gone: what they approved is recorded, so it is carried out. */
static bool decided_alone(const struct waiting *waiting, const PGresult *result)
{
	return !waiting->refuses && result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK &&
	       PQntuples(result) == 1 && PQgetvalue(result, 0, MADE)[0] == 't';
}

static void decision_query(struct waiting *waiting);

/* Of two decisions at once the second finds the row as it was before the first: still waiting. The
 * next look finds it decided. */
static void on_decided(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	const char *what = waiting->refuses ? "void refusal" : "void approval", *status;

	if (result != NULL && PQntuples(result) == 1 && PQgetvalue(result, 0, MADE)[0] == 't')
		audit(waiting, what, PQgetvalue(result, 0, ID), 200);
	if (request == NULL && decided_alone(waiting, result)) {
		approved(waiting, result);
		return;
	}
	if (request == NULL)
		goto out;
	if (PQntuples(result) == 0) {
		edge_answer_error(request, 404, "void_unknown",
			"No void with this id was requested for this player.", "id",
			edge_parameter(request, 2), "the id of a void that waits for approval");
		goto out;
	}
	status = PQgetvalue(result, 0, STATUS);
	if (PQgetvalue(result, 0, SAME)[0] == 't') {
		audit(waiting, what, PQgetvalue(result, 0, ID), 403);
		answer_same_approver(request);
	} else if (strcmp(status, "waiting") == 0 && !waiting->again) {
		waiting->again = true;
		decision_query(waiting);
		return;
	} else if (strcmp(status, waiting->refuses ? "refused" : "approved") != 0) {
		answer_decided(request);
	} else if (waiting->refuses) {
		answer_order(waiting, request, result, 200);
	} else {
		approved(waiting, result);
		return;
	}
out:
	free(waiting);
}

static void decision_query(struct waiting *waiting)
{
	const char *parameters[] = { waiting->operator_text, waiting->id, waiting->key,
		waiting->order.actor, waiting->player_text,
		waiting->refuses ? "refused" : "approved" };

	pg_pool_query(waiting->waiter.gateway->pg,
		"with made as (update gateway.void_request set status = $6, approved_key = "
		"$3::bytea, approved_by = $4, approved = now(), told = now() where operator = $1::integer and id "
		"= $2::bytea and player = $5::bigint and status = 'waiting' and asked_key <> "
		"$3::bytea returning *) select " COLUMNS
		", true as _made, false as _same from made union all select " COLUMNS
		", false, asked_key = $3::bytea from gateway.void_request where operator = "
		"$1::integer and id = $2::bytea and player = $5::bigint and not exists (select "
		"from made)",
		6, parameters, WRITE_MS, on_decided, waiting);
}

static void decide(struct edge_request *request, struct gateway *gateway, bool refuses)
{
	struct void_order order = { 0 };
	struct reason_body body = { 0 };
	uint32_t operator_id;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &order.player) || !id_path(request, order.id) ||
		!void_may_name(gateway, request, operator_id, &order) ||
		(refuses && !answer_parse(request, reason_fields, &body)))
		return;
	(void)snprintf(order.body.reason, sizeof(order.body.reason), "%s", body.reason);
	order.ticket = edge_ticket(request);
	struct waiting *waiting = waiting_new(gateway, request, operator_id, &order);
	waiting->refuses = refuses;
	decision_query(waiting);
}

void on_void_approve(struct edge_request *request, void *context)
{
	decide(request, context, false);
}

void on_void_refuse(struct edge_request *request, void *context)
{
	decide(request, context, true);
}

static const struct list requests_list = { "requests",
	"id status player game round reason awards_minor asked_by approved_by outcome time_us", 200,
	200, NULL };

static void on_listed(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);

	if (request != NULL)
		list_answer(waiting->waiter.gateway, request, &requests_list, result, row_json);
	free(waiting);
}

void on_void_requests(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	const struct void_order none = { 0 };
	struct list_page page;
	uint32_t operator_id;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &requests_list, &page))
		return;
	struct waiting *waiting = waiting_new(gateway, request, operator_id, &none);
	const char *parameters[] = { waiting->operator_text, page.after[0], page.after[1],
		page.limit_text };
	pg_pool_query(gateway->pg_ro,
		"select " COLUMNS ", (extract(epoch from asked) * 1000000)::bigint || ' ' || "
		"encode(id, 'hex') as _position from gateway.void_request where operator = "
		"$1::integer and ($2::bigint is null or (extract(epoch from asked) * 1000000, id) < ($2::bigint, "
		"decode($3, 'hex'))) order by asked desc, void_request.id desc limit $4::bigint",
		4, parameters, QUERY_MS, on_listed, waiting);
}
