/* Computes the figures of a mode. */
#include "libcommon/game/exact.h"

#include "libcommon/game/bets.h"
#include "libcommon/game/exact/wins.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

uint64_t exact_max_coins(const struct exact_mode *mode, uint32_t lines)
{
	uint64_t coins;
	mpz_t z;

	mpz_init(z);
	mpz_mul_ui(z, mpq_numref(mode->max_win), lines);
	mpz_fdiv_q(z, z, mpq_denref(mode->max_win));
	assert(mpz_fits_ulong_p(z));
	coins = mpz_get_ui(z);
	mpz_clear(z);
	return coins;
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
		exact_per_price(part, mode);
		exact_add_part(mode_r, source_text((enum win_source)i), part);
	}
	mpq_clear(part);
	for (uint32_t i = 0; i < EVENTS; i++) {
		if (mpq_sgn(round->event[i]) == 0)
			continue;
		exact_add_feature(mode_r, event_text(game, i), round->event[i]);
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
	exact_per_price(mode_r->second_moment, mode);
	exact_per_price(mode_r->second_moment, mode);
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

	exact_wager_init(&wager, game, mode_r->lines, mode_r->coins);
	status = round_yields_of(work, &wager, &yields);
	if (status != EXACT_OK) {
		exact_wager_clear(&wager);
		return status;
	}
	bet_return_init(&value);
	bet_return_from(work, &wager, &yields, mode_r, &value);
	mpq_set(mode_r->rtp, value.rtp);
	fill_parts(game, &yields.round, mode_r);
	if (work->depth == EXACT_ALL) {
		const struct game_mode *mode = &game->mode[work->mode];

		fill_moments(mode, &yields.round, mode_r);
		status = exact_fill_wins(work, &wager, mpq_sgn(yields.paid.awards) > 0, mode_r);
		exact_per_price(mode_r->max_win, mode);
	}
	bet_return_clear(&value);
	round_yields_free(&yields);
	exact_wager_clear(&wager);
	return status;
}

/* ---- a mode's figures share its work ---- */

struct exact_analysis {
	const struct game *game;
	enum exact_depth depth;
	bool has_work, has_means; /* of this mode */
	uint32_t mode;
	struct exact_work work;
	struct exact_work means; /* EXACT_RETURN, if `work` is deeper */
};

static void forget_mode(struct exact_analysis *analysis)
{
	if (analysis->has_work)
		exact_work_free(&analysis->work);
	if (analysis->has_means)
		exact_work_free(&analysis->means);
	analysis->has_work = analysis->has_means = false;
}

static enum exact_status enter_mode(struct exact_analysis *analysis, uint32_t mode)
{
	enum exact_status status;

	if (analysis->has_work && analysis->mode == mode)
		return EXACT_OK;
	forget_mode(analysis);
	analysis->mode = mode;
	status = exact_work_init(&analysis->work, analysis->game, mode, analysis->depth);
	analysis->has_work = status == EXACT_OK;
	return status;
}

/* The check of the band needs only means, which the deeper figures do not keep. */
static enum exact_status figure_band(struct exact_analysis *analysis, struct exact_mode *mode_r)
{
	enum exact_status status = EXACT_OK;

	mode_r->in_band = true;
	if (mode_r->published == NULL)
		return EXACT_OK;
	if (analysis->depth == EXACT_RETURN)
		return exact_check_band(&analysis->work, mode_r->published, &mode_r->in_band);
	if (!analysis->has_means) {
		status = exact_work_init(
			&analysis->means, analysis->game, analysis->mode, EXACT_RETURN);
		analysis->has_means = status == EXACT_OK;
	}
	if (status == EXACT_OK)
		status = exact_check_band(&analysis->means, mode_r->published, &mode_r->in_band);
	return status;
}

struct exact_analysis *exact_open(const struct game *game, enum exact_depth depth)
{
	struct exact_analysis *analysis = calloc(1, sizeof(*analysis));

	if (analysis) {
		analysis->game = game;
		analysis->depth = depth;
	}
	return analysis;
}

void exact_close(struct exact_analysis **analysis)
{
	if (*analysis)
		forget_mode(*analysis);
	free(*analysis);
	*analysis = NULL;
}

enum exact_status exact_figure(
	struct exact_analysis *analysis, uint32_t index, struct exact_mode *mode_r)
{
	const struct game *game = analysis->game;
	enum exact_status status = EXACT_NO_MODE;
	uint32_t mode = 0;

	mode_init(mode_r);
	while (mode < game->mode_count && index >= figures_of(&game->mode[mode]))
		index -= figures_of(&game->mode[mode++]);
	if (mode < game->mode_count) {
		name_mode(game, mode, index, mode_r);
		if (game_mode_simulated(&game->mode[mode]))
			return EXACT_SIMULATED;
		status = enter_mode(analysis, mode);
	}
	if (status == EXACT_OK)
		status = figure(&analysis->work, mode_r);
	if (status == EXACT_OK)
		status = figure_band(analysis, mode_r);
	if (status != EXACT_OK)
		exact_mode_free(mode_r);
	return status;
}

enum exact_status exact_mode(
	const struct game *game, uint32_t index, enum exact_depth depth, struct exact_mode *mode_r)
{
	struct exact_analysis *analysis = exact_open(game, depth);
	enum exact_status status;

	if (analysis == NULL) {
		mode_init(mode_r);
		exact_mode_free(mode_r);
		return EXACT_NO_MEMORY;
	}
	status = exact_figure(analysis, index, mode_r);
	exact_close(&analysis);
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
