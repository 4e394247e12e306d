/* A spin with its cascade by its stops: what the exact mathematics and the fast simulation share.
 * Written anew from the rule sheet, not taken from rule.c, which the tests hold it against. */
#ifndef CARILLON_GAME_FEATURES_CASCADE_CYCLE_H
#define CARILLON_GAME_FEATURES_CASCADE_CYCLE_H

#include "libcommon/game/lines.h"

/* The most combinations of stops of one set: a few seconds of the loader. */
#define CYCLE_STOPS_MAX 20000000u

/* All combinations of stops; UINT64_MAX: more than that. */
uint64_t cycle_stops(const struct game *game, uint32_t set);

/* On which terms spins of a context are paid. */
struct cycle_terms {
	const struct game *game;
	uint32_t set, lines;
	uint32_t wild_reels; /* bought: bit r */
	enum spin_context context;
	struct line_terms plain; /* without a tumble's multiplier */
};

void cycle_terms_init(const struct game *game, uint32_t set, uint32_t lines,
	enum spin_context context, struct cycle_terms *terms_r);

/* In coins for one coin a line. */
struct cycle_spin {
	uint64_t first; /* the lines of the spin's own window */
	uint64_t rest;	/* those of all tumbles, multiplied */
	uint32_t tumbles;
	uint8_t window[GAME_CELLS_MAX]; /* the spin's own */
};

void cycle_play(const struct cycle_terms *terms, const uint16_t stop[GAME_REELS_MAX],
	struct cycle_spin *spin_r);

#endif
