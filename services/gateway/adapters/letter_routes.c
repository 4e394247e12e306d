/* Dead letters for people: the list, and what they do about one. Letters concern what all operators
 * share, so only those that act on it see them. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/letters.h"
#include "services/gateway/adapters/pool_actions.h"
#include "services/gateway/adapters/row_json.h"
#include "services/gateway/adapters/staff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_NUMBER 24
#define KEY_TEXT (2 * ID_BYTES + 3)
#define WRITE_MS 4000

#define WHY_NOT                                                                                    \
	"coalesce(why_not, case when status = 'waiting' and written < now() - interval '7 days' "  \
	"then 'old' end)"
#define WRITTEN US("written")
#define ACTED US("acted")
#define COLUMNS                                                                                    \
	"id, status, " WRITTEN " as time_us, service, instance, topic, partition, position as "    \
	"offset, reason as found, bytes, what, nullif(player, 0) as player, nullif(pool, 0) as "   \
	"pool, amount_minor, coalesce(currency, 0) as currency, " WHY_NOT                          \
	" is null as sendable, " WHY_NOT " as why_not, coalesce(act, '') as act, "                 \
	"coalesce(act_by, '') as act_by, coalesce(act_reason, '') as act_reason, " ACTED           \
	" as acted_us, coalesce(outcome, '') as outcome "

static bool may_tend(struct gateway *gateway, struct edge_request *request, uint32_t *operator_r)
{
	if (!auth_operator_path(gateway, request, operator_r))
		return false;
	if (pool_operator(*operator_r))
		return true;
	wrong_denied(request, "not_pool_operator");
	edge_answer_error(request, 403, "not_pool_operator",
		"Dead letters concern what all operators share, and this operator may not see "
		"them.",
		"operator", NULL, "an operator that may act on pools");
	return false;
}

/* ---- the list ---- */

static const struct list letters_list = { "letters",
	"id status time_us service instance topic partition offset found bytes what player pool "
	"amount_minor currency sendable why_not act act_by act_reason acted_us outcome",
	200, 200, (const char *const[]){ "status", NULL } };

static void on_list(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct json_out *out = &waiter->gateway->out;
	struct edge_request *request = waiter_rows(waiter, result, error);
	int rows = 0;

	if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "letters", '[');
		for (; rows < PQntuples(result) && !PQgetisnull(result, rows, 0); rows++)
			row_json(out, result, rows);
		out_close(out, ']');
		out_int(out, "waiting", pg_number(result, 0, PQfnumber(result, "_waiting")));
		list_end(waiter->gateway, request, &letters_list,
			list_next(request, &letters_list, result, rows));
	}
	free(waiter);
}

