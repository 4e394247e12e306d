/* What the operator's side reads: the audit log, and players. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/row_json.h"
#include "services/gateway/adapters/staff.h"
#include "services/gateway/core/audit_text.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT 50
#define LIMIT_MAX 500
#define AUDIT_ROWS_MAX "20000"	    /* rows read for one page with a filter */
#define ACCOUNTS_MAX INT64_C(10000) /* the same of accounts, for each length of their numbers */
#define TEXT_MAX 160
#define TEXT_NUMBER 24
#define TIME_MOST INT64_C(250000000000000000) /* the year 9892 */

/* ---- the audit log ---- */

static const struct list audit_list = { "rows",
	"id time_us actor action subject request_id content status", LIMIT_DEFAULT, LIMIT_MAX,
	(const char *const[]){
		"before", "actor", "action", "subject", "from_us", "to_us", "status", NULL } };

/* Columns behind those of a row: the last row read for this page, and how many were read. */
enum { LAST_ID = 8, LAST_TIME, READ_N };

struct page {
	struct waiter waiter; /* first */
	int64_t limit;
};

static void audit_content(struct json_out *out, const char *content)
{
	char *text = malloc(AUDIT_TEXT_ROOM(strlen(content)));

	if (text == NULL)
		fatal("out of memory");
	audit_text_currencies(content, text);
	out_raw(out, "content", text);
	free(text);
}

static void audit_json(struct json_out *out, const PGresult *result, int row)
{
	out_open(out, NULL, '{');
	out_uint(out, "id", (uint64_t)pg_number(result, row, 0));
	out_uint(out, "time_us", (uint64_t)pg_number(result, row, 1));
	out_string(out, "actor", PQgetvalue(result, row, 2));
	out_string(out, "action", PQgetvalue(result, row, 3));
	out_string(out, "subject", PQgetvalue(result, row, 4));
	out_string(out, "request_id", PQgetvalue(result, row, 5));
	audit_content(out, PQgetvalue(result, row, 6));
	out_int(out, "status", pg_number(result, row, 7));
	out_close(out, '}');
}

/* Where the next page begins, as "time id": behind the last row shown, or behind the last one read.
 * Returns its id; 0: the log ends. */
static int64_t audit_next(const struct page *page, const PGresult *result, int rows,
	char position_r[LIST_POSITION_MAX])
{
	bool full = rows > 0 && rows == page->limit;
	int row = full ? rows - 1 : 0, id = full ? 0 : LAST_ID, time = full ? 1 : LAST_TIME;

	if (!full && pg_number(result, 0, READ_N) != strtoll(AUDIT_ROWS_MAX, NULL, 10))
		return 0;
	(void)snprintf(position_r, LIST_POSITION_MAX, "%s %s", PQgetvalue(result, row, time),
		PQgetvalue(result, row, id));
	return pg_number(result, row, id);
}

static void on_audit_rows(void *context, PGresult *result, const char *error)
{
	struct page *page = context;
	struct gateway *gateway = page->waiter.gateway;
	struct json_out *out = &gateway->out;
	struct edge_request *request = waiter_rows(&page->waiter, result, error);

	if (request != NULL) {
		int rows = PQgetisnull(result, 0, 0) ? 0 : PQntuples(result);
		char position[LIST_POSITION_MAX];
		int64_t next = audit_next(page, result, rows, position);

		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "rows", '[');
		for (int i = 0; i < rows; i++)
			audit_json(out, result, i);
		out_close(out, ']');
		out_int(out, "next", next);
		list_end(gateway, request, &audit_list, next == 0 ? NULL : position);
	}
	free(page);
}

/* A filter's text; false when 400 was answered: one that is empty or too long is not "no filter".
 */
static bool text_read(struct edge_request *request, const char *name, char out[TEXT_MAX])
{
	if (edge_query(request, name, out, TEXT_MAX) == NULL || out[0] != '\0')
		return true;
	answer_bad(request, name, "an empty or too long text", "1 to 159 bytes");
	return false;
}

