/* Statements of SQL into trees. */
#include "tests/sim/postgres/postgres.h"

#include <stdlib.h>
#include <string.h>

/* ---- from ---- */

/* "as v (a, b)", "v(a, b)", "v", nothing. */
static void alias_parse(struct fpg_parser *parser, struct fpg_source *source)
{
	const struct fpg_token *token = &parser->token[parser->at];
	bool as = fpg_take(parser, "as");
	if (!as && !(token->kind == FPG_T_QUOTED ||
			   (token->kind == FPG_T_WORD && !fpg_reserved(token->text))))
		return;
	source->alias = fpg_name(parser);
	if (!fpg_take(parser, "("))
		return;
	do
		source->column[source->columns_n++] = fpg_name(parser);
	while (fpg_take(parser, ",") && source->columns_n < FPG_COLUMNS_MAX);
	fpg_expect(parser, ")");
}

static struct fpg_cte *cte_find(const struct fpg_parser *parser, const char *name)
{
	for (int i = parser->ctes_n - 1; i >= 0; i--)
		if (strcmp(parser->cte[i]->name, name) == 0)
			return parser->cte[i];
	return NULL;
}

static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot == NULL ? name : dot + 1;
}

void fpg_parse_source_table(struct fpg_parser *parser, struct fpg_source *source, const char *name)
{
	source->cte = strchr(name, '.') == NULL ? cte_find(parser, name) : NULL;
	source->kind = source->cte != NULL ? FPG_CTE : FPG_TABLE;
	source->alias = last_part(name);
	if (source->cte != NULL)
		return;
	source->table = fpg_table_find(name);
	if (source->table == NULL && fpg_view_find(name) != NULL) {
		struct fpg_parser view;
		fpg_lex(&view, fpg_view_find(name));
		source->kind = FPG_SUBQUERY;
		source->select = fpg_parse_select(&view);
	} else if (source->table == NULL) {
		fpg_not_known(parser, name);
	}
}

/* json_populate_recordset(null::table, json) */
static void recordset_parse(struct fpg_parser *parser, struct fpg_source *source)
{
	struct fpg_expr *call = fpg_expr_new(FPG_CALL, 1);
	source->kind = FPG_FUNCTION;
	source->alias = call->name = fpg_name(parser);
	fpg_expect(parser, "(");
	fpg_expect(parser, "null");
	fpg_expect(parser, "::");
	source->table = fpg_table_find(fpg_qualified(parser));
	if (source->table == NULL)
		fpg_not_known(parser, "a table is expected before");
	fpg_expect(parser, ",");
	call->arg[0] = fpg_parse_expr(parser);
	fpg_expect(parser, ")");
	source->functions = fpg_keep(sizeof(struct fpg_expr *));
	source->functions[source->functions_n++] = call;
}

static void functions_parse(struct fpg_parser *parser, struct fpg_source *source)
{
	bool rows = fpg_take(parser, "rows");
	if (rows) {
		fpg_expect(parser, "from");
		fpg_expect(parser, "(");
	}
	source->kind = FPG_FUNCTION;
	source->functions = fpg_keep(sizeof(struct fpg_expr *) * FPG_COLUMNS_MAX);
	do {
		struct fpg_expr *call = fpg_parse_expr(parser);
		if (call->op != FPG_CALL)
			fpg_not_known(parser, "a table or function is expected before");
		source->alias = call->name;
		source->functions[source->functions_n++] = call;
	} while (rows && fpg_take(parser, ","));
	if (rows)
		fpg_expect(parser, ")");
	if (fpg_is_2(parser, "with", "ordinality")) {
		parser->at += 2;
		source->ordinality = true;
	}
}

static bool function_next(const struct fpg_parser *parser)
{
	const struct fpg_token *token = &parser->token[parser->at];
	return token->kind == FPG_T_WORD &&
	       (strcmp(token[1].text, "(") == 0 || strcmp(token->text, "rows") == 0);
}

