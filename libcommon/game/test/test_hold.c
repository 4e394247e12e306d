/* Hold and win: rounds as text, and what holds in all of them. Total bet 10. */
#include "tests/support/game/feature_game.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct hold_case {
	const char *what, *window, *script, *expected;
};

#define SIX "BKQJB/BKQJB/BKQJB" /* reels 1 and 5: cells 0 1 2 12 13 14 */
#define FIVE "BKQJB/BKQJB/BKQJA"
#define FOURTEEN "BBBBB/BBBBB/BBBBA" /* all but cell 14 */
#define FULL "BBBBB/BBBBB/BBBBB"
#define DULL "AKQJA/AKQJA/AKQJA"
#define V6 "v1 v1 v1 v1 v1 v1 "
#define V14 V6 V6 "v1 v1 "
#define ONES6 " 0:1 1:1 2:1 12:1 13:1 14:1"
#define PAID6 " cell 0 =10 cell 1 =10 cell 2 =10 cell 12 =10 cell 13 =10 cell 14 =10"
#define NONE3 "n9 n9 n9"
#define DOWN3 "hold_respin left 2; hold_respin left 1; hold_respin; "

static void run(const struct hold_case *rows, size_t count)
{
	static struct game game;

	for (size_t i = 0; i < count; i++) {
		feature_game_hold(&game);
		feature_windows(&game, SET_BASE, &rows[i].window, 1);
		feature_round(rows[i].what, &game, NULL, rows[i].script, rows[i].expected);
	}
}

#define RUN(rows) run(rows, sizeof(rows) / sizeof(rows[0]))

/* A scatter of which the game's wild may count as one. */
static void add_scatter(struct game *game, bool wild_counts)
{
	game->symbol[game->symbol_count] = (struct game_symbol){ .id = "S",
		.kind = SYMBOL_SCATTER,
		.pay = { [3] = 4, [4] = 7 },
		.wild_counts = wild_counts };
	game->scatter_symbols = 1;
	game->scatter[0] = (uint8_t)game->symbol_count++;
}

/* RULE mystery-elves 2.7; rounds of definitions that say nothing about it stay what they were */
static void test_hold_wilds_count_as_scatters(void **unused)
{
	static const struct {
		const char *what, *window;
		bool counts;
		const char *expected;
	} rows[] = {
		{ "two scatters and a wild are three", "AKSJA/SKQWA/AKQJA", true,
			"spin scatter 1 x4 =40; " },
		{ "two scatters and two wilds are four", "AKSWA/SKQJA/AWQJA", true,
			"spin scatter 1 x7 =70; " },
		{ "wilds alone are scatters too", "AWQJA/AKWJA/AKQWA", true,
			"spin scatter 3 x4 =40; " },
		{ "two are not enough", "AKSJA/AKQWA/AKQJA", true, "spin; " },
		{ "a wild that does not count", "AKSJA/SKQWA/AKQJA", false, "spin; " },
		{ "three scatters alone", "AKSJA/SKQWA/AKQJS", false, "spin scatter 1 x4 =40; " },
	};
	static struct game game;

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		feature_game_hold(&game);
		add_scatter(&game, rows[i].counts);
		feature_windows(&game, SET_BASE, &rows[i].window, 1);
		feature_round(rows[i].what, &game, NULL, "w0", rows[i].expected);
	}
}

