/* The fast simulator: its tables against the engine's line evaluation, its rounds against the
 * engine's rounds. */
#include "libcommon/game/lines.h"
#include "libcommon/game/montecarlo/internal.h"
#include "libcommon/game/montecarlo/tags.h"
#include "libcommon/game/test/random_features.h"
#include "tests/support/effort.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <sodium/core.h>

#include <cmocka.h>

#define FIRST_SEED 20240701u
#define GAMES 60u
#define PLAYED_GAMES 60u
#define BLOCKS 24u
#define BLOCK 1000u
#define SPINS effort(200000)
#define DEVIATIONS 5.5

/* ---- tables ---- */

static void window_at(const struct spin_table *table, const uint16_t *stop, uint8_t *window)
{
	for (uint32_t r = 0; r < table->reels; r++) {
		struct reel_column column;

		reel_column(table->game, table->set, r, stop[r], table->wild_reels, &column);
		memcpy(window + r * table->game->rows, column.symbol, table->game->rows);
	}
}

static uint32_t count_in(const struct game *game, const uint8_t *window, uint8_t symbol)
{
	uint32_t count = 0;

	for (uint32_t cell = 0; cell < game->reels * game->rows; cell++)
		count += window[cell] == symbol;
	return count;
}

/* Cells that show the symbol or a wild that counts as it. */
static uint32_t counted_in(const struct game *game, const uint8_t *window, uint8_t symbol)
{
	uint32_t count = count_in(game, window, symbol);

	return game->symbol[symbol].wild_counts ? count + count_in(game, window, game->wild)
						: count;
}

/* One spin's sum against everything that can be counted in its window. */
static void check_sum(const struct fast_sim *sim, const struct spin_table *table,
	const struct line_terms *terms, const uint16_t *stop, uint32_t sum, uint32_t seed)
{
	const struct game *game = sim->game;
	const struct tag_plan *plan = &sim->plan;
	uint32_t tag = sum >> table->gain_bits, gain = 0, jackpots = 0;
	uint8_t window[GAME_CELLS_MAX];

	window_at(table, stop, window);
	for (uint32_t l = 0; l < sim->bet.lines; l++) {
		struct line_pay pay = line_best(game, window, l, terms);

		gain += pay.coins;
		jackpots += pay.jackpot;
	}
	if (gain != (sum & ((1u << table->gain_bits) - 1)))
		fail_msg("seed %u: found %u coins, expected %u", seed,
			sum & ((1u << table->gain_bits) - 1), gain);
	assert_int_equal(tag_get(plan->jackpot, tag) > 0, jackpots > 0);
	assert_int_equal(
		tag_get(plan->scatter[0], tag), counted_in(game, window, game->scatter[0]));
	if (game->hold.offered)
		assert_int_equal(tag_get(plan->feature[FEATURE_hold_and_win][0], tag),
			count_in(game, window, game->hold.symbol));
	if (game->pick_outcome_count > 0)
		assert_int_equal(tag_get(plan->feature[FEATURE_pick_bonus][0], tag),
			count_in(game, window, game->bonus));
	for (uint32_t r = 0; r < game->reels; r++) {
		struct reel_column column;

		reel_column(game, table->set, r, stop[r], table->wild_reels, &column);
		assert_int_equal(tag_get(plan->feature[FEATURE_collect_and_unlock][r], tag),
			column.collectible);
	}
}

static void check_table(const struct fast_sim *sim, const struct spin_table *table,
	const struct line_terms *terms, struct dice *dice, uint32_t seed)
{
	struct word_stream stream;

	stream_open(&stream, seed, 0, 9, false);
	for (uint32_t i = 0; i < 400; i++) {
		uint16_t stop[GAME_REELS_MAX];
		struct place place;
		uint32_t sum;

		for (uint32_t r = 0; r < table->reels; r++)
			stop[r] = (uint16_t)dice_below(
				dice, sim->game->strips[table->set].reel[r].length);
		check_sum(sim, table, terms, stop, table_sum_of_stops(table, stop), seed);
		sum = table_spin(table, &stream, &place);
		place_stops(&place, stop);
		check_sum(sim, table, terms, stop, sum, seed);
	}
}

static struct fast_sim *sim_of(struct game *game, uint32_t seed, uint32_t mode)
{
	struct dice dice = { seed };
	struct fast_sim *sim;
	struct bet bet;

	random_features(&dice, game);
	bet = random_bet(game, mode);
	assert_int_equal(fast_new(game, &bet, NULL, &sim), FAST_OK);
	return sim;
}

