#include "libcommon/game/test/tiny_game.h"

#include "libcommon/game/exact/spin_rank_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define EUR 978u

enum { WILD, SCATTER, BONUS, CROWN, FIRST_LINE };

/* One scatter a reel at most, as the loader asks for, or one symbol that counts as one. */
static void one_scatter(const struct game *game, struct game_strip *strip)
{
	bool seen = false;

	for (uint32_t i = 0; i < strip->length; i++) {
		if ((game_counts_as(game, SCATTER) >> strip->symbol[i] & 1) == 0)
			continue;
		if (seen)
			strip->symbol[i] = FIRST_LINE;
		seen = true;
	}
}

static void short_strips(struct dice *dice, struct game *game, uint32_t set, bool plain)
{
	uint32_t most = plain ? 1 : game->reels == 2 ? 1 : 3;

	for (uint32_t r = 0; r < game->reels; r++) {
		struct game_strip *strip = &game->strips[set].reel[r];

		memset(strip, 0, sizeof(*strip));
		strip->length = 2 + (plain ? 0 : dice_below(dice, most + 1));
		if (strip->length < game->rows)
			strip->length = game->rows;
		for (uint32_t i = 0; i < strip->length; i++) {
			uint32_t symbol = dice_below(dice, game->symbol_count);

			if (dice_chance(dice, 1, 3))
				symbol = dice_below(dice, 2) * FIRST_LINE;
			if (game->jackpot_symbols.symbol == CROWN && dice_chance(dice, 1, 4))
				symbol = CROWN;
			if (plain &&
				(symbol == BONUS || game_counts_as(game, SCATTER) >> symbol & 1))
				symbol = CROWN;
			strip->symbol[i] = (uint8_t)symbol;
			strip->stop_weight[i] = (uint16_t)(dice_chance(dice, 1, 6) ? 2 : 1);
		}
		one_scatter(game, strip);
	}
}

static void money(struct game *game)
{
	game->lines_min = 1;
	game->lines_max = game->line_count;
	game->coins_min = 1;
	game->coins_max = 2;
	game->currency_count = 1;
	game->currency[0] = (struct game_currency){ .number = EUR,
		.coin_count = 1,
		.coin_minor = { 10 },
		.coin_buys = { true },
		.stake_min = { 1 },
		.stake_max = { 1000000 },
		.price_max = { 1000000 } };
	game->jackpot = (struct jackpot_link){
		.pool = 1, .contribution_ppm = 5000, .base_coin_minor = 10, .base_seed_minor = 770
	};
}

static void add_scatter_award(struct dice *dice, struct game *game)
{
	game->scatter_count_min = 2;
	for (uint32_t n = 2; n <= game->reels; n++) {
		game->scatter_award_count[n] = 2;
		game->scatter_award[n][0] = (struct scatter_outcome){ 1 + dice_below(dice, 2), 0 };
		game->scatter_award[n][1] = (struct scatter_outcome){ 1, 1 };
	}
}

/* The odds of the jackpot follow y = lines x coins, at most 3 x 2. */
static void add_picks(struct game *game)
{
	game->bonus_count_min = 2;
	game->picks_offered = 3;
	game->picks_made = 1;
	game->pick_outcome_count = 4;
	game->pick_outcome[0] = (struct pick_outcome){ PICK_JACKPOT, 0, 0, 1 };
	game->pick_outcome[1] = (struct pick_outcome){ PICK_MONEY, 3, 13, -2 };
	game->pick_outcome[2] = (struct pick_outcome){ PICK_MONEY, 7, 1, 1 };
	game->pick_outcome[3] = (struct pick_outcome){ PICK_FREE_SPINS, 1, 2, 0 };
}

static void add_free_spins(struct dice *dice, uint32_t features, struct game *game)
{
	static const uint32_t multiplier[] = { 1, 2, 5 };

	game->free_spins.offered = true;
	game->free_spins.strips = 1;
	game->free_spins.line_multiplier = 1 + dice_below(dice, 3);
	if (features & TINY_WILD_MULTIPLIERS) {
		game->free_spins.wild_multiplier_count = 3;
		memcpy(game->free_spins.wild_multiplier, multiplier, sizeof(multiplier));
	}
	if (!(features & TINY_FREE_SPINS))
		return;
	game->free_spins.award_symbol = SCATTER;
	game->free_spins.award[CONTEXT_BASE][2] = 1;
	game->free_spins.award[CONTEXT_BASE][3] = 2;
}

static void fill(struct choices *choices, uint32_t count, const uint32_t (*of)[2])
{
	for (uint32_t i = 0; i < count; i++)
		choices->of[i] = (struct choice){ of[i][0], of[i][1] };
	choices->count = count;
}

