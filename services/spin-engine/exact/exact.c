/* Figures of a mode: prepared, asked for bets, and named. */
#include "services/spin-engine/exact/exact.h"

#include "services/spin-engine/exact/wins.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const source_name[SOURCES] = {
	[SOURCE_LINES] = "lines",
	[SOURCE_SCATTER] = "scatter",
	[SOURCE_BATTLE] = "battle",
	[SOURCE_BONUS_MONEY] = "bonus_money",
	[SOURCE_HOLD] = "hold_and_win",
	[SOURCE_STICKY] = "sticky_spins",
	[SOURCE_HIGH_SYMBOLS] = "high_symbols",
	[SOURCE_RANDOM_WILDS] = "random_wilds",
	[SOURCE_MULTIPLIER] = "multiplier",
	[SOURCE_MEGA_WILD] = "mega_wild",
	[SOURCE_EXPLOSION] = "explosion",
	[SOURCE_FREE_SPINS] = "free_spins",
	[SOURCE_JACKPOT] = "jackpot_seed",
};

static const char *const event_name[EVENT_AWARD] = {
	[EVENT_FREE_SPINS] = "free_spins",
	[EVENT_BATTLE] = "battle",
	[EVENT_BONUS] = "bonus",
	[EVENT_HOLD] = "hold_and_win",
	[EVENT_HOLD_FULL] = "full_screen",
	[EVENT_STICKY] = "sticky_spins",
	[EVENT_HIGH_SYMBOLS] = "high_symbols",
	[EVENT_RANDOM_WILDS] = "random_wilds",
	[EVENT_MULTIPLIER] = "multiplier",
	[EVENT_MEGA_WILD] = "mega_wild",
	[EVENT_EXPLOSION] = "explosion",
	[EVENT_JACKPOT] = "jackpot",
};

static void set_name(char name[EXACT_NAME_MAX], const char *text)
{
	(void)snprintf(name, EXACT_NAME_MAX, "%s", text);
}

void exact_add_part(struct exact_mode *mode, const char *source, const mpq_t rtp)
{
	struct exact_part *part = &mode->part[mode->part_count];

	assert(mode->part_count < EXACT_PARTS_MAX);
	mode->part_count++;
	set_name(part->source, source);
	mpq_init(part->rtp);
	mpq_set(part->rtp, rtp);
}

void exact_add_feature(struct exact_mode *mode, const char *name, const mpq_t frequency)
{
	struct exact_feature *feature = &mode->feature[mode->feature_count];

	assert(mode->feature_count < EXACT_FEATURES_MAX);
	mode->feature_count++;
	set_name(feature->name, name);
	mpq_init(feature->frequency);
	mpq_set(feature->frequency, frequency);
}

void exact_add_state(struct exact_mode *mode, const char *name, const mpq_t rtp)
{
	struct exact_state *state = &mode->state[mode->state_count];

	assert(mode->state_count < EXACT_STATES_MAX);
	mode->state_count++;
	set_name(state->name, name);
	mpq_init(state->rtp);
	mpq_set(state->rtp, rtp);
}

void exact_offer_max(struct exact_mode *mode, const char *where, const mpq_t x, const mpq_t p)
{
	if (mpq_sgn(p) == 0 || mpq_cmp(x, mode->max_win) <= 0)
		return;
	mpq_set(mode->max_win, x);
	mpq_set(mode->max_win_probability, p);
	set_name(mode->max_win_where, where);
}

/* ---- bets ---- */