static void test_tables_pay_like_the_engine(void **unused)
{
	static struct game game;

	(void)unused;
	for (uint32_t seed = FIRST_SEED; seed < FIRST_SEED + effort(GAMES); seed++) {
		struct fast_sim *sim = sim_of(&game, seed, seed % 2);
		struct dice dice = { seed + 1 };
		struct line_terms terms = { .multiplier = 1,
			.progressive = game.jackpot_symbols.symbol != GAME_NO_SYMBOL };

		for (uint32_t i = 0; i < sim->bases; i++)
			check_table(sim, &sim->base[i], &terms, &dice, seed);
		terms.wild_multiplier_count = game.free_spins.wild_multiplier_count;
		terms.wild_multiplier = game.free_spins.wild_multiplier;
		check_table(sim, &sim->free_spins, &terms, &dice, seed);
		/* the same tables, walked by words of 64 bits */
		sim->free_spins.wide = true;
		sim->free_spins.reject = (0 - sim->free_spins.cycle) % sim->free_spins.cycle;
		check_table(sim, &sim->free_spins, &terms, &dice, seed);
		fast_free(&sim);
		assert_null(sim);
	}
}

static void test_windows_pay_like_the_engine(void **unused)
{
	static struct game game;
	static const struct line_terms terms = { .multiplier = 1 };
	struct dice dice = { 5 };

	(void)unused;
	for (uint32_t i = 0; i < effort(20000); i++) {
		struct window_lines lines = { 0 };
		uint8_t window[GAME_CELLS_MAX];
		uint32_t expected = 0;

		if (i % 200 == 0)
			random_features(&dice, &game);
		for (uint32_t cell = 0; cell < game.reels * game.rows; cell++)
			window[cell] = (uint8_t)(dice_chance(&dice, 1, 4)
							 ? 0
							 : dice_below(&dice, game.symbol_count));
		for (uint32_t l = 0; l < game.line_count; l++) {
			for (uint32_t r = 0; r < game.reels; r++)
				lines.through[r][game.line[l][r]] |= UINT64_C(1) << l;
			expected += line_best(&game, window, l, &terms).coins;
		}
		assert_int_equal(window_pay(&game, &lines, window), expected);
	}
}

/* Each reel's stops come as often as they weigh. Chi-square, the seed fixed. */
static void test_spins_are_unbiased(void **unused)
{
	static struct game game;
	static struct batch batch;
	struct fast_sim *sim = sim_of(&game, FIRST_SEED, 0);
	const struct spin_table *table = &sim->base[0];
	struct word_stream stream;
	uint32_t seen[GAME_REELS_MAX][GAME_STRIP_MAX] = { { 0 } };

	(void)unused;
	stream_open(&stream, 3, 0, 0, false);
	for (uint32_t i = 0; i < SPINS; i++) {
		uint16_t stop[GAME_REELS_MAX];
		struct place place;

		(void)table_spin(table, &stream, &place);
		place_stops(&place, stop);
		for (uint32_t r = 0; r < game.reels; r++)
			seen[r][stop[r]]++;
	}
	for (uint32_t r = 0; r < game.reels; r++) {
		const struct game_strip *strip = &game.strips[0].reel[r];
		double chi = 0;

		for (uint32_t s = 0; s < strip->length; s++) {
			double expected = (double)SPINS * strip->stop_weight[s] / strip->weight;

			chi += (seen[r][s] - expected) * (seen[r][s] - expected) / expected;
		}
		assert_true(chi < strip->length - 1 + 4.5 * sqrt(2.0 * (strip->length - 1)));
	}
	/* a word whose last low half is below the limit is no spin: word 0 always, if any is */
	memset(batch.word, 0, sizeof(batch.word));
	batch_scan(table, &batch, 16);
	assert_int_equal(batch.count, table->reject > 0 ? 0 : 16);
	fast_free(&sim);
}

/* Sixteen blocks at once are libsodium's, in whatever pieces they are asked for. */
static void test_words_are_the_same_with_avx512(void **unused)
{
	static const uint32_t pieces[] = { 16, 256, 2048, 240, 272, 1024, 512, 16 };
	static uint32_t wide[2048], plain[2048];
	struct word_stream with, without;

	(void)unused;
	if (!fast_has_avx512())
		skip();
	for (uint64_t seed = 1; seed < 20; seed++) {
		stream_open(&with, seed, seed * 7, 1, true);
		stream_open(&without, seed, seed * 7, 1, false);
		with.block = without.block = seed % 3 == 0 ? UINT32_MAX - 40 : seed;
		for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
			stream_fill(&with, wide, pieces[i]);
			stream_fill(&without, plain, pieces[i]);
			assert_memory_equal(wide, plain, pieces[i] * sizeof(*wide));
		}
	}
}

