/* The events of a webhook that an operator's users and back ends read: those that wait, those that
 * were accepted, and dead ones. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/row_json.h"
#include "services/gateway/adapters/staff.h"
#include "services/gateway/adapters/webhooks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define EPOCH "timestamptz 'epoch' + "
#define CREATED US("d.created")
#define DEAD US("d.dead")
#define SINCE US("d.since")
#define NEXT US("d.next")
#define SENT US("d.sent")

/* A webhook without such events is one row without a number. */
static void events_answer(
	struct waiter *waiter, const struct list *list, PGresult *result, const char *error)
{
	struct json_out *out = &waiter->gateway->out;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL && PQntuples(result) == 0) {
		webhook_unknown(request, edge_parameter(request, 1));
	} else if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "events", '[');
		int rows = PQgetisnull(result, 0, 0) ? 0 : PQntuples(result);
		for (int i = 0; i < rows; i++)
			row_json(out, result, i);
		out_close(out, ']');
		list_end(waiter->gateway, request, list, list_next(request, list, result, rows));
	}
	free(waiter);
}

/* What each list needs from its request. False: it was answered. */
struct events_asked {
	struct list_page page;
	char operator_text[16], webhook[WEBHOOK_NUMBER_MAX];
};

static bool events_read(struct gateway *gateway, struct edge_request *request,
	const struct list *list, struct events_asked *asked)
{
	uint32_t operator_id;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!webhook_path_read(request, asked->webhook) ||
		!list_asked(gateway, request, list, &asked->page))
		return false;
	(void)snprintf(asked->operator_text, sizeof(asked->operator_text), "%" PRIu32, operator_id);
	return true;
}

#define OF_KNOWN " d on true where gateway.webhook_known($1::integer, $2::integer) "

/* ---- dead events ---- */

static const struct list dead_list = { "events",
	"number event kind subject body created_us dead_us attempts answer skipped_by", 50, 200,
	(const char *const[]){ "after", NULL } };

static void on_dead(void *context, PGresult *result, const char *error)
{
	events_answer(context, &dead_list, result, error);
}

void on_webhook_dead(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct events_asked asked;
	char after_text[24];
	const char *parameters[] = { asked.operator_text, asked.webhook, after_text,
		asked.page.limit_text };
	int64_t after;

	if (!events_read(gateway, request, &dead_list, &asked) ||
		!answer_number(request, "after", 0, 0, INT64_MAX, &after))
		return;
	(void)snprintf(after_text, sizeof(after_text), "%" PRId64, list_after(&asked.page, after));
	pg_pool_query(gateway->pg,
		"select d.number, d.event, d.kind, d.subject, d.body::json, " CREATED
		" as created_us, " DEAD " as dead_us, d.attempts, coalesce(d.answer, '') as "
		"answer, coalesce(d.skipped_by, '') as skipped_by, d.number as _position from "
		"(select 1) one left join gateway.webhook_given_up($1::integer, $2::integer, "
		"$3::bigint, $4::bigint)" OF_KNOWN "order by d.number",
		4, parameters, QUERY_MS, on_dead,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}

/* ---- waiting events ---- */

static const struct list waiting_list = { "events",
	"number event kind subject body created_us next_us sending attempts answer", 50, 200,
	NULL };

static void on_waiting(void *context, PGresult *result, const char *error)
{
	events_answer(context, &waiting_list, result, error);
}

/* Those that wait for longest come first. */
void on_webhook_waiting(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct events_asked asked;

	if (!events_read(gateway, request, &waiting_list, &asked))
		return;
	bool goes_on = asked.page.after[0] != NULL && asked.page.after[1] != NULL;
	const char *parameters[] = { asked.operator_text, asked.webhook,
		goes_on ? asked.page.after[0] : "0", goes_on ? asked.page.after[1] : "0",
		asked.page.limit_text };
	pg_pool_query(gateway->pg,
		"select d.number, d.event, d.kind, d.subject, d.body::json, " CREATED
		" as created_us, " NEXT " as next_us, d.sending, d.attempts, "
		"coalesce(d.answer, '') as answer, " SINCE
		" || ' ' || d.number as _position from (select 1) one left join "
		"gateway.webhook_waiting($1::integer, $2::integer, " EPOCH
		"$3::bigint * interval '1 microsecond', $4::bigint, $5::bigint)" OF_KNOWN
		"order by d.since, d.number",
		5, parameters, QUERY_MS, on_waiting,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}

/* ---- events that were accepted ---- */

static const struct list sent_list = { "events",
	"number event kind subject created_us sent_us attempts answer", 50, 200, NULL };

static void on_sent(void *context, PGresult *result, const char *error)
{
	events_answer(context, &sent_list, result, error);
}

/* The newest come first. */
void on_webhook_sent(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct events_asked asked;
	char before[24];
	const char *parameters[] = { asked.operator_text, asked.webhook, before,
		asked.page.limit_text };

	if (!events_read(gateway, request, &sent_list, &asked))
		return;
	(void)snprintf(before, sizeof(before), "%" PRId64, list_after(&asked.page, INT64_MAX));
	pg_pool_query(gateway->pg,
		"select d.number, d.event, d.kind, d.subject, " CREATED " as created_us, " SENT
		" as sent_us, d.attempts, d.answer, d.position as _position from (select 1) one "
		"left join gateway.webhook_accepted($1::integer, $2::integer, $3::bigint, "
		"$4::bigint)" OF_KNOWN "order by d.position desc",
		4, parameters, QUERY_MS, on_sent,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}
