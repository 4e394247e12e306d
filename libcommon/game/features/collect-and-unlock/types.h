/* The rules of collect and unlock. Included only by libcommon/game/game.h, through
 * features/types.h. */
#ifndef CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_TYPES_H
#define CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_TYPES_H

enum unlock_kind { UNLOCK_HIGH_SYMBOLS, UNLOCK_RANDOM_WILDS, UNLOCK_MULTIPLIER, UNLOCK_MEGA_WILD };
#define UNLOCK_KINDS 4

/* One respin feature. The first one is unlocked from the start; triggering a feature unlocks the
 * next one permanently. */
struct unlock_step {
	enum unlock_kind kind;
	uint8_t needs[GAME_COLOURS]; /* collectibles of each colour; three in all */
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
	struct choices wilds[GAME_REELS_MAX]; /* number of random wilds on each reel; all sets of
						 that many rows are equally likely */
	struct choices multiplier;
	uint32_t mega_count, mega_weight;
	struct mega_wild mega[GAME_CHOICES_MAX];
	struct odds explosion;			    /* for combinations that no feature needs */
	struct odds explosion_locked[UNLOCK_KINDS]; /* for the combination of a locked feature */
	/* number of question marks on each reel, like `wilds` */
	struct choices marks[GAME_REELS_MAX];
	struct choices revealed;  /* x: the symbol that all marks become */
	struct odds free_feature; /* that a free spin triggers a feature */
	/* x: bit k is unlock_kind k; at most the multiplier and one other */
	struct choices free_set;
};

#endif
