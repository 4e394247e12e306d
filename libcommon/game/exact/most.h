/* The most that a spin can win on its lines, and in how many ways: a search, reel by reel, over the
 * columns that each reel may show, with equal prefixes joined.
 *
 * What is left out is what cannot reach the floor even if every line that is still alive had its
 * own way; without a floor a first, narrow search finds one. So the result is exact, and the work
 * small where the best windows are few. A window may be looked at by two sides at once (itself, and
 * itself under question marks): their wins are added up. */
#ifndef CARILLON_GAME_EXACT_MOST_H
#define CARILLON_GAME_EXACT_MOST_H

#include "libcommon/game/game.h"

#include <gmp.h>

#define MOST_SIDES 2

/* What each side sees, a byte a row, the top row lowest. */
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
	/* Coins that windows of a tag win beside their lines; false: they do not count. */
	bool (*beside)(const void *of, uint32_t tag, uint64_t *coins_r);
	const void *of;
	uint64_t beside_max; /* never more */
	uint64_t floor;	     /* windows of less do not matter */
};

struct most_row {
	uint32_t tag;
	mpz_t ways; /* weights multiplied */
};

/* count 0: no window of the floor or more. */
struct most {
	uint64_t coins;
	size_t count, room;
	struct most_row *row;
};

void most_reel_add(struct most_reel *reel, const struct most_column *column);
void most_input_free(struct most_input *input);
/* What all windows weigh. */
void most_scale(const struct most_input *input, mpz_t scale_r);
/* No window wins more than this: every line has its own way. */
uint64_t most_bound(struct most_input *input);
/* What some window of the floor or more wins, found by a narrow search; the floor if it finds none.
 * A higher floor makes most_find cheaper where several inputs are asked for the best of all. */
uint64_t most_guess(struct most_input *input);
void most_find(struct most_input *input, struct most *most_r);
void most_free(struct most *most);

#endif
