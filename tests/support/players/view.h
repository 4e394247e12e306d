/* What the gateway answers, as far as a player needs it (docs/contracts.md, "HTTP of the gateway").
 */
#ifndef CARILLON_SUPPORT_PLAYERS_VIEW_H
#define CARILLON_SUPPORT_PLAYERS_VIEW_H

#include "tests/support/players/record.h"

#include <jansson.h>

#define VIEW_JACKPOTS_MAX 16
#define VIEW_GAME_MAX 32
#define VIEW_NEXT_MAX 16
#define VIEW_ERROR_MAX 64
#define VIEW_MESSAGE_MAX 200

struct view_jackpot {
	uint32_t index, pool;
	int64_t paid;
	bool booked;
};

struct round_view {
	bool present;
	uint64_t round;
	int64_t stake, win, pending, collected, coin_minor;
	uint32_t cursor, picks_left, gambles_left, gambles;
	bool gamble_won; /* the last gamble shown */
	char next[VIEW_NEXT_MAX];
	char game[VIEW_GAME_MAX]; /* slug */
	bool closed, has_secret;
	uint8_t secret[32];
	size_t jackpots_n;
	struct view_jackpot jackpots[VIEW_JACKPOTS_MAX];
};

struct view {
	bool has_expect, has_balance, has_hash;
	bool round_told; /* the round, or that there is none */
	uint64_t expect;
	uint8_t secret_hash[32];
	uint64_t balance_seq; /* the row of the journal that the balance is of */
	int64_t balance, smallest_bet;
	char error[VIEW_ERROR_MAX], message[VIEW_MESSAGE_MAX]; /* "" when there is none */
	char found[VIEW_ERROR_MAX];			       /* of the error */
	uint64_t done; /* already_done: the move it became; else 0 */
	/* The Jackpot Cards of the game asked for: told or not, and those that it waits for. */
	bool cards_told, cards_open, cards_booked;
	uint64_t cards_move;
	uint32_t cards_index;
	bool bet_not_placed; /* the bet closed the last round, and that drew the cards */
	struct round_view round;
};

/* Integers may come as numbers or, where they are ids, as text. */
int64_t json_number(const json_t *object, const char *name, int64_t fallback);
const char *json_text(const json_t *object, const char *name); /* "" when there is none */
/* `name`_minor, else `name`. */
int64_t json_money(const json_t *object, const char *name);
bool hex_read(const char *hex, uint8_t *out, size_t bytes); /* exactly so many */

/* `text` has a 0 byte behind it. False: it is no JSON object, and view_r says what it said so far.
 */
bool view_read(const char *text, size_t n, struct view *view_r);
/* False when it has no seq or balance, or a kind unknown here. */
bool row_read(const json_t *json, struct ledger_row *row_r);

#endif
