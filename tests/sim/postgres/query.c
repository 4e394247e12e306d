/* Selects: joins, groups, lists, order. */
#include "tests/sim/postgres/postgres.h"

#include <stdlib.h>
#include <string.h>

void fpg_rows_add(struct fpg_table_rows *rows, struct fpg_value *row)
{
	if (rows->n == rows->room) {
		size_t room = rows->room == 0 ? 16 : rows->room * 2;
		struct fpg_value **larger = fpg_temp(room * sizeof(struct fpg_value *));
		if (rows->n > 0)
			memcpy(larger, rows->row, rows->n * sizeof(struct fpg_value *));
		rows->row = larger;
		rows->room = room;
	}
	rows->row[rows->n++] = row;
}

struct fpg_row *fpg_row_of(const struct fpg_value *values)
{
	return (struct fpg_row *)(uintptr_t)((const uint8_t *)values - offsetof(struct fpg_row, v));
}

/* ---- joins ---- */

struct join {
	struct fpg_frame *frame;
	const struct fpg_select *select;
	const struct fpg_value ***tuple;
	size_t n, room, limit;
	uint32_t placed;
};

static bool level_run(struct join *join, int level);

static bool tuple_add(struct join *join)
{
	size_t bytes = sizeof(join->frame->src);
	if (join->n == join->room) {
		size_t room = join->room == 0 ? 16 : join->room * 2;
		const struct fpg_value ***larger = fpg_temp(room * sizeof(*larger));
		if (join->n > 0)
			memcpy(larger, join->tuple, join->n * sizeof(*larger));
		join->tuple = larger;
		join->room = room;
	}
	const struct fpg_value **tuple = fpg_temp(bytes);
	memcpy(tuple, join->frame->src, bytes);
	join->tuple[join->n++] = tuple;
	return join->n < join->limit;
}

/* Conditions that can be told now and could not before. */
static bool conditions_hold(struct join *join, int source, bool of_left)
{
	const struct fpg_select *select = join->select;
	uint32_t bit = UINT32_C(1) << source;
	for (int i = 0; i < select->conjuncts_n; i++) {
		const struct fpg_conjunct *conjunct = &select->conjunct[i];
		if (conjunct->left >= 0 ? !of_left || conjunct->left != source : of_left)
			continue;
		if (conjunct->left < 0 &&
			((conjunct->mask & ~join->placed) != 0 ||
				((conjunct->mask & bit) == 0 &&
					!(conjunct->mask == 0 && join->placed == bit))))
			continue;
		if (!fpg_true(join->frame, conjunct->expr))
			return false;
	}
	return true;
}

/* One candidate of a source; *matched_r once it is one. false: enough. */
static bool candidate(struct join *join, int level, const struct fpg_value *row, bool *matched_r)
{
	int source = join->select->order_of[level];
	join->frame->src[source] = row;
	if (join->select->source[source].left && !conditions_hold(join, source, true))
		return true;
	*matched_r = true;
	if (!conditions_hold(join, source, false))
		return true;
	return level_run(join, level + 1);
}

static struct fpg_value key_value(
	struct join *join, const struct fpg_index *index, int at, struct fpg_expr *expr)
{
	const struct fpg_column *column = &index->table->column[index->column[at]];
	return fpg_cast(fpg_eval(join->frame, expr), column->type, column->element);
}

static bool key_is(const struct fpg_index *index, const struct fpg_row *row,
	const struct fpg_value *key, int n)
{
	for (int i = 0; i < n; i++)
		if (fpg_compare_key(&row->v[index->column[i]], &key[i]) != 0)
			return false;
	return true;
}

struct range {
	const struct fpg_index *index;
	struct fpg_value key[FPG_KEYS_MAX + 1], low, high;
	int n; /* equal columns */
	bool has_low, has_high;
};

static bool beyond(const struct range *range, const struct fpg_row *row, bool backwards)
{
	if (!key_is(range->index, row, range->key, range->n))
		return true;
	if (!backwards && range->has_high)
		return fpg_compare_key(&row->v[range->index->column[range->n]], &range->high) > 0;
	if (backwards && range->has_low)
		return fpg_compare_key(&row->v[range->index->column[range->n]], &range->low) < 0;
	return false;
}

