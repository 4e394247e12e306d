/* Bought modes: what they cost, when they are refused, wild reels, guarantees by rank. */
#include "libcommon/game/lines.h"
#include "libcommon/game/core/reels.h"
#include "libcommon/game/core/spin_rank.h"
#include "libcommon/game/test/small_game.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SYMBOLS                                                                                    \
	"A line 3:5 4:10 5:50;B line 3:4 4:4 5:4;C line 3:3 4:3 5:3;W wild;S scatter 3:2 4:7;O bonus"
#define TRACE_MAX 2048

enum { BASE, WILD_ONE, WILD_ALL, MODES };

#define THREE_SCATTERS "SBSBS/BCACB/CABAC"

static const char *const windows[] = {
	"ABCBA/BCACB/CABAC", /* 0: nothing */
	"ABSBA/BCACB/CABAC", /* 1: a scatter on reel 3 */
	THREE_SCATTERS,	     /* 2 */
	"SSBSS/AABAB/CABCC", /* 3: four scatters and, with a wild on reel 3, a line */
};

static void modes_game(struct game *game)
{
	small_game(game, 3, SYMBOLS);
	game->mode_count = MODES;
	strcpy(game->mode[WILD_ONE].id, "wild_1");
	strcpy(game->mode[WILD_ALL].id, "wild_3");
	game->mode[WILD_ONE].price_hundredths = 450;
	game->mode[WILD_ALL].price_hundredths = 7150;
	game->mode[WILD_ONE].position_count = 3;
	game->mode[WILD_ONE].position[0] = (struct wild_position){ .weight = 3, .reels = 2 };
	game->mode[WILD_ONE].position[1] = (struct wild_position){ .weight = 1, .reels = 4 };
	game->mode[WILD_ONE].position[2] = (struct wild_position){ .weight = 2, .reels = 8 };
	game->mode[WILD_ALL].position_count = 1;
	game->mode[WILD_ALL].position[0] = (struct wild_position){ .weight = 1, .reels = 14 };
	small_strips(game, 0, windows, 4);
}

/* RULE mystic-gem 1.1, 1.2, 1.3, 1.5, 3.1, 3.3, 3.8, 3.10, 3.13; RULE mystery-elves 1.1, 1.2, 1.4,
 * 4.1; RULE mona-lisa 1.1 to 1.4, 1.7; RULE witch-feature 1.1 to 1.4 */
static void test_bet_of_a_mode(void **unused)
{
	static const struct {
		struct bet bet;
		enum bet_status status;
		const char *field;
		int64_t found, min, max, stake;
	} rows[] = {
		{ { SMALL_EUR, 2, 3, 1, BASE }, BET_OK, "", 0, 0, 0, 6 },
		{ { SMALL_EUR, 2, 3, 1, WILD_ONE }, BET_OK, "", 0, 0, 0, 27 },
		{ { SMALL_EUR, 10, 3, 2, WILD_ONE }, BET_OK, "", 0, 0, 0, 270 },
		{ { SMALL_EUR, 2, 3, 1, WILD_ALL }, BET_OK, "", 0, 0, 0, 429 },
		{ { SMALL_EUR, 2, 3, 1, MODES }, BET_MODE_NOT_OFFERED, "mode", 3, 0, 2, 0 },
		{ { SMALL_EUR, 2, 3, 1, UINT32_MAX }, BET_MODE_NOT_OFFERED, "mode", UINT32_MAX, 0,
			2, 0 },
		{ { SMALL_EUR, 100, 3, 1, WILD_ONE }, BET_BUY_NOT_OFFERED, "mode", 1, 0, 0, 0 },
		{ { SMALL_EUR, 100, 3, 1, BASE }, BET_OK, "", 0, 0, 0, 300 },
		{ { SMALL_EUR, 10, 3, 10, WILD_ALL }, BET_ABOVE_PRICE_MAX, "total", 21450, 1, 20000,
			0 },
		{ { SMALL_EUR, 3, 3, 1, BASE }, BET_COIN_NOT_SELECTABLE, "coin", 3, 1, 100, 0 },
		{ { 752, 2, 3, 1, BASE }, BET_CURRENCY_NOT_OFFERED, "currency", 752, 1, 999, 0 },
		{ { SMALL_EUR, 2, 0, 1, BASE }, BET_LINES_OUT_OF_RANGE, "lines", 0, 1, 3, 0 },
		{ { SMALL_EUR, 2, 4, 1, BASE }, BET_LINES_OUT_OF_RANGE, "lines", 4, 1, 3, 0 },
		{ { SMALL_EUR, 2, 3, 11, WILD_ONE }, BET_COINS_OUT_OF_RANGE, "coins", 11, 1, 10,
			0 },
	};
	static struct game game;

	(void)unused;
	modes_game(&game);
	game.currency[0].coin_buys[3] = false;
	game.currency[0].price_max.minor = 20000;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bet_error error = { BET_OK, "", 0, 0, 0 };
		struct money stake = { 0 };

		print_message("row %zu %s\n", i, bet_status_text(rows[i].status));
		assert_int_equal(bet_check(&game, &rows[i].bet, &stake, &error), rows[i].status);
		assert_string_equal(error.field, rows[i].field);
		assert_true(error.found == rows[i].found && error.min == rows[i].min &&
			    error.max == rows[i].max);
		assert_true(stake.minor == rows[i].stake);
	}
}

