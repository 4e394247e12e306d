/* What one line pays, as a table; and against a reading of the rule that looks at every symbol. */
#include "libcommon/game/lines.h"
#include "libcommon/game/core/round_parts.h"
#include "libcommon/game/test/random_game.h"
#include "libcommon/game/test/small_game.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A pays best; C pays from two; V is a wild that pays by itself. */
#define PLAIN                                                                                      \
	"A line 3:50 4:100 5:500;B line 3:10 4:20 5:200;C line 2:1 3:5 4:12 5:30;W wild;S scatter 3:2;O bonus;J jackpot 3:8 4:40 5:900"
#define PAYING                                                                                     \
	"A line 3:50 4:100 5:500;B line 3:10 4:20 5:200;C line 2:1 3:5 4:12 5:30;W wild 2:3 3:60 4:100 5:900;S scatter 3:2;O bonus;J jackpot 3:8 4:40 5:900"

static const uint32_t doubling[] = { 1, 2, 4, 8 };

struct line_case {
	const char *what, *symbols, *row;
	struct line_terms terms;
	const char *expected; /* "symbol count coins", "-" nothing, "jackpot" */
};

static void run_case(const struct line_case *row)
{
	static struct game game;
	const char *windows[] = { row->row };
	uint8_t window[GAME_CELLS_MAX] = { 0 };
	struct line_pay pay;
	char found[64] = "-";

	small_game(&game, 1, row->symbols);
	game.jackpot_symbols =
		(struct jackpot_symbols){ .symbol = small_symbol(&game, 'J'), .count = 5 };
	small_strips(&game, 0, windows, 1);
	for (uint32_t r = 0; r < game.reels; r++)
		window[r] = small_symbol(&game, row->row[r]);
	pay = line_best(&game, window, 0, &row->terms);
	if (pay.jackpot)
		strcpy(found, pay.coins == 0 && pay.count == 5 ? "jackpot" : "jackpot and coins");
	else if (pay.coins > 0)
		snprintf(found, sizeof(found), "%s %u %u", game.symbol[pay.symbol].id, pay.count,
			pay.coins);
	if (strcmp(found, row->expected) != 0)
		fail_msg(
			"%s, %s: found %s, expected %s", row->what, row->row, found, row->expected);
}

/* RULE bewitched 2.1, 2.2, 3.1; RULE mystic-gem 2.2, 2.3, 2.4, 2.12; RULE mystery-elves 2.1, 2.2,
 * 2.7; RULE mona-lisa 1.11, 2.1, 2.2, 2.4, 3.1, 3.11, 3.12, 4.2, 4.3; RULE
 * witch-feature 2.1, 2.2, 2.3, 2.4, 2.8, 2.9 */
