/* The PAR sheet as CSV (RFC 4180): one table after another. Each begins with a record "table", its
 * path, its caption; then come the column names, the rows and an empty line. A table's total is a
 * table of its own, so that programs can sum the rows. */
#include "libcommon/game/par.h"

#include <string.h>

static void put_cell(const char *text, bool first, FILE *out)
{
	if (!first)
		fputc(',', out);
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void put_table_head(const char *group, const char *section, const char *table,
	const char *suffix, const char *caption, FILE *out)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s/%s%s", group, section, table, suffix);
	put_cell("table", true, out);
	put_cell(path, false, out);
	put_cell(caption, false, out);
	fputs("\r\n", out);
}

static void put_names(const json_t *columns, FILE *out)
{
	const json_t *column;
	size_t i;

	json_array_foreach(columns, i, column)
		put_cell(json_string_value(json_object_get(column, "id")), i == 0, out);
	fputs("\r\n", out);
}

static void put_row(const json_t *columns, const json_t *row, FILE *out)
{
	const json_t *column;
	size_t i;

	json_array_foreach(columns, i, column)
	{
		const char *id = json_string_value(json_object_get(column, "id"));
		const char *text = json_string_value(json_object_get(row, id));

		put_cell(text ? text : "", i == 0, out);
	}
	fputs("\r\n", out);
}

static void put_table(const char *group, const char *section, const json_t *table, FILE *out)
{
	const char *id = json_string_value(json_object_get(table, "id"));
	const char *caption = json_string_value(json_object_get(table, "caption"));
	const json_t *columns = json_object_get(table, "columns"), *row;
	const json_t *total = json_object_get(table, "total");
	size_t i;

	put_table_head(group, section, id, "", caption, out);
	put_names(columns, out);
	json_array_foreach(json_object_get(table, "rows"), i, row) put_row(columns, row, out);
	fputs("\r\n", out);
	if (!total)
		return;
	put_table_head(group, section, id, "/total", caption, out);
	put_names(columns, out);
	put_row(columns, total, out);
	fputs("\r\n", out);
}

static void put_sections(const char *group, const json_t *sections, FILE *out)
{
	const json_t *section, *table, *words;
	size_t i, k;

	json_array_foreach(sections, i, section)
	{
		const char *id = json_string_value(json_object_get(section, "id"));

		if (json_array_size(json_object_get(section, "words")) > 0) {
			put_table_head(group, id, "words", "",
				json_string_value(json_object_get(section, "title")), out);
			put_cell("words", true, out);
			fputs("\r\n", out);
			json_array_foreach(json_object_get(section, "words"), k, words)
			{
				put_cell(json_string_value(words), true, out);
				fputs("\r\n", out);
			}
			fputs("\r\n", out);
		}
		json_array_foreach(json_object_get(section, "tables"), k, table)
			put_table(group, id, table, out);
	}
}

void par_csv(const json_t *document, FILE *out)
{
	const json_t *mode;
	size_t i;

	put_sections("game", json_object_get(document, "sections"), out);
	json_array_foreach(json_object_get(document, "modes"), i, mode)
		put_sections(json_string_value(json_object_get(mode, "mode")),
			json_object_get(mode, "sections"), out);
	put_sections("strips", json_object_get(document, "appendix"), out);
}
