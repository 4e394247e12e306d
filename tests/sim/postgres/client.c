/* libpq's functions: what libcommon/io/pg*.c and the services call, and no more. */
#include "tests/sim/postgres/postgres.h"
#include "tests/sim/fake.h"

#include <libpq-fe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FAKE(PQconnectdbParams);
FAKE(PQconnectdb);
FAKE(PQfinish);
FAKE(PQstatus);
FAKE(PQtransactionStatus);
FAKE(PQerrorMessage);
FAKE(PQsocket);
FAKE(PQsetNoticeReceiver);
FAKE(PQconsumeInput);
FAKE(PQnotifies);
FAKE(PQflush);
FAKE(PQisBusy);
FAKE(PQsetnonblocking);
FAKE(PQexec);
FAKE(PQexecParams);
FAKE(PQprepare);
FAKE(PQexecPrepared);
FAKE(PQsendQueryParams);
FAKE(PQsendQuery);
FAKE(PQsendQueryPrepared);
FAKE(PQenterPipelineMode);
FAKE(PQexitPipelineMode);
FAKE(PQpipelineSync);
FAKE(PQgetResult);
FAKE(PQputCopyData);
FAKE(PQputCopyEnd);

struct pg_conn {
	struct fpg_session session; /* first: one is the other */
};

static struct fpg_session *session_of(const PGconn *conn)
{
	return (struct fpg_session *)(uintptr_t)conn;
}

static struct fpg_params params_of(
	int n, const char *const *value, const int *length, const int *format)
{
	return (struct fpg_params){ .n = n, .value = value, .length = length, .format = format };
}

/* ---- connections ---- */

PGconn *__wrap_PQconnectdbParams(
	const char *const *keywords, const char *const *values, int expand_dbname)
{
	const char *application = "";
	(void)expand_dbname;
	for (int i = 0; keywords[i] != NULL; i++)
		if (strcmp(keywords[i], "application_name") == 0 ||
			strcmp(keywords[i], "fallback_application_name") == 0)
			application = values[i];
	sim_effect("postgres: connect");
	return (PGconn *)(void *)fpg_session_new(application);
}

PGconn *__wrap_PQconnectdb(const char *conninfo)
{
	(void)conninfo;
	sim_effect("postgres: connect");
	return (PGconn *)(void *)fpg_session_new("");
}

void __wrap_PQfinish(PGconn *conn)
{
	if (conn != NULL)
		fpg_session_end(session_of(conn));
}

ConnStatusType __wrap_PQstatus(const PGconn *conn)
{
	return conn == NULL || session_of(conn)->broken ? CONNECTION_BAD : CONNECTION_OK;
}

PGTransactionStatusType __wrap_PQtransactionStatus(const PGconn *conn)
{
	const struct fpg_session *session = session_of(conn);
	if (session->broken)
		return PQTRANS_UNKNOWN;
	if (!session->in_block)
		return PQTRANS_IDLE;
	return session->txn.failed ? PQTRANS_INERROR : PQTRANS_INTRANS;
}

char *__wrap_PQerrorMessage(const PGconn *conn)
{
	return session_of(conn)->error;
}

int __wrap_PQsocket(const PGconn *conn)
{
	return session_of(conn)->fd;
}

PQnoticeReceiver __wrap_PQsetNoticeReceiver(PGconn *conn, PQnoticeReceiver receiver, void *context)
{
	(void)conn;
	(void)receiver; /* there are no notices */
	(void)context;
	return NULL;
}

int __wrap_PQconsumeInput(PGconn *conn)
{
	return !session_of(conn)->broken;
}

/* What has come during a transaction is told after it; one tells of all. */
PGnotify *__wrap_PQnotifies(PGconn *conn)
{
	struct fpg_session *session = session_of(conn);
	if (!session->notified || session->in_block || session->broken)
		return NULL;
	session->notified = false;
	sim_fd_set(session->fd, false);
	return fpg_give(sizeof(PGnotify));
}

