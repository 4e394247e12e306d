/* `jackpotctl report ..`: reports of days, months, years and of all time, printed, exported into a
 * folder, and proven there (docs/reports.md). */
#ifndef CARILLON_JACKPOTCTL_REPORT_H
#define CARILLON_JACKPOTCTL_REPORT_H

#include <libpq-fe.h>

#include <jansson.h>

#include <stdbool.h>
#include <stdio.h>

struct report_options {
	const char *period;	 /* day, month, year or life */
	const char *day;	 /* YYYY-MM-DD; NULL: the last gaming day that is over */
	const char *operator_id; /* a number */
	const char *list;	 /* as CSV this list alone; NULL: none */
	bool json;
};

bool report_period_known(const char *period);
bool report_list_known(const char *list);
/* Prints a report: the sealed one where there is one. False: that day has not begun. */
bool report_print(PGconn *conn, const struct report_options *options);

/* Writes each signed report of an operator into DIR/OPERATOR/PERIOD-DAY.json with .sig, .csv (its
 * totals by game) and .html, if that is not there. Safe to repeat at any time. False: a file could
 * not be written, or one that is there differs from the report. */
bool report_export(PGconn *conn, const struct report_options *options, const char *folder);
/* Proves a .json file by the .sig file beside it; `public_key`: a file with the key that must have
 * signed, NULL: any. False: it is not what was signed. */
bool report_verify(const char *path, const char *public_key, bool json);

/* report_text.c: a report as text for people, and as a page to print */
void report_text(const json_t *report, FILE *out);
void report_html(const json_t *report, FILE *out);

#endif
