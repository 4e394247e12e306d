/* Exact mathematics of cascades: nothing is drawn after the stops, so every combination of stops is
 * played and weighted. The loader keeps the combinations below CYCLE_STOPS_MAX. */
#include "libcommon/game/features/cascade/exact.h"

#include <assert.h>
#include <stdlib.h>

struct cascade_work {
	struct cascade_cycle cycle[2]; /* CONTEXT_BASE, CONTEXT_FREE */
};

static enum exact_status prepare(struct exact_work *work)
{
	work->own[FEATURE_cascade] = calloc(1, sizeof(struct cascade_work));
	return work->own[FEATURE_cascade] ? EXACT_OK : EXACT_NO_MEMORY;
}

static void release(struct exact_work *work)
{
	free(work->own[FEATURE_cascade]);
}

/* ---- the cycle ---- */

static uint32_t tag_of(const struct spin_figures *figures, const uint8_t *window)
{
	const struct game *game = figures->game;
	uint32_t tag = 0;

	for (uint32_t cell = 0; cell < game->reels * game->rows; cell++)
		tag += figures->counters.tag_of[window[cell]];
	return tag;
}

static struct cascade_row *row_of(struct cascade_cycle *cycle, uint32_t tag)
{
	for (uint32_t i = 0; i < cycle->row_count; i++)
		if (cycle->row[i].tag == tag)
			return &cycle->row[i];
	assert(cycle->row_count < CASCADE_ROWS_MAX); /* a few counters of a few symbols */
	cycle->row[cycle->row_count] = (struct cascade_row){ .tag = tag };
	return &cycle->row[cycle->row_count++];
}

static void add_spin(const struct spin_figures *figures, const struct cycle_spin *spin,
	uint64_t weight, struct cascade_cycle *cycle)
{
	uint32_t tag = tag_of(figures, spin->window);
	struct cascade_row *row = row_of(cycle, tag);
	uint64_t win = spin->first + spin->rest;
	uint64_t all = win + tag_scatter_pay(figures, tag) * cycle->lines;

	row->n += weight;
	row->first += (exact_count)spin->first * weight;
	row->rest += (exact_count)spin->rest * weight;
	row->square += (exact_count)win * win * weight;
	row->nothing += win == 0 ? weight : 0;
	row->cascades += spin->tumbles > 0 ? weight : 0;
	row->tumbles += (exact_count)spin->tumbles * weight;
	cycle->total += weight;
	cycle->by_tumbles[spin->tumbles] += weight;
	if (all > cycle->most) {
		cycle->most = all;
		cycle->most_n = 0;
	}
	cycle->most_n += all == cycle->most ? weight : 0;
}

/* The next combination, the last reel fastest; false after the last one. */
static bool next_stops(const struct game *game, uint32_t set, uint16_t stop[GAME_REELS_MAX])
{
	for (uint32_t r = game->reels; r-- > 0;) {
		if (++stop[r] < game->strips[set].reel[r].length)
			return true;
		stop[r] = 0;
	}
	return false;
}

static uint64_t stops_weight(
	const struct game *game, uint32_t set, const uint16_t stop[GAME_REELS_MAX])
{
	uint64_t weight = 1;

	for (uint32_t r = 0; r < game->reels; r++)
		weight *= game->strips[set].reel[r].stop_weight[stop[r]];
	return weight;
}

static void cycle_fill(
	const struct spin_figures *figures, uint32_t lines, struct cascade_cycle *cycle)
{
	struct cycle_terms terms;
	uint16_t stop[GAME_REELS_MAX] = { 0 };

	*cycle = (struct cascade_cycle){ .lines = lines };
	cycle_terms_init(figures->game, figures->set, lines, figures->context, &terms);
	do {
		struct cycle_spin spin;

		cycle_play(&terms, stop, &spin);
		add_spin(figures, &spin, stops_weight(figures->game, figures->set, stop), cycle);
	} while (next_stops(figures->game, figures->set, stop));
}

const struct cascade_cycle *cascade_cycle_of(
	const struct exact_work *work, const struct exact_wager *wager, enum spin_context context)
{
	struct cascade_work *own = work->own[FEATURE_cascade];
	struct cascade_cycle *cycle = &own->cycle[context];

	if (work->spin[context] == NULL)
		return NULL;
	if (cycle->lines != wager->lines)
		cycle_fill(work->spin[context], wager->lines, cycle);
	return cycle;
}

/* ---- the yield ---- */

static void share(mpq_t q, exact_count num, exact_count n, uint64_t scale)
{
	mpz_set_count(mpq_numref(q), num);
	mpz_set_count(mpq_denref(q), n);
	mpz_mul_ui(mpq_denref(q), mpq_denref(q), scale);
	mpq_canonicalize(q);
}

/* What the lines and the tumbles win in the windows of one row. */
static void row_yield(const struct cascade_row *row, uint64_t lines, enum exact_depth depth,
	struct spin_yield *yield_r)
{
	mpq_t nothing;

	yield_init(yield_r, depth);
	share(yield_r->win[SOURCE_LINES], row->first, row->n, lines);
	share(yield_r->win[SOURCE_CASCADE], row->rest, row->n, lines);
	share(yield_r->event[EVENT_CASCADE], row->cascades, row->n, 1);
	share(yield_r->event[EVENT_TUMBLE], row->tumbles, row->n, 1);
	if (depth != EXACT_ALL)
		return;
	mpq_init(nothing);
	share(yield_r->win2, row->square, row->n, lines * lines);
	share(nothing, row->nothing, row->n, 1);
	yield_zero_add(yield_r, 0, nothing);
	mpq_clear(nothing);
}

/* Tumbles depend on the same windows as the lines, so the spin's yield is rebuilt: for each row the
 * features its counts start, and the lines with their tumbles. */
static void add_yield(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield)
{
	const struct cascade_cycle *cycle = cascade_cycle_of(work, wager, context);
	enum exact_depth depth = yield->depth;
	mpq_t p;

	assert(cycle); /* called only for contexts with spins */
	mpq_init(p);
	yield_free(yield);
	yield_init(yield, depth);
	for (uint32_t i = 0; i < cycle->row_count; i++) {
		struct spin_yield of_tag, lines;

		tag_yield(work->spin[context], cycle->row[i].tag, wager, &of_tag);
		row_yield(&cycle->row[i], wager->lines, depth, &lines);
		yield_join(&of_tag, &lines);
		share(p, cycle->row[i].n, cycle->total, 1);
		yield_mix(yield, p, &of_tag);
		yield_free(&lines);
		yield_free(&of_tag);
	}
	mpq_clear(p);
}

static void offer(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, const char *where, struct exact_mode *mode_r)
{
	const struct cascade_cycle *cycle = cascade_cycle_of(work, wager, context);
	mpq_t x, p;

	if (cycle == NULL)
		return;
	mpq_inits(x, p, NULL);
	mpq_set_u64(x, cycle->most, wager->lines);
	share(p, cycle->most_n, cycle->total, 1);
	exact_offer_max(mode_r, where, x, p);
	mpq_clears(x, p, NULL);
}

static void offer_most(const struct exact_work *work, const struct exact_wager *wager,
	bool free_spins, struct exact_mode *mode_r)
{
	offer(work, wager, CONTEXT_BASE, "base spin and its tumbles", mode_r);
	if (free_spins)
		offer(work, wager, CONTEXT_FREE, "free spin and its tumbles", mode_r);
}

const struct feature_exact cascade_exact = {
	.prepare = prepare, .free = release, .yield = add_yield, .offer_most = offer_most
};
