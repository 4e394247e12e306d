/*~ math-bench [--games=DIR] [--passes=N] [--slice-ms=N] [--only=TEXT]: how fast the mathematics is,
 * on one thread.
 *
 * Every figure is some work for about --slice-ms (100) of CPU time; how much that is, is found by
 * trying. Then all figures are measured in turn, --passes (7) times, so that a neighbour on the
 * machine who comes and goes disturbs all of them alike, and ratios are of the same moments.
 * --only=complete_rounds:mona measures the figures whose text (what:game:mode:path) begins so: also
 * the way to have a profiler see one thing alone.
 *
 * Prints one JSON object: each figure's items and, for each pass, seconds by the wall and of CPU.
 * tests/bench/math.py makes a table of it. */
#include "libcommon/game/definition_load.h"
#include "libcommon/game/round.h"
#include "libcommon/game/montecarlo.h"
#include "tests/bench/math-bench/bench.h"

#include <jansson.h>
#include <sodium/core.h>

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GAMES_MAX 32
#define NS 1e9

struct options {
	const char *games, *only;
	uint32_t passes, slice_ms;
};

void refuse(const char *format, ...)
{
	va_list list;

	fputs("math-bench: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	exit(2);
}

void *keep(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (memory == NULL)
		refuse("memory: found none, expected %zu bytes", bytes);
	return memory;
}

static void figure_text(const struct figure *figure, char *text, size_t size)
{
	snprintf(text, size, "%s:%s:%s:%s", figure->what, figure->game, figure->mode, figure->path);
}

void bench_add(struct bench *bench, const struct figure *figure)
{
	char text[4 * GAME_NAME_MAX];

	figure_text(figure, text, sizeof(text));
	if (strncmp(text, bench->only, strlen(bench->only)) != 0)
		return;
	if (bench->count == FIGURES_MAX)
		refuse("figures: found more than %d", FIGURES_MAX);
	bench->figure[bench->count++] = *figure;
}

/*~ What is measured: the shipped games, each mode by the bet that its limits allow. */
struct bet bench_bet(const struct game *game, uint32_t mode)
{
	struct bet bet = { .currency = game->currency[0].number,
		.lines = game->lines_max,
		.coins = game->coins_max,
		.mode = mode };
	struct bet_error error;
	struct money stake;

	for (uint32_t coin = game->currency[0].coin_count; coin-- > 0;) {
		bet.coin_minor = game->currency[0].coin_minor[coin];
		if (bet_check(game, &bet, &stake, &error) == BET_OK)
			return bet;
	}
	refuse("%s %s: found no coin value for the bet", game->id, game->mode[mode].id);
}

void bench_state(const struct game *game, struct round_state *state_r)
{
	*state_r = (struct round_state){ 0 };
	if (game->unlock.offered)
		state_r->unlocked = (uint8_t)(game->unlock.step_count - 1);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Folders with a definition, in the order of their names. */
static uint32_t games_find(const char *folder, char *name[GAMES_MAX])
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	uint32_t count = 0;

	if (dir == NULL)
		refuse("--games: found '%s', expected a folder of games", folder);
	while ((entry = readdir(dir)) != NULL) {
		if (strchr(entry->d_name, '.') != NULL)
			continue;
		if (count == GAMES_MAX)
			refuse("--games: found more than %d games", GAMES_MAX);
		name[count] = keep(strlen(entry->d_name) + 1);
		strcpy(name[count++], entry->d_name);
	}
	closedir(dir);
	qsort(name, count, sizeof(*name), by_name);
	return count;
}

static void add_games(struct bench *bench, const char *folder)
{
	char *name[GAMES_MAX];
	uint32_t count = games_find(folder, name);

	for (uint32_t i = 0; i < count; i++) {
		struct game *game = keep(sizeof(*game));
		char path[4096], error[DEFINITION_ERROR_MAX];

		snprintf(path, sizeof(path), "%s/%s/definition.json", folder, name[i]);
		/* bands are slotmath's to prove; it takes longer than a pass */
		if (definition_load_flags(path, DEFINITION_UNPROVEN, game, error) != DEFINITION_OK)
			refuse("%s", error);
		add_simulator(bench, game);
		add_server(bench, game);
		add_exact(bench, game);
		add_plain(bench, game);
	}
	if (count == 0)
		refuse("--games: found no game in '%s'", folder);
}

/*~ How it is measured. */
static double seconds(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / NS;
}

static struct sample measure(const struct figure *figure, uint64_t units)
{
	double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);

	figure->work(figure->context, units);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	return (struct sample){ .wall_s = seconds(CLOCK_MONOTONIC) - wall, .cpu_s = cpu };
}