/* RULE mystery-elves 3.1, 3.2, 3.3 */
static void test_hold_trigger(void **unused)
{
	static const struct hold_case rows[] = {
		{ "no bonus symbols: nothing drawn for them", DULL, "w0", "spin; " },
		{ "five carry something and pay nothing", FIVE, "w0 v18 v1 m x v7",
			"spin 0:18 1:1 2:? 12:x 13:7; " },
		{ "six start three respins", SIX, "w0 " V6 NONE3,
			"spin" ONES6 " left 3; " DOWN3 "hold_end" ONES6 PAID6 "; " },
		{ "each kind, at the ends of its weights", SIX, "w0 v1 v18 v2 v3 v4 v5 " NONE3,
			"spin 0:1 1:18 2:2 12:3 13:4 14:5 left 3; " DOWN3
			"hold_end 0:1 1:18 2:2 12:3 13:4 14:5 cell 0 =10 cell 1 =180 cell 2 =20"
			" cell 12 =30 cell 13 =40 cell 14 =50; " },
		{ "lines of the spin pay as well", "BKQJB/AAAJB/BKBBB",
			"w0 v1 v1 v1 v1 v1 v1 v1 n8 n8 n8",
			"spin 0:1 2:1 8:1 11:1 12:1 13:1 14:1 left 3 L1 A3 =25; " DOWN3
			"hold_end 0:1 2:1 8:1 11:1 12:1 13:1 14:1 cell 0 =10 cell 2 =10 cell 8 =10"
			" cell 11 =10 cell 12 =10 cell 13 =10 cell 14 =10; " },
		{ "the wild is no bonus symbol", "BKQJB/BWQJB/BKQJA", "w0 v1 v1 v1 v1 v1",
			"spin 0:1 1:1 2:1 12:1 13:1; " },
	};
	(void)unused;
	RUN(rows);
}

/* RULE mystery-elves 3.4, 3.5, 3.6, 3.7 */
static void test_hold_respins(void **unused)
{
	static const struct hold_case rows[] = {
		{ "a new one sets the count back to three, from one left", SIX,
			"w0 " V6 "n9 n9 n4 y v2 n4 n8 n8 n8",
			"spin" ONES6 " left 3; hold_respin left 2; hold_respin left 1; "
			"hold_respin 7:2 left 3; " DOWN3
			"hold_end 0:1 1:1 2:1 7:2 12:1 13:1 14:1 cell 0 =10 cell 1 =10 cell 2 =10"
			" cell 7 =20 cell 12 =10 cell 13 =10 cell 14 =10; " },
		{ "several at once reset it once", SIX, "w0 " V6 "y v3 n7 y v4 n7 n7 n7",
			"spin" ONES6 " left 3; hold_respin 3:3 11:4 left 3; " DOWN3
			"hold_end 0:1 1:1 2:1 3:3 11:4 12:1 13:1 14:1 cell 0 =10 cell 1 =10"
			" cell 2 =10 cell 3 =30 cell 11 =40 cell 12 =10 cell 13 =10 cell 14 =10; " },
		{ "all cells filled: over at once, with respins left", SIX,
			"w0 " V6 "y v1 y v1 y v1 y v1 y v1 y v1 y v1 y v1 y v1",
			"spin" ONES6 " left 3; "
			"hold_respin 3:1 4:1 5:1 6:1 7:1 8:1 9:1 10:1 11:1 left 3; "
			"hold_end 0:1 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1 10:1 11:1 12:1 13:1 14:1"
			" cell 0 x2 =20 cell 1 x2 =20 cell 2 x2 =20 cell 3 x2 =20 cell 4 x2 =20"
			" cell 5 x2 =20 cell 6 x2 =20 cell 7 x2 =20 cell 8 x2 =20 cell 9 x2 =20"
			" cell 10 x2 =20 cell 11 x2 =20 cell 12 x2 =20 cell 13 x2 =20 cell 14 x2 =20; " },
	};
	(void)unused;
	RUN(rows);
}

/* RULE mystery-elves 3.8 to 3.12: multipliers, awards, own values are drawn in this order; what
 * follows a row's w0 .. n9 n9 n9 is that order. */
