/* The rules of hold and win. Included only by libcommon/game/game.h, through features/types.h. */
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
	bool excluded; /* not drawn if the screen shows a multiplier of exclude_from or more */
};

struct hold_rules {
	bool offered;
	uint8_t symbol;
	uint32_t at_least; /* symbols in a base spin that trigger it */
	uint32_t respins;
	/* The odds that the symbol lands in a free cell; each cell is its own reel. */
	struct odds cell;
	struct choices value;			    /* times the total bet */
	uint32_t mystery_weight, multiplier_weight; /* drawn together with the weights of value */
	uint32_t award_count;
	struct hold_award award[HOLD_AWARDS_MAX];
	uint32_t exclude_from;
	struct choices multiplier;
	uint32_t full_multiplier; /* if all cells are filled */
};

#endif
