/* create, alter and drop: carried out while they are read. What has no effect here (comments,
 * privileges, functions in other languages, blocks for installations that have rows) is passed
 * over. */
#include "tests/sim/postgres/postgres.h"

#include <string.h>

static void skip(struct fpg_parser *parser)
{
	while (!fpg_is(parser, ";") && parser->token[parser->at].kind != FPG_T_END)
		parser->at++;
}

static bool skip_if_not_exists(struct fpg_parser *parser) /* "if not exists" */
{
	if (!fpg_is_2(parser, "if", "not"))
		return false;
	parser->at += 3;
	return true;
}

static bool skip_if_exists(struct fpg_parser *parser) /* "if exists" */
{
	if (!fpg_is_2(parser, "if", "exists"))
		return false;
	parser->at += 2;
	return true;
}

static struct fpg_table *table_named(struct fpg_parser *parser, const char *name)
{
	struct fpg_table *table = fpg_table_find(name);
	if (table == NULL)
		fpg_not_known(parser, name);
	return table;
}

static int columns_parse(struct fpg_parser *parser, const struct fpg_table *table, int *column)
{
	int n = 0;
	fpg_expect(parser, "(");
	do {
		column[n] = fpg_column_find(table, fpg_name(parser));
		if (column[n++] < 0 || n > FPG_KEYS_MAX)
			fpg_not_known(parser, "columns of the table are expected");
		(void)(fpg_take(parser, "desc") || fpg_take(parser, "asc"));
	} while (fpg_take(parser, ","));
	fpg_expect(parser, ")");
	return n;
}

/* ---- columns and constraints ---- */

static void reference_add(
	struct fpg_parser *parser, struct fpg_table *table, const int *column, int n)
{
	struct fpg_reference *reference = &table->reference[table->references_n++];
	struct fpg_table *other = table_named(parser, fpg_qualified(parser));
	int key[FPG_KEYS_MAX], keys_n = 0;
	if (table->references_n > 8)
		fpg_not_known(parser, "fewer references are expected");
	reference->index = NULL;
	if (fpg_is(parser, "("))
		keys_n = columns_parse(parser, other, key);
	for (int i = 0; i < other->indexes_n; i++) {
		struct fpg_index *index = other->index[i];
		bool fits = index->unique && index->columns_n == n &&
			    (keys_n > 0 || index->primary) && reference->index == NULL;
		for (int j = 0; fits && j < keys_n; j++)
			fits = index->column[j] == key[j];
		if (fits)
			reference->index = index;
	}
	if (reference->index == NULL)
		fpg_not_known(parser, "a key of the other table is expected");
	memcpy(reference->column, column, (size_t)n * sizeof(*column));
	reference->columns_n = n;
	while (fpg_is(parser, "on") || fpg_is(parser, "deferrable") || fpg_is(parser, "not"))
		parser->at += fpg_is(parser, "on") ? 3 : 1;
}

static void check_add(struct fpg_parser *parser, struct fpg_table *table, const char *name)
{
	struct fpg_check *check = &table->check[table->checks_n++];
	if (table->checks_n > 16)
		fpg_not_known(parser, "fewer checks are expected");
	fpg_expect(parser, "(");
	check->expr = fpg_parse_expr(parser);
	check->name = name;
	fpg_expect(parser, ")");
	/* bound when the table is whole */
}

static void unique_add(
	struct fpg_table *table, const char *name, const int *column, int n, bool primary)
{
	struct fpg_index *index = fpg_index_new(table, name, column, n, true, NULL);
	index->primary = primary;
	for (int i = 0; i < n && primary; i++)
		table->column[column[i]].not_null = true;
	for (int i = table->indexes_n - 1; i > 0 && primary; i--) { /* comes first */
		struct fpg_index *swap = table->index[i - 1];
		table->index[i - 1] = table->index[i];
		table->index[i] = swap;
	}
}

