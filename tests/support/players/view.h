/* What the gateway answers, as far as a player needs it (docs/contracts.md, "HTTP of the gateway").
 */
#ifndef CARILLON_SUPPORT_PLAYERS_VIEW_H
#define CARILLON_SUPPORT_PLAYERS_VIEW_H

#include "tests/support/players/record.h"

#include <jansson.h>

#define VIEW_JACKPOTS_MAX 16

struct round_view {
	bool present;
	uint64_t round;
	int64_t stake, win, pending, collected, coin_minor;
	uint32_t cursor, picks_left, gambles_left, gambles;
	bool gamble_won; /* the last gamble shown */
	char next[16];
	char game[32]; /* slug */
	bool closed, has_secret;
	uint8_t secret[32];
	size_t jackpots_n;
	struct {
		uint32_t index, pool;
		int64_t paid;
		bool booked;
	} jackpots[VIEW_JACKPOTS_MAX];
};

struct view {
	bool has_expect, has_balance, has_hash;
	bool round_told; /* the round, or that there is none */
	uint64_t expect;
	uint8_t secret_hash[32];
	int64_t balance, smallest_bet;
	char error[64], message[200]; /* "" when there is none */
	uint64_t done;		      /* already_done: the move it became; else 0 */
	/* The Jackpot Cards of the game asked for: told or not, and those that it waits for. */
	bool cards_told, cards_open;
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

void view_read(const json_t *answer, struct view *view_r);
/* False when it has no seq or balance, or a kind unknown here. */
bool row_read(const json_t *json, struct ledger_row *row_r);

#endif
