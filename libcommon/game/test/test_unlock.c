/* Potions: collecting, combinations, unlocking, the explosion. Line bet 5. */
#include "tests/support/game/feature_game.h"

#include "libcommon/game/core/reels.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WINDOWS_MAX 6

struct unlock_case {
	const char *what;
	const char *windows[WINDOWS_MAX];
	struct round_state state;
	const char *script, *expected;
};

/* Nothing wins here whatever falls: reel 1 is all A, reel 2 has none. */
#define COLLECTIBLES(two, three, four) "AKQJA/AKQJA/A" two three four "A/AKQJA/AKQJA"
#define DULL "AKQJA/AKQJA/AKQJA/AKQJA/AKQJA"

static void run(const struct unlock_case *rows, size_t count)
{
	static struct game game;

	for (size_t i = 0; i < count; i++) {
		struct round_state state = rows[i].state;
		uint32_t windows = 0;

		while (windows < WINDOWS_MAX && rows[i].windows[windows])
			windows++;
		feature_game_unlock(&game);
		feature_windows(&game, SET_BASE, rows[i].windows, windows);
		feature_round(rows[i].what, &game, &state, rows[i].script, rows[i].expected);
	}
}

#define RUN(rows) run(rows, sizeof(rows) / sizeof(rows[0]))

/* RULE witch-feature 3.1 to 3.5 */
static void test_unlock_collects(void **unused)
{
	static const struct unlock_case rows[] = {
		{ "none", { DULL }, { { 0 }, 0 }, "w0", "spin {000 0}; " },
		{ "one", { COLLECTIBLES("K", "g", "J") }, { { 0 }, 0 }, "w0", "spin g3 {001 0}; " },
		{ "it is added to what was carried", { COLLECTIBLES("b", "Q", "J") },
			{ { 0, 1, 0 }, 2 }, "w0", "spin b2 {020 2}; " },
		{ "left to right: the first of them completes, the others carry over",
			{ COLLECTIBLES("r", "g", "b") }, { { 1, 1, 0 }, 0 }, "w0 n",
			"spin r2 g3 b4 {011 0}; " },
		{ "left to right: the second completes", { COLLECTIBLES("b", "g", "r") },
			{ { 1, 0, 0 }, 0 }, "w0 w0",
			"spin b2 g3 r4 high_symbols {100 1}; potion_respin high_symbols {100 1}; " },
		{ "five make one combination, two are left", { COLLECTIBLES("r", "b", "b") },
			{ { 2, 0, 0 }, 0 }, "w0 n", "spin r2 b3 b4 {020 0}; " },
		{ "what is above falls into the gap, the line is paid after that",
			{ "AQQJA/AAQJA/ArAJA/AKQJA/AKQJA" }, { { 0 }, 0 }, "w0",
			"spin L1 A3 =25 r2 {100 0}; " },
		{ "a gap in the lowest row", { "AQQJA/AAQJA/AKAJA/AKQJA/AbQJA" }, { { 0 }, 0 },
			"w0", "spin L1 A3 =25 b2 {010 0}; " },
		{ "nothing above the gap is all that moves: the row below stays",
			{ "AKQJA/ArQJA/AAAJA/AKQJA/AKQJA" }, { { 0 }, 0 }, "w0",
			"spin L1 A3 =25 r2 {100 0}; " },
	};
	(void)unused;
	RUN(rows);
}

/* One spin on a combination: what it starts, and with what odds it would have exploded. */
struct outcome {
	int feature; /* unlock_kind; -1: none */
	uint32_t odds_of;
	uint8_t unlocked;
};

static struct outcome outcome_of(const char *three, uint8_t unlocked)
{
	static struct game game;
	static struct phase phase;
	char window[] = DULL;
	const char *windows[] = { window };
	struct round_state state = { { 0 }, unlocked };
	struct bet bet = { .currency = FEATURE_EUR, .coin_minor = 5, .lines = 2, .coins = 1 };
	uint32_t results[FEATURE_SCRIPT_MAX];
	uint8_t key[RNG_KEY_BYTES] = { 2 };
	struct outcome outcome = { .feature = -1 };
	struct round round;
	struct rng rng;

	memcpy(strrchr(window, '/') + 2, three, 3);
	feature_game_unlock(&game);
	feature_windows(&game, SET_BASE, windows, 1);
	rng_init(&rng, key);
	rng_force(&rng, results, feature_script(&game, "w0 n", results));
	assert_int_equal(round_begin(&game, &bet, &state, &rng, &round), ROUND_OK);
	assert_int_equal(round_next(&round, &phase), ROUND_OK);
	if (phase.features)
		outcome.feature = __builtin_ctz(phase.features);
	else
		assert_int_equal(phase.draw[5].meaning, DRAW_EXPLODES);
	if (phase.draw_count > 5)
		outcome.odds_of = (uint32_t)phase.draw[5].below;
	outcome.unlocked = phase.state.unlocked;
	for (uint32_t c = 0; c < GAME_COLOURS; c++)
		assert_int_equal(phase.state.collectibles[c], 0); /* used up, whatever came of it */
	return outcome;
}

