/* The asynchronous pool: a few connections, a queue of queries, one epoll descriptor for the
 * caller's loop. */
#include "libcommon/io/pg.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define CONNECTIONS_MAX 64
#define CONNECT_TIMEOUT_US 5000000u
#define PAUSE_FIRST_US 50000u
#define PAUSE_MAX_US 1000000u
#define LISTEN_MS 5000
#define QUEUED_MAX 2000

struct query {
	struct query *next;
	char *sql;
	char **parameters;
	int n;
	uint64_t until_us;
	pg_done *done;
	void *context;
	uint8_t trace[LOG_TRACE_ID_BYTES]; /* of the work that asks; `done` goes on with it */
	size_t trace_length;
};

enum link_state { LINK_CLOSED, LINK_CONNECTING, LINK_IDLE, LINK_BUSY };

struct pg_link {
	enum link_state state;
	PGconn *conn;
	int fd;		   /* as registered with epoll; libpq may change it while connecting */
	uint64_t since_us; /* when connecting began */
	uint64_t retry_us, pause_us;
	uint64_t sent_us; /* the query */
	struct query *query;
	PGresult *result; /* the query's last result, until all its results have been read */
};

struct pg_pool {
	bool writes; /* for registration of instances and for services that own tables */
	int epoll;
	char *dsn, *application;
	int n;
	struct pg_link links[CONNECTIONS_MAX];
	struct query *head, **tail;
	size_t queued;
	uint64_t query_us;  /* what one took lately */
	const char *listen; /* NULL: to nothing */
	bool notified;
	void (*told)(void *context);
	void *told_context;
};

static void *must(void *memory)
{
	if (memory == NULL)
		fatal("postgres: out of memory");
	return memory;
}

static void query_finish(struct query *query, PGresult *result, const char *error)
{
	if (error == NULL && PQresultStatus(result) != PGRES_TUPLES_OK &&
		PQresultStatus(result) != PGRES_COMMAND_OK)
		error = PQresultErrorMessage(result);
	log_trace(query->trace, query->trace_length);
	query->done(query->context, error == NULL ? result : NULL, error);
	log_trace(NULL, 0);
	for (int i = 0; i < query->n; i++)
		free(query->parameters[i]);
	free(query->parameters);
	free(query->sql);
	free(query);
}

