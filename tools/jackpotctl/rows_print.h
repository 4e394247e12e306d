/* Rows of the database, for people and as JSON. */
#ifndef CARILLON_JACKPOTCTL_ROWS_PRINT_H
#define CARILLON_JACKPOTCTL_ROWS_PRINT_H

#include <jansson.h>
#include <libpq-fe.h>

/* Ends the program with 2 when the query fails. */
PGresult *rows_ask(PGconn *conn, const char *sql);
void rows_text(const PGresult *result, const char *title);
json_t *rows_json(const PGresult *result); /* an array of objects, all values text */
/* As one line on stdout; frees it. */
void json_print(json_t *root);

#endif