/* RULE mona-lisa 1.9, 4.2 */
static void test_bet_is_max(void **unused)
{
	static struct game game;
	struct bet bet = { SMALL_EUR, 1, 3, 10, BASE };

	(void)unused;
	modes_game(&game);
	assert_true(bet_is_max(&game, &bet));
	bet.coins = 9;
	assert_false(bet_is_max(&game, &bet));
	bet.coins = 10;
	bet.lines = 2;
	assert_false(bet_is_max(&game, &bet));
}

/* Coin 2, 3 lines: total 6. RULE mystic-gem 2.5 to 2.8, 3.1 to 3.4, 3.10, 3.15; RULE
 * mystery-elves 2.3 to 2.6, 4.2, 4.4; RULE witch-feature 2.5 */
static void test_wild_reels(void **unused)
{
	static const struct {
		const char *what;
		uint32_t mode;
		const char *script, *window, *trace;
		uint32_t covered;
	} rows[] = {
		{ "base", BASE, "2", THREE_SCATTERS, "spin scatter 3 =12; ", 0 },
		{ "the first three of six values: reel 2", WILD_ONE, "=2 0", "AWCBA/BWACB/CWBAC",
			"spin; ", 0x38 },
		{ "the fourth: reel 3, whose scatter is hidden", WILD_ONE, "=3 1",
			"ABWBA/BCWCB/CAWAC", "spin; ", 0x1c0 },
		{ "the last: reel 4", WILD_ONE, "=5 0", "ABCWA/BCAWB/CABWC", "spin; ", 0xe00 },
		{ "pays are times the total bet, not the price", WILD_ONE, "=0 2",
			"SWSBS/BWACB/CWBAC", "spin scatter 3 =12; ", 0x38 },
		{ "the highest of the scatters, and lines beside them", WILD_ONE, "=3 3",
			"SSWSS/AAWAB/CAWCC", "spin L2 A 4 =20 scatter 4 =42; ", 0x1c0 },
		{ "all three: every line wins", WILD_ALL, "=0 0", "AWWWA/BWWWB/CWWWC",
			"spin L1 A 5 =100 L2 B 5 =8 L3 C 5 =6; ", 0xff8 },
	};
	static struct game game;
	static struct phase phase;
	uint32_t results[SMALL_SCRIPT_MAX];
	uint8_t key[RNG_KEY_BYTES] = { 3 };
	char text[TRACE_MAX];

	(void)unused;
	modes_game(&game);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bet bet = { SMALL_EUR, 2, 3, 1, rows[i].mode };
		struct round round;
		struct rng rng;

		print_message("%s\n", rows[i].what);
		small_round(&game, &bet, rows[i].script, text, sizeof(text));
		assert_string_equal(text, rows[i].trace);
		rng_init(&rng, key);
		rng_force(&rng, results, small_script(&game, rows[i].script, results));
		assert_int_equal(round_begin(&game, &bet, NULL, &rng, &round), ROUND_OK);
		assert_int_equal(round.total.minor, 6);
		assert_int_equal(round_next(&round, &phase), ROUND_OK);
		small_window(&game, &phase, text, sizeof(text));
		assert_string_equal(text, rows[i].window);
		assert_int_equal(phase.covered, rows[i].covered);
		assert_int_equal(
			phase.draw[0].meaning, rows[i].mode == BASE ? DRAW_STOP : DRAW_WILD_REELS);
	}
}

/* ---- a guarantee: a tree of all prefixes, made by counting, as the rank ---- */

#define STOPS 3u
#define PREFIXES 81u /* before the fifth reel */

struct tree {
	struct spin_rank rank;
	uint32_t next[2][GAME_REELS_MAX][PREFIXES * STOPS];
	uint64_t below[2][GAME_REELS_MAX][PREFIXES * STOPS];
};

/* Weighted combinations with at least one line win below a prefix of stops. */
static uint64_t count_below(const struct game *game, struct tree *tree, uint32_t position,
	uint32_t reel, uint32_t prefix, uint16_t *stop)
{
	uint64_t sum = 0;

	if (reel == game->reels) {
		struct line_terms terms = { .multiplier = 1 };
		uint8_t window[GAME_CELLS_MAX];

		for (uint32_t r = 0; r < game->reels; r++) {
			struct reel_column column;

			reel_column(
				game, 0, r, stop[r], tree->rank.position[position].reels, &column);
			memcpy(window + r * game->rows, column.symbol, game->rows);
		}
		for (uint32_t l = 0; l < game->line_count; l++) {
			if (line_best(game, window, l, &terms).coins > 0)
				return 1;
		}
		return 0;
	}
	for (uint32_t c = 0; c < STOPS; c++) {
		uint32_t at = prefix * STOPS + c;

		stop[reel] = (uint16_t)c;
		tree->next[position][reel][at] = at;
		sum += game->strips[0].reel[reel].stop_weight[c] *
		       count_below(game, tree, position, reel + 1, at, stop);
		tree->below[position][reel][at] = sum;
	}
	return sum;
}

