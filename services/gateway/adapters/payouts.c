/* Withdrawals: an operator's back end lists them and decides stuck ones by hand; the provider
 * calls back. Also takes back unused bonus funds. Only the wallet decides whether a hold is
 * still open. */
#include "services/gateway/adapters/amounts.h"
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/payouts.h"
#include "services/gateway/adapters/staff.h"

#include "bus.pb-c.h"
#include "libcommon/base/hex.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HINT_MAX 256
#define WRITE_MS 4000
#define REVIEW 13 /* of HOLD_COLUMNS */

/* $1 player. */
#define HOLDS_SQL                                                                                  \
	"select " HOLD_COLUMNS ", h.booked_seq " HOLD_FROM "where h.player = $1::bigint and "      \
	"h.kind = 28 and "

/* Newest first, after the row $2. */
static const char list_sql[] = HOLDS_SQL
	"($2::bigint is null or h.booked_seq < $2::bigint) order by h.booked_seq desc limit "
	"$3::bigint";
static const char one_sql[] = HOLDS_SQL "h.id = $2::bytea";

static const struct list withdrawals_list = { "withdrawals",
	"id state amount_minor currency seq settled_seq booked_us settled_us provider.state "
	"provider.outcome provider.asks provider.reference alarms review",
	200, 200, NULL };

/* payments.payout.outcome */
static const char *const outcomes[] = { "unknown", "paid", "refused" };

struct waiting {
	struct gateway *gateway;
	uint64_t ticket;
	player_id player;
	bool one;
	/* A decision by hand. */
	uint8_t id[ID_BYTES];
	struct decision_body decision;
	char key[KEY_MAX + 1];
};

static struct waiting *waiting_new(
	struct gateway *gateway, struct edge_request *request, player_id player)
{
	struct waiting *waiting = calloc(1, sizeof(*waiting));

	if (waiting == NULL)
		fatal("out of memory");
	waiting->gateway = gateway;
	waiting->ticket = edge_ticket(request);
	waiting->player = player;
	return waiting;
}

static void hold_query(struct waiting *waiting, const uint8_t *id, pg_done *done)
{
	char player[24], text[2 * ID_BYTES + 3];
	const char *parameters[] = { player, text };

	(void)snprintf(player, sizeof(player), "%" PRId64, waiting->player);
	pg_bytea_text(id, ID_BYTES, text);
	pg_pool_query(waiting->gateway->pg_ro, one_sql, 2, parameters, QUERY_MS, done, waiting);
}

/* The waiting request; NULL if it has gone, or was answered because the query failed. */
static struct edge_request *request_of(
	const struct waiting *waiting, const PGresult *result, const char *error)
{
	struct edge_request *request = edge_find(waiting->gateway->edge, waiting->ticket);

	if (request == NULL || (result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK))
		return request;
	answer_unavailable(request, error);
	return NULL;
}

static void unknown(struct edge_request *request)
{
	edge_answer_error(request, 404, "withdrawal_unknown", "This player has no such withdrawal.",
		"id", NULL, NULL);
}

/* ---- reading ---- */

static const char *state_text(int64_t settled_kind)
{
	if (settled_kind == CARILLON__MOVE_KIND__MOVE_CAPTURE)
		return "paid";
	return settled_kind == CARILLON__MOVE_KIND__MOVE_HOLD_RELEASE ? "released" : "held";
}

void hold_members(struct json_out *out, const PGresult *result, int i)
{
	static const char *const states[] = { "waiting", "asking", "known", "looking", "settled",
		"done" };
	const struct currency *currency = currency_by_number((uint32_t)pg_number(result, i, 1));

	out_string(out, "id", PQgetvalue(result, i, 0));
	out_string(out, "state", state_text(pg_number(result, i, 3)));
	out_int(out, "amount_minor", pg_number(result, i, 2));
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	out_int(out, "seq", pg_number(result, i, 4));
	out_int(out, "settled_seq", pg_number(result, i, 5));
	out_int(out, "booked_us", pg_number(result, i, 6));
	out_int(out, "settled_us", pg_number(result, i, 7));
	out_open(out, "provider", '{');
	out_string(out, "state", states[(pg_number(result, i, 8) + 1) % 6]);
	out_string(out, "outcome", outcomes[pg_number(result, i, 9) % 3]);
	out_int(out, "asks", pg_number(result, i, 10));
	out_string(out, "reference", PQgetvalue(result, i, 11));
	out_close(out, '}');
	out_raw(out, "alarms", PQgetvalue(result, i, 12));
	out_string(out, "review", PQgetvalue(result, i, REVIEW));
}