void fpg_constraint_parse(struct fpg_parser *parser, struct fpg_table *table)
{
	const char *name = fpg_take(parser, "constraint") ? fpg_name(parser) : table->name;
	int column[FPG_KEYS_MAX], n;
	if (fpg_take(parser, "primary")) {
		fpg_expect(parser, "key");
		n = columns_parse(parser, table, column);
		unique_add(table, name, column, n, true);
	} else if (fpg_take(parser, "unique")) {
		n = columns_parse(parser, table, column);
		unique_add(table, name, column, n, false);
	} else if (fpg_take(parser, "check")) {
		check_add(parser, table, name);
	} else if (fpg_take(parser, "foreign")) {
		fpg_expect(parser, "key");
		n = columns_parse(parser, table, column);
		fpg_expect(parser, "references");
		reference_add(parser, table, column, n);
	} else {
		fpg_not_known(parser, "a constraint is expected");
	}
}

static bool column_constraint(struct fpg_parser *parser, struct fpg_table *table, int at)
{
	struct fpg_column *column = &table->column[at];
	const char *name = fpg_take(parser, "constraint") ? fpg_name(parser) : column->name;
	if (fpg_is_2(parser, "not", "null")) {
		parser->at += 2;
		column->not_null = true;
	} else if (fpg_take(parser, "null")) {
		column->not_null = false;
	} else if (fpg_take(parser, "default")) {
		column->initial = fpg_parse_expr(parser);
		fpg_bind_expr(NULL, &column->initial);
	} else if (fpg_is_2(parser, "primary", "key")) {
		parser->at += 2;
		unique_add(table, name, &at, 1, true);
	} else if (fpg_take(parser, "unique")) {
		unique_add(table, name, &at, 1, false);
	} else if (fpg_take(parser, "check")) {
		check_add(parser, table, name);
	} else if (fpg_take(parser, "references")) {
		reference_add(parser, table, &at, 1);
	} else if (fpg_take(parser, "generated")) {
		while (!fpg_take(parser, "identity"))
			parser->at++;
		column->identity = true;
	} else if (fpg_take(parser, "collate")) {
		(void)fpg_name(parser);
	} else {
		return false;
	}
	return true;
}

void fpg_column_parse(struct fpg_parser *parser, struct fpg_table *table)
{
	struct fpg_column column = { .name = fpg_name(parser) };
	fpg_parse_type(parser, &column.type, &column.element);
	fpg_column_add(table, &column);
	while (column_constraint(parser, table, table->columns_n - 1))
		continue;
}

static void like(struct fpg_parser *parser, struct fpg_table *table)
{
	const struct fpg_table *other = table_named(parser, fpg_qualified(parser));
	for (int i = 0; i < other->columns_n; i++) {
		struct fpg_column column = other->column[i];
		column.initial = NULL;
		fpg_column_add(table, &column);
	}
	while (fpg_take(parser, "including") || fpg_take(parser, "excluding")) {
		if (fpg_take(parser, "defaults") || fpg_take(parser, "all"))
			for (int i = 0; i < other->columns_n; i++)
				table->column[i].initial = other->column[i].initial;
		else
			parser->at++;
	}
}

/* ---- tables ---- */

static void partition_by(
	struct fpg_parser *parser, const struct fpg_table *table, const char **by_r, int *column_r)
{
	int column[FPG_KEYS_MAX];
	*by_r = NULL;
	*column_r = 0;
	if (!fpg_is_2(parser, "partition", "by"))
		return;
	parser->at += 2;
	*by_r = fpg_name(parser);
	(void)columns_parse(parser, table, column);
	*column_r = column[0];
}

static struct fpg_value bound_parse(struct fpg_parser *parser)
{
	struct fpg_exec exec = { 0 };
	struct fpg_frame frame = { .exec = &exec };
	if (fpg_take(parser, "minvalue") || fpg_take(parser, "maxvalue"))
		return fpg_null(FPG_UNKNOWN);
	return fpg_eval(&frame, fpg_parse_expr(parser));
}

