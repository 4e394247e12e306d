/* What holds for every round, on random ones: replay, the reference evaluator, sums, draws. The
 * seed is printed; CARILLON_TEST_SEED plays it again. */
#include "tests/support/game/game_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <sodium.h>

#define ROUNDS 20000
#define RTP_ROUNDS 1000000

static uint32_t test_seed(void)
{
	const char *given = getenv("CARILLON_TEST_SEED");
	uint32_t seed = given ? (uint32_t)strtoul(given, NULL, 10) : (uint32_t)time(NULL);

	print_message("CARILLON_TEST_SEED=%u\n", seed);
	return seed;
}

static void key_of(uint32_t seed, uint32_t number, uint8_t key[RNG_KEY_BYTES])
{
	memset(key, 0, RNG_KEY_BYTES);
	memcpy(key, &seed, sizeof(seed));
	memcpy(key + 8, &number, sizeof(number));
}

static struct bet random_bet(const struct game *game, struct rng *rng)
{
	const struct game_currency *currency =
		&game->currency[rng_below(rng, game->currency_count)];

	return (struct bet){ currency->number,
		currency->coin_minor[rng_below(rng, currency->coin_count)],
		1 + rng_below(rng, game->lines_max), 1 + rng_below(rng, game->coins_max), 0 };
}

/* The plain reading of the rules: of all symbols, the one whose run from the left, wilds counted
 * in, pays best. Written from the rule sheet, not from the core. RULE bewitched 2.1, 2.2, 3.1 */
static int64_t reference_lines(
	const struct game *game, const struct bet *bet, const struct phase *phase)
{
	int64_t total = 0;

	for (uint32_t l = 0; l < bet->lines; l++) {
		uint32_t best = 0;

		for (uint32_t s = 0; s < game->symbol_count; s++) {
			uint32_t run = 0;

			if (game->symbol[s].kind == SYMBOL_SCATTER ||
				game->symbol[s].kind == SYMBOL_BONUS)
				continue;
			for (uint32_t r = 0; r < game->reels; r++) {
				uint8_t on = phase->window[r * game->rows + game->line[l][r]];

				if (on != s && on != game->wild)
					break;
				run++;
			}
			if (game->symbol[s].pay[run] > best)
				best = game->symbol[s].pay[run];
		}
		total += (int64_t)best * bet->coin_minor * bet->coins;
	}
	return total;
}

/* One phase against the definition alone. */
static void check_phase(const struct game *game, const struct bet *bet, const struct phase *phase)
{
	int64_t lines = 0, all = 0, stake = bet->coin_minor * bet->lines * bet->coins;
	uint32_t factor = phase->kind == PHASE_FREE_SPIN ? 2 : 1;

	for (uint32_t r = 0; r < game->reels; r++) {
		const struct game_strip *strip = &game->strips[phase->strips].reel[r];

		for (uint32_t row = 0; row < game->rows; row++)
			assert_int_equal(phase->window[r * game->rows + row],
				strip->symbol[(phase->stop[r] + row) % strip->length]);
	}
	for (uint32_t i = 0; i < phase->win_count; i++) {
		const struct win_item *item = &phase->win[i];

		all += item->amount.minor;
		if (item->what == WIN_LINE)
			lines += item->amount.minor;
		else /* RULE bewitched 3.3, 3.8, 3.13 */
			assert_int_equal(item->amount.minor, stake * item->multiplier);
		assert_int_equal(__builtin_popcount(item->cells), item->count);
	}
	assert_int_equal(all, phase->win_total.minor);
	if (phase->kind == PHASE_SPIN || phase->kind == PHASE_FREE_SPIN) /* RULE bewitched 3.12 */
		assert_int_equal(lines, factor * reference_lines(game, bet, phase));
	else
		assert_int_equal(lines, 0);
	/* RULE bewitched 3.11 */
	assert_true(phase->free_spins_awarded == 0 || phase->kind == PHASE_SCATTER_AWARD ||
		    (phase->kind == PHASE_BONUS && phase->outcome == PICK_FREE_SPINS));
	if (phase->kind == PHASE_BONUS) { /* RULE bewitched 3.5 to 3.8, 3.10 */
		assert_in_range(phase->feature_count, 3, 5);
		assert_int_equal(phase->picks_needed, 3);
		if (phase->outcome == PICK_MONEY)
			assert_in_range(phase->outcome_value, 15, 300);
		if (phase->outcome == PICK_FREE_SPINS)
			assert_in_range(phase->outcome_value, 15, 60);
		assert_int_equal(phase->jackpot_hit, phase->outcome == PICK_JACKPOT);
	}
	if (phase->kind == PHASE_SCATTER_AWARD) /* RULE bewitched 3.4 */
		assert_int_equal(phase->scatter_award_won, phase->free_spins_awarded > 0);
}

static void test_round_properties(void **unused)
{
	const struct game *game = fixture_game();
	static struct phase phase;
	uint32_t seed = test_seed();
	uint8_t key[RNG_KEY_BYTES];
	struct rng bets;

	(void)unused;
	key_of(seed, UINT32_MAX, key);
	rng_init(&bets, key);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		struct bet bet = random_bet(game, &bets);
		uint64_t draws = 0, awarded = 0, played = 0;
		uint32_t claims = 0, phases = 0;
		enum round_status status;
		struct round round;
		struct rng rng;

		key_of(seed, i, key);
		rng_init(&rng, key);
		assert_int_equal(round_begin(game, &bet, NULL, &rng, &round), ROUND_OK);
		while ((status = round_next(&round, &phase)) == ROUND_OK) {
			assert_int_equal(phase.index, phases++);
			check_phase(game, &bet, &phase);
			draws += phase.draw_count;
			awarded += phase.free_spins_awarded;
			played += phase.kind == PHASE_FREE_SPIN;
			if (phase.jackpot_hit) /* RULE bewitched 3.19 */
				assert_int_equal(phase.claim_index, ++claims);
			assert_int_equal(awarded - played,
				phase.free_spins_left + phase.free_spins_appended);
		}
		assert_int_equal(status, ROUND_DONE);
		assert_int_equal(draws, rng_drawn(&rng));
		assert_int_equal(awarded, played);
	}
}

