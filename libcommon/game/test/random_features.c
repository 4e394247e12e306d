#include "libcommon/game/test/random_features.h"

#include <string.h>

enum { WILD, SCATTER, BONUS, CROWN, RED, BLUE, GREEN, LINES_FROM };
enum { SET_BASE, SET_FREE, SET_PLAIN, SETS };

static uint8_t symbol_draw(struct dice *dice, const struct game *game, uint32_t set)
{
	uint32_t special = game->hold.offered ? 4 : 12; /* bonus symbols enough to hold */

	if (set != SET_PLAIN && dice_chance(dice, 2, special))
		return game->hold.offered || dice_chance(dice, 1, 2) ? BONUS : CROWN;
	if (dice_chance(dice, 1, 8))
		return WILD;
	return (uint8_t)(LINES_FROM + dice_below(dice, game->symbol_count - LINES_FROM));
}

static void strip_fill(struct dice *dice, const struct game *game, uint32_t set, uint32_t reel,
	struct game_strip *strip)
{
	uint32_t block = game->rows + 1; /* potions and scatters stand this far apart */

	memset(strip, 0, sizeof(*strip));
	strip->length = block * (2 + dice_below(dice, 3));
	for (uint32_t i = 0; i < strip->length; i++) {
		strip->symbol[i] = symbol_draw(dice, game, set);
		strip->stop_weight[i] =
			(uint16_t)(dice_chance(dice, 1, 4) ? 1 + dice_below(dice, 3) : 1);
	}
	if (set == SET_PLAIN)
		return;
	strip->symbol[dice_below(dice, game->rows)] = SCATTER;
	if (set != SET_BASE || !game->unlock.offered || reel == 0 || reel + 1 == game->reels)
		return;
	for (uint32_t i = block - 1; i < strip->length;
		i += block) /* of each colour now and then */
		strip->symbol[i] = (uint8_t)(RED + dice_below(dice, GAME_COLOURS));
}

static void symbols_fill(struct dice *dice, struct game *game)
{
	static const enum symbol_kind kinds[LINES_FROM] = { SYMBOL_WILD, SYMBOL_SCATTER,
		SYMBOL_BONUS, SYMBOL_JACKPOT, SYMBOL_COLLECTIBLE, SYMBOL_COLLECTIBLE,
		SYMBOL_COLLECTIBLE };

	game->symbol_count = LINES_FROM + 3 + dice_below(dice, 3);
	for (uint32_t s = 0; s < game->symbol_count; s++) {
		struct game_symbol *symbol = &game->symbol[s];
		uint32_t pay = s == SCATTER ? 0 : 2;

		symbol->kind = s < LINES_FROM ? kinds[s] : SYMBOL_LINE;
		if (symbol->kind == SYMBOL_BONUS || symbol->kind == SYMBOL_COLLECTIBLE)
			continue;
		if (s == WILD && dice_chance(dice, 1, 2))
			continue;
		for (uint32_t k = 3; k <= game->reels; k++)
			symbol->pay[k] = pay += dice_below(dice, 6);
	}
	game->wild = WILD;
	game->bonus = BONUS;
	game->scatter_symbols = 1;
	game->scatter[0] = SCATTER;
}

static void awards_and_picks(struct dice *dice, struct game *game)
{
	if (dice_chance(dice, 1, 2)) {
		game->scatter_count_min = 2;
		for (uint32_t k = 2; k <= game->reels; k++) {
			game->scatter_award_count[k] = 2;
			game->scatter_award[k][0] = (struct scatter_outcome){ 3, 0 };
			game->scatter_award[k][1] =
				(struct scatter_outcome){ 1, 1 + dice_below(dice, 2) };
		}
	}
	if (game->hold.offered || game->unlock.offered || dice_chance(dice, 1, 2))
		return;
	game->bonus_count_min = 4;
	game->pick_outcome_count = 3;
	game->pick_outcome[0] = (struct pick_outcome){ PICK_MONEY, 3, 10, 0 };
	game->pick_outcome[1] = (struct pick_outcome){ PICK_FREE_SPINS, 2, 6, -1 };
	game->pick_outcome[2] = (struct pick_outcome){ PICK_JACKPOT, 0, 1, 1 };
}

static void free_and_sticky(struct dice *dice, struct game *game)
{
	struct free_spins_rules *rules = &game->free_spins;

	*rules = (struct free_spins_rules){ .offered = true,
		.strips = SET_FREE,
		.line_multiplier = 1 + dice_below(dice, 2),
		.award_symbol = GAME_NO_SYMBOL };
	if (dice_chance(dice, 1, 2)) {
		rules->wild_multiplier_count = 3;
		memcpy(rules->wild_multiplier, (const uint32_t[]){ 1, 2, 4 }, 3 * sizeof(uint32_t));
	}
	if (game->scatter_count_min == 0) {
		rules->award_symbol = SCATTER;
		rules->award[CONTEXT_BASE][3] = 2;
		rules->award[CONTEXT_BASE][4] = rules->award[CONTEXT_FREE][4] = 3;
		rules->award[CONTEXT_RESPIN][1] = rules->award[CONTEXT_RESPIN][2] = 1;
	}
	if (game->unlock.offered || game->hold.offered || dice_chance(dice, 1, 3))
		return;
	game->sticky = (struct sticky_rules){ .offered = true,
		.strips = SET_FREE,
		.symbol = LINES_FROM,
		.reel = (uint8_t)dice_below(dice, 2),
		.at_least = 2,
		.spins = 1 + dice_below(dice, 2),
		.sticky = 1u << LINES_FROM | 1u << WILD };
}

static void choices_fill(struct dice *dice, struct choices *choices, uint32_t count, uint32_t from)
{
	choices->count = count;
	for (uint32_t i = 0; i < count; i++)
		choices->of[i] = (struct choice){ from + i, 1 + dice_below(dice, 9) };
}

