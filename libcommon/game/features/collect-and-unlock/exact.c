/* Collect and unlock: the returns of features, explosions and carried states.
 *
 * Each respin feature is a spin of its own, so its mean is a number. An explosion plays on the
 * window whose collectibles started it. Given the collectible on each reel, the reels are
 * independent, so its mean is a number for each spin of the chain. Both are then weighted with the
 * carried state (exact_chain.c): in the long run for the return of a level, or from one state. */
#include "libcommon/game/features/collect-and-unlock/exact_parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct unlock_step *unlock_step(const struct unlock_rules *rules, enum unlock_kind kind)
{
	for (uint32_t i = 0; i < rules->step_count; i++)
		if (rules->step[i].kind == kind)
			return &rules->step[i];
	return NULL;
}

enum win_source unlock_source(enum unlock_kind kind)
{
	static const enum win_source source[UNLOCK_KINDS] = { SOURCE_HIGH_SYMBOLS,
		SOURCE_RANDOM_WILDS, SOURCE_MULTIPLIER, SOURCE_MEGA_WILD };

	return source[kind];
}

enum game_event unlock_event(enum unlock_kind kind)
{
	static const enum game_event event[UNLOCK_KINDS] = { EVENT_HIGH_SYMBOLS, EVENT_RANDOM_WILDS,
		EVENT_MULTIPLIER, EVENT_MEGA_WILD };

	return event[kind];
}

/* ---- means of the features ---- */

static void plain_reels(
	const struct game *game, uint32_t set, uint32_t lines, struct lines_input *input)
{
	*input = (struct lines_input){ .game = game, .lines = lines, .terms = line_terms_plain() };
	for (uint32_t r = 0; r < game->reels; r++)
		cell_weights_strip(game, set, r, 0, &input->reel[r]);
}

static void choices_mean(const struct choices *choices, mpq_t mean_r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < choices->count; i++)
		sum += (uint64_t)choices->of[i].x * choices->of[i].weight;
	mpq_set_u64(mean_r, sum, choices->weight);
}

/* RULE witch-feature 4.8, 4.9: a mixture over the places. */
static void mega_mean(const struct game *game, const struct lines_input *plain, mpq_t mean_r)
{
	const struct unlock_rules *rules = &game->unlock;
	uint32_t column = (UINT32_C(1) << game->rows) - 1;
	struct lines_input input;
	mpq_t coins;

	mpq_init(coins);
	for (uint32_t i = 0; i < rules->mega_count; i++) {
		input = *plain;
		for (uint32_t r = 0; r < game->reels; r++)
			unlock_force(game, rules->mega[i].cells >> (r * game->rows) & column,
				game->wild, &input.reel[r]);
		lines_expected(&input, coins, NULL);
		mpq_add_scaled(mean_r, coins, rules->mega[i].weight, rules->mega_weight);
	}
	mpq_clear(coins);
}

/* One feature alone, in coins for one coin a line. */
static void feature_mean(const struct game *game, const struct unlock_step *step, uint32_t lines,
	struct unlock_figures *figures)
{
	struct lines_input input;
	mpq_t *mean = &figures->value[step->kind];
	mpq_t wins;

	plain_reels(game, step->strips, lines, &input);
	switch (step->kind) {
	case UNLOCK_HIGH_SYMBOLS:
		lines_expected(&input, *mean, NULL);
		break;
	case UNLOCK_RANDOM_WILDS:
		for (uint32_t r = 0; r < game->reels; r++)
			unlock_cover(game, &game->unlock.wilds[r], game->wild, GAME_NO_SYMBOL,
				&input.reel[r]);
		lines_expected(&input, *mean, NULL);
		break;
	case UNLOCK_MULTIPLIER: /* RULE witch-feature 4.6: the last respin is one that wins */
		mpq_init(wins);
		unlock_no_win(game, step->strips, lines, figures->dry);
		mpq_set_ui(wins, 1, 1);
		mpq_sub(wins, wins, figures->dry);
		lines_expected(&input, *mean, NULL);
		assert(mpq_sgn(wins) > 0 || mpq_sgn(*mean) == 0);
		if (mpq_sgn(wins) > 0)
			mpq_div(*mean, *mean, wins);
		mpq_mul(*mean, *mean, figures->multiplier);
		mpq_clear(wins);
		break;
	case UNLOCK_MEGA_WILD:
		mega_mean(game, &input, *mean);
		break;
	}
}

/* ---- means of explosions ---- */

static bool explodes_ever(const struct unlock_rules *rules)
{
	bool ever = rules->explosion.in > 0;

	for (uint32_t k = 0; k < UNLOCK_KINDS; k++)
		ever |= rules->explosion_locked[k].in > 0;
	return ever;
}

