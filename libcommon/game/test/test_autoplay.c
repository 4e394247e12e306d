/* Autoplay: settings, when a spin may start, and the comparators that stop it. */
#include "tests/support/game/game_fixture.h"

#include "libcommon/game/autoplay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct money none = { 0 };

/* RULE bewitched 6.5; RULE mona-lisa 5.5; RULE mystic-gem 5.1; RULE mystery-elves 6.1; RULE
 * witch-feature 7.1 */
static void test_autoplay_start(void **unused)
{
	static const struct {
		struct autoplay_settings settings;
		enum autoplay_status status;
	} rows[] = {
		{ { { 1 }, 1, -1, -1, false, false }, AUTOPLAY_OK },
		{ { { 1 }, 1000, 0, 1, true, false }, AUTOPLAY_OK },
		{ { { 1 }, 0, -1, -1, false, false }, AUTOPLAY_SPINS_OUT_OF_RANGE },
		{ { { 1 }, 1001, -1, -1, false, false }, AUTOPLAY_SPINS_OUT_OF_RANGE },
		{ { { 1 }, 1, -2, -1, false, false }, AUTOPLAY_LOSS_LIMIT_BAD },
		{ { { 1 }, 1, INT64_MIN, -1, false, false }, AUTOPLAY_LOSS_LIMIT_BAD },
		{ { { 1 }, 1, -1, 0, false, false }, AUTOPLAY_SINGLE_WIN_BAD },
		{ { { 1 }, 1, -1, -2, false, false }, AUTOPLAY_SINGLE_WIN_BAD },
	};
	static struct game game;
	struct autoplay autoplay;

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(&autoplay, 0, sizeof(autoplay));
		assert_int_equal(autoplay_start(fixture_game(), &rows[i].settings, &autoplay),
			rows[i].status);
		assert_int_equal(autoplay_running(&autoplay), rows[i].status == AUTOPLAY_OK);
	}
	game = *fixture_game();
	game.autoplay.jackpot_stop_offered = false;
	assert_int_equal(autoplay_start(&game, &rows[1].settings, &autoplay),
		AUTOPLAY_JACKPOT_STOP_NOT_OFFERED);
	game.autoplay.offered = false;
	assert_int_equal(autoplay_start(&game, &rows[0].settings, &autoplay), AUTOPLAY_NOT_OFFERED);
}

/* RULE bewitched 6.1 to 6.5; RULE mona-lisa 5.1 to 5.5; RULE mystic-gem 5.5; RULE
 * mystery-elves 6.4, 6.5; RULE witch-feature 7.2, 7.4: the last spin of each row decides */
