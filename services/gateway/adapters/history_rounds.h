/* Makes rounds from journal rows. A file of its own because it is pure. RULE mystic-gem 8.5:
 * balance before and after, bet, win, exact time. */
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
	int64_t cards; /* a move: how many of its claims start Jackpot Cards; an award: 1 if it is
			  for Jackpot Cards */
	bool award;
	bool bonus_spin; /* the bet used an operator's bonus spin */
	bool archived;	 /* the row before it is in the archive; prev_seq is 0 then */
	int64_t award_round;
	uint32_t award_index, award_pool;
};

struct history_round {
	int64_t round;
	uint32_t game;
	int64_t time_us;	      /* of the bet */
	int64_t stake, win, jackpots; /* win: with jackpots; 0 for an open round */
	int64_t balance_before, balance_after;
	bool closed, refused, bonus_spin;
	bool opened, moved; /* the rows had its bet; the rows had its newest move */
};

/* `rows`: newest first, without gaps, of one account. With `continued` the first row is the last
 * row of the previous page and is used only for the round before it. Returns at most `limit`
 * rounds, newest first, and never splits a round (so a page may be shorter, or a little longer if
 * there is no other way). *next_r: the row after which the next page starts, 0 at the end. */
size_t history_rounds(const struct history_row *rows, size_t n, bool continued, size_t limit,
	struct history_round *rounds_r, int64_t *next_r);

#endif
