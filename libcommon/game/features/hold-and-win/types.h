/* The rules of hold and win, and what its symbols carry. Included by libcommon/game/game.h, behind
 * what it needs. */
#ifndef CARILLON_GAME_FEATURES_HOLD_AND_WIN_TYPES_H
#define CARILLON_GAME_FEATURES_HOLD_AND_WIN_TYPES_H

/* What a hold-and-win symbol carries. */
enum hold_kind { HOLD_VALUE, HOLD_MYSTERY, HOLD_MULTIPLIER };
#define HOLD_AWARDS_MAX 8

struct hold_award {
	char id[GAME_ID_MAX]; /* "grand" */
	char name[GAME_NAME_MAX];
	uint32_t x; /* times the total bet */
	uint32_t weight;
	bool excluded; /* not drawn when a multiplier of exclude_from or more is on the screen */
};

struct hold_rules {
	bool offered;
	uint8_t symbol;
	uint32_t at_least; /* symbols that trigger it, in a base spin */
	uint32_t respins;
	struct odds cell;     /* of a free cell, each with a reel of its own, to land the symbol */
	struct choices value; /* times the total bet */
	uint32_t mystery_weight, multiplier_weight; /* beside the weights of value: one draw */
	uint32_t award_count;
	struct hold_award award[HOLD_AWARDS_MAX];
	uint32_t exclude_from;
	struct choices multiplier;
	uint32_t full_multiplier; /* all cells filled */
};

#endif
