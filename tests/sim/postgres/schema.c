/* What there is: tables, indexes, sequences, partitions, views; the migrations that make them; a
 * world's return to what they left. */
#include "tests/sim/postgres/postgres.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 4096
#define FILES_MAX 64
/* now() of the migrations; each world puts its own in the place of it. */
#define THEN_US UINT64_C(946684799999999)

struct fpg_table *fpg_tables[128];
int fpg_tables_n;

struct partition {
	char name[96], parent[96];
	bool any; /* of a hash, or the default */
	struct fpg_value low, high;
	const char *part_by;
	int part_column;
};

struct sequence {
	const char *name;
	uint64_t last, initial;
};

static struct {
	struct partition *partition;
	size_t partitions_n, partitions_room, partitions_initial;
	struct sequence sequence[32];
	int sequences_n;
	char (*name)[96];
	size_t names_n, names_initial;
	struct {
		const char *name, *sql;
	} view[32];
	int views_n;
	struct fpg_table_rows initial[128]; /* rows that the migrations made, by table */
} schema;

/* ---- names ---- */

static struct partition *partition_find(const char *name)
{
	for (size_t i = 0; i < schema.partitions_n; i++)
		if (strcmp(schema.partition[i].name, name) == 0)
			return &schema.partition[i];
	return NULL;
}

struct fpg_table *fpg_table_find(const char *name)
{
	/* Mostly the same few literals: where the name lies tells where to look first. */
	static struct fpg_table *last[64];
	struct fpg_table **guess = &last[((uintptr_t)name >> 3) % 64];
	if (*guess != NULL && !(*guess)->dropped && strcmp((*guess)->name, name) == 0)
		return *guess;
	for (int i = 0; i < fpg_tables_n; i++)
		if (!fpg_tables[i]->dropped && strcmp(fpg_tables[i]->name, name) == 0)
			return *guess = fpg_tables[i];
	const struct partition *partition = partition_find(name);
	return partition == NULL ? NULL : fpg_table_find(partition->parent);
}

int fpg_column_find(const struct fpg_table *table, const char *name)
{
	for (int i = 0; i < table->columns_n; i++)
		if (strcmp(table->column[i].name, name) == 0)
			return i;
	return -1;
}

const char *fpg_view_find(const char *name)
{
	for (int i = schema.views_n - 1; i >= 0; i--)
		if (strcmp(schema.view[i].name, name) == 0)
			return schema.view[i].sql;
	return NULL;
}

void fpg_view_make(const char *name, const char *sql)
{
	if (schema.views_n == 32)
		sim_fail("fake Postgres: more than 32 views");
	schema.view[schema.views_n].name = name;
	schema.view[schema.views_n++].sql = sql;
}

void fpg_name_add(const char *name)
{
	if (schema.name == NULL)
		schema.name = malloc(NAMES_MAX * sizeof(*schema.name));
	if (schema.name == NULL || schema.names_n == NAMES_MAX)
		sim_fail("fake Postgres: more than %d names", NAMES_MAX);
	(void)snprintf(schema.name[schema.names_n++], sizeof(*schema.name), "%s", name);
}

bool fpg_relation_known(const char *name)
{
	for (size_t i = 0; i < schema.names_n; i++)
		if (strcmp(schema.name[i], name) == 0)
			return true;
	return fpg_table_find(name) != NULL || fpg_view_find(name) != NULL;
}

/* ---- making ---- */

struct fpg_table *fpg_table_new(const char *name)
{
	struct fpg_table *table = fpg_keep(sizeof(*table));
	if (fpg_tables_n == 128)
		sim_fail("fake Postgres: more than 128 tables");
	table->name = name;
	fpg_tables[fpg_tables_n++] = table;
	return table;
}

void fpg_column_add(struct fpg_table *table, const struct fpg_column *column)
{
	if (table->columns_n == FPG_COLUMNS_MAX)
		sim_fail("fake Postgres: %s: more than %d columns", table->name, FPG_COLUMNS_MAX);
	table->column[table->columns_n++] = *column;
}

