/* Sticky respins and free spins by scatters: what stays, what awards, and the published orders. */
#include "libcommon/game/test/small_game.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TRACE_MAX 8192
#define SYMBOLS                                                                                    \
	"A line 3:5;B line 3:5;C line 3:5;D line 3:5;E line 3:10 4:20 5:100;W wild;"               \
	"S scatter 3:2;J jackpot 3:8 4:40 5:900"

/* Windows by their number in scripts. The jewel is E. */
static const char *const windows[] = {
	"ABCDA/BCDAB/CDABC", /* 0: nothing */
	"EBCDA/EAWEB/CDABC", /* 1: two jewels on reel 1; a wild and a jewel elsewhere */
	"WBCDA/EAWEB/CDABC", /* 2: one jewel and a wild on reel 1 */
	"ASBSS/BCDAB/CDABC", /* 3: three scatters, none on reel 1 */
	"AWBCD/BEDAE/CDABC", /* 4: more wilds and jewels */
	"ESBSS/EBDAB/CDABC", /* 5: two jewels and three scatters */
	"EWCDA/EEWEB/CDABC", /* 6: two jewels with a win by two wilds and jewels */
	"JJJJJ/BCDAB/CDABC", /* 7: the progressive's five */
	"JBCDA/EAWEB/EDABC", /* 8: its symbol beside two jewels on reel 1 */
	"AWABD/BWWCA/WWWDB", /* 9: wins with one, two and three wilds */
	"ABCSS/BCSAB/CDABC", /* 10: a scatter where window 1 holds a wild */
	"EBCDA/EAWEB/EDABC", /* 11: three jewels on reel 1 */
};

static void sticky_game(struct game *game)
{
	static const uint32_t doubling[] = { 1, 2, 4, 8 };

	small_game(game, 3, SYMBOLS);
	game->free_spins = (struct free_spins_rules){ .offered = true,
		.strips = 0,
		.player_starts = true,
		.line_multiplier = 1,
		.wild_multiplier_count = 4,
		.award_symbol = small_symbol(game, 'S') };
	memcpy(game->free_spins.wild_multiplier, doubling, sizeof(doubling));
	for (uint32_t context = 0; context < SPIN_CONTEXTS; context++)
		for (uint32_t n = 3; n <= game->reels; n++)
			game->free_spins.award[context][n] = 10;
	game->sticky = (struct sticky_rules){ .offered = true,
		.strips = 1,
		.symbol = small_symbol(game, 'E'),
		.reel = 0,
		.at_least = 2,
		.spins = 2,
		.sticky = 1u << small_symbol(game, 'E') | 1u << small_symbol(game, 'W'),
		.player_starts = true };
	game->jackpot_symbols = (struct jackpot_symbols){
		.symbol = small_symbol(game, 'J'), .count = 5, .max_bet_only = true
	};
	small_strips(game, 0, windows, sizeof(windows) / sizeof(windows[0]));
	small_strips(game, 1, windows, sizeof(windows) / sizeof(windows[0]));
}

/* Base spin, normal free spins, jewel spins: "B N N J J". */
static void order_of(const char *trace, char *order)
{
	for (const char *p = trace; *p; p = strstr(p, "; ") + 2) {
		*order++ = strncmp(p, "spin", 4) == 0	? 'B'
			   : strncmp(p, "free", 4) == 0 ? 'N'
							: 'J';
		*order++ = ' ';
	}
	order[-1] = '\0';
}

/* RULE mona-lisa 3.14 to 3.18: the two published examples, and what follows from them. */
static void test_sticky_order(void **unused)
{
	static const struct {
		const char *what, *script, *order;
	} rows[] = {
		{ "the fourth free spin starts jewel spins", "3 0 0 0 1 !0 !0 0 0 0 0 0 0",
			"B N N N N J J N N N N N N" },
		{ "the first jewel spin awards ten", "1 !3 !0 0 0 0 0 0 0 0 0 0 0",
			"B J J N N N N N N N N N N" },
		{ "the second one awards ten", "1 !0 !3 0 0 0 0 0 0 0 0 0 0",
			"B J J N N N N N N N N N N" },
		{ "both from the paid spin: jewel spins first", "5 !0 !0 0 0 0 0 0 0 0 0 0 0",
			"B J J N N N N N N N N N N" },
		{ "jewel spins by the last free spin", "3 0 0 0 0 0 0 0 0 0 1 !0 !0",
			"B N N N N N N N N N N J J" },
		{ "two jewel spins of free spins award ten each, played after the others",
			"3 1 !3 !3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
			"B N J J N N N N N N N N N N N N N N N N N N N N N N N N N N N N N" },
	};
	static struct game game;
	struct bet bet = { .currency = SMALL_EUR, .coin_minor = 1, .lines = 3, .coins = 1 };
	char trace[TRACE_MAX], order[512];

	(void)unused;
	sticky_game(&game);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		small_round(&game, &bet, rows[i].script, trace, sizeof(trace));
		order_of(trace, order);
		if (strcmp(order, rows[i].order) != 0)
			fail_msg("%s: found %s, expected %s\n%s", rows[i].what, order,
				rows[i].order, trace);
	}
}

