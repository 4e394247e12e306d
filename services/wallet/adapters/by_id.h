/* Rows of a table with ids of WALLET_ID_BYTES that the commands of this turn name, and those
 * changed since the last commit: as they will be. What is not in memory is as it stands in
 * Postgres. One piece for bonus spins, for holds and for ids of outside money; what a row is, its
 * kind says. */
#ifndef CARILLON_WALLET_ADAPTERS_BY_ID_H
#define CARILLON_WALLET_ADAPTERS_BY_ID_H

#include "libcommon/io/pg_args.h"
#include "services/wallet/adapters/text.h"
#include "services/wallet/core/wallet.h"

#include <libpq-fe.h>

enum by_id_state {
	BY_ID_EMPTY = 0, /* a free place of the table */
	BY_ID_ASKED,	 /* to be looked up */
	BY_ID_ABSENT,	 /* looked up: there is none of this id */
	BY_ID_KNOWN,
};

/* An entry begins with it. */
struct by_id_head {
	uint8_t id[WALLET_ID_BYTES];
	enum by_id_state state;
	uint32_t shard;
	bool dirty; /* newer than Postgres */
};

struct by_id_kind {
	const char *table; /* for errors: "wallet.hold" */
	size_t size;	   /* of an entry */
	const char *sql;   /* rows of the ids in $1: id, shard, and what `read` reads */
	/* The head is filled already. */
	void (*read)(void *entry, const PGresult *result, int row);
	/* An upsert that changes no row where Postgres has a newer one: its parameters are the id
	 * as bytea and what `args` adds. NULL where rows are not written by by_id_write. */
	const char *upsert;
	void (*args)(struct pg_args *args, const void *entry);
};

/* All zero: empty. */
struct by_id {
	uint8_t *entries;
	size_t room, n, asked; /* asked: in state ASKED */
};

/* Its entry, made where there is none: to be looked up with the next by_id_bring. Pointers into the
 * table end here. */
void *by_id_place(struct by_id *table, const struct by_id_kind *kind, const uint8_t *id);
/* The same for one that is new: known, and newer than Postgres, zeroed behind its head. */
void *by_id_new(
	struct by_id *table, const struct by_id_kind *kind, const uint8_t *id, uint32_t shard);
/* Looks up all that are wanted, by one query. */
void by_id_bring(struct by_id *table, const struct by_id_kind *kind, PGconn *conn);
/* Takes rows of another query of the same columns; clears the result. */
void by_id_take(struct by_id *table, const struct by_id_kind *kind, PGresult *result);
/* NULL: there is none of this id; it must have been brought. */
void *by_id_find(const struct by_id *table, const struct by_id_kind *kind, const uint8_t *id);
/* The i-th place, i < room; NULL: nothing known stands there. */
const void *by_id_at(const struct by_id *table, const struct by_id_kind *kind, size_t i);
/* Writes what is newer than Postgres; inside the transaction of the rows. Fatal where a row is
 * newer than its journal. */
void by_id_write(struct by_id *table, const struct by_id_kind *kind, PGconn *conn);
/* Nothing is newer than Postgres: forgets all. */
void by_id_clear(struct by_id *table, const struct by_id_kind *kind);
/* Another process may have the shard from now on: what is known of it is to be looked up again. */
void by_id_drop_shard(struct by_id *table, const struct by_id_kind *kind, uint32_t shard);

/* Adds an id to the text of an array of bytea, which the caller ends with "}". */
void by_id_list_add(struct text *list, const uint8_t id[WALLET_ID_BYTES]);

#endif
