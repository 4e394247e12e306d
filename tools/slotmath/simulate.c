/* slotmath simulate: plays rounds by Monte Carlo and compares the mean with the exact return. Each
 * block of rounds has its own key, so the output does not depend on the number of threads. Sums are
 * exact; floating point is only for printing. */
#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/game/montecarlo.h"
#include "tools/slotmath/commands.h"
#include "libcommon/game/exact.h"
#include "libcommon/game/rational.h"
#include "tools/slotmath/games.h"
#include "tools/slotmath/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct watched {
	struct progress progress;
	uint64_t rounds;
};

/* The result of a mode's run, for text and JSON. */
struct outcome {
	const struct game *game;
	uint32_t mode;
	struct fast_stats stats;
	double mean, deviation, exact, seconds; /* mean and deviation of a round, in stakes */
	bool has_exact;
	bool declared; /* `exact` is the simulated return that the definition states */
	double beside; /* half the width of its interval */
};

static bool watch(void *context, uint64_t done)
{
	struct watched *watched = context;

	progress_show(&watched->progress, done, watched->rounds);
	return !interrupted();
}

/* The largest coin value at which the mode can be played: bought modes have a price limit. */
static struct bet bet_of(const struct options *options, const struct game *game, uint32_t mode)
{
	struct bet bet = { .currency = game->currency[0].number,
		.lines = options->lines ? (uint32_t)options->lines : game->lines_max,
		.coins = options->coins ? (uint32_t)options->coins : game->coins_max,
		.mode = mode };
	struct bet_error error = { 0 };
	struct money stake;

	for (uint32_t coin = game->currency[0].coin_count; coin-- > 0;) {
		bet.coin_minor = game->currency[0].coin_minor[coin];
		if (bet_check(game, &bet, &stake, &error) == BET_OK)
			return bet;
	}
	refuse("bet: %s: found %lld, expected %lld to %lld (%s)", error.field,
		(long long)error.found, (long long)error.min, (long long)error.max,
		bet_status_text(error.status));
}

static struct round_state state_of(const struct options *options, const struct game *game)
{
	uint32_t last = game->unlock.offered ? game->unlock.step_count - 1 : 0;

	return (struct round_state){
		.unlocked = (uint8_t)(options->level >= 0 && options->level < last ? options->level
										   : last)
	};
}

/* The exact return of the same bet; in games with carried state only in the long run. */
static void add_exact(struct outcome *outcome, const struct bet *bet)
{
	mpq_t rtp;

	mpq_init(rtp);
	outcome->has_exact =
		exact_bet(outcome->game, outcome->mode, bet->lines, bet->coins, rtp) == EXACT_OK;
	outcome->exact = mpq_get_d(rtp);
	if (game_mode_simulated(&outcome->game->mode[outcome->mode])) {
		const struct published_rtp *published =
			&outcome->game->mode[outcome->mode].published[0];

		outcome->has_exact = outcome->declared = true;
		outcome->exact = strtod(published->percent, NULL) / 100;
		outcome->beside = published->half_width_ppm / 1e6;
	}
	mpq_clear(rtp);
}

static void run(const struct options *options, struct outcome *outcome)
{
	struct bet bet = bet_of(options, outcome->game, outcome->mode);
	struct round_state start = state_of(options, outcome->game);
	uint32_t threads = options->threads ? (uint32_t)options->threads
					    : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	struct watched watched = { .rounds = (uint64_t)options->rounds };
	struct fast_sim *sim = NULL;
	uint64_t began;
	double n, stake, mean;

	enum fast_status status = fast_new(outcome->game, &bet, &start, &sim);
	if (status != FAST_OK)
		refuse("%s: found %s", outcome->game->mode[outcome->mode].id,
			status == FAST_NO_MEMORY
				? "too little memory for the Monte Carlo tables"
				: "a mode that is too large for the Monte Carlo tables");
	progress_begin(&watched.progress, outcome->game->mode[outcome->mode].id, options->quiet);
	began = clock_mono_us();
	if (fast_run(sim, (uint64_t)options->seed, watched.rounds, threads, FAST_BEST, watch,
		    &watched, &outcome->stats) != FAST_OK)
		refuse("out of memory for %u threads", threads);
	outcome->seconds = (double)(clock_mono_us() - began) / 1e6;
	progress_end(&watched.progress);
	fast_free(&sim);
	n = (double)outcome->stats.rounds;
	stake = (double)outcome->stats.stake;
	mean = (double)outcome->stats.win / n;
	outcome->mean = mean / stake;
	outcome->deviation = sqrt((double)outcome->stats.square / n - mean * mean) / stake;
	add_exact(outcome, &bet);
}

static double half_width(const struct outcome *outcome, double z)
{
	return z * outcome->deviation / sqrt((double)outcome->stats.rounds);
}

/* Is the exact return, or the stated one, in the interval of this run? */
static bool inside(const struct outcome *outcome)
{
	return fabs(outcome->mean - outcome->exact) <= half_width(outcome, Z_999) + outcome->beside;
}

static json_t *histogram_json(const struct fast_stats *stats)
{
	json_t *rows = json_array();

	for (uint32_t b = 0; b < FAST_BINS; b++)
		json_array_append_new(
			rows, json_pack("{s:f, s:I}", "from_x", (double)fast_bin_from(b) / 100,
				      "rounds", (json_int_t)stats->histogram[b]));
	return rows;
}

