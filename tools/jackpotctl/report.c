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
	"null then gateway.csv(content::json->$5::text) end from t";

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

	free(codes);
	if (PQresultStatus(result) != PGRES_TUPLES_OK) {
		fprintf(stderr, "jackpotctl: report: %s", PQerrorMessage(conn));
		exit(EXIT_USAGE);
	}
	found = PQntuples(result) == 1;
	if (found)
		shown(result, options);
	else
		fprintf(stderr, "jackpotctl: report: day %s has not begun\n", options->day);
	PQclear(result);
	return found;
}