/* What `status` asks for: the first and the last status; false when 400 was answered. */
static bool status_read(
	struct edge_request *request, char low_r[TEXT_NUMBER], char high_r[TEXT_NUMBER])
{
	char text[TEXT_NUMBER];
	int64_t status;

	(void)snprintf(low_r, TEXT_NUMBER, "0");
	(void)snprintf(high_r, TEXT_NUMBER, "999");
	if (edge_query(request, "status", text, sizeof(text)) == NULL)
		return true;
	if (strcmp(text, "done") == 0)
		(void)snprintf(high_r, TEXT_NUMBER, "299");
	else if (strcmp(text, "refused") == 0)
		(void)snprintf(low_r, TEXT_NUMBER, "300");
	else if (number_read(text, 100, 599, &status)) {
		(void)snprintf(low_r, TEXT_NUMBER, "%s", text);
		(void)snprintf(high_r, TEXT_NUMBER, "%s", text);
	} else {
		answer_bad(request, "status", text, "done, refused, or a status from 100 to 599");
		return false;
	}
	return true;
}

/* $1 operator, $2 id and $3 time of the row before the page (no time: of an older way to ask, only
 * the id), $4 limit, $5 to $7 texts, $8 and $9 times, $10 and $11 statuses. Rows are in the order
 * of their times, by an index: a page reads no more than AUDIT_ROWS_MAX of those between the times.
 */
static const char audit_sql[] =
	"with p as (select case when $3 <> '' then timestamptz 'epoch' + $3::bigint * interval '1 "
	"microsecond' when $2::bigint = 9223372036854775807 then 'infinity' else coalesce((select "
	"a.time from gateway.audit a where a.operator = $1::integer and a.id <= $2::bigint order by "
	"a.id desc limit 1), '-infinity') end as time), w as materialized (select * from "
	"gateway.audit where operator = $1::integer and time >= timestamptz 'epoch' + $8::bigint * "
	"interval '1 microsecond' and time <= timestamptz 'epoch' + $9::bigint * interval '1 "
	"microsecond' and (time, id) < ((select p.time from p), $2::bigint) order by time desc, id "
	"desc limit " AUDIT_ROWS_MAX "), f as (select * from w where position($5 in actor) > 0 and "
	"position($6 in action) > 0 and position($7 in subject) > 0 and status between "
	"$10::integer and $11::integer order by time desc, id desc limit $4::bigint) select f.id, " US("f.time") ", f.actor, f.action, f.subject, f.request_id, case when f.action like 'webhook %' then gateway.webhook_audit_shown(f.content) else f.content end, f.status, l.id, " US(
		"l.time") ", "
			  "n.n from (select count(*) as n from w) n left join f on true left join (select time, id from w "
			  "order by time, id limit 1) l on true order by f.time desc, f.id desc";

struct audit_query {
	struct list_page page;
	char before[TEXT_NUMBER], from[TEXT_NUMBER], to[TEXT_NUMBER], low[TEXT_NUMBER],
		high[TEXT_NUMBER];
	char actor[TEXT_MAX], action[TEXT_MAX], subject[TEXT_MAX];
};

/* False when 400 was answered. */
static bool audit_read(
	struct gateway *gateway, struct edge_request *request, struct audit_query *query)
{
	int64_t before, from_us, to_us;

	if (!list_asked(gateway, request, &audit_list, &query->page) ||
		!answer_number(request, "before", INT64_MAX, 1, INT64_MAX, &before) ||
		!answer_number(request, "to_us", TIME_MOST, 0, TIME_MOST, &to_us) ||
		!answer_number(request, "from_us", 0, 0, to_us, &from_us) ||
		!text_read(request, "actor", query->actor) ||
		!text_read(request, "action", query->action) ||
		!text_read(request, "subject", query->subject) ||
		!status_read(request, query->low, query->high))
		return false;
	(void)snprintf(query->before, TEXT_NUMBER, "%" PRId64, before);
	(void)snprintf(query->from, TEXT_NUMBER, "%" PRId64, from_us);
	(void)snprintf(query->to, TEXT_NUMBER, "%" PRId64, to_us);
	return true;
}

