/* What the judge's files about pools and sets share: pool.c (rows, T, books), hit.c
 * (every hit priced again), transfer.c (money between pools, pools made while running). */
#ifndef CARILLON_SIM_JUDGE_POOL_H
#define CARILLON_SIM_JUDGE_POOL_H

#include "tests/sim/judge/book.h"

#define ROWS_MAX 64
#define ARRIVALS_MAX 32

/* Money of other pools and of operators' adjustments, in the order of its booking. The value of a
 * hit of the same moment tells which of it came before the hit. */
struct arrivals {
	size_t n;
	int128 amount[ARRIVALS_MAX];
};

struct terms {
	int64_t seed, rate, share;
};

/* One counter, as the judge has it. */
struct counter_row {
	uint32_t currency, exponent;
	int64_t what; /* coin value, or level */
	struct terms terms;
	int128 w, r;
	uint64_t hits;
	struct terms db; /* as it is written */
	int128 db_w, db_r;
	uint64_t db_hits;
	bool gone, emptied, changed;
	int128 gone_t; /* T when it was taken off */
	struct arrivals arrivals;
};

/* A pool or a set. */
struct pool_book {
	uint32_t number;
	bool cards;
	size_t rows_n;
	struct counter_row row[ROWS_MAX];
	int128 t, reserve, paid, received, sent;
	int128 later; /* of T, in the commit that retired it but behind that */
	bool ended;
	int128 t_written;	  /* in its own row; of the last commit */
	struct arrivals arrivals; /* of the reserve */
	uint64_t hits;
	bool terms_may_change; /* an operator has changed some */
	bool dirty, retired;
	const struct fake_pg_row *written; /* of pool.pool or cards.card_set */
};

extern struct pool_tables {
	const struct fake_pg_table *pool, *row, *hit, *vector, *action, *tally;
	const struct fake_pg_table *set, *level, *card_hit, *card_vector, *round;
	const struct fake_pg_table *out, *in, *link, *event;
} pool_tables;

#define INT(row, table, name) fake_pg_int(row, COLUMN(table, name))

/* Of one table or another. */
static inline int64_t number(
	const struct fake_pg_row *row, const struct fake_pg_table *table, const char *name)
{
	return fake_pg_int(row, book_column(table, name));
}

static inline int128 big(
	const struct fake_pg_row *row, const struct fake_pg_table *table, const char *name)
{
	return fake_pg_int128(row, book_column(table, name));
}

/* pool.c */
struct pool_book *pool_of(uint32_t number, bool cards);
struct pool_book *pool_at(size_t at); /* NULL behind the last */
struct counter_row *pool_row_of(struct pool_book *pool, uint32_t currency, int64_t what);
int128 pool_unit_of(int64_t rate, uint32_t exponent);
const char *big_text(int128 value); /* good for the next few calls */
void pool_same(const struct pool_book *pool, const char *what, int128 found, int128 expected);
/* T has grown: what the rows do not get of it is the reserve's. */
void pool_grow(struct pool_book *pool, int128 t);
/* What a shard's rows up to a seq put into a pool. */
int128 pool_contributed(uint32_t shard, uint64_t seq, uint32_t number);

/* hit.c */
void hits_begin(void);
void hit_changed(const struct fake_pg_table *table, const struct fake_pg_row *old,
	const struct fake_pg_row *new, bool cards);
/* A progressive's hit of the commit that is under way; NULL: none of that number. */
const struct fake_pool_hit *hit_waiting(uint32_t pool, uint64_t number);
void card_round_changed(const struct fake_pg_row *old, const struct fake_pg_row *new);
void card_rounds_final(void);

/* transfer.c */
void transfers_begin(void);
void transfers_end(void);
bool transfers_changed(const struct fake_pg_table *table, const struct fake_pg_row *old,
	const struct fake_pg_row *new);
void arrival_add(struct arrivals *arrivals, int128 amount);
/* The first of them, of which there is one at least. */
int128 arrival_take(struct arrivals *arrivals);
/* What left a pool since the last look, when its rows that are gone are counted to the reserve. */
void transfers_leave(struct pool_book *pool);
/* The pool's row has been seen. */
void created_pool_seen(uint32_t pool, const char *state);
bool transfers_settled(char *what, size_t room);

#endif
