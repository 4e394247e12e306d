/* Sticky respins: what the exact mathematics says of a spin, against all rounds of small games. */
#include "libcommon/game/features/sticky-respins/exact_parts.h"
#include "libcommon/game/test/random_game.h"
#include "libcommon/game/test/round_space.h"
#include "tests/support/effort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define EUR 978u
enum { WILD, GEM, HIGH, LOW, SCATTER, CROWN, SYMBOLS };
enum { BASE, FREE, STICKY, AWARDING, SETS };

static uint32_t pick(struct dice *dice, uint32_t reel, const uint32_t shown[SYMBOLS])
{
	for (;;) {
		uint32_t s = dice_below(dice, SYMBOLS);

		if ((s == SCATTER || s == CROWN) && shown[s] > 0)
			continue; /* one a reel */
		if (s == WILD && reel == 0 && dice_chance(dice, 1, 2))
			continue;
		return s;
	}
}

static void strips(struct dice *dice, struct game *game, uint32_t set, uint32_t stops)
{
	for (uint32_t r = 0; r < game->reels; r++) {
		struct game_strip *strip = &game->strips[set].reel[r];
		uint32_t shown[SYMBOLS] = { 0 };

		strip->length = game->rows + dice_below(dice, stops + 1 - game->rows);
		for (uint32_t i = 0; i < strip->length; i++) {
			uint32_t s = pick(dice, r, shown);

			if (r == game->sticky.reel && i < 2 && set != STICKY)
				s = GEM;
			shown[s]++;
			strip->symbol[i] = (uint8_t)s;
			strip->stop_weight[i] = (uint16_t)(1 + (i == 1));
		}
	}
}

/* The paid spin of games whose free spin is looked at: it only awards. */
static void awarding_strips(struct game *game)
{
	for (uint32_t r = 0; r < game->reels; r++) {
		struct game_strip *strip = &game->strips[AWARDING].reel[r];

		strip->length = game->rows;
		for (uint32_t i = 0; i < strip->length; i++) {
			strip->symbol[i] = i == 0 ? SCATTER : r % 2 ? HIGH : LOW;
			strip->stop_weight[i] = i == 0;
		}
		strip->stop_weight[0] = 1;
	}
}

static void symbols(struct dice *dice, struct game *game)
{
	static const enum symbol_kind kind[SYMBOLS] = { SYMBOL_WILD, SYMBOL_LINE, SYMBOL_LINE,
		SYMBOL_LINE, SYMBOL_SCATTER, SYMBOL_JACKPOT };

	game->symbol_count = SYMBOLS;
	for (uint32_t s = 0; s < SYMBOLS; s++) {
		game->symbol[s].kind = kind[s];
		game->symbol[s].id[0] = (char)('a' + s);
		for (uint32_t k = 2; k <= game->reels && s != SCATTER; k++)
			game->symbol[s].pay[k] = game->symbol[s].pay[k - 1] +
						 (k > 2 || s == GEM ? 1 + dice_below(dice, 9) : 0);
	}
	if (dice_chance(dice, 1, 2))
		memset(game->symbol[WILD].pay, 0, sizeof(game->symbol[WILD].pay));
	if (dice_chance(dice, 1, 2))
		game->symbol[SCATTER].pay[2] = 3;
	game->wild = WILD;
	game->bonus = GAME_NO_SYMBOL;
	game->scatter_symbols = 1;
	game->scatter[0] = SCATTER;
}

static void bets(struct game *game)
{
	struct game_currency *currency = &game->currency[0];

	game->lines_min = game->coins_min = 1;
	game->lines_max = game->line_count;
	game->coins_max = 2;
	game->currency_count = 1;
	currency->number = EUR;
	currency->coin_count = 1;
	currency->coin_minor[0] = 1;
	currency->stake_min.minor = 1;
	currency->stake_max.minor = currency->price_max.minor = 1000000;
}

static void tiny_game(struct dice *dice, uint32_t rows, struct game *game)
{
	static const uint32_t wild_multiplier[] = { 1, 2, 4 };

	memset(game, 0, sizeof(*game));
	game->reels = 3;
	game->rows = rows;
	symbols(dice, game);
	bets(game);
	game->strip_sets = SETS;
	game->sticky = (struct sticky_rules){ .offered = true,
		.strips = STICKY,
		.symbol = GEM,
		.reel = (uint8_t)(dice_chance(dice, 1, 4) ? 1 : 0),
		.at_least = 1 + dice_below(dice, rows),
		.spins = 1 + dice_below(dice, 2),
		.sticky = 1u << GEM | 1u << WILD };
	for (uint32_t set = BASE; set <= STICKY; set++)
		strips(dice, game, set, 4);
	awarding_strips(game);
	game->line_count = 1 + dice_below(dice, 5);
	for (uint32_t l = 0; l < game->line_count; l++)
		for (uint32_t r = 0; r < game->reels; r++)
			game->line[l][r] = (uint8_t)dice_below(dice, game->rows);
	game->lines_max = game->line_count;
	game->mode_count = 1;
	game->mode[0].price_hundredths = 100;
	game->free_spins = (struct free_spins_rules){ .offered = true,
		.strips = FREE,
		.line_multiplier = 1 + dice_below(dice, 2),
		.wild_multiplier_count = dice_chance(dice, 1, 2) ? 3 : 0,
		.award_symbol = SCATTER };
	memcpy(game->free_spins.wild_multiplier, wild_multiplier, sizeof(wild_multiplier));
	for (uint32_t c = 0; c < SPIN_CONTEXTS; c++) {
		game->free_spins.award[c][2] = (uint16_t)dice_below(dice, 3);
		game->free_spins.award[c][3] = (uint16_t)(2 + c);
	}
	game->jackpot_symbols = (struct jackpot_symbols){ .symbol = CROWN,
		.count = 3,
		.anywhere = dice_chance(dice, 1, 3),
		.max_bet_only = dice_chance(dice, 1, 2) };
	game_compile(game);
}

