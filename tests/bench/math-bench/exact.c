/* Exact mathematics: the whole cycle of a base game with its distribution of wins, and what the
 * optimiser asks while it changes strips. */
#include "libcommon/game/line_quick.h"
#include "libcommon/game/reel_machine.h"
#include "tests/bench/math-bench/bench.h"

#include <stdlib.h>
#include <string.h>

/* ---- the full cycle ---- */

struct cycle {
	const struct game *game;
	uint32_t tag_of[GAME_SYMBOLS_MAX];
	exact_count total; /* combinations, weights included */
	size_t outcomes;   /* rows of the last distribution */
};

/* Everything from the strips on: columns, automaton, distribution of wins by the counts of scatters
 * and bonus symbols. */
static void scan(struct cycle *cycle)
{
	static struct machine_column column[GAME_REELS_MAX][GAME_STRIP_MAX];
	const struct game *game = cycle->game;
	struct machine_input input = { .game = game, .lines = game->lines_max };
	struct reel_machine *machine;
	struct machine_outcome *outcome;
	exact_count sum = 0;

	for (uint32_t r = 0; r < game->reels; r++)
		input.reel[r] = (struct machine_reel){ column[r],
			machine_columns(
				game, game->mode[0].strips, r, 0, cycle->tag_of, column[r]) };
	machine = reel_machine_new(&input);
	if (machine == NULL)
		refuse("memory: found too little for %s", game->id);
	outcome = reel_machine_distribution(machine, &cycle->outcomes);
	if (outcome == NULL)
		refuse("memory: found too little for %s", game->id);
	for (size_t i = 0; i < cycle->outcomes; i++)
		sum += outcome[i].count;
	if (sum != cycle->total)
		refuse("%s: found a distribution that is not of the whole cycle", game->id);
	free(outcome);
	reel_machine_free(&machine);
}

static void scan_all(void *context, uint64_t units)
{
	for (uint64_t i = 0; i < units; i++)
		scan(context);
}

static void add_cycle(struct bench *bench, const struct game *game)
{
	struct cycle *cycle = keep(sizeof(*cycle));
	const struct game_strips *strips = &game->strips[game->mode[0].strips];

	cycle->game = game;
	cycle->total = 1;
	for (uint32_t r = 0; r < game->reels; r++)
		cycle->total *= strips->reel[r].weight;
	for (uint32_t i = 0; i < game->scatter_symbols; i++)
		cycle->tag_of[game->scatter[i]] = 1u << 8 * i;
	if (game->bonus != GAME_NO_SYMBOL)
		cycle->tag_of[game->bonus] = 1u << 16;
	bench_add(bench, &(struct figure){ .what = "full_cycle",
				 .game = game->id,
				 .mode = game->mode[0].id,
				 .path = "",
				 .items = (double)cycle->total,
				 .work = scan_all,
				 .context = cycle });
}

/* ---- the optimiser's question ---- */

/* A copy of the game, whose strips change. */
struct changing {
	struct game *game;
	struct line_quick quick;
	uint32_t next;
	double coins;
};

/* One change of one stop, the strip looked at anew, and the exact line return of the set. */
static void evaluate(void *context, uint64_t units)
{
	struct changing *at = context;
	struct game_strips *strips = &at->game->strips[at->quick.set];

	for (uint64_t i = 0; i < units; i++) {
		struct game_strip *strip = &strips->reel[at->next % at->game->reels];
		uint32_t a = at->next % strip->length, b = (a + 7) % strip->length;
		uint8_t symbol = strip->symbol[a];
		exact_count total, sum;

		strip->symbol[a] = strip->symbol[b];
		strip->symbol[b] = symbol;
		memcpy(strip->symbol + strip->length, strip->symbol, GAME_ROWS_MAX);
		line_quick_renew(&at->quick, at->next++ % at->game->reels);
		sum = line_quick_sum(&at->quick, &total);
		at->coins += (double)sum / (double)total;
	}
}

static void add_evaluations(struct bench *bench, const struct game *game)
{
	struct changing *at = keep(sizeof(*at));
	struct line_terms terms = line_terms_plain();

	at->game = keep(sizeof(*at->game));
	*at->game = *game;
	line_quick_init(&at->quick, at->game, game->mode[0].strips, 0, &terms);
	bench_add(bench, &(struct figure){ .what = "line_evaluations",
				 .game = game->id,
				 .mode = game->mode[0].id,
				 .path = "",
				 .items = 1,
				 .work = evaluate,
				 .context = at });
}

void add_exact(struct bench *bench, const struct game *game)
{
	add_cycle(bench, game);
	add_evaluations(bench, game);
}
