/* Spins that win nothing, including the features that their collectibles start. */
#include "libcommon/game/features/collect-and-unlock/exact_windows.h"
#include "libcommon/game/exact/window_zero.h"

#include <assert.h>
#include <string.h>

/* A window's group: the colours of its collectibles, two bits a reel, and above them its scatters,
 * a digit of base reels + 1 for each kind. */
#define COLOUR_BITS (2 * GAME_REELS_MAX)

struct window {
	const struct game *game;
	uint32_t set;
	const struct choices *counts; /* of covered cells by reel; NULL: none */
	uint8_t symbol, kept;	      /* that covers; that stays */
	const uint32_t *forced;	      /* rows by reel that are wild; NULL: none */
	bool grouped;
};

/* ---- windows ---- */

static uint32_t scatter_group(const struct game *game, const uint8_t *column)
{
	uint32_t code = 0, place = 1;

	for (uint32_t i = 0; i < game->scatter_symbols; i++, place *= game->reels + 1)
		for (uint32_t row = 0; row < game->rows; row++)
			code += column[row] == game->scatter[i] ? place : 0;
	return code << COLOUR_BITS;
}

static void window_reel(const struct window *window, uint32_t reel, struct zero_reel *zero)
{
	const struct game *game = window->game;
	const struct game_strip *strip = &game->strips[window->set].reel[reel];

	zero->count = strip->length;
	zero->stop = unlock_take(strip->length * sizeof(*zero->stop));
	zero->symbol = window->symbol;
	zero->kept = window->kept;
	unlock_subsets(game, window->counts ? &window->counts[reel] : NULL, zero->subset);
	for (uint32_t i = 0; i < strip->length; i++) {
		struct zero_stop *stop = &zero->stop[i];
		uint8_t colour;
		uint64_t column = unlock_column(game, window->set, reel, i, &colour);

		if (window->forced)
			column = unlock_covered(
				game, column, window->forced[reel], game->wild, GAME_NO_SYMBOL);
		*stop = (struct zero_stop){ .weight = strip->stop_weight[i] };
		for (uint32_t row = 0; row < game->rows; row++)
			stop->symbol[row] = (uint8_t)(column >> (8 * row));
		if (window->grouped)
			stop->group = scatter_group(game, stop->symbol) | (uint32_t)colour
										  << (2 * reel);
	}
}

/* `scale_r`: the weight of all windows. */
static void window_groups(const struct window *window, uint32_t lines, bool own, bool covered,
	struct zero_groups *groups_r, mpz_t scale_r)
{
	struct zero_input input = {
		.game = window->game, .lines = lines, .own = own, .covered = covered
	};

	mpz_set_ui(scale_r, 1);
	for (uint32_t r = 0; r < window->game->reels; r++) {
		uint64_t sets = 0;

		window_reel(window, r, &input.reel[r]);
		for (uint32_t i = 0; i < ZERO_SUBSETS; i++)
			sets += input.reel[r].subset[i];
		mpz_mul_ui(scale_r, scale_r, sets);
		mpz_mul_ui(scale_r, scale_r, window->game->strips[window->set].reel[r].weight);
	}
	window_zero(&input, groups_r);
	for (uint32_t r = 0; r < window->game->reels; r++)
		unlock_give(input.reel[r].stop, input.reel[r].count * sizeof(struct zero_stop));
}

/* P(no line wins) */
static void window_chance(
	const struct window *window, uint32_t lines, bool own, bool covered, mpq_t p_r)
{
	struct zero_groups groups;

	window_groups(window, lines, own, covered, &groups, mpq_denref(p_r));
	mpz_set_ui(mpq_numref(p_r), 0);
	for (size_t i = 0; i < groups.count; i++)
		mpz_add(mpq_numref(p_r), mpq_numref(p_r), groups.of[i].ways);
	mpq_canonicalize(p_r);
	zero_groups_free(&groups);
}

void unlock_no_win(const struct game *game, uint32_t set, uint32_t lines, mpq_t p_r)
{
	struct window window = { .game = game, .set = set };

	window_chance(&window, lines, true, false, p_r);
}

/* ---- features ---- */

