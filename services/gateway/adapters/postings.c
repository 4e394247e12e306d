/* Postings: the legs of the double entry that rows of the journal, and daily closes, stand for; by
 * account, or of one player. A page reads a bounded number of rows, so it may be short and still
 * lead on. */
#include "services/gateway/adapters/ledger.h"
#include "services/gateway/adapters/lists.h"

#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/pool_actions.h"
#include "services/gateway/adapters/row_json.h"
#include "services/gateway/core/dates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POSTINGS_MS 8000
#define READ_ROWS_MAX "10000" /* for one page */
#define TEXT_NUMBER 24
#define DATE_MAX 11
#define ACCOUNT_MAX 24

static const struct list postings_list = { "postings",
	"day shard seq leg close time_us player kind round game currency account amount_minor", 200,
	500, (const char *const[]){ "player", "account", "currency", "day", NULL } };

struct postings_query {
	struct list_page page;
	char player[TEXT_NUMBER], account[ACCOUNT_MAX], currency[TEXT_NUMBER], day[DATE_MAX];
};

/* False: a key that is limited to pools. */
static bool pools_seen(const struct gateway *gateway, const struct edge_request *request)
{
	return key_sees_pool(gateway, request, 0);
}

static bool account_read(struct gateway *gateway, struct edge_request *request,
	uint32_t operator_id, char account_r[ACCOUNT_MAX])
{
	static const char *const names[] = { "PLAYER", "PENDING", "HOUSE", "CASH", "WITHDRAWAL",
		"PROMO", "VOID_RECEIVABLE", NULL };
	int64_t pool;

	if (edge_query(request, "account", account_r, ACCOUNT_MAX) == NULL) {
		if (pools_seen(gateway, request))
			return true;
		answer_bad(request, "account", "nothing",
			"an account, as this key is limited to pools");
		return false;
	}
	for (size_t i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], account_r) == 0)
			return true;
	if (strncmp(account_r, "JACKPOT:", 8) == 0 && number_read(account_r + 8, 1, 65535, &pool))
		return key_may_pool(gateway, request, operator_id, (uint32_t)pool);
	answer_bad(request, "account", account_r,
		"PLAYER, PENDING, HOUSE, CASH, WITHDRAWAL, PROMO, VOID_RECEIVABLE, or JACKPOT: and "
		"the number of a pool");
	return false;
}

static bool day_read(struct edge_request *request, const char *player, char day_r[DATE_MAX])
{
	if (edge_query(request, "day", day_r, DATE_MAX) == NULL)
		return true;
	if (date_valid(day_r) && player[0] == '\0')
		return true;
	answer_bad(request, "day", day_r,
		player[0] != '\0' ? "nothing: the postings of a player are not read by day"
				  : "a day as YYYY-MM-DD");
	return false;
}

/* False when an error was answered. */
static bool query_read(struct gateway *gateway, struct edge_request *request, uint32_t operator_id,
	struct postings_query *query)
{
	char code[CURRENCY_MAX + 1];
	const struct currency *currency;
	int64_t number;
	player_id player;

	if (!list_asked(gateway, request, &postings_list, &query->page) ||
		!answer_number(request, "player", 0, 1, (int64_t)PLAYER_NUMBER_MAX, &number) ||
		!account_read(gateway, request, operator_id, query->account))
		return false;
	if (number != 0) {
		(void)player_id_make(operator_id, (uint64_t)number, &player);
		(void)snprintf(query->player, TEXT_NUMBER, "%" PRId64, player);
	}
	(void)snprintf(query->currency, TEXT_NUMBER, "0");
	if (edge_query(request, "currency", code, sizeof(code)) != NULL) {
		if (!currency_ok(request, code, &currency))
			return false;
		(void)snprintf(query->currency, TEXT_NUMBER, "%" PRIu32, currency->number);
	}
	return day_read(request, query->player, query->day);
}

/* The last line has no account if there are more rows than were read: it only says where to go on.
 */
static void on_postings_rows(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct gateway *gateway = waiter->gateway;
	struct json_out *out = &gateway->out;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL) {
		int rows = PQntuples(result), account = PQfnumber(result, "account");
		bool more = rows > 0 && PQgetisnull(result, rows - 1, account);
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "postings", '[');
		for (int i = 0; i < rows - (more ? 1 : 0); i++)
			row_json(out, result, i);
		out_close(out, ']');
		list_end(gateway, request, &postings_list,
			more ? PQgetvalue(result, rows - 1, PQnfields(result) - 1)
			     : list_next(request, &postings_list, result, rows));
	}
	free(waiter);
}

/* Behind what the functions give: the words, the round, and the position of each line. */
#define SHOWN                                                                                                       \
	"select p.day, p.shard, p.seq, p.leg, p.close, " US(                                                        \
		"p.time") " as time_us, p.player, "                                                                 \
			  "gateway.posting_kind(p.kind) as kind, r.round, (select g.id from carillon.game g where " \
			  "g.number = r.game order by g.first_seen desc limit 1) as game, p.currency, p.account, "  \
			  "p.amount as amount_minor, concat_ws(' ', p.day, p.shard, p.seq, p.leg) as _position "    \
			  "from "
#define ROUND                                                                                      \
	" with ordinality p left join lateral gateway.posting_round(p.shard, p.seq, p.kind) r on " \
	"p.kind is not null order by p.ordinality"

static void of_player(struct gateway *gateway, struct edge_request *request,
	const struct postings_query *query, const char *operator_text)
{
	const struct list_page *page = &query->page;
	const char *parameters[] = { operator_text, query->player,
		query->account[0] == '\0' ? NULL : query->account, query->currency, page->after[2],
		page->after[3], page->limit_text };

	pg_pool_query(gateway->pg_ro,
		SHOWN "gateway.postings_of_player($1::integer, $2::bigint, $3, $4::integer, "
		      "$5::bigint, $6::integer, $7::integer, " READ_ROWS_MAX ")" ROUND,
		7, parameters, POSTINGS_MS, on_postings_rows,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}

static void of_all(struct gateway *gateway, struct edge_request *request,
	const struct postings_query *query, uint32_t operator_id, const char *operator_text)
{
	const struct list_page *page = &query->page;
	bool closes = pool_operator(operator_id) &&
		      (pools_seen(gateway, request) || strchr(query->account, ':') != NULL);
	const char *parameters[] = { operator_text, closes ? "t" : "f",
		query->account[0] == '\0' ? NULL : query->account, query->currency,
		query->day[0] == '\0' ? NULL : query->day, page->after[0], page->after[1],
		page->after[2], page->after[3], page->limit_text };

	pg_pool_query(gateway->pg_ro,
		SHOWN
		"gateway.postings_of_all($1::integer, $2::boolean, $3, $4::integer, $5::date, "
		"$6::date, $7::integer, $8::bigint, $9::integer, $10::integer, " READ_ROWS_MAX
		")" ROUND,
		10, parameters, POSTINGS_MS, on_postings_rows,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}

void on_postings(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct postings_query query = { 0 };
	char operator_text[16];
	uint32_t operator_id;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!query_read(gateway, request, operator_id, &query))
		return;
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	if (query.player[0] != '\0')
		of_player(gateway, request, &query, operator_text);
	else
		of_all(gateway, request, &query, operator_id, operator_text);
}
