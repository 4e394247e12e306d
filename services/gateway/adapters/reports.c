/* What an operator reads of the sums: series over time, the reports of days, months and years; and
 * when their days begin. */
#include "services/gateway/adapters/reports.h"

#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/staff.h"
#include "services/gateway/core/dates.h"
#include "services/gateway/core/requests.h"

#include "libcommon/io/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_DEFAULT 500
#define POINTS_MAX 2000
#define LISTED_DEFAULT 50
#define LISTED_MAX 500
#define PAGE_MAX 100000 /* of a list of a report */
#define TEXT_NUMBER 24
#define DATE_MAX 11
#define WORD_MAX 16
#define FROM_LEAST INT64_C(0)
#define TIME_MOST INT64_C(250000000000000000) /* the year 9892 */

static const char *const formats[] = { "json", "csv", NULL };

/* A day from the query, `fallback` where it is missing; false when 400 was answered. */
static bool day_read(
	struct edge_request *request, const char *name, const char *fallback, char day_r[DATE_MAX])
{
	(void)snprintf(day_r, DATE_MAX, "%s", fallback);
	if (edge_query(request, name, day_r, DATE_MAX) == NULL || date_valid(day_r))
		return true;
	answer_bad(request, name, day_r, "a day as YYYY-MM-DD");
	return false;
}

struct asked {
	struct waiter waiter; /* first */
	bool csv;
	char name[64]; /* of a file of CSV */
};

static struct asked *asked_new(struct gateway *gateway, struct edge_request *request, bool csv)
{
	struct asked *asked = waiter_new(sizeof(*asked), gateway, request, 0);

	asked->csv = csv;
	return asked;
}

static void file_named(struct edge_request *request, const struct asked *asked)
{
	char text[96];

	if (!asked->csv)
		return;
	(void)snprintf(text, sizeof(text), "attachment; filename=\"%s.csv\"", asked->name);
	edge_answer_header(request, "Content-Disposition", text);
}

/* ---- series ---- */

/* Columns: the text, and where the next page begins. */
static void on_series_made(void *context, PGresult *result, const char *error)
{
	struct asked *asked = context;
	struct edge_request *request = waiter_rows(&asked->waiter, result, error);

	if (request != NULL) {
		file_named(request, asked);
		if (asked->csv && !PQgetisnull(result, 0, 1))
			edge_answer_header(request, "X-Next-Us", PQgetvalue(result, 0, 1));
		answer_text(request, PQgetvalue(result, 0, 0), (size_t)PQgetlength(result, 0, 0),
			asked->csv);
	}
	free(asked);
}

static const struct step {
	const char *name;
	int64_t back_us; /* what is shown unless from_us says more */
} steps[] = {
	{ "minute", INT64_C(3600) * SECOND_US },
	{ "hour", INT64_C(86400) * SECOND_US },
	{ "day", INT64_C(31) * 86400 * SECOND_US },
};

struct series_query {
	const char *step, *by, *format;
	int64_t from_us, to_us, limit;
	uint32_t game, currency;
};

static bool series_filters(struct edge_request *request, struct series_query *query)
{
	char slug[SLUG_MAX + 1], code[CURRENCY_MAX + 1];
	const struct currency *currency;

	if (edge_query(request, "game", slug, sizeof(slug)) != NULL) {
		query->game = game_number(slug);
		if (query->game == 0) {
			answer_bad(request, "game", slug, "the id of a game from GET /v1/games");
			return false;
		}
	}
	if (edge_query(request, "currency", code, sizeof(code)) != NULL) {
		if (!currency_ok(request, code, &currency))
			return false;
		query->currency = currency->number;
	}
	return true;
}

static bool series_read(struct edge_request *request, struct series_query *query)
{
	static const char *const names[] = { "step", "by", "from_us", "to_us", "game", "currency",
		"limit", "format", NULL };
	static const char *const words[] = { "hour", "minute", "day", NULL };
	static const char *const groups[] = { "total", "game", NULL };
	int64_t back_us = 0;

	if (!answer_query(request, names) ||
		(query->step = answer_word(request, "step", words)) == NULL ||
		(query->by = answer_word(request, "by", groups)) == NULL ||
		(query->format = answer_word(request, "format", formats)) == NULL ||
		!answer_limit(request, POINTS_DEFAULT, POINTS_MAX, &query->limit) ||
		!answer_number(request, "to_us", (int64_t)clock_wall_us(), FROM_LEAST, TIME_MOST,
			&query->to_us))
		return false;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (strcmp(steps[i].name, query->step) == 0)
			back_us = steps[i].back_us;
	back_us = query->to_us < back_us ? query->to_us : back_us;
	return answer_number(request, "from_us", query->to_us - back_us, FROM_LEAST, query->to_us,
		       &query->from_us) &&
	       series_filters(request, query);
}

