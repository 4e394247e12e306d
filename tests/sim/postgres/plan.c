/* In which order sources are joined, and by which index the rows of a table are found. */
#include "tests/sim/postgres/postgres.h"

#include <string.h>

bool fpg_expr_same(const struct fpg_expr *a, const struct fpg_expr *b)
{
	if (a->op != b->op || a->n != b->n || a->select != NULL || b->select != NULL ||
		a->compare != b->compare)
		return false;
	if (a->op == FPG_COLUMN && (a->column != b->column || a->depth != b->depth))
		return false;
	if (a->op == FPG_PARAM && a->param != b->param)
		return false;
	if (a->op == FPG_CALL && a->function != b->function)
		return false;
	if (a->op == FPG_CONST &&
		(a->value.null != b->value.null ||
			(!a->value.null && fpg_compare(&a->value, &b->value) != 0)))
		return false;
	for (int i = 0; i < a->n; i++)
		if (!fpg_expr_same(a->arg[i], b->arg[i]))
			return false;
	return true;
}

/* The sources of this level that an expression without selects needs. */
static uint32_t mask_of(const struct fpg_expr *expr)
{
	uint32_t mask = 0;
	if (expr->op == FPG_COLUMN)
		return expr->depth == 0 ? UINT32_C(1) << expr->source : 0;
	for (int i = 0; i < expr->n; i++)
		mask |= mask_of(expr->arg[i]);
	return mask;
}

/* One side of a condition is this column, the other can be had before: that other one. */
static struct fpg_expr *other_side(
	const struct fpg_conjunct *conjunct, int source, int column, uint32_t before, bool *first_r)
{
	const struct fpg_expr *expr = conjunct->expr;
	for (int side = 0; side < 2 && expr->n == 2; side++) {
		const struct fpg_expr *one = expr->arg[side];
		if (one->op != FPG_COLUMN || one->depth != 0 || one->source != source ||
			one->column != column || conjunct->selects)
			continue;
		if ((mask_of(expr->arg[1 - side]) & ~before) != 0)
			continue;
		*first_r = side == 0;
		return expr->arg[1 - side];
	}
	return NULL;
}

static bool usable(const struct fpg_select *select, const struct fpg_conjunct *conjunct, int source)
{
	return conjunct->left == source || (conjunct->left < 0 && !select->source[source].left);
}

static struct fpg_expr *equal_find(
	const struct fpg_select *select, int source, int column, uint32_t before)
{
	for (int i = 0; i < select->conjuncts_n; i++) {
		const struct fpg_conjunct *conjunct = &select->conjunct[i];
		bool first;
		if (conjunct->expr->op != FPG_EQ || !usable(select, conjunct, source))
			continue;
		struct fpg_expr *other = other_side(conjunct, source, column, before, &first);
		if (other != NULL)
			return other;
	}
	return NULL;
}

static void bounds_find(const struct fpg_select *select, int source, int column, uint32_t before,
	struct fpg_path *path)
{
	for (int i = 0; i < select->conjuncts_n; i++) {
		const struct fpg_conjunct *conjunct = &select->conjunct[i];
		enum fpg_op op = conjunct->expr->op;
		bool first;
		if (!usable(select, conjunct, source))
			continue;
		struct fpg_expr *other = other_side(conjunct, source, column, before, &first);
		if (other == NULL)
			continue;
		if (op == FPG_ANY && conjunct->expr->compare == FPG_EQ && first)
			path->any = other;
		else if (op == FPG_GE || op == FPG_GT)
			*(first ? &path->low : &path->high) = other;
		else if (op == FPG_LE || op == FPG_LT)
			*(first ? &path->high : &path->low) = other;
	}
}