static void same(const char *what, uint64_t seed, const mpq_t exact, const mpq_t counted)
{
	if (!mpq_equal(exact, counted)) {
		gmp_printf("%s: exact %Qd, counted %Qd\n", what, exact, counted);
		fail_msg("%s, seed %llu", what, (unsigned long long)seed);
	}
}

static void check_zeros(
	uint64_t seed, const struct spin_yield *yield, const struct round_space *space)
{
	mpq_t zero[SPACE_AWARDS_MAX];

	for (uint32_t i = 0; i < SPACE_AWARDS_MAX; i++)
		mpq_init(zero[i]);
	for (uint32_t i = 0; i < yield->zero_count; i++)
		mpq_set(zero[yield->zero[i].awards], yield->zero[i].p);
	for (uint32_t i = 0; i < SPACE_AWARDS_MAX; i++) {
		same("P(no win, awards)", seed, zero[i], space->nothing[i]);
		mpq_clear(zero[i]);
	}
}

/* The best of one respin, and how often a respin is that. */
static void check_most(uint64_t seed, const struct exact_work *work,
	const struct exact_wager *wager, enum spin_context context, struct round_space *space)
{
	static struct exact_mode mode;

	mpq_inits(mode.max_win, mode.max_win_probability, NULL);
	sticky_offer_most(work, wager, context, &mode);
	if (mpq_sgn(space->sticky_most) > 0) {
		mpq_div(space->sticky_mosts, space->sticky_mosts, space->stickies);
		same("P(most)", seed, mode.max_win_probability, space->sticky_mosts);
	}
	same("most", seed, mode.max_win, space->sticky_most);
	mpq_clears(mode.max_win, mode.max_win_probability, NULL);
}

static void check_context(
	uint64_t seed, struct game *game, const struct bet *bet, enum spin_context context)
{
	struct exact_wager wager = {
		.lines = bet->lines, .coins = bet->coins, .max = bet_is_max(game, bet)
	};
	struct exact_work work = { .game = game, .depth = EXACT_ALL };
	struct spin_figures *figures = spin_figures_new(
		game, context == CONTEXT_BASE ? &game->mode[0] : NULL, context, EXACT_ALL);
	struct round_space space;
	struct spin_yield yield;
	mpq_t total;

	mpq_inits(wager.jackpot, total, NULL);
	mpq_set_ui(wager.jackpot, 22, 7);
	assert_int_equal(sticky_respins_exact.prepare(&work), EXACT_OK);
	assert_int_equal(spin_figures_yield(figures, &wager, &yield), EXACT_OK);
	sticky_respins_exact.yield(&work, &wager, context, &yield);
	game->mode[0].strips = context == CONTEXT_BASE ? BASE : AWARDING;
	game_compile(game);
	round_space_init(&space);
	round_space_walk(game, bet, NULL, context, wager.jackpot, &space);
	game->mode[0].strips = BASE;
	game_compile(game);
	check_most(seed, &work, &wager, context, &space);
	yield_total(&yield, total);
	same("win", seed, total, space.win);
	same("sticky", seed, yield.win[SOURCE_STICKY], space.kind[PHASE_STICKY_SPIN]);
	same("awards", seed, yield.awards, space.awards);
	same("win^2", seed, yield.win2, space.win2);
	same("win awards", seed, yield.win_awards, space.win_awards);
	same("awards^2", seed, yield.awards2, space.awards2);
	check_zeros(seed, &yield, &space);
	round_space_free(&space);
	yield_free(&yield);
	spin_figures_free(&figures);
	sticky_respins_exact.free(&work);
	mpq_clears(wager.jackpot, total, NULL);
}

/* RULE mona-lisa 3.2 to 3.7, 3.13, 3.17, 4.5 */
static void test_sticky_spin_is_that_of_all_rounds(void **state)
{
	static struct game game;

	(void)state;
	for (uint64_t seed = 1; seed <= effort(40); seed++) {
		struct dice dice = { seed };
		struct bet bet = { .currency = EUR, .coin_minor = 1 };

		tiny_game(&dice, seed % 4 == 0 ? 1 : 2, &game); /* one row is a grid too */
		bet.lines = 1 + dice_below(&dice, game.lines_max);
		bet.coins = 1 + dice_below(&dice, 2);
		check_context(seed, &game, &bet, CONTEXT_BASE);
		check_context(seed, &game, &bet, CONTEXT_FREE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sticky_spin_is_that_of_all_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
