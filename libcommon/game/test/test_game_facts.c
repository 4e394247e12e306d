/* What the published rules say in numbers, looked up in the definitions that are shipped. */
#include "libcommon/game/definition_load.h"
#include "libcommon/game/round.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define EUR 978u

static const struct game *load(const char *id)
{
	static struct game game;
	char path[256], error[DEFINITION_ERROR_MAX];

	definition_free(&game);
	snprintf(path, sizeof(path), "services/spin-engine/games/%s/definition.json", id);
	if (definition_load(path, &game, error) != DEFINITION_OK)
		fail_msg("%s", error);
	return &game;
}

static uint32_t kinds(const struct game *game, enum symbol_kind kind)
{
	uint32_t count = 0;

	for (uint32_t s = 0; s < game->symbol_count; s++)
		count += game->symbol[s].kind == kind;
	return count;
}

/* Bit r: the strip of reel r in that set holds the symbol. */
static uint32_t reels_with(const struct game *game, uint32_t set, uint8_t symbol)
{
	uint32_t reels = 0;

	for (uint32_t r = 0; r < game->reels; r++)
		if (memchr(game->strips[set].reel[r].symbol, symbol,
			    game->strips[set].reel[r].length))
			reels |= 1u << r;
	return reels;
}

/* The most of a symbol that one window of a reel shows. */
static uint32_t most_seen(const struct game *game, uint32_t set, uint32_t reel, uint8_t symbol)
{
	const struct game_strip *strip = &game->strips[set].reel[reel];
	uint32_t most = 0;

	for (uint32_t stop = 0; stop < strip->length; stop++) {
		uint32_t seen = 0;

		for (uint32_t row = 0; row < game->rows; row++)
			seen += strip->symbol[stop + row] == symbol;
		most = seen > most ? seen : most;
	}
	return most;
}

static const struct game_mode *mode_of(const struct game *game, const char *id)
{
	for (uint32_t m = 0; m < game->mode_count; m++)
		if (strcmp(game->mode[m].id, id) == 0)
			return &game->mode[m];
	fail_msg("%s has no mode %s", game->id, id);
	return &game->mode[0];
}

/* Every mode publishes that return; [from, below) is what rounds to it. */
static void check_published(const struct game *game, const char *percent, uint32_t from_ppm)
{
	for (uint32_t m = 0; m < game->mode_count; m++) {
		assert_int_equal(game->mode[m].published_count, 1);
		assert_string_equal(game->mode[m].published[0].percent, percent);
		assert_int_equal(game->mode[m].published[0].bets, PUBLISHED_ALL_BETS);
		assert_int_equal(game->mode[m].published[0].from_ppm, from_ppm);
		assert_int_equal(game->mode[m].published[0].below_ppm, from_ppm + 100);
	}
}

/* RULE mystic-gem 1.1, 1.2, 1.3, 2.1, 2.6, 2.9, 2.12, 2.14, 4.1, 4.2, 4.7, 5.1, 5.5, 6.17 */
static void test_mystic_gem(void **unused)
{
	const struct game *game = load("mystic-gem");
	const struct game_currency *euro = game_currency(game, EUR);

	(void)unused;
	assert_int_equal(game->reels * 10 + game->rows, 54);
	assert_true(game->lines_min == 40 && game->lines_max == 40 && game->coins_max == 1);
	assert_int_equal(euro->stake_min.minor, 40);
	assert_int_equal(euro->stake_max.minor, 5000);
	assert_int_equal(game->symbol_count, 11);
	assert_int_equal(kinds(game, SYMBOL_LINE), 8);
	assert_int_equal(kinds(game, SYMBOL_WILD), 1);
	assert_int_equal(kinds(game, SYMBOL_SCATTER), 2);
	assert_int_equal(game->expanding_reels, 0xe);
	for (uint32_t set = 0; set < game->strip_sets; set++)
		assert_int_equal(reels_with(game, set, game->wild) & ~0xeu, 0);
	for (uint32_t n = 1; n <= game->reels; n++)
		assert_int_equal(game->symbol[game->wild].pay[n], 0);
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t r = 0; r < game->reels; r++)
			assert_true(most_seen(game, game->mode[0].strips, r, game->scatter[i]) < 2);
	assert_int_equal(euro->coin_minor[0] * game->lines_max, 40);
	assert_int_equal(euro->coin_minor[euro->coin_count - 1] * game->lines_max, 5000);
	assert_true(game->cards.pool == 2 && game->cards.eligible);
	check_published(game, "96.08", 960750);
	assert_int_equal(euro->gamble_stake_max.minor, 4200);
	assert_int_equal(game->gamble.attempts_max, 5);
	assert_false(game->gamble.base_lines_only);
	assert_true(game->autoplay.offered && game->autoplay.loss_rule == LOSS_BELOW_ZERO &&
		    game->autoplay.win_rule == WIN_REACHES);
}

