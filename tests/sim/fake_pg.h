/* Postgres in memory: the PQ* functions of libpq that the services use (fake.h), over an
 * interpreter of the SQL they send. The tables, their keys, checks and defaults are those of the
 * migrations, read when the program starts, from the repository's root; a statement is the
 * service's own text. So a changed statement or migration needs nothing here, unless it uses a part
 * of SQL that is not known yet: that ends the run with the whole text.
 *
 * What it keeps of Postgres: read committed, versions of rows, locks of rows until the end of the
 * transaction with lock_timeout, idle_in_transaction_session_timeout, a failed statement aborts its
 * transaction and a commit of it answers ROLLBACK, pg_terminate_backend, primary keys, unique and
 * partial indexes, checks, references, types' ranges, sequences that are never rolled back, listen
 * and notify.
 * What it does not: serializable, savepoints, views, triggers, privileges. */
#ifndef CARILLON_SIM_FAKE_PG_H
#define CARILLON_SIM_FAKE_PG_H

#include "libcommon/base/amount.h"
#include "tests/sim/sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* fake_pg_world_begin and its like are declared in sim.h. */

/* One statement by the world or an operator, committed at once, without faults; fails the run if it
 * fails. Parameters are text as for PQexecParams. Rows affected. */
uint64_t fake_pg_run(const char *sql, int n, const char *const *parameters);

/* ---- for the judge: committed rows only ---- */

struct fake_pg_table;
struct fake_pg_row;

/* By name as in SQL ("wallet.journal"); NULL: there is none. Pointers stay good for the whole
 * program. */
const struct fake_pg_table *fake_pg_table(const char *name);
/* -1: there is none. */
int fake_pg_column(const struct fake_pg_table *table, const char *name);
size_t fake_pg_count(const struct fake_pg_table *table);
/* The committed rows in the order of the primary key (of insertion where there is none): row NULL
 * begins, NULL is the end. No row may come or go between. */
const struct fake_pg_row *fake_pg_next(
	const struct fake_pg_table *table, const struct fake_pg_row *row);
/* The first committed row whose primary key begins with these n whole numbers; NULL: none. */
const struct fake_pg_row *fake_pg_find(
	const struct fake_pg_table *table, const int64_t *key, size_t n);
bool fake_pg_null(const struct fake_pg_row *row, int column);
/* Whole numbers, booleans (0, 1), times (us of 1970); 0 for null. */
int64_t fake_pg_int(const struct fake_pg_row *row, int column);
int128 fake_pg_int128(const struct fake_pg_row *row, int column); /* numeric */
/* bytea and text (with a NUL behind); NULL for null. */
const void *fake_pg_bytes(const struct fake_pg_row *row, int column, size_t *length_r);
/* Arrays of whole numbers: how many, and one of them. */
size_t fake_pg_elements(const struct fake_pg_row *row, int column);
int64_t fake_pg_element(const struct fake_pg_row *row, int column, size_t at);

/* What a commit has changed, told right after it (before the service knows): inserted rows have
 * old NULL, deleted ones new NULL. The rows are good until the call returns. */
typedef void fake_pg_changed(void *context, const struct fake_pg_table *table,
	const struct fake_pg_row *old, const struct fake_pg_row *new);
/* NULL: nobody is told. Called for each row of each commit, those of one table in the order of its
 * primary key. */
void fake_pg_watch(fake_pg_changed *changed, void *context);
/* Called after each commit that notifies. NULL: nobody is. */
void fake_pg_listen(void (*told)(void));
/* Are those who listen told anything? A world begins as its seed says, a schedule without: what it
 * is about happens more often where others learn late of a new owner. */
void fake_pg_telling(bool on);

/* ---- the most asked for, typed ---- */

#define FAKE_PG_TALLIES_MAX 16

struct fake_journal {
	uint32_t shard;
	uint64_t seq;
	int64_t player;
	uint32_t kind, refusal, game, mode, currency;
	uint64_t move, round, prev_seq;
	int64_t release, stake, win_balance, win_pending, forfeit, amount, balance_after,
		pending_after;
	uint32_t claims, tallies[FAKE_PG_TALLIES_MAX], tallies_n;
	const uint8_t *request_id, *outside_id, *record; /* NULL for null */
	size_t request_id_n, outside_id_n, record_n;
	int64_t last_move; /* -1 for null */
	uint64_t time_us;
	const struct fake_pg_row *row; /* for columns that are not here */
};

struct fake_account {
	int64_t player, balance;
	uint32_t shard, currency;
	uint64_t last_move, last_seq;
	bool blocked;
	const struct fake_pg_row *row;
};

struct fake_claim {
	int64_t player;
	uint64_t move;
	uint32_t index, shard, pool, kind, currency;
	int64_t coin_minor, stake_minor, paid_minor;
	uint64_t opened_seq, closed_seq, hit; /* 0 for null */
	const struct fake_pg_row *row;
};

struct fake_pool_hit { /* pool.hit; of cards.hit coin_minor is 0 */
	uint32_t pool, index, currency;
	uint64_t hit, move;
	int64_t player, coin_minor, paid_minor;
	const struct fake_pg_row *row;
};

void fake_journal_read(const struct fake_pg_row *row, struct fake_journal *journal_r);
void fake_account_read(const struct fake_pg_row *row, struct fake_account *account_r);
void fake_claim_read(const struct fake_pg_row *row, struct fake_claim *claim_r);
void fake_pool_hit_read(const struct fake_pg_row *row, struct fake_pool_hit *hit_r);
void fake_cards_hit_read(const struct fake_pg_row *row, struct fake_pool_hit *hit_r);

/* false: there is no such row. */
bool fake_pg_journal(uint32_t shard, uint64_t seq, struct fake_journal *journal_r);
uint64_t fake_pg_journal_last(uint32_t shard); /* the highest seq; 0: none */
bool fake_pg_account(int64_t player, struct fake_account *account_r);
bool fake_pg_claim(int64_t player, uint64_t move, uint32_t index, struct fake_claim *claim_r);

#endif