void on_series(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct series_query query = { 0 };
	uint32_t operator_id;
	char numbers[6][TEXT_NUMBER];

	if (!auth_operator_path(gateway, request, &operator_id) || !series_read(request, &query))
		return;
	const int64_t values[] = { operator_id, query.from_us, query.to_us, query.game,
		query.currency, query.limit };
	for (size_t i = 0; i < 6; i++)
		(void)snprintf(numbers[i], TEXT_NUMBER, "%" PRId64, values[i]);
	const char *parameters[] = { numbers[0], query.step, numbers[1], numbers[2],
		strcmp(query.by, "game") == 0 ? "true" : "false", numbers[3], numbers[4],
		numbers[5], rollups_currencies(), query.format };
	struct asked *asked = asked_new(gateway, request, strcmp(query.format, "csv") == 0);
	(void)snprintf(asked->name, sizeof(asked->name), "series-%s", query.step);
	pg_pool_query(rollups_pool(),
		"with s as (select gateway.series($1::integer, $2, timestamptz 'epoch' + "
		"$3::bigint * interval '1 microsecond', timestamptz 'epoch' + $4::bigint * "
		"interval '1 microsecond', $5::boolean, $6::integer, $7::integer, $8::integer, "
		"$9::json) as j) select case when $10 = 'csv' then gateway.csv(j->'points') else "
		"j::text end, j->>'next_us' from s",
		10, parameters, REPORT_MS, on_series_made, asked);
}

/* ---- a report ---- */

static const char *const periods[] = { "day", "month", "year", "life", NULL };
static const char *const lists[] = { "totals", "games", "returns", "jackpots", "unfinished", "hits",
	"large_wins", "adjustments", NULL };

/* Columns: the text, its signature or null, of CSV the number of the next page or null. */
static void on_report_made(void *context, PGresult *result, const char *error)
{
	struct asked *asked = context;
	struct edge_request *request = waiter_rows(&asked->waiter, result, error);

	if (request != NULL && PQgetisnull(result, 0, 0)) {
		edge_answer_error(request, 404, "report_unknown",
			"There is no report of this day: it has not begun yet.", "day", NULL, NULL);
	} else if (request != NULL) {
		file_named(request, asked);
		if (!asked->csv && !PQgetisnull(result, 0, 1))
			edge_answer_header(request, "X-Report-Signature", PQgetvalue(result, 0, 1));
		if (asked->csv && !PQgetisnull(result, 0, 2))
			edge_answer_header(request, "X-Next-Page", PQgetvalue(result, 0, 2));
		answer_text(request, PQgetvalue(result, 0, 0), (size_t)PQgetlength(result, 0, 0),
			asked->csv);
	}
	free(asked);
}

/* A sealed report as it is; else one of what is counted by now. Of CSV: a list of it, or from page
 * 2 on what the report has cut off the list. */
static const char report_sql[] =
	"with k as (select content, encode(signature, 'hex') as signed from gateway.report where "
	"operator = $1::integer and period = $2 and day = coalesce((gateway.period_days($2, "
	"$3::date)).first, $3::date)), t as (select content, signed from k union all select case "
	"when $7 = '1' then gateway.report_make($1::integer, $2, $3::date, $4::json, "
	"'provisional')::text else '' end, null where not exists (select from k) and $3::date <= "
	"gateway.gaming_day_at($1::integer, now())), x as (select content, signed, case when $5 <> "
	"'csv' then null when $7 = '1' then content::json->$6 else "
	"gateway.report_page($1::integer, $2, $3::date, $4::json, $6, $7::integer) end as list "
	"from t) select case when $5 = 'csv' then gateway.csv(x.list) else x.content end, x.signed, "
	"case when json_array_length(x.list) = gateway.report_most($6) then $7::integer + 1 end "
	"from (select 1) one left join x on true";

static const char *period_path(struct edge_request *request)
{
	const char *period = edge_parameter(request, 1);

	for (size_t i = 0; periods[i] != NULL; i++)
		if (strcmp(periods[i], period) == 0)
			return periods[i];
	answer_bad(request, "period", period, "day, month, year or life");
	return NULL;
}

static bool page_ok(
	struct edge_request *request, int64_t page, const char *format, const char *list)
{
	char found[TEXT_NUMBER];

