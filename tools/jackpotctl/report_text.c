/* A report's lists as text and as HTML. All objects of a list have the same members in the same
 * order. */
#include "tools/jackpotctl/report.h"

#include "libcommon/base/currency.h"

#include <stdlib.h>
#include <string.h>

#define CELL_MAX 1200
#define COLUMNS_MAX 32

static const struct {
	const char *list, *title;
} lists[] = {
	{ "totals", "All games" },
	{ "games", "Games" },
	{ "returns", "Returns" },
	{ "jackpots", "Jackpots" },
	{ "unfinished", "Won and not collected yet" },
	{ "hits", "Jackpots paid" },
	{ "large_wins", "Large wins" },
	{ "adjustments", "Voids, corrections and grants" },
};
#define LISTS (sizeof(lists) / sizeof(lists[0]))

static void plain(const json_t *value, char out[CELL_MAX])
{
	char *text;

	out[0] = '\0';
	if (json_is_string(value)) {
		(void)snprintf(out, CELL_MAX, "%s", json_string_value(value));
	} else if (!json_is_null(value)) {
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
		(void)snprintf(out, CELL_MAX, "%s", text == NULL ? "" : text);
		free(text);
	}
}

static bool ends(const char *text, const char *with)
{
	size_t n = strlen(text), m = strlen(with);
	return n >= m && strcmp(text + n - m, with) == 0;
}

/* "1234" with two decimals becomes "12.34"; what is no whole number stays. */
static void decimal(char out[CELL_MAX], uint32_t exponent)
{
	const char *digits = out[0] == '-' ? out + 1 : out;
	size_t n = strlen(digits);
	char whole[CELL_MAX];

	if (exponent == 0 || n == 0 || n > 40 || strspn(digits, "0123456789") != n)
		return;
	(void)snprintf(whole, sizeof(whole), "%0*d%s", n <= exponent ? (int)(exponent + 1 - n) : 0,
		0, digits);
	const char *from = n <= exponent ? whole : digits;
	size_t length = strlen(from);
	char made[CELL_MAX];
	(void)snprintf(made, sizeof(made), "%s%.*s.%s", out[0] == '-' ? "-" : "",
		(int)(length - exponent), from, from + length - exponent);
	memcpy(out, made, strlen(made) + 1);
}

/* As people read it: money with decimals. */
static void readable(const json_t *row, const char *key, const json_t *value, char out[CELL_MAX])
{
	const char *code = json_string_value(json_object_get(row, "currency"));
	const struct currency *currency = code == NULL ? NULL : currency_by_code(code);

	plain(value, out);
	if (currency != NULL && ends(key, "_minor"))
		decimal(out, currency->exponent);
	else if (currency != NULL && ends(key, "_nano"))
		decimal(out, currency->exponent + 9);
}

static const char *heading(const char *key, char out[CELL_MAX])
{
	(void)snprintf(out, CELL_MAX, "%s", key);
	if (ends(out, "_minor"))
		out[strlen(out) - strlen("_minor")] = '\0';
	else if (ends(out, "_nano"))
		out[strlen(out) - strlen("_nano")] = '\0';
	for (char *c = out; *c != '\0'; c++)
		if (*c == '_')
			*c = ' ';
	return out;
}

/* Behind the title of a list that the report has cut: how much of it is there. */
static void cut_write(const json_t *report, const char *list, FILE *out)
{
	const json_t *cut;
	size_t i;

	json_array_foreach(json_object_get(report, "truncated"), i, cut)
	{
		const char *name = json_string_value(json_object_get(cut, "list"));

		if (name != NULL && strcmp(name, list) == 0)
			fprintf(out, ": %lld of %lld; report %s --csv %s has all",
				(long long)json_integer_value(json_object_get(cut, "shown")),
				(long long)json_integer_value(json_object_get(cut, "entries")),
				json_string_value(json_object_get(report, "report")), list);
	}
}

