/* Rows, their versions, and transactions: read committed. An update is a new row beside the old
 * one; others see the old one until the commit. */
#include "tests/sim/postgres/postgres.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (UINT64_C(1) << 20)
#define CLASS_BYTES 64u
#define CLASSES 512u /* larger rows have memory of their own */

struct fpg_error fpg_error;
jmp_buf *fpg_error_to;

void fpg_raise(const char *sqlstate, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(fpg_error.text, sizeof(fpg_error.text), format, arguments);
	va_end(arguments);
	memcpy(fpg_error.sqlstate, sqlstate, sizeof(fpg_error.sqlstate));
	fpg_error.blocker = NULL;
	if (fpg_error_to == NULL)
		sim_fail("fake Postgres: %s", fpg_error.text);
	longjmp(*fpg_error_to, 1);
}

void fpg_block(struct fpg_txn *blocker)
{
	(void)snprintf(fpg_error.text, sizeof(fpg_error.text), "a row is locked");
	memcpy(fpg_error.sqlstate, "55P03", sizeof(fpg_error.sqlstate));
	fpg_error.blocker = blocker;
	if (fpg_error_to == NULL)
		sim_fail("fake Postgres: a statement of the world meets a locked row");
	longjmp(*fpg_error_to, 1);
}

/* ---- memory of rows: gone with the world ---- */

struct chunk {
	struct chunk *next;
	size_t used;
	_Alignas(16) uint8_t bytes[CHUNK_BYTES];
};

struct free_row {
	struct free_row *next;
};

struct large {
	struct large *next, *before;
	_Alignas(16) uint8_t bytes[];
};

static struct {
	struct chunk *used, *spare;
	struct free_row *free[CLASSES];
	struct large *large;
} storage;

static void *chunk_take(size_t bytes)
{
	struct chunk *chunk = storage.used;
	if (chunk == NULL || CHUNK_BYTES - chunk->used < bytes) {
		chunk = storage.spare;
		if (chunk != NULL)
			storage.spare = chunk->next;
		else if ((chunk = malloc(sizeof(*chunk))) == NULL)
			sim_fail("fake Postgres: out of memory");
		chunk->used = 0;
		chunk->next = storage.used;
		storage.used = chunk;
	}
	void *memory = chunk->bytes + chunk->used;
	chunk->used += bytes;
	return memory;
}

static void *memory_take(size_t bytes, size_t *class_r)
{
	size_t class = (bytes + CLASS_BYTES - 1) / CLASS_BYTES;
	*class_r = class;
	if (class >= CLASSES) {
		struct large *large = malloc(sizeof(*large) + bytes);
		if (large == NULL)
			sim_fail("fake Postgres: out of memory");
		large->before = NULL;
		large->next = storage.large;
		if (large->next != NULL)
			large->next->before = large;
		storage.large = large;
		return large->bytes;
	}
	struct free_row *free = storage.free[class];
	if (free == NULL)
		return chunk_take(class * CLASS_BYTES);
	storage.free[class] = free->next;
	return free;
}

static void memory_give(struct fpg_row *row)
{
	size_t class = row->class;
	if (class < CLASSES) {
		struct free_row *free = (struct free_row *)(void *)row;
		free->next = storage.free[class];
		storage.free[class] = free;
		return;
	}
	struct large *large =
		(struct large *)(void *)((uint8_t *)row - offsetof(struct large, bytes));
	if (large->next != NULL)
		large->next->before = large->before;
	*(large->before != NULL ? &large->before->next : &storage.large) = large->next;
	free(large);
}

void fpg_storage_reset(void)
{
	while (storage.used != NULL) {
		struct chunk *chunk = storage.used;
		storage.used = chunk->next;
		chunk->next = storage.spare;
		storage.spare = chunk;
	}
	while (storage.large != NULL) {
		struct large *large = storage.large;
		storage.large = large->next;
		free(large);
	}
	memset(storage.free, 0, sizeof(storage.free));
}

