/* Results as libpq gives them: text. They belong to the instance that asked, until PQclear or its
 * death. */
#include "tests/sim/postgres/postgres.h"
#include "tests/sim/fake.h"

#include <libpq-fe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FAKE(PQclear);
FAKE(PQunescapeBytea);
FAKE(PQfreemem);
FAKE(PQresultStatus);
FAKE(PQresStatus);
FAKE(PQresultErrorField);
FAKE(PQresultErrorMessage);
FAKE(PQcmdStatus);
FAKE(PQcmdTuples);
FAKE(PQntuples);
FAKE(PQnfields);
FAKE(PQfname);
FAKE(PQgetvalue);
FAKE(PQgetisnull);
FAKE(PQgetlength);

#define SPARE_MAX 64

struct cell {
	uint32_t at, n;
	bool null;
};

struct pg_result {
	struct pg_result *newer, *older; /* all there are */
	struct pg_result *chain;	 /* behind this one in its connection */
	const struct sim_process *process;
	ExecStatusType status;
	char command[40], tuples[24], sqlstate[6], error[600];
	int rows, columns;
	const char *name[FPG_COLUMNS_MAX];
	struct cell *cell;
	size_t cells_n, cells_room;
	char *bytes;
	size_t bytes_n, bytes_room;
};

static struct pg_result *newest, *spare;
static int spare_n;

static void *grown(void *memory, size_t bytes)
{
	memory = realloc(memory, bytes);
	if (memory == NULL)
		sim_fail("fake Postgres: out of memory");
	return memory;
}

struct pg_result *fpg_result_new(int status)
{
	struct pg_result *result = spare;
	if (result != NULL) {
		spare = result->chain;
		spare_n--;
	} else {
		result = calloc(1, sizeof(*result));
		if (result == NULL)
			sim_fail("fake Postgres: out of memory");
	}
	result->status = (ExecStatusType)status;
	result->process = sim_current();
	result->command[0] = result->tuples[0] = result->sqlstate[0] = result->error[0] = '\0';
	result->rows = result->columns = 0;
	result->cells_n = result->bytes_n = 0;
	result->chain = NULL;
	result->newer = NULL;
	result->older = newest;
	if (newest != NULL)
		newest->newer = result;
	newest = result;
	return result;
}

struct pg_result *fpg_result_error(const char *sqlstate, const char *text)
{
	struct pg_result *result = fpg_result_new(PGRES_FATAL_ERROR);
	(void)snprintf(result->sqlstate, sizeof(result->sqlstate), "%s", sqlstate);
	(void)snprintf(result->error, sizeof(result->error), "ERROR:  %s\n", text);
	return result;
}

void fpg_result_command(struct pg_result *result, const char *command, int64_t rows)
{
	if (rows < 0) {
		(void)snprintf(result->command, sizeof(result->command), "%s", command);
		return;
	}
	(void)snprintf(result->command, sizeof(result->command), "%s%s %lld", command,
		strcmp(command, "INSERT") == 0 ? " 0" : "", (long long)rows);
	(void)snprintf(result->tuples, sizeof(result->tuples), "%lld", (long long)rows);
}

static void cell_add(struct pg_result *result, const struct fpg_value *value)
{
	size_t n = 0;
	const char *text = value->null ? "" : fpg_format(value, &n);
	struct cell *cell = &result->cell[result->cells_n++];
	*cell = (struct cell){ (uint32_t)result->bytes_n, (uint32_t)n, value->null };
	if (result->bytes_n + n + 1 > result->bytes_room) {
		result->bytes_room = 2 * (result->bytes_n + n + 1) + 256;
		result->bytes = grown(result->bytes, result->bytes_room);
	}
	memcpy(result->bytes + result->bytes_n, text, n);
	result->bytes[result->bytes_n + n] = '\0';
	result->bytes_n += n + 1;
}

void fpg_result_rows(
	struct pg_result *result, const struct fpg_select *names, const struct fpg_table_rows *rows)
{
	size_t cells = rows->n * (size_t)names->items_n;
	result->rows = (int)rows->n;
	result->columns = names->items_n;
	for (int i = 0; i < names->items_n; i++)
		result->name[i] = names->is_values ? "column" : names->item[i].name;
	if (cells > result->cells_room) {
		result->cells_room = cells * 2;
		result->cell = grown(result->cell, result->cells_room * sizeof(*result->cell));
	}
	for (size_t i = 0; i < rows->n; i++)
		for (int j = 0; j < names->items_n; j++)
			cell_add(result, &rows->row[i][j]);
}

struct pg_result *fpg_result_next(const struct pg_result *result)
{
	return result->chain;
}

void fpg_result_chain(struct pg_result *result, struct pg_result *next)
{
	result->chain = next;
}

void __wrap_PQclear(PGresult *result)
{
	if (result == NULL)
		return;
	if (result->newer != NULL)
		result->newer->older = result->older;
	else
		newest = result->older;
	if (result->older != NULL)
		result->older->newer = result->newer;
	if (spare_n == SPARE_MAX || result->bytes_room > 4000000) {
		free(result->cell);
		free(result->bytes);
		free(result);
		return;
	}
	result->chain = spare;
	spare = result;
	spare_n++;
}

/* ---- memory that libpq gives away ---- */