static void add_hold(struct dice *dice, struct game *game)
{
	static const uint32_t values[][2] = { { 1, 1 }, { 3, 1 } };
	static const uint32_t multipliers[][2] = { { 2, 1 }, { 3, 1 } };
	struct game_mode *bought = &game->mode[1];

	game->hold = (struct hold_rules){ .offered = true,
		.symbol = BONUS,
		.at_least = 2 + dice_below(dice, 2),
		.respins = 1 + dice_below(dice, 2),
		.cell = { 1, 2 + dice_below(dice, 2) },
		.mystery_weight = dice_below(dice, 2),
		.multiplier_weight = dice_below(dice, 2),
		.award_count = 2,
		.award = { { "mini", "Mini", 4, 1, false }, { "grand", "Grand", 20, 1, true } },
		.exclude_from = 2 + dice_below(dice, 2),
		.full_multiplier = 2 };
	fill(&game->hold.value, 2, values);
	fill(&game->hold.multiplier, 2, multipliers);
	for (uint32_t r = 0; r < game->reels; r++)
		game->strips[0].reel[r].symbol[0] = BONUS;
	bought->price_hundredths = 400;
	bought->guarantee = GUARANTEE_SYMBOLS;
	bought->guarantee_symbol = BONUS;
	bought->guarantee_min = game->hold.at_least;
	game->mode_count = 2;
}

static void add_bought(struct dice *dice, struct game *game)
{
	for (uint32_t m = 1; m <= 2; m++) {
		struct game_mode *mode = &game->mode[m];

		mode->price_hundredths = 300;
		mode->position_count = 2;
		mode->position[0] = (struct wild_position){ 1 + dice_below(dice, 3), 2 };
		mode->position[1] = (struct wild_position){ 2, 5 };
	}
	game->mode[2].guarantee = GUARANTEE_LINE_WIN;
	game->mode_count = 3;
	game->lines_min = game->lines_max;
}

static void add_cascades(struct dice *dice, struct game *game)
{
	game->expanding_reels = 0;
	game->own.cascade = (struct cascade_rules){ .tumbles_max = 1 + dice_below(dice, 4),
		.multiplier_count = { 1 + dice_below(dice, 3), 1 },
		.multiplier = { { 1 + dice_below(dice, 2), 3, 4 }, { 2 } } };
}

static void build_ranks(struct game *game)
{
	for (uint32_t m = 0; m < game->mode_count; m++) {
		enum spin_rank_status status;

		if (game->mode[m].guarantee == GUARANTEE_NONE)
			continue;
		status = spin_rank_build(game, m, &game->mode[m].rank);
		if (status == SPIN_RANK_NONE)
			game->mode_count = m; /* nothing keeps it: the mode is not sold */
		else
			assert_int_equal(status, SPIN_RANK_OK);
	}
}

void tiny_game(struct dice *dice, uint32_t features, struct game *game_r)
{
	struct random_shape shape = {
		.reels_max = 3, .rows_max = 2, .stops_max = 5, .lines_max = 3
	};
	struct game *game = game_r;

	random_game(dice, &shape, game);
	if (features & TINY_HOLD)
		game->reels = 2;
	game->mode[0].price_hundredths = 100;
	game->symbol[SCATTER].pay[2] = dice_below(dice, 3);
	game->symbol[SCATTER].pay[3] = 2 + dice_below(dice, 5);
	if (!(features & TINY_PROGRESSIVE))
		game->jackpot_symbols.symbol = GAME_NO_SYMBOL;
	else
		game->jackpot_symbols = (struct jackpot_symbols){ CROWN, 2 + dice_below(dice, 2),
			dice_chance(dice, 1, 2), dice_chance(dice, 1, 2) };
	if (features & TINY_WILD_COUNTS) {
		game->symbol[SCATTER].wild_counts = true;
		game->expanding_reels = 0;
	}
	game->strip_sets = 2;
	short_strips(dice, game, 0, false);
	short_strips(dice, game, 1, true);
	money(game);
	if (features & TINY_SCATTER_AWARD)
		add_scatter_award(dice, game);
	if (features & TINY_PICKS)
		add_picks(game);
	add_free_spins(dice, features, game);
	if (features & TINY_HOLD)
		add_hold(dice, game);
	if (features & TINY_BOUGHT)
		add_bought(dice, game);
	if (features & TINY_CASCADE)
		add_cascades(dice, game);
	game_compile(game);
	build_ranks(game);
}

void tiny_game_free(struct game *game)
{
	for (uint32_t m = 0; m < GAME_MODES_MAX; m++)
		if (game->mode[m].rank)
			spin_rank_free(&game->mode[m].rank);
}

struct bet tiny_bet(const struct game *game, uint32_t mode, uint32_t lines, uint32_t coins)
{
	return (struct bet){ .currency = EUR,
		.coin_minor = game->currency[0].coin_minor[0],
		.lines = lines,
		.coins = coins,
		.mode = mode };
}