/* RULE mystic-gem 3.1, 3.2, 3.3, 3.5 to 3.8, 3.11 */
static void test_mystic_gem_modes(void **unused)
{
	static const struct {
		const char *id;
		uint32_t price, wild_reels;
		bool sure;
	} rows[] = { { "wild_1", 450, 1, false }, { "wild_2", 1500, 2, false },
		{ "wild_3", 7150, 3, false }, { "wild_1_sure", 1200, 1, true },
		{ "wild_2_sure", 2500, 2, true } };
	const struct game *game = load("mystic-gem");

	(void)unused;
	assert_int_equal(game->mode_count, 6);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct game_mode *mode = mode_of(game, rows[i].id);

		assert_int_equal(mode->price_hundredths, rows[i].price);
		assert_int_equal(
			mode->guarantee, rows[i].sure ? GUARANTEE_LINE_WIN : GUARANTEE_NONE);
		assert_int_equal(reels_with(game, mode->strips, game->wild), 0);
		for (uint32_t p = 0; p < mode->position_count; p++) {
			uint32_t reels = mode->position[p].reels;

			assert_int_equal(reels & ~0xeu, 0);
			assert_int_equal(__builtin_popcount(reels), rows[i].wild_reels);
			for (uint32_t s = 0; s < 2; s++)
				assert_true(__builtin_popcount(reels_with(game, mode->strips,
								       game->scatter[s]) &
							       ~reels) < 4);
		}
	}
}

/* RULE mystery-elves 1.1, 1.2, 2.4, 2.7, 2.8, 3.1, 3.2, 3.6, 3.9 to 3.13, 4.1, 4.3, 4.5, 5.1, 5.5,
 * 5.7, 5.9, 6.1, 6.4, 6.5, 6.6, 6.9 */