struct fpg_index *fpg_index_new(struct fpg_table *table, const char *name, const int *columns,
	int n, bool unique, struct fpg_expr *where)
{
	struct fpg_index *index = fpg_keep(sizeof(*index));
	struct fpg_table_rows rows = fpg_rows_out(table);
	if (table->indexes_n == 16)
		sim_fail("fake Postgres: %s: more than 16 indexes", table->name);
	index->name = name;
	index->table = table;
	for (int i = 0; i < n; i++)
		index->column[i] = columns[i];
	index->columns_n = n;
	index->unique = unique;
	index->where = where;
	table->index[table->indexes_n++] = index;
	/* A partial index has not all rows: some other must be the first. */
	if (table->indexes_n == 1 && where != NULL)
		sim_fail("fake Postgres: %s: its first index is partial", table->name);
	fpg_rows_before(table, &rows);
	return index;
}

void fpg_sequence_make(const char *name)
{
	if (schema.sequences_n == 32)
		sim_fail("fake Postgres: more than 32 sequences");
	schema.sequence[schema.sequences_n++] = (struct sequence){ .name = name };
}

uint64_t fpg_sequence_next(const char *name)
{
	for (int i = 0; i < schema.sequences_n; i++)
		if (strcmp(schema.sequence[i].name, name) == 0)
			return ++schema.sequence[i].last;
	fpg_raise("42P01", "relation \"%s\" does not exist", name);
}

/* ---- partitions ---- */

static struct fpg_value kept_value(struct fpg_value value)
{
	if (value.null || (value.type != FPG_UNKNOWN && value.type != FPG_TEXT))
		return value;
	struct fpg_blob *blob = fpg_keep(sizeof(*blob) + value.b->n + 1);
	memcpy(blob, value.b, sizeof(*blob) + value.b->n + 1);
	value.b = blob;
	return value;
}

void fpg_partition_make(const char *name, const char *parent, struct fpg_value low,
	struct fpg_value high, const char *part_by, int part_column)
{
	struct fpg_table *table = fpg_table_find(parent);
	const struct partition *above = partition_find(parent);
	const char *by = above != NULL ? above->part_by : table->part_by;
	int column = above != NULL ? above->part_column : table->part_column;
	if (by == NULL)
		fpg_raise("42P17", "\"%s\" is not partitioned", parent);
	if (schema.partitions_n == schema.partitions_room) {
		schema.partitions_room =
			schema.partitions_room == 0 ? 64 : schema.partitions_room * 2;
		schema.partition = realloc(
			schema.partition, schema.partitions_room * sizeof(*schema.partition));
		if (schema.partition == NULL)
			sim_fail("fake Postgres: out of memory");
	}
	struct partition *partition = &schema.partition[schema.partitions_n++];
	*partition = (struct partition){ .part_by = part_by, .part_column = part_column };
	(void)snprintf(partition->name, sizeof(partition->name), "%s", name);
	(void)snprintf(partition->parent, sizeof(partition->parent), "%s", parent);
	partition->any = strcmp(by, "hash") == 0 || (low.null && high.null);
	const struct fpg_column *of = &table->column[column];
	partition->low = kept_value(fpg_cast(low, of->type, of->element));
	partition->high = kept_value(fpg_cast(high, of->type, of->element));
}

static bool fits(const struct partition *partition, bool range, const struct fpg_value *value)
{
	if (partition->any)
		return true;
	if (value->null)
		return false;
	if (!partition->low.null && fpg_compare(value, &partition->low) < 0)
		return false;
	return partition->high.null || fpg_compare(value, &partition->high) < (range ? 0 : 1);
}

static bool place_in(const char *name, const char *by, int column, const struct fpg_value *values)
{
	bool range = by[0] == 'r';
	if (by[0] == 'h') /* hash: anywhere */
		return true;
	for (size_t i = schema.partitions_n; i > 0; i--) {
		const struct partition *partition = &schema.partition[i - 1];
		if (strcmp(partition->parent, name) != 0 ||
			!fits(partition, range, &values[column]))
			continue;
		if (partition->part_by == NULL || place_in(partition->name, partition->part_by,
							  partition->part_column, values))
			return true;
	}
	return false;
}

void fpg_partition_check(const struct fpg_table *table, const struct fpg_value *values)
{
	if (table->part_by != NULL &&
		!place_in(table->name, table->part_by, table->part_column, values))
		fpg_raise("23514", "no partition of relation \"%s\" found for row", table->name);
}