struct given {
	struct given *newer, *older;
	const struct sim_process *process;
	_Alignas(16) unsigned char bytes[];
};

static struct given *given_newest;

void *fpg_give(size_t bytes)
{
	struct given *given = calloc(1, sizeof(*given) + bytes);
	if (given == NULL)
		sim_fail("fake Postgres: out of memory");
	given->older = given_newest;
	given->process = sim_current();
	if (given_newest != NULL)
		given_newest->newer = given;
	given_newest = given;
	return given->bytes;
}

unsigned char *__wrap_PQunescapeBytea(const unsigned char *text, size_t *length_r)
{
	size_t n = strlen((const char *)text);
	bool is_hex = text[0] == '\\' && text[1] == 'x';
	unsigned char *bytes = fpg_give(n + 1);
	size_t length = is_hex ? (n - 2) / 2 : n;
	for (size_t i = 0; i < length; i++) {
		if (!is_hex) {
			bytes[i] = text[i];
			continue;
		}
		unsigned high = fpg_hex[text[2 + 2 * i]] - 1u;
		unsigned low = fpg_hex[text[3 + 2 * i]] - 1u;
		bytes[i] = (unsigned char)((high << 4 | low) & 0xffu);
	}
	bytes[length] = 0;
	*length_r = length;
	return bytes;
}

void __wrap_PQfreemem(void *memory)
{
	if (memory == NULL)
		return;
	struct given *given =
		(struct given *)(void *)((unsigned char *)memory - offsetof(struct given, bytes));
	if (given->newer != NULL)
		given->newer->older = given->older;
	else
		given_newest = given->older;
	if (given->older != NULL)
		given->older->newer = given->newer;
	free(given);
}

void fpg_results_died(const struct sim_process *process)
{
	for (struct pg_result *result = newest, *older; result != NULL; result = older) {
		older = result->older;
		if (result->process == process)
			PQclear(result);
	}
	for (struct given *given = given_newest, *older; given != NULL; given = older) {
		older = given->older;
		if (given->process == process)
			PQfreemem(given->bytes);
	}
}

/* ---- reading ---- */

ExecStatusType __wrap_PQresultStatus(const PGresult *result)
{
	return result == NULL ? PGRES_FATAL_ERROR : result->status;
}

char *__wrap_PQresStatus(ExecStatusType status)
{
	static const char *const NAMES[] = { [PGRES_EMPTY_QUERY] = "PGRES_EMPTY_QUERY",
		[PGRES_COMMAND_OK] = "PGRES_COMMAND_OK",
		[PGRES_TUPLES_OK] = "PGRES_TUPLES_OK",
		[PGRES_COPY_IN] = "PGRES_COPY_IN",
		[PGRES_FATAL_ERROR] = "PGRES_FATAL_ERROR",
		[PGRES_PIPELINE_SYNC] = "PGRES_PIPELINE_SYNC",
		[PGRES_PIPELINE_ABORTED] = "PGRES_PIPELINE_ABORTED" };
	size_t at = (size_t)status;
	const char *name = at < sizeof(NAMES) / sizeof(NAMES[0]) ? NAMES[at] : NULL;
	return (char *)(uintptr_t)(name != NULL ? name : "another status");
}

char *__wrap_PQresultErrorField(const PGresult *result, int field)
{
	if (result == NULL || result->status != PGRES_FATAL_ERROR)
		return NULL;
	if (field == PG_DIAG_SQLSTATE)
		return result->sqlstate[0] == '\0' ? NULL : (char *)(uintptr_t)result->sqlstate;
	return field == PG_DIAG_MESSAGE_PRIMARY ? (char *)(uintptr_t)result->error : NULL;
}

char *__wrap_PQresultErrorMessage(const PGresult *result)
{
	static char none[1];
	return result == NULL ? none : (char *)(uintptr_t)result->error;
}

char *__wrap_PQcmdStatus(PGresult *result)
{
	static char none[1];
	return result == NULL ? none : result->command;
}

char *__wrap_PQcmdTuples(PGresult *result)
{
	static char none[1];
	return result == NULL ? none : result->tuples;
}

int __wrap_PQntuples(const PGresult *result)
{
	return result == NULL ? 0 : result->rows;
}

int __wrap_PQnfields(const PGresult *result)
{
	return result == NULL ? 0 : result->columns;
}

char *__wrap_PQfname(const PGresult *result, int column)
{
	return column < 0 || column >= result->columns ? NULL
						       : (char *)(uintptr_t)result->name[column];
}

static const struct cell *cell_at(const PGresult *result, int row, int column)
{
	if (result == NULL || row < 0 || row >= result->rows || column < 0 ||
		column >= result->columns)
		sim_fail("libpq: row %d, column %d is asked of a result that has not got it", row,
			column);
	return &result->cell[(size_t)row * (size_t)result->columns + (size_t)column];
}

char *__wrap_PQgetvalue(const PGresult *result, int row, int column)
{
	return result->bytes + cell_at(result, row, column)->at;
}

int __wrap_PQgetisnull(const PGresult *result, int row, int column)
{
	return cell_at(result, row, column)->null;
}

int __wrap_PQgetlength(const PGresult *result, int row, int column)
{
	return (int)cell_at(result, row, column)->n;
}