static void test_mystery_elves(void **unused)
{
	const struct game *game = load("mystery-elves");
	const struct hold_rules *hold = &game->hold;
	const struct game_mode *buy = mode_of(game, "hold");
	static const char *const awards[] = { "mini", "minor", "major", "grand" };

	(void)unused;
	assert_int_equal(game->reels * 10 + game->rows, 53);
	assert_true(game->lines_min == 10 && game->lines_max == 10 && game->coins_max == 1);
	assert_int_equal(kinds(game, SYMBOL_SCATTER), 1);
	assert_int_equal(game->symbol[hold->symbol].kind, SYMBOL_BONUS);
	for (uint32_t set = 0; set < game->strip_sets; set++)
		for (uint32_t r = 0; r < game->reels; r++)
			assert_true(most_seen(game, set, r, game->scatter[0]) < 2);
	for (uint32_t n = 1; n <= game->reels; n++)
		assert_int_equal(game->symbol[game->wild].pay[n], 0);
	assert_true(game->autoplay.offered && !game->autoplay.feature_stop_offered);
	assert_true(hold->at_least == 6 && hold->respins == 3 && hold->full_multiplier == 2);
	assert_int_equal(hold->value.count, 18);
	for (uint32_t i = 0; i < hold->value.count; i++)
		assert_in_range(hold->value.of[i].x, 1, 18);
	assert_int_equal(hold->award_count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_string_equal(hold->award[i].id, awards[i]);
		assert_int_equal(hold->award[i].excluded, i == 3);
	}
	assert_int_equal(hold->exclude_from, 3);
	for (uint32_t i = 0; i < hold->multiplier.count; i++)
		assert_in_range(hold->multiplier.of[i].x, 2, 5);
	assert_true(game->symbol[game->scatter[0]].wild_counts);
	assert_int_equal(buy->price_hundredths, 7000);
	assert_true(buy->one_spin);
	for (uint32_t c = 0; c < game->currency_count; c++)
		for (uint32_t i = 0; i < game->currency[c].coin_count; i++) {
			struct bet bet = { .currency = game->currency[c].number,
				.coin_minor = game->currency[c].coin_minor[i],
				.lines = 10,
				.coins = 1,
				.mode = (uint32_t)(buy - game->mode) };
			struct bet_error error;
			struct money price;

			assert_int_equal(bet_check(game, &bet, &price, &error), BET_OK);
			assert_int_equal(price.minor, 700 * bet.coin_minor);
		}
	assert_int_equal(buy->guarantee, GUARANTEE_SYMBOLS);
	assert_int_equal(buy->guarantee_min, 6);
	assert_int_equal(buy->guarantee_symbol, hold->symbol);
	check_published(game, "95.01", 950050);
	assert_int_equal(game_currency(game, EUR)->gamble_stake_max.minor, 12500000);
	assert_true(
		game->gamble.attempts_max == 10 && game->gamble.halve && game->gamble.jokers == 2);
	assert_true(game->autoplay.loss_rule == LOSS_BELOW_ZERO &&
		    game->autoplay.win_rule == WIN_EXCEEDS);
	assert_int_equal(game->resolve_after_hours, 120);
}

/* RULE mona-lisa 1.1, 1.2, 1.9
 * to 1.11, 2.6, 3.1, 3.3, 3.7, 3.10, 3.11, 4.2, 4.6, 4.8, 4.14, 5.1, 5.3, 5.4, 6.4 */
static void test_mona_lisa(void **unused)
{
	const struct game *game = load("mona-lisa");
	const struct game_mode *mode = &game->mode[0];
	static const uint32_t doubling[] = { 1, 2, 4, 8 };

	(void)unused;
	assert_int_equal(game->reels * 10 + game->rows, 53);
	assert_true(game->lines_min == 1 && game->lines_max == 25);
	assert_true(game->coins_min == 1 && game->coins_max == 10);
	assert_int_equal(mode->published_count, 2);
	assert_string_equal(mode->published[0].percent, "94.30");
	assert_int_equal(mode->published[0].bets, PUBLISHED_BELOW_MAX_BET);
	assert_string_equal(mode->published[1].percent, "94.60");
	assert_int_equal(mode->published[1].bets, PUBLISHED_MAX_BET);
	assert_false(game->gamble.offered);
	assert_int_equal(game->pick_outcome_count + game->scatter_count_min, 0);
	assert_true(
		game->sticky.reel == 0 && game->sticky.at_least == 2 && game->sticky.spins == 2);
	for (uint32_t n = 3; n <= 5; n++)
		assert_int_equal(game->free_spins.award[CONTEXT_BASE][n], 10);
	assert_int_equal(game->free_spins.wild_multiplier_count, 4);
	assert_memory_equal(game->free_spins.wild_multiplier, doubling, sizeof(doubling));
	assert_int_equal(game->free_spins.line_multiplier, 1);
	for (uint32_t n = 1; n <= game->reels; n++)
		assert_int_equal(game->symbol[game->wild].pay[n], 0);
	for (uint32_t n = 3; n <= game->reels; n++) { /* in every kind of spin */
		assert_true(game->symbol[game->free_spins.award_symbol].pay[n] > 0);
		assert_int_equal(game->free_spins.award[CONTEXT_FREE][n], 10);
	}
	assert_int_equal(game->free_spins.award[CONTEXT_RESPIN][3], 10);
	assert_int_equal(game->free_spins.award[CONTEXT_RESPIN][4], 10);
	assert_int_equal(game->sticky.sticky,
		UINT32_C(1) << game->sticky.symbol | UINT32_C(1) << game->wild);
	assert_true(game->jackpot_symbols.count == 5 && game->jackpot_symbols.max_bet_only &&
		    !game->jackpot_symbols.anywhere);
	for (uint32_t set = 0; set < game->strip_sets; set++)
		for (uint32_t r = 0; r < game->reels; r++)
			assert_true(most_seen(game, set, r, game->jackpot_symbols.symbol) < 2);
	assert_int_equal(game->jackpot.contribution_ppm, 5000);
	assert_int_equal(game->jackpot.base_seed_minor, 50000000);
	assert_int_equal(jackpot_row(&game->jackpot, EUR, 1)->seed_minor, 50000);
	assert_int_equal(jackpot_row(&game->jackpot, EUR, 20)->seed_minor, 1000000);
	assert_true(game->autoplay.loss_rule == LOSS_BELOW_ZERO &&
		    game->autoplay.win_rule == WIN_REACHES && game->autoplay.jackpot_stop_offered);
	assert_int_equal(game->resolve_after_hours, 120);
}