static void bounds_parse(
	struct fpg_parser *parser, struct fpg_value *low_r, struct fpg_value *high_r)
{
	*low_r = *high_r = fpg_null(FPG_UNKNOWN);
	if (fpg_take(parser, "default"))
		return;
	fpg_expect(parser, "for");
	fpg_expect(parser, "values");
	if (fpg_take(parser, "with")) { /* of a hash: anything */
		while (!fpg_take(parser, ")"))
			parser->at++;
		return;
	}
	bool range = fpg_take(parser, "from");
	if (!range)
		fpg_expect(parser, "in");
	fpg_expect(parser, "(");
	*low_r = *high_r = bound_parse(parser);
	fpg_expect(parser, ")");
	if (!range)
		return;
	fpg_expect(parser, "to");
	fpg_expect(parser, "(");
	*high_r = bound_parse(parser);
	fpg_expect(parser, ")");
}

static void partition_parse(struct fpg_parser *parser, const char *name)
{
	const char *parent = fpg_qualified(parser), *by;
	struct fpg_value low, high;
	int column;
	bounds_parse(parser, &low, &high);
	partition_by(parser, table_named(parser, parent), &by, &column);
	fpg_partition_make(name, parent, low, high, by, column);
}

static void table_parse(struct fpg_parser *parser)
{
	bool keep = skip_if_not_exists(parser);
	const char *name = fpg_qualified(parser);
	if (fpg_relation_known(name)) {
		if (!keep)
			fpg_raise("42P07", "relation \"%s\" already exists", name);
		skip(parser);
		return;
	}
	if (fpg_is_2(parser, "partition", "of")) {
		parser->at += 2;
		partition_parse(parser, name);
		return;
	}
	if (!parser->define) { /* beside the journal, to be attached: its columns are the same */
		fpg_name_add(name);
		skip(parser);
		return;
	}
	struct fpg_table *table = fpg_table_new(name);
	fpg_expect(parser, "(");
	do {
		if (fpg_take(parser, "like"))
			like(parser, table);
		else if (fpg_is(parser, "constraint") || fpg_is_2(parser, "primary", "key") ||
			 fpg_is_2(parser, "unique", "(") || fpg_is_2(parser, "check", "(") ||
			 fpg_is_2(parser, "foreign", "key"))
			fpg_constraint_parse(parser, table);
		else
			fpg_column_parse(parser, table);
	} while (fpg_take(parser, ","));
	fpg_expect(parser, ")");
	partition_by(parser, table, &table->part_by, &table->part_column);
	for (int i = 0; i < table->checks_n; i++)
		fpg_bind_over(table, &table->check[i].expr);
	if (table->indexes_n == 0) /* all rows, as they came */
		(void)fpg_index_new(table, table->name, NULL, 0, false, NULL);
	/* small tables that are all updates find the room that their dead rows had */
	table->roomy = fpg_is_2(parser, "with", "(") || strncmp(name, "carillon.", 9) == 0;
	skip(parser);
}

static void index_parse(struct fpg_parser *parser, bool unique)
{
	const char *name = "index";
	int column[FPG_KEYS_MAX], n = 0;
	bool plain = true;
	struct fpg_expr *where = NULL;
	(void)fpg_take(parser, "concurrently");
	(void)skip_if_not_exists(parser);
	if (!fpg_is(parser, "on"))
		name = fpg_name(parser);
	fpg_expect(parser, "on");
	(void)fpg_take(parser, "only");
	struct fpg_table *table = table_named(parser, fpg_qualified(parser));
	fpg_name_add(name);
	if (!parser->define) {
		skip(parser);
		return;
	}
	if (fpg_take(parser, "using"))
		(void)fpg_name(parser);
	fpg_expect(parser, "(");
	do {
		struct fpg_expr *expr = fpg_parse_expr(parser);
		column[n] = expr->op == FPG_COLUMN ? fpg_column_find(table, expr->name) : -1;
		plain = plain && column[n] >= 0;
		(void)(fpg_take(parser, "desc") || fpg_take(parser, "asc"));
	} while (fpg_take(parser, ",") && ++n < FPG_KEYS_MAX);
	fpg_expect(parser, ")");
	if (fpg_take(parser, "include"))
		while (!fpg_take(parser, ")"))
			parser->at++;
	if (fpg_take(parser, "where")) {
		where = fpg_parse_expr(parser);
		fpg_bind_over(table, &where);
	}
	if (plain)
		(void)fpg_index_new(table, name, column, n + 1, unique, where);
	else if (unique)
		fpg_not_known(parser, "an index of columns is expected");
	skip(parser);
}

