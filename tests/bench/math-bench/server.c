/* One round as the server plays it: every phase with all win items and draws, sums and digest. The
 * stream goes on from round to round here; what a stream of its own costs is measured beside it. */
#include "libcommon/base/rng.h"
#include "libcommon/game/round.h"
#include "tests/bench/math-bench/bench.h"

struct served {
	const struct game *game;
	struct bet bet;
	struct round_state state;
	struct rng rng;
	struct phase phase;
	struct round_sum sum;
	int64_t win;
};

static void play_whole(void *context, uint64_t units)
{
	struct served *at = context;

	for (uint64_t i = 0; i < units; i++) {
		if (round_play(at->game, &at->bet, &at->state, &at->rng, &at->phase, &at->sum) !=
			ROUND_DONE)
			refuse("%s: found a round that could not be played", at->game->id);
		at->state = at->sum.state;
		at->win += at->sum.win_total.minor;
	}
}

/* The same without sums and digest. */
static void play_phases(void *context, uint64_t units)
{
	struct served *at = context;

	for (uint64_t i = 0; i < units; i++) {
		struct round round;
		enum round_status status =
			round_begin(at->game, &at->bet, &at->state, &at->rng, &round);

		while (status == ROUND_OK) {
			status = round_next(&round, &at->phase);
			if (status == ROUND_OK)
				at->win += at->phase.win_total.minor;
		}
		if (status != ROUND_DONE)
			refuse("%s: found a round that could not be played", at->game->id);
		at->state = round.state;
	}
}

static void add(struct bench *bench, const struct game *game, uint32_t mode, const char *what,
	void (*work)(void *context, uint64_t units))
{
	struct served *at = keep(sizeof(*at));
	uint8_t key[RNG_KEY_BYTES] = "round_play is measured";

	at->game = game;
	at->bet = bench_bet(game, mode);
	bench_state(game, &at->state);
	rng_init(&at->rng, key);
	bench_add(bench, &(struct figure){ .what = what,
				 .game = game->id,
				 .mode = game->mode[mode].id,
				 .path = "",
				 .items = 1,
				 .work = work,
				 .context = at });
}

void add_server(struct bench *bench, const struct game *game)
{
	for (uint32_t m = 0; m < game->mode_count; m++) {
		add(bench, game, m, "round_play", play_whole);
		add(bench, game, m, "round_phases", play_phases);
	}
}