static bool range_run(struct join *join, int level, struct range *range, bool *matched_r)
{
	const struct fpg_txn *txn = join->frame->exec->txn;
	bool backwards = join->select->backwards;
	int n = range->n;
	struct fpg_row *row;
	struct fpg_at at;
	if (backwards && range->has_high)
		range->key[n++] = range->high;
	else if (!backwards && range->has_low)
		range->key[n++] = range->low;
	at = fpg_index_seek(range->index, range->key, n, backwards);
	while ((row = backwards ? fpg_index_get_back(range->index, &at)
				: fpg_index_get(range->index, &at)) != NULL) {
		if (beyond(range, row, backwards))
			return true;
		if (fpg_visible(row, txn) && !candidate(join, level, row->v, matched_r))
			return false;
	}
	return true;
}

static int values_compare(const void *a, const void *b)
{
	return fpg_compare_key(a, b);
}

/* column = any(array): each of its values once. */
static bool any_run(struct join *join, int level, struct range *range, const struct fpg_path *path,
	bool *matched_r)
{
	struct fpg_value array = fpg_eval(join->frame, path->any);
	if (array.null)
		return true;
	size_t n = array.a->n;
	struct fpg_value *values = fpg_temp(n * sizeof(*values) + 1);
	memcpy(values, array.a->v, n * sizeof(*values));
	qsort(values, n, sizeof(*values), values_compare);
	range->n++;
	for (size_t i = 0; i < n; i++) {
		if (values[i].null || (i > 0 && fpg_compare_key(&values[i], &values[i - 1]) == 0))
			continue;
		range->key[range->n - 1] = values[i];
		if (!range_run(join, level, range, matched_r))
			return false;
	}
	return true;
}

static bool table_run(
	struct join *join, int level, const struct fpg_source *source, bool *matched_r)
{
	const struct fpg_path *path = &source->path;
	struct range range = { .index = path->index, .n = path->eq_n };
	for (int i = 0; i < path->eq_n; i++) {
		range.key[i] = key_value(join, path->index, i, path->eq[i]);
		if (range.key[i].null)
			return true;
	}
	if (path->any != NULL)
		return any_run(join, level, &range, path, matched_r);
	if (path->low != NULL) {
		range.low = key_value(join, path->index, range.n, path->low);
		range.has_low = !range.low.null;
	}
	if (path->high != NULL) {
		range.high = key_value(join, path->index, range.n, path->high);
		range.has_high = !range.high.null;
	}
	return range_run(join, level, &range, matched_r);
}

static bool rows_run(struct join *join, int level, const struct fpg_source *source, bool *matched_r)
{
	struct fpg_table_rows rows = { 0 };
	if (source->kind == FPG_CTE) {
		fpg_cte_run(join->frame, source->cte);
		rows = join->frame->exec->cte[source->cte->number];
	} else if (source->kind == FPG_FUNCTION && source->table != NULL) {
		struct fpg_value json = fpg_eval(join->frame, source->functions[0]->arg[0]);
		fpg_json_rows(source->table, &json, &rows);
	} else if (source->kind == FPG_FUNCTION) {
		fpg_set_rows(join->frame, source->functions, source->functions_n,
			source->ordinality, &rows);
	} else {
		struct fpg_frame top = { .exec = join->frame->exec };
		struct fpg_frame *outer = source->lateral ? join->frame : join->frame->outer;
		fpg_select_run(outer != NULL ? outer : &top, source->select, &rows);
	}
	for (size_t i = 0; i < rows.n; i++)
		if (!candidate(join, level, rows.row[i], matched_r))
			return false;
	return true;
}

static bool level_run(struct join *join, int level)
{
	if (level == join->select->sources_n)
		return tuple_add(join);
	int at = join->select->order_of[level];
	const struct fpg_source *source = &join->select->source[at];
	bool matched = false, more;
	join->placed |= UINT32_C(1) << at;
	more = source->kind == FPG_TABLE ? table_run(join, level, source, &matched)
					 : rows_run(join, level, source, &matched);
	if (more && source->left && !matched) {
		join->frame->src[at] = NULL;
		more = !conditions_hold(join, at, false) || level_run(join, level + 1);
	}
	join->frame->src[at] = NULL;
	join->placed &= ~(UINT32_C(1) << at);
	return more;
}

