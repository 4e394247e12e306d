/* What lines pay on average, against every window of small random games and the engine's own
 * evaluation of a line. */
#include "libcommon/game/line_quick.h"

#include "libcommon/game/test/random_game.h"
#include "libcommon/game/test/round_enumerate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define GAMES 150u

/* Sums over all windows, by line. */
struct plain {
	uint64_t windows;
	uint64_t coins[GAME_LINES_MAX], jackpots[GAME_LINES_MAX];
};

static void window_pays(const struct game *game, const struct line_terms *terms,
	const uint8_t *window, uint64_t weight, struct plain *plain)
{
	plain->windows += weight;
	for (uint32_t l = 0; l < game->line_count; l++) {
		struct line_pay pay = line_best(game, window, l, terms);

		plain->coins[l] += weight * pay.coins;
		plain->jackpots[l] += pay.jackpot ? weight : 0;
	}
}

static void all_windows(const struct game *game, const struct line_terms *terms, uint32_t reel,
	uint8_t *window, uint64_t weight, struct plain *plain)
{
	static struct machine_column column[GAME_REELS_MAX][GAME_STRIP_MAX];
	uint32_t columns;

	if (reel == game->reels) {
		window_pays(game, terms, window, weight, plain);
		return;
	}
	columns = machine_columns(game, 0, reel, 0, NULL, column[reel]);
	for (uint32_t i = 0; i < columns; i++) {
		memcpy(window + reel * game->rows, column[reel][i].symbol, game->rows);
		all_windows(game, terms, reel + 1, window, weight * column[reel][i].weight, plain);
	}
}

/* `scale`: all weights are as many times larger, which changes nothing. */
static void check_lines(
	const char *what, const struct game *game, const struct line_terms *terms, uint64_t scale)
{
	struct lines_input input = { .game = game, .lines = game->line_count, .terms = *terms };
	struct plain plain = { 0 };
	uint8_t window[GAME_CELLS_MAX];
	uint64_t coins = 0, jackpots = 0;
	mpq_t found[2][GAME_LINES_MAX], expected;

	all_windows(game, terms, 0, window, 1, &plain);
	mpq_init(expected);
	for (uint32_t l = 0; l < game->line_count; l++)
		mpq_inits(found[0][l], found[1][l], NULL);
	for (uint32_t r = 0; r < game->reels; r++) {
		cell_weights_strip(game, 0, r, 0, &input.reel[r]);
		input.reel[r].total *= scale;
		for (uint32_t row = 0; row < game->rows; row++)
			for (uint32_t s = 0; s < game->symbol_count; s++)
				input.reel[r].weight[row][s] *= scale;
	}
	lines_prefixes(&input, found[0], found[1]);
	for (uint32_t l = 0; l < game->line_count; l++) {
		coins += plain.coins[l];
		jackpots += plain.jackpots[l];
		mpq_set_ui(expected, coins, plain.windows);
		mpq_canonicalize(expected);
		assert_same(what, found[0][l], expected);
		mpq_set_ui(expected, jackpots, plain.windows);
		mpq_canonicalize(expected);
		assert_same(what, found[1][l], expected);
	}
	lines_expected(&input, expected, found[1][0]);
	assert_same(what, expected, found[0][game->line_count - 1]);
	for (uint32_t l = 0; l < game->line_count; l++)
		mpq_clears(found[0][l], found[1][l], NULL);
	mpq_clear(expected);
}

/* The optimiser's evaluation gives the same integers. `scale`: of all weights of the reels; a large
 * one leads past 64 bits. */
static void check_quick(
	const char *what, const struct game *game, const struct line_terms *terms, uint64_t scale)
{
	struct lines_input input = { .game = game, .lines = game->line_count, .terms = *terms };
	struct line_quick quick;
	exact_count sum, total;
	mpz_t found, expected;

	mpz_inits(found, expected, NULL);
	line_quick_init(&quick, game, 0, 0, terms);
	for (uint32_t r = 0; r < game->reels; r++) {
		struct cell_weights *cells = &quick.reel[r];

		cells->total *= scale;
		for (uint32_t row = 0; row < game->rows; row++)
			for (uint32_t s = 0; s < game->symbol_count; s++)
				cells->weight[row][s] *= scale;
		input.reel[r] = *cells;
	}
	sum = line_quick_sum(&quick, &total);
	lines_sum(&input, expected, NULL);
	mpz_import(found, 1, 1, sizeof(sum), 0, 0, &sum);
	if (mpz_cmp(found, expected) != 0)
		fail_msg("%s: line_quick_sum is not lines_sum", what);
	lines_scale(&input, expected);
	mpz_import(found, 1, 1, sizeof(total), 0, 0, &total);
	assert_int_equal(mpz_cmp(found, expected), 0);
	mpz_clears(found, expected, NULL);
}

static void test_lines_pay_like_windows(void **state)
{
	static const struct random_shape shape = {
		.reels_max = 5, .rows_max = 3, .stops_max = 8, .lines_max = 12
	};
	static const uint32_t multiplier[] = { 1, 2, 4, 8 };
	static struct game game;

	(void)state;
	for (uint32_t seed = 1; seed <= GAMES; seed++) {
		struct dice dice = { seed };
		struct line_terms terms = { .multiplier = 1 + seed % 3, .progressive = seed % 2 };
		char what[32];

		(void)snprintf(what, sizeof(what), "seed %u", seed);
		random_game(&dice, &shape, &game);
		check_lines(what, &game, &terms, 1);
		terms.wild_multiplier_count = 1 + seed % 4;
		terms.wild_multiplier = multiplier;
		check_lines(what, &game, &terms, UINT64_C(1) << 55);
	}
}

static void test_quick_sums_are_the_same(void **state)
{
	static const struct random_shape shape = {
		.reels_max = 5, .rows_max = 4, .stops_max = 12, .lines_max = 50
	};
	static const uint32_t multiplier[] = { 1, 2, 4, 8 };
	static struct game game;

	(void)state;
	for (uint32_t seed = 1; seed <= GAMES; seed++) {
		struct dice dice = { seed };
		struct line_terms terms = { .multiplier = 1 + seed % 3 };
		char what[32];

		(void)snprintf(what, sizeof(what), "seed %u", seed);
		random_game(&dice, &shape, &game);
		check_quick(what, &game, &terms, 1);
		check_quick(what, &game, &terms, UINT64_C(1) << 16);
		terms.wild_multiplier_count = 1 + seed % 4;
		terms.wild_multiplier = multiplier;
		check_quick(what, &game, &terms, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_pay_like_windows),
		cmocka_unit_test(test_quick_sums_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
