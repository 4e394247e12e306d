/* Rows of players' accounts from the journal. While reads are on their way, further ones gather and
 * then go as one statement: planning and the round trip are most of what a short read costs, and a
 * crowd that comes back after an outage reads at the same time. */
#ifndef CARILLON_GATEWAY_ADAPTERS_JOURNAL_ROWS_H
#define CARILLON_GATEWAY_ADAPTERS_JOURNAL_ROWS_H

#include "services/gateway/adapters/gateway.h"

struct journal_wanted {
	player_id player;
	uint32_t shard;
	int64_t from; /* a row of the account; 0: the newest */
	int64_t rows; /* at most */
	/* With from = 0: begins with the rows of this time, in microseconds since 1970, and with
	 * some later ones; 0: with the newest. */
	int64_t until_us;
	/* 0: rows newest first, the row `from` first. Else the rows of this round, oldest first. */
	int64_t round;
};

/* Calls `done` once, as pg_pool_query does within QUERY_MS, with the player's rows alone, which
 * history_row_read reads. */
void journal_rows(
	struct gateway *gateway, const struct journal_wanted *wanted, pg_done *done, void *context);
/* How long a read that comes now would wait until it is sent, by how long others take. */
uint64_t journal_rows_wait_us(void);
/* Every 50 ms: ends those that have waited for too long. */
void journal_rows_tick(void);

#endif
