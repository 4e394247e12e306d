/* Names to sources and columns. */
#include "tests/sim/postgres/postgres.h"

#include <string.h>

static void not_bound(const struct fpg_expr *expr)
{
	fpg_raise("42703", "column \"%s%s%s\" does not exist",
		expr->qualifier != NULL ? expr->qualifier : "", expr->qualifier != NULL ? "." : "",
		expr->name);
}

static int source_column(const struct fpg_source *source, const char *name)
{
	for (int i = 0; i < source->columns_n; i++)
		if (strcmp(source->column[i], name) == 0)
			return i;
	return -1;
}

/* Where a name is, from the inside out; false: nowhere. */
static bool find(struct fpg_scope *scope, struct fpg_expr *expr)
{
	int depth = 0;
	for (; scope != NULL; scope = scope->outer, depth++) {
		for (int i = 0; scope->select != NULL && i < scope->select->sources_n; i++) {
			struct fpg_source *source = &scope->select->source[i];
			int column;
			if (expr->qualifier != NULL && strcmp(source->alias, expr->qualifier) != 0)
				continue;
			column = source_column(source, expr->name);
			if (column < 0)
				continue;
			expr->depth = depth;
			expr->source = i;
			expr->column = column;
			expr->type = source->type[column];
			expr->element = source->element[column];
			scope->used |= UINT32_C(1) << i;
			return true;
		}
	}
	return false;
}

static bool untyped(const struct fpg_expr *expr)
{
	return expr->op == FPG_PARAM ||
	       (expr->op == FPG_CONST && expr->value.type == FPG_UNKNOWN && !expr->value.null);
}

/* Casts of constants are made once. */
static void fold(struct fpg_expr *expr)
{
	if (expr->op != FPG_CAST || expr->arg[0]->op != FPG_CONST || expr->arg[0]->value.null)
		return;
	struct fpg_value value = expr->arg[0]->value;
	if (expr->type == FPG_TEXT && value.type == FPG_UNKNOWN)
		value.type = FPG_TEXT;
	else if (expr->type == FPG_TEXT || expr->type == FPG_ARRAY || expr->type == FPG_BYTEA ||
		 expr->type == FPG_NUMERIC)
		return;
	else
		value = fpg_cast(value, expr->type, expr->element);
	expr->op = FPG_CONST;
	expr->value = value;
	expr->n = 0;
}

static void typed_like(struct fpg_expr **expr, enum fpg_type type, enum fpg_type element)
{
	if (type == FPG_UNKNOWN || !untyped(*expr))
		return;
	struct fpg_expr *cast = fpg_expr_new(FPG_CAST, 1);
	cast->arg[0] = *expr;
	cast->type = type;
	cast->element = element;
	fold(cast);
	*expr = cast;
}

static bool is_typed(const struct fpg_expr *expr)
{
	return (expr->op == FPG_COLUMN || expr->op == FPG_CAST) && expr->type != FPG_UNKNOWN;
}

static void sides_type(struct fpg_expr *expr)
{
	struct fpg_expr **a = &expr->arg[0];
	struct fpg_expr **b = &expr->arg[1];
	if (is_typed(*a))
		typed_like(b, (*a)->type, (*a)->element);
	else if (is_typed(*b))
		typed_like(a, (*b)->type, (*b)->element);
}

static bool is_comparison(enum fpg_op op)
{
	return op == FPG_EQ || op == FPG_NE || op == FPG_LT || op == FPG_LE || op == FPG_GT ||
	       op == FPG_GE || op == FPG_DISTINCT;
}