static void make_tree(const struct game *game, const struct game_mode *mode, struct tree *tree)
{
	uint16_t stop[GAME_REELS_MAX];

	memset(tree, 0, sizeof(*tree));
	tree->rank.reels = game->reels;
	tree->rank.position_count = mode->position_count;
	for (uint32_t p = 0; p < mode->position_count; p++) {
		struct spin_rank_position *position = &tree->rank.position[p];

		position->reels = mode->position[p].reels;
		for (uint32_t r = 0; r < game->reels; r++)
			position->reel[r] = (struct spin_rank_reel){
				.stops = STOPS, .next = tree->next[p][r], .below = tree->below[p][r]
			};
		position->count = count_below(game, tree, p, 0, 0, stop);
		position->weight = position->count * mode->position[p].weight;
		tree->rank.weight += position->weight;
	}
}

static void guarantee_game(struct game *game)
{
	static const char *const strips[] = { "ABCBA", "BCACB", "CABAC" };

	small_game(game, 1, SYMBOLS);
	game->mode_count = 2;
	game->mode[1] = (struct game_mode){ .id = "wild_1_sure",
		.price_hundredths = 1200,
		.guarantee = GUARANTEE_LINE_WIN,
		.position_count = 2,
		.position = { { .weight = 2, .reels = 2 }, { .weight = 3, .reels = 4 } } };
	small_strips(game, 0, strips, 3);
	game->strips[0].reel[0].stop_weight[1] = 4;
	game->strips[0].reel[4].stop_weight[2] = 2;
	game_compile(game);
}

/* Every value of the two draws gives a spin that keeps the guarantee, and each spin turns up as
 * often as its weight says. RULE mystic-gem 3.5, 3.6, 3.7, 3.9; RULE mystery-elves 4.3 */
static void test_guarantee_by_rank(void **unused)
{
	static struct game game;
	static struct tree tree;
	static uint64_t seen[2][243];
	uint64_t product[2][243];

	(void)unused;
	guarantee_game(&game);
	make_tree(&game, &game.mode[1], &tree);
	for (uint64_t v = 0; v < tree.rank.weight; v++) {
		uint32_t position = spin_rank_position_of(&tree.rank, v);

		assert_int_equal(position, v >= tree.rank.position[0].weight);
	}
	for (uint32_t p = 0; p < 2; p++) {
		for (uint64_t v = 0; v < tree.rank.position[p].count; v++) {
			uint16_t stop[GAME_REELS_MAX];
			uint32_t number = 0;
			uint64_t weight = 1;

			spin_rank_stops(&tree.rank, p, v, stop);
			for (uint32_t r = 0; r < game.reels; r++) {
				assert_true(stop[r] < STOPS);
				number = number * STOPS + stop[r];
				weight *= game.strips[0].reel[r].stop_weight[stop[r]];
			}
			seen[p][number]++;
			product[p][number] = weight;
		}
		assert_true(tree.rank.position[p].count > 0);
		for (uint32_t n = 0; n < 243; n++)
			if (seen[p][n] > 0)
				assert_int_equal(seen[p][n], product[p][n]);
	}
}

/* Whole rounds: each wins on a line, two draws fix it, and the stake is the price. */
static void test_guaranteed_rounds(void **unused)
{
	static struct game game;
	static struct tree tree;
	static struct phase phase;
	struct bet bet = { SMALL_EUR, 2, 1, 1, 1 };

	(void)unused;
	guarantee_game(&game);
	make_tree(&game, &game.mode[1], &tree);
	game.mode[1].rank = &tree.rank;
	for (uint32_t i = 0; i < 1000; i++) {
		uint8_t key[RNG_KEY_BYTES] = { (uint8_t)i, (uint8_t)(i >> 8) };
		struct round_sum sum;
		struct rng rng;

		rng_init(&rng, key);
		assert_int_equal(round_play(&game, &bet, NULL, &rng, &phase, &sum), ROUND_DONE);
		assert_true(sum.win_base_lines.minor > 0);
		assert_int_equal(sum.stake.minor, 24);
		assert_int_equal(phase.draw_count, 2);
		assert_int_equal(phase.draw[0].meaning, DRAW_WILD_REELS);
		assert_true(phase.draw[0].below == tree.rank.weight);
		assert_int_equal(phase.draw[1].meaning, DRAW_GUARANTEED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bet_of_a_mode),
		cmocka_unit_test(test_bet_is_max),
		cmocka_unit_test(test_wild_reels),
		cmocka_unit_test(test_guarantee_by_rank),
		cmocka_unit_test(test_guaranteed_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
