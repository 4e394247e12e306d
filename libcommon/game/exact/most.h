/* The largest win of a spin on its lines, and in how many ways it occurs: a search, reel by reel,
 * over the columns that each reel can show. Equal prefixes are merged.
 *
 * The search drops a prefix if it could not reach the floor (the least win that is searched for)
 * even with each live line choosing its cells independently. Without a floor, a first, narrow
 * search finds one. So the result is exact, and the search is fast if few windows are best. A
 * window can have two sides (itself, and itself under question marks): their wins are added. */
#ifndef CARILLON_GAME_EXACT_MOST_H
#define CARILLON_GAME_EXACT_MOST_H

#include "libcommon/game/game.h"

#include <gmp.h>

#define MOST_SIDES 2

/* The column that each side sees, packed one byte per row with the top row in the lowest byte. */
struct most_column {
	uint64_t seen[MOST_SIDES];
	uint32_t tag; /* adds up over the reels */
	uint64_t weight;
};

struct most_reel {
	uint32_t count, room;
	struct most_column *column;
};

struct most_input {
	const struct game *game;
	uint32_t lines, sides;
	struct most_reel reel[GAME_REELS_MAX];
	/* Coins that windows with this tag win beside their lines; false: ignore these windows. */
	bool (*beside)(const void *of, uint32_t tag, uint64_t *coins_r);
	const void *of;
	uint64_t beside_max; /* upper bound of that */
	uint64_t floor;	     /* ignore windows that win less */
};

struct most_row {
	uint32_t tag;
	mpz_t ways; /* product of weights */
};

/* count 0: no window reaches the floor. */
struct most {
	uint64_t coins;
	size_t count, room;
	struct most_row *row;
};

void most_reel_add(struct most_reel *reel, const struct most_column *column);
void most_input_free(struct most_input *input);
/* The weight of all windows. */
void most_scale(const struct most_input *input, mpz_t scale_r);
/* No window wins more than this (each line chooses its cells independently). */
uint64_t most_bound(struct most_input *input);
/* The win of some window that reaches the floor, found by a narrow search; the floor if it finds
 * none. If you search several inputs for the best of all, a higher floor makes most_find faster. */
uint64_t most_guess(struct most_input *input);
void most_find(struct most_input *input, struct most *most_r);
void most_free(struct most *most);

#endif
