/* The largest win of a spin with the features that its collectibles start, and its probability.
 *
 * A free spin and its feature are independent, so each has its own best. A paid spin's feature
 * depends on the collectibles in its window, and its explosion on the window itself, so the search
 * (most.h) tags windows with their collectibles and scatters. */
#include "libcommon/game/exact/most.h"
#include "libcommon/game/features/collect-and-unlock/exact_windows.h"
#include "libcommon/game/exact/spins.h"
#include "libcommon/game/exact/wins.h"

#include <assert.h>
#include <string.h>

/* The best of something, in coins for one coin a line, and its probability. */
struct best {
	uint64_t coins;
	mpq_t p;
};

struct most_work {
	const struct exact_work *work;
	const struct game *game;
	uint32_t lines;
	struct best feature[UNLOCK_KINDS]; /* each by itself */
	struct best times;		   /* the largest multiplier */
};

/* Adds a way to win some coins: more coins than before replace the best, equal coins are added. */
static void best_add(struct best *best, uint64_t coins, const mpq_t p)
{
	if (mpq_sgn(p) == 0 || (mpq_sgn(best->p) > 0 && coins < best->coins))
		return;
	if (mpq_sgn(best->p) == 0 || coins > best->coins) {
		best->coins = coins;
		mpq_set_ui(best->p, 0, 1);
	}
	mpq_add(best->p, best->p, p);
}

/* ---- windows ---- */

#define COLOUR_BITS (2 * GAME_REELS_MAX)
#define COLOUR_MASK ((UINT32_C(1) << COLOUR_BITS) - 1)

/* The collectible of each reel, and above these bits the scatters, as digits of base reels + 1. */
static uint32_t tag_of(const struct game *game, uint32_t reel, uint64_t column, uint32_t colour)
{
	uint32_t code = 0, place = 1;

	for (uint32_t i = 0; i < game->scatter_symbols; i++, place *= game->reels + 1)
		for (uint32_t row = 0; row < game->rows; row++)
			code += (uint8_t)(column >> (8 * row)) == game->scatter[i] ? place : 0;
	return code << COLOUR_BITS | colour << (2 * reel);
}

/* How windows are seen: on each reel `counts` of cells become `symbol` (NULL: none), and `forced`
 * rows are wild. `own`: also the unchanged windows, with their tags. */
struct sight {
	uint32_t set;
	bool own;
	const struct choices *counts;
	uint8_t symbol, kept;
	const uint32_t *forced;
};

static void add_stop(const struct game *game, const struct sight *sight, uint32_t reel,
	uint32_t stop, struct most_reel *to)
{
	uint64_t subset[UNLOCK_SUBSETS];
	uint8_t colour;
	uint64_t column = unlock_column(game, sight->set, reel, stop, &colour);
	struct most_column seen = { .seen = { column } };

	(void)unlock_subsets(game, sight->counts ? &sight->counts[reel] : NULL, subset);
	if (sight->own)
		seen.tag = tag_of(game, reel, column, colour);
	for (uint32_t rows = 0; rows < UNLOCK_SUBSETS; rows++) {
		uint64_t *covered = &seen.seen[sight->own && sight->counts ? 1 : 0];

		if (subset[rows] == 0)
			continue;
		if (sight->counts)
			*covered = unlock_covered(game, column, rows, sight->symbol, sight->kept);
		if (sight->forced)
			*covered = unlock_covered(
				game, column, sight->forced[reel], game->wild, GAME_NO_SYMBOL);
		seen.weight = subset[rows] * game->strips[sight->set].reel[reel].stop_weight[stop];
		if (seen.weight > 0)
			most_reel_add(to, &seen);
	}
}

static void sight_open(
	const struct most_work *most, const struct sight *sight, struct most_input *input)
{
	const struct game *game = most->game;

	*input = (struct most_input){
		.game = game, .lines = most->lines, .sides = sight->own && sight->counts ? 2 : 1
	};
	for (uint32_t r = 0; r < game->reels; r++)
		for (uint32_t stop = 0; stop < game->strips[sight->set].reel[r].length; stop++)
			add_stop(game, sight, r, stop, &input->reel[r]);
}

/* ---- features by themselves ---- */

/* Adds the best of one respin, if it reaches the best so far, with probability in / of. Ignores
 * wins below `floor`. */
