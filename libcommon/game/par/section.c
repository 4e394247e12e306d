/* Sections of a PAR sheet: words and tables, independent of the output format. */
#include "libcommon/game/rational.h"
#include "libcommon/game/par.h"

#include <stdarg.h>
#include <string.h>

json_t *par_section(json_t *sections, const char *id, const char *title)
{
	json_t *section =
		json_pack("{s:s, s:s, s:[], s:[]}", "id", id, "title", title, "words", "tables");

	if (!section)
		par_refuse("out of memory in section %s", id);
	json_array_append_new(sections, section);
	return section;
}

void par_words(json_t *section, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	json_array_append_new(json_object_get(section, "words"), json_vsprintf(format, arguments));
	va_end(arguments);
}

json_t *par_table(json_t *section, const char *id, const char *caption, const char *columns)
{
	json_t *list = json_array(), *table;

	for (const char *at = columns; *at;) {
		size_t name = strcspn(at, "="), length = strcspn(at, "|");
		bool exact = at[name + 1] == '!';
		const char *title = exact ? at : at + name + 1;

		json_array_append_new(
			list, json_pack("{s:s%, s:s%, s:b}", "id", at, name, "title", title,
				      exact ? name : length - name - 1, "exact", (int)exact));
		at += length + (at[length] == '|' ? 1 : 0);
	}
	table = json_pack("{s:s, s:s, s:b, s:o, s:[]}", "id", id, "caption", caption, "whole", 0,
		"columns", list, "rows");
	if (!table)
		par_refuse("out of memory in table %s", id);
	json_array_append_new(json_object_get(section, "tables"), table);
	return table;
}

/* Fills a row by the table's columns; the texts' end is NULL. */
static json_t *row_from(const json_t *table, va_list texts)
{
	json_t *row = json_object();
	const json_t *column;
	size_t i;

	json_array_foreach(json_object_get(table, "columns"), i, column)
	{
		const char *text = va_arg(texts, const char *);

		if (!text)
			break;
		json_object_set_new(
			row, json_string_value(json_object_get(column, "id")), json_string(text));
	}
	return row;
}

void par_row(json_t *table, ...)
{
	va_list texts;

	va_start(texts, table);
	json_array_append_new(json_object_get(table, "rows"), row_from(table, texts));
	va_end(texts);
}

void par_total(json_t *table, ...)
{
	va_list texts;

	va_start(texts, table);
	json_object_set_new(table, "total", row_from(table, texts));
	va_end(texts);
}

void par_row_of(json_t *table, const char *const *texts, size_t count)
{
	const json_t *columns = json_object_get(table, "columns");
	json_t *row = json_object();

	for (size_t i = 0; i < count && i < json_array_size(columns); i++)
		json_object_set_new(row,
			json_string_value(json_object_get(json_array_get(columns, i), "id")),
			json_string(texts[i]));
	json_array_append_new(json_object_get(table, "rows"), row);
}