size_t fpg_join(struct fpg_frame *frame, const struct fpg_select *select,
	const struct fpg_value ****tuples_r)
{
	struct join join = { .frame = frame, .select = select, .limit = SIZE_MAX };
	if (select->limit_stops) {
		struct fpg_value limit = fpg_eval(frame, select->limit);
		struct fpg_value offset = select->offset != NULL ? fpg_eval(frame, select->offset)
								 : fpg_int(FPG_INT8, 0);
		limit = fpg_cast(limit, FPG_INT8, FPG_UNKNOWN);
		offset = fpg_cast(offset, FPG_INT8, FPG_UNKNOWN);
		if (!limit.null)
			join.limit = (size_t)(limit.i + (offset.null ? 0 : offset.i));
	}
	if (join.limit == 0) {
		*tuples_r = NULL;
		return 0;
	}
	if (select->sources_n == 0) { /* one row of nothing, if the conditions hold */
		for (int i = 0; i < select->conjuncts_n; i++)
			if (!fpg_true(frame, select->conjunct[i].expr))
				return 0;
		(void)tuple_add(&join);
	} else {
		(void)level_run(&join, 0);
	}
	*tuples_r = join.tuple;
	return join.n;
}

/* ---- lists ---- */

struct out {
	struct fpg_value *value, *key; /* what is asked for; what it is ordered by */
	const struct fpg_value **tuple;
};

struct outs {
	struct out *out;
	size_t n, room;
};

static struct out *out_add(struct outs *outs)
{
	if (outs->n == outs->room) {
		size_t room = outs->room == 0 ? 16 : outs->room * 2;
		struct out *larger = fpg_temp(room * sizeof(*larger));
		if (outs->n > 0)
			memcpy(larger, outs->out, outs->n * sizeof(*larger));
		outs->out = larger;
		outs->room = room;
	}
	return &outs->out[outs->n++];
}

static int list_keys(const struct fpg_select *select)
{
	return select->orders_n + select->distinct_on_n;
}

static void project(struct fpg_frame *frame, const struct fpg_select *select,
	const struct fpg_value **tuple, struct outs *outs)
{
	struct fpg_value *value =
		fpg_temp((size_t)(select->items_n + list_keys(select) + 1) * sizeof(*value));
	struct fpg_value *key = value + select->items_n;
	const struct fpg_expr *set = NULL;
	int set_at = 0;
	for (int i = 0; i < select->items_n; i++) {
		if (fpg_is_set(select->item[i].expr)) {
			set = select->item[i].expr;
			set_at = i;
			continue;
		}
		value[i] = fpg_eval(frame, select->item[i].expr);
	}
	for (int i = 0; i < select->orders_n && set == NULL; i++)
		key[i] = select->order[i].output >= 0 ? value[select->order[i].output]
						      : fpg_eval(frame, select->order[i].expr);
	for (int i = 0; i < select->distinct_on_n; i++)
		key[select->orders_n + i] = fpg_eval(frame, select->distinct_on[i]);
	if (set == NULL) {
		*out_add(outs) = (struct out){ value, key, tuple };
		return;
	}
	struct fpg_table_rows rows = { 0 };
	struct fpg_expr *one = (struct fpg_expr *)(uintptr_t)set;
	fpg_set_rows(frame, &one, 1, false, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		struct fpg_value *copy =
			fpg_temp((size_t)(select->items_n + list_keys(select) + 1) * sizeof(*copy));
		memcpy(copy, value, (size_t)select->items_n * sizeof(*copy));
		copy[set_at] = rows.row[i][0];
		*out_add(outs) = (struct out){ copy, copy + select->items_n, tuple };
	}
}

static const struct fpg_select *sorted_by;

static int keys_compare(const struct fpg_value *a, const struct fpg_value *b)
{
	for (int i = 0; i < sorted_by->orders_n; i++) {
		const struct fpg_order *order = &sorted_by->order[i];
		if (a[i].null || b[i].null) {
			if (a[i].null != b[i].null)
				return a[i].null == order->nulls_first ? -1 : 1;
			continue;
		}
		int sign = fpg_compare(&a[i], &b[i]);
		if (sign != 0)
			return order->descending ? -sign : sign;
	}
	return 0;
}

/* Merge sort: what is equal keeps its order, on any machine. */
static void sort(struct out *out, struct out *spare, size_t n)
{
	size_t half = n / 2, a = 0, b = half;
	if (n < 2)
		return;
	sort(out, spare, half);
	sort(out + half, spare, n - half);
	for (size_t i = 0; i < n; i++) {
		bool left = b == n || (a < half && keys_compare(out[a].key, out[b].key) <= 0);
		spare[i] = left ? out[a++] : out[b++];
	}
	memcpy(out, spare, n * sizeof(*out));
}

static bool same(const struct fpg_value *a, const struct fpg_value *b, int n)
{
	for (int i = 0; i < n; i++)
		if (fpg_compare_key(&a[i], &b[i]) != 0)
			return false;
	return true;
}

