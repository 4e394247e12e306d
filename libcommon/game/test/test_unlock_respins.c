/* Respins that potions start, in paid spins and in free spins. Line bet 5. */
#include "tests/support/game/feature_game.h"

#include "libcommon/game/core/reels.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Base windows: w0 high, w1 random wilds, w2 multiplier, w3 mega wild, w4 two free spins. Windows
 * of the other sets: w0 wins nothing, w1 wins 25 on line 1; of free spins w2 shows one free-spin
 * symbol. */
#define COLLECTIBLES(two, three, four) "AKQJA/AKQJA/A" two three four "A/AKQJA/AKQJA"
#define DULL "AKQJA/AKQJA/AKQJA/AKQJA/AKQJA"
#define WIN_25 "AKQJA/AKQJA/AAAJA/AKQJA/AKQJA"

static const char *const base[] = { COLLECTIBLES("r", "b", "g"), COLLECTIBLES("r", "b", "b"),
	COLLECTIBLES("r", "g", "g"), COLLECTIBLES("b", "b", "g"), "AKQJA/FKQJF/AKQJA/AKQJA/AKQJA" };
static const char *const respin[] = { DULL, WIN_25, "AKQJA/FKQJA/AKQJA/AKQJA/AKQJA" };

struct respin_case {
	const char *what, *script, *expected;
};

static void make(struct game *game)
{
	feature_game_unlock(game);
	feature_windows(game, SET_BASE, base, 5);
	feature_windows(game, SET_FREE, respin, 3);
	for (uint32_t set = SET_HIGH; set < SET_COUNT; set++)
		feature_windows(game, (enum feature_set)set, respin, 2);
}

static void run(uint8_t unlocked, const struct respin_case *rows, size_t count)
{
	static struct game game;

	make(&game);
	for (size_t i = 0; i < count; i++) {
		struct round_state state = { { 0 }, unlocked };

		feature_round(rows[i].what, &game, &state, rows[i].script, rows[i].expected);
	}
}

#define RUN(unlocked, rows) run(unlocked, rows, sizeof(rows) / sizeof(rows[0]))

#define ALL " {000 3}; "

/* RULE witch-feature 4.1 to 4.4, 4.8, 4.9 */
static void test_respin_each_feature(void **unused)
{
	static const struct respin_case rows[] = {
		{ "high symbols: one respin, win or not", "w0 w1",
			"spin r2 b3 g4 high_symbols" ALL
			"potion_respin L1 A3 =25 high_symbols" ALL },
		{ "random wilds stand over the reels", "w1 c1 k1 c1 k1 c1 k1 c0 c0 w0",
			"spin r2 b3 b4 random_wilds" ALL
			"potion_respin wild 00222 L1 W3 =50 random_wilds" ALL },
		{ "each reel has rows of its own", "w1 c1 k3 c0 c1 k2 c0 c1 k0 w1",
			"spin r2 b3 b4 random_wilds" ALL
			"potion_respin wild 10408 L1 A3 =25 random_wilds" ALL },
		{ "a mega wild of 3x3", "w3 g0 w0",
			"spin b2 b3 g4 mega_wild" ALL
			"potion_respin wild 00777 L1 W3 =50 L2 W3 =50 mega_wild" ALL },
		{ "two mega wilds of 2x2", "w3 g1 w0",
			"spin b2 b3 g4 mega_wild" ALL
			"potion_respin wild cc033 L1 Q3 =10 L2 Q3 =10 mega_wild" ALL },
	};
	(void)unused;
	RUN(3, rows);
}