void on_audit(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct audit_query query = { 0 };
	char operator_text[16];
	uint32_t operator_id;
	struct page *page;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!audit_read(gateway, request, &query))
		return;
	bool goes_on = query.page.after[0] != NULL && query.page.after[1] != NULL;
	const char *parameters[] = { operator_text, goes_on ? query.page.after[1] : query.before,
		goes_on ? query.page.after[0] : "", query.page.limit_text, query.actor,
		query.action, query.subject, query.from, query.to, query.low, query.high };
	page = waiter_new(sizeof(*page), gateway, request, 0);
	page->limit = query.page.limit;
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	pg_pool_query(gateway->pg, audit_sql, 11, parameters, QUERY_MS, on_audit_rows, page);
}

/* ---- players ---- */

void player_members(struct json_out *out, const PGresult *result, int row)
{
	const struct currency *currency = currency_by_number((uint32_t)pg_number(result, row, 1));
	char name[PLAYER_TEXT_MAX];

	player_id_format((player_id)pg_number(result, row, 0), name);
	out_string(out, "player", name);
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	out_int(out, "balance_minor", pg_number(result, row, 2));
	out_int(out, "pending_minor", pg_number(result, row, 3));
	out_uint(out, "moves", (uint64_t)pg_number(result, row, 4));
	out_bool(out, "blocked", pg_number(result, row, 5) != 0);
	out_uint(out, "opened_us", (uint64_t)pg_number(result, row, 6));
	out_uint(out, "claims_open", (uint64_t)pg_number(result, row, 7));
	out_uint(out, "withdrawals_open", (uint64_t)pg_number(result, row, 8));
	out_uint(out, "last_us", (uint64_t)pg_number(result, row, 9));
	if (PQgetisnull(result, row, 10))
		out_null(out, "pseudonymised_us");
	else
		out_int(out, "pseudonymised_us", pg_number(result, row, 10));
	out_string(out, "state", PQgetvalue(result, row, 11));
	if (PQgetisnull(result, row, 12))
		out_null(out, "played_us");
	else
		out_int(out, "played_us", pg_number(result, row, 12));
}

static void player_json(struct json_out *out, const PGresult *result, int row)
{
	out_open(out, NULL, '{');
	player_members(out, result, row);
	out_close(out, '}');
}

/* Of an account a. Limit 11 is an exclusion, a break or a time-out; it holds until its value. */
#define STATE                                                                                       \
	"case when a.blocked then 'blocked' when exists (select from wallet.player_limit l where "  \
	"l.player = a.player and case when l.state[33] <> 0 and l.state[33] <= extract(epoch from " \
	"now()) * 1000000 then l.state[32] else l.state[31] end > extract(epoch from now())) then " \
	"'excluded' else 'active' end"
/* The begin of the quarter of an hour in which they last bet, null: never. */
#define PLAYED                                                                                     \
	"(select (extract(epoch from max(t.time)) * 1000000)::bigint from gateway.rollup_player "  \
	"t where t.player = a.player)"
#define ACCOUNT_COLUMNS                                                                                             \
	"a.player, a.currency, a.balance, coalesce((select sum(p) from unnest(a.pendings) with "                    \
	"ordinality u (p, n) where n % 3 = 0), 0)::bigint, a.last_move, a.blocked::integer, " US(                   \
		"a.opened") ", (select count(*) from wallet.claim c where c.player = a.player and "                 \
			    "c.closed_seq is null), (select count(*) from wallet.hold h where h.player = a.player " \
			    "and h.kind = 28 and h.settled_kind = 0), " US("j.time") ", (select " US(               \
				    "p.decided") " from gateway.pseudonym p where p.player = a.player and p.status = 'done')"
#define PLAYER_COLUMNS ACCOUNT_COLUMNS ", " STATE ", " PLAYED
#define JOURNAL_JOIN                                                                               \
	"left join wallet.journal j on j.shard = a.shard and j.seq = a.last_seq and j.day = "      \
	"wallet.day_of(a.shard, a.last_seq) "

const char player_sql[] = "select " PLAYER_COLUMNS " from wallet.account a " JOURNAL_JOIN
			  "where a.player = $1::bigint";