static void add_respin(const struct most_work *most, const struct sight *sight, uint64_t floor,
	uint64_t in, uint64_t of, struct best *best)
{
	struct most_input input;
	struct most found;
	mpq_t p, share;

	mpq_inits(p, share, NULL);
	mpq_set_u64(share, in, of);
	sight_open(most, sight, &input);
	input.floor = best->coins > floor ? best->coins : floor;
	most_find(&input, &found);
	for (size_t i = 0; i < found.count; i++)
		mpz_add(mpq_numref(p), mpq_numref(p), found.row[i].ways);
	most_scale(&input, mpq_denref(p));
	mpq_canonicalize(p);
	mpq_mul(p, p, share);
	if (found.count > 0)
		best_add(best, found.coins, p);
	most_free(&found);
	most_input_free(&input);
	mpq_clears(p, share, NULL);
}

static void mega_rows(const struct game *game, uint32_t place, uint32_t forced_r[GAME_REELS_MAX])
{
	for (uint32_t r = 0; r < game->reels; r++)
		forced_r[r] = game->unlock.mega[place].cells >> (r * game->rows) &
			      ((UINT32_C(1) << game->rows) - 1);
}

/* Few places reach the overall best, so a lower bound of each is found first. */
static void add_mega(const struct most_work *most, struct sight *sight, struct best *best)
{
	const struct game *game = most->game;
	const struct unlock_rules *rules = &game->unlock;
	uint32_t forced[GAME_REELS_MAX];
	uint64_t floor = 0;

	sight->forced = forced;
	for (uint32_t i = 0; i < rules->mega_count; i++) {
		struct most_input input;

		mega_rows(game, i, forced);
		sight_open(most, sight, &input);
		input.floor = floor;
		floor = most_guess(&input);
		most_input_free(&input);
	}
	for (uint32_t i = 0; i < rules->mega_count; i++) {
		mega_rows(game, i, forced);
		add_respin(most, sight, floor, rules->mega[i].weight, rules->mega_weight, best);
	}
	sight->forced = NULL;
}

/* x times the best of it; nothing times x is nothing at any x. */
static void multiply(const struct most_work *most, struct best *best)
{
	if (best->coins == 0)
		return;
	best->coins *= most->times.coins;
	mpq_mul(best->p, best->p, most->times.p);
}

static void open_feature(struct most_work *most, const struct unlock_step *step)
{
	const struct game *game = most->game;
	const struct unlock_figures *figures = unlock_figures(most->work, most->lines);
	struct best *best = &most->feature[step->kind];
	struct sight sight = { .set = step->strips };
	mpq_t wins;

	if (step->kind == UNLOCK_MEGA_WILD) {
		add_mega(most, &sight, best);
		return;
	}
	if (step->kind == UNLOCK_RANDOM_WILDS) {
		sight.counts = game->unlock.wilds;
		sight.symbol = game->wild;
		sight.kept = GAME_NO_SYMBOL;
	}
	add_respin(most, &sight, 0, 1, 1, best);
	if (step->kind != UNLOCK_MULTIPLIER || best->coins == 0)
		return;
	mpq_init(wins); /* RULE witch-feature 4.6: it is played until it wins */
	mpq_set_ui(wins, 1, 1);
	mpq_sub(wins, wins, figures->dry);
	mpq_div(best->p, best->p, wins);
	mpq_clear(wins);
	multiply(most, best);
}

static void open_times(struct most_work *most)
{
	const struct choices *table = &most->game->unlock.multiplier;
	mpq_t p;

	mpq_init(p);
	for (uint32_t i = 0; i < table->count; i++) {
		mpq_set_u64(p, table->of[i].weight, table->weight);
		best_add(&most->times, table->of[i].x, p);
	}
	mpq_clear(p);
}

/* ---- free spins: RULE witch-feature 6.3 to 6.6 ---- */

static void offer(const struct most_work *most, const char *where, const struct best *best,
	struct exact_mode *mode_r)
{
	mpq_t x;

	mpq_init(x);
	mpq_set_u64(x, best->coins, most->lines);
	exact_offer_max(mode_r, where, x, best->p);
	mpq_clear(x);
}