/* ---- rows out and back ---- */

struct fpg_table_rows fpg_rows_out(struct fpg_table *table)
{
	struct fpg_table_rows rows = { .columns_n = table->columns_n };
	struct fpg_at at = { 0 };
	struct fpg_row *row;
	if (table->indexes_n == 0)
		return rows;
	while ((row = fpg_index_get(table->index[0], &at)) != NULL)
		fpg_rows_add(&rows, row->v);
	for (int i = 0; i < table->indexes_n; i++)
		fpg_index_clear(table->index[i]);
	table->count = 0;
	return rows;
}

void fpg_rows_before(struct fpg_table *table, const struct fpg_table_rows *rows)
{
	struct fpg_txn txn = { 0 };
	for (size_t i = 0; i < rows->n; i++)
		(void)fpg_row_insert(&txn, table, rows->row[i], NULL);
	fpg_txn_commit(&txn);
	free(txn.created.row);
}

/* ---- migrations ---- */

static char *file_read(const char *path)
{
	FILE *file = fopen(path, "r");
	long n = -1;
	if (file != NULL && fseek(file, 0, SEEK_END) == 0)
		n = ftell(file);
	char *text = n < 0 ? NULL : fpg_keep((size_t)n + 1);
	if (text == NULL || fseek(file, 0, SEEK_SET) != 0 ||
		fread(text, 1, (size_t)n, file) != (size_t)n)
		sim_fail("fake Postgres: %s cannot be read: start it in the repository's root",
			path);
	(void)fclose(file);
	return text;
}

static void statement_run(struct fpg_statement *statement)
{
	struct fpg_txn txn = { .now_us = THEN_US };
	struct fpg_exec exec = { .txn = &txn, .clock_us = THEN_US };
	struct fpg_frame frame = { .exec = &exec };
	struct fpg_table_rows rows = { 0 };
	if (statement->kind == FPG_DEFINE)
		fpg_define_run(statement->define);
	fpg_bind_statement(statement);
	if (statement->kind == FPG_SELECT)
		fpg_select_run(&frame, statement->select, &rows);
	else if (statement->kind >= FPG_INSERT && statement->kind <= FPG_DELETE)
		(void)fpg_change_run(&exec, statement, &rows);
	fpg_txn_commit(&txn);
	free(txn.created.row);
	free(txn.deleted.row);
	free(txn.locked.row);
}

/* What moves the rows of an installation over may be more SQL than is known here: with no rows it
 * moves nothing. All tables it names must be empty. */
static bool moves_nothing(struct fpg_parser *parser)
{
	static const char *const BEGINNINGS[] = { "insert", "update", "delete", "with" };
	const struct fpg_token *token = &parser->token[parser->at];
	bool moves = false;
	for (size_t i = 0; i < 4; i++)
		moves = moves || fpg_is(parser, BEGINNINGS[i]);
	for (; moves && token->kind != FPG_T_END && strcmp(token->text, ";") != 0; token++) {
		char name[128];
		if (token->kind != FPG_T_WORD || strcmp(token[1].text, ".") != 0)
			continue;
		(void)snprintf(name, sizeof(name), "%.60s.%.60s", token->text, token[2].text);
		const struct fpg_table *table = fpg_table_find(name);
		moves = table == NULL || table->count == 0;
	}
	parser->at += moves ? (int)(token - &parser->token[parser->at]) : 0;
	return moves;
}

static bool statement_try(struct fpg_parser *parser)
{
	jmp_buf failed;
	if (setjmp(failed) != 0)
		return false;
	fpg_error_to = &failed;
	statement_run(fpg_parse_statement(parser));
	return true;
}

static void script_run(const char *sql, const char *name)
{
	struct fpg_parser parser;
	fpg_lex(&parser, sql);
	parser.define = true;
	while (parser.token[parser.at].kind != FPG_T_END) {
		int from = parser.at;
		if (fpg_take(&parser, ";"))
			continue;
		bool done = statement_try(&parser);
		fpg_error_to = NULL;
		if (done)
			continue;
		parser.at = from;
		if (!moves_nothing(&parser))
			sim_fail("fake Postgres: %s: %s, in \"%.300s\"", name, fpg_error.text,
				sql + parser.token[from].at);
	}
}