/* RULE mona-lisa 3.21, 3.22: windows of reel 1 that start jewel spins, base and free. */
static void test_mona_lisa_jewel_windows(void **unused)
{
	const struct game *game = load("mona-lisa");
	const uint8_t sets[] = { game->mode[0].strips, game->free_spins.strips };

	(void)unused;
	for (size_t i = 0; i < sizeof(sets); i++) {
		const struct game_strip *strip = &game->strips[sets[i]].reel[0];
		uint32_t shown[GAME_ROWS_MAX][GAME_SYMBOLS_MAX] = { { 0 } };

		for (uint32_t stop = 0; stop < strip->length; stop++) {
			const uint8_t *window = strip->symbol + stop;
			uint32_t jewels = 0;

			for (uint32_t row = 0; row < game->rows; row++)
				jewels += window[row] == game->sticky.symbol;
			if (jewels < game->sticky.at_least)
				continue;
			for (uint32_t row = 0; row < game->rows; row++) {
				assert_int_not_equal(window[row], game->free_spins.award_symbol);
				shown[row][window[row]] += strip->stop_weight[stop];
			}
		}
		for (uint32_t row = 1; row < game->rows; row++)
			assert_memory_equal(shown[row], shown[0], sizeof(shown[0]));
	}
}

/* However a reel stops, its window and the symbol above it hold one potion at most. */
static void check_one_collectible(const struct game *game, uint32_t set, uint32_t reel)
{
	const struct game_strip *strip = &game->strips[set].reel[reel];

	for (uint32_t stop = 0; stop < strip->length; stop++) {
		uint32_t collectibles = 0;

		for (uint32_t i = 0; i <= game->rows; i++)
			collectibles +=
				game->symbol[strip->symbol[(stop + i) % strip->length]].kind ==
				SYMBOL_COLLECTIBLE;
		assert_true(collectibles < 2);
	}
}

/* RULE witch-feature 1.1, 1.6, 2.1, 2.8, 3.1, 3.4, 3.6, 4.5, 4.10, 6.1, 6.2, 6.7, 6.8, 6.14, 7.2,
 * 7.3, 7.4, 8.5 */
