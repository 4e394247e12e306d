/* Second moments of a spin with the features that its collectibles start.
 *
 * A respin feature depends on the window that started it only through the collectibles. An
 * explosion plays on the same window, so its win and the window's own win are multiplied line by
 * line over all windows, weighted with the probability that their collectibles explode. */
#include "libcommon/game/features/collect-and-unlock/exact_windows.h"

#include <assert.h>
#include <string.h>

/* ---- second moments of the features by themselves ---- */

static void square_mean(const struct choices *choices, mpq_t mean_r)
{
	mpz_set_ui(mpq_numref(mean_r), 0);
	for (uint32_t i = 0; i < choices->count; i++) {
		uint64_t x = choices->of[i].x;

		mpz_set_ui(mpq_denref(mean_r), x * x);
		mpz_addmul_ui(mpq_numref(mean_r), mpq_denref(mean_r), choices->of[i].weight);
	}
	mpz_set_ui(mpq_denref(mean_r), choices->weight);
	mpq_canonicalize(mean_r);
}

/* E[win^2] of one respin, in coins. */
static void respin_square(
	const struct game *game, const struct unlock_step *step, uint32_t lines, mpq_t square_r)
{
	struct unlock_view view = { .kind = VIEW_WINDOW, .lines = lines };
	struct unlock_pair pair = { .game = game, .set = step->strips, .a = &view, .b = &view };
	const struct unlock_place nowhere = { .weight = 1 };

	if (step->kind == UNLOCK_RANDOM_WILDS) {
		view.kind = VIEW_COVERED;
		view.symbol = game->wild;
		view.kept = GAME_NO_SYMBOL;
		pair.counts = game->unlock.wilds;
	}
	unlock_view_open(&view, game, step->strips);
	unlock_product_places(&pair, &nowhere, 1, square_r);
	unlock_view_close(&view);
}

static void mega_square(
	const struct game *game, const struct unlock_step *step, uint32_t lines, mpq_t square_r)
{
	const struct unlock_rules *rules = &game->unlock;
	struct unlock_view view = { .kind = VIEW_WINDOW, .wild = true, .lines = lines };
	struct unlock_pair pair = { .game = game, .set = step->strips, .a = &view, .b = &view };
	struct unlock_place place[GAME_CHOICES_MAX];

	for (uint32_t i = 0; i < rules->mega_count; i++) {
		place[i].weight = rules->mega[i].weight;
		for (uint32_t r = 0; r < game->reels; r++)
			place[i].rows[r] = rules->mega[i].cells >> (r * game->rows) &
					   ((UINT32_C(1) << game->rows) - 1);
	}
	unlock_view_open(&view, game, step->strips);
	unlock_product_places(&pair, place, rules->mega_count, square_r);
	unlock_view_close(&view);
}

/* In total bets. */
static void feature_square(const struct game *game, const struct unlock_step *step, uint32_t lines,
	const mpq_t dry, mpq_t square_r)
{
	mpq_t x;

	mpq_init(x);
	switch (step->kind) {
	case UNLOCK_HIGH_SYMBOLS:
	case UNLOCK_RANDOM_WILDS:
		respin_square(game, step, lines, square_r);
		break;
	case UNLOCK_MULTIPLIER: /* RULE witch-feature 4.6, 4.7: of a respin that wins */
		respin_square(game, step, lines, square_r);
		mpq_set_ui(x, 1, 1);
		mpq_sub(x, x, dry);
		if (mpq_sgn(x) > 0)
			mpq_div(square_r, square_r, x);
		square_mean(&game->unlock.multiplier, x);
		mpq_mul(square_r, square_r, x);
		break;
	case UNLOCK_MEGA_WILD:
		mega_square(game, step, lines, square_r);
		break;
	}
	mpz_mul_ui(mpq_denref(square_r), mpq_denref(square_r), (uint64_t)lines * lines);
	mpq_canonicalize(square_r);
	mpq_clear(x);
}

const mpq_t *unlock_squares(const struct exact_work *work, uint32_t lines)
{
	const struct unlock_rules *rules = &work->game->unlock;
	struct unlock_figures *figures = unlock_of(work)->figures[lines - 1];

	assert(figures != NULL);
	if (figures->has_squares)
		return (const mpq_t *)figures->square;
	for (uint32_t k = 0; k < UNLOCK_KINDS; k++) {
		const struct unlock_step *step = unlock_step(rules, (enum unlock_kind)k);

		if (step)
			feature_square(work->game, step, lines, figures->dry, figures->square[k]);
	}
	figures->has_squares = true;
	return (const mpq_t *)figures->square;
}

/* ---- what the potions of a spin start ---- */

