/* What each round brought by the ledger: the rows put in order of rounds once, then looked up. No
 * I/O. */
#ifndef CARILLON_SUPPORT_PLAYERS_LEDGER_ROUNDS_H
#define CARILLON_SUPPORT_PLAYERS_LEDGER_ROUNDS_H

#include "tests/support/players/record.h"

/* What one row brought the round that it belongs to. */
struct ledger_share {
	uint64_t round;
	int64_t stake, win, award;
};
struct ledger_rounds {
	LIST(struct ledger_share) shares; /* by round */
};

/* Fills *rounds, which may have been used before; zeroed at first. */
void ledger_rounds_make(struct ledger_rounds *rounds, const struct ledger_row *rows, size_t n);
void ledger_rounds_free(struct ledger_rounds *rounds);
/* What a round brought, without and with its jackpots; stake 0 when it is not there. */
void ledger_round(const struct ledger_rounds *rounds, uint64_t round, int64_t *stake_r,
	int64_t *win_r, int64_t *awards_r);
/* May a history say that this round won so much? Jackpots that were not watched yet may be missing
 * from it; those of Jackpot Cards, at most one a round, are no part of the round. */
bool ledger_round_won(const struct ledger_rounds *rounds, uint64_t round, int64_t told);

#endif