void fpg_storage_keep(void)
{
	storage.used = NULL;
	storage.large = NULL;
	memset(storage.free, 0, sizeof(storage.free));
}

static size_t rounded(size_t n)
{
	return (n + 15) & ~(size_t)15;
}

static size_t value_bytes(const struct fpg_value *value)
{
	if (value->null)
		return 0;
	if (value->type == FPG_ARRAY) {
		size_t sum = rounded(sizeof(struct fpg_array) + value->a->n * sizeof(*value));
		for (uint32_t i = 0; i < value->a->n; i++)
			sum += value_bytes(&value->a->v[i]);
		return sum;
	}
	if (value->type == FPG_TEXT || value->type == FPG_BYTEA || value->type == FPG_NUMERIC)
		return rounded(sizeof(struct fpg_blob) + value->b->n + 1);
	return 0;
}

static void value_copy(struct fpg_value *to, const struct fpg_value *from, uint8_t **memory)
{
	*to = *from;
	size_t bytes = value_bytes(from);
	if (bytes == 0)
		return;
	void *at = *memory;
	if (from->type != FPG_ARRAY) {
		memcpy(at, from->b, sizeof(struct fpg_blob) + from->b->n + 1);
		to->b = at;
		*memory += bytes;
		return;
	}
	struct fpg_array *array = at;
	*memory += rounded(sizeof(*array) + from->a->n * sizeof(*from));
	array->n = from->a->n;
	for (uint32_t i = 0; i < array->n; i++)
		value_copy(&array->v[i], &from->a->v[i], memory);
	to->a = array;
}

static struct fpg_row *row_new(struct fpg_table *table, const struct fpg_value *values)
{
	size_t head = rounded(
		sizeof(struct fpg_row) + (size_t)table->columns_n * sizeof(struct fpg_value));
	size_t bytes = head, class;
	for (int i = 0; i < table->columns_n; i++)
		bytes += value_bytes(&values[i]);
	struct fpg_row *row = memory_take(bytes, &class);
	*row = (struct fpg_row){ .table = table, .class = class, .serial = ++table->serial };
	uint8_t *memory = (uint8_t *)row + head;
	for (int i = 0; i < table->columns_n; i++)
		value_copy(&row->v[i], &values[i], &memory);
	return row;
}

/* ---- what a row must be ---- */

static const char *relation(const struct fpg_table *table)
{
	const char *dot = strchr(table->name, '.');
	return dot == NULL ? table->name : dot + 1;
}

static void checks_hold(
	struct fpg_txn *txn, const struct fpg_table *table, const struct fpg_value *values)
{
	for (int i = 0; i < table->columns_n; i++)
		if (values[i].null && table->column[i].not_null)
			fpg_raise("23502",
				"null value in column \"%s\" of relation \"%s\" violates not-null "
				"constraint",
				table->column[i].name, relation(table));
	if (table->checks_n == 0)
		return;
	struct fpg_exec exec = { .txn = txn };
	struct fpg_frame frame = { .exec = &exec };
	frame.src[0] = values;
	for (int i = 0; i < table->checks_n; i++) {
		struct fpg_value held = fpg_eval(&frame, table->check[i].expr);
		if (!held.null && held.i == 0)
			fpg_raise("23514",
				"new row for relation \"%s\" violates check constraint \"%s\"",
				relation(table), table->check[i].name);
	}
}

bool fpg_visible(const struct fpg_row *row, const struct fpg_txn *txn)
{
	if (row->creator != NULL && row->creator != txn)
		return false;
	return row->deleter == NULL || row->deleter != txn;
}

struct fpg_row *fpg_row_conflict(
	struct fpg_txn *txn, const struct fpg_index *index, const struct fpg_value *values)
{
	struct fpg_value key[FPG_KEYS_MAX];
	struct fpg_row *row;
	for (int i = 0; i < index->columns_n; i++) {
		key[i] = values[index->column[i]];
		if (key[i].null)
			return NULL;
	}
	struct fpg_at at = fpg_index_seek(index, key, index->columns_n, false);
	while ((row = fpg_index_get(index, &at)) != NULL) {
		for (int i = 0; i < index->columns_n; i++)
			if (fpg_compare_key(&row->v[index->column[i]], &key[i]) != 0)
				return NULL;
		if (row->deleter == txn)
			continue;
		if (row->creator != NULL && row->creator != txn)
			fpg_block(row->creator);
		if (row->deleter != NULL)
			fpg_block(row->deleter);
		return row;
	}
	return NULL;
}

