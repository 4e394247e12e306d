/* The withdrawals of all players of an operator that are not settled, the oldest first: what waits
 * for the payment provider, or for a decision by hand. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/payouts.h"
#include "services/gateway/adapters/reports.h"

#include "libcommon/base/hex.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT 50
#define LIMIT_MAX 500
#define TEXT_NUMBER 24
#define CURSOR_MAX 64 /* "time-id" */
#define TIME_MOST INT64_C(250000000000000000)

static const struct list queue_list = { "withdrawals", "", LIMIT_DEFAULT, LIMIT_MAX,
	(const char *const[]){ "state", "after", NULL } };

struct queue {
	struct waiter waiter; /* first */
	int64_t limit;
	bool csv;
};

/* ---- answering ---- */

/* The column behind those of the hold; the last one is where the next page begins. */
#define STUCK HOLD_COLUMNS_N

static void entry_json(struct json_out *out, const PGresult *result, int row)
{
	char player[PLAYER_TEXT_MAX];

	player_id_format((player_id)pg_number(result, row, HOLD_COLUMNS_N - 1), player);
	out_open(out, NULL, '{');
	out_string(out, "player", player);
	hold_members(out, result, row);
	out_bool(out, "stuck", pg_number(result, row, STUCK) != 0);
	out_close(out, '}');
}

static void on_queue(void *context, PGresult *result, const char *error)
{
	struct queue *queue = context;
	struct json_out *out = &queue->waiter.gateway->out;
	struct edge_request *request = waiter_rows(&queue->waiter, result, error);

	if (request != NULL) {
		const char *next = list_next(request, &queue_list, result, PQntuples(result));
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "withdrawals", '[');
		for (int i = 0; i < PQntuples(result); i++)
			entry_json(out, result, i);
		out_close(out, ']');
		out_string(out, "next", next == NULL ? "" : next);
		list_end(queue->waiter.gateway, request, &queue_list, next);
	}
	free(queue);
}

/* Columns: the text, how many entries it has, and the cursor of the last one. */
static void on_csv(void *context, PGresult *result, const char *error)
{
	struct queue *queue = context;
	struct edge_request *request = waiter_rows(&queue->waiter, result, error);

	if (request != NULL) {
		edge_answer_header(
			request, "Content-Disposition", "attachment; filename=\"withdrawals.csv\"");
		if (pg_number(result, 0, 1) == queue->limit) {
			edge_answer_header(request, "X-Next", PQgetvalue(result, 0, 2));
			list_next_header(queue->waiter.gateway, request, &queue_list,
				PQgetvalue(result, 0, 2));
		}
		answer_text(
			request, PQgetvalue(result, 0, 0), (size_t)PQgetlength(result, 0, 0), true);
	}
	free(queue);
}

/* ---- asking ---- */

/* $1, $2 the operator's first and last player; $3, $4 time and id of the last entry of the page
 * before; $5 the least age; $6 the largest number; $7 the age of what is stuck. */
#define QUEUE_WHERE                                                                                \
	"where h.kind = 28 and h.settled_kind = 0 and h.player between $1::bigint and $2::bigint " \
	"and (h.booked, h.id) > (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', "    \
	"$4::bytea) and h.booked <= now() - $5::bigint * interval '1 second' order by h.booked, "  \
	"h.id limit $6::bigint"
#define IS_STUCK "h.booked <= now() - $7::bigint * interval '1 second'"
#define NEXT "(extract(epoch from h.booked) * 1000000)::bigint || '-' || encode(h.id, 'hex')"

static const char queue_sql[] =
	"select " HOLD_COLUMNS ", (" IS_STUCK ")::integer, " NEXT " " HOLD_FROM QUEUE_WHERE;