static void offer_free(const struct most_work *most, struct exact_mode *mode_r)
{
	const struct unlock_rules *rules = &most->game->unlock;
	const struct spin_figures *spin = most->work->spin[CONTEXT_FREE];
	const struct spin_win *own;
	struct best best = { 0 };
	mpq_t p, none;

	if (spin == NULL || spin->win_count == 0)
		return;
	own = &spin->win[spin->win_count - 1]; /* no progressives beside potions */
	mpq_inits(best.p, p, none, NULL);
	mpq_set_ui(none, 1, 1);
	for (uint32_t i = 0; i < rules->free_set.count; i++) {
		struct unlock_free_set set = unlock_free_set(rules, i);
		struct best feature = { .coins = most->feature[set.kind].coins };

		mpq_init(feature.p);
		mpq_set(feature.p, most->feature[set.kind].p);
		if (set.multiplied)
			multiply(most, &feature);
		mpq_sub(none, none, set.p);
		mpq_mul(p, set.p, feature.p);
		best_add(&best, feature.coins, p);
		mpq_clears(set.p, feature.p, NULL);
	}
	best_add(&best, 0, none);
	best.coins += own->coins;
	mpz_set_count(mpq_numref(p), own->n);
	mpz_set(mpq_denref(p), spin->total);
	mpq_canonicalize(p);
	mpq_mul(best.p, best.p, p);
	offer(most, "free spin and its feature", &best, mode_r);
	mpq_clears(best.p, p, none, NULL);
}

/* ---- the paid spin, all steps open, in the long run ---- */

struct base_most {
	const struct most_work *most;
	mpq_t *starts[UNLOCK_KINDS]; /* [spin of the chain]: the chance that it starts this */
	mpq_t *explodes, *quiet;
	uint16_t spin_of[1u << COLOUR_BITS];
};

static uint64_t scatter_coins(const struct most_work *most, uint32_t tag)
{
	const struct game *game = most->game;
	uint32_t code = tag >> COLOUR_BITS;
	uint64_t pay = 0;

	for (uint32_t i = 0; i < game->scatter_symbols; i++, code /= game->reels + 1)
		pay += game->symbol[game->scatter[i]].pay[code % (game->reels + 1)];
	return pay * most->lines;
}

/* The best feature that a spin's collectibles can start, without explosions. */
static void best_start(const struct base_most *base, uint32_t spin, struct best *best)
{
	mpq_t p;

	mpq_init(p);
	best_add(best, 0, base->quiet[spin]);
	for (uint32_t k = 0; k < UNLOCK_KINDS; k++) {
		mpq_mul(p, base->starts[k][spin], base->most->feature[k].p);
		best_add(best, base->most->feature[k].coins, p);
	}
	mpq_clear(p);
}

static bool beside_start(const void *of, uint32_t tag, uint64_t *coins_r)
{
	const struct base_most *base = of;
	struct best best = { 0 };
	bool counts;

	mpq_init(best.p);
	best_start(base, base->spin_of[tag & COLOUR_MASK], &best);
	counts = mpq_sgn(best.p) > 0;
	*coins_r = best.coins + scatter_coins(base->most, tag);
	mpq_clear(best.p);
	return counts;
}

static bool beside_explosion(const void *of, uint32_t tag, uint64_t *coins_r)
{
	const struct base_most *base = of;

	*coins_r = scatter_coins(base->most, tag);
	return mpq_sgn(base->explodes[base->spin_of[tag & COLOUR_MASK]]) > 0;
}

static uint64_t scatter_most(const struct most_work *most)
{
	uint64_t pay = 0;

	for (uint32_t i = 0; i < most->game->scatter_symbols; i++) {
		const struct game_symbol *symbol = &most->game->symbol[most->game->scatter[i]];
		uint32_t largest = 0;

		for (uint32_t k = 1; k <= most->game->reels; k++)
			if (symbol->pay[k] > largest)
				largest = symbol->pay[k];
		pay += largest;
	}
	return pay * most->lines;
}

/* Adds the best of the windows seen this way, with probability in / of. */
static void add_windows(const struct base_most *base, const struct sight *sight, uint64_t in,
	uint64_t of, struct best *best)
{
	const struct most_work *most = base->most;
	struct most_input input;
	struct most found;
	mpq_t p, share;
	mpz_t scale;

	mpz_init(scale);
	mpq_inits(p, share, NULL);
	sight_open(most, sight, &input);
	input.beside = sight->counts ? beside_explosion : beside_start;
	input.of = base;
	input.beside_max = scatter_most(most);
	for (uint32_t k = 0; k < UNLOCK_KINDS && !sight->counts; k++)
		if (input.beside_max < scatter_most(most) + most->feature[k].coins)
			input.beside_max = scatter_most(most) + most->feature[k].coins;
	input.floor = best->coins;
	most_scale(&input, scale);
	if (most_bound(&input) >= best->coins) {
		most_find(&input, &found);
		for (size_t i = 0; i < found.count; i++) {
			uint32_t spin = base->spin_of[found.row[i].tag & COLOUR_MASK];
			struct best start = { 0 };

			mpq_init(start.p);
			if (sight->counts)
				mpq_set(start.p, base->explodes[spin]);
			else
				best_start(base, spin, &start);
			mpz_set(mpq_numref(p), found.row[i].ways);
			mpz_set(mpq_denref(p), scale);
			mpq_canonicalize(p);
			mpq_mul(p, p, start.p);
			mpq_set_u64(share, in, of);
			mpq_mul(p, p, share);
			best_add(best, found.coins, p);
			mpq_clear(start.p);
		}
		most_free(&found);
	}
	most_input_free(&input);
	mpq_clears(p, share, NULL);
	mpz_clear(scale);
}

