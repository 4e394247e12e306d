#include "tools/jackpotctl/rows_print.h"

#include <sodium.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_ROOM 8192

PGresult *rows_ask_with(
	PGconn *conn, const char *fault, const char *sql, int n, const char *const *parameters)
{
	PGresult *result = PQexecParams(conn, sql, n, NULL, parameters, NULL, NULL, 0);

	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return result;
	fprintf(stderr, "jackpotctl: %s: %s", fault, PQerrorMessage(conn));
	exit(2);
}

PGresult *rows_ask(PGconn *conn, const char *sql)
{
	return rows_ask_with(conn, "the database could not be read", sql, 0, NULL);
}

void rows_text(const PGresult *result, const char *title)
{
	PQprintOpt options;
	char separator[] = "  ";

	memset(&options, 0, sizeof(options));
	options.header = 1;
	options.align = 1;
	options.fieldSep = separator;
	printf("%s\n", title);
	PQprint(stdout, result, &options);
	putchar('\n');
}

json_t *rows_json(const PGresult *result)
{
	json_t *rows = json_array();

	for (int i = 0; i < PQntuples(result); i++) {
		json_t *row = json_object();
		for (int j = 0; j < PQnfields(result); j++)
			json_object_set_new(
				row, PQfname(result, j), json_string(PQgetvalue(result, i, j)));
		json_array_append_new(rows, row);
	}
	return rows;
}

void json_print(json_t *root)
{
	/* A terminal may obey characters above ASCII, too. */
	json_dumpf(root, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(root);
}

/* ---- JSON for people ---- */

/* A value in one line; the caller frees it. */
static char *value_text(const json_t *value)
{
	char *text = json_is_string(value) ? strdup(json_string_value(value))
		     : json_is_null(value) || value == NULL
			     ? strdup("-")
			     : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

	if (text == NULL)
		abort();
	return text;
}

static bool is_table(const json_t *value)
{
	return json_is_object(json_array_get(value, 0));
}

static void cell_print(const json_t *row, const char *name, int width)
{
	char *text = value_text(json_object_get(row, name));

	printf("%-*s", width, text);
	free(text);
}

static int width_of(const json_t *rows, const char *name)
{
	size_t width = strlen(name), i;
	json_t *row;

	json_array_foreach(rows, i, row)
	{
		char *text = value_text(json_object_get(row, name));
		width = strlen(text) > width ? strlen(text) : width;
		free(text);
	}
	return (int)width + 2;
}

/* The members of all rows, in the order in which they first appear, with their widths. */
static json_t *columns_of(json_t *rows)
{
	json_t *columns = json_object(), *row, *value;
	const char *name;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		json_object_foreach(row, name, value)
		{
			if (json_object_get(columns, name) == NULL)
				json_object_set_new(
					columns, name, json_integer(width_of(rows, name)));
		}
	}
	return columns;
}

static void table_print(json_t *rows)
{
	json_t *columns = columns_of(rows), *row, *width;
	const char *name;
	size_t i;

	json_object_foreach(columns, name, width)
	{
		printf("%-*s", (int)json_integer_value(width), name);
	}
	putchar('\n');
	json_array_foreach(rows, i, row)
	{
		json_object_foreach(columns, name, width)
		{
			cell_print(row, name, (int)json_integer_value(width));
		}
		putchar('\n');
	}
	json_decref(columns);
}

/* All members that are tables, or all others. */
static void members_print(json_t *root, bool tables)
{
	json_t *value;
	const char *name;

	json_object_foreach(root, name, value)
	{
		char *text = NULL;
		if (is_table(value) != tables)
			continue;
		if (tables) {
			printf("\n%s\n", name);
			table_print(value);
			continue;
		}
		text = value_text(value);
		printf("%-24s %s\n", name, text);
		free(text);
	}
}

void json_text(json_t *root)
{
	members_print(root, false);
	members_print(root, true);
}

/* ---- actions ---- */

bool outcome_print(bool json, bool done, json_t *facts, const char *format, ...)
{
	char message[MESSAGE_ROOM];
	va_list values;

	va_start(values, format);
	(void)vsnprintf(message, sizeof(message), format, values);
	va_end(values);
	if (json) {
		json_t *all = json_pack("{s:b,s:s}", "done", done, "message", message);
		json_object_update(all, facts);
		json_print(all);
	} else {
		puts(message);
	}
	sodium_memzero(message, sizeof(message)); /* it may have a password or a key */
	json_decref(facts);
	return done;
}
