/* alter table, and functions written in SQL. */
#include "tests/sim/postgres/postgres.h"

#include <string.h>

static void skip(struct fpg_parser *parser)
{
	while (!fpg_is(parser, ";") && !fpg_is(parser, ",") &&
		parser->token[parser->at].kind != FPG_T_END) {
		if (fpg_is(parser, "(")) {
			int depth = 0;
			do {
				depth += fpg_is(parser, "(") ? 1 : fpg_is(parser, ")") ? -1 : 0;
				parser->at++;
			} while (depth > 0 && parser->token[parser->at].kind != FPG_T_END);
		} else {
			parser->at++;
		}
	}
}

static bool optional(struct fpg_parser *parser) /* "if exists", "if not exists" */
{
	if (!fpg_take(parser, "if"))
		return false;
	(void)fpg_take(parser, "not");
	fpg_expect(parser, "exists");
	return true;
}

static void column_add(struct fpg_parser *parser, struct fpg_table *table)
{
	struct fpg_table_rows rows = fpg_rows_out(table);
	int checks = table->checks_n;
	bool there = optional(parser);
	if (there && fpg_column_find(table, parser->token[parser->at].text) >= 0) {
		skip(parser);
		fpg_rows_before(table, &rows);
		return;
	}
	fpg_column_parse(parser, table);
	for (int i = checks; i < table->checks_n; i++)
		fpg_bind_over(table, &table->check[i].expr);
	const struct fpg_column *column = &table->column[table->columns_n - 1];
	struct fpg_exec exec = { 0 };
	struct fpg_frame frame = { .exec = &exec };
	struct fpg_value value = fpg_null(column->type);
	if (column->initial != NULL)
		value = fpg_cast(fpg_eval(&frame, column->initial), column->type, column->element);
	for (size_t i = 0; i < rows.n; i++) {
		struct fpg_value *wider = fpg_temp((size_t)table->columns_n * sizeof(*wider));
		memcpy(wider, rows.row[i], (size_t)(table->columns_n - 1) * sizeof(*wider));
		wider[table->columns_n - 1] = value;
		rows.row[i] = wider;
	}
	fpg_rows_before(table, &rows);
}

static void constraint_add(struct fpg_parser *parser, struct fpg_table *table)
{
	struct fpg_table_rows rows = fpg_rows_out(table);
	int checks = table->checks_n;
	fpg_constraint_parse(parser, table);
	for (int i = checks; i < table->checks_n; i++)
		fpg_bind_over(table, &table->check[i].expr);
	fpg_rows_before(table, &rows);
	skip(parser); /* not valid, .. */
}

static void index_drop(struct fpg_table *table, int at)
{
	struct fpg_table_rows rows = fpg_rows_out(table);
	for (int i = at; i + 1 < table->indexes_n; i++)
		table->index[i] = table->index[i + 1];
	table->indexes_n--;
	if (table->indexes_n == 0 || table->index[0]->where != NULL) {
		(void)fpg_index_new(table, table->name, NULL, 0, false, NULL);
		struct fpg_index *all = table->index[table->indexes_n - 1];
		memmove(table->index + 1, table->index,
			(size_t)(table->indexes_n - 1) * sizeof(table->index[0]));
		table->index[0] = all;
	}
	fpg_rows_before(table, &rows);
}

/* By its name, or the one that Postgres gives: <table>_pkey, <table>_<column>_check, .. */
static void constraint_drop(struct fpg_parser *parser, struct fpg_table *table)
{
	(void)optional(parser);
	const char *name = fpg_name(parser);
	const char *dot = strrchr(table->name, '.');
	const char *relation = dot == NULL ? table->name : dot + 1;
	size_t n = strlen(relation);
	bool generated = strncmp(name, relation, n) == 0 && name[n] == '_';
	(void)fpg_take(parser, "cascade");
	for (int i = 0; i < table->indexes_n; i++)
		if (strcmp(table->index[i]->name, name) == 0 ||
			(generated && table->index[i]->primary && strcmp(name + n, "_pkey") == 0)) {
			index_drop(table, i);
			return;
		}
	for (int i = 0; i < table->checks_n; i++) {
		const char *of = table->check[i].name;
		size_t length = strlen(of);
		bool is_column = generated && strncmp(name + n + 1, of, length) == 0 &&
				 strcmp(name + n + 1 + length, "_check") == 0;
		bool is_table = generated && strcmp(of, table->name) == 0 &&
				strcmp(name + n, "_check") == 0;
		if (strcmp(of, name) == 0 || is_column || is_table) {
			table->check[i] = table->check[--table->checks_n];
			return;
		}
	}
	if (table->references_n > 0 && strstr(name, "_fkey") != NULL) {
		table->references_n--;
		return;
	}
	fpg_not_known(parser, "the name of a constraint is expected");
}

