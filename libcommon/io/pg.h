/* Postgres by libpq, in two ways:
 *
 * - `pg_*`: one blocking connection, for services that write their shards. Any failure, except in
 *   pg_try, ends the process, because nobody can trust the state in memory after a doubtful commit.
 * - `pg_pool_*`: asynchronous queries for the edge, driven by a file descriptor in the caller's
 *   loop. They are read-only unless pg_pool_new_writing made the pool. */
#ifndef CARILLON_IO_PG_H
#define CARILLON_IO_PG_H

#include <libpq-fe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A fatal message begins with this when the cause lies with the server or the connection,
 * and not with the statement: SQLSTATE 08 (connection), 25P03 (a session that slept), 53100 (a full
 * disk), 57P (a shutdown), 58 (input and output), or none at all. */
#define PG_SERVER_FAILS "postgres fails: "

/* Of every session. A writer that hangs inside a transaction locks its shards' rows: the server
 * ends it after the time of a lease. A statement whose client is gone (it gave up, or its process
 * ended) is cancelled, though it waits for a lock: otherwise each such statement keeps its backend.
 */
#define PG_SESSION_OPTIONS                                                                         \
	"-c idle_in_transaction_session_timeout=2000 -c client_connection_check_interval=250"

/* Ends the process because a statement failed. result may be NULL; `what` names the statement. */
__attribute__((noreturn)) void pg_fatal(
	const PGconn *conn, const PGresult *result, const char *what);

/* Connects; sets application_name, idle_in_transaction_session_timeout 2 s and lock_timeout 200 ms.
 * Retries for wait_ms while the server starts, then fatal. */
PGconn *pg_connect(const char *dsn, const char *application, int wait_ms);
/* Runs one or more statements without parameters; fatal on error. */
void pg_exec(PGconn *conn, const char *sql);
/* Runs one statement with text parameters (NULL entries are SQL null). Outside a transaction it
 * runs again while another is in its way (pg_is_in_the_way), for 5 s at most; any other error is
 * fatal. The caller calls PQclear. */
PGresult *pg_query(PGconn *conn, const char *sql, int n, const char *const *parameters);
/* The same for a statement that runs again and again: Postgres parses it once and plans it only for
 * the first few runs. `sql` must be a constant, because its address identifies the statement. */
PGresult *pg_again(PGconn *conn, const char *sql, int n, const char *const *parameters);
/* As pg_query, but returns a failed result to the caller, who reads PQresultStatus and the
 * sqlstate. */
PGresult *pg_try(PGconn *conn, const char *sql, int n, const char *const *parameters);
/* Did a statement of pg_try fail because another transaction was in its way, and may succeed if it
 * is tried again? SQLSTATE 40001 (serialisation), 40P01 (deadlock), 55P03 (no lock in time). */
bool pg_is_in_the_way(const PGresult *result);
/* 0 for null. A text that is not a number: stored_wrong (stored.h), and 0. */
int64_t pg_number(const PGresult *result, int row, int column);
/* Writes bytes as the text of a bytea parameter, "\x01ab"; out holds 2 * n + 3 bytes. */
void pg_bytea_text(const uint8_t *bytes, size_t n, char *out);
/* The bytes of a bytea that the result holds as text. The caller frees them with PQfreemem. */
uint8_t *pg_bytea(const PGresult *result, int row, int column, size_t *length_r);

/* COPY .. FROM STDIN BINARY: pg_copy_begin, then for each row pg_copy_row and its fields, then
 * pg_copy_end. Fatal on error. */
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
/* Optional, after the last row: sends the rest, so that the caller can do other work before it
 * waits in pg_copy_end. */
void pg_copy_sent(struct pg_copy *copy);
uint64_t pg_copy_end(struct pg_copy *copy); /* returns the number of rows; frees copy */

/* The asynchronous pool. */
struct pg_pool;
/* On failure result is NULL and error says why. The pool clears the result. */
typedef void pg_done(void *context, PGresult *result, const char *error);
struct pg_pool *pg_pool_new(const char *dsn, const char *application, int connections);
/* The same, but its queries may write: for an instance's registration (instance.h) and for the
 * tables of services that run on the edge. Each query is its own transaction. A query may have been
 * committed although `done` got an error. */
struct pg_pool *pg_pool_new_writing(const char *dsn, const char *application, int connections);
/* Each connection that the pool opens from now on first runs this statement ("listen ..", a
 * constant). pg_pool_poll calls `told` after notifications have arrived. */
void pg_pool_listen(
	struct pg_pool *pool, const char *sql, void (*told)(void *context), void *context);
/* An epoll descriptor: readable when pg_pool_poll has work. */
int pg_pool_fd(const struct pg_pool *pool);
/* Copies sql and parameters. `done` is called exactly once: by pg_pool_poll with the result, or
 * with an error when the query fails, timeout_ms have passed, 2,000 others wait for a connection,
 * or the connection is lost (the pool reconnects by itself); or by pg_pool_free with the error
 * "closing". */
void pg_pool_query(struct pg_pool *pool, const char *sql, int n, const char *const *parameters,
	int timeout_ms, pg_done *done, void *context);
/* Estimates how long a query that is queued now would wait for a connection, from the times of
 * recent queries. */
uint64_t pg_pool_wait_us(const struct pg_pool *pool);
void pg_pool_poll(struct pg_pool *pool); /* also call it every 100 ms, for timeouts */
void pg_pool_free(struct pg_pool **pool);

#endif