/* RULE witch-feature 4.5 to 4.7: the multiplier is drawn once, respins follow until one wins. */
static void test_respin_multiplier(void **unused)
{
	static const struct respin_case rows[] = {
		{ "the first wins", "w2 i1 w1",
			"spin r2 g3 g4 multiplier" ALL
			"potion_respin L1 A3 x3 =75 multiplier" ALL },
		{ "the fourth wins", "w2 i4 w0 w0 w0 w1",
			"spin r2 g3 g4 multiplier" ALL "potion_respin multiplier" ALL
			"potion_respin multiplier" ALL "potion_respin multiplier" ALL
			"potion_respin L1 A3 x10 =250 multiplier" ALL },
	};
	static const uint32_t multipliers[] = { 2, 3, 5, 8, 10 };
	static struct game game;
	static struct phase phase;
	uint8_t key[RNG_KEY_BYTES] = { 4 };

	(void)unused;
	RUN(3, rows);
	make(&game);
	for (uint32_t i = 0; i < 5; i++) {
		struct bet bet = {
			.currency = FEATURE_EUR, .coin_minor = 5, .lines = 2, .coins = 1
		};
		struct round_state state = { { 0 }, 3 };
		char script[] = "w2 i0 w0 w1";
		uint32_t results[FEATURE_SCRIPT_MAX];
		struct round round;
		struct rng rng;

		script[4] = (char)('0' + i);
		rng_init(&rng, key);
		rng_force(&rng, results, feature_script(&game, script, results));
		assert_int_equal(round_begin(&game, &bet, &state, &rng, &round), ROUND_OK);
		assert_int_equal(round_next(&round, &phase), ROUND_OK);
		assert_int_equal(round_next(&round, &phase), ROUND_OK);
		assert_int_equal(phase.draw[0].meaning, DRAW_MULTIPLIER);
		assert_int_equal(phase.multiplier, multipliers[i]);
		assert_int_equal(phase.win_count, 0);
		assert_int_equal(round_next(&round, &phase), ROUND_OK);
		assert_int_equal(phase.draw[0].meaning, DRAW_STOP);
		assert_int_equal(phase.multiplier, multipliers[i]);
		assert_int_equal(phase.win_total.minor, 25 * multipliers[i]);
		assert_int_equal(round_next(&round, &phase), ROUND_DONE);
	}
}

/* RULE witch-feature 6.3, 6.10: with everything locked and nothing collected; both stay so. */
static void test_respin_in_free_spins(void **unused)
{
	static const struct respin_case rows[] = {
		{ "none", "w4 w1 n w1 n",
			"spin +2 free 2+0 {000 0}; free_spin L1 A3 =25 free 1+0 {000 0}; "
			"free_spin L1 A3 =25 {000 0}; " },
		{ "high symbols, after the lines; then random wilds",
			"w4 w1 y i0 w1 w0 y i1 c1 k1 c1 k1 c1 k1 c0 c0 w0",
			"spin +2 free 2+0 {000 0}; "
			"free_spin L1 A3 =25 free 1+0 high_symbols {000 0}; "
			"potion_respin L1 A3 =25 free 1+0 high_symbols {000 0}; "
			"free_spin random_wilds {000 0}; "
			"potion_respin wild 00222 L1 W3 =50 random_wilds {000 0}; " },
		{ "mega wild in the last free spin", "w4 w0 n w0 y i3 g0 w0",
			"spin +2 free 2+0 {000 0}; free_spin free 1+0 {000 0}; "
			"free_spin mega_wild {000 0}; "
			"potion_respin wild 00777 L1 W3 =50 L2 W3 =50 mega_wild {000 0}; " },
		{ "the multiplier alone: respins until one wins", "w4 w0 y i2 i3 w0 w1 w0 n",
			"spin +2 free 2+0 {000 0}; free_spin free 1+0 multiplier {000 0}; "
			"potion_respin free 1+0 multiplier {000 0}; "
			"potion_respin L1 A3 x8 =200 free 1+0 multiplier {000 0}; "
			"free_spin {000 0}; " },
		{ "a free-spin symbol and a feature in one free spin", "w4 w2 y i0 w0 w0 n w0 n",
			"spin +2 free 2+0 {000 0}; free_spin +1 free 1+1 high_symbols {000 0}; "
			"potion_respin free 1+1 high_symbols {000 0}; free_spin free 0+1 {000 0}; "
			"free_spin {000 0}; " },
	};
	(void)unused;
	RUN(0, rows);
}

/* RULE witch-feature 6.4 to 6.6: the multiplier with each of the others: drawn first, then one
 * respin of the other, whatever it wins. */
static void test_respin_combined(void **unused)
{
	static const struct respin_case rows[] = {
		{ "x5 and high symbols", "w4 w0 y i4 i2 w1 w0 n",
			"spin +2 free 2+0 {000 0}; "
			"free_spin free 1+0 high_symbols multiplier {000 0}; "
			"potion_respin L1 A3 x5 =125 free 1+0 high_symbols multiplier {000 0}; "
			"free_spin {000 0}; " },
		{ "x2 and random wilds", "w4 w0 y i5 i0 c1 k1 c1 k1 c1 k1 c0 c0 w0 w0 n",
			"spin +2 free 2+0 {000 0}; "
			"free_spin free 1+0 random_wilds multiplier {000 0}; "
			"potion_respin wild 00222 L1 W3 x2 =100 free 1+0 random_wilds multiplier"
			" {000 0}; free_spin {000 0}; " },
		{ "x10 and mega wild", "w4 w0 y i6 i4 g0 w0 w0 n",
			"spin +2 free 2+0 {000 0}; "
			"free_spin free 1+0 multiplier mega_wild {000 0}; "
			"potion_respin wild 00777 L1 W3 x10 =500 L2 W3 x10 =500 free 1+0"
			" multiplier mega_wild {000 0}; free_spin {000 0}; " },
		{ "no win: one respin all the same", "w4 w0 y i4 i0 w0 w0 n",
			"spin +2 free 2+0 {000 0}; "
			"free_spin free 1+0 high_symbols multiplier {000 0}; "
			"potion_respin free 1+0 high_symbols multiplier {000 0}; "
			"free_spin {000 0}; " },
	};
	(void)unused;
	RUN(0, rows);
}

