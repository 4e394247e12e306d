/* Rows of a Postgres table by id (WALLET_ID_BYTES): those that the commands of this turn name, and
 * those changed since the last commit, in their new state. All other rows are as in Postgres.
 * Serves bonus spins, holds and ids of outside money; struct id_table_kind describes the rows. */
#ifndef CARILLON_WALLET_ADAPTERS_ID_TABLE_H
#define CARILLON_WALLET_ADAPTERS_ID_TABLE_H

#include "libcommon/io/pg_args.h"
#include "services/wallet/adapters/text.h"
#include "services/wallet/core/wallet.h"

#include <libpq-fe.h>

enum id_table_state {
	BY_ID_EMPTY = 0, /* a free slot */
	BY_ID_ASKED,	 /* to be looked up */
	BY_ID_ABSENT,	 /* looked up: no such id */
	BY_ID_KNOWN,
};

/* Every entry begins with it. */
struct id_table_head {
	uint8_t id[WALLET_ID_BYTES];
	enum id_table_state state;
	uint32_t shard;
	bool dirty; /* newer than Postgres */
};

struct id_table_kind {
	const char *table; /* for errors: "wallet.hold" */
	size_t size;	   /* of an entry */
	const char *sql;   /* selects the ids in $1: id, shard, and the columns that `read` reads */
	/* The caller has filled the head. */
	void (*read)(void *entry, const PGresult *result, int row);
	/* An upsert that leaves newer rows of Postgres unchanged; its parameters are the id as
	 * bytea and those that `args` adds. NULL if id_table_write does not write the rows. */
	const char *upsert;
	void (*args)(struct pg_args *args, const void *entry);
};

/* All zero: empty. */
struct id_table {
	uint8_t *entries;
	size_t room, n, asked; /* asked: in state ASKED */
};

/* The entry of an id, added if it is missing: the next id_table_load looks it up. Invalidates
 * pointers into the table. */
void *id_table_place(struct id_table *table, const struct id_table_kind *kind, const uint8_t *id);
/* Adds the entry of a new row: known, newer than Postgres, zeroed after its head. */
void *id_table_new(struct id_table *table, const struct id_table_kind *kind, const uint8_t *id,
	uint32_t shard);
/* Looks up all requested ids by one query. */
void id_table_load(struct id_table *table, const struct id_table_kind *kind, PGconn *conn);
/* Adds the rows of another query with the same columns; clears the result. */
void id_table_take(struct id_table *table, const struct id_table_kind *kind, PGresult *result);
/* NULL: no such id. The id must have been looked up. */
void *id_table_find(
	const struct id_table *table, const struct id_table_kind *kind, const uint8_t *id);
/* The entry of an id in whatever state; NULL: it was never requested. */
const struct id_table_head *id_table_slot(
	const struct id_table *table, const struct id_table_kind *kind, const uint8_t *id);
/* Slot i < room; NULL: it holds no known row. */
const void *id_table_at(const struct id_table *table, const struct id_table_kind *kind, size_t i);
/* Writes what is newer than Postgres, inside the transaction of the journal rows. Fatal if Postgres
 * has a row that is newer than the journal. */
void id_table_write(struct id_table *table, const struct id_table_kind *kind, PGconn *conn);
/* Is anything newer than Postgres? */
bool id_table_dirty(const struct id_table *table, const struct id_table_kind *kind);
/* Forgets all entries. Nothing may be newer than Postgres. */
void id_table_clear(struct id_table *table, const struct id_table_kind *kind);
/* Forgets a shard's entries: another process may own the shard from now on. */
void id_table_drop_shard(struct id_table *table, const struct id_table_kind *kind, uint32_t shard);

/* Adds an id to the text of a bytea array; the caller adds the final "}". */
void id_table_list_add(struct text *list, const uint8_t id[WALLET_ID_BYTES]);

#endif