static void distinct(const struct fpg_select *select, struct outs *outs)
{
	size_t n = 0;
	for (size_t i = 0; i < outs->n; i++) {
		bool known = false;
		for (size_t j = 0; j < n && !known; j++)
			known = select->distinct_on_n > 0
					? same(outs->out[i].key + select->orders_n,
						  outs->out[j].key + select->orders_n,
						  select->distinct_on_n)
					: same(outs->out[i].value, outs->out[j].value,
						  select->items_n);
		if (!known)
			outs->out[n++] = outs->out[i];
	}
	outs->n = n;
}

/* ---- groups ---- */

struct group {
	struct fpg_value *key;
	const struct fpg_value ***tuple;
	size_t n;
};

static int group_of(const struct fpg_select *select, struct group *groups, size_t n,
	const struct fpg_value *key)
{
	for (size_t i = 0; i < n; i++)
		if (same(groups[i].key, key, select->group_n))
			return (int)i;
	return -1;
}

static void groups_project(struct fpg_frame *frame, const struct fpg_select *select,
	const struct fpg_value ***tuple, size_t n, struct outs *outs)
{
	struct group *groups = fpg_temp((n + 1) * sizeof(*groups));
	size_t groups_n = 0;
	if (select->group_n == 0)
		groups[groups_n++] = (struct group){ NULL, tuple, n };
	for (size_t i = 0; i < n && select->group_n > 0; i++) {
		struct fpg_value *key = fpg_temp((size_t)select->group_n * sizeof(*key));
		memcpy(frame->src, tuple[i], sizeof(frame->src));
		for (int j = 0; j < select->group_n; j++)
			key[j] = fpg_eval(frame, select->group[j]);
		int at = group_of(select, groups, groups_n, key);
		if (at < 0) {
			at = (int)groups_n++;
			groups[at] = (struct group){ key, fpg_temp(n * sizeof(*tuple) + 1), 0 };
		}
		groups[at].tuple[groups[at].n++] = tuple[i];
	}
	for (size_t i = 0; i < groups_n; i++) {
		frame->tuple = groups[i].tuple;
		frame->tuples_n = groups[i].n;
		if (groups[i].n > 0)
			memcpy(frame->src, groups[i].tuple[0], sizeof(frame->src));
		if (select->having == NULL || fpg_true(frame, select->having))
			project(frame, select, NULL, outs);
	}
}

/* ---- the whole ---- */

static void values_project(
	struct fpg_frame *frame, const struct fpg_select *select, struct outs *outs)
{
	for (int i = 0; i < select->values_n; i++) {
		struct fpg_value *row = fpg_temp((size_t)(select->items_n + 1) * sizeof(*row));
		for (int j = 0; j < select->items_n; j++) {
			const struct fpg_expr *expr = select->values[i][j];
			bool initial = expr->op == FPG_COLUMN && strcmp(expr->name, "default") == 0;
			/* a record stands for a default: nothing else makes one here */
			row[j] = initial ? fpg_null(FPG_RECORD) : fpg_eval(frame, expr);
		}
		*out_add(outs) = (struct out){ row, NULL, NULL };
	}
}

static void core_run(struct fpg_frame *frame, const struct fpg_select *select, struct outs *outs)
{
	const struct fpg_value ***tuple = NULL;
	if (select->is_values) {
		values_project(frame, select, outs);
		return;
	}
	size_t n = fpg_join(frame, select, &tuple);
	if (select->aggregated || select->group_n > 0) {
		groups_project(frame, select, tuple, n, outs);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		memcpy(frame->src, tuple[i], sizeof(frame->src));
		project(frame, select, tuple[i], outs);
	}
}

static void cut(struct fpg_frame *frame, const struct fpg_select *select, struct outs *outs)
{
	size_t from = 0, n = outs->n;
	if (select->offset != NULL) {
		struct fpg_value offset =
			fpg_cast(fpg_eval(frame, select->offset), FPG_INT8, FPG_UNKNOWN);
		from = offset.null ? 0 : (size_t)offset.i;
	}
	if (select->limit != NULL) {
		struct fpg_value limit =
			fpg_cast(fpg_eval(frame, select->limit), FPG_INT8, FPG_UNKNOWN);
		if (!limit.null && limit.i < 0)
			fpg_raise("2201W", "LIMIT must not be negative");
		n = limit.null ? n : from + (size_t)limit.i;
	}
	if (n > outs->n)
		n = outs->n;
	if (outs->n > 0)
		outs->out += from < outs->n ? from : outs->n;
	outs->n = n > from ? n - from : 0;
}