void unlock_start_weights(const struct exact_work *work, int kind, mpq_t *weight_r)
{
	const struct unlock_rules *rules = &work->game->unlock;
	const struct unlock_chain *chain = &unlock_of(work)->chain;

	for (uint32_t i = 0; i < chain->spin_count; i++) {
		mpq_set_ui(weight_r[i], 0, 1);
		for (uint32_t state = 0; state < UNLOCK_STATES; state++) {
			uint8_t combination = chain->spin[i].combination[state];
			struct odds odds;

			if (combination == UNLOCK_NONE ||
				unlock_outcome(rules, rules->step_count - 1, combination, &odds) !=
					kind)
				continue;
			if (kind >= 0)
				mpq_add(weight_r[i], weight_r[i], chain->carried[state]);
			else
				mpq_add_scaled(
					weight_r[i], chain->carried[state], odds.in, odds.of);
		}
	}
}

struct moments_work {
	const struct exact_work *work;
	const struct game *game;
	uint32_t lines, set;
	mpq_t *weight; /* of each spin of the chain */
	struct spin_yield *yield;
	struct unlock_view window, pays, awards;
};

/* sum += times x / lines^power */
static void add_coins(mpq_t sum, const mpq_t x, uint32_t lines, uint32_t power, uint64_t times)
{
	mpq_add_scaled(sum, x, times,
		power == 0   ? 1
		: power == 1 ? lines
			     : (uint64_t)lines * lines);
}

static void product(const struct moments_work *moments, const struct unlock_view *a,
	const struct unlock_view *b, const struct choices *counts, struct unlock_product *product_r)
{
	struct unlock_pair pair = {
		.game = moments->game, .set = moments->set, .counts = counts, .a = a, .b = b
	};

	unlock_product_by_spin(&pair, &unlock_of(moments->work)->chain, moments->weight, product_r);
}

/* E[a; w] and E[b; w] alone */
static void means(const struct moments_work *moments, const struct unlock_view *a,
	const struct unlock_view *b, struct unlock_product *product_r)
{
	struct unlock_pair pair = {
		.game = moments->game, .set = moments->set, .a = a, .b = b, .means_only = true
	};

	unlock_product_by_spin(&pair, &unlock_of(moments->work)->chain, moments->weight, product_r);
}

/* A respin feature F, started by collectibles: 2 E[W F] + E[F^2], E[F A]. */
static void add_feature(const struct moments_work *moments, const mpq_t value, const mpq_t square)
{
	struct spin_yield *yield = moments->yield;
	const struct unlock_chain *chain = &unlock_of(moments->work)->chain;
	struct unlock_product found;
	mpq_t x;

	mpq_init(x);
	unlock_product_init(&found);
	means(moments, &moments->window, &moments->awards, &found);
	mpq_mul(x, found.a, value);
	add_coins(yield->win2, x, moments->lines, 1, 2);
	mpq_mul(x, found.b, value);
	mpq_add(yield->win_awards, yield->win_awards, x);
	if (!moments->pays.nothing) {
		means(moments, &moments->pays, &moments->awards, &found);
		mpq_mul(x, found.a, value);
		add_coins(yield->win2, x, moments->lines, 1, 2);
	}
	for (uint32_t i = 0; i < chain->spin_count; i++) {
		mpq_mul(x, moments->weight[i], chain->spin[i].p);
		mpq_mul(x, x, square);
		mpq_add(yield->win2, yield->win2, x);
	}
	unlock_product_clear(&found);
	mpq_clear(x);
}

/* The explosion's windows: marked cells show `symbol`. */
static struct unlock_view marked_view(const struct moments_work *moments, uint8_t symbol)
{
	return (struct unlock_view){ .kind = VIEW_COVERED,
		.symbol = symbol,
		.kept = moments->game->free_spins.award_symbol,
		.lines = moments->lines };
}

/* times E[a b] of windows with marks, with probability share. */
static void add_product(const struct moments_work *moments, const struct unlock_view *a,
	const struct unlock_view *b, uint64_t times, const mpq_t share)
{
	struct unlock_product found;

	unlock_product_init(&found);
	product(moments, a, b, moments->game->unlock.marks, &found);
	mpq_mul(found.both, found.both, share);
	if (b->awards)
		add_coins(moments->yield->win_awards, found.both, moments->lines, 1, times);
	else
		add_coins(moments->yield->win2, found.both, moments->lines, 2, times);
	unlock_product_clear(&found);
}

/* A part X of what the explosion wins, with probability share: 2 E[W X] + E[X^2], E[X A]. */
static void add_part(
	const struct moments_work *moments, const struct unlock_view *part, const mpq_t share)
{
	add_product(moments, part, part, 1, share);
	add_product(moments, &moments->window, part, 2, share);
	if (!moments->pays.nothing)
		add_product(moments, part, &moments->pays, 2, share);
	add_product(moments, part, &moments->awards, 1, share);
}

/* A revealed line symbol adds to the win of the marked windows in which marks pay nothing (`blank`,
 * the same for all symbols). The increase consists of lines of that symbol only. Windows show no
 * collectibles, because these have been removed, so a collectible stands for a mark. */
static void add_extra(const struct moments_work *moments, const struct unlock_view *blank,
	uint8_t symbol, const mpq_t share)
{
	struct unlock_view extra = marked_view(moments, blank->symbol);

	extra.extra = true;
	extra.revealed = symbol;
	unlock_view_open(&extra, moments->game, moments->set);
	add_part(moments, &extra, share);
	add_product(moments, blank, &extra, 2, share);
	unlock_view_close(&extra);
}