struct marked_reels { /* [symbol revealed][reel][colour + 1] */
	struct cell_weights cells[GAME_REELS_MAX][GAME_COLOURS + 1];
};

static void marked_init(
	struct marked_reels *marked, const struct game *game, uint32_t set, uint8_t symbol)
{
	for (uint32_t r = 0; r < game->reels; r++)
		for (uint32_t c = 0; c <= GAME_COLOURS; c++) {
			unlock_cells(game, set, r, c, &marked->cells[r][c]);
			unlock_cover(game, &game->unlock.marks[r], symbol,
				game->free_spins.award_symbol, &marked->cells[r][c]);
		}
}

/* E[win of the explosion; these collectibles], RULE witch-feature 5.2 to 5.6. */
static void explosion_means(
	const struct exact_work *work, struct unlock_figures *figures, uint32_t lines)
{
	const struct game *game = work->game;
	const struct unlock_chain *chain = &unlock_of(work)->chain;
	const struct choices *revealed = &game->unlock.revealed;
	uint32_t set = game->mode[work->mode].strips;
	struct marked_reels *marked = unlock_take(sizeof(*marked));
	struct lines_input input = { .game = game, .lines = lines, .terms = line_terms_plain() };
	mpz_t coins, scale;

	mpz_inits(coins, scale, NULL);
	mpz_set_ui(scale, revealed->weight);
	mpz_mul_ui(scale, scale, lines);
	for (uint32_t r = 0; r < game->reels; r++) {
		mpz_mul_ui(scale, scale, game->strips[set].reel[r].weight);
		mpz_mul_ui(scale, scale, unlock_cover_scale(game, &game->unlock.marks[r]));
	}
	for (uint32_t v = 0; v < revealed->count; v++) {
		marked_init(marked, game, set, (uint8_t)revealed->of[v].x);
		for (uint32_t i = 0; i < chain->spin_count; i++) {
			for (uint32_t r = 0; r < game->reels; r++)
				input.reel[r] = marked->cells[r][chain->spin[i].colour[r]];
			lines_sum(&input, coins, NULL);
			mpz_addmul_ui(
				mpq_numref(figures->exploded[i]), coins, revealed->of[v].weight);
		}
	}
	for (uint32_t i = 0; i < chain->spin_count; i++) {
		mpz_set(mpq_denref(figures->exploded[i]), scale);
		mpq_canonicalize(figures->exploded[i]);
	}
	mpz_clears(coins, scale, NULL);
	unlock_give(marked, sizeof(*marked));
}

static struct unlock_figures *figures_new(const struct exact_work *work, uint32_t lines)
{
	const struct game *game = work->game;
	const struct unlock_rules *rules = &game->unlock;
	struct unlock_figures *figures = unlock_take(sizeof(*figures));
	uint32_t spins = unlock_of(work)->chain.spin_count;

	figures->has_squares = figures->has_quiet = false;
	mpq_inits(figures->multiplier, figures->dry, NULL);
	if (rules->multiplier.weight > 0)
		choices_mean(&rules->multiplier, figures->multiplier);
	for (uint32_t k = 0; k < UNLOCK_KINDS; k++) {
		const struct unlock_step *step = unlock_step(rules, (enum unlock_kind)k);

		mpq_inits(figures->value[k], figures->square[k], figures->quiet[k], NULL);
		if (!step)
			continue;
		feature_mean(game, step, lines, figures);
		mpz_mul_ui(mpq_denref(figures->value[k]), mpq_denref(figures->value[k]), lines);
		mpq_canonicalize(figures->value[k]);
	}
	figures->exploded = unlock_take(spins * sizeof(*figures->exploded));
	for (uint32_t i = 0; i < spins; i++)
		mpq_init(figures->exploded[i]);
	if (explodes_ever(rules))
		explosion_means(work, figures, lines);
	return figures;
}

static void figures_free(struct unlock_figures *figures, uint32_t spins)
{
	mpq_clears(figures->multiplier, figures->dry, NULL);
	for (uint32_t k = 0; k < UNLOCK_KINDS; k++)
		mpq_clears(figures->value[k], figures->square[k], figures->quiet[k], NULL);
	for (uint32_t i = 0; i < spins; i++)
		mpq_clear(figures->exploded[i]);
	unlock_give(figures->exploded, spins * sizeof(*figures->exploded));
	unlock_give(figures, sizeof(*figures));
}

const struct unlock_figures *unlock_figures(const struct exact_work *work, uint32_t lines)
{
	struct unlock_figures **slot = &unlock_of(work)->figures[lines - 1];

	if (!*slot)
		*slot = figures_new(work, lines);
	return *slot;
}

/* ---- the interface ---- */