/* ---- text ---- */

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void widths_of(const json_t *list, size_t width[COLUMNS_MAX])
{
	const json_t *row;
	size_t i;

	memset(width, 0, COLUMNS_MAX * sizeof(width[0]));
	json_array_foreach(list, i, row)
	{
		const char *key;
		json_t *value;
		size_t column = 0;
		json_object_foreach((json_t *)(uintptr_t)row, key, value)
		{
			char cell[CELL_MAX];
			if (column == COLUMNS_MAX)
				break;
			readable(row, key, value, cell);
			width[column] = larger(width[column], strlen(cell));
			width[column] = larger(width[column], strlen(heading(key, cell)));
			column++;
		}
	}
}

static void line_text(const json_t *row, const size_t width[COLUMNS_MAX], bool head, FILE *out)
{
	const char *key;
	json_t *value;
	size_t column = 0;

	json_object_foreach((json_t *)(uintptr_t)row, key, value)
	{
		char cell[CELL_MAX];
		if (column == COLUMNS_MAX)
			break;
		if (head)
			(void)heading(key, cell);
		else
			readable(row, key, value, cell);
		fprintf(out, "  %*s",
			json_is_string(value) && !ends(key, "_nano") ? -(int)width[column]
								     : (int)width[column],
			cell);
		column++;
	}
	fputc('\n', out);
}

static void title_text(const json_t *report, FILE *out)
{
	const char *first = json_string_value(json_object_get(report, "first_day"));

	fprintf(out, "Report of operator %lld, %s: %s%s%s, %s\n",
		(long long)json_integer_value(json_object_get(report, "operator")),
		json_string_value(json_object_get(report, "report")),
		first == NULL ? "until " : first, first == NULL ? "" : " to ",
		json_string_value(json_object_get(report, "last_day")),
		json_string_value(json_object_get(report, "state")));
}

void report_text(const json_t *report, FILE *out)
{
	title_text(report, out);
	for (size_t i = 0; i < LISTS; i++) {
		const json_t *list = json_object_get(report, lists[i].list), *row;
		size_t width[COLUMNS_MAX], n;
		if (json_array_size(list) == 0)
			continue;
		fprintf(out, "\n%s", lists[i].title);
		cut_write(report, lists[i].list, out);
		fputc('\n', out);
		widths_of(list, width);
		line_text(json_array_get(list, 0), width, true, out);
		json_array_foreach(list, n, row) line_text(row, width, false, out);
	}
}

/* ---- HTML ---- */

static void escaped(const char *text, FILE *out)
{
	for (; *text != '\0'; text++) {
		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else
			fputc(*text, out);
	}
}

static void line_html(const json_t *row, bool head, FILE *out)
{
	const char *key;
	json_t *value;

	fputs("<tr>", out);
	json_object_foreach((json_t *)(uintptr_t)row, key, value)
	{
		char cell[CELL_MAX];
		bool words = json_is_string(value) && !ends(key, "_nano");
		if (head)
			(void)heading(key, cell);
		else
			readable(row, key, value, cell);
		fprintf(out, "<%s%s>", head ? "th" : "td", words ? "" : " class=n");
		escaped(cell, out);
	}
	fputs("\n", out);
}

void report_html(const json_t *report, FILE *out)
{
	fputs("<!doctype html><meta charset=utf-8><title>Report</title><style>\n"
	      "body{font:10pt system-ui,sans-serif;margin:2em}h1{font-size:14pt}h2{font-size:11pt}\n"
	      "table{border-collapse:collapse;margin-bottom:1em}th,td{border-bottom:1px solid "
	      "#bbb;padding:2px 6px;text-align:left;font-variant-numeric:tabular-nums}\n"
	      ".n{text-align:right}tr{break-inside:avoid}@page{size:A4 "
	      "landscape;margin:12mm}\n@media print{body{margin:0;font-size:7pt}}\n</style>\n<h1>",
		out);
	title_text(report, out);
	fputs("</h1>\n", out);
	for (size_t i = 0; i < LISTS; i++) {
		const json_t *list = json_object_get(report, lists[i].list), *row;
		size_t n;
		if (json_array_size(list) == 0)
			continue;
		fprintf(out, "<h2>%s", lists[i].title);
		cut_write(report, lists[i].list, out);
		fputs("</h2>\n<table>\n", out);
		line_html(json_array_get(list, 0), true, out);
		json_array_foreach(list, n, row) line_html(row, false, out);
		fputs("</table>\n", out);
	}
}
