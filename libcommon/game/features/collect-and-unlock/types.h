/* The rules of collect and unlock ("potions"). Included by libcommon/game/game.h, behind what it
 * needs. */
#ifndef CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_TYPES_H
#define CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_TYPES_H

enum unlock_kind { UNLOCK_HIGH_SYMBOLS, UNLOCK_RANDOM_WILDS, UNLOCK_MULTIPLIER, UNLOCK_MEGA_WILD };
#define UNLOCK_KINDS 4

/* One respin feature. The first of the list is open from the start; a feature's trigger opens the
 * next one, for good. */
struct unlock_step {
	enum unlock_kind kind;
	uint8_t needs[GAME_COLOURS]; /* of each colour, three in all */
	uint8_t strips;
};

struct mega_wild {
	uint32_t weight;
	uint32_t cells; /* bit reel * rows + row */
};

struct unlock_rules {
	bool offered;
	uint8_t symbol[GAME_COLOURS]; /* red, blue, green */
	uint32_t step_count;
	struct unlock_step step[GAME_UNLOCK_STEPS_MAX];
	struct choices wilds[GAME_REELS_MAX]; /* random wilds on each reel: how many, then which
						 rows, all sets alike */
	struct choices multiplier;
	uint32_t mega_count, mega_weight;
	struct mega_wild mega[GAME_CHOICES_MAX];
	struct odds explosion;			    /* of combinations that trigger nothing ever */
	struct odds explosion_locked[UNLOCK_KINDS]; /* of those of a locked feature */
	struct choices marks[GAME_REELS_MAX];	    /* question marks on each reel, as wilds */
	struct choices revealed;		    /* x: symbol that all marks become */
	struct odds free_feature;		    /* that a free spin triggers a feature */
	struct choices free_set; /* x: bit k: unlock_kind k; the multiplier and at most one other */
};

#endif