struct unlock_work *unlock_of(const struct exact_work *work)
{
	return work->own[FEATURE_collect_and_unlock];
}

static enum exact_status prepare(struct exact_work *work)
{
	const struct game *game = work->game;
	const struct game_mode *mode = &game->mode[work->mode];
	struct unlock_work *collectibles = calloc(1, sizeof(*collectibles));

	assert(mode->position_count == 0 && mode->guarantee == GUARANTEE_NONE);
	if (!collectibles)
		return EXACT_NO_MEMORY;
	collectibles->lines_max = game->lines_max;
	collectibles->figures = calloc(game->lines_max, sizeof(struct unlock_figures *));
	if (!collectibles->figures) {
		free(collectibles);
		return EXACT_NO_MEMORY;
	}
	unlock_chain_init(&collectibles->chain, game, mode->strips);
	work->own[FEATURE_collect_and_unlock] = collectibles;
	return EXACT_OK;
}

static void release(struct exact_work *work)
{
	struct unlock_work *collectibles = unlock_of(work);

	for (uint32_t i = 0; i < collectibles->lines_max; i++)
		if (collectibles->figures[i])
			figures_free(collectibles->figures[i], collectibles->chain.spin_count);
	free(collectibles->figures);
	unlock_chain_free(&collectibles->chain);
	free(collectibles);
}

/* Adds, with weight `share`, the features' wins in a round that starts from a state at a level. */
static void add_state(const struct exact_work *work, const struct unlock_figures *figures,
	uint32_t level, uint32_t state, const mpq_t share, struct spin_yield *sum)
{
	const struct unlock_rules *rules = &work->game->unlock;
	const struct unlock_chain *chain = &unlock_of(work)->chain;
	mpq_t p, x;

	mpq_inits(p, x, NULL);
	for (uint32_t i = 0; i < chain->spin_count; i++) {
		const struct unlock_spin *spin = &chain->spin[i];
		struct odds odds;
		int kind;

		if (spin->combination[state] == UNLOCK_NONE)
			continue;
		kind = unlock_outcome(rules, level, spin->combination[state], &odds);
		mpq_mul(p, share, spin->p);
		if (kind >= 0) {
			enum win_source source = unlock_source((enum unlock_kind)kind);
			enum game_event event = unlock_event((enum unlock_kind)kind);

			mpq_mul(x, p, figures->value[kind]);
			mpq_add(sum->win[source], sum->win[source], x);
			mpq_add(sum->event[event], sum->event[event], p);
		} else if (odds.in > 0) {
			mpq_mul(x, share, figures->exploded[i]);
			mpq_add_scaled(sum->win[SOURCE_EXPLOSION], x, odds.in, odds.of);
			mpq_add_scaled(sum->event[EVENT_EXPLOSION], p, odds.in, odds.of);
		}
	}
	mpq_clears(p, x, NULL);
}

struct unlock_free_set unlock_free_set(const struct unlock_rules *rules, uint32_t index)
{
	const struct choices *sets = &rules->free_set;
	uint32_t kinds = sets->of[index].x, multiplier = UINT32_C(1) << UNLOCK_MULTIPLIER;
	uint32_t other = kinds & ~multiplier;
	struct unlock_free_set set = { .kinds = kinds,
		.kind = other ? (enum unlock_kind)__builtin_ctz(other) : UNLOCK_MULTIPLIER,
		.multiplied = other && (kinds & multiplier) };

	mpq_init(set.p);
	mpz_set_ui(mpq_numref(set.p), sets->of[index].weight);
	mpz_mul_ui(mpq_numref(set.p), mpq_numref(set.p), rules->free_feature.in);
	mpz_set_ui(mpq_denref(set.p), sets->weight);
	mpz_mul_ui(mpq_denref(set.p), mpq_denref(set.p), rules->free_feature.of);
	mpq_canonicalize(set.p);
	return set;
}

static void add_free_features(const struct exact_work *work, const struct unlock_figures *figures,
	struct spin_yield *yield)
{
	const struct unlock_rules *rules = &work->game->unlock;
	mpq_t x;

	mpq_init(x);
	for (uint32_t i = 0; i < rules->free_set.count; i++) {
		struct unlock_free_set set = unlock_free_set(rules, i);
		enum win_source source = unlock_source(set.kind);

		mpq_mul(x, set.p, figures->value[set.kind]);
		if (set.multiplied)
			mpq_mul(x, x, figures->multiplier);
		mpq_add(yield->win[source], yield->win[source], x);
		for (uint32_t k = 0; k < UNLOCK_KINDS; k++) {
			enum game_event event = unlock_event((enum unlock_kind)k);

			if (set.kinds >> k & 1)
				mpq_add(yield->event[event], yield->event[event], set.p);
		}
		mpq_clear(set.p);
	}
	mpq_clear(x);
}