static void references_hold(
	struct fpg_txn *txn, const struct fpg_table *table, const struct fpg_value *values)
{
	for (int i = 0; i < table->references_n; i++) {
		const struct fpg_reference *reference = &table->reference[i];
		const struct fpg_index *index = reference->index;
		struct fpg_value other[FPG_COLUMNS_MAX];
		bool null = false;
		memset(other, 0, sizeof(other));
		for (int j = 0; j < reference->columns_n; j++) {
			other[index->column[j]] = values[reference->column[j]];
			null = null || values[reference->column[j]].null;
		}
		if (!null && fpg_row_conflict(txn, index, other) == NULL)
			fpg_raise("23503",
				"insert or update on table \"%s\" violates foreign key constraint to "
				"\"%s\"",
				relation(table), relation(index->table));
	}
}

static void push(struct fpg_rows *rows, struct fpg_row *row)
{
	if (rows->n == rows->room) {
		size_t room = rows->room == 0 ? 64 : rows->room * 2;
		struct fpg_row **larger = realloc(rows->row, room * sizeof(struct fpg_row *));
		if (larger == NULL)
			sim_fail("fake Postgres: out of memory");
		rows->row = larger;
		rows->room = room;
	}
	rows->row[rows->n++] = row;
}

static bool condition_holds(const struct fpg_index *index, const struct fpg_value *values)
{
	if (index->where == NULL)
		return true;
	struct fpg_exec exec = { 0 };
	struct fpg_frame frame = { .exec = &exec };
	frame.src[0] = values;
	return fpg_true(&frame, index->where);
}

/* A full disk: pages with room left (fillfactor) take updates as before. */
static void room_needed(const struct fpg_table *table, const struct fpg_row *old)
{
	if (fpg_disk_is_full() && (old == NULL || !table->roomy))
		fpg_raise("53100", "could not extend file: No space left on device");
}

struct fpg_row *fpg_row_insert(struct fpg_txn *txn, struct fpg_table *table,
	const struct fpg_value *values, struct fpg_row *old)
{
	room_needed(table, old);
	checks_hold(txn, table, values);
	fpg_partition_check(table, values);
	for (int i = 0; i < table->indexes_n; i++)
		if (table->index[i]->unique && condition_holds(table->index[i], values) &&
			fpg_row_conflict(txn, table->index[i], values) != NULL)
			fpg_raise("23505",
				"duplicate key value violates unique constraint \"%s\" of \"%s\"",
				table->index[i]->name, relation(table));
	references_hold(txn, table, values);
	struct fpg_row *row = row_new(table, values);
	row->creator = txn;
	row->old = old;
	if (old != NULL)
		old->newer = row;
	for (int i = 0; i < table->indexes_n; i++)
		if (fpg_index_covers(table->index[i], row))
			fpg_index_insert(table->index[i], row);
	push(&txn->created, row);
	return row;
}

static void wait_for_lockers(const struct fpg_txn *txn, const struct fpg_row *row)
{
	if (row->deleter != NULL && row->deleter != txn)
		fpg_block(row->deleter);
	if (row->locker != NULL && row->locker != txn)
		fpg_block(row->locker);
}

void fpg_row_delete(struct fpg_txn *txn, struct fpg_row *row)
{
	wait_for_lockers(txn, row);
	row->deleter = txn;
	push(&txn->deleted, row);
}

void fpg_row_lock(struct fpg_txn *txn, struct fpg_row *row)
{
	wait_for_lockers(txn, row);
	if (row->locker == txn)
		return;
	row->locker = txn;
	push(&txn->locked, row);
}

/* ---- the end of a transaction ---- */

