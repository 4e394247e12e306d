/* What one line pays in a window: the reference that everything faster is held against.
 *
 * Candidates are all symbols that pay on lines: the run from the leftmost reel of cells that are
 * the symbol, or the wild where the wild stands in for it (line symbols only), and the wild's own
 * pays by its run. Each is worth pay[length] x multiplier by the wilds in the run, where wilds
 * multiply; the best is paid, the first symbol of the definition among equals. RULE bewitched 2.1,
 * 2.2, 3.1 */
#ifndef CARILLON_GAME_LINES_H
#define CARILLON_GAME_LINES_H

#include "libcommon/game/game.h"

/* How the lines of this spin pay. */
struct line_terms {
	uint32_t multiplier;		/* flat; 1 */
	uint32_t wild_multiplier_count; /* 0: wilds do not multiply */
	const uint32_t *wild_multiplier;
	bool progressive; /* game->jackpot_symbols on a line win the progressive here, not their pay
			   */
};

struct line_pay {
	uint32_t coins; /* for one coin a line, multipliers included; 0: nothing */
	uint32_t multiplier;
	uint8_t symbol, count;
	bool jackpot; /* the progressive instead: coins is 0 */
};

/* `window`: symbol at reel * rows + row; `line`: 0-based. */
struct line_pay line_best(const struct game *game, const uint8_t *window, uint32_t line,
	const struct line_terms *terms);

#endif