static void add_yield(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield)
{
	const struct unlock_figures *figures = unlock_figures(work, wager->lines);
	uint32_t level = work->game->unlock.step_count - 1;

	if (yield->depth == EXACT_ALL) {
		unlock_moments(work, wager, context, yield);
		unlock_zero(work, wager, context, yield);
	}
	if (context == CONTEXT_FREE) {
		add_free_features(work, figures, yield);
		return;
	}
	for (uint32_t state = 0; state < UNLOCK_STATES; state++)
		add_state(
			work, figures, level, state, unlock_of(work)->chain.carried[state], yield);
}

static void add_level_state(
	struct exact_mode *mode, uint32_t level, uint32_t state, const mpq_t rtp)
{
	static const char *const colour[GAME_COLOURS] = { "red", "blue", "green" };
	char name[EXACT_NAME_MAX];
	uint8_t held[GAME_COLOURS];
	int used = snprintf(name, sizeof(name), "level %u,", level + 1);

	unlock_state_colours(state, held);
	for (uint32_t c = 0; c < GAME_COLOURS; c++)
		for (uint32_t i = 0; i < held[c]; i++)
			used += snprintf(
				name + used, sizeof(name) - (size_t)used, " %s", colour[c]);
	if (state == 0)
		snprintf(name + used, sizeof(name) - (size_t)used, " nothing");
	exact_add_state(mode, name, rtp);
}

/* The round without the features of the paid spin. */
static void without_features(const struct round_yields *yields, mpq_t rest_r)
{
	mpq_set(rest_r, yields->total);
	for (uint32_t i = SOURCE_HIGH_SYMBOLS; i <= SOURCE_EXPLOSION; i++)
		mpq_sub(rest_r, rest_r, yields->paid.win[i]);
}

static void levels(const struct exact_work *work, const struct exact_wager *wager,
	const struct round_yields *yields, struct exact_mode *mode_r, mpq_t low_r, mpq_t high_r)
{
	const struct unlock_figures *figures = unlock_figures(work, wager->lines);
	const struct unlock_chain *chain = &unlock_of(work)->chain;
	bool early = yields->paid.depth == EXACT_ALL;
	mpq_t of_state[GAME_UNLOCK_STEPS_MAX * UNLOCK_STATES];
	mpq_t one, rtp, share, rest;
	char name[EXACT_NAME_MAX];

	for (uint32_t i = 0; i < GAME_UNLOCK_STEPS_MAX * UNLOCK_STATES; i++)
		mpq_init(of_state[i]);
	mpq_inits(one, rtp, share, rest, NULL);
	without_features(yields, rest);
	mpq_set_ui(one, 1, 1);
	for (uint32_t level = 0; level < work->game->unlock.step_count; level++) {
		mpq_set_ui(rtp, 0, 1);
		for (uint32_t state = 0; state < UNLOCK_STATES; state++) {
			struct spin_yield yield;

			/* never carried in the long run */
			if (mpq_sgn(chain->carried[state]) == 0 && !early)
				continue;
			yield_init(&yield, EXACT_RETURN);
			add_state(work, figures, level, state, one, &yield);
			yield_total(&yield, share);
			yield_free(&yield);
			mpq_add(share, share, rest);
			mpq_set(of_state[level * UNLOCK_STATES + state], share);
			if (mpq_sgn(chain->carried[state]) == 0)
				continue;
			add_level_state(mode_r, level, state, share);
			mpq_mul(share, share, chain->carried[state]);
			mpq_add(rtp, rtp, share);
		}
		snprintf(name, sizeof(name), "level %u", level + 1);
		exact_add_state(mode_r, name, rtp);
		if (level == 0 || mpq_cmp(rtp, low_r) < 0)
			mpq_set(low_r, rtp);
		if (level == 0 || mpq_cmp(rtp, high_r) > 0)
			mpq_set(high_r, rtp);
	}
	if (early)
		unlock_early(&work->game->unlock, chain, of_state, mode_r);
	for (uint32_t i = 0; i < GAME_UNLOCK_STEPS_MAX * UNLOCK_STATES; i++)
		mpq_clear(of_state[i]);
	mpq_clears(one, rtp, share, rest, NULL);
}

static void offer_most(const struct exact_work *work, const struct exact_wager *wager,
	bool free_spins, struct exact_mode *mode_r)
{
	(void)free_spins;
	unlock_offer_most(work, wager, mode_r);
}

const struct feature_exact collect_and_unlock_exact = { .prepare = prepare,
	.free = release,
	.yield = add_yield,
	.levels = levels,
	.offer_most = offer_most };