static void test_autoplay_stops(void **unused)
{
	static const struct {
		const char *what;
		uint32_t spins;
		int64_t loss_limit, single_win;
		bool stop_on_jackpot;
		enum autoplay_loss_rule loss_rule;
		enum autoplay_win_rule win_rule;
		int64_t wins[4]; /* of bets of 10; -1 ends */
		uint32_t jackpots;
		bool feature;
		enum autoplay_stop stopped;
		int64_t seed; /* of the last spin's jackpots */
	} rows[] = {
		{ "runs on", 3, -1, -1, false, LOSS_BELOW_ZERO, WIN_REACHES, { 0, 0, -1 }, 0, false,
			AUTOPLAY_RUNS, 0 },
		{ "count", 2, -1, -1, false, LOSS_BELOW_ZERO, WIN_REACHES, { 0, 0, -1 }, 0, false,
			AUTOPLAY_STOPPED_COUNT, 0 },
		{ "limit + wins - bets = 0 runs on", 9, 20, -1, false, LOSS_BELOW_ZERO, WIN_REACHES,
			{ 0, 0, -1 }, 0, false, AUTOPLAY_RUNS, 0 },
		{ "limit + wins - bets = -1", 9, 19, -1, false, LOSS_BELOW_ZERO, WIN_REACHES,
			{ 0, 0, -1 }, 0, false, AUTOPLAY_STOPPED_LOSS, 0 },
		{ "wins lift it", 9, 19, -1, false, LOSS_BELOW_ZERO, WIN_REACHES, { 1, 0, -1 }, 0,
			false, AUTOPLAY_RUNS, 0 },
		{ "a limit of 0 stops at the first loss", 9, 0, -1, false, LOSS_BELOW_ZERO,
			WIN_REACHES, { 9, -1 }, 0, false, AUTOPLAY_STOPPED_LOSS, 0 },
		{ "at zero, where a game has that rule", 9, 20, -1, false, LOSS_AT_ZERO,
			WIN_REACHES, { 0, 0, -1 }, 0, false, AUTOPLAY_STOPPED_LOSS, 0 },
		{ "win one short", 9, -1, 50, false, LOSS_BELOW_ZERO, WIN_REACHES, { 49, -1 }, 0,
			false, AUTOPLAY_RUNS, 0 },
		{ "win reached", 9, -1, 50, false, LOSS_BELOW_ZERO, WIN_REACHES, { 50, -1 }, 0,
			false, AUTOPLAY_STOPPED_WIN, 0 },
		{ "reached is not exceeded", 9, -1, 50, false, LOSS_BELOW_ZERO, WIN_EXCEEDS,
			{ 50, -1 }, 0, false, AUTOPLAY_RUNS, 0 },
		{ "exceeded", 9, -1, 50, false, LOSS_BELOW_ZERO, WIN_EXCEEDS, { 51, -1 }, 0, false,
			AUTOPLAY_STOPPED_WIN, 0 },
		{ "a single win, not the sum", 9, -1, 50, false, LOSS_BELOW_ZERO, WIN_REACHES,
			{ 30, 30, -1 }, 0, false, AUTOPLAY_RUNS, 0 },
		{ "jackpot", 9, -1, -1, true, LOSS_BELOW_ZERO, WIN_REACHES, { 0, -1 }, 1, false,
			AUTOPLAY_STOPPED_JACKPOT, 0 },
		{ "jackpot, not asked to stop", 9, -1, -1, false, LOSS_BELOW_ZERO, WIN_REACHES,
			{ 0, -1 }, 1, false, AUTOPLAY_RUNS, 0 },
		{ "a jackpot meets every win limit", 9, -1, 1000000, false, LOSS_BELOW_ZERO,
			WIN_EXCEEDS, { 0, -1 }, 1, false, AUTOPLAY_STOPPED_WIN, 2000 },
		{ "a jackpot's seed is among the wins", 9, 0, -1, false, LOSS_BELOW_ZERO,
			WIN_REACHES, { 0, -1 }, 1, false, AUTOPLAY_RUNS, 10 },
		{ "a seed smaller than the loss", 9, 0, -1, false, LOSS_BELOW_ZERO, WIN_REACHES,
			{ 0, -1 }, 1, false, AUTOPLAY_STOPPED_LOSS, 9 },
		{ "a feature outranks all", 1, 0, 1, true, LOSS_BELOW_ZERO, WIN_REACHES, { 5, -1 },
			1, true, AUTOPLAY_STOPPED_FEATURE, 0 },
	};
	static struct game game;

	(void)unused;
	game = *fixture_game();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct autoplay_settings settings = { { 4 }, rows[i].spins, rows[i].loss_limit,
			rows[i].single_win, rows[i].stop_on_jackpot, false };
		struct round_sum sum = { .stake = { 10 } };
		struct autoplay autoplay;

		game.autoplay.loss_rule = rows[i].loss_rule;
		game.autoplay.win_rule = rows[i].win_rule;
		assert_int_equal(autoplay_start(&game, &settings, &autoplay), AUTOPLAY_OK);
		for (size_t k = 0; rows[i].wins[k] >= 0; k++) {
			bool last = rows[i].wins[k + 1] < 0;

			assert_true(autoplay_running(&autoplay));
			sum.win_total.minor = rows[i].wins[k];
			sum.jackpot_hits = last ? rows[i].jackpots : 0;
			sum.has_feature = last && rows[i].feature;
			assert_int_equal(
				autoplay_spun(&game, &sum, money_of(last ? rows[i].seed : 0), 1000,
					&autoplay),
				AUTOPLAY_OK);
		}
		if (autoplay.stopped != rows[i].stopped)
			fail_msg("%s: found %s, expected %s", rows[i].what,
				autoplay_stop_text(autoplay.stopped),
				autoplay_stop_text(rows[i].stopped));
	}
}

/* RULE bewitched 6.6; RULE mona-lisa 5.6; RULE mystic-gem 5.2; RULE mystery-elves 6.2; RULE
 * witch-feature 7.5 */