/* One row with no id where no letter fits: it has the count alone. */
void on_letters(struct edge_request *request, void *context)
{
	static const char *const statuses[] = { "open", "all", NULL };
	struct gateway *gateway = context;
	struct list_page page;
	const char *status;
	uint32_t operator_id;

	if (!may_tend(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &letters_list, &page))
		return;
	status = answer_word(request, "status", statuses);
	if (status == NULL)
		return;
	const char *parameters[] = { status == statuses[1] ? "true" : "false", page.limit_text,
		page.after[0] };
	pg_pool_query(gateway->pg_ro,
		"with n as (select count(*) as waiting from gateway.dead_letter where status in "
		"('waiting', 'sending')), shown as (select * from gateway.dead_letter where "
		"($1::boolean or status in ('waiting', 'sending')) and ($3::bigint is null or id < "
		"$3::bigint) order by id desc limit $2::bigint) select " COLUMNS
		", n.waiting as _waiting, id as _position from n left join shown on true order by "
		"id desc",
		3, parameters, QUERY_MS, on_list,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}

/* ---- an act ---- */

/* To send a booking again moves money. */
static void answer_not_permitted(struct edge_request *request, const char *code)
{
	wrong_denied(request, code);
	edge_answer_error(request, 403, code, "None of your roles permits this. Nothing was done.",
		"permission", "not given", permission_names[PERMIT_MONEY]);
}

static void answer_refused(
	struct edge_request *request, uint32_t status, const char *code, const PGresult *rows)
{
	const char *id = edge_parameter(request, 1);

	if (status == 404)
		edge_answer_error(request, 404, code, "There is no dead letter with this number.",
			"letter", id, "the number of a letter of the list");
	else if (status == 422)
		edge_answer_error(request, 422, code,
			"This Idempotency-Key was already used for a different request. Nothing "
			"was done.",
			"Idempotency-Key", NULL, NULL);
	else if (status == 403)
		answer_not_permitted(request, code);
	else if (strcmp(code, "letter_not_sent") == 0)
		edge_answer_error(request, 409, code,
			"This message is not sent again. Nothing was done.", "letter",
			PQgetvalue(rows, 0, PQfnumber(rows, "why_not")),
			"a letter that is \"sendable\"");
	else if (strcmp(code, "letter_sending") == 0)
		edge_answer_error(request, 409, code,
			"This message is being sent again at this moment. Nothing more was done.",
			"letter", id, NULL);
	else
		edge_answer_error(request, 409, code,
			"This letter was already sent again or settled. Nothing was done.",
			"letter", PQgetvalue(rows, 0, PQfnumber(rows, "status")),
			"a letter that waits");
}

static void on_act(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);

	letters_soon();
	if (request != NULL) {
		int64_t status = pg_number(result, 0, PQfnumber(result, "_http"));
		const char *code = PQgetvalue(result, 0, PQfnumber(result, "_code"));
		if (status == 200)
			answer_row(waiter->gateway, request, result, row_json);
		else
			answer_refused(request, (uint32_t)status, code, result);
	}
	free(waiter);
}

static void act(struct edge_request *request, struct gateway *gateway, const char *what)
{
	struct reason_body body = { 0 };
	char number[TEXT_NUMBER], operator_text[TEXT_NUMBER], by[ACTOR_MAX], from[ASKER_FROM_MAX];
	char key_text[KEY_TEXT], scope[64];
	uint8_t key_id[ID_BYTES];
	struct asker asker;
	const char *key;
	uint32_t operator_id;
	int64_t id;

	if (!may_tend(gateway, request, &operator_id) || !auth_key(request, &key))
		return;
	if (!number_read(edge_parameter(request, 1), 1, INT64_MAX, &id)) {
		answer_bad(request, "letter", edge_parameter(request, 1), "the number of a letter");
		return;
	}
	if (!answer_parse(request, reason_fields, &body))
		return;
	(void)snprintf(number, sizeof(number), "%" PRId64, id);
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	actor_of(gateway, request, operator_id, by);
	(void)asker_of(gateway, request, &asker);
	/* A key that may tend letters has no limits. */
	bool money = asker.session == NULL || roles_permit(asker.session->roles, PERMIT_MONEY);
	asker_from(&asker, request, from);
	(void)snprintf(scope, sizeof(scope), "dead-letter-%" PRIu32, operator_id);
	auth_id(key, scope, key_id);
	pg_bytea_text(key_id, ID_BYTES, key_text);
	const char *parameters[] = { number, what, operator_text, by, from,
		edge_request_id(request), body.reason, key_text, money ? "true" : "false" };
	pg_pool_query(gateway->pg,
		"select " COLUMNS
		", http as _http, coalesce(code, '') as _code from (select (a.result).*, a.http, "
		"a.code from gateway.dead_act($1::bigint, $2, $3::integer, $4, $5, $6, $7, "
		"$8::bytea, $9::boolean) a) d",
		9, parameters, WRITE_MS, on_act,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}

void on_letter_send(struct edge_request *request, void *context)
{
	act(request, context, "send");
}

void on_letter_settle(struct edge_request *request, void *context)
{
	act(request, context, "settle");
}