static void wager_init(
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

static void wager_clear(struct exact_wager *wager)
{
	mpq_clear(wager->jackpot);
}

/* ---- the mode, prepared ---- */

static void work_free(struct exact_work *work)
{
	sticky_work_free(&work->sticky);
	potions_work_free(&work->potions);
	for (uint32_t i = 0; i < SPIN_CONTEXTS; i++)
		spin_figures_free(&work->spin[i]);
}

static enum exact_status work_init(
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
	if (status == EXACT_OK)
		status = sticky_prepare(work);
	if (status == EXACT_OK)
		status = potions_prepare(work);
	if (status != EXACT_OK)
		work_free(work);
	return status;
}

/* A spin with all its features; `yield_r` is initialised also on failure. */
static enum exact_status context_yield(const struct exact_work *work,
	const struct exact_wager *wager, enum spin_context context, struct spin_yield *yield_r)
{
	enum exact_status status = spin_figures_yield(work->spin[context], wager, yield_r);

	if (status == EXACT_OK && work->sticky)
		sticky_yield(work, wager, context, yield_r);
	if (status == EXACT_OK && work->potions)
		potions_yield(work, wager, context, yield_r);
	return status;
}

/* The yields of both contexts and of the round. All initialised on success only. */
struct round_yields {
	struct spin_yield paid, free_spin, round;
	mpq_t total; /* of the round, in total bets */
};

static void yields_free(struct round_yields *yields)
{
	yield_free(&yields->paid);
	yield_free(&yields->free_spin);
	yield_free(&yields->round);
	mpq_clear(yields->total);
}

static enum exact_status yields_of(
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
		yields_free(yields);
	return status;
}

static void per_price(mpq_t x, const struct game_mode *mode)
{
	mpz_mul_ui(mpq_numref(x), mpq_numref(x), 100);
	mpz_mul_ui(mpq_denref(x), mpq_denref(x), mode->price_hundredths);
	mpq_canonicalize(x);
}

/* What a round of a bet wins, in prices; with potions also the lowest and highest of a level. */
struct bet_return {
	mpq_t rtp, low, high;
};

static void return_init(struct bet_return *value)
{
	mpq_inits(value->rtp, value->low, value->high, NULL);
}

static void return_clear(struct bet_return *value)
{
	mpq_clears(value->rtp, value->low, value->high, NULL);
}

/* The round without what potions give the paid spin. */
static void without_potions(const struct round_yields *yields, mpq_t rest_r)
{
	mpq_set(rest_r, yields->total);
	for (uint32_t i = SOURCE_HIGH_SYMBOLS; i <= SOURCE_EXPLOSION; i++)
		mpq_sub(rest_r, rest_r, yields->paid.win[i]);
}

/* `mode_r` takes the states of the potions and may be NULL. */
static void levels_of(const struct exact_work *work, const struct exact_wager *wager,
	const struct round_yields *yields, struct exact_mode *mode_r, struct bet_return *value)
{
	struct exact_mode *scratch = NULL;
	mpq_t rest;

	mpq_init(rest);
	without_potions(yields, rest);
	if (mode_r == NULL) {
		scratch = calloc(1, sizeof(*scratch));
		if (scratch == NULL)
			abort(); /* as GMP does */
	}
	potions_levels(work, wager, rest, mode_r ? mode_r : scratch, value->low, value->high);
	for (uint32_t i = 0; scratch && i < scratch->state_count; i++)
		mpq_clear(scratch->state[i].rtp);
	free(scratch);
	mpq_clear(rest);
}

static void return_of(const struct exact_work *work, const struct exact_wager *wager,
	const struct round_yields *yields, struct exact_mode *mode_r, struct bet_return *value)
{
	const struct game_mode *mode = &work->game->mode[work->mode];

	mpq_set(value->rtp, yields->total);
	mpq_set(value->low, yields->total);
	mpq_set(value->high, yields->total);
	if (work->potions)
		levels_of(work, wager, yields, mode_r, value);
	per_price(value->rtp, mode);
	per_price(value->low, mode);
	per_price(value->high, mode);
}

static enum exact_status bet_return(
	const struct exact_work *work, uint32_t lines, uint32_t coins, struct bet_return *value)
{
	struct exact_wager wager;
	struct round_yields yields;
	enum exact_status status;

	wager_init(&wager, work->game, lines, coins);
	status = yields_of(work, &wager, &yields);
	if (status == EXACT_OK) {
		return_of(work, &wager, &yields, NULL, value);
		yields_free(&yields);
	}
	wager_clear(&wager);
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
	status = work_init(&work, game, mode, EXACT_RETURN);
	if (status != EXACT_OK)
		return status;
	return_init(&value);
	status = bet_return(&work, lines, coins, &value);
	if (status == EXACT_OK)
		mpq_set(rtp_r, value.rtp);
	return_clear(&value);
	work_free(&work);
	return status;
}

/* ---- the published band, at every bet ---- */

static bool is_in_band(const struct published_rtp *published, const mpq_t rtp)
{
	mpq_t edge;
	bool inside;

	mpq_init(edge);
	mpq_set_u64(edge, published->from_ppm, 1000000);
	inside = mpq_cmp(rtp, edge) >= 0;
	mpq_set_u64(edge, published->below_ppm, 1000000);
	inside = inside && mpq_cmp(rtp, edge) < 0;
	mpq_clear(edge);
	return inside;
}

static bool is_bet_of(
	const struct game *game, enum published_bets bets, uint32_t lines, uint32_t coins)
{
	bool max = lines == game->lines_max && coins == game->coins_max;

	switch (bets) {
	case PUBLISHED_ALL_BETS:
		return true;
	case PUBLISHED_BELOW_MAX_BET:
		return !max;
	case PUBLISHED_MAX_BET:
		return max;
	}
	return false;
}

/* Do the coins a line change anything but what is the maximum bet? The progressive's seed is the
 * same for all coins a line, and the vials' odds may follow the wager. */
static bool coins_matter(const struct game *game)
{
	for (uint32_t i = 0; i < game->vial_count; i++)
		if (game->vial[i].weight_per_coin != 0 || game->vial[i].kind == VIAL_JACKPOT)
			return true;
	return game->jackpot_symbols.symbol != GAME_NO_SYMBOL &&
	       !game->jackpot_symbols.max_bet_only;
}

static enum exact_status check_bet(const struct exact_work *work,
	const struct published_rtp *published, uint32_t lines, uint32_t coins, bool *in_band)
{
	struct bet_return value;
	enum exact_status status;

	return_init(&value);
	status = bet_return(work, lines, coins, &value);
	if (status == EXACT_OK)
		*in_band = *in_band && is_in_band(published, value.rtp) &&
			   is_in_band(published, value.low) && is_in_band(published, value.high);
	return_clear(&value);
	return status;
}

static enum exact_status check_all(
	const struct exact_work *work, const struct published_rtp *published, bool *in_band)
{
	const struct game *game = work->game;
	bool all_coins = coins_matter(game);
	enum exact_status status = EXACT_OK;

	for (uint32_t lines = game->lines_min; lines <= game->lines_max; lines++)
		for (uint32_t coins = game->coins_min; coins <= game->coins_max; coins++) {
			if (!all_coins && coins != game->coins_min && coins != game->coins_max)
				continue;
			if (status != EXACT_OK || !*in_band ||
				!is_bet_of(game, published->bets, lines, coins))
				continue;
			status = check_bet(work, published, lines, coins, in_band);
		}
	return status;
}

/* ---- bets of one return ----
 *
 * Where every line is worth the same and only vials and their jackpot know the bet, the return
 * depends on y = lines x coins alone, as a + b y + c / y as long as the vials' free spins do not
 * follow y. Three different y of one return leave no b and no c: then it is that at every bet. */

static bool is_of_y_alone(const struct exact_work *work)
{
	const struct game *game = work->game;
	int64_t spins = 0;

	if (game->jackpot_symbols.symbol != GAME_NO_SYMBOL || work->sticky || work->potions ||
		game->mode[work->mode].guarantee != GUARANTEE_NONE)
		return false;
	for (uint32_t i = 0; i < game->vial_count; i++)
		if (game->vial[i].kind == VIAL_FREE_SPINS)
			spins += game->vial[i].weight_per_coin * (int64_t)game->vial[i].value;
	if (spins != 0)
		return false;
	for (uint32_t c = 0; c < SPIN_CONTEXTS; c++)
		for (uint32_t l = 1; work->spin[c] && l < game->lines_max; l++) {
			bool same;
			mpq_t first;

			mpq_init(first);
			mpq_add_scaled(first, work->spin[c]->coins[0][0], l + 1, 1);
			same = mpq_equal(first, work->spin[c]->coins[0][l]) != 0;
			mpq_clear(first);
			if (!same)
				return false;
		}
	return true;
}

/* True in *same_r when three bets have one return, which is in *rtp_r. */
static enum exact_status three_bets(const struct exact_work *work, mpq_t rtp_r, bool *same_r)
{
	const struct game *game = work->game;
	uint32_t bet[3][2] = { { game->lines_min, game->coins_min },
		{ game->lines_max, game->coins_min }, { game->lines_max, game->coins_max } };
	struct bet_return value[3];
	enum exact_status status = EXACT_OK;

	for (uint32_t i = 0; i < 3; i++)
		return_init(&value[i]);
	for (uint32_t i = 0; status == EXACT_OK && i < 3; i++)
		status = bet_return(work, bet[i][0], bet[i][1], &value[i]);
	*same_r = status == EXACT_OK && mpq_equal(value[0].rtp, value[1].rtp) != 0 &&
		  mpq_equal(value[0].rtp, value[2].rtp) != 0;
	mpq_set(rtp_r, value[2].rtp);
	for (uint32_t i = 0; i < 3; i++)
		return_clear(&value[i]);
	return status;
}

static enum exact_status check_band(
	const struct exact_work *work, const struct published_rtp *published, bool *in_band_r)
{
	const struct game *game = work->game;
	enum exact_status status = EXACT_OK;
	bool same = false;
	mpq_t rtp;

	*in_band_r = true;
	mpq_init(rtp);
	if (published->bets == PUBLISHED_ALL_BETS && game->lines_min < game->lines_max &&
		game->coins_min < game->coins_max && is_of_y_alone(work))
		status = three_bets(work, rtp, &same);
	if (status == EXACT_OK && same)
		*in_band_r = is_in_band(published, rtp);
	else if (status == EXACT_OK)
		status = check_all(work, published, in_band_r);
	mpq_clear(rtp);
	return status;
}

/* ---- figures ---- */

static uint32_t figures_of(const struct game_mode *mode)
{
	return mode->published_count > 0 ? mode->published_count : 1;
}

uint32_t exact_mode_count(const struct game *game)
{
	uint32_t count = 0;

	for (uint32_t m = 0; m < game->mode_count; m++)
		count += figures_of(&game->mode[m]);
	return count;
}

static void name_mode(
	const struct game *game, uint32_t mode, uint32_t figure, struct exact_mode *mode_r)
{
	const struct game_mode *of = &game->mode[mode];
	const char *suffix = "";

	mode_r->mode_index = mode;
	mode_r->lines = game->lines_max;
	mode_r->coins = game->coins_max;
	if (of->published_count > 0)
		mode_r->published = &of->published[figure];
	if (mode_r->published && mode_r->published->bets == PUBLISHED_MAX_BET)
		suffix = "_max";
	if (mode_r->published && mode_r->published->bets == PUBLISHED_BELOW_MAX_BET) {
		suffix = "_below_max";
		if (game->coins_max > game->coins_min)
			mode_r->coins--;
		else if (game->lines_max > game->lines_min)
			mode_r->lines--;
	}
	(void)snprintf(mode_r->mode, EXACT_NAME_MAX, "%s%s", of->id, suffix);
}

static void fill_parts(
	const struct game *game, const struct spin_yield *round, struct exact_mode *mode_r)
{
	const struct game_mode *mode = &game->mode[mode_r->mode_index];
	mpq_t part;

	mpq_init(part);
	for (uint32_t i = 0; i < SOURCES; i++) {
		if (mpq_sgn(round->win[i]) == 0)
			continue;
		mpq_set(part, round->win[i]);
		per_price(part, mode);
		exact_add_part(mode_r, source_name[i], part);
	}
	mpq_clear(part);
	for (uint32_t i = 0; i < EVENTS; i++) {
		if (mpq_sgn(round->event[i]) == 0)
			continue;
		exact_add_feature(mode_r,
			i < EVENT_AWARD ? event_name[i] : game->hold.award[i - EVENT_AWARD].id,
			round->event[i]);
	}
}

static void fill_moments(
	const struct game_mode *mode, const struct spin_yield *round, struct exact_mode *mode_r)
{
	mpq_t square;

	mpq_init(square);
	mpq_set_ui(mode_r->hit_rate, 1, 1);
	if (round->zero_count > 0)
		mpq_sub(mode_r->hit_rate, mode_r->hit_rate, round->zero[0].p);
	mpq_set(mode_r->second_moment, round->win2);
	per_price(mode_r->second_moment, mode);
	per_price(mode_r->second_moment, mode);
	mpq_mul(square, mode_r->rtp, mode_r->rtp);
	mpq_sub(mode_r->variance, mode_r->second_moment, square);
	mpq_clear(square);
}

static void mode_init(struct exact_mode *mode)
{
	memset(mode, 0, sizeof(*mode));
	mpq_inits(mode->rtp, mode->hit_rate, mode->second_moment, mode->variance, mode->max_win,
		mode->max_win_probability, NULL);
}

static enum exact_status figure(const struct exact_work *work, struct exact_mode *mode_r)
{
	const struct game *game = work->game;
	struct exact_wager wager;
	struct round_yields yields;
	struct bet_return value;
	enum exact_status status;

	wager_init(&wager, game, mode_r->lines, mode_r->coins);
	status = yields_of(work, &wager, &yields);
	if (status != EXACT_OK) {
		wager_clear(&wager);
		return status;
	}
	return_init(&value);
	return_of(work, &wager, &yields, mode_r, &value);
	mpq_set(mode_r->rtp, value.rtp);
	fill_parts(game, &yields.round, mode_r);
	if (work->depth == EXACT_ALL) {
		const struct game_mode *mode = &game->mode[work->mode];

		fill_moments(mode, &yields.round, mode_r);
		status = exact_fill_wins(work, &wager, mode_r);
		per_price(mode_r->max_win, mode);
	}
	return_clear(&value);
	yields_free(&yields);
	wager_clear(&wager);
	return status;
}

/* The band is looked at with the means alone, which the deeper figures do not keep. */
static enum exact_status figure_band(
	const struct game *game, const struct exact_work *work, struct exact_mode *mode_r)
{
	struct exact_work means;
	enum exact_status status;

	mode_r->in_band = true;
	if (mode_r->published == NULL)
		return EXACT_OK;
	if (work->depth == EXACT_RETURN)
		return check_band(work, mode_r->published, &mode_r->in_band);
	status = work_init(&means, game, work->mode, EXACT_RETURN);
	if (status == EXACT_OK) {
		status = check_band(&means, mode_r->published, &mode_r->in_band);
		work_free(&means);
	}
	return status;
}

enum exact_status exact_mode(
	const struct game *game, uint32_t index, enum exact_depth depth, struct exact_mode *mode_r)
{
	struct exact_work work;
	enum exact_status status;
	uint32_t mode = 0;

	mode_init(mode_r);
	while (mode < game->mode_count && index >= figures_of(&game->mode[mode]))
		index -= figures_of(&game->mode[mode++]);
	status = mode < game->mode_count ? work_init(&work, game, mode, depth) : EXACT_NO_MODE;
	if (status == EXACT_OK) {
		name_mode(game, mode, index, mode_r);
		status = figure(&work, mode_r);
		if (status == EXACT_OK)
			status = figure_band(game, &work, mode_r);
		work_free(&work);
	}
	if (status != EXACT_OK)
		exact_mode_free(mode_r);
	return status;
}

void exact_mode_free(struct exact_mode *mode)
{
	for (uint32_t i = 0; i < mode->part_count; i++)
		mpq_clear(mode->part[i].rtp);
	for (uint32_t i = 0; i < mode->feature_count; i++)
		mpq_clear(mode->feature[i].frequency);
	for (uint32_t i = 0; i < mode->state_count; i++)
		mpq_clear(mode->state[i].rtp);
	for (uint32_t i = 0; i < mode->win_count; i++)
		mpq_clears(mode->win[i].x, mode->win[i].probability, NULL);
	free(mode->win);
	mode->win = NULL;
	mode->part_count = mode->feature_count = mode->state_count = mode->win_count = 0;
	mpq_clears(mode->rtp, mode->hit_rate, mode->second_moment, mode->variance, mode->max_win,
		mode->max_win_probability, NULL);
}