static void test_witch_feature(void **unused)
{
	const struct game *game = load("witch-feature");
	const struct unlock_rules *collectibles = &game->unlock;
	static const uint32_t multipliers[] = { 2, 3, 5, 8, 10 };
	static const uint8_t needs[][GAME_COLOURS] = { { 1, 1, 1 }, { 1, 2, 0 }, { 1, 0, 2 },
		{ 0, 2, 1 } };
	uint8_t scatter = game->free_spins.award_symbol;

	(void)unused;
	assert_int_equal(game->reels * 10 + game->rows, 54);
	assert_true(game->lines_min == 50 && game->lines_max == 50);
	check_published(game, "94.02", 940150);
	for (uint32_t l = 0; l < game->line_count; l++)
		for (uint32_t r = 1; r < game->reels; r++)
			assert_in_range(game->line[l][r] + 1, game->line[l][r - 1],
				game->line[l][r - 1] + 2);
	for (uint32_t r = 0; r < game->reels; r++)
		check_one_collectible(game, game->mode[0].strips, r);
	for (uint32_t n = 1; n <= game->reels; n++)
		assert_int_equal(game->symbol[scatter].pay[n], 0);
	assert_false(game->free_spins.player_starts);
	assert_true(game->symbol[game->wild].pay[3] > 0);
	for (uint32_t c = 0; c < GAME_COLOURS; c++)
		for (uint32_t set = 0; set < game->strip_sets; set++)
			assert_int_equal(reels_with(game, set, collectibles->symbol[c]) &
						 (set == game->mode[0].strips ? ~0xeu : ~0u),
				0);
	assert_int_equal(reels_with(game, game->mode[0].strips, scatter), 0x11);
	assert_int_equal(reels_with(game, game->free_spins.strips, scatter), 0x11);
	assert_int_equal(collectibles->step_count, 4);
	for (uint32_t k = 0; k < 4; k++) {
		assert_int_equal(collectibles->step[k].kind, k);
		assert_memory_equal(collectibles->step[k].needs, needs[k], GAME_COLOURS);
		assert_int_equal(reels_with(game, collectibles->step[k].strips, scatter), 0);
	}
	assert_int_equal(collectibles->multiplier.count, 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(collectibles->multiplier.of[i].x, multipliers[i]);
	assert_true(game->free_spins.award[CONTEXT_BASE][1] == 0 &&
		    game->free_spins.award[CONTEXT_BASE][2] == 10 &&
		    game->free_spins.award[CONTEXT_FREE][1] == 1 &&
		    game->free_spins.award[CONTEXT_FREE][2] == 10);
	assert_true(game->autoplay.loss_rule == LOSS_AT_ZERO &&
		    game->autoplay.win_rule == WIN_REACHES && game->autoplay.feature_stop_offered);
	assert_int_equal(game->resolve_after_hours, 120);
}

/* RULE witch-feature 4.3, 5.4, 5.5: the same six symbols, each with pays of its own. */
static void test_witch_feature_high_symbols(void **unused)
{
	const struct game *game = load("witch-feature");
	const struct choices *revealed = &game->unlock.revealed;
	uint32_t high = 0, set = game->unlock.step[0].strips;

	(void)unused;
	assert_int_equal(revealed->count, 6);
	for (uint32_t i = 0; i < 6; i++) {
		high |= 1u << revealed->of[i].x;
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(game->symbol[revealed->of[i].x].pay[5],
				game->symbol[revealed->of[k].x].pay[5]);
	}
	for (uint32_t r = 0; r < game->reels; r++)
		for (uint32_t i = 0; i < game->strips[set].reel[r].length; i++)
			assert_true(high >> game->strips[set].reel[r].symbol[i] & 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mystic_gem),
		cmocka_unit_test(test_mystic_gem_modes),
		cmocka_unit_test(test_mystery_elves),
		cmocka_unit_test(test_mona_lisa),
		cmocka_unit_test(test_mona_lisa_jewel_windows),
		cmocka_unit_test(test_witch_feature),
		cmocka_unit_test(test_witch_feature_high_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