static const struct list players_list = { "players",
	"player currency balance_minor pending_minor moves blocked opened_us claims_open "
	"withdrawals_open last_us pseudonymised_us state played_us",
	LIMIT_DEFAULT, LIMIT_MAX,
	(const char *const[]){ "after", "number", "state", "currency", "played_from_us",
		"played_before_us", NULL } };

/* Which of the accounts a page shows. */
struct player_filter {
	const char *state;
	uint32_t currency; /* 0: any */
	int64_t played_from_us, played_before_us;
	bool any; /* shows all that it reads */
};

/* At most so many accounts are read for a page ($4). The first two columns beside a player's
 * columns: the last account that was read, and how many were. */
static const char players_sql[] =
	"with w as materialized (select p.* from unnest($1::bigint[], $2::bigint[]) r (low, high), "
	"lateral (select * from wallet.account where player between r.low and r.high order by "
	"player limit $4::bigint) p order by p.player limit $4::bigint), f as (select a.* from w a "
	"where ($5 = '0' or a.currency = $5::integer) and case when $6 = 'any' then true else "
	"$6 = " STATE " end and case when $7 = '0' and $8 = '0' then true else coalesce(" PLAYED
	", 0) >= $7::bigint and ($8 = '0' or coalesce(" PLAYED ", 0) < $8::bigint) end order by "
	"a.player limit $3::bigint) select " PLAYER_COLUMNS ", x.last, x.n from (select "
	"coalesce(max(player), 0) as last, count(*) as n from w) x left join f a on true " JOURNAL_JOIN
	"order by a.player";

enum { PLAYERS_LAST = 13, PLAYERS_READ };

struct players {
	struct waiter waiter; /* first */
	int64_t limit, most;  /* rows of the page; accounts that are read for it */
};

static void on_players(void *context, PGresult *result, const char *error)
{
	struct players *players = context;
	struct gateway *gateway = players->waiter.gateway;
	struct json_out *out = &gateway->out;
	struct edge_request *request = waiter_rows(&players->waiter, result, error);

	if (request != NULL) {
		int rows = PQgetisnull(result, 0, 0) ? 0 : PQntuples(result);
		const char *next = rows == players->limit ? PQgetvalue(result, rows - 1, 0)
				   : pg_number(result, 0, PLAYERS_READ) == players->most
					   ? PQgetvalue(result, 0, PLAYERS_LAST)
					   : NULL;
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "players", '[');
		for (int i = 0; i < rows; i++)
			player_json(out, result, i);
		out_close(out, ']');
		list_end(gateway, request, &players_list, next);
	}
	free(players);
}

#define RANGES_MAX 15 /* digits of PLAYER_NUMBER_MAX */

/* The players from `first` to `last` whose number begins with `digits`, as two arrays of Postgres
 * with the ends of ranges in their order: 17, 170 to 179, 1700 to 1799, .. */
static void ranges_write(const char *digits, player_id first, player_id last,
	char low_text[RANGES_MAX * TEXT_NUMBER], char high_text[RANGES_MAX * TEXT_NUMBER])
{
	player_id base = last - (player_id)PLAYER_NUMBER_MAX;
	int64_t begin = digits[0] == '\0' ? 1 : strtoll(digits, NULL, 10);
	int64_t width = digits[0] == '\0' ? (int64_t)PLAYER_NUMBER_MAX : 1;
	size_t l = 0;
	size_t h = 0;

	for (; begin <= (int64_t)PLAYER_NUMBER_MAX; begin *= 10, width *= 10) {
		player_id low = base + begin < first ? first : base + begin;
		player_id high = base + begin + width - 1 > last ? last : base + begin + width - 1;

		if (low > high)
			continue;
		l += (size_t)snprintf(
			low_text + l, TEXT_NUMBER, "%c%" PRId64, l == 0 ? '{' : ',', low);
		h += (size_t)snprintf(
			high_text + h, TEXT_NUMBER, "%c%" PRId64, h == 0 ? '{' : ',', high);
		if (digits[0] == '\0')
			break;
	}
	(void)snprintf(low_text + l, 3, l == 0 ? "{}" : "}");
	(void)snprintf(high_text + h, 3, h == 0 ? "{}" : "}");
}