static json_t *outcome_json(const struct outcome *outcome)
{
	const struct fast_stats *stats = &outcome->stats;
	double n = (double)stats->rounds, stake = (double)stats->stake;
	json_t *parts = json_array(), *features = json_array(), *json;

	for (uint32_t s = 0; s < SOURCES; s++)
		if (stats->source[s] != 0)
			json_array_append_new(parts,
				json_pack("{s:s, s:f}", "source", source_text((enum win_source)s),
					"rtp", (double)stats->source[s] / n / stake));
	for (uint32_t e = 0; e < EVENTS; e++)
		if (stats->event[e] != 0)
			json_array_append_new(features,
				json_pack("{s:s, s:I, s:f}", "name", event_text(outcome->game, e),
					"count", (json_int_t)stats->event[e], "one_in",
					n / (double)stats->event[e]));
	json = json_pack("{s:s, s:I, s:f, s:[f,f], s:[f,f], s:f, s:f, s:f, s:o, s:o, s:o, s:f}",
		"mode", outcome->game->mode[outcome->mode].id, "rounds", (json_int_t)stats->rounds,
		"mean", outcome->mean, "interval_99", outcome->mean - half_width(outcome, Z_99),
		outcome->mean + half_width(outcome, Z_99), "interval_999",
		outcome->mean - half_width(outcome, Z_999),
		outcome->mean + half_width(outcome, Z_999), "hit_rate", (double)stats->hits / n,
		"max_win_x", (double)stats->win_max / stake, "drawdown_x",
		(double)stats->drawdown / stake, "parts", parts, "features", features, "histogram",
		histogram_json(stats), "rounds_per_second", n / outcome->seconds);
	if (outcome->has_exact) {
		json_object_set_new(
			json, outcome->declared ? "declared" : "exact", json_real(outcome->exact));
		json_object_set_new(json, "inside_999", json_boolean(inside(outcome)));
	}
	return json;
}

static void print_histogram(const struct fast_stats *stats)
{
	for (uint32_t b = 0; b < FAST_BINS; b++) {
		double part = 100 * (double)stats->histogram[b] / (double)stats->rounds;

		if (stats->histogram[b] == 0)
			continue;
		if (b == 0)
			printf("    %18s", "nothing");
		else
			printf("    from %12.2f x", (double)fast_bin_from(b) / 100);
		printf(" %14llu %11.6f %% %.*s\n", (unsigned long long)stats->histogram[b], part,
			(int)(part / 2), "##################################################");
	}
}

static void print(const struct outcome *outcome)
{
	const struct fast_stats *stats = &outcome->stats;
	double n = (double)stats->rounds, stake = (double)stats->stake;

	printf("  %s: %.0f rounds in %.2f s (%.1f M/s)\n", outcome->game->mode[outcome->mode].id, n,
		outcome->seconds, n / outcome->seconds / 1e6);
	printf("    return %.6f %%, 99 %% interval %.6f to %.6f %%\n", outcome->mean * 100,
		(outcome->mean - half_width(outcome, Z_99)) * 100,
		(outcome->mean + half_width(outcome, Z_99)) * 100);
	if (outcome->has_exact)
		printf("    %s %.6f %%: %s the 99.9 %% interval (%+.2f standard errors)\n",
			outcome->declared ? "declared" : "exact ", outcome->exact * 100,
			inside(outcome) ? "inside" : "OUTSIDE",
			(outcome->mean - outcome->exact) / half_width(outcome, 1));
	printf("    hit rate %.4f %%, largest win %.1f x, largest drawdown %.1f stakes\n",
		100 * (double)stats->hits / n, (double)stats->win_max / stake,
		(double)stats->drawdown / stake);
	for (uint32_t s = 0; s < SOURCES; s++)
		if (stats->source[s] != 0)
			printf("    %-28s %12.6f %%\n", source_text((enum win_source)s),
				100 * (double)stats->source[s] / n / stake);
	for (uint32_t e = 0; e < EVENTS; e++)
		if (stats->event[e] != 0)
			printf("    %-28s one in %.2f\n", event_text(outcome->game, e),
				n / (double)stats->event[e]);
	print_histogram(stats);
}

int command_simulate(const struct options *options)
{
	struct game *game = game_open(options, options->subject);
	int wanted = mode_wanted(options, game);
	json_t *modes = json_array();
	bool all_inside = true;

	if (!options->json)
		printf("%s (%s), seed %lld, simulated\n", game->id, game->name,
			(long long)options->seed);
	for (uint32_t m = 0; m < game->mode_count && !interrupted(); m++) {
		struct outcome outcome = { .game = game, .mode = m };

		if (wanted >= 0 && (uint32_t)wanted != m)
			continue;
		run(options, &outcome);
		if (outcome.stats.rounds == 0)
			break;
		all_inside &= !outcome.has_exact || inside(&outcome);
		json_array_append_new(modes, outcome_json(&outcome));
		if (!options->json)
			print(&outcome);
	}
	if (options->json)
		json_print(json_pack("{s:s, s:I, s:O}", "game", game->id, "seed",
			(json_int_t)options->seed, "modes", modes));
	json_decref(modes);
	game_release(&game);
	return all_inside ? 0 : SLOTMATH_EXIT_OUT_OF_BAND;
}
