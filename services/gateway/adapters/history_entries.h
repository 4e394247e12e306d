/* What a player's history lists: rounds, and what else moved money. Pure. RULE mystic-gem 8.5:
 * balance before and after, bet, win, exact time. */
#ifndef CARILLON_GATEWAY_ADAPTERS_HISTORY_ENTRIES_H
#define CARILLON_GATEWAY_ADAPTERS_HISTORY_ENTRIES_H

#include "services/gateway/adapters/history_rounds.h"

enum history_kind {
	HISTORY_NONE, /* a row that is part of a round, or moves nothing */
	HISTORY_ROUND,
	HISTORY_JACKPOT,
	HISTORY_CARD_PRIZE,
	HISTORY_DOUBLE,
	HISTORY_HALVE,
	HISTORY_VOID,
	HISTORY_DEPOSIT,
	HISTORY_WITHDRAWAL, /* requested, or made at once */
	HISTORY_WITHDRAWAL_PAID,
	HISTORY_WITHDRAWAL_RETURNED,
	HISTORY_CORRECTION,
	HISTORY_GRANT,
	HISTORY_GRANT_TAKEN_BACK,
	HISTORY_BONUS_SPINS,
	HISTORY_BONUS_SPINS_ENDED,
	HISTORY_KINDS
};

/* "round", "card_prize": as the interface names them. Static. */
const char *history_kind_text(enum history_kind kind);

struct history_entry {
	enum history_kind kind;
	int64_t seq; /* of its row; a round's bet */
	int64_t time_us;
	int64_t round; /* that it belongs to; 0: none */
	uint32_t game; /* 0: none */
	/* Signed effect on the balance; of a double, on what waits to be collected. */
	int64_t amount;
	int64_t balance_before, balance_after;
	bool before_known, after_known;
	struct history_round past; /* ROUND */
	uint32_t mode;		   /* ROUND: the bet's */
	uint32_t pool;		   /* JACKPOT, CARD_PRIZE */
};

/* What the list shows of all that there is. */
struct history_filter {
	uint32_t game;		/* 0: all; else entries of this game alone */
	bool wins;		/* those that brought the player something */
	enum history_kind kind; /* NONE: all */
	bool money;		/* from and to outside, and grants */
	int64_t from_us, to_us; /* 0: no bound; both belong to it */
};

/* What the row is beside its round; NONE for bets. */
enum history_kind history_kind_of(const struct history_row *row);
bool history_counts(const struct history_row *row);
/* A page's rows, and the rounds made of them, with what the player has not seen taken out. */
struct history_made {
	const struct history_row *rows;
	size_t first, n; /* of the page: rows first..n - 1 */
	const struct history_round *rounds;
	size_t rounds_n;
	int64_t hidden_from; /* history_hidden_from() */
};
/* The entries of a page, newest first; none that would tell what the player has not seen.
 * entries_r has room for n + rounds_n. Returns how many. */
size_t history_entries(const struct history_made *made, const struct hiding *hiding,
	struct history_entry *entries_r);
/* A page of a history: where it begins, and how many entries it may have. */
struct history_place {
	int64_t before; /* the last row of the page before; 0: with the newest row */
	size_t limit;
};
/* The entries of the page, made of rows that were read from its beginning on. entries_r has room
 * for n + HISTORY_ROUNDS_MAX. Returns how many. */
size_t history_page_entries(const struct history_row *rows, size_t n,
	const struct history_place *place, const struct hiding *hiding, struct history_page *page_r,
	struct history_entry *entries_r);
bool history_shows(const struct history_filter *filter, const struct history_entry *entry);

#endif
