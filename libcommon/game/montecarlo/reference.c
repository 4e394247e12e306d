/* The same statistics from the engine's own rounds. Slow; tests compare the fast statistics with
 * these. */
#include "libcommon/game/core/rule.h"
#include "libcommon/game/montecarlo/feature.h"

#include <string.h>

struct reference {
	const struct game *game;
	uint64_t jackpot, win;
	bool in_free;
	uint32_t awarded; /* awards of free spins by the paid spin and its features */
	struct fast_stats *stats;
};

/* The rows of features.def. */
static const struct {
	enum win_source source;
	uint32_t event; /* EVENTS: none */
} kinds[PHASE_KINDS] = {
#define PHASE(id, text, source, event) [PHASE_##id] = { SOURCE_##source, event },
#include "libcommon/game/features.def"
};

static enum win_source source_of(const struct phase *phase, const struct win_item *item)
{
	if (phase->kind == PHASE_SPIN)
		return item->what == WIN_LINE ? SOURCE_LINES : SOURCE_SCATTER;
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_fasts[f]->source && feature_fasts[f]->source(phase) < SOURCES)
			return feature_fasts[f]->source(phase);
	return kinds[phase->kind].source;
}

static void phase_events(struct reference *at, const struct phase *phase)
{
	uint64_t *event = at->stats->event;

	if (kinds[phase->kind].event < EVENTS)
		event[kinds[phase->kind].event]++;
	event[EVENT_JACKPOT] += phase->jackpot_hit;
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_fasts[f]->count)
			feature_fasts[f]->count(at->game, phase, event);
}

static void phase_add(struct reference *at, const struct phase *phase)
{
	at->in_free = at->in_free || phase->kind == PHASE_FREE_SPIN;
	if (!at->in_free)
		at->awarded += phase->free_spins_awarded;
	for (uint32_t i = 0; i < phase->win_count; i++) {
		const struct win_item *item = &phase->win[i];
		uint64_t amount = (uint64_t)item->amount.minor;

		at->stats->source[at->in_free ? SOURCE_FREE_SPINS : source_of(phase, item)] +=
			amount;
		at->win += amount;
	}
	if (phase->jackpot_hit) {
		at->stats->source[SOURCE_JACKPOT] += at->jackpot;
		at->win += at->jackpot;
	}
	phase_events(at, phase);
}

static void round_add(struct fast_stats *stats, uint64_t stake, uint64_t win)
{
	struct fast_stats one = { .rounds = 1, .stake = stake, .win = win, .win_max = win };
	uint32_t bin = FAST_BINS - 1;

	one.square = (fast_sum)win * win;
	one.hits = win > 0;
	while (bin > 1 && win * 100 < (uint64_t)fast_bin_from(bin) * stake)
		bin--;
	one.histogram[win > 0 ? bin : 0] = 1;
	one.net = (int64_t)win - (int64_t)stake;
	one.peak = one.net > 0 ? one.net : 0;
	one.trough = one.net < 0 ? one.net : 0;
	one.drawdown = -one.trough;
	fast_stats_merge(stats, &one);
}

static bool round_run(struct reference *at, const struct bet *bet, struct rng *rng,
	struct round_state *state, struct phase *phase)
{
	struct round round;
	enum round_status status = round_begin(at->game, bet, state, rng, &round);

	at->win = 0;
	at->awarded = 0;
	at->in_free = false;
	while (status == ROUND_OK) {
		status = round_next(&round, phase);
		if (status == ROUND_OK)
			phase_add(at, phase);
	}
	if (status != ROUND_DONE)
		return false;
	*state = round.state;
	at->stats->event[EVENT_FREE_SPINS] += at->awarded > 0;
	round_add(at->stats, (uint64_t)round.stake.minor, at->win);
	return true;
}

bool fast_reference_block(const struct game *game, const struct bet *bet,
	const struct round_state *start, uint64_t seed, uint64_t block, uint64_t rounds,
	struct fast_stats *stats_r)
{
	const struct jackpot_row *row = jackpot_row(&game->jackpot, bet->currency, bet->coin_minor);
	struct reference at = { .game = game, .stats = stats_r };
	struct round_state state = { 0 };
	uint8_t key[RNG_KEY_BYTES] = { 0 };
	struct phase phase;
	struct rng rng;

	if (start != NULL)
		state = *start;
	*stats_r = (struct fast_stats){ 0 };
	at.jackpot = row != NULL && game->jackpot.pool != 0 ? (uint64_t)row->seed_minor : 0;
	memcpy(key, &seed, sizeof(seed));
	memcpy(key + 8, &block, sizeof(block));
	memcpy(key + 16, "reference", sizeof("reference"));
	rng_init(&rng, key);
	for (uint64_t i = 0; i < rounds; i++)
		if (!round_run(&at, bet, &rng, &state, &phase))
			return false;
	return true;
}