/* ---- rounds ---- */

static void test_avx512_and_scalar_are_the_same_bits(void **unused)
{
	static struct game game;

	(void)unused;
	if (!fast_has_avx512())
		skip();
	for (uint32_t seed = FIRST_SEED; seed < FIRST_SEED + 12; seed++) {
		struct fast_sim *sim = sim_of(&game, seed, 0);
		struct fast_player *wide = fast_player_new(sim, FAST_AVX512);
		struct fast_player *plain = fast_player_new(sim, FAST_SCALAR);

		assert_non_null(wide);
		assert_non_null(plain);
		for (uint32_t block = 0; block < 3; block++) {
			struct fast_stats a, b;

			fast_block(wide, seed, block, 5000 + block, &a);
			fast_block(plain, seed, block, 5000 + block, &b);
			assert_memory_equal(&a, &b, sizeof(a));
			fast_spins(wide, seed, block, 5000 + block, &a);
			fast_spins(plain, seed, block, 5000 + block, &b);
			assert_memory_equal(&a, &b, sizeof(a));
		}
		fast_player_free(&wide);
		fast_player_free(&plain);
		fast_free(&sim);
	}
}

/* A figure of the blocks: its mean, and the variance of that mean. */
struct figure {
	double sum, square;
};

static void figure_add(struct figure *figure, double x)
{
	figure->sum += x;
	figure->square += x * x;
}

static void figures_compare(
	const struct figure *a, const struct figure *b, const char *what, uint32_t seed)
{
	double mean = (a->sum - b->sum) / BLOCKS;
	double variance =
		(a->square - a->sum * a->sum / BLOCKS + b->square - b->sum * b->sum / BLOCKS) /
		(BLOCKS - 1) / BLOCKS;

	/* what happened in one block alone says nothing yet */
	if (mean * mean > DEVIATIONS * DEVIATIONS * variance + 1e-9 &&
		fabs(a->sum - b->sum) > 8 * fmax(1e-9, fmin(1, a->sum + b->sum)))
		fail_msg("seed %u: %s: found %g, expected %g, deviation %g", seed, what,
			a->sum / BLOCKS, b->sum / BLOCKS, sqrt(variance));
}

enum {
	WIN,
	SQUARE,
	HITS,
	AT_SOURCES,
	AT_EVENTS = AT_SOURCES + SOURCES,
	FIGURES = AT_EVENTS + EVENTS
};

static void stats_figures(const struct fast_stats *stats, struct figure figure[FIGURES])
{
	figure_add(&figure[WIN], (double)stats->win);
	figure_add(&figure[SQUARE], (double)stats->square);
	figure_add(&figure[HITS], (double)stats->hits);
	for (uint32_t i = 0; i < SOURCES; i++)
		figure_add(&figure[AT_SOURCES + i], (double)stats->source[i]);
	for (uint32_t i = 0; i < EVENTS; i++)
		figure_add(&figure[AT_EVENTS + i], (double)stats->event[i]);
}

static void compare_game(struct game *game, uint32_t seed, uint32_t mode)
{
	struct figure fast[FIGURES] = { { 0 } }, reference[FIGURES] = { { 0 } };
	struct fast_sim *sim = sim_of(game, seed, mode);
	struct fast_player *player = fast_player_new(sim, FAST_BEST);
	struct bet bet = random_bet(game, mode);

	assert_non_null(player);
	for (uint32_t block = 0; block < BLOCKS; block++) {
		struct fast_stats stats;

		fast_block(player, seed, block, BLOCK, &stats);
		stats_figures(&stats, fast);
		assert_true(fast_reference_block(game, &bet, NULL, seed, block, BLOCK, &stats));
		stats_figures(&stats, reference);
	}
	for (uint32_t i = 0; i < FIGURES; i++) {
		const char *what = i == WIN	   ? "win"
				   : i == SQUARE   ? "square"
				   : i == HITS	   ? "hits"
				   : i < AT_EVENTS ? source_text((enum win_source)(i - AT_SOURCES))
						   : event_text(game, i - AT_EVENTS);

		figures_compare(&fast[i], &reference[i], what, seed);
	}
	fast_player_free(&player);
	fast_free(&sim);
}