int __wrap_PQflush(PGconn *conn)
{
	return session_of(conn)->broken ? -1 : 0;
}

int __wrap_PQisBusy(PGconn *conn)
{
	(void)conn; /* what was sent is done when it is asked for */
	return 0;
}

int __wrap_PQsetnonblocking(PGconn *conn, int on)
{
	(void)conn;
	(void)on;
	return 0;
}

/* ---- statements ---- */

static PGresult *all_run(struct fpg_session *session, const struct fpg_statement *statement,
	const struct fpg_params *params)
{
	struct pg_result *result = NULL;
	session->error[0] = '\0';
	if (session->broken)
		(void)snprintf(
			session->error, sizeof(session->error), "no connection to the server\n");
	if (statement == NULL)
		return fpg_result_new(PGRES_EMPTY_QUERY);
	for (; statement != NULL; statement = statement->next) {
		ExecStatusType status;
		PQclear(result);
		result = fpg_session_run(session, statement, params);
		status = PQresultStatus(result);
		if (status == PGRES_FATAL_ERROR || status == PGRES_COPY_IN)
			break;
	}
	return result;
}

PGresult *__wrap_PQexec(PGconn *conn, const char *sql)
{
	return all_run(session_of(conn), fpg_prepare(sql), NULL);
}

PGresult *__wrap_PQexecParams(PGconn *conn, const char *sql, int n, const Oid *types,
	const char *const *values, const int *lengths, const int *formats, int result_format)
{
	struct fpg_params params = params_of(n, values, lengths, formats);
	(void)types;
	(void)result_format;
	return all_run(session_of(conn), fpg_prepare(sql), &params);
}

static struct fpg_prepared *prepared_find(struct fpg_session *session, const char *name)
{
	for (int i = 0; i < session->prepared_n; i++)
		if (strcmp(session->prepared[i].name, name) == 0)
			return &session->prepared[i];
	return NULL;
}

PGresult *__wrap_PQprepare(PGconn *conn, const char *name, const char *sql, int n, const Oid *types)
{
	struct fpg_session *session = session_of(conn);
	struct fpg_prepared *prepared = prepared_find(session, name);
	if (session->broken)
		return fpg_result_error("", session->error);
	if (prepared != NULL)
		return fpg_result_error("42P05", "prepared statement already exists");
	if (session->prepared_n == 32)
		sim_fail("fake Postgres: more than 32 prepared statements");
	prepared = &session->prepared[session->prepared_n++];
	(void)snprintf(prepared->name, sizeof(prepared->name), "%s", name);
	prepared->statement = fpg_prepare(sql);
	prepared->oids = types == NULL || n > 16 ? 0 : n;
	for (int i = 0; i < prepared->oids; i++)
		prepared->oid[i] = types[i];
	return fpg_result_new(PGRES_COMMAND_OK);
}

PGresult *__wrap_PQexecPrepared(PGconn *conn, const char *name, int n, const char *const *values,
	const int *lengths, const int *formats, int result_format)
{
	struct fpg_params params = params_of(n, values, lengths, formats);
	const struct fpg_prepared *prepared = prepared_find(session_of(conn), name);
	(void)result_format;
	if (prepared == NULL)
		return fpg_result_error("26000", "prepared statement does not exist");
	params.oid = prepared->oid;
	params.oids = prepared->oids;
	return all_run(session_of(conn), prepared->statement, &params);
}

/* ---- sent now, fetched later ---- */

static void queue(struct fpg_session *session, struct pg_result *result)
{
	if (session->last != NULL)
		fpg_result_chain(session->last, result);
	else
		session->first = result;
	session->last = result;
}

/* In a pipeline the statement is carried out when it is sent: the answers are the same, for nobody
 * looks before the sync. */
