/* Cascades: by the rules as text, exact against every round that can happen, simulated against
 * played, and what the loader refuses. Tests run from the project's root. */
#include "libcommon/game/exact.h"
#include "libcommon/game/montecarlo.h"
#include "libcommon/game/test/definition_fixture.h"
#include "libcommon/game/test/small_game.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium/core.h>

#include <cmocka.h>

#define EXAMPLE "docs/example-game/cascades/definition.json"

/* ---- the rules, as text ---- */

struct text_case {
	const char *what, *windows[3], *script, *trace;
};

/* The spin shows window 1; above it stand the rows of window 0, from the bottom, and of the last
 * window. Reels are columns. */
static const struct text_case cases[] = {
	{ "no win, no tumble", { "CDCDC/BBBDD", "ABABC/DCBDC" }, "1", "spin; " },
	{ "what won leaves, what is above comes in, and is paid at the first multiplier",
		{ "CDCDC/BBBDD", "AAABC/DCBDC" }, "1",
		"spin L1 A 3 =5; tumble L1 B 4 =16; tumble; " },
	{ "what stays falls on what stays below it", { "DCDCD/CDCDC", "DBDBD/AAACD" }, "1",
		"spin L2 A 3 =5; tumble; " },
	{ "the multiplier grows, and the last is that of all further tumbles",
		{ "AAACD/AAADC", "AAADC/DCDCB" }, "1",
		"spin L1 A 3 =5; tumble L1 A 3 =10; tumble L1 A 3 =25; tumble; " },
};

static void cascade_game(const struct text_case *c, struct game *game)
{
	small_game(game, 2,
		"A line 3:5 4:20 5:100;B line 3:2 4:8;C line 3:1;D line 5:3;S scatter 3:2");
	game->own.cascade = (struct cascade_rules){
		.tumbles_max = 4, .multiplier_count = { 2, 0 }, .multiplier = { { 2, 5 } }
	};
	small_strips(game, 0, c->windows, 2);
}

static void test_cascade_by_the_rules(void **state)
{
	static struct game game;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bet bet = { SMALL_EUR, 1, 2, 1, 0 };
		char trace[512];

		cascade_game(&cases[i], &game);
		small_round(&game, &bet, cases[i].script, trace, sizeof(trace));
		if (strcmp(trace, cases[i].trace) != 0)
			fail_msg("%s: found '%s', expected '%s'", cases[i].what, trace,
				cases[i].trace);
	}
}

/* ---- simulated against played ---- */

#define REFERENCE_ROUNDS 60000u
#define DEVIATIONS 4.5

static double share(fast_sum sum, const struct fast_stats *stats)
{
	return (double)sum / (double)stats->rounds / (double)stats->stake;
}

/* The engine's own rounds: return and tumbles as the exact mathematics has them. */
static void test_cascade_played_is_at_its_return(void **state)
{
	struct game *game = calloc(1, sizeof(*game));
	struct exact_mode *mode = malloc(sizeof(*mode));
	struct fast_stats stats;
	char error[DEFINITION_ERROR_MAX];
	double mean, deviation;

	(void)state;
	assert_non_null(game);
	assert_non_null(mode);
	if (definition_load_flags(EXAMPLE, DEFINITION_UNPROVEN, game, error) != DEFINITION_OK)
		fail_msg("%s", error);
	assert_int_equal(exact_mode(game, 0, EXACT_RETURN, mode), EXACT_OK);
	struct bet bet = { game->currency[0].number, 1, mode->lines, mode->coins, 0 };
	assert_true(fast_reference_block(game, &bet, NULL, 7, 0, REFERENCE_ROUNDS, &stats));
	mean = share(stats.win, &stats);
	deviation = sqrt((share(stats.square, &stats) / (double)stats.stake - mean * mean) /
			 (double)stats.rounds);
	if (fabs(mean - mpq_get_d(mode->rtp)) > DEVIATIONS * deviation)
		fail_msg("found %.6f, expected %.6f, deviation %.6f", mean, mpq_get_d(mode->rtp),
			deviation);
	assert_true(stats.source[SOURCE_CASCADE] > 0 && stats.event[EVENT_TUMBLE] > 0);
	assert_true(stats.event[EVENT_TUMBLE] >= stats.event[EVENT_CASCADE]);
	exact_mode_free(mode);
	free(mode);
	definition_free(game);
	free(game);
}

/* ---- what the loader refuses ---- */

