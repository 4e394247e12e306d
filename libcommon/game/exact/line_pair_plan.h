/* A line automaton made ready for products (line_pairs.h): its edges sorted by what they need.
 *
 * The lines' futures are numbers, so they may be added up. A line that showed nothing but wilds is
 * worth what lines of each symbol are worth, summed up, but for what follows on a few symbols: such
 * a *compound* node is a sum of simple nodes of its level and of few edges instead of one for every
 * symbol. An edge leads to a *target*: a gain and a sum of nodes of the next level. */
#ifndef CARILLON_GAME_EXACT_LINE_PAIR_PLAN_H
#define CARILLON_GAME_EXACT_LINE_PAIR_PLAN_H

#include "libcommon/game/exact/line_pairs.h"

/* times (of a sign) a node of the next level, as it is kept */
struct pair_term {
	uint32_t node;
	int32_t times;
};

struct pair_target {
	int64_t gain;	      /* in parts of a coin */
	uint32_t from, count; /* of its terms; none: nothing more to come */
};

/* A flat list, rising by node. */
struct pair_edge {
	uint32_t node, row;
	uint32_t set; /* of symbols: its number */
	uint32_t target;
};

struct pair_level {
	uint32_t nodes, edges, targets, terms, parts, sets;
	struct pair_edge *edge;
	uint32_t *first_edge; /* [node], and the end */
	struct pair_target *target;
	struct pair_term *term;
	uint32_t *part;	      /* nodes */
	uint32_t *first_part; /* [node], and the end */
	uint32_t *set;	      /* symbols, a bit each */
	/* what the lists have room for */
	uint32_t edge_room, target_room, term_room, part_room, set_room;
};

struct pair_plan {
	uint32_t reels;
	struct pair_level level[GAME_REELS_MAX];
};

/* By GMP's functions, cleared. */
void *pair_take(size_t bytes);
void pair_give(void *block, size_t bytes);

#endif
