/* Connections as the server has them: transactions, waiting for locks, faults. */
#include "tests/sim/postgres/postgres.h"

#include <libpq-fe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCK_TIMEOUT_US 200000u
#define LOCK_LOOK_US 1000u
#define IDLE_TIMEOUT_US 2000000u /* idle_in_transaction_session_timeout */
#define CACHE_ROOM 1024u

static struct fpg_session *sessions;
static uint32_t last_pid;
static bool server_up = true;
static bool loaded;
static bool broken_listed; /* pg_stat_activity has one that is over */
static void (*world_told)(void);
static bool telling;

/* ---- statements by their text ---- */

static struct {
	uint64_t hash;
	const char *sql;
	struct fpg_statement *statement;
} cache[CACHE_ROOM];

static uint64_t hash_of(const char *text)
{
	size_t n = strlen(text);
	uint64_t hash = n;
	for (; n >= 8; n -= 8, text += 8) {
		uint64_t word;
		memcpy(&word, text, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	for (; n > 0; n--)
		hash = (hash ^ (uint8_t)*text++) * UINT64_C(0x100000001b3);
	return hash;
}

static struct fpg_statement *all_parse(const char *sql)
{
	struct fpg_parser parser;
	struct fpg_statement *first = NULL, *last = NULL;
	fpg_lex(&parser, sql);
	while (parser.token[parser.at].kind != FPG_T_END) {
		if (fpg_take(&parser, ";"))
			continue;
		struct fpg_statement *statement = fpg_parse_statement(&parser);
		fpg_bind_statement(statement);
		statement->writes = parser.writes;
		if (!fpg_is(&parser, ";") && parser.token[parser.at].kind != FPG_T_END)
			fpg_not_known(&parser, "the end of the statement is expected");
		if (first == NULL)
			first = statement;
		else
			last->next = statement;
		last = statement;
	}
	return first;
}

/* What cannot be bound is an error of the service: the run ends. */
static struct fpg_statement *statements_parse(const char *sql)
{
	jmp_buf failed;
	if (setjmp(failed) != 0)
		sim_fail("fake Postgres: %s:\n%s", fpg_error.text, sql);
	fpg_error_to = &failed;
	struct fpg_statement *statement = all_parse(sql);
	fpg_error_to = NULL;
	return statement;
}

struct fpg_statement *fpg_prepare(const char *sql)
{
	uint64_t hash = hash_of(sql);
	size_t at = (size_t)(hash >> 32) % CACHE_ROOM;
	for (size_t tried = 0; tried < CACHE_ROOM; tried++, at = (at + 1) % CACHE_ROOM) {
		if (cache[at].sql == NULL) {
			cache[at].hash = hash;
			cache[at].sql = fpg_keep_text(sql, strlen(sql));
			cache[at].statement = statements_parse(cache[at].sql);
			return cache[at].statement;
		}
		if (cache[at].hash == hash && strcmp(cache[at].sql, sql) == 0)
			return cache[at].statement;
	}
	sim_fail("fake Postgres: more than %u statements", CACHE_ROOM);
}

/* ---- life ---- */

static void activity(const char *sql, const struct fpg_session *session)
{
	char pid[16];
	const char *parameters[] = { pid, session->application };
	(void)snprintf(pid, sizeof(pid), "%u", session->pid);
	(void)fake_pg_run(sql, 2, parameters);
}

static void activity_sweep(void)
{
	if (!broken_listed)
		return;
	broken_listed = false;
	for (struct fpg_session *session = sessions; session != NULL; session = session->next)
		if (session->broken && session->listed) {
			session->listed = false;
			activity("delete from pg_stat_activity where pid = $1 and application_name "
				 "= $2",
				session);
		}
}

struct fpg_session *fpg_session_new(const char *application)
{
	struct fpg_session *session = calloc(1, sizeof(*session));
	if (session == NULL)
		sim_fail("fake Postgres: out of memory");
	session->process = sim_current();
	session->pid = ++last_pid;
	session->txn.session = session;
	session->fd = sim_fd_open();
	(void)snprintf(session->application, sizeof(session->application), "%s", application);
	if (!server_up) {
		session->broken = true;
		(void)snprintf(session->error, sizeof(session->error),
			"connection to server failed: Connection refused\n");
	}
	session->next = sessions;
	sessions = session;
	activity_sweep();
	if (server_up) {
		session->listed = true;
		activity("insert into pg_stat_activity (pid, application_name) values ($1, $2)",
			session);
	}
	return session;
}

void fpg_session_break(struct fpg_session *session, const char *why)
{
	if (session->broken)
		return;
	fpg_txn_rollback(&session->txn, 0, 0, 0);
	session->in_block = false;
	session->broken = broken_listed = true;
	session->copy = NULL;
	(void)snprintf(session->error, sizeof(session->error), "%s\n", why);
	sim_fd_set(session->fd, true);
}

static void session_free(struct fpg_session *session)
{
	for (struct pg_result *result = session->first, *next; result != NULL; result = next) {
		next = fpg_result_next(result);
		PQclear(result);
	}
	free(session->txn.created.row);
	free(session->txn.deleted.row);
	free(session->txn.locked.row);
	free(session->copied);
	free(session);
}

void fpg_session_end(struct fpg_session *session)
{
	struct fpg_session **at = &sessions;
	fpg_session_break(session, "closed");
	activity_sweep();
	while (*at != session)
		at = &(*at)->next;
	*at = session->next;
	sim_fd_close(session->fd);
	session_free(session);
}

void fake_pg_process_died(struct sim_process *process)
{
	for (struct fpg_session *session = sessions; session != NULL; session = session->next)
		if (session->process == process)
			fpg_session_break(session, "died");
	activity_sweep();
	for (struct fpg_session **at = &sessions; *at != NULL;) {
		struct fpg_session *session = *at;
		if (session->process != process) {
			at = &session->next;
			continue;
		}
		*at = session->next;
		session->first = session->last = NULL; /* freed with all results of the process */
		session_free(session);
	}
	fpg_results_died(process);
}

void fake_pg_server(bool up)
{
	server_up = up;
	for (struct fpg_session *session = sessions; session != NULL && !up;
		session = session->next)
		fpg_session_break(session, "server closed the connection unexpectedly");
	if (!up)
		activity_sweep();
}

void fake_pg_world_begin(void)
{
	char shards[16];
	const char *parameters[] = { shards };
	fpg_temp_reset();
	if (!loaded)
		fpg_schema_load();
	loaded = true;
	fake_pg_world_end();
	server_up = true;
	telling = sim_world.scenario == NULL && sim_world.seed % 2 == 0;
	last_pid = 0;
	fpg_world_reset();
	(void)snprintf(shards, sizeof(shards), "%u", sim_world.shards);
	(void)fake_pg_run("insert into carillon.installation (kind, shards) values ('test', $1)", 1,
		parameters);
	/* The migrations ran when the program started; worlds begin at any time. */
	(void)fake_pg_run("update carillon.fx_rate set valid_from = now()", 0, NULL);
}

void fake_pg_world_end(void)
{
	while (sessions != NULL) {
		struct fpg_session *session = sessions;
		fpg_txn_rollback(&session->txn, 0, 0, 0);
		sessions = session->next;
		session_free(session);
	}
	fake_pg_watch(NULL, NULL);
	fake_pg_listen(NULL);
}

bool fpg_backend_end(uint32_t pid)
{
	for (struct fpg_session *session = sessions; session != NULL; session = session->next)
		if (session->pid == pid && !session->broken) {
			fpg_session_break(session,
				"FATAL:  terminating connection due to administrator command");
			return true;
		}
	return false;
}

bool fpg_disk_is_full(void)
{
	return sim_faults.disk_full;
}

/* ---- one attempt ---- */

enum outcome { DONE, FAILED, BLOCKED };

static void select_fill(
	struct fpg_exec *exec, const struct fpg_statement *statement, struct pg_result *result)
{
	struct fpg_frame frame = { .exec = exec };
	struct fpg_table_rows rows = { 0 };
	fpg_select_run(&frame, statement->select, &rows);
	/* A part of with that changes rows is carried out even if nobody reads it. */
	for (int i = 0; i < statement->select->ctes_n; i++)
		if (statement->select->cte[i]->statement->kind != FPG_SELECT)
			fpg_cte_run(&frame, statement->select->cte[i]);
	fpg_result_rows(result, statement->select, &rows);
	fpg_result_command(result, "SELECT", (int64_t)rows.n);
}

static void change_fill(
	struct fpg_exec *exec, const struct fpg_statement *statement, struct pg_result *result)
{
	static const char *const COMMANDS[] = {
		[FPG_INSERT] = "INSERT", [FPG_UPDATE] = "UPDATE", [FPG_DELETE] = "DELETE"
	};
	struct fpg_table_rows rows = { 0 };
	uint64_t n = fpg_change_run(exec, statement, &rows);
	if (statement->returning != NULL)
		fpg_result_rows(result, statement->returning, &rows);
	fpg_result_command(result, COMMANDS[statement->kind], (int64_t)n);
}

static void statement_fill(
	struct fpg_exec *exec, const struct fpg_statement *statement, struct pg_result *result)
{
	if (statement->kind == FPG_SELECT)
		select_fill(exec, statement, result);
	else if (statement->kind == FPG_DEFINE)
		fpg_define_run(statement->define);
	else if (statement->kind == FPG_LISTEN)
		exec->txn->session->listens = true;
	else if (statement->kind == FPG_NOTIFY)
		exec->txn->notifies = true;
	else if (statement->kind != FPG_NOTHING)
		change_fill(exec, statement, result);
}

static bool has_rows(const struct fpg_statement *statement)
{
	return statement->kind == FPG_SELECT || statement->returning != NULL;
}

struct attempt {
	struct fpg_session *session;
	const struct fpg_statement *statement;
	const struct fpg_params *params;
	struct pg_result *result; /* made here */
};

static void attempt_run(struct attempt *attempt)
{
	const struct fpg_session *session = attempt->session;
	const struct fpg_params *params = attempt->params;
	static struct fpg_exec exec;
	memset(exec.param_read, 0, sizeof(exec.param_read));
	memset(exec.param_known, 0, sizeof(exec.param_known));
	memset(exec.cte, 0, sizeof(exec.cte));
	exec.txn = &attempt->session->txn;
	exec.backend_pid = session->pid;
	exec.clock_us = sim_now_us();
	exec.param = params == NULL ? NULL : params->value;
	exec.param_length = params == NULL ? NULL : params->length;
	exec.param_format = params == NULL ? NULL : params->format;
	exec.param_oid = params == NULL ? NULL : params->oid;
	exec.param_oids = params == NULL ? 0 : params->oids;
	if (attempt->statement->kind == FPG_COPY_IN)
		fpg_result_command(attempt->result, "COPY",
			(int64_t)fpg_copy_run(
				&exec, attempt->statement, session->copied, session->copied_n));
	else
		statement_fill(&exec, attempt->statement, attempt->result);
}

/* What it did before it failed or met a lock is taken back. */
static enum outcome attempt_once(struct attempt *attempt)
{
	struct fpg_txn *txn = &attempt->session->txn;
	const size_t created = txn->created.n, deleted = txn->deleted.n, locked = txn->locked.n;
	jmp_buf failed;
	fpg_temp_reset();
	attempt->result =
		fpg_result_new(has_rows(attempt->statement) ? PGRES_TUPLES_OK : PGRES_COMMAND_OK);
	if (setjmp(failed) != 0) {
		fpg_error_to = NULL;
		PQclear(attempt->result);
		fpg_txn_rollback(txn, created, deleted, locked);
		return fpg_error.blocker != NULL ? BLOCKED : FAILED;
	}
	fpg_error_to = &failed;
	attempt_run(attempt);
	fpg_error_to = NULL;
	return DONE;
}

/* ---- a statement ---- */

static struct pg_result *broken_result(const struct fpg_session *session)
{
	struct pg_result *result = fpg_result_error("", session->error);
	return result;
}

static struct pg_result *failed_result(
	struct fpg_session *session, const char *sqlstate, const char *text)
{
	fpg_txn_rollback(&session->txn, 0, 0, 0);
	session->txn.failed = session->in_block;
	session->txn.notifies = false;
	(void)snprintf(session->error, sizeof(session->error), "ERROR:  %s\n", text);
	sim_trace("postgres: %s: error %s: %s", session->application, sqlstate, text);
	return fpg_result_error(sqlstate, text);
}

static bool idle_too_long(const struct fpg_session *session)
{
	return session->in_block && !session->broken &&
	       sim_now_us() >= session->active_us + IDLE_TIMEOUT_US;
}

/* The one in the way is ended if it sleeps in its transaction; else we wait a little. */
static void blocker_wait(struct fpg_session *blocker)
{
	if (idle_too_long(blocker))
		fpg_session_break(blocker,
			"FATAL:  terminating connection due to idle-in-transaction timeout");
	else
		sim_wait_us(LOCK_LOOK_US);
}

/* Between two statements the world goes on: the instance may die or sleep here. */
static bool arrive(struct fpg_session *session, const char *what)
{
	if (session->process != NULL)
		sim_effect(what);
	if (idle_too_long(session))
		fpg_session_break(session,
			"FATAL:  terminating connection due to idle-in-transaction timeout");
	if (!session->broken && sim_chance(sim_faults.statement_fail_ppm / 2))
		fpg_session_break(session, "server closed the connection unexpectedly");
	return !session->broken;
}

static bool is_end(const struct fpg_statement *statement)
{
	return statement->kind == FPG_COMMIT || statement->kind == FPG_ROLLBACK;
}

void fake_pg_listen(void (*told)(void))
{
	world_told = told;
}

void fake_pg_telling(bool on)
{
	telling = on;
}

/* Everybody who listens, this session too. */
static void notify(struct fpg_session *from)
{
	bool tells = from->txn.notifies && telling;
	from->txn.notifies = false;
	if (!tells)
		return;
	for (struct fpg_session *session = sessions; session != NULL; session = session->next) {
		if (!session->listens || session->broken)
			continue;
		session->notified = true;
		sim_fd_set(session->fd, true);
	}
	if (world_told != NULL)
		world_told();
}

static void commit(struct fpg_session *session)
{
	bool unknown = session->process != NULL && sim_chance(sim_faults.commit_unknown_ppm);
	if (!unknown || sim_chance(500000)) {
		fpg_txn_commit(&session->txn);
		notify(session);
	}
	if (!unknown)
		return;
	sim_trace("postgres: %s: the answer to a commit is lost", session->application);
	fpg_session_break(session, "server closed the connection unexpectedly");
}

static struct pg_result *end_run(struct fpg_session *session, const struct fpg_statement *statement)
{
	bool commits = statement->kind == FPG_COMMIT && !session->txn.failed;
	struct pg_result *result;
	if (commits && fpg_disk_is_full() && session->txn.created.n > 0) {
		session->in_block = false;
		return failed_result(session, "53100", "could not write: No space left on device");
	}
	if (commits)
		commit(session);
	else
		fpg_txn_rollback(&session->txn, 0, 0, 0);
	session->in_block = session->txn.failed = session->txn.notifies = false;
	if (session->broken)
		return broken_result(session);
	result = fpg_result_new(PGRES_COMMAND_OK);
	fpg_result_command(result, commits ? "COMMIT" : "ROLLBACK", -1);
	return result;
}

static struct pg_result *begin_run(struct fpg_session *session)
{
	struct pg_result *result = fpg_result_new(PGRES_COMMAND_OK);
	session->in_block = true;
	session->txn.failed = false;
	session->txn.now_us = sim_now_us();
	fpg_result_command(result, "BEGIN", -1);
	return result;
}

static struct pg_result *attempts_run(struct attempt *attempt)
{
	struct fpg_session *session = attempt->session;
	uint64_t until_us = sim_now_us() + LOCK_TIMEOUT_US;
	for (;;) {
		enum outcome outcome;
		if (!session->in_block)
			session->txn.now_us = sim_now_us();
		outcome = attempt_once(attempt);
		if (outcome == FAILED)
			return failed_result(session, fpg_error.sqlstate, fpg_error.text);
		if (outcome == DONE) {
			if (!session->in_block)
				commit(session);
			if (!session->broken)
				return attempt->result;
			PQclear(attempt->result);
			return broken_result(session);
		}
		if (sim_now_us() >= until_us)
			return failed_result(
				session, "55P03", "canceling statement due to lock timeout");
		blocker_wait(fpg_error.blocker->session);
		if (session->broken)
			return broken_result(session);
	}
}

static struct pg_result *statement_run(struct fpg_session *session,
	const struct fpg_statement *statement, const struct fpg_params *params)
{
	struct attempt attempt = { session, statement, params, NULL };
	if (is_end(statement))
		return end_run(session, statement);
	if (session->txn.failed)
		return failed_result(session, "25P02",
			"current transaction is aborted, commands ignored until end of transaction "
			"block");
	if (statement->kind == FPG_BEGIN)
		return begin_run(session);
	if (session->process != NULL && sim_chance(sim_faults.statement_fail_ppm / 2))
		return failed_result(session, "XX000", "the server has failed in this statement");
	return attempts_run(&attempt);
}

struct pg_result *fpg_session_run(struct fpg_session *session,
	const struct fpg_statement *statement, const struct fpg_params *params)
{
	bool ends = statement->kind == FPG_COMMIT;
	struct pg_result *result;
	if (sim_tracing() && session->process != NULL)
		sim_trace("postgres: %s: %.70s", session->application, statement->sql);
	if (!arrive(session, ends		 ? "postgres: commit"
			     : statement->writes ? "postgres: change"
						 : "postgres: query"))
		return broken_result(session);
	if (statement->kind == FPG_COPY_IN && session->copied_n == 0) {
		session->copy = statement;
		return fpg_result_new(PGRES_COPY_IN);
	}
	result = statement_run(session, statement, params);
	session->active_us = sim_now_us();
	activity_sweep();
	if (session->process != NULL && (ends || statement->writes))
		sim_effect(ends ? "postgres: commit returns" : "postgres: change returns");
	return result;
}

struct pg_result *fpg_session_copy(struct fpg_session *session)
{
	const struct fpg_statement *statement = session->copy;
	struct pg_result *result = fpg_session_run(session, statement, NULL);
	session->copy = NULL;
	session->copied_n = 0;
	return result;
}

uint64_t fake_pg_run(const char *sql, int n, const char *const *parameters)
{
	struct fpg_session session = { .application = "world" };
	struct fpg_params params = { .n = n, .value = parameters };
	struct attempt attempt = { &session, fpg_prepare(sql), &params, NULL };
	session.txn.session = &session;
	session.txn.now_us = sim_now_us();
	bool full = sim_faults.disk_full;
	sim_faults.disk_full = false;
	if (attempt_once(&attempt) != DONE)
		sim_fail("fake Postgres: %s: %s", fpg_error.text, sql);
	sim_faults.disk_full = full;
	fpg_txn_commit(&session.txn);
	uint64_t rows = strtoull(PQcmdTuples(attempt.result), NULL, 10);
	PQclear(attempt.result);
	free(session.txn.created.row);
	free(session.txn.deleted.row);
	free(session.txn.locked.row);
	return rows;
}