static void table_or_routine(struct fpg_parser *parser, struct fpg_source *source, const char *name)
{
	if (!fpg_is(parser, "(")) {
		fpg_parse_source_table(parser, source, name);
		return;
	}
	source->kind = FPG_SUBQUERY;
	source->select = fpg_routine_parse(parser, name);
	source->alias = last_part(name);
}

static void source_parse(struct fpg_parser *parser, struct fpg_select *select, bool left)
{
	if (select->sources_n == FPG_SOURCES_MAX)
		fpg_not_known(parser, "fewer tables are expected");
	struct fpg_source *source = &select->source[select->sources_n++];
	source->left = left;
	source->lateral = fpg_take(parser, "lateral");
	if (fpg_take(parser, "(")) {
		source->kind = FPG_SUBQUERY;
		source->select = fpg_parse_select(parser);
		source->alias = "";
		fpg_expect(parser, ")");
	} else if (fpg_is(parser, "json_populate_recordset")) {
		recordset_parse(parser, source);
	} else if (function_next(parser)) {
		functions_parse(parser, source);
	} else {
		(void)fpg_take(parser, "only");
		table_or_routine(parser, source, fpg_qualified(parser));
	}
	alias_parse(parser, source);
}

static void join_condition(struct fpg_parser *parser, struct fpg_source *source)
{
	if (fpg_take(parser, "on")) {
		source->on = fpg_parse_expr(parser);
	} else if (fpg_take(parser, "using")) {
		fpg_expect(parser, "(");
		do
			source->using_column[source->using_n++] = fpg_name(parser);
		while (fpg_take(parser, ",") && source->using_n < FPG_KEYS_MAX);
		fpg_expect(parser, ")");
	} else {
		fpg_not_known(parser, "on or using is expected");
	}
}

void fpg_parse_from(struct fpg_parser *parser, struct fpg_select *select)
{
	source_parse(parser, select, false);
	for (;;) {
		if (fpg_take(parser, ",")) {
			source_parse(parser, select, false);
		} else if (fpg_is_2(parser, "cross", "join")) {
			parser->at += 2;
			source_parse(parser, select, false);
		} else if (fpg_is(parser, "join") || fpg_is_2(parser, "inner", "join")) {
			parser->at += fpg_is(parser, "join") ? 1 : 2;
			source_parse(parser, select, false);
			join_condition(parser, &select->source[select->sources_n - 1]);
		} else if (fpg_take(parser, "left")) {
			(void)fpg_take(parser, "outer");
			fpg_expect(parser, "join");
			source_parse(parser, select, true);
			join_condition(parser, &select->source[select->sources_n - 1]);
		} else {
			return;
		}
	}
}

/* ---- select ---- */

bool fpg_select_next(const struct fpg_parser *parser)
{
	return fpg_is(parser, "select") || fpg_is(parser, "with") || fpg_is(parser, "values") ||
	       fpg_is_2(parser, "(", "select");
}

static const char *item_name(const struct fpg_expr *expr)
{
	while (expr->op == FPG_CAST)
		expr = expr->arg[0];
	if (expr->op == FPG_COLUMN || expr->op == FPG_CALL || expr->op == FPG_AGGREGATE)
		return expr->name;
	return expr->op == FPG_CASE ? "case" : "?column?";
}

void fpg_parse_items(struct fpg_parser *parser, struct fpg_select *select)
{
	select->item = fpg_keep(FPG_COLUMNS_MAX * 2 * sizeof(*select->item));
	do {
		const struct fpg_token *token;
		struct fpg_item *item = &select->item[select->items_n++];
		if (select->items_n > FPG_COLUMNS_MAX)
			fpg_not_known(parser, "fewer columns are expected");
		item->expr = fpg_parse_expr(parser);
		item->name = item_name(item->expr);
		token = &parser->token[parser->at];
		if (fpg_take(parser, "as"))
			item->name = fpg_name(parser);
		else if (token->kind == FPG_T_QUOTED ||
			 (token->kind == FPG_T_WORD && !fpg_reserved(token->text)))
			item->name = fpg_name(parser);
	} while (fpg_take(parser, ","));
}