static void hold_json(struct json_out *out, const PGresult *result, int i)
{
	out_open(out, NULL, '{');
	hold_members(out, result, i);
	out_close(out, '}');
}

static void on_holds(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = request_of(waiting, result, error);

	if (request != NULL && waiting->one && PQntuples(result) == 0) {
		unknown(request);
	} else if (request != NULL && waiting->one) {
		answer_row(waiting->gateway, request, result, hold_json);
	} else if (request != NULL) {
		list_answer(waiting->gateway, request, &withdrawals_list, result, hold_json);
	}
	free(waiting);
}

void on_withdrawals(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	char number[24];
	uint32_t operator_id;
	player_id player;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &player) ||
		!list_asked(gateway, request, &withdrawals_list, &page))
		return;
	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	const char *parameters[] = { number, page.after[0], page.limit_text };
	pg_pool_query(gateway->pg_ro, list_sql, 3, parameters, QUERY_MS, on_holds,
		waiting_new(gateway, request, player));
}

void on_withdrawal_look(struct edge_request *request, void *context)
{
	static const char *const names[] = { NULL };
	struct gateway *gateway = context;
	struct waiting *waiting;
	uint8_t id[ID_BYTES];
	uint32_t operator_id;
	player_id player;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &player) || !id_path(request, id) ||
		!answer_query(request, names))
		return;
	waiting = waiting_new(gateway, request, player);
	waiting->one = true;
	hold_query(waiting, id, on_holds);
}

/* ---- deciding by hand ---- */

/* Stored before the wallet is told, by whoever approves it if the amount needs two. */
static void decide(struct waiting *waiting, struct edge_request *request, const PGresult *hold)
{
	struct service_request sent = { .done = money_done, .player = waiting->player };
	bool capture = waiting->decision.decision == DECISION_CAPTURE;
	struct amount amount = { .currency = currency_by_number((uint32_t)pg_number(hold, 0, 1)),
		.minor = pg_number(hold, 0, 2),
		.key = waiting->key,
		.forced = waiting->decision.force };
	char actor[ACTOR_MAX];
	Carillon__Outside outside;

	if (amount.currency == NULL) {
		answer_unavailable(request, "a withdrawal in an unknown currency");
		return;
	}
	carillon__outside__init(&outside);
	actor_of(waiting->gateway, request, player_operator(waiting->player), actor);
	outside.kind = capture ? CARILLON__MOVE_KIND__MOVE_CAPTURE
			       : CARILLON__MOVE_KIND__MOVE_HOLD_RELEASE;
	outside.currency = amount.currency->number;
	outside.amount_minor = amount.minor;
	outside.of.data = waiting->id;
	outside.of.len = ID_BYTES;
	outside.actor = actor;
	outside.reason = waiting->decision.reason;
	(void)snprintf(sent.text, sizeof(sent.text), "withdrawal %s by hand%s",
		capture ? "captured" : "released", amount.forced ? ", forced" : "");
	amounts_book(waiting->gateway, request, sent, &outside, &amount);
}

static bool key_may_decide(
	const struct waiting *waiting, struct edge_request *request, const PGresult *hold)
{
	const struct currency *currency = currency_by_number((uint32_t)pg_number(hold, 0, 1));

	return currency == NULL || key_may_move(waiting->gateway, request, waiting->player,
					   currency, pg_number(hold, 0, 2));
}

/* The provider is not asked meanwhile, so it may be given back at once. */
static bool gives_back_reviewed(const struct waiting *waiting, const PGresult *hold)
{
	return waiting->decision.decision != DECISION_CAPTURE &&
	       strcmp(PQgetvalue(hold, 0, REVIEW), "waiting") == 0;
}