static void test_cascade_refusals(void **state)
{
	static const struct refusal rows[] = {
		{ "/cascades/tumbles_max", "0", "/cascades/tumbles_max: found 0" },
		{ "/cascades/tumbles_max", "51", "/cascades/tumbles_max: found 51" },
		{ "/cascades/multipliers", "[]", "/cascades/multipliers: found an array of 0" },
		{ "/cascades/multipliers", "[2,1]", "/cascades/multipliers/1: found 1" },
		{ "/cascades/more", "1", "/cascades/more: found" },
		{ "/cascades/free_spin_multipliers", "null",
			"/cascades/free_spin_multipliers: found null, expected multipliers" },
		{ "/expanding_wild", "{\"reels\":[2]}",
			"/cascades: found an object of 3 members, expected null in a game with "
			"expanding_wild" },
		{ "/modes/-",
			"{\"id\":\"buy\",\"name\":\"Buy\",\"price_hundredths\":500,"
			"\"strips\":\"base\",\"wild_reels\":null,"
			"\"guarantee\":{\"kind\":\"line_win\"},\"published_rtp\":[{\"bets\":"
			"\"all\",\"percent\":\"95.50\",\"tolerance\":\"0.005\"}]}",
			"/cascades: found an object of 3 members, expected null, or a "
			"simulated return for mode buy, because that mode has bought wild reels "
			"or a guarantee" },
		{ "/modes/0/published_rtp/0/simulated",
			"{\"rounds\":1000000000,\"half_width\":\"0.02\"}",
			"/modes/0/published_rtp: found a simulated return, expected a proved "
			"return" },
		{ "/modes/0/published_rtp/0/simulated", "{\"rounds\":1000,\"half_width\":\"0.02\"}",
			"/simulated/rounds: found 1000" },
		{ "/modes/0/published_rtp/0/simulated", "{\"rounds\":1000000000}",
			"/simulated/half_width: found nothing" },
	};

	(void)state;
	DEFINITION_REFUSALS(EXAMPLE, rows);
}

/* ---- returns by simulation: what the exact mathematics does not reach ---- */

#define BOUGHT                                                                                     \
	"{\"id\":\"buy\",\"name\":\"Buy\",\"price_hundredths\":300,\"strips\":\"base\","           \
	"\"wild_reels\":[{\"reels\":[3],\"weight\":1}],\"guarantee\":null,\"published_rtp\":"      \
	"[{\"bets\":\"all\",\"percent\":\"95.50\",\"tolerance\":\"0.005\",\"simulated\":"          \
	"{\"rounds\":1000000000,\"half_width\":\"0.02\"}}]}"

static void load_bought(struct game *game)
{
	json_error_t fault;
	json_t *root = json_load_file(EXAMPLE, 0, &fault);
	char error[DEFINITION_ERROR_MAX];

	assert_non_null(root);
	definition_change(root, "/modes/-", BOUGHT);
	definition_change(root, "/bet/currencies/EUR/price_max", "100000");
	assert_int_equal(
		definition_of_json(root, DEFINITION_UNPROVEN, game, error), DEFINITION_REFUSED);
	if (!strstr(error, "found a simulated return"))
		fail_msg("%s", error);
	if (definition_of_json(root, DEFINITION_SIMULATED, game, error) != DEFINITION_OK)
		fail_msg("%s", error);
	json_decref(root);
}

/* A mode that the mathematics does not follow is taken only where that is allowed; then it is
 * played and simulated, and nothing calls its return exact. */
static void test_return_by_simulation(void **state)
{
	struct game *game = calloc(1, sizeof(*game));
	struct exact_mode *mode = malloc(sizeof(*mode));
	struct fast_stats played, fast;
	struct fast_sim *sim;
	double deviation;
	mpq_t rtp;

	(void)state;
	assert_non_null(game);
	assert_non_null(mode);
	load_bought(game);
	assert_true(game_simulated(game) && !game_mode_simulated(&game->mode[0]));
	assert_int_equal(exact_mode(game, 1, EXACT_ALL, mode), EXACT_SIMULATED);
	assert_string_equal(mode->mode, "buy");
	exact_mode_free(mode);
	mpq_init(rtp);
	assert_int_equal(exact_bet(game, 1, 10, 1, rtp), EXACT_SIMULATED);
	mpq_clear(rtp);
	struct bet bet = { game->currency[0].number, 1, 10, 1, 1 };
	assert_true(fast_reference_block(game, &bet, NULL, 7, 0, REFERENCE_ROUNDS, &played));
	assert_int_equal(fast_new(game, &bet, NULL, &sim), FAST_OK);
	assert_int_equal(
		fast_run(sim, 7, 10 * REFERENCE_ROUNDS, 1, FAST_BEST, NULL, NULL, &fast), FAST_OK);
	deviation =
		sqrt(share(played.square, &played) / (double)played.stake / (double)played.rounds);
	assert_true(
		fabs(share(played.win, &played) - share(fast.win, &fast)) < DEVIATIONS * deviation);
	fast_free(&sim);
	definition_free(game);
	free(game);
	free(mode);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cascade_by_the_rules),
		cmocka_unit_test(test_cascade_played_is_at_its_return),
		cmocka_unit_test(test_cascade_refusals),
		cmocka_unit_test(test_return_by_simulation),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