static bool filter_read(struct edge_request *request, struct player_filter *filter)
{
	static const char *const states[] = { "any", "active", "excluded", "blocked", NULL };
	char code[CURRENCY_MAX + 1];
	const struct currency *currency;

	if ((filter->state = answer_word(request, "state", states)) == NULL ||
		!answer_number(
			request, "played_from_us", 0, 1, INT64_MAX, &filter->played_from_us) ||
		!answer_number(
			request, "played_before_us", 0, 1, INT64_MAX, &filter->played_before_us))
		return false;
	if (edge_query(request, "currency", code, sizeof(code)) != NULL) {
		if (!currency_ok(request, code, &currency))
			return false;
		filter->currency = currency->number;
	}
	filter->any = filter->state == states[0] && filter->currency == 0 &&
		      filter->played_from_us == 0 && filter->played_before_us == 0;
	return true;
}

static void players_ask(struct gateway *gateway, struct edge_request *request,
	const struct player_filter *filter, const struct list_page *page, const char *low,
	const char *high)
{
	struct players *players = waiter_new(sizeof(*players), gateway, request, 0);
	char most[TEXT_NUMBER], currency[TEXT_NUMBER], from[TEXT_NUMBER], before[TEXT_NUMBER];
	const char *parameters[] = { low, high, page->limit_text, most, currency, filter->state,
		from, before };

	players->limit = page->limit;
	players->most = filter->any ? page->limit : ACCOUNTS_MAX;
	(void)snprintf(most, sizeof(most), "%" PRId64, players->most);
	(void)snprintf(currency, sizeof(currency), "%" PRIu32, filter->currency);
	(void)snprintf(from, sizeof(from), "%" PRId64, filter->played_from_us);
	(void)snprintf(before, sizeof(before), "%" PRId64, filter->played_before_us);
	pg_pool_query(gateway->pg_ro, players_sql, 8, parameters, QUERY_MS, on_players, players);
}

void on_player_search(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	struct player_filter filter = { 0 };
	char low[RANGES_MAX * TEXT_NUMBER], high[RANGES_MAX * TEXT_NUMBER];
	char digits[TEXT_NUMBER] = "";
	uint32_t operator_id;
	int64_t after, ignored;
	player_id from, to;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &players_list, &page) ||
		!answer_number(request, "after", 0, 0, (int64_t)PLAYER_NUMBER_MAX - 1, &after) ||
		!filter_read(request, &filter))
		return;
	(void)edge_query(request, "number", digits, sizeof(digits));
	if (digits[0] != '\0' && !number_read(digits, 1, (int64_t)PLAYER_NUMBER_MAX, &ignored)) {
		answer_bad(request, "number", digits, "the first digits of a player's number");
		return;
	}
	(void)player_id_make(operator_id, (uint64_t)after + 1, &from);
	from = list_after(&page, from - 1) + 1;
	(void)player_id_make(operator_id, PLAYER_NUMBER_MAX, &to);
	ranges_write(digits, from, to, low, high);
	players_ask(gateway, request, &filter, &page, low, high);
}

void player_unknown(struct edge_request *request)
{
	edge_answer_error(request, 404, "player_unknown", "This player has no account.", "player",
		edge_parameter(request, 1), "a player with an account");
}

static void on_player_row(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL && PQntuples(result) == 0)
		player_unknown(request);
	else if (request != NULL)
		answer_row(waiter->gateway, request, result, player_json);
	free(waiter);
}

void on_player_view(struct edge_request *request, void *context)
{
	static const char *const none[] = { NULL };
	struct gateway *gateway = context;
	char number[TEXT_NUMBER];
	const char *parameters[] = { number };
	uint32_t operator_id;
	player_id player;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &player) || !answer_query(request, none))
		return;
	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	pg_pool_query(gateway->pg_ro, player_sql, 1, parameters, QUERY_MS, on_player_row,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}