void fpg_bind_expr(struct fpg_scope *scope, struct fpg_expr **at)
{
	struct fpg_expr *expr = *at;
	if (expr->op == FPG_COLUMN && !find(scope, expr))
		not_bound(expr);
	for (int i = 0; i < expr->n; i++)
		if (expr->arg[i] != NULL && expr->arg[i]->op != FPG_STAR)
			fpg_bind_expr(scope, &expr->arg[i]);
	if (expr->select != NULL)
		fpg_bind_select(scope, expr->select);
	if (expr->filter != NULL)
		fpg_bind_expr(scope, &expr->filter);
	if (expr->order != NULL)
		fpg_bind_expr(scope, &expr->order);
	if (expr->op == FPG_AGGREGATE)
		scope->select->aggregated = true;
	if (is_comparison(expr->op))
		sides_type(expr);
	if ((expr->op == FPG_ANY || expr->op == FPG_ALL) && expr->n == 2 &&
		expr->arg[0]->op == FPG_COLUMN && expr->arg[0]->type != FPG_UNKNOWN)
		typed_like(&expr->arg[1], FPG_ARRAY, expr->arg[0]->type);
	fold(expr);
}

/* ---- sources ---- */

static void columns_from_table(struct fpg_source *source)
{
	const struct fpg_table *table = source->table;
	for (int i = 0; i < table->columns_n; i++) {
		if (i >= source->columns_n)
			source->column[i] = table->column[i].name;
		source->type[i] = table->column[i].type;
		source->element[i] = table->column[i].element;
	}
	source->columns_n = table->columns_n;
}

static void type_of(const struct fpg_expr *expr, enum fpg_type *type_r, enum fpg_type *element_r)
{
	*type_r = *element_r = FPG_UNKNOWN;
	if (expr->op == FPG_COLUMN || expr->op == FPG_CAST) {
		*type_r = expr->type;
		*element_r = expr->element;
	} else if (expr->op == FPG_CONST && expr->value.type != FPG_UNKNOWN) {
		*type_r = expr->value.type;
		*element_r = expr->value.element;
	}
}

static void columns_from_items(struct fpg_source *source, const struct fpg_select *select)
{
	for (int i = 0; i < select->items_n; i++) {
		if (i >= source->columns_n)
			source->column[i] = select->is_values ? "column" : select->item[i].name;
		if (!select->is_values)
			type_of(select->item[i].expr, &source->type[i], &source->element[i]);
	}
	source->columns_n = select->items_n;
}

static void columns_from_functions(struct fpg_source *source)
{
	int n = 0;
	for (int i = 0; i < source->functions_n; i++) {
		struct fpg_expr *call = source->functions[i];
		bool unnest = strcmp(call->name, "unnest") == 0;
		int columns = unnest ? call->n : 1;
		for (int j = 0; j < columns && n < FPG_COLUMNS_MAX; j++, n++) {
			enum fpg_type type, element;
			if (n >= source->columns_n)
				source->column[n] = source->alias;
			type_of(call->arg[j], &type, &element);
			source->type[n] = unnest ? element : FPG_UNKNOWN;
			source->element[n] = FPG_UNKNOWN;
		}
	}
	if (source->ordinality) {
		if (n >= source->columns_n)
			source->column[n] = "ordinality";
		source->type[n++] = FPG_INT8;
	}
	source->columns_n = n;
}

static void cte_columns(struct fpg_cte *cte, const struct fpg_select *select)
{
	if (cte->items_n > 0)
		return;
	for (int i = 0; i < select->items_n; i++) {
		if (i >= cte->columns_n)
			cte->column[i] = select->item[i].name;
		if (!select->is_values)
			type_of(select->item[i].expr, &cte->type[i], &cte->element[i]);
	}
	cte->items_n = select->items_n;
}

static void source_bind(struct fpg_scope *scope, struct fpg_source *source)
{
	switch (source->kind) {
	case FPG_TABLE:
		columns_from_table(source);
		break;
	case FPG_SUBQUERY:
		fpg_bind_select(source->lateral ? scope : scope->outer, source->select);
		columns_from_items(source, source->select);
		break;
	case FPG_FUNCTION:
		scope->used = 0;
		for (int i = 0; i < source->functions_n; i++)
			fpg_bind_expr(scope, source->table != NULL ? &source->functions[i]->arg[0]
								   : &source->functions[i]);
		source->mask = scope->used;
		if (source->table != NULL)
			columns_from_table(source);
		else
			columns_from_functions(source);
		break;
	case FPG_CTE:
		for (int i = 0; i < source->cte->items_n; i++) {
			if (i >= source->columns_n)
				source->column[i] = source->cte->column[i];
			source->type[i] = source->cte->type[i];
			source->element[i] = source->cte->element[i];
		}
		source->columns_n = source->cte->items_n;
		break;
	}
}

