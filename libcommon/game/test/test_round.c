/* Rounds from windows and forced draws, as text: what is won, in which phase, in which order. */
#include "tests/support/game/game_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TRACE_MAX 8192

struct round_case {
	const char *what;
	const char *windows[FIXTURE_WINDOWS_MAX];
	uint32_t lines, coins;
	int64_t coin_minor;
	const char *script;
	const char *expected;
};

/* Windows that win nothing. */
#define DULL "MO FE TO MA LA/FE TO MA LA CA/CA LA MO FE GR"
#define SCATTER_3 "BA FE BA MA BA/FE TO MA LA CA/CA LA MO FE GR"
#define BONUS_3 "MU FE MU MA LA/FE TO MA LA CA/CA LA MO FE MU"
#define WIN_30 "MO FE TO MA LA/CT CT CT LA CA/CA LA MO FE GR"

static void run_case(const struct round_case *row)
{
	static struct game game;
	static struct phase phase;
	struct bet bet = { FIXTURE_EUR, row->coin_minor, row->lines, row->coins, 0 };
	uint32_t results[FIXTURE_SCRIPT_MAX];
	char trace[TRACE_MAX] = "";
	uint8_t key[RNG_KEY_BYTES] = { 9 };
	struct round_summing summing;
	struct round_sum sum;
	struct round round;
	enum round_status status;
	struct rng rng;
	size_t windows = 0, forced;

	while (windows < FIXTURE_WINDOWS_MAX && row->windows[windows])
		windows++;
	fixture_windows(&game, row->windows, windows);
	forced = fixture_script(&game, &bet, row->script, results);
	rng_init(&rng, key);
	rng_force(&rng, results, forced);
	assert_int_equal(round_begin(&game, &bet, NULL, &rng, &round), ROUND_OK);
	round_sum_begin(&summing, round.stake);
	while ((status = round_next(&round, &phase)) == ROUND_OK) {
		/* RULE bewitched 3.14: the bet of the round is that of all its spins */
		assert_int_equal(round.stake.minor, bet.coin_minor * bet.lines * bet.coins);
		assert_int_equal(round.line_bet.minor, bet.coin_minor * bet.coins);
		fixture_trace(&game, &phase, trace, sizeof(trace));
		assert_true(round_sum_add(&summing, &phase));
		if (rng_drawn(&rng) > forced)
			break;
	}
	round_sum_end(&summing, &sum);
	if (strcmp(trace, row->expected) != 0)
		fail_msg("%s:\n found    %s\n expected %s", row->what, trace, row->expected);
	assert_false(rng_forced_misfit(&rng));
	assert_int_equal(rng_drawn(&rng), forced);
	assert_int_equal(status, ROUND_DONE);
	/* RULE bewitched 3.18: the stake is one bet, however many spins */
	assert_int_equal(sum.stake.minor, row->coin_minor * row->lines * row->coins);
	assert_int_equal(sum.win_total.minor, sum.win_base_lines.minor + sum.win_feature.minor);
}

static void run(const struct round_case *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		run_case(&rows[i]);
}

#define RUN(rows) run(rows, sizeof(rows) / sizeof(rows[0]))

/* RULE bewitched 1.1, 2.1 to 2.4 */
static void test_round_lines(void **unused)
{
	static const struct round_case rows[] = {
		{ "nothing", { DULL }, 15, 1, 1, "0", "spin; " },
		{ "three of a kind, 30 x coin x coins", { WIN_30 }, 1, 7, 20, "0",
			"spin L1 cat 3 =4200; " },
		{ "the highest on its line only: four, not three",
			{ "MO FE TO MA LA/OW OW OW OW CA/CA LA MO FE GR" }, 1, 1, 1, "0",
			"spin L1 owl 4 =175; " },
		{ "five of a kind", { "MO FE TO MA LA/OW OW OW OW OW/CA LA MO FE GR" }, 1, 1, 1,
			"0", "spin L1 owl 5 =1000; " },
		{ "two of the best symbol", { "MO FE TO MA LA/WA WA CT LA CA/CA LA MO FE GR" }, 1,
			1, 1, "0", "spin L1 wand 2 =5; " },
		{ "not from the right", { "MO FE TO MA LA/FE TO OW OW OW/CA LA MO FE GR" }, 1, 1, 1,
			"0", "spin; " },
		{ "not with a gap", { "MO FE TO MA LA/OW OW FE OW OW/CA LA MO FE GR" }, 1, 1, 1,
			"0", "spin; " },
		{ "a line that is not selected", { "OW OW OW OW OW/MO FE TO MA LA/CA LA MO FE GR" },
			1, 1, 1, "0", "spin; " },
		{ "wins on several lines are added",
			{ "OW OW OW MA LA/CT CT CT LA CA/CA LA MO FE GR" }, 3, 1, 1, "0",
			"spin L1 cat 3 =30 L2 owl 3 =35; " },
	};
	(void)unused;
	RUN(rows);
}