static mpq_t *weights_new(const struct exact_work *work, int kind)
{
	uint32_t spins = unlock_of(work)->chain.spin_count;
	mpq_t *weight = unlock_take(spins * sizeof(*weight));

	for (uint32_t i = 0; i < spins; i++)
		mpq_init(weight[i]);
	if (kind < UNLOCK_KINDS)
		unlock_start_weights(work, kind, weight);
	return weight;
}

static void weights_free(const struct exact_work *work, mpq_t *weight)
{
	uint32_t spins = unlock_of(work)->chain.spin_count;

	for (uint32_t i = 0; i < spins; i++)
		mpq_clear(weight[i]);
	unlock_give(weight, spins * sizeof(*weight));
}

static void base_open(struct base_most *base, const struct most_work *most)
{
	const struct exact_work *work = most->work;
	const struct unlock_chain *chain = &unlock_of(work)->chain;

	memset(base, 0, sizeof(*base));
	base->most = most;
	for (uint32_t k = 0; k < UNLOCK_KINDS; k++)
		base->starts[k] = weights_new(work, (int)k);
	base->explodes = weights_new(work, -1);
	base->quiet = weights_new(work, UNLOCK_KINDS);
	for (uint32_t i = 0; i < chain->spin_count; i++) {
		uint32_t colours = 0;

		for (uint32_t r = 0; r < most->game->reels; r++)
			colours |= (uint32_t)chain->spin[i].colour[r] << (2 * r);
		base->spin_of[colours] = (uint16_t)i;
		mpq_set_ui(base->quiet[i], 1, 1);
		mpq_sub(base->quiet[i], base->quiet[i], base->explodes[i]);
		for (uint32_t k = 0; k < UNLOCK_KINDS; k++)
			mpq_sub(base->quiet[i], base->quiet[i], base->starts[k][i]);
	}
}

static void base_close(struct base_most *base, const struct exact_work *work)
{
	for (uint32_t k = 0; k < UNLOCK_KINDS; k++)
		weights_free(work, base->starts[k]);
	weights_free(work, base->explodes);
	weights_free(work, base->quiet);
}

static void offer_base(const struct most_work *most, struct exact_mode *mode_r)
{
	const struct game *game = most->game;
	const struct choices *revealed = &game->unlock.revealed;
	struct sight sight = { .set = game->mode[most->work->mode].strips, .own = true };
	struct best best = { .coins = exact_max_coins(mode_r, most->lines) };
	struct base_most *base = unlock_take(sizeof(*base));

	mpq_init(best.p);
	base_open(base, most);
	add_windows(base, &sight, 1, 1, &best);
	sight.counts = game->unlock.marks;
	sight.kept = game->free_spins.award_symbol;
	for (uint32_t i = 0; i < revealed->count && game->unlock.explosion.in > 0; i++) {
		sight.symbol = (uint8_t)revealed->of[i].x;
		add_windows(base, &sight, revealed->of[i].weight, revealed->weight, &best);
	}
	offer(most, "base spin and its feature", &best, mode_r);
	base_close(base, most->work);
	mpq_clear(best.p);
	unlock_give(base, sizeof(*base));
}

void unlock_offer_most(
	const struct exact_work *work, const struct exact_wager *wager, struct exact_mode *mode_r)
{
	const struct unlock_rules *rules = &work->game->unlock;
	struct most_work most = { .work = work, .game = work->game, .lines = wager->lines };

	mpq_init(most.times.p);
	open_times(&most);
	for (uint32_t k = 0; k < UNLOCK_KINDS; k++)
		mpq_init(most.feature[k].p);
	for (uint32_t i = 0; i < rules->step_count; i++)
		open_feature(&most, &rules->step[i]);
	offer_free(&most, mode_r);
	offer_base(&most, mode_r);
	for (uint32_t k = 0; k < UNLOCK_KINDS; k++)
		mpq_clear(most.feature[k].p);
	mpq_clear(most.times.p);
}
