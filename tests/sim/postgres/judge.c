/* Committed rows for the judge and the world. */
#include "tests/sim/postgres/postgres.h"

#include <string.h>

static const struct fpg_table *table_of(const struct fake_pg_table *table)
{
	return (const struct fpg_table *)(const void *)table;
}

static const struct fpg_row *row_of(const struct fake_pg_row *row)
{
	return (const struct fpg_row *)(const void *)row;
}

static const struct fake_pg_row *outside(const struct fpg_row *row)
{
	return (const struct fake_pg_row *)(const void *)row;
}

const struct fake_pg_table *fake_pg_table(const char *name)
{
	return (const struct fake_pg_table *)(const void *)fpg_table_find(name);
}

int fake_pg_column(const struct fake_pg_table *table, const char *name)
{
	return fpg_column_find(table_of(table), name);
}

size_t fake_pg_count(const struct fake_pg_table *table)
{
	return table_of(table)->count;
}

/* Where a row of the first index is. */
static struct fpg_at place(const struct fpg_index *index, const struct fpg_row *row)
{
	struct fpg_value key[FPG_KEYS_MAX];
	for (int i = 0; i < index->columns_n; i++)
		key[i] = row->v[index->column[i]];
	struct fpg_at at = fpg_index_seek(index, key, index->columns_n, false);
	while (fpg_index_get(index, &at) != row)
		continue;
	return at;
}

static const struct fpg_row *committed_next(const struct fpg_index *index, struct fpg_at *at)
{
	const struct fpg_row *row;
	do
		row = fpg_index_get(index, at);
	while (row != NULL && !fpg_visible(row, NULL));
	return row;
}

const struct fake_pg_row *fake_pg_next(
	const struct fake_pg_table *table, const struct fake_pg_row *row)
{
	const struct fpg_index *index = table_of(table)->index[0];
	static struct fpg_at last;
	static const struct fpg_row *last_row;
	struct fpg_at at = { 0 };
	if (row != NULL) /* mostly the one that was given last: no need to look for it */
		at = row_of(row) == last_row ? last : place(index, row_of(row));
	last_row = committed_next(index, &at);
	last = at;
	return outside(last_row);
}

static const struct fpg_row *committed_find(
	const struct fpg_index *index, const int64_t *key, size_t n)
{
	struct fpg_value value[FPG_KEYS_MAX];
	for (size_t i = 0; i < n; i++)
		value[i] = fpg_int(FPG_INT8, key[i]);
	struct fpg_at at = fpg_index_seek(index, value, (int)n, false);
	const struct fpg_row *row = committed_next(index, &at);
	for (size_t i = 0; i < n && row != NULL; i++)
		if (row->v[index->column[i]].i != key[i])
			return NULL;
	return row;
}

const struct fake_pg_row *fake_pg_find(
	const struct fake_pg_table *table, const int64_t *key, size_t n)
{
	return outside(committed_find(table_of(table)->index[0], key, n));
}

bool fake_pg_null(const struct fake_pg_row *row, int column)
{
	return column < 0 || row_of(row)->v[column].null;
}

int64_t fake_pg_int(const struct fake_pg_row *row, int column)
{
	return fake_pg_null(row, column) ? 0 : row_of(row)->v[column].i;
}

int128 fake_pg_int128(const struct fake_pg_row *row, int column)
{
	return fake_pg_null(row, column) ? 0 : fpg_int128(&row_of(row)->v[column]);
}

const void *fake_pg_bytes(const struct fake_pg_row *row, int column, size_t *length_r)
{
	*length_r = 0;
	if (fake_pg_null(row, column))
		return NULL;
	*length_r = row_of(row)->v[column].b->n;
	return row_of(row)->v[column].b->bytes;
}

size_t fake_pg_elements(const struct fake_pg_row *row, int column)
{
	return fake_pg_null(row, column) ? 0 : row_of(row)->v[column].a->n;
}

int64_t fake_pg_element(const struct fake_pg_row *row, int column, size_t at)
{
	return row_of(row)->v[column].a->v[at].i;
}

/* ---- typed ---- */

