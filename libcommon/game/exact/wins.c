#include "libcommon/game/exact/wins.h"

#include "libcommon/game/exact/feature.h"

#include <stdlib.h>

/* A win of a spin in total bets, the progressive at its seed. */
static void win_value(mpq_t x, const struct spin_win *win, const struct exact_wager *wager)
{
	mpq_set_u64(x, win->coins, wager->lines);
	if (win->jackpot)
		mpq_add(x, x, wager->jackpot);
}

static void win_probability(mpq_t p, const struct spin_win *win, const struct spin_figures *spin)
{
	mpz_set_count(mpq_numref(p), win->n);
	mpz_set(mpq_denref(p), spin->total);
	mpq_canonicalize(p);
}

static int by_x(const void *a, const void *b)
{
	const struct exact_win *x = a, *y = b;

	return mpq_cmp(x->x, y->x);
}

/* Wins with and without the progressive can be equal. */
static void merge_equal(struct exact_mode *mode)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < mode->win_count; i++) {
		struct exact_win *win = &mode->win[i];

		if (kept > 0 && mpq_equal(mode->win[kept - 1].x, win->x)) {
			mpq_add(mode->win[kept - 1].probability, mode->win[kept - 1].probability,
				win->probability);
			continue;
		}
		if (kept != i) {
			mpq_swap(mode->win[kept].x, win->x);
			mpq_swap(mode->win[kept].probability, win->probability);
		}
		kept++;
	}
	for (uint32_t i = kept; i < mode->win_count; i++)
		mpq_clears(mode->win[i].x, mode->win[i].probability, NULL);
	mode->win_count = kept;
}

static enum exact_status fill_distribution(
	const struct exact_work *work, const struct exact_wager *wager, struct exact_mode *mode_r)
{
	const struct spin_figures *spin = work->spin[CONTEXT_BASE];
	uint32_t price = work->game->mode[work->mode].price_hundredths;
	bool jackpots = spin->win_count > 0 && spin->win[spin->win_count - 1].jackpot;

	mode_r->win = malloc((spin->win_count + 1) * sizeof(*mode_r->win));
	if (mode_r->win == NULL)
		return EXACT_NO_MEMORY;
	for (size_t i = 0; i < spin->win_count; i++) {
		struct exact_win *win = &mode_r->win[i];

		mpq_inits(win->x, win->probability, NULL);
		win_value(win->x, &spin->win[i], wager);
		mpz_mul_ui(mpq_numref(win->x), mpq_numref(win->x), 100);
		mpz_mul_ui(mpq_denref(win->x), mpq_denref(win->x), price);
		mpq_canonicalize(win->x);
		win_probability(win->probability, &spin->win[i], spin);
	}
	mode_r->win_count = (uint32_t)spin->win_count;
	if (jackpots) { /* else they are sorted and distinct already */
		qsort(mode_r->win, mode_r->win_count, sizeof(*mode_r->win), by_x);
		merge_equal(mode_r);
	}
	return EXACT_OK;
}

/* The highest win with the progressive and the highest win without. */
static void offer_spin(const struct spin_figures *spin, const struct exact_wager *wager,
	const char *where, struct exact_mode *mode_r)
{
	mpq_t x, p;

	mpq_inits(x, p, NULL);
	for (size_t i = 0; i < spin->win_count; i++) {
		if (i + 1 < spin->win_count && spin->win[i].jackpot == spin->win[i + 1].jackpot)
			continue;
		win_value(x, &spin->win[i], wager);
		win_probability(p, &spin->win[i], spin);
		exact_offer_max(mode_r, where, x, p);
	}
	mpq_clears(x, p, NULL);
}

enum exact_status exact_fill_wins(const struct exact_work *work, const struct exact_wager *wager,
	bool free_spins, struct exact_mode *mode_r)
{
	const struct spin_figures *paid = work->spin[CONTEXT_BASE];
	const struct spin_figures *free_spin = work->spin[CONTEXT_FREE];

	offer_spin(paid, wager, "base spin", mode_r);
	if (free_spins)
		offer_spin(free_spin, wager, "free spin", mode_r);
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_exacts[f]->offer_most && exact_offered(work->game, f))
			feature_exacts[f]->offer_most(work, wager, free_spins, mode_r);
	return fill_distribution(work, wager, mode_r);
}