static void link_watch(struct pg_pool *pool, struct pg_link *link, uint32_t events)
{
	int fd = PQsocket(link->conn);
	struct epoll_event event = { .events = events, .data.ptr = link };
	if (link->fd == fd && epoll_ctl(pool->epoll, EPOLL_CTL_MOD, fd, &event) == 0)
		return;
	/* libpq opens a new socket for each address it tries, often with the old number. */
	link->fd = fd;
	(void)epoll_ctl(pool->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void link_close(struct pg_link *link, const char *why)
{
	struct query *query = link->query;
	if (link->result != NULL)
		PQclear(link->result);
	if (link->pause_us == 0)
		link->pause_us = PAUSE_FIRST_US;
	link->retry_us = clock_mono_us() + link->pause_us;
	link->pause_us = link->pause_us * 2 > PAUSE_MAX_US ? PAUSE_MAX_US : link->pause_us * 2;
	link->query = NULL;
	link->result = NULL;
	link->state = LINK_CLOSED;
	if (query != NULL)
		query_finish(query, NULL, why);
	PQfinish(
		link->conn); /* after the query is finished: `why` may point into this connection */
	link->conn = NULL;
	link->fd = -1;
}

static void link_connect(struct pg_pool *pool, struct pg_link *link)
{
	const char *names[] = { "dbname", "application_name", "options", "client_encoding", NULL };
	const char *values[] = { pool->dsn, pool->application,
		pool->writes ? PG_SESSION_OPTIONS
			     : PG_SESSION_OPTIONS " -c default_transaction_read_only=on",
		"UTF8", NULL };
	link->conn = must(PQconnectStartParams(names, values, 1));
	link->since_us = clock_mono_us();
	if (PQstatus(link->conn) == CONNECTION_BAD) {
		log_warn_as("postgres.connect.failed", "postgres: %s", PQerrorMessage(link->conn));
		link_close(link, "no connection");
		return;
	}
	(void)PQsetnonblocking(link->conn, 1);
	link->state = LINK_CONNECTING;
	link_watch(pool, link, EPOLLOUT);
}

static void link_flush(struct pg_pool *pool, struct pg_link *link)
{
	int left = PQflush(link->conn);
	link_watch(pool, link, left > 0 ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static void link_query(struct pg_pool *pool, struct pg_link *link, struct query *query)
{
	link->query = query;
	link->state = LINK_BUSY;
	link->sent_us = clock_mono_us();
	const char *const *parameters = (const char *const *)query->parameters;
	if (PQsendQueryParams(link->conn, query->sql, query->n, NULL, parameters, NULL, NULL, 0) ==
		1)
		link_flush(pool, link);
	else
		query->until_us = 0; /* `done` is called by the next poll, never from here */
}

static struct query *query_new(const char *sql, int n, const char *const *parameters,
	int timeout_ms, pg_done *done, void *context)
{
	struct query *query = must(calloc(1, sizeof(*query)));
	query->sql = must(strdup(sql));
	query->parameters = must(calloc((size_t)n + 1, sizeof(*query->parameters)));
	for (int i = 0; i < n; i++)
		query->parameters[i] = parameters[i] == NULL ? NULL : must(strdup(parameters[i]));
	query->n = n;
	query->until_us = clock_mono_us() + (uint64_t)timeout_ms * 1000u;
	query->done = done;
	query->context = context;
	query->trace_length = log_trace_copy(query->trace);
	return query;
}

static void on_listen(void *context, PGresult *result, const char *error)
{
	(void)context;
	(void)result;
	if (error != NULL)
		log_warn_as("postgres.listen.failed", "postgres: cannot listen: %s", error);
}

static void link_connect_go_on(struct pg_pool *pool, struct pg_link *link)
{
	PostgresPollingStatusType status = PQconnectPoll(link->conn);
	if (status == PGRES_POLLING_OK) {
		link->state = LINK_IDLE;
		link->pause_us = 0;
		link_watch(pool, link, EPOLLIN);
		if (pool->listen != NULL)
			link_query(pool, link,
				query_new(pool->listen, 0, NULL, LISTEN_MS, on_listen, NULL));
	} else if (status == PGRES_POLLING_FAILED) {
		log_warn_as("postgres.connect.failed", "postgres: %s", PQerrorMessage(link->conn));
		link_close(link, "no connection");
	} else {
		link_watch(pool, link, status == PGRES_POLLING_READING ? EPOLLIN : EPOLLOUT);
	}
}

static void dispatch(struct pg_pool *pool)
{
	for (int i = 0; i < pool->n && pool->head != NULL; i++) {
		struct pg_link *link = &pool->links[i];
		if (link->state != LINK_IDLE)
			continue;
		struct query *query = pool->head;
		pool->head = query->next;
		if (pool->head == NULL)
			pool->tail = &pool->head;
		query->next = NULL;
		pool->queued--;
		link_query(pool, link, query);
	}
}

static void link_read(struct pg_pool *pool, struct pg_link *link)
{
	if (PQconsumeInput(link->conn) != 1 || PQstatus(link->conn) != CONNECTION_OK) {
		link_close(link, "the connection to Postgres was lost");
		return;
	}
	if (link->state == LINK_BUSY)
		link_flush(pool, link);
	while (link->state == LINK_BUSY && PQisBusy(link->conn) == 0) {
		PGresult *result = PQgetResult(link->conn);
		if (result != NULL) {
			if (link->result != NULL)
				PQclear(link->result);
			link->result = result;
			continue;
		}
		struct query *query = link->query;
		PGresult *last = link->result;
		link->query = NULL;
		link->result = NULL;
		link->state = LINK_IDLE;
		pool->query_us = (7 * pool->query_us + clock_mono_us() - link->sent_us) / 8;
		query_finish(query, last, last == NULL ? "no result" : NULL);
		if (last != NULL)
			PQclear(last);
	}
	for (PGnotify *notify; (notify = PQnotifies(link->conn)) != NULL; pool->notified = true)
		PQfreemem(notify);
}

static void expire(struct pg_pool *pool, uint64_t now_us)
{
	for (int i = 0; i < pool->n; i++) {
		struct pg_link *link = &pool->links[i];
		if (link->state == LINK_BUSY && now_us >= link->query->until_us)
			/* Closed, so that a late answer is ignored. */
			link_close(link, link->query->until_us == 0
						 ? "the connection to Postgres was lost"
						 : "no answer in time");
		else if (link->state == LINK_CONNECTING &&
			 now_us >= link->since_us + CONNECT_TIMEOUT_US)
			link_close(link, "no connection in time");
		else if (link->state == LINK_CLOSED && now_us >= link->retry_us)
			link_connect(pool, link);
	}
	/* Taken out of the queue first: a `done` may queue another query. */
	struct query *late = NULL;
	struct query **late_tail = &late;
	for (struct query **at = &pool->head; *at != NULL;) {
		struct query *query = *at;
		if (now_us < query->until_us) {
			at = &query->next;
			continue;
		}
		*at = query->next;
		query->next = NULL;
		pool->queued--;
		*late_tail = query;
		late_tail = &query->next;
	}
	for (pool->tail = &pool->head; *pool->tail != NULL;)
		pool->tail = &(*pool->tail)->next;
	while (late != NULL) {
		struct query *query = late;
		late = query->next;
		query_finish(query, NULL, "no free connection in time");
	}
}

static struct pg_pool *pool_new(
	const char *dsn, const char *application, int connections, bool writes)
{
	struct pg_pool *pool = must(calloc(1, sizeof(*pool)));
	assert(connections >= 1 && connections <= CONNECTIONS_MAX);
	pool->writes = writes;
	pool->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (pool->epoll < 0)
		fatal("postgres: epoll_create1 failed");
	pool->dsn = must(strdup(dsn));
	pool->application = must(strdup(application));
	pool->n = connections;
	pool->tail = &pool->head;
	for (int i = 0; i < connections; i++) {
		pool->links[i].fd = -1;
		link_connect(pool, &pool->links[i]);
	}
	return pool;
}

struct pg_pool *pg_pool_new(const char *dsn, const char *application, int connections)
{
	return pool_new(dsn, application, connections, false);
}

struct pg_pool *pg_pool_new_writing(const char *dsn, const char *application, int connections)
{
	return pool_new(dsn, application, connections, true);
}

void pg_pool_listen(
	struct pg_pool *pool, const char *sql, void (*told)(void *context), void *context)
{
	pool->listen = sql;
	pool->told = told;
	pool->told_context = context;
}

int pg_pool_fd(const struct pg_pool *pool)
{
	return pool->epoll;
}

void pg_pool_query(struct pg_pool *pool, const char *sql, int n, const char *const *parameters,
	int timeout_ms, pg_done *done, void *context)
{
	struct query *query = query_new(sql, n, parameters, timeout_ms, done, context);
	/* Above the limit it is not sent: the next poll finishes it as expired. */
	if (pool->queued >= QUEUED_MAX)
		query->until_us = 0;
	*pool->tail = query;
	pool->tail = &query->next;
	pool->queued++;
	for (int i = 0; i < pool->n; i++) {
		if (pool->links[i].state != LINK_IDLE)
			continue;
		/* Sends at once. If the connection turns out to be lost, the query waits for the
		 * next poll. */
		dispatch(pool);
		return;
	}
}

uint64_t pg_pool_wait_us(const struct pg_pool *pool)
{
	return pool->queued * pool->query_us / (uint64_t)pool->n;
}

void pg_pool_poll(struct pg_pool *pool)
{
	struct epoll_event events[CONNECTIONS_MAX];
	int n = epoll_wait(pool->epoll, events, CONNECTIONS_MAX, 0);
	for (int i = 0; i < n; i++) {
		struct pg_link *link = events[i].data.ptr;
		if (link->state == LINK_CONNECTING)
			link_connect_go_on(pool, link);
		else if (link->state != LINK_CLOSED)
			link_read(pool, link);
	}
	expire(pool, clock_mono_us());
	dispatch(pool);
	if (pool->notified && pool->told != NULL) {
		pool->notified = false;
		pool->told(pool->told_context);
	}
}

void pg_pool_free(struct pg_pool **pool)
{
	struct pg_pool *p = *pool;
	if (p == NULL)
		return;
	for (int i = 0; i < p->n; i++)
		if (p->links[i].state != LINK_CLOSED)
			link_close(&p->links[i], "closing");
	while (p->head != NULL) {
		struct query *query = p->head;
		p->head = query->next;
		if (p->head == NULL)
			p->tail = &p->head; /* who hears of it may send the next */
		query_finish(query, NULL, "closing");
	}
	(void)close(p->epoll);
	free(p->dsn);
	free(p->application);
	free(p);
	*pool = NULL;
}
