/* The shipped games by the fast simulator: every mode's mean, parts and features against the exact
 * figures, guaranteed and bought spins included. Seeds are fixed, so nothing here is left to
 * chance from one run to the next. Tests run from the project's root. */
#include "libcommon/game/definition_load.h"
#include "libcommon/game/exact.h"
#include "libcommon/game/montecarlo.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium/core.h>

#include <cmocka.h>

#define ROUNDS 300000u
#define DEVIATIONS 4.5
#define SEED 20240801u

static struct bet bet_of(const struct game *game, const struct exact_mode *mode)
{
	const struct game_currency *currency = &game->currency[0];
	struct bet bet = { currency->number, 0, mode->lines, mode->coins, mode->mode_index };
	struct bet_error error;
	struct money stake;

	for (uint32_t i = 0; i < currency->coin_count; i++) {
		bet.coin_minor = currency->coin_minor[i];
		if (bet_check(game, &bet, &stake, &error) == BET_OK)
			return bet;
	}
	fail_msg("%s %s: found no coin value for the bet", game->id, mode->mode);
	return bet;
}

/* How often it happened, as Poisson has it at worst; free spins come in sets, so not they. */
static void check_features(
	const struct game *game, const struct exact_mode *mode, const struct fast_stats *stats)
{
	for (uint32_t f = 0; f < mode->feature_count; f++)
		for (uint32_t e = 0; e < EVENT_AWARD + game->hold.award_count; e++) {
			double expected = mpq_get_d(mode->feature[f].frequency) * ROUNDS;
			double found = (double)stats->event[e];

			if (strcmp(event_text(game, e), mode->feature[f].name) != 0)
				continue;
			/* what free spins trigger comes in clusters */
			if (fabs(found - expected) > 3 * DEVIATIONS * sqrt(expected + 1))
				fail_msg("%s %s: %s: found %.0f, expected %.1f", game->id,
					mode->mode, mode->feature[f].name, found, expected);
		}
}

/* Sixteen spins at once and one after the other: the same bits in every mode, also where a spin
 * takes a pair of words. */
static void check_paths(
	const struct game *game, const struct exact_mode *mode, const struct fast_sim *sim)
{
	struct fast_stats wide, plain;

	if (!fast_has_avx512())
		return;
	assert_int_equal(
		fast_run(sim, SEED, ROUNDS / 4, 1, FAST_AVX512, NULL, NULL, &wide), FAST_OK);
	assert_int_equal(
		fast_run(sim, SEED, ROUNDS / 4, 1, FAST_SCALAR, NULL, NULL, &plain), FAST_OK);
	if (memcmp(&wide, &plain, sizeof(wide)) != 0)
		fail_msg("%s %s: AVX-512 and scalar differ", game->id, mode->mode);
}

static void check_mode(const struct game *game, const struct exact_mode *mode)
{
	struct round_state start = { { 0 }, 0 };
	struct bet bet = bet_of(game, mode);
	struct fast_stats stats;
	struct fast_sim *sim;
	double mean, deviation, expected = mpq_get_d(mode->rtp);

	if (game->unlock.offered)
		start.unlocked = (uint8_t)(game->unlock.step_count - 1);
	assert_int_equal(fast_new(game, &bet, &start, &sim), FAST_OK);
	assert_int_equal(fast_run(sim, SEED, ROUNDS, 1, FAST_BEST, NULL, NULL, &stats), FAST_OK);
	mean = (double)stats.win / ROUNDS / (double)stats.stake;
	deviation =
		sqrt(((double)stats.square / ROUNDS / (double)stats.stake / (double)stats.stake -
			     mean * mean) /
			ROUNDS);
	if (fabs(mean - expected) > DEVIATIONS * deviation)
		fail_msg("%s %s: found %.6f, expected %.6f, deviation %.6f", game->id, mode->mode,
			mean, expected, deviation);
	check_features(game, mode, &stats);
	check_paths(game, mode, sim);
	fast_free(&sim);
}

static void check_definition(const char *path)
{
	struct game *game = calloc(1, sizeof(*game));
	char error[DEFINITION_ERROR_MAX];

	assert_non_null(game);
	if (definition_load_flags(path, DEFINITION_UNPROVEN, game, error) != DEFINITION_OK)
		fail_msg("%s", error);
	for (uint32_t i = 0; i < exact_mode_count(game); i++) {
		struct exact_mode *mode = malloc(sizeof(*mode));

		assert_non_null(mode);
		assert_int_equal(exact_mode(game, i, EXACT_RETURN, mode), EXACT_OK);
		check_mode(game, mode);
		exact_mode_free(mode);
		free(mode);
	}
	definition_free(game);
	free(game);
}

static void check_game(const char *id)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "services/spin-engine/games/%s/definition.json", id);
	check_definition(path);
}

static void test_cascades_are_at_their_return(void **unused)
{
	(void)unused;
	check_definition("docs/example-game/cascades/definition.json");
}

static void test_bewitched_is_at_its_return(void **unused)
{
	(void)unused;
	check_game("bewitched");
}

static void test_mystic_gem_is_at_its_return(void **unused)
{
	(void)unused;
	check_game("mystic-gem");
}

static void test_mystery_elves_is_at_its_return(void **unused)
{
	(void)unused;
	check_game("mystery-elves");
}

static void test_mona_lisa_is_at_its_return(void **unused)
{
	(void)unused;
	check_game("mona-lisa");
}

static void test_witch_feature_is_at_its_return(void **unused)
{
	(void)unused;
	check_game("witch-feature");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cascades_are_at_their_return),
		cmocka_unit_test(test_bewitched_is_at_its_return),
		cmocka_unit_test(test_mystic_gem_is_at_its_return),
		cmocka_unit_test(test_mystery_elves_is_at_its_return),
		cmocka_unit_test(test_mona_lisa_is_at_its_return),
		cmocka_unit_test(test_witch_feature_is_at_its_return),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