static void test_line_best(void **unused)
{
#define FLAT                                                                                       \
	{                                                                                          \
		.multiplier = 1                                                                    \
	}
#define DOUBLED                                                                                    \
	{                                                                                          \
		.multiplier = 2                                                                    \
	}
#define WILDS                                                                                      \
	{                                                                                          \
		.multiplier = 1, .wild_multiplier_count = 4, .wild_multiplier = doubling           \
	}
#define LIVE                                                                                       \
	{                                                                                          \
		.multiplier = 1, .progressive = true                                               \
	}
	static const struct line_case rows[] = {
		{ "nothing", PLAIN, "ABCAB", FLAT, "-" },
		{ "three", PLAIN, "AAABC", FLAT, "A 3 50" },
		{ "four, the longest alone", PLAIN, "BBBBA", FLAT, "B 4 20" },
		{ "five", PLAIN, "CCCCC", FLAT, "C 5 30" },
		{ "two where two pay", PLAIN, "CCAAA", FLAT, "C 2 1" },
		{ "two where they do not", PLAIN, "AACCC", FLAT, "-" },
		{ "not from the right", PLAIN, "BAAAA", FLAT, "-" },
		{ "not over a gap", PLAIN, "AABAA", FLAT, "-" },
		{ "the wild stands in", PLAIN, "AWABB", FLAT, "A 3 50" },
		{ "the wild first", PLAIN, "WWBCC", FLAT, "B 3 10" },
		{ "wilds between", PLAIN, "BWWWA", FLAT, "B 4 20" },
		{ "wilds alone as the best symbol", PLAIN, "WWWWW", FLAT, "A 5 500" },
		{ "three wilds beat four of the least", PLAIN, "WWWCA", FLAT, "A 3 50" },
		{ "five of a less one beat three wilds", PLAIN, "WWWBB", FLAT, "B 5 200" },
		{ "two wilds before a stranger", PLAIN, "WWSAA", FLAT, "C 2 1" },
		{ "not for the scatter", PLAIN, "SWSSS", FLAT, "-" },
		{ "not for the bonus", PLAIN, "OWOOO", FLAT, "-" },
		{ "not for the jackpot symbol", PLAIN, "JJWJJ", FLAT, "-" },
		{ "wilds before jackpot symbols", PLAIN, "WJJJJ", FLAT, "-" },
		{ "three wilds before jackpot symbols", PLAIN, "WWWJJ", FLAT, "A 3 50" },
		{ "jackpot symbols pay", PLAIN, "JJJWJ", FLAT, "J 3 8" },
		{ "five of them, progressive closed", PLAIN, "JJJJJ", FLAT, "J 5 900" },
		{ "five of them, progressive open", PLAIN, "JJJJJ", LIVE, "jackpot" },
		{ "four of them, progressive open", PLAIN, "JJJJA", LIVE, "J 4 40" },
		{ "the scatter ends a run", PLAIN, "AASAA", FLAT, "-" },
		{ "wilds by themselves", PAYING, "WWSAA", FLAT, "W 2 3" },
		{ "wilds beat what they stand for", PAYING, "WWWBB", FLAT, "B 5 200" },
		{ "three wilds by themselves", PAYING, "WWWCC", FLAT, "W 3 60" },
		{ "among equals the first symbol", PAYING, "WWWWS", FLAT, "A 4 100" },
		{ "five wilds", PAYING, "WWWWW", FLAT, "W 5 900" },
		{ "flat multiplier", PLAIN, "AAABC", DOUBLED, "A 3 100" },
		{ "no wild, no multiplier", PLAIN, "AAABC", WILDS, "A 3 50" },
		{ "one wild", PLAIN, "AWABC", WILDS, "A 3 100" },
		{ "two wilds", PLAIN, "AWAWC", WILDS, "A 4 400" },
		{ "three wilds", PLAIN, "BWWWC", WILDS, "B 4 160" },
		{ "more wilds multiply as three", PLAIN, "WWWWB", WILDS, "B 5 1600" },
		{ "wilds outside the combination do not count", PLAIN, "AAABW", WILDS, "A 3 50" },
		{ "the best after multiplication: five C by 8, not three A by 8", PLAIN, "WWWCC",
			WILDS, "A 3 400" },
		{ "more wilds in the longer one decide", PLAIN, "WWCWW", WILDS, "C 5 240" },
		{ "the flat would be A 3: three wilds then B", PLAIN, "WWWBB", WILDS, "B 5 1600" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		run_case(&rows[i]);
}

/* The rule word by word: every symbol's own run, each worth its pay x multiplier. */
static struct line_pay plain_best(const struct game *game, const uint8_t *window, uint32_t line,
	const struct line_terms *terms)
{
	struct line_pay best = { 0 };

	for (uint32_t s = 0; s < game->symbol_count; s++) {
		const struct game_symbol *symbol = &game->symbol[s];
		uint32_t run = 0, wilds = 0, multiplier = terms->multiplier, coins;

		if (symbol->kind != SYMBOL_LINE && symbol->kind != SYMBOL_WILD &&
			symbol->kind != SYMBOL_JACKPOT)
			continue;
		for (; run < game->reels; run++) {
			uint8_t on = window[run * game->rows + game->line[line][run]];

			if (on != s && !(on == game->wild && symbol->kind == SYMBOL_LINE))
				break;
			wilds += on == game->wild;
		}
		if (terms->progressive && s == game->jackpot_symbols.symbol &&
			run >= game->jackpot_symbols.count)
			return (struct line_pay){
				.symbol = (uint8_t)s, .count = (uint8_t)run, .jackpot = true
			};
		if (terms->wild_multiplier_count > 0)
			multiplier *=
				terms->wild_multiplier[wilds < terms->wild_multiplier_count
							       ? wilds
							       : terms->wild_multiplier_count - 1];
		coins = symbol->pay[run] * multiplier;
		if (coins > best.coins)
			best = (struct line_pay){ .coins = coins,
				.multiplier = multiplier,
				.symbol = (uint8_t)s,
				.count = (uint8_t)run };
	}
	return best;
}

static void test_line_best_is_the_best_of_all(void **unused)
{
	static const struct random_shape shape = { 6, 5, 30, 20 };
	static struct game game;
	struct dice dice = { 20 };

	(void)unused;
	for (int g = 0; g < 2000; g++) {
		struct line_terms terms = { .multiplier = 1 + dice_below(&dice, 3),
			.wild_multiplier_count = dice_below(&dice, 5),
			.wild_multiplier = doubling,
			.progressive = dice_chance(&dice, 1, 2) };

		random_game(&dice, &shape, &game);
		for (int w = 0; w < 20; w++) {
			uint8_t window[GAME_CELLS_MAX];

			for (uint32_t c = 0; c < game.reels * game.rows; c++)
				window[c] =
					(uint8_t)(dice_chance(&dice, 1, 3)
							  ? 0
							  : dice_below(&dice, game.symbol_count));
			for (uint32_t l = 0; l < game.line_count; l++) {
				struct line_pay one = line_best(&game, window, l, &terms);
				struct line_pay other = plain_best(&game, window, l, &terms);

				assert_int_equal(one.coins, other.coins);
				assert_int_equal(one.jackpot, other.jackpot);
				if (one.coins == 0 && !one.jackpot)
					continue;
				assert_int_equal(one.symbol, other.symbol);
				assert_int_equal(one.count, other.count);
				if (!one.jackpot)
					assert_int_equal(one.multiplier, other.multiplier);
			}
		}
	}
}

/* A whole spin passes over lines that cannot win; what it pays is what all lines pay. */
static void test_pay_lines_leaves_out_nothing(void **unused)
{
	static const struct random_shape shape = { 6, 5, 30, 20 };
	static struct phase phase;
	static struct round round;
	static struct game game;
	struct dice dice = { 21 };

	(void)unused;
	for (int g = 0; g < 2000; g++) {
		struct line_terms terms = { .multiplier = 1 + dice_below(&dice, 3),
			.wild_multiplier_count = dice_below(&dice, 5),
			.wild_multiplier = doubling,
			.progressive = dice_chance(&dice, 1, 2) };

		random_game(&dice, &shape, &game);
		round = (struct round){ .game = &game, .line_bet = { 1 } };
		for (int w = 0; w < 20; w++) {
			uint32_t items = 0;
			bool jackpot = false;
			int64_t coins = 0;

			for (uint32_t c = 0; c < game.reels * game.rows; c++)
				round.window[c] =
					(uint8_t)(dice_chance(&dice, 1, 3)
							  ? 0
							  : dice_below(&dice, game.symbol_count));
			round.bet.lines = 1 + dice_below(&dice, game.line_count);
			for (uint32_t l = 0; l < round.bet.lines; l++) {
				struct line_pay pay = line_best(&game, round.window, l, &terms);

				coins += pay.coins;
				items += pay.coins > 0 || pay.jackpot;
				jackpot |= pay.jackpot;
			}
			phase_open(&round, PHASE_SPIN, &phase);
			pay_lines(&round, &phase, &terms);
			assert_int_equal(phase.win_total.minor, coins);
			assert_int_equal(phase.win_count, items);
			assert_int_equal(phase.jackpot_hit, jackpot);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line_best),
		cmocka_unit_test(test_line_best_is_the_best_of_all),
		cmocka_unit_test(test_pay_lines_leaves_out_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
