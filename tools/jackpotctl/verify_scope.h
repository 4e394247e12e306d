/* What a proof looks at: everything, or only what came after the state that an earlier proof left.
 *
 * The state says, for each shard, up to which batch and close all was proven, with the digest of
 * that batch, and what the rows so far come to where a later row builds on it: totals of tallies,
 * money pending, bonus spins used. It is a file of JSON with a SHA-256 over its contents, signed
 * (verify_mark.h); a state that was changed, or does not fit the database any more, is refused. */
#ifndef CARILLON_JACKPOTCTL_VERIFY_SCOPE_H
#define CARILLON_JACKPOTCTL_VERIFY_SCOPE_H

#include "tools/jackpotctl/verify_mark.h"

#include <jansson.h>
#include <libpq-fe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_SHARDS_MAX 256
#define SCOPE_ERROR_MAX 512

struct scope_shard {
	uint32_t shard;
	uint64_t batch, seq, close;
	char digest[65]; /* hex, of that batch */
};

struct verify_scope {
	size_t shards_n; /* 0: everything */
	struct scope_shard shards[SCOPE_SHARDS_MAX];
	char *state; /* $3 of the queries, JSON; malloc'ed */
};

/* Everything. */
void scope_whole(struct verify_scope *scope_r);
/* From the mark's file. False with error set (SCOPE_ERROR_MAX bytes): it cannot be read, was
 * changed, forged or put back. A file that does not exist, or of a build that did not sign, is no
 * error, but everything. */
bool scope_load(struct verify_mark *mark, struct verify_scope *scope_r, char *error);
/* Days of the journal that were dropped cannot be looked at: where the scope reaches back to them,
 * it becomes what came after, and stands on what was carried over from them (wallet.carried, and
 * sums in wallet.leaf). False: the database could not be read, error is set. */
bool scope_after_dropped(PGconn *conn, struct verify_scope *scope, char *error);
/* What the replay has to look at: a proof without it, or of a sample, moves only the state of the
 * other points on. Fails like scope_after_dropped; the caller frees *own_r. */
bool scope_of_replay(
	PGconn *conn, const struct verify_scope *scope, struct verify_scope *own_r, char *error);
/* Writes the state of the snapshot that conn is in, all of which was proven now or before, beside
 * the mark's file and renames it, signed. replayed: every move was replayed, too. Fails like
 * scope_load. */
bool scope_save(PGconn *conn, struct verify_mark *mark, const struct verify_scope *scope,
	bool replayed, char *error);
void scope_free(struct verify_scope *scope);

/* A query with its @names@ filled in; malloc'ed.
 *
 *   @journal@ @batch@ @leg@ @run@ @close@ @close_tally@   the rows in scope of that table
 *   @opened@ @closed@     claims opened, or closed, by rows in scope
 *   @given@ @ended@       gifts of bonus spins likewise
 *   @voided@              voids likewise
 *   @base@                a row a shard of the state: shard, batch, seq, close, digest
 *   @whole@               true or false: is everything in scope? */
char *scope_expand(const struct verify_scope *scope, const char *sql);

#endif
