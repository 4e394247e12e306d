#include "tools/jackpotctl/rows_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	json_dumpf(root, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(root);
}
