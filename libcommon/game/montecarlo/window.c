#include "libcommon/game/montecarlo/internal.h"

/* Lines whose cell on the reel shows the symbol, or the wild as a substitute. */
static uint64_t lines_showing(const struct game *game, const struct window_lines *lines,
	const uint8_t *window, uint32_t reel, uint8_t symbol, bool wild_too)
{
	const uint8_t *column = &window[(size_t)reel * game->rows];
	uint64_t found = 0;

	for (uint32_t row = 0; row < game->rows; row++)
		if (column[row] == symbol || (wild_too && column[row] == game->wild))
			found |= lines->through[reel][row];
	return found;
}

static uint32_t bits_in(uint64_t mask)
{
	return (uint32_t)__builtin_popcountll(mask);
}

/* Pays the lines that begin with `lead` wilds and then show the symbol on reel `lead`, all at once,
 * by the length of their runs. If the wilds alone pay more, they are paid instead. */
static uint32_t run_pay(const struct game *game, const struct window_lines *lines,
	const uint8_t *window, uint64_t alive, uint32_t lead, uint8_t symbol)
{
	const struct game_symbol *as = &game->symbol[symbol];
	uint32_t least = game->wild_pay[lead], pay = 0, length = lead + 1;
	bool wild_too = as->kind == SYMBOL_LINE;

	if (!wild_too && (as->kind != SYMBOL_JACKPOT || lead > 0))
		return bits_in(alive) * least;
	for (; alive != 0 && length < game->reels; length++) {
		uint64_t on = alive & lines_showing(game, lines, window, length, symbol, wild_too);
		uint32_t worth = as->pay[length];

		pay += bits_in(alive & ~on) * (worth > least ? worth : least);
		alive = on;
	}
	if (alive != 0)
		pay += bits_in(alive) * (as->pay[length] > least ? as->pay[length] : least);
	return pay;
}

uint32_t window_pay(
	const struct game *game, const struct window_lines *lines, const uint8_t *window)
{
	uint64_t wild = ~UINT64_C(0);
	uint32_t pay = 0;

	for (uint32_t lead = 0; lead < game->reels && wild != 0; lead++) {
		uint64_t next = 0;

		for (uint32_t row = 0; row < game->rows; row++) {
			uint8_t symbol = window[lead * game->rows + row];
			uint64_t here = wild & lines->through[lead][row];

			if (here == 0)
				continue;
			if (symbol == game->wild)
				next |= here;
			else
				pay += run_pay(game, lines, window, here, lead, symbol);
		}
		wild = next;
	}
	return pay + bits_in(wild) * game->wild_pay[game->reels];
}