/* An operator cannot decide a withdrawal while the provider may be about to pay it. */
static void on_hold_to_decide(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = request_of(waiting, result, error);
	char found[64], expected[64];

	if (request != NULL && PQntuples(result) == 0) {
		unknown(request);
	} else if (request != NULL && key_may_decide(waiting, request, result)) {
		int64_t age_s = ((int64_t)clock_wall_us() - pg_number(result, 0, 6)) / 1000000;
		(void)snprintf(found, sizeof(found), "booked %" PRId64 " s ago", age_s);
		(void)snprintf(expected, sizeof(expected), "at least %" PRId64 " s ago",
			waiting->gateway->settings.decide_after_s);
		if (age_s >= waiting->gateway->settings.decide_after_s ||
			gives_back_reviewed(waiting, result)) {
			decide(waiting, request, result);
		} else {
			edge_answer_error(request, 409, "withdrawal_young",
				"The provider may still be processing this withdrawal. Only a "
				"stuck withdrawal can be decided by hand.",
				"id", found, expected);
		}
	}
	free(waiting);
}

void on_withdrawal_decide(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct decision_body body = { 0 };
	struct waiting *waiting;
	uint8_t id[ID_BYTES];
	uint32_t operator_id;
	player_id player;
	const char *key;

	if (!auth_operator_path(gateway, request, &operator_id) || !auth_key(request, &key) ||
		!player_path(request, operator_id, &player) || !id_path(request, id) ||
		!answer_parse(request, decision_fields, &body))
		return;
	waiting = waiting_new(gateway, request, player);
	waiting->decision = body;
	memcpy(waiting->id, id, ID_BYTES);
	(void)snprintf(waiting->key, sizeof(waiting->key), "%s", key);
	hold_query(waiting, id, on_hold_to_decide);
}

/* ---- letting the provider pay ---- */

static void on_approved(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct json_out *out = &waiting->gateway->out;
	struct edge_request *request = request_of(waiting, result, error);
	int64_t status = request == NULL ? 0 : pg_number(result, 0, 0);

	if (request != NULL && status == 404) {
		unknown(request);
	} else if (request != NULL && status == 409) {
		edge_answer_error(request, 409, "review_not_waiting",
			"This withdrawal does not wait for an approval. Nothing was done.", "id",
			edge_parameter(request, 2), "a withdrawal whose review is waiting");
	} else if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_string(out, "id", edge_parameter(request, 2));
		out_string(out, "review", "approved");
		out_close(out, '}');
		answer_sent(waiting->gateway, request, 200);
	}
	free(waiting);
}

static void approve(
	struct waiting *waiting, struct edge_request *request, const struct asker *asker)
{
	char operator_text[24], player[24], id[2 * ID_BYTES + 3], from[ASKER_FROM_MAX];
	const char *parameters[] = { operator_text, player, id, from, asker->name,
		edge_request_id(request), waiting->decision.reason };

	(void)snprintf(
		operator_text, sizeof(operator_text), "%" PRIu32, player_operator(waiting->player));
	(void)snprintf(player, sizeof(player), "%" PRId64, waiting->player);
	pg_bytea_text(waiting->id, ID_BYTES, id);
	asker_from(asker, request, from);
	pg_pool_query(waiting->gateway->pg,
		"select http, code from gateway.review_approve($1::integer, $2::bigint, $3::bytea, "
		"$4, $5, $6, $7)",
		7, parameters, WRITE_MS, on_approved, waiting);
}

/* A key may let pay what it may book. */
static void on_hold_to_approve(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = request_of(waiting, result, error);
	struct asker asker;

	if (request != NULL && PQntuples(result) == 0) {
		unknown(request);
	} else if (request != NULL && key_may_decide(waiting, request, result)) {
		if (asker_of(waiting->gateway, request, &asker)) {
			approve(waiting, request, &asker);
			return;
		}
		edge_answer_error(request, 401, "operator_key",
			"The session has ended. Nothing was done.", "Authorization", NULL,
			"Bearer and the operator's key, or a session");
	}
	free(waiting);
}