static void hold_fill(struct dice *dice, struct game *game)
{
	struct hold_rules *hold = &game->hold;

	*hold = (struct hold_rules){ .offered = true,
		.symbol = BONUS,
		.at_least = 5,
		.respins = 2 + dice_below(dice, 2),
		.cell = { 1, 6 + dice_below(dice, 6) },
		.mystery_weight = 3,
		.multiplier_weight = 3,
		.award_count = 2,
		.exclude_from = 3,
		.full_multiplier = 2 };
	choices_fill(dice, &hold->value, 5, 1);
	choices_fill(dice, &hold->multiplier, 2, 2);
	hold->award[0] = (struct hold_award){ "small", "", 5, 3, false };
	hold->award[1] = (struct hold_award){ "grand", "", 20, 2, true };
}

static void unlock_fill(struct dice *dice, struct game *game)
{
	static const uint8_t needs[UNLOCK_KINDS][GAME_COLOURS] = { { 1, 1, 1 }, { 1, 2, 0 },
		{ 1, 0, 2 }, { 0, 2, 1 } };
	struct unlock_rules *rules = &game->unlock;

	*rules = (struct unlock_rules){ .offered = true,
		.symbol = { RED, BLUE, GREEN },
		.step_count = UNLOCK_KINDS,
		.explosion = { 1, 2 },
		.free_feature = { 1, 4 },
		.mega_count = 2 };
	for (uint32_t k = 0; k < UNLOCK_KINDS; k++) {
		rules->step[k].kind = (enum unlock_kind)k;
		memcpy(rules->step[k].needs, needs[k], sizeof(needs[k]));
		rules->step[k].strips = SET_PLAIN;
		rules->explosion_locked[k] = (struct odds){ (uint32_t)k, 4 };
	}
	for (uint32_t r = 0; r < game->reels; r++) {
		choices_fill(dice, &rules->wilds[r], 3, 0);
		choices_fill(dice, &rules->marks[r], 2, 0);
	}
	choices_fill(dice, &rules->multiplier, 3, 2);
	choices_fill(dice, &rules->revealed, 2, LINES_FROM);
	rules->mega[0] = (struct mega_wild){ 2, 0x1b };
	rules->mega[1] = (struct mega_wild){ 1, 0xd8 };
	rules->free_set = (struct choices){ .count = 3,
		.of = { { 1u << UNLOCK_MULTIPLIER, 2 }, { 1u << UNLOCK_RANDOM_WILDS, 1 },
			{ 1u << UNLOCK_MULTIPLIER | 1u << UNLOCK_MEGA_WILD, 1 } } };
}

static void bets_fill(struct game *game)
{
	struct game_currency *currency = &game->currency[0];

	game->lines_min = 1;
	game->lines_max = game->line_count;
	game->coins_min = 1;
	game->coins_max = 2;
	game->currency_count = 1;
	*currency = (struct game_currency){ .number = RANDOM_CURRENCY,
		.coin_count = 1,
		.coin_minor = { RANDOM_COIN },
		.coin_buys = { true },
		.stake_min = { 1 },
		.stake_max = { 1000000 },
		.price_max = { 10000000 } };
	game->jackpot = (struct jackpot_link){ .pool = 1, .row_count = 1 };
	game->jackpot.row[0] = (struct jackpot_row){
		.currency = RANDOM_CURRENCY, .coin_minor = RANDOM_COIN, .seed_minor = 500
	};
	game->mode_count = 2;
	game->mode[0] = (struct game_mode){ .id = "base", .price_hundredths = 100 };
	game->mode[1] =
		(struct game_mode){ .id = "wild", .price_hundredths = 500, .position_count = 2 };
	game->mode[1].position[0] = (struct wild_position){ 3, 1u << 1 };
	game->mode[1].position[1] = (struct wild_position){ 1, 1u << 2 };
}

void random_features(struct dice *dice, struct game *game_r)
{
	struct game *game = game_r;

	memset(game, 0, sizeof(*game));
	game->reels = 4 + dice_below(dice, 2);
	game->rows = 3;
	game->hold.symbol = game->sticky.symbol = GAME_NO_SYMBOL;
	symbols_fill(dice, game);
	game->jackpot_symbols =
		(struct jackpot_symbols){ .symbol =
						  dice_chance(dice, 1, 2) ? CROWN : GAME_NO_SYMBOL,
			.count = game->reels - dice_below(dice, 2),
			.anywhere = dice_chance(dice, 1, 3),
			.max_bet_only = dice_chance(dice, 1, 2) };
	if (dice_chance(dice, 1, 2))
		unlock_fill(dice, game);
	if (!game->unlock.offered && dice_chance(dice, 1, 2))
		hold_fill(dice, game);
	awards_and_picks(dice, game);
	free_and_sticky(dice, game);
	game->strip_sets = SETS;
	for (uint32_t set = 0; set < SETS; set++)
		for (uint32_t r = 0; r < game->reels; r++)
			strip_fill(dice, game, set, r, &game->strips[set].reel[r]);
	if (!game->unlock.offered && dice_chance(dice, 1, 3))
		game->expanding_reels = 1u << dice_below(dice, game->reels);
	game->line_count = 3 + dice_below(dice, 8);
	for (uint32_t l = 0; l < game->line_count; l++)
		for (uint32_t r = 0; r < game->reels; r++)
			game->line[l][r] = (uint8_t)dice_below(dice, game->rows);
	bets_fill(game);
	game_compile(game);
}

struct bet random_bet(const struct game *game, uint32_t mode)
{
	return (struct bet){ RANDOM_CURRENCY, RANDOM_COIN, game->line_count, game->coins_max,
		mode };
}
