/* The smallest weighted automaton of a single line: what it can still win after r reels.
 *
 * A node stands for a line's future: its row on the next reel and, for each symbol there, the gain
 * and the next node. A gain is added as early as it is certain: the edge into a node carries the
 * smallest gain that can follow. So a line whose pay is decided is in node 0, the dead node,
 * whatever it paid. Lines that can still pay the same in the same rows share a node, even if they
 * showed different symbols. Allocates. */
#ifndef CARILLON_GAME_EXACT_MACHINE_LINES_H
#define CARILLON_GAME_EXACT_MACHINE_LINES_H

#include "libcommon/game/reel_machine.h"

struct line_edge {
	uint32_t gain; /* coins a line; MACHINE_JACKPOT: the progressive */
	uint32_t node; /* of the next reel; 0: no further gain */
};

struct line_level {
	uint32_t symbols;		  /* number of different symbols on this reel */
	uint8_t symbol[GAME_SYMBOLS_MAX]; /* their ids */
	uint8_t index[GAME_SYMBOLS_MAX];  /* symbol -> its place among them */
	uint32_t nodes, room;
	uint8_t *row;		/* [node] */
	struct line_edge *edge; /* [node * symbols + index of the symbol] */
	uint32_t *bucket;	/* only while it is built: hash -> node + 1 */
	uint32_t buckets;
};

struct line_automaton {
	uint32_t reels;
	struct line_level level[GAME_REELS_MAX];
	uint32_t root[GAME_LINES_MAX];	    /* node of level 0 of each line */
	uint32_t root_gain[GAME_LINES_MAX]; /* its sure win in every window */
	uint64_t win_max;		    /* no window wins more */
};

/* False if memory ends; free it in that case too. */
bool line_automaton_build(const struct machine_input *input, struct line_automaton *automaton_r);
void line_automaton_free(struct line_automaton *automaton);

#endif
