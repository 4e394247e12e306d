#include "libcommon/game/test/random_game.h"

#include <string.h>

#define LINE_SYMBOLS_FROM 4u

uint32_t dice_below(struct dice *dice, uint32_t n)
{
	uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ (z >> 31)) % n);
}

bool dice_chance(struct dice *dice, uint32_t in, uint32_t of)
{
	return dice_below(dice, of) < in;
}

static void random_pays(struct dice *dice, const struct game *game, struct game_symbol *symbol)
{
	uint32_t pay = 0;

	for (uint32_t k = 2; k <= game->reels; k++) {
		if (k > 2 || dice_chance(dice, 1, 2))
			pay += dice_below(dice, 30);
		symbol->pay[k] = pay;
	}
}

static void random_symbols(struct dice *dice, struct game *game)
{
	static const enum symbol_kind first[LINE_SYMBOLS_FROM] = { SYMBOL_WILD, SYMBOL_SCATTER,
		SYMBOL_BONUS, SYMBOL_JACKPOT };

	game->symbol_count = LINE_SYMBOLS_FROM + 2 + dice_below(dice, 4);
	for (uint32_t s = 0; s < game->symbol_count; s++) {
		struct game_symbol *symbol = &game->symbol[s];

		symbol->kind = s < LINE_SYMBOLS_FROM ? first[s] : SYMBOL_LINE;
		symbol->id[0] = (char)('a' + s);
		if (symbol->kind == SYMBOL_LINE || symbol->kind == SYMBOL_JACKPOT ||
			(symbol->kind == SYMBOL_WILD && dice_chance(dice, 1, 2)))
			random_pays(dice, game, symbol);
	}
	game->wild = 0;
	game->scatter_symbols = 1;
	game->scatter[0] = 1;
	game->bonus = 2;
	game->jackpot_symbols =
		(struct jackpot_symbols){ .symbol = dice_chance(dice, 1, 2) ? 3 : GAME_NO_SYMBOL,
			.count = game->reels };
}

void random_strips(struct dice *dice, struct game *game, uint32_t set, uint32_t stops_max)
{
	for (uint32_t r = 0; r < game->reels; r++) {
		struct game_strip *strip = &game->strips[set].reel[r];

		memset(strip, 0, sizeof(*strip));
		strip->length = game->rows + 2 + dice_below(dice, stops_max - game->rows - 1);
		for (uint32_t i = 0; i < strip->length; i++) {
			/* wilds and few different symbols, so that lines do win */
			strip->symbol[i] =
				(uint8_t)(dice_chance(dice, 1, 3)
						  ? dice_below(dice, 2) * LINE_SYMBOLS_FROM
						  : dice_below(dice, game->symbol_count));
			strip->stop_weight[i] =
				(uint16_t)(dice_chance(dice, 1, 4) ? 1 + dice_below(dice, 3) : 1);
		}
	}
}

void random_game(struct dice *dice, const struct random_shape *shape, struct game *game_r)
{
	struct game *game = game_r;

	memset(game, 0, sizeof(*game));
	game->reels = 3 + dice_below(dice, shape->reels_max - 2);
	game->rows = 2 + dice_below(dice, shape->rows_max - 1);
	random_symbols(dice, game);
	game->strip_sets = 1;
	random_strips(dice, game, 0, shape->stops_max);
	game->line_count = 1 + dice_below(dice, shape->lines_max);
	for (uint32_t l = 0; l < game->line_count; l++)
		for (uint32_t r = 0; r < game->reels; r++)
			game->line[l][r] = (uint8_t)dice_below(dice, game->rows);
	if (dice_chance(dice, 1, 3))
		game->expanding_reels = dice_below(dice, 1u << game->reels);
	game->free_spins.award_symbol = GAME_NO_SYMBOL;
	game->sticky.symbol = game->hold.symbol = GAME_NO_SYMBOL;
	game->mode_count = 1;
	game_compile(game);
}