/* RULE witch-feature 3.6 to 3.11, 5.1: all ten combinations at each level of unlocking. */
static void test_unlock_combinations(void **unused)
{
	static const struct {
		const char *three;
		int feature;
		uint32_t locked_of; /* odds while it is locked */
	} rows[] = {
		{ "rbg", UNLOCK_HIGH_SYMBOLS, 0 },
		{ "gbr", UNLOCK_HIGH_SYMBOLS, 0 },
		{ "brg", UNLOCK_HIGH_SYMBOLS, 0 },
		{ "rbb", UNLOCK_RANDOM_WILDS, 5 },
		{ "brb", UNLOCK_RANDOM_WILDS, 5 },
		{ "bbr", UNLOCK_RANDOM_WILDS, 5 },
		{ "rgg", UNLOCK_MULTIPLIER, 6 },
		{ "grg", UNLOCK_MULTIPLIER, 6 },
		{ "bbg", UNLOCK_MEGA_WILD, 7 },
		{ "gbb", UNLOCK_MEGA_WILD, 7 },
		{ "rrr", -1, 4 },
		{ "rrb", -1, 4 },
		{ "rgr", -1, 4 },
		{ "bbb", -1, 4 },
		{ "bgg", -1, 4 },
		{ "ggg", -1, 4 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (uint8_t unlocked = 0; unlocked < 4; unlocked++) {
			struct outcome found = outcome_of(rows[i].three, unlocked);
			bool open = rows[i].feature >= 0 && rows[i].feature <= unlocked;
			uint8_t after = open && rows[i].feature == unlocked && unlocked < 3
						? (uint8_t)(unlocked + 1)
						: unlocked;

			if (found.feature != (open ? rows[i].feature : -1) ||
				found.odds_of != (open ? 0 : rows[i].locked_of) ||
				found.unlocked != after)
				fail_msg("%s at level %u: feature %d, 1 of %u, then level %u",
					rows[i].three, unlocked, found.feature, found.odds_of,
					found.unlocked);
		}
}

/* RULE witch-feature 3.8 to 3.11: round after round at one bet value. RULE
 * witch-feature 3.12, 3.13: another bet value's state is another's. */
static void test_unlock_chain(void **unused)
{
	static const struct {
		const char *three, *script, *expected;
	} rows[] = {
		{ COLLECTIBLES("b", "g", "b"), "w0 n", "spin b2 g3 b4 {000 0}; " },
		{ COLLECTIBLES("r", "b", "g"), "w0 w0",
			"spin r2 b3 g4 high_symbols {000 1}; potion_respin high_symbols {000 1}; " },
		{ COLLECTIBLES("r", "b", "g"), "w0 w0",
			"spin r2 b3 g4 high_symbols {000 1}; potion_respin high_symbols {000 1}; " },
		{ COLLECTIBLES("r", "g", "g"), "w0 n", "spin r2 g3 g4 {000 1}; " },
		{ COLLECTIBLES("r", "b", "b"), "w0 c0 c0 c0 c0 c0 w0",
			"spin r2 b3 b4 random_wilds {000 2}; potion_respin random_wilds {000 2}; " },
		{ COLLECTIBLES("r", "g", "g"), "w0 i0 w1",
			"spin r2 g3 g4 multiplier {000 3}; "
			"potion_respin L1 A3 x2 =50 multiplier {000 3}; " },
		{ COLLECTIBLES("b", "g", "b"), "w0 i1 w0",
			"spin b2 g3 b4 mega_wild {000 3}; "
			"potion_respin wild cc033 L1 Q3 =10 L2 Q3 =10 mega_wild {000 3}; " },
		{ COLLECTIBLES("r", "b", "g"), "w0 w0",
			"spin r2 b3 g4 high_symbols {000 3}; potion_respin high_symbols {000 3}; " },
	};
	static const char *const wins[] = { DULL, "AKQJA/AKQJA/AAAJA/AKQJA/AKQJA" };
	static struct game game;
	struct round_state state = { { 0 }, 0 }, other = { { 1, 0, 0 }, 0 };

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		feature_game_unlock(&game);
		feature_windows(&game, SET_BASE, &rows[i].three, 1);
		feature_windows(&game, SET_MULTIPLIER, wins, 2);
		feature_round("chain", &game, &state, rows[i].script, rows[i].expected);
	}
	feature_windows(&game, SET_BASE, (const char *const[]){ COLLECTIBLES("b", "b", "Q") }, 1);
	feature_round("another bet value", &game, &other, "w0 n", "spin b2 b3 {000 0}; ");
}

#define RRR "AKQJA/AKQJA/ArrrA/AKQJA/AKQJA"

/* RULE witch-feature 5.1 to 5.4, 5.6 to 5.8 */
static void test_unlock_explosion(void **unused)
{
	static const struct unlock_case rows[] = {
		{ "it does not start: nothing is paid", { RRR }, { { 0 }, 0 }, "w0 n",
			"spin r2 r3 r4 {000 0}; " },
		{ "marks on the top row become wilds", { RRR }, { { 0 }, 0 },
			"w0 y c1 k0 c1 k0 c1 k0 c0 c0 s0",
			"spin r2 r3 r4 explodes {000 0}; explosion wild 00111 L2 W3 =50 {000 0}; " },
		{ "two marks on a reel, the last pair of rows", { RRR }, { { 0 }, 0 },
			"w0 y c2 k5 c0 c0 c0 c2 k0 s1",
			"spin r2 r3 r4 explodes {000 0}; explosion wild 3000c {000 0}; " },
		{ "all marks become the same symbol", { RRR }, { { 0 }, 0 },
			"w0 y c0 c1 k1 c1 k1 c1 k1 c0 s1",
			"spin r2 r3 r4 explodes {000 0}; explosion wild 02220 L1 A5 =500 {000 0}; " },
		{ "a win that the marks leave alone is paid in both",
			{ "AKQJA/AAAJA/AKQJA/ArrrA/AKQJA" }, { { 0 }, 0 },
			"w0 y c0 c0 c0 c0 c1 k3 s2",
			"spin L1 A3 =25 r2 r3 r4 explodes {000 0}; "
			"explosion wild 80000 L1 A3 =25 {000 0}; " },
		{ "marks may also take a win away: the spin's stays paid",
			{ "AKQJA/AAAJA/AKQJA/ArrrA/AKQJA" }, { { 0 }, 0 },
			"w0 y c1 k1 c0 c0 c0 c0 s2",
			"spin L1 A3 =25 r2 r3 r4 explodes {000 0}; explosion wild 00002 {000 0}; " },
		{ "a mark on a free-spin symbol is void", { "AKQJA/FKQJA/ArrrA/AKQJA/AKQJA" },
			{ { 0 }, 0 }, "w0 y c2 k0 c1 k0 c1 k0 c0 c0 s0",
			"spin r2 r3 r4 explodes {000 0}; explosion wild 00112 {000 0}; " },
		{ "a locked combination explodes by odds of its own",
			{ COLLECTIBLES("r", "b", "b") }, { { 0 }, 0 }, "w0 y c0 c0 c0 c0 c1 k0 s0",
			"spin r2 b3 b4 explodes {000 0}; explosion wild 10000 {000 0}; " },
	};
	(void)unused;
	RUN(rows);
}

/* RULE witch-feature 3.15: the explosion first, then the free spins of the same spin. */
static void test_unlock_before_free_spins(void **unused)
{
	static const struct unlock_case rows[] = {
		{ "an explosion", { "AKQJA/FKQJF/ArrrA/AKQJA/AKQJA" }, { { 0 }, 0 },
			"w0 y c0 c0 c0 c0 c0 s0 w0 n w0 n",
			"spin +2 free 2+0 r2 r3 r4 explodes {000 0}; "
			"explosion free 2+0 {000 0}; free_spin free 1+0 {000 0}; "
			"free_spin {000 0}; " },
		{ "a respin", { "AKQJA/FKQJF/ArbgA/AKQJA/AKQJA" }, { { 0 }, 0 }, "w0 w0 w0 n w0 n",
			"spin +2 free 2+0 r2 b3 g4 high_symbols {000 1}; "
			"potion_respin free 2+0 high_symbols {000 1}; free_spin free 1+0 {000 1}; "
			"free_spin {000 1}; " },
	};
	(void)unused;
	RUN(rows);
}

/* ---- what holds in all rounds ------------------------------------------------------------------
 */

static uint32_t sum_of(const struct round_state *state)
{
	return (uint32_t)state->collectibles[0] + state->collectibles[1] + state->collectibles[2];
}

/* Potions are neither made nor lost, levels never fall, only what is open starts. */
static void check_spin(const struct round_state *before, const struct phase *phase)
{
	uint32_t collected = 0, used = 0;

	for (uint32_t r = 0; r < phase->reels; r++) {
		collected += phase->collected_colour[r] > 0;
		assert_true(phase->collected_colour[r] == 0 || (r >= 1 && r <= 3));
	}
	used = sum_of(before) + collected - sum_of(&phase->state);
	assert_true(used == 0 || used == 3);
	assert_true((phase->features == 0 && !phase->explodes) || used == 3);
	assert_false(phase->features != 0 && phase->explodes);
	assert_int_equal(phase->features & (phase->features - 1), 0);
	assert_true(phase->features == 0 ||
		    (uint32_t)__builtin_ctz(phase->features) <= before->unlocked);
	assert_true(phase->state.unlocked == before->unlocked ||
		    (phase->features == UINT32_C(1) << before->unlocked &&
			    phase->state.unlocked == before->unlocked + 1));
}

static void check_later(
	const struct game *game, const struct phase *spin, const struct phase *phase)
{
	/* RULE witch-feature 4.10, 6.2, 6.3: nothing after the paid spin touches what is carried */
	assert_memory_equal(&phase->state, &spin->state, sizeof(spin->state));
	if (phase->kind == PHASE_EXPLOSION)
		for (uint32_t cell = 0; cell < 20; cell++) {
			bool marked = phase->covered >> cell & 1;

			if (!marked || spin->window[cell] == game->free_spins.award_symbol)
				assert_int_equal(phase->window[cell], spin->window[cell]);
			/* RULE witch-feature 5.8 */
			assert_false(marked && spin->window[cell] == game->free_spins.award_symbol);
		}
	else if (phase->kind == PHASE_FREE_SPIN)
		for (uint32_t r = 0; r < phase->reels; r++)
			assert_int_equal(phase->collected_colour[r], 0);
	else if (phase->kind == PHASE_UNLOCK_RESPIN)
		assert_int_equal(phase->free_spins_awarded, 0); /* RULE witch-feature 6.10 */
}

static const char *const property_base[] = { DULL, COLLECTIBLES("r", "Q", "J"),
	COLLECTIBLES("K", "b", "J"), COLLECTIBLES("K", "Q", "g"), COLLECTIBLES("g", "b", "J"),
	COLLECTIBLES("r", "r", "b"), COLLECTIBLES("b", "Q", "g"), "AKQJA/FKQJF/ArbgA/AKQJA/AKQJA",
	"AQQJA/AAQJA/ArAJA/AKQJA/AKQJA" };
static const char *const property_other[] = { DULL, "AKQJA/AAAJA/WWQJA/AKQJA/AKQJA",
	"AKQJA/KKKKA/QAQJA/AKQJA/AKQJA" };
static const char *const property_free[] = { DULL, "AKQJA/FKQJA/AKQJA/AKQJA/AKQJA", DULL, DULL,
	DULL, DULL };

static void test_unlock_properties(void **unused)
{
	static struct game game;
	static struct phase phase, spin;
	const char *text = getenv("TEST_SEED");
	uint32_t seed = text ? (uint32_t)strtoul(text, NULL, 10) : 20240602;
	struct bet bet = { .currency = FEATURE_EUR, .coin_minor = 5, .lines = 2, .coins = 1 };
	uint8_t key[RNG_KEY_BYTES] = { 0 };
	struct round_state state = { { 0 }, 0 };

	(void)unused;
	print_message("TEST_SEED=%" PRIu32 "\n", seed);
	feature_game_unlock(&game);
	feature_windows(&game, SET_BASE, property_base, 9);
	feature_windows(&game, SET_FREE, property_free, 6);
	for (uint32_t set = SET_HIGH; set < SET_COUNT; set++)
		feature_windows(&game, (enum feature_set)set, property_other, 3);
	for (uint32_t i = 0; i < 20000; i++) {
		uint64_t drawn = 0;
		struct round round;
		struct rng rng;

		if (i % 500 == 0)
			memset(&state, 0, sizeof(state));
		memcpy(key, &seed, sizeof(seed));
		memcpy(key + 4, &i, sizeof(i));
		rng_init(&rng, key);
		assert_int_equal(round_begin(&game, &bet, &state, &rng, &round), ROUND_OK);
		while (round_next(&round, &phase) == ROUND_OK) {
			feature_check_phase(&game, &phase);
			drawn += phase.draw_count;
			if (phase.kind == PHASE_SPIN) {
				check_spin(&state, &phase);
				spin = phase;
			} else {
				check_later(&game, &spin, &phase);
			}
		}
		assert_int_equal(drawn, rng_drawn(&rng));
		state = phase.state;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unlock_collects),
		cmocka_unit_test(test_unlock_combinations),
		cmocka_unit_test(test_unlock_chain),
		cmocka_unit_test(test_unlock_explosion),
		cmocka_unit_test(test_unlock_before_free_spins),
		cmocka_unit_test(test_unlock_properties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
