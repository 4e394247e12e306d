#include "libcommon/game/bets.h"

#include "libcommon/game/core/rule.h"
#include "libcommon/game/exact/feature.h"

#include <stdlib.h>

const struct feature_exact *const feature_exacts[FEATURES] = {
#define FEATURE(name) [FEATURE_##name] = &name##_exact,
#include "libcommon/game/features.def"
};

bool exact_offered(const struct game *game, uint32_t feature)
{
	return feature_rules[feature]->offered(game);
}

void exact_wager_init(
	struct exact_wager *wager, const struct game *game, uint32_t lines, uint32_t coins)
{
	const struct jackpot_link *link = &game->jackpot;

	wager->lines = lines;
	wager->coins = coins;
	wager->max = lines == game->lines_max && coins == game->coins_max;
	mpq_init(wager->jackpot);
	if (link->pool == 0)
		return;
	mpz_set_si(mpq_numref(wager->jackpot), link->base_seed_minor);
	mpz_set_si(mpq_denref(wager->jackpot), link->base_coin_minor);
	mpz_mul_ui(mpq_denref(wager->jackpot), mpq_denref(wager->jackpot), lines);
	mpz_mul_ui(mpq_denref(wager->jackpot), mpq_denref(wager->jackpot), coins);
	mpq_canonicalize(wager->jackpot);
}

void exact_wager_clear(struct exact_wager *wager)
{
	mpq_clear(wager->jackpot);
}

/* ---- the mode, prepared ---- */

void exact_work_free(struct exact_work *work)
{
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_exacts[f]->free && work->own[f])
			feature_exacts[f]->free(work);
	for (uint32_t i = 0; i < SPIN_CONTEXTS; i++)
		spin_figures_free(&work->spin[i]);
}

enum exact_status exact_work_init(
	struct exact_work *work, const struct game *game, uint32_t mode, enum exact_depth depth)
{
	enum exact_status status = EXACT_OK;

	*work = (struct exact_work){ .game = game, .mode = mode, .depth = depth };
	work->spin[CONTEXT_BASE] = spin_figures_new(game, &game->mode[mode], CONTEXT_BASE, depth);
	if (game->free_spins.offered)
		work->spin[CONTEXT_FREE] = spin_figures_new(game, NULL, CONTEXT_FREE, depth);
	if (work->spin[CONTEXT_BASE] == NULL ||
		(game->free_spins.offered && work->spin[CONTEXT_FREE] == NULL))
		status = EXACT_NO_MEMORY;
	for (uint32_t f = 0; status == EXACT_OK && f < FEATURES; f++)
		if (feature_exacts[f]->prepare && exact_offered(game, f))
			status = feature_exacts[f]->prepare(work);
	if (status != EXACT_OK)
		exact_work_free(work);
	return status;
}

/* The yield of a spin with all its features. Initialises `yield_r` also on failure. */
static enum exact_status context_yield(const struct exact_work *work,
	const struct exact_wager *wager, enum spin_context context, struct spin_yield *yield_r)
{
	enum exact_status status = spin_figures_yield(work->spin[context], wager, yield_r);

	for (uint32_t f = 0; status == EXACT_OK && f < FEATURES; f++)
		if (feature_exacts[f]->yield && work->own[f])
			feature_exacts[f]->yield(work, wager, context, yield_r);
	return status;
}

void round_yields_free(struct round_yields *yields)
{
	yield_free(&yields->paid);
	yield_free(&yields->free_spin);
	yield_free(&yields->round);
	mpq_clear(yields->total);
}

enum exact_status round_yields_of(
	const struct exact_work *work, const struct exact_wager *wager, struct round_yields *yields)
{
	bool frees = work->spin[CONTEXT_FREE] != NULL;
	enum exact_status status = context_yield(work, wager, CONTEXT_BASE, &yields->paid);

	if (status != EXACT_OK) {
		yield_free(&yields->paid);
		return status;
	}
	if (frees)
		status = context_yield(work, wager, CONTEXT_FREE, &yields->free_spin);
	else
		yield_init(&yields->free_spin, work->depth);
	if (status != EXACT_OK) {
		yield_free(&yields->paid);
		yield_free(&yields->free_spin);
		return status;
	}
	status = round_yield(&yields->paid, frees ? &yields->free_spin : NULL, &yields->round);
	mpq_init(yields->total);
	yield_total(&yields->round, yields->total);
	if (status != EXACT_OK)
		round_yields_free(yields);
	return status;
}

void exact_per_price(mpq_t x, const struct game_mode *mode)
{
	mpz_mul_ui(mpq_numref(x), mpq_numref(x), 100);
	mpz_mul_ui(mpq_denref(x), mpq_denref(x), mode->price_hundredths);
	mpq_canonicalize(x);
}

void bet_return_init(struct bet_return *value)
{
	mpq_inits(value->rtp, value->low, value->high, NULL);
}

void bet_return_clear(struct bet_return *value)
{
	mpq_clears(value->rtp, value->low, value->high, NULL);
}

/* Adds the states to `mode_r`, which may be NULL. */
static void levels_of(const struct exact_work *work, const struct exact_wager *wager,
	const struct round_yields *yields, uint32_t feature, struct exact_mode *mode_r,
	struct bet_return *value)
{
	struct exact_mode *scratch = NULL;

	if (mode_r == NULL) {
		scratch = calloc(1, sizeof(*scratch));
		if (scratch == NULL)
			abort(); /* as GMP does */
	}
	feature_exacts[feature]->levels(
		work, wager, yields, mode_r ? mode_r : scratch, value->low, value->high);
	for (uint32_t i = 0; scratch && i < scratch->state_count; i++)
		mpq_clear(scratch->state[i].rtp);
	free(scratch);
}

void bet_return_from(const struct exact_work *work, const struct exact_wager *wager,
	const struct round_yields *yields, struct exact_mode *mode_r, struct bet_return *value)
{
	const struct game_mode *mode = &work->game->mode[work->mode];

	mpq_set(value->rtp, yields->total);
	mpq_set(value->low, yields->total);
	mpq_set(value->high, yields->total);
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_exacts[f]->levels && work->own[f])
			levels_of(work, wager, yields, f, mode_r, value);
	exact_per_price(value->rtp, mode);
	exact_per_price(value->low, mode);
	exact_per_price(value->high, mode);
}

enum exact_status bet_return_of(
	const struct exact_work *work, uint32_t lines, uint32_t coins, struct bet_return *value)
{
	struct exact_wager wager;
	struct round_yields yields;
	enum exact_status status;

	exact_wager_init(&wager, work->game, lines, coins);
	status = round_yields_of(work, &wager, &yields);
	if (status == EXACT_OK) {
		bet_return_from(work, &wager, &yields, NULL, value);
		round_yields_free(&yields);
	}
	exact_wager_clear(&wager);
	return status;
}

enum exact_status exact_bet(
	const struct game *game, uint32_t mode, uint32_t lines, uint32_t coins, mpq_t rtp_r)
{
	struct exact_work work;
	struct bet_return value;
	enum exact_status status;

	if (mode >= game->mode_count || lines < 1 || lines > game->line_count || coins < 1)
		return EXACT_NO_MODE;
	if (game_mode_simulated(&game->mode[mode]))
		return EXACT_SIMULATED;
	status = exact_work_init(&work, game, mode, EXACT_RETURN);
	if (status != EXACT_OK)
		return status;
	bet_return_init(&value);
	status = bet_return_of(&work, lines, coins, &value);
	if (status == EXACT_OK)
		mpq_set(rtp_r, value.rtp);
	bet_return_clear(&value);
	exact_work_free(&work);
	return status;
}
