/* Plays a spin and its cascade from given stops, for the exact mathematics and Monte Carlo. Written
 * independently of rule.c, from the rule sheet; tests compare the two. */
#ifndef CARILLON_GAME_FEATURES_CASCADE_CYCLE_H
#define CARILLON_GAME_FEATURES_CASCADE_CYCLE_H

#include "libcommon/game/lines.h"

/* The most combinations of stops that a strip set may have; the loader needs a few seconds for so
 * many. */
#define CYCLE_STOPS_MAX 20000000u

/* The number of combinations of stops; UINT64_MAX if it does not fit. */
uint64_t cycle_stops(const struct game *game, uint32_t set);

/* How spins of a context are paid. */
struct cycle_terms {
	const struct game *game;
	uint32_t set, lines;
	uint32_t wild_reels; /* bought: bit r */
	enum spin_context context;
	struct line_terms plain; /* without the multiplier of a tumble */
};

void cycle_terms_init(const struct game *game, uint32_t set, uint32_t lines,
	enum spin_context context, struct cycle_terms *terms_r);

/* In coins for one coin a line. */
struct cycle_spin {
	uint64_t first; /* the lines of the spin's own window */
	uint64_t rest;	/* the lines of all tumbles, multipliers included */
	uint32_t tumbles;
	uint8_t window[GAME_CELLS_MAX]; /* the spin's own window */
};

void cycle_play(const struct cycle_terms *terms, const uint16_t stop[GAME_REELS_MAX],
	struct cycle_spin *spin_r);

#endif