/* RULE bewitched 3.1 */
static void test_round_wild(void **unused)
{
	static const struct round_case rows[] = {
		{ "stands for a symbol", { "MO FE TO MA LA/CT WI CT LA CA/CA LA MO FE GR" }, 1, 1,
			1, "0", "spin L1 cat 3 =30; " },
		{ "first, then a symbol", { "MO FE TO MA LA/WI WI CT LA CA/CA LA MO FE GR" }, 1, 1,
			1, "0", "spin L1 cat 3 =30; " },
		{ "two wilds are two wands", { "MO FE TO MA LA/WI WI BA LA CA/CA LA MO FE GR" }, 1,
			1, 1, "0", "spin L1 wand 2 =5; " },
		{ "three wilds as the best outdo a fourth symbol of the least",
			{ "MO FE TO MA LA/WI WI WI MO CA/CA LA MO FE GR" }, 1, 1, 1, "0",
			"spin L1 wand 3 =40; " },
		{ "four of a better symbol outdo three wilds",
			{ "MO FE TO MA LA/WI WI WI CT CA/CA LA MO FE GR" }, 1, 1, 1, "0",
			"spin L1 cat 4 =125; " },
		{ "a line of wilds pays as the best symbol",
			{ "MO FE TO MA LA/WI WI WI WI WI/CA LA MO FE GR" }, 1, 1, 1, "0",
			"spin L1 wand 5 =2000; " },
		{ "not for the scatter: one and a wild are not two",
			{ "MO FE TO MA LA/BA WI WI LA CA/CA LA MO FE GR" }, 1, 1, 1, "0",
			"spin; " },
		{ "not for the bonus: two and two wilds are not three",
			{ "MO FE TO MA LA/MU WI WI MU CA/CA LA MO FE GR" }, 1, 1, 1, "0",
			"spin; " },
		{ "the scatter ends a run", { "MO FE TO MA LA/CT CT BA CT CT/CA LA MO FE GR" }, 1,
			1, 1, "0", "spin; " },
	};

	(void)unused;
	RUN(rows);
}

/* RULE bewitched 3.2 to 3.4, 2.8 */
static void test_round_scatter_award(void **unused)
{
	static const struct round_case rows[] = {
		{ "one scatter does nothing", { "BA FE TO MA LA/FE TO MA LA CA/CA LA MO FE GR" }, 2,
			5, 10, "0", "spin; " },
		{ "two anywhere pay the total bet",
			{ "BA FE TO MA LA/FE TO MA LA BA/CA LA MO FE GR" }, 2, 5, 10, "0 b0",
			"spin; battle scatter 2 =100; " },
		{ "three", { SCATTER_3 }, 2, 5, 10, "0 b0", "spin; battle scatter 3 =500; " },
		{ "four", { "BA FE BA BA BA/FE TO MA LA CA/CA LA MO FE GR" }, 2, 5, 10, "0 b0",
			"spin; battle scatter 4 =2500; " },
		{ "the same whatever the lines", { SCATTER_3 }, 1, 10, 10, "0 b0",
			"spin; battle scatter 3 =500; " },
		{ "beside a line win", { "BA FE TO MA BA/CT CT CT LA CA/CA LA MO FE GR" }, 1, 1, 1,
			"0 b0", "spin L1 cat 3 =30; battle scatter 2 =1; " },
	};

	(void)unused;
	RUN(rows);
}

/* Five scatters always award 30 free spins with the shipped table. RULE bewitched 3.2 */
static void test_round_award_of_five(void **unused)
{
	static struct round_case row = { "five",
		{ "BA BA BA BA BA/FE TO MA LA CA/CA LA MO FE GR", DULL }, 1, 1, 1, NULL, NULL };
	char script[256] = "0 b30", expected[2048] = "spin; battle scatter 5 =250 +30 left 30; ";

	(void)unused;
	for (int left = 29; left >= 0; left--) {
		size_t at = strlen(expected);

		strcat(script, " 1");
		snprintf(expected + at, sizeof(expected) - at, "free_spin%s",
			left == 29 ? "!start" : "");
		at = strlen(expected);
		if (left > 0)
			snprintf(expected + at, sizeof(expected) - at, " left %d; ", left);
		else
			strcat(expected, "; ");
	}
	row.script = script;
	row.expected = expected;
	run_case(&row);
}