static void mega_no_win(
	const struct game *game, const struct unlock_step *step, uint32_t lines, mpq_t p_r)
{
	const struct unlock_rules *rules = &game->unlock;
	mpq_t p;

	mpq_init(p);
	for (uint32_t i = 0; i < rules->mega_count; i++) {
		uint32_t forced[GAME_REELS_MAX];
		struct window window = { .game = game, .set = step->strips, .forced = forced };

		for (uint32_t r = 0; r < game->reels; r++)
			forced[r] = rules->mega[i].cells >> (r * game->rows) &
				    ((UINT32_C(1) << game->rows) - 1);
		window_chance(&window, lines, true, false, p);
		mpq_add_scaled(p_r, p, rules->mega[i].weight, rules->mega_weight);
	}
	mpq_clear(p);
}

/* P(the feature alone wins nothing). The multiplier's respins always end with a win. */
static void feature_no_win(
	const struct game *game, const struct unlock_step *step, uint32_t lines, mpq_t p_r)
{
	struct window window = { .game = game,
		.set = step->strips,
		.counts = game->unlock.wilds,
		.symbol = game->wild,
		.kept = GAME_NO_SYMBOL };

	switch (step->kind) {
	case UNLOCK_HIGH_SYMBOLS:
		unlock_no_win(game, step->strips, lines, p_r);
		break;
	case UNLOCK_RANDOM_WILDS:
		window_chance(&window, lines, false, true, p_r);
		break;
	case UNLOCK_MULTIPLIER:
		break;
	case UNLOCK_MEGA_WILD:
		mega_no_win(game, step, lines, p_r);
		break;
	}
}

static const mpq_t *features_no_win(const struct exact_work *work, uint32_t lines)
{
	const struct unlock_rules *rules = &work->game->unlock;
	struct unlock_figures *figures = unlock_of(work)->figures[lines - 1];

	assert(figures != NULL);
	for (uint32_t i = 0; i < rules->step_count && !figures->has_quiet; i++)
		feature_no_win(
			work->game, &rules->step[i], lines, figures->quiet[rules->step[i].kind]);
	figures->has_quiet = true;
	return (const mpq_t *)figures->quiet;
}

/* ---- the paid spin ---- */

/* By the spin of the chain: P(it starts nothing, or what it starts wins nothing), and P(it
 * explodes), in the long run with all steps unlocked. */
struct start {
	mpq_t quiet, explodes;
};

static void start_set(const struct exact_work *work, const struct unlock_spin *spin,
	const mpq_t *no_win, struct start *start)
{
	const struct unlock_rules *rules = &work->game->unlock;
	const struct unlock_chain *chain = &unlock_of(work)->chain;
	mpq_t x;

	mpq_init(x);
	mpq_inits(start->quiet, start->explodes, NULL);
	for (uint32_t state = 0; state < UNLOCK_STATES; state++) {
		struct odds odds = { 0, 1 };
		int kind = -1;

		if (spin->combination[state] != UNLOCK_NONE)
			kind = unlock_outcome(
				rules, rules->step_count - 1, spin->combination[state], &odds);
		if (kind >= 0) {
			mpq_mul(x, chain->carried[state], no_win[kind]);
			mpq_add(start->quiet, start->quiet, x);
			continue;
		}
		mpq_add_scaled(start->explodes, chain->carried[state], odds.in, odds.of);
		mpq_add_scaled(start->quiet, chain->carried[state], odds.of - odds.in, odds.of);
	}
	mpq_clear(x);
}

struct base_zero {
	const struct exact_work *work;
	uint32_t lines;
	struct start start[UNLOCK_SPINS_MAX]; /* [spin of the chain] */
	uint16_t spin_of[1u << COLOUR_BITS];  /* by colours */
	struct spin_yield *yield;
};

static uint32_t colours_of(const struct game *game, const struct unlock_spin *spin)
{
	uint32_t colours = 0;

	for (uint32_t r = 0; r < game->reels; r++)
		colours |= (uint32_t)spin->colour[r] << (2 * r);
	return colours;
}

/* What the scatters of a group award; false if they pay. */
static bool group_awards(const struct game *game, uint32_t group, uint32_t *awards_r)
{
	uint32_t code = group >> COLOUR_BITS, pay = 0;

	*awards_r = 0;
	for (uint32_t i = 0; i < game->scatter_symbols; i++, code /= game->reels + 1) {
		uint32_t count = code % (game->reels + 1);

		pay += game->symbol[game->scatter[i]].pay[count];
		if (game->scatter[i] == game->free_spins.award_symbol)
			*awards_r += game->free_spins.award[CONTEXT_BASE][count];
	}
	return pay == 0;
}

