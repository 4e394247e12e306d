/* Rounds out of journal rows. Apart from the rest of the history because it is pure: rows in,
 * rounds out. RULE mystic-gem 8.5: balance before and after, bet, win, exact time. */
#ifndef CARILLON_GATEWAY_ADAPTERS_HISTORY_ROUNDS_H
#define CARILLON_GATEWAY_ADAPTERS_HISTORY_ROUNDS_H

#include "services/gateway/adapters/gateway.h"

#define HISTORY_ROUNDS_MAX 512

struct history_row {
	int64_t seq, move, round;
	int32_t kind, refusal;
	uint32_t game;
	int64_t release, stake, win_balance, win_pending, forfeit, amount, balance_after,
		pending_after, prev_seq, claims, time_us;
	int64_t cards; /* a move: so many of its claims begin Jackpot Cards; an award: 1 if it is
			  theirs */
	bool award;
	bool bonus_spin; /* a bet that an operator gave */
	bool archived;	 /* the row before it lies in the archive; prev_seq is 0 then */
	int64_t award_round;
	uint32_t award_index, award_pool;
};

struct history_round {
	int64_t round;
	uint32_t game;
	int64_t time_us; /* of the bet */
	int64_t stake, win,
		jackpots; /* win: jackpots included; what is not closed has won nothing yet */
	int64_t balance_before, balance_after;
	bool closed, refused, bonus_spin;
	bool opened, moved; /* its bet was seen; its newest move was seen */
};

/* rows: newest first, each the one before of the same account. With `continued` the first row is
 * the last of the page before: it is looked at only for what it says of the round before it. Gives
 * at most `limit` rounds, newest first, and stops only where no round is cut in two (so a page may
 * be shorter, or a little longer where nothing else is possible). *next_r: the row to go on behind,
 * 0 at the end. */
size_t history_rounds(const struct history_row *rows, size_t n, bool continued, size_t limit,
	struct history_round *rounds_r, int64_t *next_r);

#endif