static void add_explosions(const struct moments_work *moments)
{
	const struct game *game = moments->game;
	const struct choices *revealed = &game->unlock.revealed;
	struct unlock_view blank = marked_view(moments, game->unlock.symbol[0]);
	mpq_t share, lines;

	mpq_inits(share, lines, NULL);
	unlock_view_open(&blank, game, moments->set);
	for (uint32_t i = 0; i < revealed->count; i++) {
		uint8_t symbol = (uint8_t)revealed->of[i].x;

		mpq_set_u64(share, revealed->of[i].weight, revealed->weight);
		if (game->symbol[symbol].kind == SYMBOL_LINE) {
			add_extra(moments, &blank, symbol, share);
			mpq_add(lines, lines, share);
		} else { /* a wild adds to lines of every symbol */
			struct unlock_view marked = marked_view(moments, symbol);

			unlock_view_open(&marked, game, moments->set);
			add_part(moments, &marked, share);
			unlock_view_close(&marked);
		}
	}
	if (mpq_sgn(lines) > 0)
		add_part(moments, &blank, lines);
	unlock_view_close(&blank);
	mpq_clears(share, lines, NULL);
}

static void add_starts(struct moments_work *moments)
{
	const struct exact_work *work = moments->work;
	const struct unlock_rules *rules = &moments->game->unlock;
	const struct unlock_figures *figures = unlock_figures(work, moments->lines);
	const mpq_t *square = unlock_squares(work, moments->lines);

	for (uint32_t i = 0; i < rules->step_count; i++) {
		enum unlock_kind kind = rules->step[i].kind;

		unlock_start_weights(work, (int)kind, moments->weight);
		add_feature(moments, figures->value[kind], square[kind]);
	}
	if (rules->explosion.in == 0)
		return;
	unlock_start_weights(work, -1, moments->weight);
	add_explosions(moments);
}

static void base_moments(
	const struct exact_work *work, const struct exact_wager *wager, struct spin_yield *yield)
{
	const struct game *game = work->game;
	uint32_t spins = unlock_of(work)->chain.spin_count;
	struct moments_work moments = { .work = work,
		.game = game,
		.lines = wager->lines,
		.set = game->mode[work->mode].strips,
		.yield = yield };

	moments.window = (struct unlock_view){ .kind = VIEW_WINDOW, .lines = wager->lines };
	moments.pays = (struct unlock_view){ .kind = VIEW_COUNTED, .lines = wager->lines };
	moments.awards =
		(struct unlock_view){ .kind = VIEW_COUNTED, .awards = true, .lines = wager->lines };
	unlock_view_open(&moments.window, game, moments.set);
	unlock_view_open(&moments.pays, game, moments.set);
	unlock_view_open(&moments.awards, game, moments.set);
	moments.weight = unlock_take(spins * sizeof(*moments.weight));
	for (uint32_t i = 0; i < spins; i++)
		mpq_init(moments.weight[i]);
	add_starts(&moments);
	for (uint32_t i = 0; i < spins; i++)
		mpq_clear(moments.weight[i]);
	unlock_give(moments.weight, spins * sizeof(*moments.weight));
	unlock_view_close(&moments.window);
	unlock_view_close(&moments.pays);
	unlock_view_close(&moments.awards);
}

/* ---- free spins ---- */

/* The feature is independent of the spin that starts it. RULE witch-feature 6.3 to 6.6 */
static void free_moments(
	const struct exact_work *work, const struct exact_wager *wager, struct spin_yield *yield)
{
	const struct unlock_rules *rules = &work->game->unlock;
	const struct unlock_figures *figures = unlock_figures(work, wager->lines);
	const mpq_t *square = unlock_squares(work, wager->lines);
	mpq_t mean, win2, own, x, multiplier2;

	mpq_inits(mean, win2, own, x, multiplier2, NULL);
	yield_total(yield, own);
	if (rules->multiplier.weight > 0)
		square_mean(&rules->multiplier, multiplier2);
	for (uint32_t i = 0; i < rules->free_set.count; i++) {
		struct unlock_free_set set = unlock_free_set(rules, i);

		mpq_mul(x, set.p, figures->value[set.kind]);
		if (set.multiplied)
			mpq_mul(x, x, figures->multiplier);
		mpq_add(mean, mean, x);
		mpq_mul(x, set.p, square[set.kind]);
		if (set.multiplied)
			mpq_mul(x, x, multiplier2);
		mpq_add(win2, win2, x);
		mpq_clear(set.p);
	}
	mpq_mul(x, own, mean);
	mpq_add_scaled(yield->win2, x, 2, 1);
	mpq_add(yield->win2, yield->win2, win2);
	mpq_mul(x, mean, yield->awards);
	mpq_add(yield->win_awards, yield->win_awards, x);
	mpq_clears(mean, win2, own, x, multiplier2, NULL);
}

void unlock_moments(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield)
{
	if (context == CONTEXT_FREE)
		free_moments(work, wager, yield);
	else
		base_moments(work, wager, yield);
}