static void orders_parse(struct fpg_parser *parser, struct fpg_select *select)
{
	select->order = fpg_keep(16 * sizeof(*select->order));
	do {
		struct fpg_order *order = &select->order[select->orders_n++];
		if (select->orders_n > 16)
			fpg_not_known(parser, "fewer columns of order are expected");
		order->expr = fpg_parse_expr(parser);
		order->output = -1;
		order->descending = fpg_take(parser, "desc");
		if (!order->descending)
			(void)fpg_take(parser, "asc");
		order->nulls_first = order->descending;
		if (fpg_take(parser, "nulls")) {
			order->nulls_first = fpg_is(parser, "first");
			parser->at++;
		}
	} while (fpg_take(parser, ","));
}

static void list_parse(
	struct fpg_parser *parser, struct fpg_expr ***list_r, int *n_r, const char *end)
{
	*list_r = fpg_keep(FPG_COLUMNS_MAX * sizeof(struct fpg_expr *));
	do {
		if (*n_r == FPG_COLUMNS_MAX)
			fpg_not_known(parser, "a shorter list is expected");
		(*list_r)[(*n_r)++] = fpg_parse_expr(parser);
	} while (fpg_take(parser, ","));
	if (end != NULL)
		fpg_expect(parser, end);
}

static void values_parse(struct fpg_parser *parser, struct fpg_select *select)
{
	int room = 0;
	select->is_values = true;
	do {
		struct fpg_expr **row;
		int n = 0;
		fpg_expect(parser, "(");
		list_parse(parser, &row, &n, ")");
		if (select->values_n == room) {
			struct fpg_expr ***larger;
			room = room == 0 ? 4 : room * 2;
			larger = fpg_keep((size_t)room * sizeof(*larger));
			if (select->values_n > 0)
				memcpy(larger, select->values,
					(size_t)select->values_n * sizeof(*larger));
			select->values = larger;
		}
		select->values[select->values_n++] = row;
		select->items_n = n;
	} while (fpg_take(parser, ","));
}

static void core_parse(struct fpg_parser *parser, struct fpg_select *select)
{
	if (fpg_take(parser, "values")) {
		values_parse(parser, select);
		return;
	}
	fpg_expect(parser, "select");
	select->distinct = fpg_take(parser, "distinct");
	if (select->distinct && fpg_take(parser, "on")) {
		fpg_expect(parser, "(");
		list_parse(parser, &select->distinct_on, &select->distinct_on_n, ")");
		select->distinct = false;
	}
	(void)fpg_take(parser, "all");
	if (!fpg_is(parser, "from"))
		fpg_parse_items(parser, select);
	if (fpg_take(parser, "from"))
		fpg_parse_from(parser, select);
	if (fpg_take(parser, "where"))
		select->where = fpg_parse_expr(parser);
	if (fpg_is_2(parser, "group", "by")) {
		parser->at += 2;
		list_parse(parser, &select->group, &select->group_n, NULL);
	}
	if (fpg_take(parser, "having"))
		select->having = fpg_parse_expr(parser);
}

static enum fpg_set set_parse(struct fpg_parser *parser)
{
	enum fpg_set set = FPG_NO_SET;
	if (fpg_take(parser, "union"))
		set = fpg_take(parser, "all") ? FPG_UNION_ALL : FPG_UNION;
	else if (fpg_take(parser, "except"))
		set = FPG_EXCEPT;
	else if (fpg_take(parser, "intersect"))
		set = FPG_INTERSECT;
	return set;
}

static void tail_parse(struct fpg_parser *parser, struct fpg_select *select)
{
	if (fpg_is_2(parser, "order", "by")) {
		parser->at += 2;
		orders_parse(parser, select);
	}
	for (;;) {
		if (fpg_take(parser, "limit")) {
			if (!fpg_take(parser, "all"))
				select->limit = fpg_parse_expr(parser);
		} else if (fpg_take(parser, "offset")) {
			select->offset = fpg_parse_expr(parser);
		} else if (fpg_take(parser, "for")) {
			(void)fpg_take(parser, "no");
			(void)fpg_take(parser, "key");
			if (!fpg_take(parser, "update"))
				fpg_expect(parser, "share");
			select->for_update = true;
			parser->writes = true;
			if (fpg_is_2(parser, "skip", "locked")) {
				parser->at += 2;
				select->skip_locked = true;
			}
		} else {
			return;
		}
	}
}