/* RULE bewitched 3.5 to 3.10, 3.13 */
static void test_round_bonus(void **unused)
{
	static const struct round_case rows[] = {
		{ "two bonus symbols do nothing",
			{ "MU FE MU MA LA/FE TO MA LA CA/CA LA MO FE GR" }, 1, 1, 1, "0",
			"spin; " },
		{ "the least money, 15 x the total bet", { BONUS_3 }, 15, 2, 5, "0 vm15",
			"spin; bonus!picks bonus 3 =2250; " },
		{ "the most money, 300 x", { BONUS_3 }, 15, 10, 100, "0 vm300",
			"spin; bonus!picks bonus 3 =4500000; " },
		{ "four bonus symbols start one bonus round",
			{ "MU FE MU MU LA/FE TO MA LA CA/CA LA MO FE MU" }, 1, 1, 1, "0 vm20",
			"spin; bonus!picks bonus 4 =20; " },
		{ "the jackpot is a claim, no money", { BONUS_3 }, 15, 10, 100, "0 vj",
			"spin; bonus!picks jackpot 1; " },
		{ "battle first, then bonus", { "MU BA MU MA BA/FE TO MA LA CA/CA LA MO FE MU" }, 1,
			1, 1, "0 b0 vm30", "spin; battle scatter 2 =1; bonus!picks bonus 3 =30; " },
	};

	(void)unused;
	RUN(rows);
}

/* RULE bewitched 3.11 to 3.17, 6.2: three free spins from a battle of two keep the traces short. */
static void test_round_free_spins(void **unused)
{
#define TWO "BA FE TO MA BA/FE TO MA LA CA/CA LA MO FE GR"
	static const struct round_case rows[] = {
		{ "line wins doubled, the first waits for the player", { TWO, WIN_30, DULL }, 1, 1,
			10, "0 b3 1 2 1",
			"spin; battle scatter 2 =10 +3 left 3; "
			"free_spin!start L1 cat 3 =600 left 2; free_spin left 1; "
			"free_spin L1 cat 3 =600; " },
		{ "scatter pays in free spins are not doubled", { TWO, DULL }, 1, 1, 10,
			"0 b3 0 b0 1 1",
			"spin; battle scatter 2 =10 +3 left 3; free_spin!start left 2; "
			"battle scatter 2 =10 left 2; free_spin left 1; free_spin; " },
		{ "bonus in free spins, not doubled", { TWO, BONUS_3, DULL }, 1, 1, 10,
			"0 b3 1 vm15 2 2",
			"spin; battle scatter 2 =10 +3 left 3; free_spin!start left 2; "
			"bonus!picks bonus 3 =150 left 2; free_spin left 1; free_spin; " },
		{ "retriggered ones after the others, doubled once", { TWO, WIN_30, DULL }, 1, 1, 1,
			"0 b3 0 b3 2 2 1 2 1",
			"spin; battle scatter 2 =1 +3 left 3; free_spin!start left 2; "
			"battle scatter 2 =1 +3 left 2 then 3; free_spin left 1 then 3; "
			"free_spin left 0 then 3; free_spin L1 cat 3 =60 left 2; "
			"free_spin left 1; free_spin L1 cat 3 =60; " },
		{ "retriggered by the last, twice over", { TWO, DULL }, 1, 1, 1,
			"0 b3 1 1 0 b3 1 0 b3 1 1 1 1",
			"spin; battle scatter 2 =1 +3 left 3; free_spin!start left 2; "
			"free_spin left 1; free_spin; battle scatter 2 =1 +3 left 0 then 3; "
			"free_spin left 2; free_spin left 1; battle scatter 2 =1 +3 left 1 then 3; "
			"free_spin left 0 then 3; free_spin left 2; free_spin left 1; "
			"free_spin; " },
		{ "the jackpot twice in one round", { TWO, BONUS_3, DULL }, 15, 10, 100,
			"0 b3 1 vj 1 vj 2",
			"spin; battle scatter 2 =15000 +3 left 3; free_spin!start left 2; "
			"bonus!picks left 2 jackpot 1; free_spin left 1; "
			"bonus!picks left 1 jackpot 2; free_spin; " },
		{ "battle and bonus of one spin award one set",
			{ "MU BA MU MA BA/FE TO MA LA CA/CA LA MO FE MU", DULL }, 1, 1, 1,
			"0 b3 vf15 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
			"spin; battle scatter 2 =1 +3 left 3; bonus!picks +15 left 18; "
			"free_spin!start left 17; free_spin left 16; free_spin left 15; "
			"free_spin left 14; free_spin left 13; free_spin left 12; "
			"free_spin left 11; free_spin left 10; free_spin left 9; "
			"free_spin left 8; free_spin left 7; free_spin left 6; free_spin left 5; "
			"free_spin left 4; free_spin left 3; free_spin left 2; free_spin left 1; "
			"free_spin; " },
	};

	(void)unused;
	RUN(rows);
}