static void test_rounds_are_the_engines_in_distribution(void **unused)
{
	static struct game game;

	(void)unused;
	for (uint32_t seed = FIRST_SEED; seed < FIRST_SEED + effort(PLAYED_GAMES); seed++)
		compare_game(&game, seed, seed % 4 == 0);
}

/* ---- statistics ---- */

/* Rounds one by one, from runs that are one round longer each: a mode that draws each round by
 * itself plays the same rounds again. */
static void test_balance_is_walked_round_by_round(void **unused)
{
	static struct game game;
	struct fast_sim *sim = sim_of(&game, FIRST_SEED, 1);
	struct fast_player *player = fast_player_new(sim, FAST_SCALAR);
	int64_t net = 0, peak = 0, trough = 0, drawdown = 0;
	struct fast_stats stats = { 0 };
	fast_sum before = 0, square = 0;

	(void)unused;
	for (uint32_t rounds = 1; rounds <= 300; rounds++) {
		uint64_t win;

		fast_block(player, 1, 0, rounds, &stats);
		win = (uint64_t)(stats.win - before);
		before = stats.win;
		square += (fast_sum)win * win;
		net += (int64_t)win - (int64_t)stats.stake;
		peak = net > peak ? net : peak;
		trough = net < trough ? net : trough;
		drawdown = peak - net > drawdown ? peak - net : drawdown;
		assert_true(stats.net == net && stats.peak == peak);
		assert_true(stats.trough == trough && stats.drawdown == drawdown);
		assert_true(stats.square == square);
	}
	fast_player_free(&player);
	fast_free(&sim);
}

static void test_merging_is_associative(void **unused)
{
	static struct game game;
	struct fast_sim *sim = sim_of(&game, FIRST_SEED + 1, 0);
	struct fast_player *player = fast_player_new(sim, FAST_BEST);
	struct fast_stats part[3], left = { 0 }, right = { 0 }, tail = { 0 };

	(void)unused;
	for (uint32_t i = 0; i < 3; i++) {
		fast_block(player, 2, i, 200 + i, &part[i]);
		fast_stats_merge(&left, &part[i]);
	}
	fast_stats_merge(&tail, &part[1]);
	fast_stats_merge(&tail, &part[2]);
	fast_stats_merge(&right, &part[0]);
	fast_stats_merge(&right, &tail);
	assert_memory_equal(&left, &right, sizeof(left));
	assert_int_equal(left.rounds, 603);
	assert_true(left.histogram[0] + left.hits == left.rounds);
	fast_player_free(&player);
	fast_free(&sim);
}

static bool enough(void *context, uint64_t done)
{
	(void)context;
	return done < FAST_BLOCK_ROUNDS;
}

static void test_threads_change_nothing(void **unused)
{
	static struct game game;
	struct fast_sim *sim = sim_of(&game, FIRST_SEED + 2, 0);
	struct fast_stats one, two;
	uint64_t rounds = 2 * FAST_BLOCK_ROUNDS + 77;

	(void)unused;
	assert_int_equal(fast_run(sim, 4, rounds, 1, FAST_BEST, NULL, NULL, &one), FAST_OK);
	assert_int_equal(fast_run(sim, 4, rounds, 3, FAST_BEST, NULL, NULL, &two), FAST_OK);
	assert_memory_equal(&one, &two, sizeof(one));
	assert_int_equal(one.rounds, rounds);
	assert_int_equal(fast_run(sim, 4, rounds, 1, FAST_BEST, enough, NULL, &two), FAST_OK);
	assert_int_equal(two.rounds, FAST_BLOCK_ROUNDS);
	fast_free(&sim);
}

static void test_bad_bets_are_refused(void **unused)
{
	static struct game game;
	struct dice dice = { 1 };
	struct fast_sim *sim;
	struct bet bet;

	(void)unused;
	random_features(&dice, &game);
	bet = random_bet(&game, 0);
	bet.coin_minor++;
	assert_int_equal(fast_new(&game, &bet, NULL, &sim), FAST_BAD_BET);
	assert_null(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_pay_like_the_engine),
		cmocka_unit_test(test_windows_pay_like_the_engine),
		cmocka_unit_test(test_spins_are_unbiased),
		cmocka_unit_test(test_words_are_the_same_with_avx512),
		cmocka_unit_test(test_avx512_and_scalar_are_the_same_bits),
		cmocka_unit_test(test_rounds_are_the_engines_in_distribution),
		cmocka_unit_test(test_balance_is_walked_round_by_round),
		cmocka_unit_test(test_merging_is_associative),
		cmocka_unit_test(test_threads_change_nothing),
		cmocka_unit_test(test_bad_bets_are_refused),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