struct fpg_select *fpg_parse_select(struct fpg_parser *parser)
{
	struct fpg_select *select = fpg_keep(sizeof(*select));
	struct fpg_select *last = select;
	int outer = parser->ctes_n;
	if (fpg_is(parser, "with"))
		select->ctes_n = fpg_parse_with(parser, select->cte);
	if (fpg_take(parser, "(")) {
		struct fpg_select *inner = fpg_parse_select(parser);
		fpg_expect(parser, ")");
		if (!fpg_is(parser, "union")) {
			parser->ctes_n = outer;
			return inner;
		}
		memcpy(inner->cte, select->cte, sizeof(select->cte));
		inner->ctes_n = select->ctes_n;
		select = last = inner;
	} else {
		core_parse(parser, select);
	}
	for (enum fpg_set set; (set = set_parse(parser)) != FPG_NO_SET;) {
		bool parenthesis = fpg_take(parser, "(");
		last->set = set;
		last->next = fpg_keep(sizeof(*last));
		last = last->next;
		if (parenthesis) {
			core_parse(parser, last);
			tail_parse(parser, last);
			fpg_expect(parser, ")");
		} else {
			core_parse(parser, last);
		}
	}
	tail_parse(parser, select); /* of all of them together */
	parser->ctes_n = outer;
	return select;
}

int fpg_parse_with(struct fpg_parser *parser, struct fpg_cte **ctes)
{
	int n = 0;
	fpg_expect(parser, "with");
	bool recursive = fpg_take(parser, "recursive");
	do {
		struct fpg_cte *cte = fpg_keep(sizeof(*cte));
		if (n == FPG_CTES_MAX || parser->ctes_all == FPG_CTES_MAX * 2)
			fpg_not_known(parser, "fewer parts of with are expected");
		cte->name = fpg_name(parser);
		cte->number = parser->ctes_all++;
		cte->recursive = recursive;
		if (fpg_take(parser, "(")) {
			do
				cte->column[cte->columns_n++] = fpg_name(parser);
			while (fpg_take(parser, ","));
			fpg_expect(parser, ")");
		}
		fpg_expect(parser, "as");
		(void)fpg_take(parser, "not");
		(void)fpg_take(parser, "materialized");
		fpg_expect(parser, "(");
		if (recursive)
			parser->cte[parser->ctes_n++] = cte;
		cte->statement = fpg_parse_statement(parser);
		fpg_expect(parser, ")");
		if (!recursive)
			parser->cte[parser->ctes_n++] = cte;
		ctes[n++] = cte;
	} while (fpg_take(parser, ","));
	return n;
}

/* ---- what changes rows ---- */

static void target_parse(struct fpg_parser *parser, struct fpg_statement *statement)
{
	const char *name = fpg_qualified(parser);
	const struct fpg_token *token;
	statement->table = fpg_table_find(name);
	if (statement->table == NULL)
		fpg_not_known(parser, name);
	statement->alias = last_part(name);
	token = &parser->token[parser->at];
	if (fpg_take(parser, "as"))
		statement->alias = fpg_name(parser);
	else if (token->kind == FPG_T_WORD && !fpg_reserved(token->text) &&
		 !fpg_is(parser, "default"))
		statement->alias = fpg_name(parser);
}

static int column_parse(struct fpg_parser *parser, const struct fpg_table *table)
{
	const char *name = fpg_name(parser);
	int column = fpg_column_find(table, name);
	if (column < 0) {
		parser->at--;
		fpg_not_known(parser, "a column of the table is expected");
	}
	return column;
}