static void test_hold_end(void **unused)
{
	static const struct hold_case rows[] = {
		{ "a mystery is worth its award and, besides, its own value", SIX,
			"w0 m v1 v1 v1 v1 v1 " NONE3 " a2 o7",
			"spin 0:? 1:1 2:1 12:1 13:1 14:1 left 3; " DOWN3
			"hold_end 0:major+7 1:1 2:1 12:1 13:1 14:1 cell 0 =1070 cell 1 =10"
			" cell 2 =10 cell 12 =10 cell 13 =10 cell 14 =10; " },
		{ "without a multiplier of three or more the grand may come", SIX,
			"w0 m x v1 v1 v1 v1 " NONE3 " *2 a3 o1 o18",
			"spin 0:? 1:x 2:1 12:1 13:1 14:1 left 3; " DOWN3
			"hold_end 0:grand+1 1:x2+18 2:1 12:1 13:1 14:1 cell 0 x2 =20010"
			" cell 1 =180 cell 2 x2 =20 cell 12 x2 =20 cell 13 x2 =20 cell 14 x2 =20; " },
		{ "own values are not multiplied", SIX, "w0 x v5 v5 v5 v5 v5 " NONE3 " *5 o3",
			"spin 0:x 1:5 2:5 12:5 13:5 14:5 left 3; " DOWN3
			"hold_end 0:x5+3 1:5 2:5 12:5 13:5 14:5 cell 0 =30 cell 1 x5 =250"
			" cell 2 x5 =250 cell 12 x5 =250 cell 13 x5 =250 cell 14 x5 =250; " },
		{ "several multipliers: their product; they do not multiply each other", SIX,
			"w0 x v1 x m v1 x " NONE3 " *2 *3 *4 a1 o1 o2 o3 o4",
			"spin 0:x 1:1 2:x 12:? 13:1 14:x left 3; " DOWN3
			"hold_end 0:x2+1 1:1 2:x3+2 12:minor+3 13:1 14:x4+4 cell 0 =10"
			" cell 1 x24 =240 cell 2 =20 cell 12 x24 =12030 cell 13 x24 =240"
			" cell 14 =40; " },
		{ "nothing but multipliers: their own values", SIX,
			"w0 x x x x x x " NONE3 " *2 *2 *2 *2 *2 *2 o1 o1 o1 o1 o1 o1",
			"spin 0:x 1:x 2:x 12:x 13:x 14:x left 3; " DOWN3
			"hold_end 0:x2+1 1:x2+1 2:x2+1 12:x2+1 13:x2+1 14:x2+1" PAID6 "; " },
	};
	(void)unused;
	RUN(rows);
}

/* RULE mystery-elves 3.13, 3.14: what is multiplied and what is not, all of it twice. */
static void test_hold_full_screen(void **unused)
{
	static struct game game;
	static struct phase phase;
	static const char *const window = FULL;
	struct bet bet = { .currency = FEATURE_EUR, .coin_minor = 5, .lines = 2, .coins = 1 };
	uint32_t results[FEATURE_SCRIPT_MAX];
	uint8_t key[RNG_KEY_BYTES] = { 0 };
	struct round round;
	struct rng rng;
	size_t forced;

	(void)unused;
	feature_game_hold(&game);
	feature_windows(&game, SET_BASE, &window, 1);
	forced = feature_script(&game, "w0 " V6 V6 "v1 m x *3 a2 o4 o5", results);
	rng_init(&rng, key);
	rng_force(&rng, results, forced);
	assert_int_equal(round_begin(&game, &bet, NULL, &rng, &round), ROUND_OK);
	assert_int_equal(round_next(&round, &phase), ROUND_OK);
	assert_int_equal(phase.win_total.minor, 0);
	assert_int_equal(round_next(&round, &phase), ROUND_OK); /* no respin: it is full */
	assert_int_equal(phase.kind, PHASE_HOLD_END);
	/* (13 values of 1 + major 100) x 3, + 4 + 5, x 2, x total bet 10 */
	assert_int_equal(phase.win_total.minor, ((13 + 100) * 3 + 4 + 5) * 2 * 10);
	assert_int_equal(phase.win_count, 15);
	assert_int_equal(phase.held, 0x7fff);
	assert_int_equal(round_next(&round, &phase), ROUND_DONE);
	assert_int_equal(rng_drawn(&rng), forced);
}

