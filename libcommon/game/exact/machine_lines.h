/* One line at a time: what is still open after r reels, as the smallest weighted automaton.
 *
 * A node stands for everything that can still come of a line: on which row it goes on, and for each
 * symbol there what is gained at once and which node follows. Gains are booked as early as they are
 * certain (the smallest of all that can follow is booked on the way in), so a line whose pay is
 * decided is in node 0, the dead one, whatever it paid; and lines that can still pay the same in
 * the same rows share a node even if they came there by other symbols. Allocates. */
#ifndef CARILLON_GAME_EXACT_MACHINE_LINES_H
#define CARILLON_GAME_EXACT_MACHINE_LINES_H

#include "libcommon/game/reel_machine.h"

struct line_edge {
	uint32_t gain; /* coins a line; MACHINE_JACKPOT: the progressive */
	uint32_t node; /* of the next reel; 0: nothing more to come */
};

struct line_level {
	uint32_t symbols;		  /* different ones on this reel */
	uint8_t symbol[GAME_SYMBOLS_MAX]; /* which */
	uint8_t index[GAME_SYMBOLS_MAX];  /* symbol -> its place among them */
	uint32_t nodes, room;
	uint8_t *row;		/* [node] */
	struct line_edge *edge; /* [node * symbols + index of the symbol] */
	uint32_t *bucket;	/* while it is built: hash -> node + 1 */
	uint32_t buckets;
};

struct line_automaton {
	uint32_t reels;
	struct line_level level[GAME_REELS_MAX];
	uint32_t root[GAME_LINES_MAX];	    /* node of level 0 of each line */
	uint32_t root_gain[GAME_LINES_MAX]; /* what it wins whatever is shown */
	uint64_t win_max;		    /* no window wins more */
};

/* False when memory ends; free it then too. */
bool line_automaton_build(const struct machine_input *input, struct line_automaton *automaton_r);
void line_automaton_free(struct line_automaton *automaton);

#endif