static fake_pg_changed *watcher;
static void *watcher_context;

void fake_pg_watch(fake_pg_changed *changed, void *context)
{
	watcher = changed;
	watcher_context = context;
}

static void row_gone(struct fpg_row *row)
{
	for (int i = 0; i < row->table->indexes_n; i++)
		if (fpg_index_covers(row->table->index[i], row))
			fpg_index_remove(row->table->index[i], row);
	memory_give(row);
}

static const struct fake_pg_row *outside(const struct fpg_row *row)
{
	return (const struct fake_pg_row *)(const void *)row;
}

static int by_key(const void *a, const void *b)
{
	return fpg_index_order(*(struct fpg_row *const *)a, *(struct fpg_row *const *)b);
}

/* The rows of each table in the order of their key: who is told may count. */
static void created_sort(struct fpg_txn *txn, struct fpg_row **scratch)
{
	struct fpg_rows *all = &txn->created;
	for (size_t i = 0; i < all->n; i++) {
		const struct fpg_table *table = all->row[i]->table;
		size_t n = 0;
		if (i > 0 && all->row[i - 1]->table == table)
			continue;
		for (size_t j = 0; j < all->n; j++)
			if (all->row[j]->table == table)
				scratch[n++] = all->row[j];
		qsort(scratch, n, sizeof(struct fpg_row *), by_key);
		for (size_t j = 0, k = 0; j < all->n; j++)
			if (all->row[j]->table == table)
				all->row[j] = scratch[k++];
	}
}

static void tell(struct fpg_txn *txn)
{
	created_sort(txn, fpg_temp((txn->created.n + 1) * sizeof(struct fpg_row *)));
	for (size_t i = 0; i < txn->created.n; i++) {
		const struct fpg_row *row = txn->created.row[i];
		const struct fpg_row *old = row->old;
		if (row->deleter != NULL)
			continue;
		while (old != NULL && old->creator == txn)
			old = old->old;
		watcher(watcher_context, (const struct fake_pg_table *)(const void *)row->table,
			outside(old), outside(row));
	}
	for (size_t i = 0; i < txn->deleted.n; i++) {
		const struct fpg_row *row = txn->deleted.row[i];
		const struct fpg_row *last = row;
		while (last->newer != NULL)
			last = last->newer;
		if (row->creator == NULL && last->deleter != NULL)
			watcher(watcher_context,
				(const struct fake_pg_table *)(const void *)row->table,
				outside(row), NULL);
	}
}

void fpg_txn_commit(struct fpg_txn *txn)
{
	for (size_t i = 0; i < txn->locked.n; i++)
		txn->locked.row[i]->locker = NULL;
	for (size_t i = 0; i < txn->created.n; i++) {
		if (txn->created.row[i]->deleter != NULL)
			continue; /* it never was */
		txn->created.row[i]->creator = NULL;
		txn->created.row[i]->table->count++;
	}
	if (watcher != NULL)
		tell(txn);
	for (size_t i = 0; i < txn->created.n; i++)
		txn->created.row[i]->old = NULL;
	for (size_t i = 0; i < txn->deleted.n; i++) {
		txn->deleted.row[i]->table->count -= txn->deleted.row[i]->creator == NULL;
		row_gone(txn->deleted.row[i]);
	}
	txn->created.n = txn->deleted.n = txn->locked.n = 0;
}

void fpg_txn_rollback(struct fpg_txn *txn, size_t created, size_t deleted, size_t locked)
{
	for (size_t i = locked; i < txn->locked.n; i++)
		txn->locked.row[i]->locker = NULL;
	for (size_t i = deleted; i < txn->deleted.n; i++)
		txn->deleted.row[i]->deleter = NULL;
	for (size_t i = txn->created.n; i > created; i--) {
		struct fpg_row *row = txn->created.row[i - 1];
		if (row->old != NULL)
			row->old->newer = NULL;
		row_gone(row);
	}
	txn->created.n = created;
	txn->deleted.n = deleted;
	txn->locked.n = locked;
}