/* $8 the codes of currencies by number. */
static const char csv_sql[] =
	"with q as (select h.booked, h.id, " NEXT " as next, json_build_object('player', (h.player "
	">> 48) || '-' || (h.player & 281474976710655), 'id', encode(h.id, 'hex'), 'amount_minor', "
	"h.amount, 'currency', $8::json ->> h.currency::text, 'booked_us', (extract(epoch from "
	"h.booked) * 1000000)::bigint, 'stuck', " IS_STUCK
	", 'outcome', case p.outcome when 1 then "
	"'paid' when 2 then 'refused' else 'unknown' end, 'review', " HOLD_REVIEW
	", 'asks', coalesce(p.asks, 0), 'reference', "
	"coalesce(p.reference, ''), 'alarms', (select count(*) from payments.alarm a where a.payout "
	"= h.id)) as j " HOLD_FROM QUEUE_WHERE
	") select gateway.csv(json_agg(j order by booked, id)), count(*), (array_agg(next order by "
	"booked desc, id desc))[1] from q";

struct cursor {
	int64_t time_us;
	uint8_t id[ID_BYTES];
};

/* Without one, the first entry: no time is before 1970. False when 400 was answered. */
static bool cursor_read(
	struct edge_request *request, const struct list_page *page, struct cursor *cursor_r)
{
	char text[CURSOR_MAX], time_text[CURSOR_MAX];
	size_t length;

	memset(cursor_r, 0, sizeof(*cursor_r));
	if (page->after[0] != NULL)
		(void)snprintf(text, sizeof(text), "%s", page->after[0]);
	else if (edge_query(request, "after", text, sizeof(text)) == NULL)
		return true;
	length = strcspn(text, "-");
	(void)snprintf(time_text, sizeof(time_text), "%.*s", (int)length, text);
	if (text[length] == '-' && number_read(time_text, 0, TIME_MOST, &cursor_r->time_us) &&
		hex_parse(text + length + 1, ID_BYTES, cursor_r->id))
		return true;
	answer_bad(request, "after", text, "next of the page before");
	return false;
}

static void queue_ask(struct gateway *gateway, uint32_t operator_id, bool stuck,
	const struct cursor *cursor, struct queue *queue)
{
	char numbers[6][TEXT_NUMBER], id[2 * ID_BYTES + 3];
	int64_t stuck_s = gateway->settings.decide_after_s;
	player_id first, last;

	(void)player_id_make(operator_id, 1, &first);
	(void)player_id_make(operator_id, PLAYER_NUMBER_MAX, &last);
	const int64_t values[] = { first, last, cursor->time_us, stuck ? stuck_s : 0, queue->limit,
		stuck_s };
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		(void)snprintf(numbers[i], TEXT_NUMBER, "%" PRId64, values[i]);
	pg_bytea_text(cursor->id, ID_BYTES, id);
	const char *parameters[] = { numbers[0], numbers[1], numbers[2], id, numbers[3], numbers[4],
		numbers[5], rollups_currencies() };
	pg_pool_query(gateway->pg_ro, queue->csv ? csv_sql : queue_sql, queue->csv ? 8 : 7,
		parameters, QUERY_MS, queue->csv ? on_csv : on_queue, queue);
}

void on_payout_queue(struct edge_request *request, void *context)
{
	static const char *const states[] = { "held", "stuck", NULL };
	static const char *const formats[] = { "json", "csv", NULL };
	struct gateway *gateway = context;
	struct list_page page;
	struct cursor cursor;
	struct queue *queue;
	uint32_t operator_id;
	const char *state, *format;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &queue_list, &page) ||
		(state = answer_word(request, "state", states)) == NULL ||
		(format = answer_word(request, "format", formats)) == NULL ||
		!cursor_read(request, &page, &cursor))
		return;
	queue = waiter_new(sizeof(*queue), gateway, request, 0);
	queue->limit = page.limit;
	queue->csv = strcmp(format, "csv") == 0;
	queue_ask(gateway, operator_id, strcmp(state, "stuck") == 0, &cursor, queue);
}