/* Doubled until it takes a quarter of the time, then in proportion: caches are warm by then. */
static void find_units(struct figure *figure, double slice_s)
{
	struct sample sample;

	figure->units = 1;
	while ((sample = measure(figure, figure->units)).cpu_s < slice_s / 4)
		figure->units *= 2;
	figure->units = (uint64_t)((double)figure->units * slice_s / sample.cpu_s);
	if (figure->units == 0)
		figure->units = 1;
}

static void measure_all(struct bench *bench, const struct options *options)
{
	double slice_s = (double)options->slice_ms / 1000, began = seconds(CLOCK_MONOTONIC);

	for (uint32_t i = 0; i < bench->count; i++)
		find_units(&bench->figure[i], slice_s);
	fprintf(stderr, "%u figures, found how much work they are: %.0f s\n", bench->count,
		seconds(CLOCK_MONOTONIC) - began);
	began = seconds(CLOCK_MONOTONIC);
	for (uint32_t pass = 0; pass < options->passes; pass++) {
		double gone;

		for (uint32_t i = 0; i < bench->count; i++)
			bench->figure[i].sample[pass] =
				measure(&bench->figure[i], bench->figure[i].units);
		gone = seconds(CLOCK_MONOTONIC) - began;
		fprintf(stderr, "pass %u of %u, %.0f s left\n", pass + 1, options->passes,
			gone / (pass + 1) * (options->passes - pass - 1));
	}
}

/*~ What comes out. */
static json_t *figure_json(const struct figure *figure, uint32_t passes)
{
	json_t *wall = json_array(), *cpu = json_array();

	for (uint32_t i = 0; i < passes; i++) {
		json_array_append_new(wall, json_real(figure->sample[i].wall_s));
		json_array_append_new(cpu, json_real(figure->sample[i].cpu_s));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:f, s:I, s:o, s:o}", "what", figure->what, "game",
		figure->game, "mode", figure->mode, "path", figure->path, "items_of_a_unit",
		figure->items, "units", (json_int_t)figure->units, "wall_s", wall, "cpu_s", cpu);
}

static void print(const struct bench *bench, const struct options *options)
{
	json_t *figures = json_array(), *json;

	for (uint32_t i = 0; i < bench->count; i++)
		json_array_append_new(figures, figure_json(&bench->figure[i], options->passes));
	json = json_pack("{s:b, s:s, s:i, s:i, s:o}", "avx512", fast_has_avx512(), "compiler",
		__VERSION__, "passes", (int)options->passes, "slice_ms", (int)options->slice_ms,
		"figures", figures);
	json_dumpf(json, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	putchar('\n');
	json_decref(json);
}

static uint32_t number_of(const char *option, const char *text, uint32_t max)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != 0 || errno != 0 || value == 0 || value > max)
		refuse("%s: found '%s', expected a whole number from 1 to %u", option, text, max);
	return (uint32_t)value;
}

static void options_read(int argc, char **argv, struct options *options)
{
	*options = (struct options){
		.games = "services/spin-engine/games", .only = "", .passes = 7, .slice_ms = 100
	};
	for (int i = 1; i < argc; i++)
		if (strncmp(argv[i], "--games=", 8) == 0)
			options->games = argv[i] + 8;
		else if (strncmp(argv[i], "--only=", 7) == 0)
			options->only = argv[i] + 7;
		else if (strncmp(argv[i], "--passes=", 9) == 0)
			options->passes = number_of("--passes", argv[i] + 9, PASSES_MAX);
		else if (strncmp(argv[i], "--slice-ms=", 11) == 0)
			options->slice_ms = number_of("--slice-ms", argv[i] + 11, 60000);
		else
			refuse("found '%s', expected --games=DIR, --passes=N, --slice-ms=N or "
			       "--only=TEXT",
				argv[i]);
}

int main(int argc, char **argv)
{
	struct bench *bench = keep(sizeof(*bench));
	struct options options;

	options_read(argc, argv, &options);
	if (sodium_init() < 0)
		refuse("libsodium: found it unable to begin");
	bench->only = options.only;
	add_random(bench);
	add_games(bench, options.games);
	if (bench->count == 0)
		refuse("--only: found '%s', expected how a figure begins: what:game:mode:path",
			options.only);
	measure_all(bench, &options);
	print(bench, &options);
	return 0;
}
