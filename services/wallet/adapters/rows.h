/* Reads journal rows: to publish them again, to answer a spent move number, to roll a shard
 * forward. */
#ifndef CARILLON_WALLET_ADAPTERS_ROWS_H
#define CARILLON_WALLET_ADAPTERS_ROWS_H

#include "libcommon/io/arena.h"
#include "services/wallet/core/wallet.h"

#include <libpq-fe.h>

/* Reads rows first..last of a shard in order, at most `limit`, into the arena. Returns how many. */
size_t rows_read(PGconn *conn, uint32_t shard, uint64_t first, uint64_t last, size_t limit,
	struct arena *arena, struct wallet_row **rows_r);
/* Reads a player's rows from one on backwards to another, oldest first, at most ROWS_WALK_MAX. */
size_t rows_read_back(PGconn *conn, uint32_t shard, player_id player, uint64_t from, uint64_t to,
	struct arena *arena, struct wallet_row **rows_r);
/* Reads a row of a dropped partition that was carried over. False: it was not. */
bool rows_read_carried(PGconn *conn, uint32_t shard, uint64_t seq, struct arena *arena,
	struct wallet_row **rows_r);
/* Finds the row that spent a move of a player: walks back from last_seq by prev_seq. False if it is
 * not among the player's last ROWS_WALK_MAX rows. */
#define ROWS_WALK_MAX 20000
bool rows_read_move(PGconn *conn, uint32_t shard, uint64_t last_seq, uint64_t move,
	struct arena *arena, struct wallet_row *row_r);

/* What all rows of a player say, for their release from quarantine. Reads every one that is kept.
 */
struct rows_proof {
	uint64_t newest;     /* 0: they have none */
	uint64_t limited_by; /* the oldest that has set a limit; 0: none */
	uint64_t claims_of;  /* has not as many rows in wallet.claim as it says; 0: none */
	/* The closed_seq of a claim of theirs that names no award of theirs, or that of another
	 * claim, too; 0: none. */
	uint64_t closed_by;
};
struct rows_proof rows_prove(PGconn *conn, uint32_t shard, player_id player);

#endif
