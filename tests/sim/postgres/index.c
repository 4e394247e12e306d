/* Sorted leaves of rows. */
#include "tests/sim/postgres/postgres.h"

#include <stdlib.h>
#include <string.h>

#define LEAF_MAX 128

struct fpg_leaf {
	uint32_t n;
	struct fpg_row *row[LEAF_MAX];
};

/* Mostly whole numbers. */
static int order_of(const struct fpg_value *a, const struct fpg_value *b)
{
	if (a->type <= FPG_INT8 && b->type <= FPG_INT8 && a->type != FPG_UNKNOWN &&
		b->type != FPG_UNKNOWN && !a->null && !b->null)
		return (a->i > b->i) - (a->i < b->i);
	return fpg_compare_key(a, b);
}

static int keys_compare(const struct fpg_index *index, const struct fpg_row *row,
	const struct fpg_value *key, int n)
{
	for (int i = 0; i < n; i++) {
		int order = order_of(&row->v[index->column[i]], &key[i]);
		if (order != 0)
			return order;
	}
	return 0;
}

static int rows_compare(
	const struct fpg_index *index, const struct fpg_row *a, const struct fpg_row *b)
{
	for (int i = 0; i < index->columns_n; i++) {
		int order = order_of(&a->v[index->column[i]], &b->v[index->column[i]]);
		if (order != 0)
			return order;
	}
	return (a->serial > b->serial) - (a->serial < b->serial);
}

int fpg_index_order(const struct fpg_row *a, const struct fpg_row *b)
{
	return rows_compare(a->table->index[0], a, b);
}

/* What is looked for: a row's place, or the first at or behind a key. */
struct wanted {
	const struct fpg_row *row;
	const struct fpg_value *key;
	int n;
	bool above;
};

static bool is_before(
	const struct fpg_index *index, const struct fpg_row *row, const struct wanted *wanted)
{
	if (wanted->row != NULL)
		return rows_compare(index, row, wanted->row) < 0;
	int order = keys_compare(index, row, wanted->key, wanted->n);
	return order < 0 || (wanted->above && order == 0);
}

static struct fpg_at seek(const struct fpg_index *index, const struct wanted *wanted)
{
	size_t low = 0, high = index->leaves_n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct fpg_leaf *leaf = index->leaf[middle];
		if (is_before(index, leaf->row[leaf->n - 1], wanted))
			low = middle + 1;
		else
			high = middle;
	}
	struct fpg_at at = { .leaf = low };
	if (low == index->leaves_n)
		return at;
	const struct fpg_leaf *leaf = index->leaf[low];
	size_t end = leaf->n;
	while (at.at < end) {
		size_t middle = (at.at + end) / 2;
		if (is_before(index, leaf->row[middle], wanted))
			at.at = middle + 1;
		else
			end = middle;
	}
	return at;
}

struct fpg_at fpg_index_seek(
	const struct fpg_index *index, const struct fpg_value *key, int n, bool above)
{
	struct wanted wanted = { .key = key, .n = n, .above = above };
	return seek(index, &wanted);
}

struct fpg_row *fpg_index_get(const struct fpg_index *index, struct fpg_at *at)
{
	if (at->leaf >= index->leaves_n)
		return NULL;
	const struct fpg_leaf *leaf = index->leaf[at->leaf];
	struct fpg_row *row = leaf->row[at->at++];
	if (at->at == leaf->n) {
		at->leaf++;
		at->at = 0;
	}
	return row;
}

struct fpg_row *fpg_index_get_back(const struct fpg_index *index, struct fpg_at *at)
{
	if (at->at == 0) {
		if (at->leaf == 0)
			return NULL;
		at->leaf--;
		at->at = index->leaf[at->leaf]->n;
	}
	return index->leaf[at->leaf]->row[--at->at];
}

static struct fpg_leaf *leaf_add(struct fpg_index *index, size_t at)
{
	if (index->leaves_n == index->leaves_room) {
		size_t room = index->leaves_room == 0 ? 16 : index->leaves_room * 2;
		struct fpg_leaf **larger = realloc(index->leaf, room * sizeof(struct fpg_leaf *));
		if (larger == NULL)
			sim_fail("fake Postgres: out of memory");
		index->leaf = larger;
		index->leaves_room = room;
	}
	memmove(index->leaf + at + 1, index->leaf + at,
		(index->leaves_n - at) * sizeof(struct fpg_leaf *));
	struct fpg_leaf *leaf = malloc(sizeof(*leaf));
	if (leaf == NULL)
		sim_fail("fake Postgres: out of memory");
	leaf->n = 0;
	index->leaf[at] = leaf;
	index->leaves_n++;
	return leaf;
}

/* Half of a full leaf goes to a new one behind it; all of it stays if the row comes at the end. */
static void leaf_split(struct fpg_index *index, struct fpg_at *at)
{
	struct fpg_leaf *leaf = index->leaf[at->leaf];
	struct fpg_leaf *behind = leaf_add(index, at->leaf + 1);
	uint32_t stay = at->at == LEAF_MAX ? LEAF_MAX : LEAF_MAX / 2;
	behind->n = leaf->n - stay;
	memcpy(behind->row, leaf->row + stay, behind->n * sizeof(struct fpg_row *));
	leaf->n = stay;
	if (at->at >= stay) {
		at->leaf++;
		at->at -= stay;
	}
}

void fpg_index_insert(struct fpg_index *index, struct fpg_row *row)
{
	struct wanted wanted = { .row = row };
	struct fpg_at at = seek(index, &wanted);
	if (at.leaf == index->leaves_n) { /* behind all */
		if (index->leaves_n == 0)
			(void)leaf_add(index, 0);
		at.leaf = index->leaves_n - 1;
		at.at = index->leaf[at.leaf]->n;
	}
	if (index->leaf[at.leaf]->n == LEAF_MAX)
		leaf_split(index, &at);
	struct fpg_leaf *leaf = index->leaf[at.leaf];
	memmove(leaf->row + at.at + 1, leaf->row + at.at,
		(leaf->n - at.at) * sizeof(struct fpg_row *));
	leaf->row[at.at] = row;
	leaf->n++;
}

void fpg_index_remove(struct fpg_index *index, const struct fpg_row *row)
{
	struct wanted wanted = { .row = row };
	struct fpg_at at = seek(index, &wanted);
	if (at.leaf == index->leaves_n || index->leaf[at.leaf]->row[at.at] != row)
		sim_fail("fake Postgres: index %s has lost a row", index->name);
	struct fpg_leaf *leaf = index->leaf[at.leaf];
	memmove(leaf->row + at.at, leaf->row + at.at + 1,
		(leaf->n - at.at - 1) * sizeof(struct fpg_row *));
	if (--leaf->n > 0)
		return;
	free(leaf);
	memmove(index->leaf + at.leaf, index->leaf + at.leaf + 1,
		(index->leaves_n - at.leaf - 1) * sizeof(struct fpg_leaf *));
	index->leaves_n--;
}

void fpg_index_clear(struct fpg_index *index)
{
	for (size_t i = 0; i < index->leaves_n; i++)
		free(index->leaf[i]);
	index->leaves_n = 0;
}

bool fpg_index_covers(const struct fpg_index *index, const struct fpg_row *row)
{
	if (index->where == NULL)
		return true;
	struct fpg_exec exec = { 0 };
	struct fpg_frame frame = { .exec = &exec };
	frame.src[0] = row->v;
	return fpg_true(&frame, index->where);
}