	if (page == 1 || (strcmp(format, "csv") == 0 &&
				 (strcmp(list, "hits") == 0 || strcmp(list, "large_wins") == 0 ||
					 strcmp(list, "adjustments") == 0)))
		return true;
	(void)snprintf(found, sizeof(found), "%" PRId64, page);
	answer_bad(request, "page", found,
		"1, or with format=csv a page of hits, large_wins or adjustments");
	return false;
}

void on_report(struct edge_request *request, void *context)
{
	static const char *const names[] = { "format", "list", "page", NULL };
	struct gateway *gateway = context;
	char operator_text[16], page[TEXT_NUMBER];
	int64_t page_number;
	uint32_t operator_id;
	const char *period, *format, *list, *day = edge_parameter(request, 2);

	if (!auth_operator_path(gateway, request, &operator_id) || !answer_query(request, names) ||
		(format = answer_word(request, "format", formats)) == NULL ||
		(list = answer_word(request, "list", lists)) == NULL ||
		!answer_number(request, "page", 1, 1, PAGE_MAX, &page_number) ||
		!page_ok(request, page_number, format, list) ||
		(period = period_path(request)) == NULL)
		return;
	if (!date_valid(day)) {
		answer_bad(request, "day", day, "a day as YYYY-MM-DD");
		return;
	}
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	(void)snprintf(page, sizeof(page), "%" PRId64, page_number);
	const char *parameters[] = { operator_text, period, day, rollups_currencies(), format, list,
		page };
	struct asked *asked = asked_new(gateway, request, strcmp(format, "csv") == 0);
	(void)snprintf(asked->name, sizeof(asked->name), "%s-%s-%s%s%s", period, day, list,
		page_number > 1 ? "-" : "", page_number > 1 ? page : "");
	pg_pool_query(rollups_pool(), report_sql, 7, parameters, REPORT_MS, on_report_made, asked);
}

/* ---- the list of sealed reports ---- */

static void listed_json(struct json_out *out, const PGresult *result, int row)
{
	out_open(out, NULL, '{');
	out_string(out, "period", PQgetvalue(result, row, 0));
	out_string(out, "day", PQgetvalue(result, row, 1));
	out_string(out, "digest", PQgetvalue(result, row, 2));
	out_string(out, "signature", PQgetvalue(result, row, 3));
	out_string(out, "signer", PQgetvalue(result, row, 4));
	out_int(out, "sealed_us", pg_number(result, row, 5));
	out_int(out, "bytes", pg_number(result, row, 6));
	out_close(out, '}');
}

static const struct list reports_list = { "reports",
	"period day digest signature signer sealed_us bytes", LISTED_DEFAULT, LISTED_MAX,
	(const char *const[]){ "period", "before", NULL } };

struct listing {
	struct waiter waiter; /* first */
	int64_t limit;
};

/* The first row is the gaming day, without a report. */
static void on_listed(void *context, PGresult *result, const char *error)
{
	struct listing *listing = context;
	struct gateway *gateway = listing->waiter.gateway;
	struct json_out *out = &gateway->out;
	struct edge_request *request = waiter_rows(&listing->waiter, result, error);

	if (request != NULL) {
		int rows = PQntuples(result);
		const char *next =
			rows - 1 == listing->limit ? PQgetvalue(result, rows - 1, 1) : NULL;
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "gaming_day", '{');
		out_string(out, "today", PQgetvalue(result, 0, 1));
		out_string(out, "zone", PQgetvalue(result, 0, 2));
		out_int(out, "start_hour", pg_number(result, 0, 3));
		out_int(out, "began_us", pg_number(result, 0, 5));
		out_close(out, '}');
		out_open(out, "reports", '[');
		for (int i = 1; i < rows; i++)
			listed_json(out, result, i);
		out_close(out, ']');
		out_string(out, "next", next == NULL ? "" : next);
		list_end(gateway, request, &reports_list, next);
	}
	free(listing);
}

void on_reports(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	char operator_text[16], before[DATE_MAX];
	struct listing *listing;
	uint32_t operator_id;
	const char *period;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &reports_list, &page) ||
		(period = answer_word(request, "period", periods)) == NULL ||
		!day_read(request, "before", "9998-12-31", before))
		return;
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	const char *parameters[] = { operator_text, period,
		page.after[0] == NULL ? before : page.after[0], page.limit_text };
	listing = waiter_new(sizeof(*listing), gateway, request, 0);
	listing->limit = page.limit;
	pg_pool_query(gateway->pg_ro,
		"with d as (select gateway.gaming_day_at($1::integer, now()) as today), g as "
		"(select zone, start_hour from gateway.gaming_day, d where operator = $1::integer "
		"and valid_from <= d.today order by valid_from desc limit 1) (select '', "
		"d.today::text, coalesce(g.zone, 'UTC'), coalesce(g.start_hour, 0)::text, '', "
		"(extract(epoch from gateway.day_begins($1::integer, d.today)) * "
		"1000000)::bigint, 0 from d left join g on true) union all (select period, "
		"day::text, encode(digest, 'hex'), coalesce(encode(signature, 'hex'), ''), "
		"coalesce(encode(signer, 'hex'), ''), (extract(epoch from sealed) * "
		"1000000)::bigint, octet_length(content) from gateway.report where operator = "
		"$1::integer and period = $2 and day < $3::date order by day desc limit "
		"$4::bigint)",
		4, parameters, QUERY_MS, on_listed, listing);
}