static void columns_parse(struct fpg_parser *parser, struct fpg_statement *statement)
{
	statement->column = fpg_keep(FPG_COLUMNS_MAX * sizeof(int));
	if (fpg_take(parser, "(")) {
		do
			statement->column[statement->columns_n++] =
				column_parse(parser, statement->table);
		while (fpg_take(parser, ","));
		fpg_expect(parser, ")");
		return;
	}
	statement->columns_n = statement->table->columns_n;
	for (int i = 0; i < statement->columns_n; i++)
		statement->column[i] = i;
}

static void set_pair(struct fpg_statement *statement, int column, struct fpg_expr *expr)
{
	statement->set_column[statement->set_n] = column;
	statement->set[statement->set_n++] = expr;
}

/* a = 1, (b, c) = (2, 3) */
static void sets_parse(struct fpg_parser *parser, struct fpg_statement *statement)
{
	statement->set = fpg_keep(FPG_COLUMNS_MAX * sizeof(struct fpg_expr *));
	statement->set_column = fpg_keep(FPG_COLUMNS_MAX * sizeof(int));
	do {
		if (fpg_take(parser, "(")) {
			int column[FPG_COLUMNS_MAX], n = 0;
			do
				column[n++] = column_parse(parser, statement->table);
			while (fpg_take(parser, ",") && n < FPG_COLUMNS_MAX);
			fpg_expect(parser, ")");
			fpg_expect(parser, "=");
			struct fpg_expr *row = fpg_parse_expr(parser);
			if (row->op != FPG_ROW || row->n != n)
				fpg_not_known(parser, "a list as long is expected");
			for (int i = 0; i < n; i++)
				set_pair(statement, column[i], row->arg[i]);
		} else {
			int column = column_parse(parser, statement->table);
			fpg_expect(parser, "=");
			set_pair(statement, column, fpg_parse_expr(parser));
		}
	} while (fpg_take(parser, ","));
}

static void returning_parse(struct fpg_parser *parser, struct fpg_statement *statement)
{
	if (!fpg_take(parser, "returning"))
		return;
	statement->returning = fpg_keep(sizeof(*statement->returning));
	fpg_parse_items(parser, statement->returning);
}

static void conflict_parse(struct fpg_parser *parser, struct fpg_statement *statement)
{
	if (!fpg_is_2(parser, "on", "conflict"))
		return;
	parser->at += 2;
	statement->conflict = true;
	if (fpg_take(parser, "(")) {
		do
			statement->conflict_column[statement->conflict_columns_n++] =
				fpg_name(parser);
		while (fpg_take(parser, ",") && statement->conflict_columns_n < FPG_KEYS_MAX);
		fpg_expect(parser, ")");
		if (fpg_take(parser, "where"))
			statement->conflict_index_where = fpg_parse_expr(parser);
	}
	fpg_expect(parser, "do");
	if (fpg_take(parser, "nothing")) {
		statement->conflict_nothing = true;
		return;
	}
	fpg_expect(parser, "update");
	fpg_expect(parser, "set");
	sets_parse(parser, statement);
	if (fpg_take(parser, "where"))
		statement->conflict_where = fpg_parse_expr(parser);
}

static void insert_parse(struct fpg_parser *parser, struct fpg_statement *statement)
{
	statement->kind = FPG_INSERT;
	fpg_expect(parser, "into");
	target_parse(parser, statement);
	columns_parse(parser, statement);
	if (fpg_is_2(parser, "default", "values"))
		fpg_not_known(parser, "values are expected");
	statement->select = fpg_parse_select(parser);
	conflict_parse(parser, statement);
	returning_parse(parser, statement);
}

/* update and delete are a join of the target with what they name. */
static void target_source(struct fpg_statement *statement)
{
	struct fpg_source *source = &statement->select->source[0];
	source->kind = FPG_TABLE;
	source->table = statement->table;
	source->alias = statement->alias;
	statement->select->sources_n = 1;
}

static void update_parse(struct fpg_parser *parser, struct fpg_statement *statement)
{
	statement->kind = FPG_UPDATE;
	(void)fpg_take(parser, "only");
	target_parse(parser, statement);
	statement->select = fpg_keep(sizeof(*statement->select));
	target_source(statement);
	fpg_expect(parser, "set");
	sets_parse(parser, statement);
	if (fpg_take(parser, "from"))
		fpg_parse_from(parser, statement->select);
	if (fpg_take(parser, "where"))
		statement->select->where = fpg_parse_expr(parser);
	returning_parse(parser, statement);
}