/* RULE bewitched 3.19: two claims, in the order of the round. RULE bewitched 5.9, 2.8 */
static void test_round_sums(void **unused)
{
	static const char *const windows[] = { "BA FE TO MA BA/CT CT CT LA CA/CA LA MO FE GR",
		"MU FE MU MA LA/CT CT CT LA CA/CA LA MO FE MU", DULL };
	static struct game game;
	static struct phase phase;
	struct bet bet = { FIXTURE_EUR, 10, 1, 2, 0 };
	uint32_t results[FIXTURE_SCRIPT_MAX];
	uint8_t key[RNG_KEY_BYTES] = { 1 };
	struct round_sum sum;
	struct rng rng;

	(void)unused;
	fixture_windows(&game, windows, 3);
	rng_init(&rng, key);
	rng_force(&rng, results, fixture_script(&game, &bet, "0 b3 1 vj 1 vm15 2", results));
	assert_int_equal(round_play(&game, &bet, NULL, &rng, &phase, &sum), ROUND_DONE);
	assert_int_equal(sum.stake.minor, 20);
	assert_int_equal(sum.win_base_lines.minor, 600);
	assert_int_equal(sum.win_feature.minor, 20 + 1200 + 1200 + 300);
	assert_int_equal(sum.win_total.minor, 600 + 2720);
	assert_int_equal(sum.jackpot_hits, 1);
	assert_int_equal(sum.free_spins, 3);
	assert_int_equal(sum.phases, 7);
	assert_true(sum.has_feature);
}

/* RULE bewitched 3.17 */
static void test_round_stops_at_the_phase_limit(void **unused)
{
	static const char *const windows[] = { "BA BA BA BA BA/FE TO MA LA CA/CA LA MO FE GR" };
	static struct game game;
	static struct phase phase;
	struct bet bet = { FIXTURE_EUR, 1, 1, 1, 0 };
	uint8_t key[RNG_KEY_BYTES] = { 1 };
	enum round_status status;
	uint32_t phases = 0;
	struct round round;
	struct rng rng;
	uint64_t drawn;

	(void)unused;
	/* no loader would take it: every stop but the wrapped ones awards 30 more */
	fixture_windows(&game, windows, 1);
	rng_init(&rng, key);
	assert_int_equal(round_begin(&game, &bet, NULL, &rng, &round), ROUND_OK);
	while ((status = round_next(&round, &phase)) == ROUND_OK)
		phases++;
	assert_int_equal(status, ROUND_PHASE_LIMIT);
	assert_int_equal(phases, GAME_ROUND_PHASES_MAX);
	drawn = rng_drawn(&rng);
	assert_int_equal(round_next(&round, &phase), ROUND_PHASE_LIMIT);
	assert_int_equal(rng_drawn(&rng), drawn);
}

static void test_round_refuses_a_bad_bet(void **unused)
{
	struct bet bet = { FIXTURE_EUR, 3, 1, 1, 0 };
	struct round round;
	struct rng rng;

	(void)unused;
	assert_int_equal(round_begin(fixture_game(), &bet, NULL, &rng, &round), ROUND_BAD_BET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_lines),
		cmocka_unit_test(test_round_wild),
		cmocka_unit_test(test_round_scatter_award),
		cmocka_unit_test(test_round_award_of_five),
		cmocka_unit_test(test_round_bonus),
		cmocka_unit_test(test_round_free_spins),
		cmocka_unit_test(test_round_sums),
		cmocka_unit_test(test_round_stops_at_the_phase_limit),
		cmocka_unit_test(test_round_refuses_a_bad_bet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
