/* insert, update, delete. */
#include "tests/sim/postgres/postgres.h"

#include <string.h>

static struct fpg_value column_value(struct fpg_value value, const struct fpg_column *column)
{
	return fpg_cast(value, column->type, column->element);
}

static void return_row(struct fpg_frame *frame, const struct fpg_statement *statement,
	struct fpg_table_rows *returned)
{
	const struct fpg_select *select = statement->returning;
	if (select == NULL)
		return;
	struct fpg_value *row = fpg_temp((size_t)(select->items_n + 1) * sizeof(*row));
	for (int i = 0; i < select->items_n; i++)
		row[i] = fpg_eval(frame, select->item[i].expr);
	returned->columns_n = select->items_n;
	fpg_rows_add(returned, row);
}

/* ---- insert ---- */

static struct fpg_value initial(
	struct fpg_exec *exec, struct fpg_table *table, const struct fpg_column *column)
{
	struct fpg_frame frame = { .exec = exec };
	if (column->identity)
		return fpg_int(column->type, (int64_t)++table->identity);
	if (column->initial == NULL)
		return fpg_null(column->type);
	return column_value(fpg_eval(&frame, column->initial), column);
}

/* Values of all columns, from those that were given. */
static struct fpg_value *row_make(
	struct fpg_exec *exec, const struct fpg_statement *statement, const struct fpg_value *given)
{
	struct fpg_table *table = statement->table;
	struct fpg_value *row = fpg_temp((size_t)table->columns_n * sizeof(*row));
	bool set[FPG_COLUMNS_MAX] = { false };
	for (int i = 0; i < statement->columns_n; i++) {
		int at = statement->column[i];
		if (given[i].type == FPG_RECORD && given[i].null)
			continue; /* "default" */
		row[at] = column_value(given[i], &table->column[at]);
		set[at] = true;
	}
	for (int i = 0; i < table->columns_n; i++)
		if (!set[i])
			row[i] = initial(exec, table, &table->column[i]);
	return row;
}

static struct fpg_row *conflict_find(
	struct fpg_txn *txn, const struct fpg_statement *statement, const struct fpg_value *values)
{
	const struct fpg_table *table = statement->table;
	struct fpg_exec exec = { .txn = txn };
	struct fpg_frame frame = { .exec = &exec };
	frame.src[0] = values;
	for (int i = 0; i < table->indexes_n; i++) {
		struct fpg_index *index = table->index[i];
		if (!index->unique ||
			(statement->conflict_index != NULL && statement->conflict_index != index))
			continue;
		if (index->where != NULL && !fpg_true(&frame, index->where))
			continue;
		struct fpg_row *row = fpg_row_conflict(txn, index, values);
		if (row != NULL)
			return row;
	}
	return NULL;
}

static struct fpg_value *values_set(
	struct fpg_frame *frame, const struct fpg_statement *statement, const struct fpg_value *old)
{
	const struct fpg_table *table = statement->table;
	size_t bytes = (size_t)table->columns_n * sizeof(*old);
	struct fpg_value *row = fpg_temp(bytes);
	memcpy(row, old, bytes);
	for (int i = 0; i < statement->set_n; i++) {
		const struct fpg_column *column = &table->column[statement->set_column[i]];
		row[statement->set_column[i]] =
			column_value(fpg_eval(frame, statement->set[i]), column);
	}
	return row;
}

/* The row that is there is changed; NULL: its condition does not hold. */
static struct fpg_row *conflict_update(struct fpg_exec *exec, const struct fpg_statement *statement,
	struct fpg_row *there, const struct fpg_value *excluded)
{
	struct fpg_frame frame = { .exec = exec };
	frame.src[0] = there->v;
	frame.src[1] = excluded;
	fpg_row_lock(exec->txn, there);
	if (there->creator == exec->txn && statement->select->is_values &&
		statement->select->values_n > 1)
		fpg_raise("21000", "ON CONFLICT DO UPDATE command cannot affect row a second time");
	if (statement->conflict_where != NULL && !fpg_true(&frame, statement->conflict_where))
		return NULL;
	struct fpg_value *row = values_set(&frame, statement, there->v);
	fpg_row_delete(exec->txn, there);
	return fpg_row_insert(exec->txn, statement->table, row, there);
}

struct fpg_row *fpg_insert_values(
	struct fpg_exec *exec, const struct fpg_statement *statement, struct fpg_value *given)
{
	struct fpg_value *values = row_make(exec, statement, given);
	struct fpg_row *there =
		statement->conflict ? conflict_find(exec->txn, statement, values) : NULL;
	if (there == NULL)
		return fpg_row_insert(exec->txn, statement->table, values, NULL);
	if (statement->conflict_nothing)
		return NULL;
	return conflict_update(exec, statement, there, values);
}

static uint64_t insert_run(struct fpg_exec *exec, const struct fpg_statement *statement,
	struct fpg_table_rows *returned)
{
	struct fpg_frame frame = { .exec = exec };
	struct fpg_table_rows rows = { 0 };
	uint64_t n = 0;
	fpg_select_run(&frame, statement->select, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		struct fpg_row *row = fpg_insert_values(exec, statement, rows.row[i]);
		if (row == NULL)
			continue;
		n++;
		frame.src[0] = row->v;
		return_row(&frame, statement, returned);
	}
	return n;
}

/* ---- update, delete ---- */

static uint64_t each_run(struct fpg_exec *exec, const struct fpg_statement *statement,
	struct fpg_table_rows *returned)
{
	struct fpg_frame frame = { .exec = exec, .select = statement->select };
	const struct fpg_value ***tuple = NULL;
	size_t n = fpg_join(&frame, statement->select, &tuple);
	uint64_t changed = 0;
	for (size_t i = 0; i < n; i++) {
		struct fpg_row *row = fpg_row_of(tuple[i][0]);
		memcpy(frame.src, tuple[i], sizeof(frame.src));
		if (row->deleter == exec->txn)
			continue; /* it has met another row of the other side */
		if (statement->kind == FPG_UPDATE) {
			struct fpg_value *values = values_set(&frame, statement, row->v);
			fpg_row_delete(exec->txn, row);
			frame.src[0] = fpg_row_insert(exec->txn, statement->table, values, row)->v;
		} else {
			fpg_row_delete(exec->txn, row);
		}
		changed++;
		return_row(&frame, statement, returned);
	}
	return changed;
}

uint64_t fpg_change_run(struct fpg_exec *exec, const struct fpg_statement *statement,
	struct fpg_table_rows *returned_r)
{
	struct fpg_frame frame = { .exec = exec };
	for (int i = 0; i < statement->ctes_n; i++)
		fpg_cte_run(&frame, statement->cte[i]);
	if (statement->kind == FPG_INSERT)
		return insert_run(exec, statement, returned_r);
	return each_run(exec, statement, returned_r);
}