static int names_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void folder_run(const char *folder)
{
	char path[300], sql[400];
	const char *file[FILES_MAX];
	int n = 0;
	(void)snprintf(path, sizeof(path), "%s/migrations", folder);
	DIR *dir = opendir(path);
	if (dir == NULL)
		sim_fail("fake Postgres: %s cannot be read: start it in the repository's root",
			path);
	for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		size_t length = strlen(entry->d_name);
		if (length > 4 && strcmp(entry->d_name + length - 4, ".sql") == 0 && n < FILES_MAX)
			file[n++] = fpg_keep_text(entry->d_name, length);
	}
	(void)closedir(dir);
	qsort(file, (size_t)n, sizeof(file[0]), names_compare);
	for (int i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path), "%s/migrations/%s", folder, file[i]);
		script_run(file_read(path), path);
		(void)snprintf(sql, sizeof(sql),
			"insert into carillon.migration (name, digest) values ('%s', '')", path);
		script_run(fpg_keep_text(sql, strlen(sql)), path);
	}
}

/* Rows as they are now are kept for each world to begin with. */
static void snapshot(void)
{
	for (int i = 0; i < fpg_tables_n; i++) {
		struct fpg_at at = { 0 };
		struct fpg_row *row;
		struct fpg_table *table = fpg_tables[i];
		size_t n = 0;
		if (table->dropped || table->count == 0)
			continue;
		struct fpg_value **rows = fpg_keep(table->count * sizeof(struct fpg_value *));
		while ((row = fpg_index_get(table->index[0], &at)) != NULL)
			rows[n++] = row->v;
		schema.initial[i] = (struct fpg_table_rows){ .row = rows, .n = n };
	}
	for (int i = 0; i < schema.sequences_n; i++)
		schema.sequence[i].initial = schema.sequence[i].last;
	schema.partitions_initial = schema.partitions_n;
	schema.names_initial = schema.names_n;
}

void fpg_schema_load(void)
{
	static const char FIRST[] =
		"create table carillon.migration (name text primary key, digest text not null, "
		"applied timestamptz not null default now());"
		"create table pg_stat_activity (pid bigint primary key, application_name text not "
		"null)";
	/* In the order of scripts/migrate.sh. The gateway's tables are nobody else's. */
	static const char *const FOLDERS[] = { "libcommon/io", "services/progressive-pool",
		"services/jackpot-cards", "services/wallet", "services/spin-engine",
		"services/payments", "services/gateway" };
	script_run(FIRST, "carillon.migration");
	for (size_t i = 0; i < sizeof(FOLDERS) / sizeof(FOLDERS[0]); i++)
		folder_run(FOLDERS[i]);
	snapshot();
	fpg_storage_keep();
}

static void times_set(struct fpg_table *table, const struct fpg_table_rows *initial)
{
	struct fpg_table_rows rows = { .columns_n = table->columns_n };
	size_t bytes = (size_t)table->columns_n * sizeof(struct fpg_value);
	for (size_t i = 0; i < initial->n; i++) {
		struct fpg_value *row = fpg_temp(bytes);
		memcpy(row, initial->row[i], bytes);
		for (int c = 0; c < table->columns_n; c++)
			if (row[c].type == FPG_TIME && !row[c].null && row[c].i == THEN_US)
				row[c].i = (int64_t)sim_now_us();
		fpg_rows_add(&rows, row);
	}
	fpg_rows_before(table, &rows);
}

void fpg_world_reset(void)
{
	for (int i = 0; i < fpg_tables_n; i++) {
		struct fpg_table *table = fpg_tables[i];
		for (int j = 0; j < table->indexes_n; j++)
			fpg_index_clear(table->index[j]);
		table->count = 0;
		table->serial = table->identity = 0;
	}
	fpg_storage_reset();
	schema.partitions_n = schema.partitions_initial;
	schema.names_n = schema.names_initial;
	for (int i = 0; i < schema.sequences_n; i++)
		schema.sequence[i].last = schema.sequence[i].initial;
	for (int i = 0; i < fpg_tables_n; i++)
		if (!fpg_tables[i]->dropped)
			times_set(fpg_tables[i], &schema.initial[i]);
}
