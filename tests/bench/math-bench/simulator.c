/* The fast simulator: complete rounds of every mode, and paid spins alone. */
#include "libcommon/game/montecarlo.h"
#include "tests/bench/math-bench/bench.h"

struct simulated {
	struct fast_player *player;
	uint64_t block;
	struct fast_stats stats; /* of the last block: what the work is for */
};

static void play_rounds(void *context, uint64_t units)
{
	struct simulated *at = context;

	for (uint64_t i = 0; i < units; i++)
		fast_block(at->player, 1, at->block++, FAST_BLOCK_ROUNDS, &at->stats);
}

static void play_spins(void *context, uint64_t units)
{
	struct simulated *at = context;

	for (uint64_t i = 0; i < units; i++)
		fast_spins(at->player, 1, at->block++, FAST_BLOCK_ROUNDS, &at->stats);
}

static struct simulated *simulated_new(const struct fast_sim *sim, enum fast_path path)
{
	struct simulated *at = keep(sizeof(*at));

	at->player = fast_player_new(sim, path);
	if (at->player == NULL)
		refuse("memory: found too little for the simulator");
	return at;
}

static void add(struct bench *bench, const struct fast_sim *sim, const struct game *game,
	const char *mode, bool features, enum fast_path path)
{
	bench_add(bench, &(struct figure){ .what = features ? "complete_rounds" : "base_spins",
				 .game = game->id,
				 .mode = mode,
				 .path = path == FAST_SCALAR ? "scalar" : "avx512",
				 .items = (double)FAST_BLOCK_ROUNDS,
				 .work = features ? play_rounds : play_spins,
				 .context = simulated_new(sim, path) });
}

void add_simulator(struct bench *bench, const struct game *game)
{
	for (uint32_t m = 0; m < game->mode_count; m++) {
		struct bet bet = bench_bet(game, m);
		struct round_state state;
		struct fast_sim *sim = NULL; /* lives as long as the program */

		bench_state(game, &state);
		if (fast_new(game, &bet, &state, &sim) != FAST_OK)
			refuse("%s %s: found a mode the simulator has no tables for", game->id,
				game->mode[m].id);
		for (int path = FAST_SCALAR; path <= FAST_AVX512; path++) {
			if (path == FAST_AVX512 && !fast_has_avx512())
				continue;
			add(bench, sim, game, game->mode[m].id, true, (enum fast_path)path);
			if (m == 0)
				add(bench, sim, game, game->mode[m].id, false,
					(enum fast_path)path);
		}
	}
}
