/* Rows of a table with ids of WALLET_ID_BYTES that the commands of this turn name, and those
 * changed since the last commit: as they will be. What is not in memory is as it stands in
 * Postgres. One piece for bonus spins, for holds and for ids of outside money; what a row is, its
 * kind says. */
#ifndef CARILLON_WALLET_ADAPTERS_ID_TABLE_H
#define CARILLON_WALLET_ADAPTERS_ID_TABLE_H

#include "libcommon/io/pg_args.h"
#include "services/wallet/adapters/text.h"
#include "services/wallet/core/wallet.h"

#include <libpq-fe.h>

enum id_table_state {
	BY_ID_EMPTY = 0, /* a free place of the table */
	BY_ID_ASKED,	 /* to be looked up */
	BY_ID_ABSENT,	 /* looked up: there is none of this id */
	BY_ID_KNOWN,
};

/* An entry begins with it. */
struct id_table_head {
	uint8_t id[WALLET_ID_BYTES];
	enum id_table_state state;
	uint32_t shard;
	bool dirty; /* newer than Postgres */
};

struct id_table_kind {
	const char *table; /* for errors: "wallet.hold" */
	size_t size;	   /* of an entry */
	const char *sql;   /* rows of the ids in $1: id, shard, and what `read` reads */
	/* The head is filled already. */
	void (*read)(void *entry, const PGresult *result, int row);
	/* An upsert that changes no row where Postgres has a newer one: its parameters are the id
	 * as bytea and what `args` adds. NULL where rows are not written by id_table_write. */
	const char *upsert;
	void (*args)(struct pg_args *args, const void *entry);
};

/* All zero: empty. */
struct id_table {
	uint8_t *entries;
	size_t room, n, asked; /* asked: in state ASKED */
};

/* Its entry, made where there is none: to be looked up with the next id_table_load. Pointers into
 * the table end here. */
void *id_table_place(struct id_table *table, const struct id_table_kind *kind, const uint8_t *id);
/* The same for one that is new: known, and newer than Postgres, zeroed behind its head. */
void *id_table_new(struct id_table *table, const struct id_table_kind *kind, const uint8_t *id,
	uint32_t shard);
/* Looks up all that are wanted, by one query. */
void id_table_load(struct id_table *table, const struct id_table_kind *kind, PGconn *conn);
/* Takes rows of another query of the same columns; clears the result. */
void id_table_take(struct id_table *table, const struct id_table_kind *kind, PGresult *result);
/* NULL: there is none of this id; it must have been brought. */
void *id_table_find(
	const struct id_table *table, const struct id_table_kind *kind, const uint8_t *id);
/* The i-th place, i < room; NULL: nothing known stands there. */
const void *id_table_at(const struct id_table *table, const struct id_table_kind *kind, size_t i);
/* Writes what is newer than Postgres; inside the transaction of the rows. Fatal where a row is
 * newer than its journal. */
void id_table_write(struct id_table *table, const struct id_table_kind *kind, PGconn *conn);
/* Nothing is newer than Postgres: forgets all. */
void id_table_clear(struct id_table *table, const struct id_table_kind *kind);
/* Another process may have the shard from now on: what is known of it is to be looked up again. */
void id_table_drop_shard(struct id_table *table, const struct id_table_kind *kind, uint32_t shard);

/* Adds an id to the text of an array of bytea, which the caller ends with "}". */
void id_table_list_add(struct text *list, const uint8_t id[WALLET_ID_BYTES]);

#endif