static void delete_parse(struct fpg_parser *parser, struct fpg_statement *statement)
{
	statement->kind = FPG_DELETE;
	fpg_expect(parser, "from");
	(void)fpg_take(parser, "only");
	target_parse(parser, statement);
	statement->select = fpg_keep(sizeof(*statement->select));
	target_source(statement);
	if (fpg_take(parser, "using"))
		fpg_parse_from(parser, statement->select);
	if (fpg_take(parser, "where"))
		statement->select->where = fpg_parse_expr(parser);
	returning_parse(parser, statement);
}

static void copy_parse(struct fpg_parser *parser, struct fpg_statement *statement)
{
	statement->kind = FPG_COPY_IN;
	target_parse(parser, statement);
	columns_parse(parser, statement);
	fpg_expect(parser, "from");
	fpg_expect(parser, "stdin");
	(void)fpg_take(parser, "with");
	fpg_expect(parser, "(");
	fpg_expect(parser, "format");
	fpg_expect(parser, "binary");
	fpg_expect(parser, ")");
}

/* To the semicolon: what has no effect here. */
static void skip(struct fpg_parser *parser)
{
	while (!fpg_is(parser, ";") && parser->token[parser->at].kind != FPG_T_END)
		parser->at++;
}

static bool transaction_parse(struct fpg_parser *parser, struct fpg_statement *statement)
{
	if (fpg_take(parser, "begin") || fpg_is_2(parser, "start", "transaction"))
		statement->kind = FPG_BEGIN;
	else if (fpg_take(parser, "commit") || fpg_take(parser, "end"))
		statement->kind = FPG_COMMIT;
	else if (fpg_take(parser, "rollback") || fpg_take(parser, "abort"))
		statement->kind = FPG_ROLLBACK;
	else if (fpg_take(parser, "listen"))
		statement->kind = FPG_LISTEN;
	else if (fpg_take(parser, "notify"))
		statement->kind = FPG_NOTIFY;
	else if (fpg_is(parser, "set") || fpg_is(parser, "reset") || fpg_is(parser, "comment") ||
		 fpg_is(parser, "grant") || fpg_is(parser, "revoke") || fpg_is(parser, "analyze") ||
		 fpg_is(parser, "vacuum") || fpg_is(parser, "lock"))
		statement->kind = FPG_NOTHING;
	else
		return false;
	skip(parser);
	return true;
}

struct fpg_statement *fpg_parse_statement(struct fpg_parser *parser)
{
	struct fpg_statement *statement = fpg_keep(sizeof(*statement));
	int outer = parser->ctes_n;
	int from = parser->at;
	statement->sql = parser->sql;
	if (fpg_is(parser, "with"))
		statement->ctes_n = fpg_parse_with(parser, statement->cte);
	parser->writes = parser->writes || fpg_is(parser, "insert") || fpg_is(parser, "update") ||
			 fpg_is(parser, "delete") || fpg_is(parser, "copy");
	if (fpg_take(parser, "insert"))
		insert_parse(parser, statement);
	else if (fpg_take(parser, "update"))
		update_parse(parser, statement);
	else if (fpg_take(parser, "delete"))
		delete_parse(parser, statement);
	else if (fpg_take(parser, "copy"))
		copy_parse(parser, statement);
	else if (fpg_select_next(parser)) {
		statement->kind = FPG_SELECT;
		if (statement->ctes_n > 0) { /* read again, as the select's own */
			parser->at = from;
			parser->ctes_n = outer;
			parser->ctes_all -= statement->ctes_n;
			statement->ctes_n = 0;
		}
		statement->select = fpg_parse_select(parser);
	} else if (!transaction_parse(parser, statement)) {
		parser->at = from;
		return fpg_parse_define(parser);
	}
	parser->ctes_n = outer;
	return statement;
}