static void column_alter(struct fpg_parser *parser, struct fpg_table *table)
{
	(void)fpg_take(parser, "column");
	int at = fpg_column_find(table, fpg_name(parser));
	if (at < 0)
		fpg_not_known(parser, "a column of the table is expected before");
	struct fpg_column *column = &table->column[at];
	if (fpg_take(parser, "drop")) {
		if (fpg_take(parser, "default"))
			column->initial = NULL;
		else
			column->not_null = false;
	} else if (fpg_is_2(parser, "set", "default")) {
		parser->at += 2;
		column->initial = fpg_parse_expr(parser);
		fpg_bind_expr(NULL, &column->initial);
	} else if (fpg_is_2(parser, "set", "not")) {
		column->not_null = true;
	} else if (fpg_is(parser, "type")) {
		parser->at++;
		fpg_parse_type(parser, &column->type, &column->element);
	}
	skip(parser);
}

static void rename(struct fpg_parser *parser, struct fpg_table *table)
{
	if (fpg_take(parser, "to")) {
		const char *name = fpg_name(parser);
		const char *dot = strrchr(table->name, '.');
		size_t n = dot == NULL ? 0 : (size_t)(dot - table->name) + 1;
		char *whole = fpg_keep(n + strlen(name) + 1);
		memcpy(whole, table->name, n);
		(void)strcat(whole, name);
		table->name = whole;
		return;
	}
	bool constraint = fpg_take(parser, "constraint");
	(void)fpg_take(parser, "column");
	const char *from = fpg_name(parser);
	fpg_expect(parser, "to");
	const char *to = fpg_name(parser);
	int at = fpg_column_find(table, from);
	if (!constraint && at >= 0)
		table->column[at].name = to;
}

static void column_drop(struct fpg_parser *parser, struct fpg_table *table)
{
	(void)fpg_take(parser, "column");
	(void)optional(parser);
	const char *name = fpg_name(parser);
	int at = fpg_column_find(table, name);
	if (at < 0)
		fpg_not_known(parser, "a column of the table is expected before");
	/* It stays as one that is null: indexes and checks know columns by their number. */
	table->column[at].name = "";
	table->column[at].not_null = false;
	table->column[at].initial = NULL;
}

/* alter table a attach partition b for values from (x) to (y) */
static void attach(struct fpg_parser *parser, const char *parent)
{
	struct fpg_parser bounds = *parser;
	const char *name = fpg_qualified(&bounds);
	struct fpg_exec exec = { 0 };
	struct fpg_frame frame = { .exec = &exec };
	fpg_expect(&bounds, "for");
	fpg_expect(&bounds, "values");
	bool range = fpg_take(&bounds, "from");
	if (!range)
		fpg_expect(&bounds, "in");
	fpg_expect(&bounds, "(");
	struct fpg_value low = fpg_eval(&frame, fpg_parse_expr(&bounds)), high = low;
	fpg_expect(&bounds, ")");
	if (range) {
		fpg_expect(&bounds, "to");
		fpg_expect(&bounds, "(");
		high = fpg_eval(&frame, fpg_parse_expr(&bounds));
		fpg_expect(&bounds, ")");
	}
	fpg_partition_make(name, parent, low, high, NULL, 0);
	*parser = bounds;
}

void fpg_alter_table(struct fpg_parser *parser)
{
	(void)optional(parser);
	(void)fpg_take(parser, "only");
	const char *name = fpg_qualified(parser);
	struct fpg_table *table = fpg_table_find(name);
	if (table == NULL) {
		if (parser->define)
			fpg_not_known(parser, name);
		skip(parser);
		return;
	}
	do {
		if (fpg_take(parser, "add")) {
			if (fpg_is(parser, "constraint") || fpg_is_2(parser, "primary", "key") ||
				fpg_is_2(parser, "foreign", "key") ||
				fpg_is_2(parser, "check", "(") || fpg_is_2(parser, "unique", "(")) {
				constraint_add(parser, table);
			} else {
				(void)fpg_take(parser, "column");
				column_add(parser, table);
			}
		} else if (fpg_take(parser, "alter")) {
			column_alter(parser, table);
		} else if (fpg_is_2(parser, "drop", "constraint")) {
			parser->at += 2;
			constraint_drop(parser, table);
		} else if (fpg_take(parser, "drop")) {
			column_drop(parser, table);
		} else if (fpg_take(parser, "rename")) {
			rename(parser, table);
		} else if (fpg_is_2(parser, "attach", "partition")) {
			parser->at += 2;
			attach(parser, name);
		} else if (fpg_is(parser, "set") || fpg_is(parser, "owner") ||
			   fpg_is(parser, "validate") || fpg_is(parser, "detach") ||
			   fpg_is(parser, "cluster") || fpg_is(parser, "reset") ||
			   fpg_is(parser, "enable")) {
			skip(parser);
		} else {
			fpg_not_known(parser, "alter table ..");
		}
	} while (fpg_take(parser, ","));
}