/* The numbers of a table's columns, looked up once. */
static void columns(const struct fake_pg_row *row, const char *const *names, int n, int *at)
{
	for (int i = 0; i < n && at[n] == 0; i++)
		at[i] = fpg_column_find(row_of(row)->table, names[i]);
	at[n] = 1;
}

void fake_journal_read(const struct fake_pg_row *row, struct fake_journal *journal_r)
{
	static const char *const NAMES[] = { "shard", "seq", "player", "kind", "refusal", "game",
		"mode", "currency", "move", "round", "prev_seq", "release", "stake", "win_balance",
		"win_pending", "forfeit", "amount", "balance_after", "pending_after", "claims",
		"time", "tallies", "last_move", "request_id", "outside_id", "record" };
	static int at[27];
	columns(row, NAMES, 26, at);
	*journal_r = (struct fake_journal){
		.shard = (uint32_t)fake_pg_int(row, at[0]),
		.seq = (uint64_t)fake_pg_int(row, at[1]),
		.player = fake_pg_int(row, at[2]),
		.kind = (uint32_t)fake_pg_int(row, at[3]),
		.refusal = (uint32_t)fake_pg_int(row, at[4]),
		.game = (uint32_t)fake_pg_int(row, at[5]),
		.mode = (uint32_t)fake_pg_int(row, at[6]),
		.currency = (uint32_t)fake_pg_int(row, at[7]),
		.move = (uint64_t)fake_pg_int(row, at[8]),
		.round = (uint64_t)fake_pg_int(row, at[9]),
		.prev_seq = (uint64_t)fake_pg_int(row, at[10]),
		.release = fake_pg_int(row, at[11]),
		.stake = fake_pg_int(row, at[12]),
		.win_balance = fake_pg_int(row, at[13]),
		.win_pending = fake_pg_int(row, at[14]),
		.forfeit = fake_pg_int(row, at[15]),
		.amount = fake_pg_int(row, at[16]),
		.balance_after = fake_pg_int(row, at[17]),
		.pending_after = fake_pg_int(row, at[18]),
		.claims = (uint32_t)fake_pg_int(row, at[19]),
		.time_us = (uint64_t)fake_pg_int(row, at[20]),
		.last_move = fake_pg_null(row, at[22]) ? -1 : fake_pg_int(row, at[22]),
		.tallies_n = (uint32_t)fake_pg_elements(row, at[21]),
		.row = row,
	};
	if (journal_r->tallies_n > FAKE_PG_TALLIES_MAX)
		sim_fail("wallet.journal: a row of %u tallies", journal_r->tallies_n);
	for (uint32_t i = 0; i < journal_r->tallies_n; i++)
		journal_r->tallies[i] = (uint32_t)fake_pg_element(row, at[21], i);
	journal_r->request_id = fake_pg_bytes(row, at[23], &journal_r->request_id_n);
	journal_r->outside_id = fake_pg_bytes(row, at[24], &journal_r->outside_id_n);
	journal_r->record = fake_pg_bytes(row, at[25], &journal_r->record_n);
}

void fake_account_read(const struct fake_pg_row *row, struct fake_account *account_r)
{
	static const char *const NAMES[] = { "player", "balance", "shard", "currency", "last_move",
		"last_seq", "blocked" };
	static int at[8];
	columns(row, NAMES, 7, at);
	*account_r = (struct fake_account){
		.player = fake_pg_int(row, at[0]),
		.balance = fake_pg_int(row, at[1]),
		.shard = (uint32_t)fake_pg_int(row, at[2]),
		.currency = (uint32_t)fake_pg_int(row, at[3]),
		.last_move = (uint64_t)fake_pg_int(row, at[4]),
		.last_seq = (uint64_t)fake_pg_int(row, at[5]),
		.blocked = fake_pg_int(row, at[6]) != 0,
		.row = row,
	};
}