/* ---- when a day begins ---- */

struct setting_day {
	struct waiter waiter; /* first */
	uint32_t operator_id;
	struct gaming_day_body body;
	char content[2048];
};

static void day_answer(struct edge_request *request, struct setting_day *setting, const char *how)
{
	struct json_out *out = &setting->waiter.gateway->out;

	if (strcmp(how, "zone") == 0) {
		answer_bad(request, "zone", setting->body.zone,
			"a time zone of the IANA list, such as Europe/Stockholm");
		return;
	}
	if (strcmp(how, "day") == 0) {
		answer_bad(request, "from_day", setting->body.from_day,
			"a day that has not begun yet, and not earlier than any change already "
			"set");
		return;
	}
	if (strcmp(how, "hours") == 0) {
		answer_bad(request, "start_hour", setting->body.from_day,
			"a zone and an hour that leave the day before at least one hour");
		return;
	}
	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "zone", setting->body.zone);
	out_int(out, "start_hour", setting->body.start_hour);
	out_string(out, "from_day", setting->body.from_day);
	out_close(out, '}');
	answer_sent(setting->waiter.gateway, request, 200);
}

static void day_json(struct json_out *out, const char *name, const char *zone, int64_t start_hour)
{
	out_open(out, name, '{');
	out_string(out, "zone", zone);
	out_int(out, "start_hour", start_hour);
	out_close(out, '}');
}

/* The zone and the reason are printable text; as JSON they are written by json_out. `was`: of a
 * change that was done, what would have held without it. */
static void content_make(struct setting_day *setting, const PGresult *was)
{
	struct json_out *out = &setting->waiter.gateway->out;

	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "zone", setting->body.zone);
	out_int(out, "start_hour", setting->body.start_hour);
	out_string(out, "reason", setting->body.reason);
	if (was != NULL) {
		day_json(out, "before", PQgetvalue(was, 0, 1), pg_number(was, 0, 2));
		day_json(out, "after", setting->body.zone, setting->body.start_hour);
	}
	out_close(out, '}');
	(void)snprintf(setting->content, sizeof(setting->content), "%.*s", (int)out->n, out->bytes);
}

static void on_day_set(void *context, PGresult *result, const char *error)
{
	struct setting_day *setting = context;
	uint64_t ticket = setting->waiter.ticket;
	const char *how = result != NULL ? PQgetvalue(result, 0, 0) : "";
	struct edge_request *request = edge_find(setting->waiter.gateway->edge, ticket);

	if (strcmp(how, "set") == 0)
		content_make(setting, result);
	audit_write_of(setting->waiter.gateway, ticket, setting->operator_id, "gaming-day",
		setting->body.from_day, setting->content,
		strcmp(how, "set") == 0 ? 200
		: how[0] != '\0'	? 400
					: 503);
	if (request != NULL && how[0] == '\0')
		answer_unavailable(request, error);
	else if (request != NULL)
		day_answer(request, setting, how);
	free(setting);
}

void on_gaming_day(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct gaming_day_body body = { 0 };
	struct setting_day *setting;
	uint32_t operator_id;
	char operator_text[16], hour[TEXT_NUMBER], actor[ACTOR_MAX];

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!answer_parse(request, gaming_day_fields, &body))
		return;
	if (!date_valid(body.from_day)) {
		answer_bad(request, "from_day", body.from_day, "a day as YYYY-MM-DD");
		return;
	}
	setting = waiter_new(sizeof(*setting), gateway, request, 0);
	setting->operator_id = operator_id;
	setting->body = body;
	content_make(setting, NULL);
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	(void)snprintf(hour, sizeof(hour), "%" PRId64, body.start_hour);
	actor_of(gateway, request, operator_id, actor);
	const char *parameters[] = { operator_text, body.zone, hour, body.from_day, actor };
	pg_pool_query(gateway->pg,
		"select how, zone, start_hour from gateway.gaming_day_change($1::integer, $2, "
		"$3::integer, $4::date, $5)",
		5, parameters, QUERY_MS, on_day_set, setting);
}