static void test_autoplay_may_spin(void **unused)
{
	static const uint8_t id[AUTOPLAY_ID_BYTES] = { 4 }, other[AUTOPLAY_ID_BYTES] = { 5 };
	struct autoplay_settings settings = { { 4 }, 3, -1, -1, false, false };
	struct round_sum sum = { .stake = { 10 } };
	struct autoplay autoplay = { .spins = 0 };
	static struct game game;

	(void)unused;
	game = *fixture_game();
	game.autoplay.interval_min_ms = 500;
	assert_int_equal(autoplay_may_spin(&game, &autoplay, id, 1), AUTOPLAY_UNKNOWN_ID);
	assert_int_equal(autoplay_start(&game, &settings, &autoplay), AUTOPLAY_OK);
	assert_int_equal(autoplay_may_spin(&game, &autoplay, other, 1), AUTOPLAY_UNKNOWN_ID);
	assert_int_equal(autoplay_may_spin(&game, &autoplay, id, 1), AUTOPLAY_OK);
	assert_int_equal(autoplay_spun(&game, &sum, none, 1000, &autoplay), AUTOPLAY_OK);
	assert_int_equal(autoplay.left, 2);
	assert_int_equal(autoplay_may_spin(&game, &autoplay, id, 1499), AUTOPLAY_TOO_SOON);
	assert_int_equal(autoplay_may_spin(&game, &autoplay, id, 1500), AUTOPLAY_OK);
	assert_int_equal(autoplay_may_spin(&game, &autoplay, id, 999), AUTOPLAY_OK);
	autoplay_stop(&autoplay);
	assert_int_equal(autoplay.stopped, AUTOPLAY_STOPPED_PLAYER);
	assert_int_equal(autoplay_may_spin(&game, &autoplay, id, 9999), AUTOPLAY_STOPPED);
	assert_int_equal(autoplay_spun(&game, &sum, none, 9999, &autoplay), AUTOPLAY_STOPPED);
	assert_int_equal(autoplay_start(&game, &settings, &autoplay), AUTOPLAY_OK);
	sum.stake.minor = INT64_MAX;
	assert_int_equal(autoplay_spun(&game, &sum, none, 1, &autoplay), AUTOPLAY_OK);
	assert_int_equal(autoplay_spun(&game, &sum, none, 2, &autoplay), AUTOPLAY_OVERFLOW);
	assert_int_equal(autoplay.left, 2);
}

/* RULE witch-feature 7.3: the round that had a feature is the last one, if that was asked for. */
static void test_autoplay_stops_on_a_feature(void **unused)
{
	struct autoplay_settings settings = { { 4 }, 9, -1, -1, false, true };
	struct round_sum sum = { .stake = { 10 }, .phases = 1 };
	struct autoplay autoplay = { .spins = 0 };
	static struct game game;

	(void)unused;
	game = *fixture_game();
	game.autoplay.feature_stop_offered = false;
	assert_int_equal(
		autoplay_start(&game, &settings, &autoplay), AUTOPLAY_FEATURE_STOP_NOT_OFFERED);
	game.autoplay.feature_stop_offered = true;
	assert_int_equal(autoplay_start(&game, &settings, &autoplay), AUTOPLAY_OK);
	assert_int_equal(autoplay_spun(&game, &sum, none, 1000, &autoplay), AUTOPLAY_OK);
	assert_int_equal(autoplay.stopped, AUTOPLAY_RUNS);
	sum.phases = 2;
	assert_int_equal(autoplay_spun(&game, &sum, none, 2000, &autoplay), AUTOPLAY_OK);
	assert_int_equal(autoplay.stopped, AUTOPLAY_STOPPED_FEATURE);
	settings.stop_on_feature = false;
	assert_int_equal(autoplay_start(&game, &settings, &autoplay), AUTOPLAY_OK);
	assert_int_equal(autoplay_spun(&game, &sum, none, 3000, &autoplay), AUTOPLAY_OK);
	assert_int_equal(autoplay.stopped, AUTOPLAY_RUNS);
}

/* RULE bewitched 6.7; RULE mona-lisa 5.7; RULE mystic-gem 5.6; RULE mystery-elves 6.1; RULE
 * witch-feature 7.6: the first spin chooses, the others have its bet. */
static void test_autoplay_keeps_its_bet(void **unused)
{
	static const struct bet bets[] = { { 978, 1, 2, 3, 0 }, { 752, 1, 2, 3, 0 },
		{ 978, 2, 2, 3, 0 }, { 978, 1, 3, 3, 0 }, { 978, 1, 2, 4, 0 },
		{ 978, 1, 2, 3, 1 } };
	struct autoplay fresh = { .spins = 5, .left = 5 }, spun = { .spins = 5, .left = 4 };

	(void)unused;
	for (size_t i = 0; i < sizeof(bets) / sizeof(bets[0]); i++) {
		assert_true(autoplay_takes_bet(&fresh, &bets[0], &bets[i]));
		assert_int_equal(autoplay_takes_bet(&spun, &bets[0], &bets[i]), i == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_autoplay_start),
		cmocka_unit_test(test_autoplay_stops),
		cmocka_unit_test(test_autoplay_may_spin),
		cmocka_unit_test(test_autoplay_stops_on_a_feature),
		cmocka_unit_test(test_autoplay_keeps_its_bet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
