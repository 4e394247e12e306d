/* Rows of the database, for people and as JSON. */
#ifndef CARILLON_JACKPOTCTL_ROWS_PRINT_H
#define CARILLON_JACKPOTCTL_ROWS_PRINT_H

#include <jansson.h>
#include <libpq-fe.h>

#include <stdbool.h>

/* Both end the program with 2 when the query fails. `fault` begins what is said then. */
PGresult *rows_ask(PGconn *conn, const char *sql);
PGresult *rows_ask_with(
	PGconn *conn, const char *fault, const char *sql, int n, const char *const *parameters);
void rows_text(const PGresult *result, const char *title);
json_t *rows_json(const PGresult *result); /* an array of objects, all values text */
/* As one line on stdout; frees it. */
void json_print(json_t *root);
/* For people: a line a member, and each list of objects as a table. */
void json_text(json_t *root);
/* What came of an action: the sentence, or as JSON {"done","message"} with the facts, which it
 * frees (NULL: none). Returns `done`. */
bool outcome_print(bool json, bool done, json_t *facts, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
