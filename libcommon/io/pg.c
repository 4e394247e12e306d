/* One blocking connection to Postgres, for single writers: any failure ends the process */
#include "libcommon/io/pg.h"

#include "libcommon/base/hex.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/stored.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONNECT_PAUSE_US 50000
#define AGAIN_MAX 64
#define LOCK_TRIES 25 /* each waits for lock_timeout, 5 s in all; a turn's deadline is shorter */

static PGconn *connect_once(const char *dsn, const char *application)
{
	const char *options =
		PG_SESSION_OPTIONS " -c lock_timeout=200 -c client_min_messages=warning";
	const char *names[] = { "dbname", "application_name", "options", "connect_timeout",
		"tcp_user_timeout", "client_encoding", NULL };
	const char *values[] = { dsn, application, options, "5", "5000", "UTF8", NULL };
	return PQconnectdbParams(names, values, 1);
}

static void notice(void *context, const PGresult *result)
{
	(void)context;
	const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	log_info("postgres: %s", text != NULL ? text : "notice without text");
}

/* Statements that pg_again has prepared, by the address of their text. */
static struct again {
	const PGconn *conn;
	const char *sql;
} again[AGAIN_MAX];
static size_t again_n;

/* A connection may have the address of an earlier one. */
static void again_forget(const PGconn *conn)
{
	for (size_t i = 0; i < again_n; i++)
		if (again[i].conn == conn)
			again[i] = (struct again){ NULL, NULL };
}

PGconn *pg_connect(const char *dsn, const char *application, int wait_ms)
{
	uint64_t until = clock_mono_us() + (uint64_t)wait_ms * 1000u;
	for (;;) {
		PGconn *conn = connect_once(dsn, application);
		if (PQstatus(conn) == CONNECTION_OK) {
			(void)PQsetNoticeReceiver(conn, notice, NULL);
			again_forget(conn);
			return conn;
		}
		if (clock_mono_us() >= until)
			fatal("postgres: no connection after %d ms: %s", wait_ms,
				PQerrorMessage(conn));
		PQfinish(conn);
		(void)usleep(CONNECT_PAUSE_US);
	}
}

static bool result_good(const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);
	return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK ||
	       status == PGRES_EMPTY_QUERY;
}

/* https://www.postgresql.org/docs/15/errcodes-appendix.html */
static bool server_fails(const char *state)
{
	static const char *const begins[] = { "08", "25P03", "53100", "57P", "58" };
	if (state == NULL)
		return true;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (strncmp(state, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

void pg_fatal(const PGconn *conn, const PGresult *result, const char *what)
{
	const char *state = result != NULL ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
	fatal("%s%.300s: %s (SQLSTATE %s)",
		server_fails(state) ? PG_SERVER_FAILS : "postgres: ", what, PQerrorMessage(conn),
		state != NULL ? state : "none");
}

void pg_exec(PGconn *conn, const char *sql)
{
	PGresult *result = PQexec(conn, sql);
	if (!result_good(result))
		pg_fatal(conn, result, sql);
	PQclear(result);
}

PGresult *pg_try(PGconn *conn, const char *sql, int n, const char *const *parameters)
{
	return PQexecParams(conn, sql, n, NULL, parameters, NULL, NULL, 0);
}

bool pg_is_in_the_way(const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	return state != NULL && (strcmp(state, "40001") == 0 || strcmp(state, "40P01") == 0 ||
					strcmp(state, "55P03") == 0);
}

/* A statement outside a transaction that met another in its way changed nothing, and is run again.
 * name: as prepared, or NULL. */
static PGresult *run_past_locks(
	PGconn *conn, const char *name, const char *sql, int n, const char *const *parameters)
{
	for (int tries = 1;; tries++) {
		PGresult *result =
			name == NULL ? pg_try(conn, sql, n, parameters)
				     : PQexecPrepared(conn, name, n, parameters, NULL, NULL, 0);
		if (result_good(result))
			return result;
		if (!pg_is_in_the_way(result) || PQtransactionStatus(conn) != PQTRANS_IDLE ||
			tries == LOCK_TRIES)
			pg_fatal(conn, result, sql);
		PQclear(result);
	}
}

PGresult *pg_query(PGconn *conn, const char *sql, int n, const char *const *parameters)
{
	return run_past_locks(conn, NULL, sql, n, parameters);
}

/* False: there is no room for another. */
static bool again_prepare(PGconn *conn, const char *sql, char *name, size_t room)
{
	size_t at = 0;
	while (at < again_n && (again[at].sql != sql || again[at].conn != conn))
		at++;
	if (at == AGAIN_MAX)
		return false;
	(void)snprintf(name, room, "again_%zu", at);
	if (at < again_n)
		return true;
	PGresult *result = PQprepare(conn, name, sql, 0, NULL);
	if (!result_good(result))
		pg_fatal(conn, result, sql);
	PQclear(result);
	again[again_n++] = (struct again){ conn, sql };
	return true;
}

PGresult *pg_again(PGconn *conn, const char *sql, int n, const char *const *parameters)
{
	char name[32];
	if (!again_prepare(conn, sql, name, sizeof(name)))
		return pg_query(conn, sql, n, parameters);
	return run_past_locks(conn, name, sql, n, parameters);
}

int64_t pg_number(const PGresult *result, int row, int column)
{
	char *end;
	if (row >= PQntuples(result) || column >= PQnfields(result))
		fatal("postgres: row %d, column %d requested; the result has %d rows, %d columns",
			row, column, PQntuples(result), PQnfields(result));
	if (PQgetisnull(result, row, column))
		return 0;
	const char *text = PQgetvalue(result, row, column);
	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (end != text && *end == '\0' && errno == 0)
		return value;
	stored_wrong("postgres: column %s: found '%.100s', expected a whole number of 64 bits",
		PQfname(result, column), text);
	return 0;
}

void pg_bytea_text(const uint8_t *bytes, size_t n, char *out)
{
	out[0] = '\\';
	out[1] = 'x';
	hex_format(bytes, n, out + 2);
}

uint8_t *pg_bytea(const PGresult *result, int row, int column, size_t *length_r)
{
	const unsigned char *text = (const unsigned char *)PQgetvalue(result, row, column);
	uint8_t *bytes = PQunescapeBytea(text, length_r);
	if (bytes == NULL)
		fatal("postgres: out of memory");
	return bytes;
}
