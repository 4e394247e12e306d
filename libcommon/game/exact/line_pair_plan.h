/* A line automaton prepared for products (line_pairs.h): the edges of a level in one list, and
 * equal targets and equal sets of symbols stored once.
 *
 * A node stands for what a line can still win: a number for each way in which the reels can stop,
 * so nodes can be added and subtracted. A *simple* node has one edge for all symbols that keep its
 * line alive. A line that has shown only wilds can still become the line of any of several symbols.
 * Its node is the sum of those symbols' simple nodes, but for a few symbols on the next reel the
 * sum is wrong. So such a *compound* node is stored as that sum and a few edges that correct it,
 * instead of an edge for every symbol. An edge leads to a *target*: a gain and a sum of nodes of
 * the next level. */
#ifndef CARILLON_GAME_EXACT_LINE_PAIR_PLAN_H
#define CARILLON_GAME_EXACT_LINE_PAIR_PLAN_H

#include "libcommon/game/exact/line_pairs.h"

/* `times` (signed) x a node of the next level */
struct pair_term {
	uint32_t node;
	int32_t times;
};

struct pair_target {
	int64_t gain;	      /* in parts of a coin */
	uint32_t from, count; /* its terms; count 0: no further gain */
};

/* A flat list, sorted by node. */
struct pair_edge {
	uint32_t node, row;
	uint32_t set; /* number of its set of symbols */
	uint32_t target;
};

struct pair_level {
	uint32_t nodes, edges, targets, terms, parts, sets;
	struct pair_edge *edge;
	uint32_t *first_edge; /* [node], and the end */
	struct pair_target *target;
	struct pair_term *term;
	uint32_t *part;	      /* the simple nodes in the sums that compound nodes are stored as */
	uint32_t *first_part; /* [node], and the end */
	uint32_t *set;	      /* a bit per symbol */
	/* capacities of the lists */
	uint32_t edge_room, target_room, term_room, part_room, set_room;
};

struct pair_plan {
	uint32_t reels;
	struct pair_level level[GAME_REELS_MAX];
};

/* Allocates cleared memory by GMP's functions: never NULL. */
void *pair_take(size_t bytes);
void pair_give(void *block, size_t bytes);

#endif
