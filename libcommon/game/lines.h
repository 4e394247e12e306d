/* Computes what one line pays in a window. Tests compare all faster code with this function.
 *
 * Each symbol that pays on lines is a candidate, with its run: the consecutive cells of the line,
 * from the leftmost reel on, that show the symbol or a wild that substitutes for it. (Wilds
 * substitute for SYMBOL_LINE, not for jackpot symbols.) A wild with pays of its own is a candidate
 * too; its run is the wilds at the start of the line. A run is worth pay[length] times the flat
 * multiplier and, if wilds multiply, times the multiplier of its wilds. The best candidate is paid;
 * of equal ones, the first in the definition. RULE bewitched 2.1, 2.2, 3.1 */
#ifndef CARILLON_GAME_LINES_H
#define CARILLON_GAME_LINES_H

#include "libcommon/game/game.h"

/* How the lines of a spin pay. */
struct line_terms {
	uint32_t multiplier;		/* flat; usually 1 */
	uint32_t wild_multiplier_count; /* 0: wilds do not multiply */
	const uint32_t *wild_multiplier;
	bool progressive; /* game->jackpot_symbols on a line win the progressive instead of their
			     pay */
};

struct line_pay {
	uint32_t coins; /* for one coin a line, multipliers included; 0: no win */
	uint32_t multiplier;
	uint8_t symbol, count;
	bool jackpot; /* wins the progressive; coins is 0 */
};

/* `window`: symbol at reel * rows + row; `line`: 0-based. */
struct line_pay line_best(const struct game *game, const uint8_t *window, uint32_t line,
	const struct line_terms *terms);

#endif
