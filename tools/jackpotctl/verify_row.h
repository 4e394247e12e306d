/* What the pass over the journal (verify_rows.h) shares with the rules it keeps, and with the
 * replay (verify_rounds.h): a row as it comes from the database, and answers in its binary format.
 */
#ifndef CARILLON_JACKPOTCTL_VERIFY_ROW_H
#define CARILLON_JACKPOTCTL_VERIFY_ROW_H

#include "tools/jackpotctl/verify.h"
#include "tools/jackpotctl/verify_scope.h"

#define ROW_TALLIES_MAX 1024
#define ROW_NUMBERS 21 /* that a digest of the chain covers, in its order */

enum row_column {
	ROW_SEQ,
	ROW_PLAYER,
	ROW_KIND,
	ROW_MOVE,
	ROW_ROUND,
	ROW_GAME,
	ROW_MODE,
	ROW_REFUSAL,
	ROW_CURRENCY,
	ROW_RELEASE,
	ROW_STAKE,
	ROW_WIN_BALANCE,
	ROW_WIN_PENDING,
	ROW_FORFEIT,
	ROW_AMOUNT,
	ROW_BALANCE_AFTER,
	ROW_PENDING_AFTER,
	ROW_PREV_SEQ,
	ROW_CLAIMS,
	ROW_LAST_MOVE, /* the row's own move where it is one */
	ROW_TIME,
	ROW_TALLIES,
	ROW_REQUEST,
	ROW_OUTSIDE,
	ROW_RECORD,
	ROW_SHARD,
	ROW_DAY,
	ROW_PREV_DAY
};

struct row_bytes {
	const char *bytes;
	size_t length;
};
struct verify_row {
	int64_t number[ROW_NUMBERS]; /* by row_column */
	int32_t tallies[ROW_TALLIES_MAX];
	size_t tallies_n;
	struct row_bytes request, outside, record;
	int32_t shard;
	int32_t day, prev_day; /* since 2000 */
	bool has_prev_day, has_outside;
};

/* ---- the database ---- */

/* A query with @names@ and the state as $3; the answer is binary. Ends the process on an error. */
PGresult *pass_ask(PGconn *conn, const struct verify_scope *scope, const char *sql);
/* An integer of 4 or 8 bytes; 0 for null. */
int64_t pass_number(const PGresult *rows, int row, int column);
struct row_bytes pass_bytes(const PGresult *rows, int row, int column);
/* malloc'ed, zeroed; ends the process without memory. */
void *pass_room(size_t n, size_t size);

/* ---- the rules; each has a state of its own, and sets the doubts that it has ---- */

/* Moves, balances and pendings follow from the row before. */
void rows_accounts_begin(PGconn *conn, const struct verify_scope *scope, bool *doubts);
void rows_accounts_row(const struct verify_row *row, bool *doubts);
void rows_accounts_end(void);
/* Batches: their digests and sums. */
void rows_batches_begin(PGconn *conn, const struct verify_scope *scope, bool *doubts);
void rows_batches_row(const struct verify_row *row, bool *doubts);
void rows_batches_end(bool *doubts);
/* Tallies: totals that the wallet and the pools recorded, and what a row may be counted into. */
void rows_tallies_begin(PGconn *conn, const struct verify_scope *scope, bool *doubts);
void rows_tallies_row(const struct verify_row *row, bool *doubts);
void rows_tallies_end(bool *doubts);

#endif