static int send(struct fpg_session *session, const struct fpg_statement *statement,
	const struct fpg_params *params)
{
	if (session->broken)
		return 0;
	if (session->aborted) {
		queue(session, fpg_result_new(PGRES_PIPELINE_ABORTED));
		return 1;
	}
	struct pg_result *result = all_run(session, statement, params);
	session->aborted = session->pipeline && PQresultStatus(result) == PGRES_FATAL_ERROR;
	queue(session, result);
	return 1;
}

int __wrap_PQsendQueryParams(PGconn *conn, const char *sql, int n, const Oid *types,
	const char *const *values, const int *lengths, const int *formats, int result_format)
{
	struct fpg_params params = params_of(n, values, lengths, formats);
	(void)types;
	(void)result_format;
	return send(session_of(conn), fpg_prepare(sql), &params);
}

int __wrap_PQsendQuery(PGconn *conn, const char *sql)
{
	return send(session_of(conn), fpg_prepare(sql), NULL);
}

int __wrap_PQsendQueryPrepared(PGconn *conn, const char *name, int n, const char *const *values,
	const int *lengths, const int *formats, int result_format)
{
	struct fpg_params params = params_of(n, values, lengths, formats);
	const struct fpg_prepared *prepared = prepared_find(session_of(conn), name);
	(void)result_format;
	if (prepared == NULL)
		return 0;
	params.oid = prepared->oid;
	params.oids = prepared->oids;
	return send(session_of(conn), prepared->statement, &params);
}

int __wrap_PQenterPipelineMode(PGconn *conn)
{
	struct fpg_session *session = session_of(conn);
	if (session->first != NULL || session->copy != NULL)
		return 0;
	session->pipeline = true;
	session->aborted = false;
	return 1;
}

int __wrap_PQexitPipelineMode(PGconn *conn)
{
	struct fpg_session *session = session_of(conn);
	if (session->first != NULL)
		return 0;
	session->pipeline = false;
	return 1;
}

int __wrap_PQpipelineSync(PGconn *conn)
{
	struct fpg_session *session = session_of(conn);
	if (session->broken && session->first == NULL)
		return 0;
	queue(session, fpg_result_new(PGRES_PIPELINE_SYNC));
	session->aborted = false;
	return 1;
}

/* A NULL stands behind the result of each statement, but not behind a sync. */
PGresult *__wrap_PQgetResult(PGconn *conn)
{
	struct fpg_session *session = session_of(conn);
	struct pg_result *result = session->first;
	if (session->ended) {
		session->ended = false;
		return NULL;
	}
	if (result == NULL)
		return NULL;
	session->first = fpg_result_next(result);
	if (session->first == NULL)
		session->last = NULL;
	fpg_result_chain(result, NULL);
	session->ended = PQresultStatus(result) != PGRES_PIPELINE_SYNC;
	return result;
}

/* ---- copy ---- */

int __wrap_PQputCopyData(PGconn *conn, const char *bytes, int n)
{
	struct fpg_session *session = session_of(conn);
	size_t more = (size_t)n;
	if (session->broken || session->copy == NULL)
		return -1;
	if (session->copied_room - session->copied_n < more) {
		size_t room = 2 * (session->copied_n + more);
		uint8_t *larger = realloc(session->copied, room);
		if (larger == NULL)
			sim_fail("fake Postgres: out of memory");
		session->copied = larger;
		session->copied_room = room;
	}
	memcpy(session->copied + session->copied_n, bytes, more);
	session->copied_n += more;
	return 1;
}

int __wrap_PQputCopyEnd(PGconn *conn, const char *error)
{
	struct fpg_session *session = session_of(conn);
	if (session->broken || session->copy == NULL)
		return -1;
	if (error != NULL) {
		session->copy = NULL;
		session->copied_n = 0;
		queue(session, fpg_result_error("57014", error));
		return 1;
	}
	queue(session, fpg_session_copy(session));
	return 1;
}