/* Adds windows that win nothing: each group with the probability of its collectibles, times in /
 * of. */
static void add_groups(struct base_zero *zero, const struct window *window, bool explodes,
	uint64_t in, uint64_t of)
{
	struct zero_groups groups;
	mpq_t p, share;
	mpz_t scale;

	mpz_init(scale);
	mpq_inits(p, share, NULL);
	mpq_set_u64(share, in, of);
	window_groups(window, zero->lines, true, explodes, &groups, scale);
	for (size_t i = 0; i < groups.count; i++) {
		uint32_t colours = groups.of[i].group & ((UINT32_C(1) << COLOUR_BITS) - 1);
		const struct start *start = &zero->start[zero->spin_of[colours]];
		uint32_t awards;

		if (!group_awards(window->game, groups.of[i].group, &awards))
			continue;
		mpz_set(mpq_numref(p), groups.of[i].ways);
		mpz_set(mpq_denref(p), scale);
		mpq_canonicalize(p);
		mpq_mul(p, p, share);
		mpq_mul(p, p, explodes ? start->explodes : start->quiet);
		yield_zero_add(zero->yield, awards, p);
	}
	zero_groups_free(&groups);
	mpq_clears(p, share, NULL);
	mpz_clear(scale);
}

/* The spin's own zeros do not distinguish collectibles, so they are computed again. */
static void base_zero(const struct exact_work *work, uint32_t lines, struct spin_yield *yield)
{
	const struct game *game = work->game;
	const struct unlock_chain *chain = &unlock_of(work)->chain;
	const struct choices *revealed = &game->unlock.revealed;
	struct base_zero *zero = unlock_take(sizeof(*zero));
	struct window window = {
		.game = game, .set = game->mode[work->mode].strips, .grouped = true
	};
	const mpq_t *no_win = features_no_win(work, lines);

	memset(zero, 0, sizeof(*zero));
	zero->work = work;
	zero->lines = lines;
	zero->yield = yield;
	for (uint32_t i = 0; i < chain->spin_count; i++) {
		start_set(work, &chain->spin[i], no_win, &zero->start[i]);
		zero->spin_of[colours_of(game, &chain->spin[i])] = (uint16_t)i;
	}
	for (uint32_t i = 0; i < yield->zero_count; i++)
		mpq_set_ui(yield->zero[i].p, 0, 1);
	add_groups(zero, &window, false, 1, 1);
	window.counts = game->unlock.marks;
	window.kept = game->free_spins.award_symbol;
	for (uint32_t i = 0; i < revealed->count && game->unlock.explosion.in > 0; i++) {
		window.symbol = (uint8_t)revealed->of[i].x;
		add_groups(zero, &window, true, revealed->of[i].weight, revealed->weight);
	}
	for (uint32_t i = 0; i < chain->spin_count; i++)
		mpq_clears(zero->start[i].quiet, zero->start[i].explodes, NULL);
	unlock_give(zero, sizeof(*zero));
}

/* ---- free spins ---- */

/* RULE witch-feature 6.3 to 6.6: with the multiplier a feature wins as often as alone. */
static void free_zero(const struct exact_work *work, uint32_t lines, struct spin_yield *yield)
{
	const struct unlock_rules *rules = &work->game->unlock;
	const mpq_t *no_win = features_no_win(work, lines);
	mpq_t quiet, x;

	mpq_inits(quiet, x, NULL);
	mpq_set_ui(quiet, 1, 1);
	for (uint32_t i = 0; i < rules->free_set.count; i++) {
		struct unlock_free_set set = unlock_free_set(rules, i);

		mpq_sub(quiet, quiet, set.p);
		mpq_mul(x, set.p, no_win[set.kind]);
		mpq_add(quiet, quiet, x);
		mpq_clear(set.p);
	}
	for (uint32_t i = 0; i < yield->zero_count; i++)
		mpq_mul(yield->zero[i].p, yield->zero[i].p, quiet);
	mpq_clears(quiet, x, NULL);
}

void unlock_zero(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield)
{
	if (context == CONTEXT_FREE)
		free_zero(work, wager->lines, yield);
	else
		base_zero(work, wager->lines, yield);
}