/* ---- conditions ---- */

static bool has_select(const struct fpg_expr *expr)
{
	if (expr->select != NULL)
		return true;
	for (int i = 0; i < expr->n; i++)
		if (expr->arg[i] != NULL && has_select(expr->arg[i]))
			return true;
	return false;
}

static void conjuncts_add(struct fpg_scope *scope, struct fpg_expr *expr, int left)
{
	struct fpg_select *select = scope->select;
	if (expr->op == FPG_AND) {
		conjuncts_add(scope, expr->arg[0], left);
		conjuncts_add(scope, expr->arg[1], left);
		return;
	}
	select->conjunct = fpg_keep_grow(
		select->conjunct, (size_t)select->conjuncts_n, sizeof(*select->conjunct));
	scope->used = 0;
	fpg_bind_expr(scope, &expr);
	select->conjunct[select->conjuncts_n++] = (struct fpg_conjunct){
		.expr = expr, .mask = scope->used, .left = left, .selects = has_select(expr)
	};
}

static void using_bind(struct fpg_scope *scope, int at)
{
	struct fpg_source *source = &scope->select->source[at];
	for (int i = 0; i < source->using_n; i++) {
		struct fpg_expr *equal = fpg_expr_new(FPG_EQ, 2);
		for (int side = 0; side < 2; side++) {
			equal->arg[side] = fpg_expr_new(FPG_COLUMN, 0);
			equal->arg[side]->name = source->using_column[i];
			equal->arg[side]->qualifier = source->alias;
		}
		for (int j = at - 1; j >= 0; j--) /* of the first before it that has one */
			if (source_column(&scope->select->source[j], source->using_column[i]) >= 0)
				equal->arg[0]->qualifier = scope->select->source[j].alias;
		conjuncts_add(scope, equal, source->left ? at : -1);
	}
}

/* ---- select ---- */

/* Bound already, by place: columns of one name are told apart by nothing else. How many. */
static int star_expand(struct fpg_select *select, int at)
{
	const char *of = select->item[at].expr->qualifier;
	struct fpg_item item[FPG_COLUMNS_MAX];
	int n = 0;
	for (int i = 0; i < select->sources_n; i++) {
		const struct fpg_source *source = &select->source[i];
		if (of != NULL && strcmp(of, source->alias) != 0)
			continue;
		for (int j = 0; j < source->columns_n && n < FPG_COLUMNS_MAX; j++) {
			struct fpg_expr *column = fpg_expr_new(FPG_COLUMN, 0);
			column->name = source->column[j];
			column->source = i;
			column->column = j;
			column->type = source->type[j];
			column->element = source->element[j];
			item[n++] = (struct fpg_item){ column, column->name };
		}
	}
	memmove(select->item + at + n, select->item + at + 1,
		(size_t)(select->items_n - at - 1) * sizeof(item[0]));
	memcpy(select->item + at, item, (size_t)n * sizeof(item[0]));
	select->items_n += n - 1;
	return n;
}

static int output_find(const struct fpg_select *select, const struct fpg_expr *expr)
{
	if (expr->op == FPG_CONST && expr->value.type == FPG_INT4)
		return (int)expr->value.i - 1;
	if (expr->op != FPG_COLUMN || expr->qualifier != NULL)
		return -1;
	for (int i = 0; i < select->items_n; i++)
		if (strcmp(select->item[i].name, expr->name) == 0)
			return i;
	return -1;
}

static void items_bind(struct fpg_scope *scope)
{
	struct fpg_select *select = scope->select;
	for (int i = 0; i < select->items_n; i++) {
		if (select->item[i].expr->op != FPG_STAR) {
			fpg_bind_expr(scope, &select->item[i].expr);
			continue;
		}
		i += star_expand(select, i) - 1;
	}
}