#define NINE " 0 0 0 0 0 0 0 0 0"
#define NINE_LEFT                                                                                  \
	"free_spin left 8; free_spin left 7; free_spin left 6; free_spin left 5; "                 \
	"free_spin left 4; free_spin left 3; free_spin left 2; free_spin left 1; free_spin; "

/* RULE mona-lisa 1.11, 2.3, 2.5, 2.6, 3.2, 3.3, 3.7, 3.8, 3.10 to 3.13, 3.17, 3.19, 3.20, 4.2
 * to 4.5, 5.2 */
static void test_sticky_rounds(void **unused)
{
	static const struct {
		const char *what;
		uint32_t lines, coins;
		const char *script, *expected;
	} rows[] = {
		{ "nothing", 3, 1, "0", "spin; " },
		{ "two jewels; the player starts", 3, 1, "1 !0 !0",
			"spin respins 2; sticky_spin!start respins 1; sticky_spin; " },
		{ "three jewels start two spins as well", 3, 1, "11 !0 !0",
			"spin respins 2; sticky_spin!start respins 1; sticky_spin; " },
		{ "a wild is no jewel", 3, 1, "2", "spin; " },
		{ "twelve awarded by one spin", 1, 1, "5 !0 !0 0" NINE,
			"spin scatter 3 =2 +10 respins 2 left 10; "
			"sticky_spin!start respins 1 left 10; sticky_spin left 10; "
			"free_spin!start left 9; " NINE_LEFT },
		{ "jewels in the respins start no more; ten at most there", 1, 1, "1 !5 !0 0" NINE,
			"spin respins 2; sticky_spin!start scatter 3 =2 +10 respins 1 left 10; "
			"sticky_spin left 10; free_spin!start left 9; " NINE_LEFT },
		{ "a scatter behind a held cell is not seen", 3, 1, "1 !10 !0",
			"spin respins 2; sticky_spin!start respins 1; sticky_spin; " },
		{ "wilds do not multiply in the paid spin nor in jewel spins", 3, 2, "6 !0 !0",
			"spin L2 E 4 =40 respins 2; sticky_spin!start L2 E 4 =40 respins 1; "
			"sticky_spin L2 E 4 =40; " },
		{ "x2 x4 x8 in free spins; scatters flat", 3, 1, "3 9 3 0 0 0 0 0 0 0 0" NINE " 0",
			"spin scatter 3 =6 +10 left 10; "
			"free_spin!start L1 A 3 =10 L2 B 3 =20 L3 E 3 =80 left 9; "
			"free_spin scatter 3 =6 +10 left 8 then 10; free_spin left 7 then 10; "
			"free_spin left 6 then 10; free_spin left 5 then 10; "
			"free_spin left 4 then 10; free_spin left 3 then 10; "
			"free_spin left 2 then 10; free_spin left 1 then 10; "
			"free_spin left 0 then 10; free_spin left 9; " NINE_LEFT },
		{ "jewel spins inside free spins go on by themselves, flat", 3, 1, "3 6 !0 !0" NINE,
			"spin scatter 3 =6 +10 left 10; free_spin!start L2 E 4 =40 respins 2 left 9; "
			"sticky_spin L2 E 4 =20 respins 1 left 9; "
			"sticky_spin L2 E 4 =20 left 9; " NINE_LEFT },
		{ "five jackpot symbols at the maximum bet", 3, 10, "7",
			"spin jackpot 5 =0 jackpot 1; " },
		{ "with fewer lines the paytable pays", 2, 10, "7", "spin L1 J 5 =9000; " },
		{ "with fewer coins too", 3, 9, "7", "spin L1 J 5 =8100; " },
		{ "not in jewel spins", 3, 10, "8 !7 !0",
			"spin respins 2; sticky_spin!start L1 J 5 =9000 respins 1; sticky_spin; " },
	};
	static struct game game;
	char trace[TRACE_MAX];

	(void)unused;
	sticky_game(&game);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bet bet = { .currency = SMALL_EUR,
			.coin_minor = 1,
			.lines = rows[i].lines,
			.coins = rows[i].coins };

		small_round(&game, &bet, rows[i].script, trace, sizeof(trace));
		if (strcmp(trace, rows[i].expected) != 0)
			fail_msg("%s:\n found    %s\n expected %s", rows[i].what, trace,
				rows[i].expected);
	}
}

