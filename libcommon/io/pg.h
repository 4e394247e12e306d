/* Postgres by libpq. Two ways: `pg_*`, one blocking connection for the single writers (any failure
 * there ends the process: a doubtful commit is never repaired in memory), and `pg_pool_*`,
 * asynchronous read-only queries for the edge, driven by a file descriptor in the caller's loop. */
#ifndef CARILLON_IO_PG_H
#define CARILLON_IO_PG_H

#include <libpq-fe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Connects, sets application_name, idle_in_transaction_session_timeout 2 s, lock_timeout 200 ms;
 * tries for wait_ms while the server starts. Fatal then. */
PGconn *pg_connect(const char *dsn, const char *application, int wait_ms);
/* Runs one or more statements without parameters; fatal on error. */
void pg_exec(PGconn *conn, const char *sql);
/* Runs one statement with text parameters (NULL entries are SQL null); fatal on error; the caller
 * PQclears. */
PGresult *pg_query(PGconn *conn, const char *sql, int n, const char *const *parameters);
/* The same, but gives the failed result to the caller, who reads PQresultStatus and the sqlstate.
 */
PGresult *pg_try(PGconn *conn, const char *sql, int n, const char *const *parameters);
int64_t pg_number(
	const PGresult *result, int row, int column); /* 0 for null; fatal when it is no number */
/* bytea in text form to bytes: malloc'ed with PQunescapeBytea; caller PQfreemems. */
uint8_t *pg_bytea(const PGresult *result, int row, int column, size_t *length_r);

/* COPY .. FROM STDIN BINARY: begin, then for each row pg_copy_row and its fields, then pg_copy_end.
 * Fatal on error. */
struct pg_copy;
struct pg_copy *pg_copy_begin(PGconn *conn, const char *table_and_columns);
void pg_copy_row(struct pg_copy *copy, int fields);
void pg_copy_null(struct pg_copy *copy);
void pg_copy_int16(struct pg_copy *copy, int16_t value);
void pg_copy_int32(struct pg_copy *copy, int32_t value);
void pg_copy_int64(struct pg_copy *copy, int64_t value);
void pg_copy_bool(struct pg_copy *copy, bool value);
void pg_copy_bytes(struct pg_copy *copy, const void *bytes, size_t length); /* bytea and text */
void pg_copy_time_us(struct pg_copy *copy, uint64_t unix_us);		    /* timestamptz */
void pg_copy_int32_array(struct pg_copy *copy, const int32_t *values, size_t n);
/* No more rows: all of them are on their way, and the caller may do something else before he waits
 * for the end. Optional. */
void pg_copy_sent(struct pg_copy *copy);
uint64_t pg_copy_end(struct pg_copy *copy); /* rows written; frees */

/* Asynchronous pool. */
struct pg_pool;
typedef void pg_done(void *context, PGresult *result,
	const char *error); /* result NULL with error; PQclear is the pool's */
struct pg_pool *pg_pool_new(const char *dsn, const char *application, int connections);
/* The same, but its queries may write: for an instance's registration (instance.h) and what a
 * service of the edge owns. Each query is a transaction of its own, and may have been carried out
 * although `done` got an error. */
struct pg_pool *pg_pool_new_writing(const char *dsn, const char *application, int connections);
int pg_pool_fd(
	const struct pg_pool *pool); /* an epoll descriptor: readable when pg_pool_poll has work */
/* Copies sql and parameters; calls done once, from pg_pool_poll, also when the connection is lost
 * (it reconnects by itself) or after timeout_ms. */
void pg_pool_query(struct pg_pool *pool, const char *sql, int n, const char *const *parameters,
	int timeout_ms, pg_done *done, void *context);
void pg_pool_poll(struct pg_pool *pool); /* also call once every 100 ms for time-outs */
void pg_pool_free(struct pg_pool **pool);

#endif