/* A partial index serves if its condition is among ours. */
static bool condition_given(
	const struct fpg_select *select, int source, const struct fpg_expr *condition)
{
	if (condition == NULL)
		return true;
	if (condition->op == FPG_AND)
		return condition_given(select, source, condition->arg[0]) &&
		       condition_given(select, source, condition->arg[1]);
	for (int i = 0; i < select->conjuncts_n; i++)
		if (usable(select, &select->conjunct[i], source) &&
			select->conjunct[i].mask == UINT32_C(1) << source &&
			fpg_expr_same(select->conjunct[i].expr, condition))
			return true;
	return false;
}

static int path_find(
	const struct fpg_select *select, int source, uint32_t before, struct fpg_path *path_r)
{
	const struct fpg_table *table = select->source[source].table;
	int best = -1;
	for (int i = 0; i < table->indexes_n; i++) {
		struct fpg_index *index = table->index[i];
		struct fpg_path path = { .index = index };
		int score;
		if (!condition_given(select, source, index->where))
			continue;
		while (path.eq_n < index->columns_n) {
			path.eq[path.eq_n] =
				equal_find(select, source, index->column[path.eq_n], before);
			if (path.eq[path.eq_n] == NULL)
				break;
			path.eq_n++;
		}
		if (path.eq_n < index->columns_n)
			bounds_find(select, source, index->column[path.eq_n], before, &path);
		score = path.eq_n * 10 + (path.any != NULL ? 8 : 0) + (path.low != NULL ? 3 : 0) +
			(path.high != NULL ? 3 : 0) + (index->where != NULL ? 2 : 0);
		if (index->unique && path.eq_n == index->columns_n)
			score += 1000;
		if (score > best) {
			best = score;
			*path_r = path;
		}
	}
	return best;
}

static int score_of(const struct fpg_select *select, int source, uint32_t before)
{
	const struct fpg_source *of = &select->source[source];
	struct fpg_path path;
	if (of->kind != FPG_TABLE)
		return (of->mask & ~before) != 0 ? -100 : 25;
	return path_find(select, source, before, &path);
}

static void order_find(struct fpg_select *select)
{
	uint32_t before = 0;
	bool as_written = false;
	for (int i = 0; i < select->sources_n; i++)
		as_written = as_written || select->source[i].left || select->source[i].lateral;
	for (int level = 0; level < select->sources_n; level++) {
		int best = -1, best_score = -1000;
		for (int i = 0; i < select->sources_n; i++) {
			if ((before & (UINT32_C(1) << i)) != 0)
				continue;
			int score = as_written ? -i : score_of(select, i, before);
			if (score > best_score) {
				best = i;
				best_score = score;
			}
		}
		select->order_of[level] = best;
		if (select->source[best].kind == FPG_TABLE)
			(void)path_find(select, best, before, &select->source[best].path);
		before |= UINT32_C(1) << best;
	}
}

/* The order asked for is that of the index behind its equal columns. */
static void ordered_find(struct fpg_select *select)
{
	const struct fpg_path *path = &select->source[0].path;
	select->ordered = select->sources_n == 1 && select->orders_n > 0 &&
			  select->source[0].kind == FPG_TABLE && path->any == NULL &&
			  !select->aggregated && select->group_n == 0;
	for (int i = 0; i < select->orders_n && select->ordered; i++) {
		const struct fpg_order *order = &select->order[i];
		const struct fpg_expr *expr = order->output >= 0 && order->output < select->items_n
						      ? select->item[order->output].expr
						      : order->expr;
		int at = path->eq_n + i;
		select->ordered = at < path->index->columns_n && expr->op == FPG_COLUMN &&
				  expr->depth == 0 && expr->column == path->index->column[at] &&
				  order->descending == select->order[0].descending &&
				  order->nulls_first == order->descending;
	}
	select->backwards = select->ordered && select->order[0].descending;
}

void fpg_plan(struct fpg_scope *scope, struct fpg_select *select)
{
	(void)scope;
	order_find(select);
	ordered_find(select);
	select->limit_stops = select->limit != NULL && !select->aggregated && !select->distinct &&
			      select->distinct_on_n == 0 && select->group_n == 0 &&
			      select->set == FPG_NO_SET &&
			      (select->orders_n == 0 || select->ordered);
}