/* The shown multiplier has 32 bits, the amount has not: fourteen multipliers of x5. */
static void test_hold_fourteen_multipliers(void **unused)
{
	static const struct hold_case rows[] = {
		{ "5^14 = 6103515625", FOURTEEN,
			"w0 x x x x x x x x x x x x x x y v18 "
			"*5 *5 *5 *5 *5 *5 *5 *5 *5 *5 *5 *5 *5 *5 "
			"o1 o1 o1 o1 o1 o1 o1 o1 o1 o1 o1 o1 o1 o1",
			"spin 0:x 1:x 2:x 3:x 4:x 5:x 6:x 7:x 8:x 9:x 10:x 11:x 12:x 13:x left 3; "
			"hold_respin 14:18 left 3; "
			"hold_end 0:x5+1 1:x5+1 2:x5+1 3:x5+1 4:x5+1 5:x5+1 6:x5+1 7:x5+1 8:x5+1"
			" 9:x5+1 10:x5+1 11:x5+1 12:x5+1 13:x5+1 14:18"
			" cell 0 x2 =20 cell 1 x2 =20 cell 2 x2 =20 cell 3 x2 =20 cell 4 x2 =20"
			" cell 5 x2 =20 cell 6 x2 =20 cell 7 x2 =20 cell 8 x2 =20 cell 9 x2 =20"
			" cell 10 x2 =20 cell 11 x2 =20 cell 12 x2 =20 cell 13 x2 =20"
			" cell 14 x4294967295 =2197265625000; " },
	};
	(void)unused;
	RUN(rows);
}

/* RULE mystery-elves 3.11: whatever is forced, with a multiplier of three or more there is no
 * number that gives the grand, and the table that is left keeps its weights. */
static void test_hold_grand_never_with_three(void **unused)
{
	static struct game game;
	static struct phase phase;
	static const char *const window = SIX;
	struct bet bet = { .currency = FEATURE_EUR, .coin_minor = 5, .lines = 2, .coins = 1 };
	uint8_t key[RNG_KEY_BYTES] = { 1 };

	(void)unused;
	feature_game_hold(&game);
	feature_windows(&game, SET_BASE, &window, 1);
	for (uint32_t multiplier = 2; multiplier <= 5; multiplier++)
		for (uint32_t award = 0; award < (multiplier < 3 ? 4u : 3u); award++) {
			uint32_t results[FEATURE_SCRIPT_MAX];
			char script[128];
			struct round round;
			struct rng rng;
			const struct draw *draw = NULL;

			snprintf(script, sizeof(script),
				"w0 m v1 v1 v1 v1 x n9 n9 n9 *%u a%u o1 o1", multiplier, award);
			rng_init(&rng, key);
			rng_force(&rng, results, feature_script(&game, script, results));
			assert_int_equal(round_begin(&game, &bet, NULL, &rng, &round), ROUND_OK);
			while (round_next(&round, &phase) == ROUND_OK)
				;
			assert_false(rng_forced_misfit(&rng));
			for (uint32_t i = 0; i < phase.draw_count; i++)
				if (phase.draw[i].meaning == DRAW_CELL_AWARD)
					draw = &phase.draw[i];
			assert_non_null(draw);
			assert_int_equal(draw->below, multiplier < 3 ? 4 : 3);
			assert_int_equal(phase.load[0].award, award + 1);
			assert_int_equal(game.hold.award[award].excluded, award == 3);
		}
}

/* ---- what holds in all rounds ------------------------------------------------------------------
 */

