/* Free spins that award free spins, against figures worked out by hand. */
#include "libcommon/game/exact/yield.h"

#include "libcommon/game/test/round_enumerate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ACORN, SCATTER, DULL };

/* Stops of the first reel: so many acorns (the line wins 6), scatters, and stops of nothing. */
struct stops {
	uint32_t acorns, scatters, dull;
};

static void first_reel(struct game *game, uint32_t set, struct stops stops)
{
	struct game_strip *strip = &game->strips[set].reel[0];
	uint32_t n = 0;

	for (uint32_t i = 0; i < stops.acorns; i++)
		strip->symbol[n++] = ACORN;
	for (uint32_t i = 0; i < stops.scatters; i++)
		strip->symbol[n++] = SCATTER;
	for (uint32_t i = 0; i < stops.dull; i++)
		strip->symbol[n++] = DULL;
	strip->length = n;
	for (uint32_t i = 0; i < n; i++)
		strip->stop_weight[i] = 1;
}

/* Three reels of one row, one line; reels 2 and 3 are acorns for ever. One scatter awards one free
 * spin in the paid spin and `again` in a free spin. */
static void garden(struct game *game, struct stops paid, struct stops free_spins, uint16_t again)
{
	memset(game, 0, sizeof(*game));
	game->reels = 3;
	game->rows = 1;
	game->symbol_count = 3;
	game->symbol[ACORN] = (struct game_symbol){ .kind = SYMBOL_LINE, .pay = { [3] = 6 } };
	game->symbol[SCATTER] = (struct game_symbol){ .kind = SYMBOL_SCATTER };
	game->symbol[DULL] = (struct game_symbol){ .kind = SYMBOL_LINE };
	game->wild = game->bonus = GAME_NO_SYMBOL;
	game->sticky.symbol = game->hold.symbol = game->jackpot_symbols.symbol = GAME_NO_SYMBOL;
	game->scatter_symbols = 1;
	game->scatter[0] = SCATTER;
	game->strip_sets = 2;
	for (uint32_t set = 0; set < 2; set++)
		for (uint32_t r = 1; r < 3; r++) {
			game->strips[set].reel[r].length = 1;
			game->strips[set].reel[r].stop_weight[0] = 1;
		}
	first_reel(game, 0, paid);
	first_reel(game, 1, free_spins);
	game->mode_count = 1;
	game->mode[0].price_hundredths = 100;
	game->line_count = game->lines_min = game->lines_max = 1;
	game->coins_min = game->coins_max = 1;
	game->free_spins = (struct free_spins_rules){
		.offered = true, .strips = 1, .line_multiplier = 1, .award_symbol = SCATTER
	};
	game->free_spins.award[CONTEXT_BASE][1] = 1;
	game->free_spins.award[CONTEXT_FREE][1] = again;
	game_compile(game);
}

static void assert_is(const char *what, const mpq_t found, uint64_t num, uint64_t den)
{
	mpq_t expected;

	mpq_init(expected);
	mpq_set_u64(expected, num, den);
	assert_same(what, found, expected);
	mpq_clear(expected);
}

/* Half of the free spins win 6, half award another: a chain of them always ends in one win. */
static void test_a_chain_that_ends_in_a_win(void **state)
{
	static struct game game;
	struct exact_mode mode;

	(void)state;
	garden(&game, (struct stops){ 0, 1, 3 }, (struct stops){ 1, 1, 0 }, 1);
	assert_int_equal(exact_mode(&game, 0, EXACT_ALL, &mode), EXACT_OK);
	assert_is("return", mode.rtp, 6, 4);
	assert_is("second moment", mode.second_moment, 36, 4);
	assert_is("hit rate", mode.hit_rate, 1, 4);
	assert_string_equal(mode.max_win_where, "free spin");
	assert_is("max win", mode.max_win, 6, 1);
	assert_is("its probability", mode.max_win_probability, 1, 2);
	assert_string_equal(mode.feature[0].name, "free_spins");
	assert_is("frequency", mode.feature[0].frequency, 1, 4);
	exact_mode_free(&mode);
}

/* A third each wins, awards another, gives nothing: P(nothing) = 1/3 + P(nothing) / 3 = 1/2. */
static void test_a_chain_that_may_end_in_nothing(void **state)
{
	static struct game game;
	struct exact_mode mode;

	(void)state;
	garden(&game, (struct stops){ 0, 1, 0 }, (struct stops){ 1, 1, 1 }, 1);
	assert_int_equal(exact_mode(&game, 0, EXACT_ALL, &mode), EXACT_OK);
	assert_is("return", mode.rtp, 3, 1);
	assert_is("second moment", mode.second_moment, 18, 1);
	assert_is("variance", mode.variance, 9, 1);
	assert_is("hit rate", mode.hit_rate, 1, 2);
	exact_mode_free(&mode);
}

/* 3 of 12 win, 4 award two, 5 give nothing: q = 5/12 + q^2 / 3 = 1/2; the mean of one is 3/4 of a
 * win, and its square's (1/4 + 2/3 (3/4)^2) / (1/3) = 15/8 of a win's. */
static void test_a_tree_of_free_spins(void **state)
{
	static struct game game;
	struct exact_mode mode;
	mpq_t distance;

	(void)state;
	mpq_init(distance);
	garden(&game, (struct stops){ 1, 1, 0 }, (struct stops){ 3, 4, 5 }, 2);
	assert_int_equal(exact_mode(&game, 0, EXACT_ALL, &mode), EXACT_OK);
	assert_is("return", mode.rtp, 4 * 6 + 3 * 6, 8);
	assert_is("second moment", mode.second_moment, 36 * 8 + 36 * 15, 16);
	mpq_set_ui(distance, 3, 4);
	mpq_sub(distance, mode.hit_rate, distance);
	mpq_abs(distance, distance);
	mpq_mul_2exp(distance, distance, 200);
	assert_true(mpq_cmp_ui(distance, 1, 1) < 0);
	exact_mode_free(&mode);
	mpq_clear(distance);
}

/* One more awarded for every one played, on average: the return has no bound. */
static void test_endless_free_spins(void **state)
{
	static struct game game;
	struct exact_mode mode;

	(void)state;
	garden(&game, (struct stops){ 1, 1, 0 }, (struct stops){ 1, 1, 0 }, 2);
	assert_int_equal(exact_mode(&game, 0, EXACT_RETURN, &mode), EXACT_ENDLESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_chain_that_ends_in_a_win),
		cmocka_unit_test(test_a_chain_that_may_end_in_nothing),
		cmocka_unit_test(test_a_tree_of_free_spins),
		cmocka_unit_test(test_endless_free_spins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