void fake_claim_read(const struct fake_pg_row *row, struct fake_claim *claim_r)
{
	static const char *const NAMES[] = { "player", "move", "index", "shard", "pool", "kind",
		"currency", "coin_minor", "stake_minor", "paid_minor", "opened_seq", "closed_seq",
		"hit" };
	static int at[14];
	columns(row, NAMES, 13, at);
	*claim_r = (struct fake_claim){
		.player = fake_pg_int(row, at[0]),
		.move = (uint64_t)fake_pg_int(row, at[1]),
		.index = (uint32_t)fake_pg_int(row, at[2]),
		.shard = (uint32_t)fake_pg_int(row, at[3]),
		.pool = (uint32_t)fake_pg_int(row, at[4]),
		.kind = (uint32_t)fake_pg_int(row, at[5]),
		.currency = (uint32_t)fake_pg_int(row, at[6]),
		.coin_minor = fake_pg_int(row, at[7]),
		.stake_minor = fake_pg_int(row, at[8]),
		.paid_minor = fake_pg_int(row, at[9]),
		.opened_seq = (uint64_t)fake_pg_int(row, at[10]),
		.closed_seq = (uint64_t)fake_pg_int(row, at[11]),
		.hit = (uint64_t)fake_pg_int(row, at[12]),
		.row = row,
	};
}

static void hit_read(const struct fake_pg_row *row, const int *at, int64_t coin_minor,
	struct fake_pool_hit *hit_r)
{
	*hit_r = (struct fake_pool_hit){
		.pool = (uint32_t)fake_pg_int(row, at[0]),
		.index = (uint32_t)fake_pg_int(row, at[1]),
		.currency = (uint32_t)fake_pg_int(row, at[2]),
		.hit = (uint64_t)fake_pg_int(row, at[3]),
		.move = (uint64_t)fake_pg_int(row, at[4]),
		.player = fake_pg_int(row, at[5]),
		.paid_minor = fake_pg_int(row, at[6]),
		.coin_minor = coin_minor,
		.row = row,
	};
}

void fake_pool_hit_read(const struct fake_pg_row *row, struct fake_pool_hit *hit_r)
{
	static const char *const NAMES[] = { "pool", "index", "currency", "hit", "move", "player",
		"paid_minor", "coin_minor" };
	static int at[9];
	columns(row, NAMES, 8, at);
	hit_read(row, at, fake_pg_int(row, at[7]), hit_r);
}

void fake_cards_hit_read(const struct fake_pg_row *row, struct fake_pool_hit *hit_r)
{
	static const char *const NAMES[] = { "pool", "index", "currency", "hit", "move", "player",
		"paid_minor" };
	static int at[8];
	columns(row, NAMES, 7, at);
	hit_read(row, at, 0, hit_r);
}

static const struct fpg_table *named(const char *name)
{
	const struct fpg_table *table = fpg_table_find(name);
	if (table == NULL)
		sim_fail("fake Postgres: there is no table %s", name);
	return table;
}

bool fake_pg_journal(uint32_t shard, uint64_t seq, struct fake_journal *journal_r)
{
	const int64_t key[] = { shard, (int64_t)seq };
	const struct fpg_row *row = committed_find(named("wallet.journal")->index[0], key, 2);
	if (row != NULL)
		fake_journal_read(outside(row), journal_r);
	return row != NULL;
}

uint64_t fake_pg_journal_last(uint32_t shard)
{
	const struct fpg_index *index = named("wallet.journal")->index[0];
	struct fpg_value key = fpg_int(FPG_INT8, shard);
	struct fpg_at at = fpg_index_seek(index, &key, 1, true);
	const struct fpg_row *row;
	do
		row = fpg_index_get_back(index, &at);
	while (row != NULL && !fpg_visible(row, NULL));
	return row == NULL || row->v[index->column[0]].i != shard
		       ? 0
		       : (uint64_t)row->v[index->column[1]].i;
}

bool fake_pg_account(int64_t player, struct fake_account *account_r)
{
	const struct fpg_row *row = committed_find(named("wallet.account")->index[0], &player, 1);
	if (row != NULL)
		fake_account_read(outside(row), account_r);
	return row != NULL;
}

bool fake_pg_claim(int64_t player, uint64_t move, uint32_t index, struct fake_claim *claim_r)
{
	const int64_t key[] = { player, (int64_t)move, index };
	const struct fpg_row *row = committed_find(named("wallet.claim")->index[0], key, 3);
	if (row != NULL)
		fake_claim_read(outside(row), claim_r);
	return row != NULL;
}