/* RULE witch-feature 6.3: free spins that follow collected potions leave those as they are. */
static void test_respin_leaves_state(void **unused)
{
	static struct game game;
	struct round_state state = { { 0, 1, 1 }, 2 };

	(void)unused;
	make(&game);
	feature_round("carried through free spins", &game, &state, "w4 w0 y i3 g0 w0 w0 n",
		"spin +2 free 2+0 {011 2}; free_spin free 1+0 mega_wild {011 2}; "
		"potion_respin wild 00777 L1 W3 =50 L2 W3 =50 free 1+0 mega_wild {011 2}; "
		"free_spin {011 2}; ");
}

/* RULE witch-feature 4.2, 6.13: the bet of the round, and free-spin features cost nothing; the
 * flat multiplier of free spins is for their own lines alone. */
static void test_respin_flat_multiplier_stays_out(void **unused)
{
	static struct game game;
	struct round_state state = { { 0 }, 0 };

	(void)unused;
	make(&game);
	game.free_spins.line_multiplier = 2;
	feature_round("doubled lines, not respins", &game, &state, "w4 w1 y i0 w1 w0 n",
		"spin +2 free 2+0 {000 0}; free_spin L1 A3 x2 =50 free 1+0 high_symbols {000 0}; "
		"potion_respin L1 A3 =25 free 1+0 high_symbols {000 0}; free_spin {000 0}; ");
}

/* RULE witch-feature 4.6, 6.9: without a win the respins go on to the bound and draw no more. */
static void test_respin_phase_limit(void **unused)
{
	static struct game game;
	static struct phase phase;
	static const char *const dull[] = { DULL };
	struct bet bet = { .currency = FEATURE_EUR, .coin_minor = 5, .lines = 2, .coins = 1 };
	struct round_state state = { { 0 }, 3 };
	uint32_t results[FEATURE_SCRIPT_MAX], phases = 0;
	uint8_t key[RNG_KEY_BYTES] = { 4 };
	enum round_status status;
	struct round round;
	struct rng rng;
	uint64_t drawn;

	(void)unused;
	make(&game);
	feature_windows(&game, SET_MULTIPLIER, dull, 1);
	rng_init(&rng, key);
	rng_force(&rng, results, feature_script(&game, "w2", results));
	assert_int_equal(round_begin(&game, &bet, &state, &rng, &round), ROUND_OK);
	while ((status = round_next(&round, &phase)) == ROUND_OK)
		phases++;
	assert_int_equal(status, ROUND_PHASE_LIMIT);
	assert_int_equal(phases, GAME_ROUND_PHASES_MAX);
	drawn = rng_drawn(&rng);
	assert_int_equal(round_next(&round, &phase), ROUND_PHASE_LIMIT);
	assert_int_equal(rng_drawn(&rng), drawn);
}

/* RULE witch-feature 4.4, 5.3: each set of rows has one number. */
static void test_respin_row_sets(void **unused)
{
	static const uint32_t pairs_of_4[] = { 0x3, 0x5, 0x6, 0x9, 0xa, 0xc };

	(void)unused;
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(row_set(4, 2, i), pairs_of_4[i]);
	for (uint32_t rows = 1; rows <= GAME_ROWS_MAX; rows++)
		for (uint32_t count = 0; count <= rows; count++) {
			uint32_t seen = 0;

			for (uint32_t i = 0; i < row_sets(rows, count); i++) {
				uint32_t set = row_set(rows, count, i);

				assert_int_equal(__builtin_popcount(set), count);
				assert_true(set < UINT32_C(1) << rows && (seen & 1u << set) == 0);
				seen |= UINT32_C(1) << set;
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_respin_each_feature),
		cmocka_unit_test(test_respin_multiplier),
		cmocka_unit_test(test_respin_in_free_spins),
		cmocka_unit_test(test_respin_combined),
		cmocka_unit_test(test_respin_leaves_state),
		cmocka_unit_test(test_respin_flat_multiplier_stays_out),
		cmocka_unit_test(test_respin_phase_limit),
		cmocka_unit_test(test_respin_row_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