static void drop_parse(struct fpg_parser *parser)
{
	bool of_table = fpg_take(parser, "table");
	if (!of_table) { /* views, functions, indexes: nobody here depends on them */
		skip(parser);
		return;
	}
	(void)skip_if_exists(parser);
	do {
		struct fpg_table *table = fpg_table_find(fpg_qualified(parser));
		if (table != NULL && parser->define)
			table->dropped = true;
	} while (fpg_take(parser, ","));
	skip(parser);
}

static void create_parse(struct fpg_parser *parser)
{
	if (fpg_is_2(parser, "or", "replace"))
		parser->at += 2;
	(void)fpg_take(parser, "unlogged"); /* a crash of the server is none of this one's faults */
	if (fpg_take(parser, "table")) {
		table_parse(parser);
	} else if (fpg_is_2(parser, "unique", "index")) {
		parser->at += 2;
		index_parse(parser, true);
	} else if (fpg_take(parser, "index")) {
		index_parse(parser, false);
	} else if (fpg_take(parser, "sequence")) {
		(void)skip_if_not_exists(parser);
		fpg_sequence_make(fpg_qualified(parser));
		skip(parser);
	} else if (fpg_take(parser, "view")) {
		const char *name = fpg_qualified(parser);
		fpg_expect(parser, "as");
		size_t from = parser->token[parser->at].at;
		skip(parser);
		fpg_view_make(name,
			fpg_keep_text(parser->sql + from, parser->token[parser->at].at - from));
	} else if (fpg_take(parser, "function")) {
		fpg_sql_function_parse(parser);
	} else if (fpg_is(parser, "schema") || fpg_is(parser, "extension") ||
		   fpg_is(parser, "role") || fpg_is(parser, "type") || fpg_is(parser, "trigger") ||
		   fpg_is(parser, "procedure") || fpg_is(parser, "statistics") ||
		   fpg_is(parser, "policy")) {
		skip(parser);
	} else {
		fpg_not_known(parser, "create ..");
	}
}

void fpg_define_run(const struct fpg_parser *from)
{
	struct fpg_parser parser = *from;
	if (fpg_take(&parser, "create")) {
		create_parse(&parser);
	} else if (fpg_is_2(&parser, "alter", "table")) {
		parser.at += 2;
		fpg_alter_table(&parser);
	} else if (fpg_take(&parser, "drop")) {
		drop_parse(&parser);
	} else {
		fpg_not_known(&parser, "a statement is expected");
	}
	if (!fpg_is(&parser, ";") && parser.token[parser.at].kind != FPG_T_END)
		fpg_not_known(&parser, "the end of the statement is expected");
}

struct fpg_statement *fpg_parse_define(struct fpg_parser *parser)
{
	struct fpg_statement *statement = fpg_keep(sizeof(*statement));
	statement->sql = parser->sql;
	statement->kind = FPG_DEFINE;
	statement->define = fpg_keep(sizeof(*parser));
	*statement->define = *parser;
	if (fpg_is(parser, "do") || fpg_is(parser, "alter")) {
		if (!fpg_is_2(parser, "alter", "table"))
			statement->kind = FPG_NOTHING;
	} else if (!fpg_is(parser, "create") && !fpg_is(parser, "drop")) {
		fpg_not_known(parser, "a statement is expected");
	}
	skip(parser);
	return statement;
}
