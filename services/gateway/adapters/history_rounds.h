/* Makes rounds from journal rows. A file of its own because it is pure. RULE mystic-gem 8.5:
 * balance before and after, bet, win, exact time. */
#ifndef CARILLON_GATEWAY_ADAPTERS_HISTORY_ROUNDS_H
#define CARILLON_GATEWAY_ADAPTERS_HISTORY_ROUNDS_H

#include "services/gateway/adapters/gateway.h"

#define HISTORY_ROUNDS_MAX 512

struct history_row {
	int64_t seq, move, round;
	int32_t kind, refusal;
	uint32_t game, mode;
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
	int64_t doubled;	      /* part of the win: what doubles added or lost */
	int64_t balance_before, balance_after;
	bool closed, refused, bonus_spin, voided;
	bool opened, moved; /* the rows had its bet; the rows had its newest move */
	int64_t awards;
	bool unsettled; /* after its newest move something was pending, or a jackpot not paid */
	int64_t bet_seq, last_seq; /* rows: of the bet, and the newest of the round */
	/* may be shown: there is no money in it that the player has not seen won */
	bool before_known, after_known;
};

/* `rows`: newest first, without gaps, of one account. With `continued` the first row is the last
 * row of the previous page and is used only for the round before it. Returns at most `limit`
 * rounds, newest first, and never splits a round (so a page may be shorter, or a little longer if
 * there is no other way). *next_r: the row after which the next page starts, 0 at the end. */
size_t history_rounds(const struct history_row *rows, size_t n, bool continued, size_t limit,
	struct history_round *rounds_r, int64_t *next_r);

struct history_page {
	bool continued;
	/* The account has rows that are newer than these: a round that these rows do not end has
	 * ended since, unless the player has not seen its end. */
	bool past;
	/* Counts towards the limit, besides rounds; NULL: nothing does. */
	bool (*counts)(const struct history_row *row);
	size_t limit;
	size_t used_r;	/* rows up to the end of the page */
	size_t items_r; /* rounds, and rows that count, up to there */
	int64_t next_r; /* as above */
};
/* The same for a page that shows more than rounds. */
size_t history_page(const struct history_row *rows, size_t n, struct history_page *page,
	struct history_round *rounds_r);

/* What the player has not seen yet, as the engine says: rounds whose feature is not watched to its
 * end, and moves from `expect` on. */
#define HIDDEN_MAX 64
struct hiding {
	int64_t round[HIDDEN_MAX];
	size_t n;
	int64_t oldest; /* of the rounds */
	int64_t expect; /* 0: not known */
	int64_t minor;	/* jackpots of the rounds in the balance, as of row seq */
	int64_t seq;
};
bool history_hides(const struct hiding *hiding, int64_t round);
/* Is it the award of such a round? A round that began after the engine was asked is not known to be
 * seen. */
bool history_hides_award(const struct hiding *hiding, const struct history_row *row);
/* The first row that may have a hidden award in its balance, where the award's own row is not
 * known. */
int64_t history_may_hide_from(const struct hiding *hiding);
/* The first of these rows (newest first) from which on the balance has a hidden award in it.
 * INT64_MAX: none has. Awards follow their round's bet, so rows that go back to the bet have it. */
int64_t history_hidden_from(const struct history_row *rows, size_t n, const struct hiding *hiding);
/* Takes out of the rounds what the player has not seen. */
void history_rounds_hide(struct history_round *rounds, size_t n, const struct history_row *rows,
	size_t rows_n, const struct hiding *hiding);

#endif
