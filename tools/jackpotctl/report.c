#include "tools/jackpotctl/report.h"

#include "libcommon/base/currency.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2

static const char *const lists[] = { "totals", "games", "returns", "jackpots", "unfinished", "hits",
	"large_wins", "adjustments", NULL };

bool report_list_known(const char *list)
{
	for (size_t i = 0; lists[i] != NULL; i++)
		if (strcmp(lists[i], list) == 0)
			return true;
	return false;
}

bool report_period_known(const char *period)
{
	return strcmp(period, "day") == 0 || strcmp(period, "month") == 0 ||
	       strcmp(period, "year") == 0 || strcmp(period, "life") == 0;
}

/* {"978":"EUR",..}; the caller frees it. */
static char *codes_make(void)
{
	const struct currency *currency;
	json_t *codes = json_object();
	char number[16];

	for (size_t i = 0; (currency = currency_at(i)) != NULL; i++) {
		(void)snprintf(number, sizeof(number), "%" PRIu32, currency->number);
		(void)json_object_set_new(codes, number, json_string(currency->code));
	}
	char *text = json_dumps(codes, JSON_COMPACT);
	json_decref(codes);
	return text;
}

static const char sql[] =
	"with d as (select coalesce($3::date, gateway.gaming_day_at($1::integer, now()) - 1) as "
	"day), k as (select r.content from gateway.report r, d where r.operator = $1::integer and "
	"r.period = $2 and r.day = coalesce((gateway.period_days($2, d.day)).first, d.day)), t as "
	"(select content from k union all select gateway.report_make($1::integer, $2, d.day, $4::json, "
	"'provisional')::text from d where not exists (select from k) and d.day <= "
	"gateway.gaming_day_at($1::integer, now())) select content, case when $5::text is not "
	"null then gateway.csv(content::json->$5::text) end, (select day from d), "
	"json_array_length(content::json->$5::text) = gateway.report_most($5::text) from t";

static const char page_sql[] =
	"select gateway.csv(l), json_array_length(l) = gateway.report_most($5) from "
	"gateway.report_page($1::integer, $2, $3::date, $4::json, $5, $6::integer) l";

static bool is_true(const PGresult *result, int column)
{
	return strcmp(PQgetvalue(result, 0, column), "t") == 0;
}

static void stop_at(PGconn *conn)
{
	fprintf(stderr, "jackpotctl: report: %s", PQerrorMessage(conn));
	exit(EXIT_USAGE);
}

/* What a report has cut off a list, without a header row again. */
static void pages_print(
	PGconn *conn, const struct report_options *options, const char *codes, const char *day)
{
	char page[24];
	const char *parameters[] = { options->operator_id, options->period, day, codes,
		options->list, page };
	bool more = true;

	for (int n = 2; more; n++) {
		(void)snprintf(page, sizeof(page), "%d", n);
		PGresult *result = PQexecParams(conn, page_sql, 6, NULL, parameters, NULL, NULL, 0);
		if (PQresultStatus(result) != PGRES_TUPLES_OK)
			stop_at(conn);
		const char *rows = strstr(PQgetvalue(result, 0, 0), "\r\n");
		if (rows != NULL)
			fputs(rows + 2, stdout);
		more = is_true(result, 1);
		PQclear(result);
	}
}

static void shown(const PGresult *result, const struct report_options *options)
{
	json_t *report;

	if (options->json) {
		puts(PQgetvalue(result, 0, 0));
		return;
	}
	if (options->list != NULL) {
		fputs(PQgetvalue(result, 0, 1), stdout);
		return;
	}
	report = json_loads(PQgetvalue(result, 0, 0), 0, NULL);
	report_text(report, stdout);
	json_decref(report);
}

bool report_print(PGconn *conn, const struct report_options *options)
{
	char *codes = codes_make();
	const char *parameters[] = { options->operator_id, options->period, options->day, codes,
		options->list };
	PGresult *result = PQexecParams(conn, sql, 5, NULL, parameters, NULL, NULL, 0);
	bool found;

	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		stop_at(conn);
	found = PQntuples(result) == 1;
	if (found)
		shown(result, options);
	if (found && !options->json && options->list != NULL && is_true(result, 3))
		pages_print(conn, options, codes, PQgetvalue(result, 0, 2));
	free(codes);
	if (!found)
		fprintf(stderr, "jackpotctl: report: day %s has not begun\n", options->day);
	PQclear(result);
	return found;
}