static void tail_bind(struct fpg_scope *scope)
{
	struct fpg_select *select = scope->select;
	for (int i = 0; i < select->group_n; i++) {
		int output = output_find(select, select->group[i]);
		struct fpg_expr *copy = select->group[i];
		if (output >= 0 && (copy->op == FPG_CONST || !find(scope, copy)))
			select->group[i] = select->item[output].expr;
		else
			fpg_bind_expr(scope, &select->group[i]);
	}
	for (int i = 0; i < select->orders_n; i++) {
		select->order[i].output = output_find(select, select->order[i].expr);
		if (select->order[i].output < 0)
			fpg_bind_expr(scope, &select->order[i].expr);
	}
	for (int i = 0; i < select->distinct_on_n; i++) {
		int output = output_find(select, select->distinct_on[i]);
		if (output >= 0)
			select->distinct_on[i] = select->item[output].expr;
		else
			fpg_bind_expr(scope, &select->distinct_on[i]);
	}
	if (select->having != NULL)
		fpg_bind_expr(scope, &select->having);
}

static void values_bind(struct fpg_scope *scope)
{
	struct fpg_select *select = scope->select;
	for (int i = 0; i < select->values_n; i++)
		for (int j = 0; j < select->items_n; j++)
			if (select->values[i][j]->op != FPG_COLUMN ||
				strcmp(select->values[i][j]->name, "default") != 0)
				fpg_bind_expr(scope, &select->values[i][j]);
}

/* The sources and conditions of a select, an update or a delete. */
static void join_bind(struct fpg_scope *scope)
{
	struct fpg_select *select = scope->select;
	int all = select->sources_n;
	select->sources_n = 0; /* a source sees those before it */
	for (int i = 0; i < all; i++) {
		source_bind(scope, &select->source[i]);
		select->sources_n = i + 1;
	}
	for (int i = 0; i < all; i++) {
		struct fpg_source *source = &select->source[i];
		if (source->on != NULL)
			conjuncts_add(scope, source->on, source->left ? i : -1);
		using_bind(scope, i);
	}
	if (select->where != NULL)
		conjuncts_add(scope, select->where, -1);
	fpg_plan(scope, select);
}

static void core_bind(struct fpg_scope *outer, struct fpg_select *select)
{
	struct fpg_scope scope = { .outer = outer, .select = select };
	select->bound = true;
	if (select->is_values) {
		values_bind(&scope);
	} else {
		join_bind(&scope);
		items_bind(&scope);
		tail_bind(&scope);
		fpg_plan(&scope, select);
	}
	if (select->limit != NULL)
		fpg_bind_expr(&scope, &select->limit);
	if (select->offset != NULL)
		fpg_bind_expr(&scope, &select->offset);
}

static void cte_bind(struct fpg_cte *cte)
{
	struct fpg_statement *statement = cte->statement;
	if (cte->items_n > 0)
		return;
	if (statement->kind == FPG_SELECT) {
		struct fpg_select *select = statement->select;
		for (int i = 0; i < select->ctes_n; i++)
			cte_bind(select->cte[i]);
		for (; select != NULL; select = select->next) {
			core_bind(NULL, select);
			cte_columns(cte, select); /* of the first: what recursion sees */
		}
		return;
	}
	fpg_bind_statement(statement);
	if (statement->returning != NULL)
		cte_columns(cte, statement->returning);
}

void fpg_bind_select(struct fpg_scope *outer, struct fpg_select *select)
{
	if (select->bound)
		return;
	for (int i = 0; i < select->ctes_n; i++)
		cte_bind(select->cte[i]);
	for (; select != NULL; select = select->next)
		core_bind(outer, select);
}

/* ---- statements ---- */

static void sets_bind(struct fpg_scope *scope, struct fpg_statement *statement)
{
	for (int i = 0; i < statement->set_n; i++) {
		const struct fpg_column *column =
			&statement->table->column[statement->set_column[i]];
		fpg_bind_expr(scope, &statement->set[i]);
		typed_like(&statement->set[i], column->type, column->element);
	}
}

static struct fpg_source target_source(const struct fpg_statement *statement, const char *alias)
{
	struct fpg_source source = { .kind = FPG_TABLE, .table = statement->table, .alias = alias };
	columns_from_table(&source);
	return source;
}