/* ---- functions in SQL ---- */

/* What the services call of the functions that are written in another language, in SQL. */
static const struct {
	const char *name, *body;
} REPLACED[] = {
	{ "leaf_close",
		"update wallet.leaf l set state = 'closed', last_seq = b.last_seq, last_batch = "
		"b.batch, head = b.digest, rows = b.last_seq - l.first_seq + 1, closed = now() from "
		"(select batch, last_seq, digest from wallet.batch where shard = of_shard and day = "
		"of_day order by batch desc limit 1) b where l.shard = of_shard and l.day = of_day "
		"and l.state = 'open' and exists (select from wallet.batch c where c.shard = "
		"of_shard and c.batch >= b.batch and c.checkpoint >= b.last_seq) and (select "
		"count(*) from wallet.journal where shard = of_shard and day = of_day) = "
		"b.last_seq - l.first_seq + 1 returning rows" },
};

static const char *replaced(const char *name)
{
	for (size_t i = 0; i < sizeof(REPLACED) / sizeof(REPLACED[0]); i++)
		if (strcmp(REPLACED[i].name, name) == 0)
			return REPLACED[i].body;
	return NULL;
}

static struct sql_function {
	const char *name, *body;
	const char *arg[8];
	int args_n;
	struct fpg_statement *statement;
} functions[32];
static int functions_n;

void fpg_sql_function_parse(struct fpg_parser *parser)
{
	struct sql_function function = { 0 };
	const char *name = fpg_qualified(parser);
	const char *dot = strrchr(name, '.');
	bool sql = false;
	function.name = dot == NULL ? name : dot + 1;
	fpg_expect(parser, "(");
	while (!fpg_take(parser, ")")) {
		const char *arg = fpg_name(parser);
		if (function.args_n < 8)
			function.arg[function.args_n++] = arg;
		while (!fpg_is(parser, ",") && !fpg_is(parser, ")"))
			parser->at++;
		(void)fpg_take(parser, ",");
	}
	while (!fpg_is(parser, ";") && parser->token[parser->at].kind != FPG_T_END) {
		if (fpg_take(parser, "language"))
			sql = fpg_take(parser, "sql");
		else if (parser->token[parser->at].kind == FPG_T_STRING)
			function.body = parser->token[parser->at++].text;
		else
			parser->at++;
	}
	if (!sql)
		function.body = replaced(function.name);
	if (function.body == NULL || functions_n == 32)
		return;
	functions[functions_n++] = function;
}

int fpg_sql_function_find(const char *name)
{
	for (int i = functions_n - 1; i >= 0; i--)
		if (strcmp(functions[i].name, name) == 0)
			return i;
	return -1;
}

struct fpg_value fpg_sql_function_call(
	struct fpg_frame *frame, int at, const struct fpg_value *arg, int n)
{
	struct sql_function *function = &functions[at];
	if (function->statement == NULL) {
		struct fpg_parser parser;
		fpg_lex(&parser, function->body);
		memcpy(parser.arg, function->arg, sizeof(parser.arg));
		parser.args_n = function->args_n;
		function->statement = fpg_parse_statement(&parser);
		fpg_bind_statement(function->statement);
	}
	struct fpg_exec *exec = fpg_temp(sizeof(*exec));
	struct fpg_frame inner = { .exec = exec };
	struct fpg_table_rows rows = { 0 };
	*exec = (struct fpg_exec){ .txn = frame->exec->txn,
		.backend_pid = frame->exec->backend_pid,
		.clock_us = frame->exec->clock_us };
	for (int i = 0; i < n; i++) {
		exec->param_text[i] = arg[i];
		exec->param_read[i] = true;
	}
	if (function->statement->kind == FPG_SELECT)
		fpg_select_run(&inner, function->statement->select, &rows);
	else
		(void)fpg_change_run(exec, function->statement, &rows);
	return rows.n == 0 || rows.columns_n == 0 ? fpg_null(FPG_UNKNOWN) : rows.row[0][0];
}
