/* slotmath rtp: the exact figures of a game. */
#include "libcommon/io/clock.h"
#include "tools/slotmath/commands.h"
#include "libcommon/game/rational.h"
#include "tools/slotmath/games.h"
#include "libcommon/game/mode_json.h"
#include "tools/slotmath/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One bet: --lines, --coins. */
static int print_bet(const struct options *options, const struct game *game)
{
	int mode = mode_wanted(options, game);
	uint32_t lines = options->lines ? (uint32_t)options->lines : game->lines_max;
	uint32_t coins = options->coins ? (uint32_t)options->coins : game->coins_min;
	char *percent;
	mpq_t rtp;

	if (lines < game->lines_min || lines > game->lines_max)
		refuse("--lines: found %u, expected %u to %u", lines, game->lines_min,
			game->lines_max);
	if (coins < game->coins_min || coins > game->coins_max)
		refuse("--coins: found %u, expected %u to %u", coins, game->coins_min,
			game->coins_max);
	mpq_init(rtp);
	if (game_mode_simulated(&game->mode[mode < 0 ? 0 : mode]))
		refuse("%s: the return of this mode is simulated, not proved", game->id);
	if (exact_bet(game, mode < 0 ? 0 : (uint32_t)mode, lines, coins, rtp) != EXACT_OK)
		refuse("out of memory for %s", game->id);
	percent = rational_percent(rtp, 6);
	if (options->json)
		json_print(json_pack("{s:s, s:s, s:i, s:i, s:o, s:o}", "game", game->id, "mode",
			game->mode[mode < 0 ? 0 : mode].id, "lines", lines, "coins", coins, "rtp",
			json_decimals(rtp), "rtp_exact", json_fraction(rtp)));
	else
		printf("%s, %s, %u lines, %u coins: %s %%\n", game->id,
			game->mode[mode < 0 ? 0 : mode].id, lines, coins, percent);
	free(percent);
	mpq_clear(rtp);
	return 0;
}

static void print_line(const char *label, const mpq_t value)
{
	char *percent = rational_percent(value, 6);

	printf("    %-28s %12s %%\n", label, percent);
	free(percent);
}

static void print_mode(const struct exact_mode *mode, bool quick)
{
	char *percent = rational_percent(mode->rtp, 6), *text;

	printf("  %s: %s %%, published %s: %s\n", mode->mode, percent,
		mode->published ? mode->published->percent : "nothing",
		mode->in_band ? "in band" : "OUT OF BAND");
	free(percent);
	for (uint32_t i = 0; i < mode->part_count; i++)
		print_line(mode->part[i].source, mode->part[i].rtp);
	for (uint32_t i = 0; i < mode->feature_count; i++) {
		text = one_in(mode->feature[i].frequency, 1);
		printf("    %-28s one in %s\n", mode->feature[i].name, text);
		free(text);
	}
	if (quick)
		return;
	print_line("hit rate", mode->hit_rate);
	text = rational_root_decimals(mode->variance, VOLATILITY_Z, 3);
	printf("    %-28s %12s\n", "volatility index", text);
	free(text);
	text = rational_decimals(mode->max_win, 1);
	printf("    %-28s %12s x the stake (%s)\n", "largest win of a spin", text,
		mode->max_win_where);
	free(text);
}

static void print_contribution(const struct game *game)
{
	struct exact_contribution contribution;

	if (game->jackpot.pool == 0)
		return;
	exact_contribution(game, &contribution);
	printf("  in addition to the return, in which the jackpot counts at its seed:\n");
	print_line("contribution, whole", contribution.counted_whole);
	print_line("returned by live rows", contribution.live_rows);
	exact_contribution_free(&contribution);
}

/* A simulated return, as the definition states it. */
static void show_simulated(
	const struct options *options, const struct exact_mode *mode, json_t *modes)
{
	const struct published_rtp *published = mode->published;

	json_array_append_new(modes,
		json_pack("{s:s, s:s, s:I, s:i}", "mode", mode->mode, "simulated",
			published->percent, "rounds", (json_int_t)published->simulated_rounds,
			"half_width_ppm", (int)published->half_width_ppm));
	if (!options->json)
		printf("  %s: %s %% simulated: %llu rounds, +- %u.%04u %%\n", mode->mode,
			published->percent, (unsigned long long)published->simulated_rounds,
			published->half_width_ppm / 10000, published->half_width_ppm % 10000);
}

/* Every figure of a game; false if one is out of its band. */
static bool show_game(const struct options *options, const char *subject, json_t *list)
{
	struct game *game = game_open(options, subject);
	json_t *modes = json_array();
	int wanted = mode_wanted(options, game);
	uint64_t began = clock_mono_us();
	struct exact_analysis *analysis =
		exact_open(game, options->quick ? EXACT_RETURN : EXACT_ALL);
	bool good = true;

	if (!options->json)
		printf("%s (%s)\n", game->id, game->name);
	for (uint32_t i = 0; i < exact_mode_count(game) && !interrupted(); i++) {
		struct exact_mode mode;

		enum exact_status status =
			analysis ? exact_figure(analysis, i, &mode) : EXACT_NO_MEMORY;

		if (status == EXACT_SIMULATED) {
			show_simulated(options, &mode, modes);
			exact_mode_free(&mode);
			continue;
		}
		if (status != EXACT_OK)
			refuse("out of memory for %s", game->id);
		if (wanted < 0 || (uint32_t)wanted == mode.mode_index) {
			json_t *json = mode_json(&mode, options->quick);

			good &= mode.in_band || mode.published == NULL;
			if (options->distribution && !options->quick)
				json_object_set_new(json, "distribution", distribution_json(&mode));
			json_array_append_new(modes, json);
			if (!options->json)
				print_mode(&mode, options->quick);
		}
		exact_mode_free(&mode);
	}
	exact_close(&analysis);
	if (!options->json) {
		print_contribution(game);
		printf("  (%.1f ms)\n", (double)(clock_mono_us() - began) / 1000);
	}
	json_array_append_new(list, game_json(game, modes, clock_mono_us() - began));
	game_release(&game);
	return good;
}

int command_rtp(const struct options *options)
{
	char ids[GAMES_MAX][GAME_ID_MAX];
	json_t *list = json_array();
	bool good = true;

	if (options->all && options->subject[0])
		refuse("--all: found together with '%s', expected only one of them",
			options->subject);
	if (!options->all && (options->lines || options->coins)) {
		struct game *game = game_open(options, options->subject);
		int status = print_bet(options, game);

		json_decref(list);
		game_release(&game);
		return status;
	}
	if (options->all) {
		size_t count = games_list(options, ids);

		for (size_t i = 0; i < count && !interrupted(); i++)
			good &= show_game(options, ids[i], list);
	} else {
		good = show_game(options, options->subject, list);
	}
	if (options->json)
		json_print(options->all ? json_incref(list) : json_incref(json_array_get(list, 0)));
	json_decref(list);
	return good ? 0 : SLOTMATH_EXIT_OUT_OF_BAND;
}