static void returning_bind(struct fpg_statement *statement)
{
	struct fpg_select *select = statement->returning;
	struct fpg_scope scope = { .select = select };
	if (select == NULL)
		return;
	if (statement->kind == FPG_INSERT) {
		select->source[0] = target_source(statement, statement->alias);
		select->sources_n = 1;
	} else {
		memcpy(select->source, statement->select->source, sizeof(select->source));
		select->sources_n = statement->select->sources_n;
	}
	items_bind(&scope);
}

static void conflict_bind(struct fpg_statement *statement)
{
	struct fpg_select *select = fpg_keep(sizeof(*select));
	struct fpg_scope scope = { .select = select };
	const struct fpg_table *table = statement->table;
	select->source[0] = target_source(statement, statement->alias);
	select->source[1] = target_source(statement, "excluded");
	select->sources_n = 2;
	sets_bind(&scope, statement);
	if (statement->conflict_where != NULL)
		fpg_bind_expr(&scope, &statement->conflict_where);
	for (int i = 0; i < table->indexes_n && statement->conflict_columns_n > 0; i++) {
		struct fpg_index *index = table->index[i];
		int same = 0;
		for (int j = 0; j < index->columns_n; j++)
			for (int k = 0; k < statement->conflict_columns_n; k++)
				same += strcmp(table->column[index->column[j]].name,
						statement->conflict_column[k]) == 0;
		if (index->unique && same == index->columns_n &&
			same == statement->conflict_columns_n)
			statement->conflict_index = index;
	}
	if (statement->conflict_columns_n > 0 && statement->conflict_index == NULL)
		fpg_raise("42P10", "there is no unique or exclusion constraint matching the ON "
				   "CONFLICT specification");
}

static void insert_bind(struct fpg_statement *statement)
{
	struct fpg_table *table = statement->table;
	fpg_bind_select(NULL, statement->select);
	if (statement->select->items_n != statement->columns_n)
		fpg_raise("42601", "INSERT has %d expressions for %d target columns",
			statement->select->items_n, statement->columns_n);
	/* A parameter is of its column's type, as one in binary must be. */
	for (int i = 0; i < statement->select->values_n; i++)
		for (int j = 0; j < statement->columns_n; j++) {
			const struct fpg_column *column = &table->column[statement->column[j]];
			if (statement->select->values[i][j]->op == FPG_PARAM)
				typed_like(&statement->select->values[i][j], column->type,
					column->element);
		}
	statement->defaults = fpg_keep(FPG_COLUMNS_MAX * sizeof(struct fpg_expr *));
	for (int i = 0; i < table->columns_n; i++)
		statement->defaults[i] = table->column[i].initial;
	if (statement->conflict)
		conflict_bind(statement);
}

void fpg_bind_statement(struct fpg_statement *statement)
{
	for (int i = 0; i < statement->ctes_n; i++)
		cte_bind(statement->cte[i]);
	switch (statement->kind) {
	case FPG_SELECT:
		fpg_bind_select(NULL, statement->select);
		return;
	case FPG_INSERT:
		insert_bind(statement);
		break;
	case FPG_UPDATE:
	case FPG_DELETE: {
		struct fpg_scope scope = { .select = statement->select };
		join_bind(&scope);
		if (statement->kind == FPG_UPDATE)
			sets_bind(&scope, statement);
		break;
	}
	case FPG_COPY_IN:
	case FPG_BEGIN:
	case FPG_COMMIT:
	case FPG_ROLLBACK:
	case FPG_LISTEN:
	case FPG_NOTIFY:
	case FPG_NOTHING:
	case FPG_DEFINE:
		return;
	}
	returning_bind(statement);
}

void fpg_bind_over(struct fpg_table *table, struct fpg_expr **expr)
{
	struct fpg_select *select = fpg_keep(sizeof(*select));
	struct fpg_scope scope = { .select = select };
	select->source[0].kind = FPG_TABLE;
	select->source[0].table = table;
	select->source[0].alias = table->name;
	columns_from_table(&select->source[0]);
	select->sources_n = 1;
	fpg_bind_expr(&scope, expr);
}