/* What the end must pay, worked out from the loads alone. */
static int64_t worth(const struct game *game, const struct phase *phase)
{
	int64_t product = 1, multiplied = 0, own = 0;
	bool full = phase->loaded == 0x7fff, high = false, grand = false;

	for (uint32_t cell = 0; cell < 15; cell++) {
		const struct cell_load *load = &phase->load[cell];

		if (!(phase->loaded >> cell & 1))
			continue;
		own += load->own;
		if (load->kind == HOLD_MULTIPLIER) {
			product *= load->x;
			high |= load->x >= 3;
		} else if (load->kind == HOLD_MYSTERY) {
			multiplied += game->hold.award[load->award - 1].x;
			grand |= load->award == 4;
		} else {
			multiplied += load->x;
			assert_int_equal(load->own, 0);
		}
		assert_true(load->kind == HOLD_VALUE || (load->own >= 1 && load->own <= 18));
	}
	assert_false(grand && high); /* RULE mystery-elves 3.11 */
	return (multiplied * product + own) * (full ? 2 : 1) * 10;
}

static void check_round(
	const struct game *game, struct round *round, struct phase *phase, const struct rng *rng)
{
	uint32_t filled = 0, left = 0;
	uint64_t drawn = 0;

	while (round_next(round, phase) == ROUND_OK) {
		feature_check_phase(game, phase);
		drawn += phase->draw_count;
		/* RULE mystery-elves 6.9 */
		assert_int_equal(phase->needs_player, NEEDS_NOTHING);
		if (phase->kind == PHASE_SPIN) {
			filled = phase->loaded;
			left = phase->respins_left;
			assert_int_equal(left, __builtin_popcount(filled) >= 6 ? 3 : 0);
			continue;
		}
		/* RULE mystery-elves 3.4: cells only grow */
		assert_int_equal(phase->held, filled);
		assert_int_equal(phase->loaded, filled | phase->landed);
		assert_int_equal(filled & phase->landed, 0);
		if (phase->kind == PHASE_HOLD_END) {
			assert_true(left == 0 || filled == 0x7fff);
			assert_int_equal(phase->win_total.minor, worth(game, phase));
			assert_int_equal(phase->win_count, __builtin_popcount(filled));
			continue;
		}
		assert_int_equal(phase->win_count, 0); /* RULE mystery-elves 3.14 */
		assert_int_equal(phase->respins_left, phase->landed ? 3 : left - 1);
		filled |= phase->landed;
		left = phase->respins_left;
	}
	assert_int_equal(drawn, rng_drawn(rng));
}

static void test_hold_properties(void **unused)
{
	static struct game game;
	static struct phase phase;
	static const char *const windows[] = { SIX, FIVE, FOURTEEN, DULL };
	const char *text = getenv("TEST_SEED");
	uint32_t seed = text ? (uint32_t)strtoul(text, NULL, 10) : 20240601;
	struct bet bet = { .currency = FEATURE_EUR, .coin_minor = 5, .lines = 2, .coins = 1 };
	uint8_t key[RNG_KEY_BYTES] = { 0 };

	(void)unused;
	print_message("TEST_SEED=%" PRIu32 "\n", seed);
	feature_game_hold(&game);
	feature_windows(&game, SET_BASE, windows, 4);
	for (uint32_t i = 0; i < 20000; i++) {
		struct round round;
		struct rng rng;

		memcpy(key, &seed, sizeof(seed));
		memcpy(key + 4, &i, sizeof(i));
		rng_init(&rng, key);
		game.hold.cell = (struct odds){ 1 + i % 9, 18 };
		game.hold.mystery_weight = 1 + i % 7;
		game.hold.multiplier_weight = 1 + i % 5;
		assert_int_equal(round_begin(&game, &bet, NULL, &rng, &round), ROUND_OK);
		check_round(&game, &round, &phase, &rng);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hold_wilds_count_as_scatters),
		cmocka_unit_test(test_hold_trigger),
		cmocka_unit_test(test_hold_respins),
		cmocka_unit_test(test_hold_end),
		cmocka_unit_test(test_hold_full_screen),
		cmocka_unit_test(test_hold_fourteen_multipliers),
		cmocka_unit_test(test_hold_grand_never_with_three),
		cmocka_unit_test(test_hold_properties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