void on_withdrawal_approve(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct reason_body body = { 0 };
	struct waiting *waiting;
	uint8_t id[ID_BYTES];
	uint32_t operator_id;
	player_id player;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &player) || !id_path(request, id) ||
		!answer_parse(request, reason_fields, &body))
		return;
	waiting = waiting_new(gateway, request, player);
	(void)snprintf(
		waiting->decision.reason, sizeof(waiting->decision.reason), "%s", body.reason);
	memcpy(waiting->id, id, ID_BYTES);
	hold_query(waiting, id, on_hold_to_approve);
}

/* ---- bonus funds taken back ---- */

void on_grant_back(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct service_request sent = { .done = money_done, .text = "grant taken back" };
	struct money_body body = { 0 };
	Carillon__Outside outside;
	const struct currency *currency;
	char actor[ACTOR_MAX];
	uint8_t id[ID_BYTES];
	uint32_t operator_id;
	const char *key;

	if (!auth_operator_path(gateway, request, &operator_id) || !auth_key(request, &key) ||
		!player_path(request, operator_id, &sent.player) || !id_path(request, id) ||
		!answer_parse(request, back_fields, &body) ||
		!currency_ok(request, body.currency, &currency) ||
		!key_may_move(gateway, request, sent.player, currency, body.amount_minor))
		return;
	carillon__outside__init(&outside);
	actor_of(gateway, request, operator_id, actor);
	outside.kind = CARILLON__MOVE_KIND__MOVE_GRANT_BACK;
	outside.amount_minor = body.amount_minor;
	outside.currency = currency->number;
	outside.of.data = id;
	outside.of.len = ID_BYTES;
	outside.actor = actor;
	outside.reason = body.reason;
	(void)outside_ask(gateway, request, sent, &outside, key);
}

/* ---- the provider calls ---- */

static void hint_send(struct gateway *gateway, player_id player, const uint8_t *id, const char *url)
{
	Carillon__Bus bus;
	Carillon__Envelope envelope;
	Carillon__PaymentHint hint;
	uint8_t bytes[HINT_MAX], copy[ID_BYTES];

	carillon__bus__init(&bus);
	carillon__envelope__init(&envelope);
	carillon__payment_hint__init(&hint);
	envelope.schema = 1;
	envelope.time_us = clock_wall_us();
	envelope.source = common.instance;
	memcpy(copy, id, ID_BYTES);
	hint.player = player;
	hint.id.data = copy;
	hint.id.len = ID_BYTES;
	bus.envelope = &envelope;
	bus.body_case = CARILLON__BUS__BODY_HINT;
	bus.hint = &hint;
	if (carillon__bus__get_packed_size(&bus) > sizeof(bytes))
		return; /* longer than any instance's name */
	(void)nn_bus_send(gateway->bus, url, bytes, carillon__bus__pack(&bus, bytes));
}

static void on_called(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct json_out *out = &waiting->gateway->out;
	struct edge_request *request = request_of(waiting, result, error);

	if (request != NULL && PQntuples(result) == 0) {
		unknown(request);
	} else if (request != NULL) {
		if (!PQgetisnull(result, 0, 1))
			hint_send(waiting->gateway, pg_number(result, 0, 0), waiting->id,
				PQgetvalue(result, 0, 1));
		out_begin(out);
		out_open(out, NULL, '{');
		out_close(out, '}');
		answer_sent(waiting->gateway, request, 200);
	}
	free(waiting);
}

/* Anybody may call this: the body is not trusted and only triggers a query to the provider. */
void on_payment_call(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct call_body body = { 0 };
	struct waiting *waiting;
	char id[2 * ID_BYTES + 3] = "\\x";
	const char *parameters[] = { id };

	if (!auth_session_rate(gateway, request) || !answer_parse(request, call_fields, &body))
		return;
	waiting = waiting_new(gateway, request, 0);
	memcpy(waiting->id, body.id.bytes, ID_BYTES);
	for (size_t i = 0; i < ID_BYTES; i++)
		(void)snprintf(id + 2 + 2 * i, 3, "%02x", body.id.bytes[i]);
	pg_pool_query(gateway->pg_ro,
		"select h.player, i.nn_url from wallet.hold h left join carillon.shard s on "
		"s.service = 'payments' and s.shard = h.shard left join carillon.instance i on "
		"i.name = s.owner where h.id = $1::bytea and h.kind = 28",
		1, parameters, QUERY_MS, on_called, waiting);
}