static void rows_lock(const struct fpg_select *select, struct fpg_frame *frame, struct outs *outs)
{
	for (size_t i = 0; i < outs->n; i++)
		for (int s = 0; s < select->sources_n; s++)
			if (select->source[s].kind == FPG_TABLE && outs->out[i].tuple != NULL &&
				outs->out[i].tuple[s] != NULL)
				fpg_row_lock(frame->exec->txn, fpg_row_of(outs->out[i].tuple[s]));
}

/* The sides of union, except, intersect, from the left. */
static void sets_combine(
	struct fpg_frame *frame, const struct fpg_select *select, struct outs *outs)
{
	for (const struct fpg_select *at = select; at->set != FPG_NO_SET; at = at->next) {
		struct fpg_frame side = {
			.outer = frame->outer, .exec = frame->exec, .select = at->next
		};
		struct outs other = { 0 }, both = { 0 };
		core_run(&side, at->next, &other);
		for (size_t i = 0; i < outs->n; i++) {
			bool in = false;
			for (size_t j = 0; j < other.n && at->set >= FPG_EXCEPT && !in; j++)
				in = same(outs->out[i].value, other.out[j].value, select->items_n);
			if (at->set < FPG_EXCEPT || in == (at->set == FPG_INTERSECT))
				*out_add(&both) = outs->out[i];
		}
		for (size_t j = 0; j < other.n && at->set < FPG_EXCEPT; j++)
			*out_add(&both) = other.out[j];
		if (at->set != FPG_UNION_ALL)
			distinct(select, &both);
		*outs = both;
	}
	for (size_t i = 0; i < outs->n; i++) {
		struct out *out = &outs->out[i];
		out->key = fpg_temp((size_t)(select->orders_n + 1) * sizeof(*out->key));
		for (int j = 0; j < select->orders_n; j++)
			out->key[j] =
				out->value[select->order[j].output < 0 ? 0
								       : select->order[j].output];
	}
}

void fpg_select_run(
	struct fpg_frame *outer, const struct fpg_select *select, struct fpg_table_rows *rows_r)
{
	struct fpg_frame frame = { .outer = outer, .exec = outer->exec, .select = select };
	struct outs outs = { 0 };
	core_run(&frame, select, &outs);
	if (select->set != FPG_NO_SET)
		sets_combine(&frame, select, &outs);
	if (select->orders_n > 0 && !select->ordered) {
		sorted_by = select;
		sort(outs.out, fpg_temp(outs.n * sizeof(*outs.out) + 1), outs.n);
	}
	if (select->distinct || select->distinct_on_n > 0)
		distinct(select, &outs);
	cut(&frame, select, &outs);
	if (select->for_update)
		rows_lock(select, &frame, &outs);
	rows_r->columns_n = select->items_n;
	for (size_t i = 0; i < outs.n; i++)
		fpg_rows_add(rows_r, outs.out[i].value);
}

/* ---- with ---- */

/* The first part, then the rest over what the last time gave, until it gives nothing. */
static void recursive_run(
	struct fpg_frame *frame, const struct fpg_cte *cte, struct fpg_table_rows *all)
{
	const struct fpg_select *select = cte->statement->select;
	struct fpg_table_rows *seen = &frame->exec->cte[cte->number];
	struct fpg_frame side = { .exec = frame->exec, .select = select };
	struct outs outs = { 0 };
	core_run(&side, select, &outs);
	seen->done = true;
	while (outs.n > 0) {
		*seen = (struct fpg_table_rows){ .done = true, .columns_n = select->items_n };
		for (size_t i = 0; i < outs.n; i++) {
			fpg_rows_add(seen, outs.out[i].value);
			fpg_rows_add(all, outs.out[i].value);
		}
		outs = (struct outs){ 0 };
		struct fpg_frame next = { .exec = frame->exec, .select = select->next };
		core_run(&next, select->next, &outs);
	}
	all->done = true;
	*seen = *all;
}

void fpg_cte_run(struct fpg_frame *frame, struct fpg_cte *cte)
{
	struct fpg_exec *exec = frame->exec;
	struct fpg_table_rows rows = { 0 };
	struct fpg_frame top = { .exec = exec };
	if (exec->cte[cte->number].done)
		return;
	if (cte->statement->kind != FPG_SELECT)
		(void)fpg_change_run(exec, cte->statement, &rows);
	else if (cte->recursive && cte->statement->select->next != NULL) {
		recursive_run(&top, cte, &rows);
		return;
	} else {
		fpg_select_run(&top, cte->statement->select, &rows);
	}
	rows.done = true;
	exec->cte[cte->number] = rows;
}