/* RULE mona-lisa 3.4 to 3.6, 3.9: what is seen in each of the two, and which cells were held. */
static void test_sticky_windows(void **unused)
{
	static const struct {
		const char *window;
		uint32_t held;
	} phases[] = {
		{ "EBCDA/EAWEB/CDABC", 0 },
		{ "EWBCD/EEWEE/CDABC", 0x7 | 1u << 7 | 1u << 10 },
		{ "EWCDA/EEWEE/CDABC", 0x7 | 1u << 3 | 1u << 4 | 1u << 7 | 1u << 10 | 1u << 13 },
	};
	static struct game game;
	static struct phase phase;
	struct bet bet = { .currency = SMALL_EUR, .coin_minor = 1, .lines = 3, .coins = 1 };
	uint32_t results[SMALL_SCRIPT_MAX];
	uint8_t key[RNG_KEY_BYTES] = { 3 };
	struct round round;
	struct rng rng;
	char text[64];

	(void)unused;
	sticky_game(&game);
	rng_init(&rng, key);
	rng_force(&rng, results, small_script(&game, "1 !4 !0", results));
	assert_int_equal(round_begin(&game, &bet, NULL, &rng, &round), ROUND_OK);
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		assert_int_equal(round_next(&round, &phase), ROUND_OK);
		small_window(&game, &phase, text, sizeof(text));
		assert_string_equal(text, phases[i].window);
		assert_int_equal(phase.held, phases[i].held);
		assert_int_equal(phase.strips, i > 0);
		assert_int_equal(phase.draw_count, i > 0 ? 4 : 5);
	}
	assert_int_equal(round_next(&round, &phase), ROUND_DONE);
}

/* RULE mona-lisa 4.4, 4.13, 4.14: also in free spins, each hit a claim of its own. */
static void test_jackpot_symbols_twice(void **unused)
{
	static struct game game;
	struct bet bet = { .currency = SMALL_EUR, .coin_minor = 1, .lines = 3, .coins = 10 };
	char trace[TRACE_MAX];

	(void)unused;
	sticky_game(&game);
	game.free_spins.award[CONTEXT_BASE][3] = 2;
	small_round(&game, &bet, "3 7 7", trace, sizeof(trace));
	assert_string_equal(trace,
		"spin scatter 3 =60 +2 left 2; free_spin!start jackpot 5 =0 left 1 jackpot 1; "
		"free_spin jackpot 5 =0 jackpot 2; ");
}

/* Symbols that win the progressive on any cells: their line of five pays nothing beside it. */
static void test_jackpot_symbols_anywhere(void **unused)
{
	static const char *const spread[] = { "JBJDA/BCDJB/CJABJ", "JJJJJ/BCDAB/CDABC",
		"JJJJA/BCDAB/CDABC" };
	static struct game game;
	struct bet bet = { .currency = SMALL_EUR, .coin_minor = 1, .lines = 3, .coins = 1 };
	char trace[TRACE_MAX];

	(void)unused;
	sticky_game(&game);
	game.sticky.offered = false;
	game.jackpot_symbols.anywhere = true;
	game.jackpot_symbols.max_bet_only = false;
	small_strips(&game, 0, spread, 3);
	small_round(&game, &bet, "0", trace, sizeof(trace));
	assert_string_equal(trace, "spin jackpot 5 =0 jackpot 1; ");
	small_round(&game, &bet, "1", trace, sizeof(trace));
	assert_string_equal(trace, "spin jackpot 5 =0 jackpot 1; ");
	small_round(&game, &bet, "2", trace, sizeof(trace));
	assert_string_equal(trace, "spin L1 J 4 =40; ");
}

/* RULE witch-feature 6.1, 6.7 to 6.9, 6.11 to 6.14: symbols on reels 1 and 5 that award by their
 * number, in the paid spin and in free spins differently. */
static void test_free_spin_awards_by_context(void **unused)
{
	static const char *const pair[] = { "ABCDA/BCDAB/CDABC", "SBCDS/BCDAB/CDABC",
		"SBCDA/BCDAB/CDABC", "ABCDS/BCDAB/CDABC" };
	static const struct {
		const char *script, *expected;
	} rows[] = {
		{ "2", "spin; " },
		{ "3", "spin; " },
		{ "1 0 0", "spin +2 left 2; free_spin left 1; free_spin; " },
		{ "1 2 3 0 0", "spin +2 left 2; free_spin +1 left 1 then 1; "
			       "free_spin +1 left 0 then 2; free_spin left 1; free_spin; " },
		{ "1 0 1 0 0 0", "spin +2 left 2; free_spin left 1; free_spin +3 left 0 then 3; "
				 "free_spin left 2; free_spin left 1; free_spin; " },
	};
	static struct game game;
	struct bet bet = { .currency = SMALL_EUR, .coin_minor = 1, .lines = 3, .coins = 1 };
	char trace[TRACE_MAX];

	(void)unused;
	sticky_game(&game);
	game.sticky.offered = false;
	game.free_spins.player_starts = false;
	game.symbol[small_symbol(&game, 'S')].pay[3] = 0;
	memset(game.free_spins.award, 0, sizeof(game.free_spins.award));
	game.free_spins.award[CONTEXT_BASE][2] = 2;
	game.free_spins.award[CONTEXT_FREE][1] = 1;
	game.free_spins.award[CONTEXT_FREE][2] = 3;
	small_strips(&game, 0, pair, 4);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		small_round(&game, &bet, rows[i].script, trace, sizeof(trace));
		assert_string_equal(trace, rows[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sticky_order),
		cmocka_unit_test(test_sticky_rounds),
		cmocka_unit_test(test_sticky_windows),
		cmocka_unit_test(test_jackpot_symbols_twice),
		cmocka_unit_test(test_jackpot_symbols_anywhere),
		cmocka_unit_test(test_free_spin_awards_by_context),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