/* RULE bewitched 2.7, 3.6, 7.2: the key alone gives the round back, byte for byte, and up to any
 * point of it: what the player chooses meanwhile, witch or vials, is no argument of it. */
static void test_round_replays_from_its_key(void **unused)
{
	const struct game *game = fixture_game();
	static struct phase phase, again;
	uint32_t seed = test_seed();
	uint8_t key[RNG_KEY_BYTES], bytes[PHASE_BYTES_MAX], bytes_again[PHASE_BYTES_MAX];
	const struct round_state nothing = { 0 }, *one = NULL, *other = &nothing;
	struct rng bets;

	(void)unused;
	key_of(seed, UINT32_MAX, key);
	rng_init(&bets, key);
	for (uint32_t i = 0; i < ROUNDS / 10; i++) {
		struct bet bet = random_bet(game, &bets);
		struct round_sum sum, sum_again;
		struct rng rng;

		key_of(seed, i, key);
		rng_init(&rng, key);
		assert_int_equal(round_play(game, &bet, one, &rng, &phase, &sum), ROUND_DONE);
		rng_init(&rng, key);
		assert_int_equal(
			round_play(game, &bet, other, &rng, &again, &sum_again), ROUND_DONE);
		assert_memory_equal(sum.digest, sum_again.digest, ROUND_DIGEST_BYTES);
		assert_int_equal(sum.win_total.minor, sum_again.win_total.minor);
		rng_init(&rng, key);
		assert_int_equal(
			round_replay(game, &bet, other, &rng, sum.phases - 1, &again), ROUND_OK);
		assert_int_equal(phase_encode(&phase, bytes), phase_encode(&again, bytes_again));
		assert_memory_equal(bytes, bytes_again, phase_encode(&phase, bytes));
		rng_init(&rng, key);
		assert_int_equal(
			round_replay(game, &bet, other, &rng, sum.phases, &again), ROUND_DONE);
	}
}

/* A digest of the past must stay what it was: journals are checked against it for ever. */
static void test_round_digest_known_answer(void **unused)
{
	static struct game game;
	static struct phase phase;
	static const char *const windows[] = { "MO FE TO MA LA/CT CT CT LA CA/CA LA MO FE GR" };
	struct bet bet = { FIXTURE_EUR, 20, 15, 2, 0 };
	uint8_t key[RNG_KEY_BYTES] = { 5 };
	char hex[2 * ROUND_DIGEST_BYTES + 1];
	uint32_t stops[5] = { 0 };
	struct round_sum sum;
	struct rng rng;

	(void)unused;
	fixture_windows(&game, windows, 1);
	rng_init(&rng, key);
	rng_force(&rng, stops, 5);
	assert_int_equal(round_play(&game, &bet, NULL, &rng, &phase, &sum), ROUND_DONE);
	sodium_bin2hex(hex, sizeof(hex), sum.digest, sizeof(sum.digest));
	assert_string_equal(
		hex, "34d0726b065056c4d6e0932a940ef189414a89a77bd68d928ce65b14b812a140");
}

/* RULE bewitched 4.1: the simulated return, jackpot at its seed, near the published figure. The
 * bounds are those of a million rounds with a known key: exact figures are the maths tools'. */
static void test_round_return_is_near_the_published(void **unused)
{
	const struct game *game = fixture_game();
	static struct phase phase;
	struct bet bet = { FIXTURE_EUR, 100, 15, 10, 0 };
	const struct jackpot_row *row = jackpot_row(&game->jackpot, bet.currency, bet.coin_minor);
	double stakes = 0, wins = 0, hits = 0;
	uint8_t key[RNG_KEY_BYTES] = { 2 };
	uint32_t jackpots = 0;
	struct rng rng;

	(void)unused;
	rng_init(&rng, key);
	for (int i = 0; i < RTP_ROUNDS; i++) {
		enum round_status status;
		struct round round;
		double win = 0;

		assert_int_equal(round_begin(game, &bet, NULL, &rng, &round), ROUND_OK);
		while ((status = round_next(&round, &phase)) == ROUND_OK) {
			win += (double)phase.win_total.minor;
			jackpots += phase.jackpot_hit;
		}
		stakes += (double)round.stake.minor;
		wins += win;
		hits += win > 0;
	}
	wins += (double)jackpots * (double)row->seed_minor;
	print_message("%d rounds: return %.4f (published %s %%), hit rate %.4f, jackpots %u\n",
		RTP_ROUNDS, wins / stakes, game->mode[0].published[0].percent, hits / RTP_ROUNDS,
		jackpots);
	assert_string_equal(game->mode[0].published[0].percent, "94.60");
	assert_int_equal(game->rtp_contribution_ppm, 951000);
	assert_true(wins / stakes > 0.93 && wins / stakes < 0.96);
	assert_true(hits / RTP_ROUNDS > 0.20 && hits / RTP_ROUNDS < 0.35);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_properties),
		cmocka_unit_test(test_round_replays_from_its_key),
		cmocka_unit_test(test_round_digest_known_answer),
		cmocka_unit_test(test_round_return_is_near_the_published),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
