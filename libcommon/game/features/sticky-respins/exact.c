/* The returns of sticky respins. They are summed line by line, because the rows of the locked reel
 * differ: the return depends on the number of lines unless the triggering windows treat all rows
 * alike (RULE mona-lisa 3.22). Given the trigger, the reels are independent, so a mean needs only
 * the weight of each symbol in each cell at each time; moments and zeros (exact_moments.c,
 * exact_zero.c) need more. */
#include "libcommon/game/features/sticky-respins/exact_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- scatters that a screen shows ---- */

void counted_init(const struct game *game, bool progressive, struct counted *counted_r)
{
	counted_r->count = 0;
	counted_r->codes = 1;
	for (uint32_t i = 0; i < game->scatter_symbols; i++)
		counted_r->symbol[counted_r->count++] = game->scatter[i];
	if (progressive && game->jackpot_symbols.anywhere)
		counted_r->symbol[counted_r->count++] = game->jackpot_symbols.symbol;
	for (uint32_t i = 0; i < counted_r->count; i++)
		counted_r->codes *= game->reels + 1;
}

uint8_t counted_mask(const struct game *game, const struct counted *counted, uint64_t column)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < counted->count; i++)
		for (uint32_t row = 0; row < game->rows; row++)
			if (sticky_cell(column, row) == counted->symbol[i])
				mask |= 1u << i;
	return (uint8_t)mask;
}

uint32_t counted_code(const struct game *game, const struct counted *counted, uint8_t mask)
{
	uint32_t code = 0, place = 1;

	for (uint32_t i = 0; i < counted->count; i++, place *= game->reels + 1)
		code += mask >> i & 1 ? place : 0;
	return code;
}

/* In games with a scatter award the first scatter pays there. RULE mona-lisa 2.6, 3.10, 3.13 */
struct counted_worth counted_worth(const struct game *game, const struct counted *counted,
	enum spin_context context, uint32_t code)
{
	struct counted_worth worth = { 0 };

	for (uint32_t i = 0; i < counted->count; i++, code /= game->reels + 1) {
		uint32_t count = code % (game->reels + 1);

		if (i >= game->scatter_symbols) {
			worth.jackpot =
				context != CONTEXT_RESPIN && count >= game->jackpot_symbols.count;
			continue;
		}
		if (i == 0 && game->scatter_count_min > 0)
			continue;
		worth.pay += game->symbol[counted->symbol[i]].pay[count];
		if (counted->symbol[i] == game->free_spins.award_symbol)
			worth.awards += game->free_spins.award[context][count];
	}
	return worth;
}

/* ---- one time of one position of bought reels ---- */

struct screen {
	struct lines_input lines;
	mpz_t *code; /* ways by scatter code, over the reels so far */
	mpz_t *next;
	struct counted counted;
	uint32_t codes; /* counted.codes */
};

static mpz_t *codes_new(uint32_t codes)
{
	mpz_t *code = sticky_take(codes * sizeof(*code));

	for (uint32_t i = 0; i < codes; i++)
		mpz_init(code[i]);
	return code;
}

static void codes_free(mpz_t *code, uint32_t codes)
{
	for (uint32_t i = 0; i < codes; i++)
		mpz_clear(code[i]);
	sticky_give(code, codes * sizeof(*code));
}

static void screen_init(struct screen *screen, const struct game *game)
{
	screen->lines = (struct lines_input){
		.game = game, .lines = game->lines_max, .terms = line_terms_plain()
	};
	counted_init(game, false, &screen->counted);
	screen->codes = screen->counted.codes;
	screen->code = codes_new(screen->codes);
	screen->next = codes_new(screen->codes);
	mpz_set_ui(screen->code[0], 1);
}

static void screen_free(struct screen *screen)
{
	codes_free(screen->code, screen->codes);
	codes_free(screen->next, screen->codes);
}

static void screen_add_reel(struct screen *screen, uint32_t reel, const struct sticky_ways *ways)
{
	const struct game *game = screen->lines.game;
	struct cell_weights *cells = &screen->lines.reel[reel];
	mpz_t *swap;

	cell_weights_clear(cells);
	for (uint32_t i = 0; i < screen->codes; i++)
		mpz_set_ui(screen->next[i], 0);
	for (size_t w = 0; w < ways->count; w++) {
		uint64_t column = ways->way[w].column, weight = ways->way[w].weight;
		uint32_t code = counted_code(
			game, &screen->counted, counted_mask(game, &screen->counted, column));

		cells->total += weight;
		for (uint32_t row = 0; row < game->rows; row++)
			cells->weight[row][sticky_cell(column, row)] += weight;
		for (uint32_t i = 0; i + code < screen->codes; i++)
			mpz_addmul_ui(screen->next[i + code], screen->code[i], weight);
	}
	swap = screen->code;
	screen->code = screen->next;
	screen->next = swap;
}

/* Adds a respin's means, times `scale`: the probability of the screen's condition divided by the
 * sum of its weights. */
static void screen_sum(const struct screen *screen, const mpq_t scale, struct sticky_context *sum)
{
	const struct game *game = screen->lines.game;
	mpq_t *coins = sticky_take(game->lines_max * sizeof(*coins));
	mpq_t p;
	mpz_t all;

	mpz_init(all);
	mpq_init(p);
	lines_scale(&screen->lines, all);
	for (uint32_t i = 0; i < game->lines_max; i++)
		mpq_init(coins[i]);
	lines_prefixes(&screen->lines, coins, NULL);
	for (uint32_t i = 0; i < game->lines_max; i++) {
		mpz_mul(mpq_numref(coins[i]), mpq_numref(coins[i]), all);
		mpq_canonicalize(coins[i]);
		mpq_mul(coins[i], coins[i], scale);
		mpq_add(sum->coins[i], sum->coins[i], coins[i]);
		mpq_clear(coins[i]);
	}
	for (uint32_t code = 1; code < screen->codes; code++) {
		struct counted_worth worth =
			counted_worth(game, &screen->counted, CONTEXT_RESPIN, code);

		mpq_set_z(p, screen->code[code]);
		mpq_mul(p, p, scale);
		mpq_add_scaled(sum->scatter, p, worth.pay, 1);
		mpq_add_scaled(sum->awards, p, worth.awards, 1);
		if (worth.awards > 0)
			mpq_add(sum->awarded, sum->awarded, p);
	}
	sticky_give(coins, game->lines_max * sizeof(*coins));
	mpq_clear(p);
	mpz_clear(all);
}

/* `share`: of the position among the bought wild reels. */
static void add_spin(const struct sticky_spin *spin, const mpq_t share, struct sticky_context *sum)
{
	const struct game *game = spin->game;
	struct sticky_ways ways[GAME_REELS_MAX];
	struct screen screen;
	uint32_t last;
	mpq_t scale;

	mpq_init(scale);
	for (uint32_t r = 0; r < game->reels; r++)
		sticky_at(spin, r, 0, &ways[r]);
	/* bought wild reels may hide what triggers */
	last = ways[game->sticky.reel].count > 0 ? game->sticky.spins : 0;
	for (uint32_t time = 0; last > 0 && time <= last; time++) {
		mpq_set(scale, share);
		screen_init(&screen, game);
		for (uint32_t r = 0; r < game->reels; r++) {
			sticky_ways_free(&ways[r]);
			sticky_at(spin, r, time, &ways[r]);
			screen_add_reel(&screen, r, &ways[r]);
			mpz_mul_ui(
				mpq_denref(scale), mpq_denref(scale), sticky_scale(spin, r, time));
		}
		mpq_canonicalize(scale);
		if (time > 0)
			screen_sum(&screen, scale, sum);
		screen_free(&screen);
	}
	mpq_set_u64(scale, 0, 1);
	for (size_t w = 0; w < ways[game->sticky.reel].count; w++)
		mpz_add_ui(mpq_numref(scale), mpq_numref(scale),
			ways[game->sticky.reel].way[w].weight);
	mpz_set_ui(mpq_denref(scale), sticky_scale(spin, game->sticky.reel, 0));
	mpq_canonicalize(scale);
	mpq_mul(scale, scale, share);
	mpq_add(sum->trigger, sum->trigger, scale);
	for (uint32_t r = 0; r < game->reels; r++)
		sticky_ways_free(&ways[r]);
	mpq_clear(scale);
}

/* ---- the interface ---- */

uint32_t sticky_spins(const struct exact_work *work, enum spin_context context,
	struct sticky_spin spin_r[GAME_WILD_POSITIONS_MAX], mpq_t share_r[GAME_WILD_POSITIONS_MAX])
{
	const struct game *game = work->game;
	const struct game_mode *mode = &game->mode[work->mode];

	if (context == CONTEXT_FREE || mode->position_count == 0) {
		uint32_t set = context == CONTEXT_FREE ? game->free_spins.strips : mode->strips;

		spin_r[0] = (struct sticky_spin){
			.game = game, .set = set, .cache = &sticky_of(work)->cache[context][0]
		};
		mpq_set_ui(share_r[0], 1, 1);
		return 1;
	}
	for (uint32_t i = 0; i < mode->position_count; i++) {
		spin_r[i] = (struct sticky_spin){
			.game = game,
			.set = mode->strips,
			.wild_reels = mode->position[i].reels,
			.cache = &sticky_of(work)->cache[context][i],
		};
		mpq_set_u64(share_r[i], mode->position[i].weight, mode->position_weight);
	}
	return mode->position_count;
}

static void context_init(
	const struct exact_work *work, enum spin_context context, struct sticky_context *sum)
{
	uint32_t lines = work->game->lines_max, count;
	struct sticky_spin spin[GAME_WILD_POSITIONS_MAX];
	mpq_t share[GAME_WILD_POSITIONS_MAX];

	sum->lines = lines;
	sum->coins = sticky_take(lines * sizeof(*sum->coins));
	for (uint32_t i = 0; i < lines; i++)
		mpq_init(sum->coins[i]);
	mpq_inits(sum->trigger, sum->scatter, sum->awards, sum->awarded, NULL);
	for (uint32_t i = 0; i < GAME_WILD_POSITIONS_MAX; i++)
		mpq_init(share[i]);
	count = sticky_spins(work, context, spin, share);
	for (uint32_t i = 0; i < count; i++)
		add_spin(&spin[i], share[i], sum);
	for (uint32_t i = 0; i < GAME_WILD_POSITIONS_MAX; i++)
		mpq_clear(share[i]);
}

static void context_free(struct sticky_context *sum)
{
	for (uint32_t i = 0; i < sum->lines; i++)
		mpq_clear(sum->coins[i]);
	sticky_give(sum->coins, sum->lines * sizeof(*sum->coins));
	mpq_clears(sum->trigger, sum->scatter, sum->awards, sum->awarded, NULL);
}

struct sticky_work *sticky_of(const struct exact_work *work)
{
	return work->own[FEATURE_sticky_respins];
}

static enum exact_status prepare(struct exact_work *work)
{
	struct sticky_work *sticky;

	assert(work->game->mode[work->mode].guarantee == GUARANTEE_NONE);
	work->own[FEATURE_sticky_respins] = sticky = calloc(1, sizeof(*sticky));
	if (!sticky)
		return EXACT_NO_MEMORY;
	for (uint32_t i = 0; i < 2; i++) {
		yield_init(&sticky_of(work)->zeros[i].change, EXACT_ALL);
		mpq_inits(sticky_of(work)->best[i].x, sticky_of(work)->best[i].p, NULL);
	}
	context_init(work, CONTEXT_BASE, &sticky_of(work)->context[CONTEXT_BASE]);
	if (work->game->free_spins.offered)
		context_init(work, CONTEXT_FREE, &sticky_of(work)->context[CONTEXT_FREE]);
	return EXACT_OK;
}

static void add_yield(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield)
{
	const struct sticky_context *sum = &sticky_of(work)->context[context];

	if (yield->depth == EXACT_ALL) {
		sticky_moments(work, wager, context, yield);
		sticky_zero(work, wager, context, yield);
	}
	mpq_add_scaled(yield->win[SOURCE_STICKY], sum->coins[wager->lines - 1], 1, wager->lines);
	mpq_add(yield->win[SOURCE_STICKY], yield->win[SOURCE_STICKY], sum->scatter);
	mpq_add(yield->awards, yield->awards, sum->awards);
	mpq_add(yield->event[EVENT_STICKY], yield->event[EVENT_STICKY], sum->trigger);
	mpq_add(yield->event[EVENT_FREE_SPINS], yield->event[EVENT_FREE_SPINS], sum->awarded);
}

static void release(struct exact_work *work)
{
	struct sticky_work *sticky = sticky_of(work);

	for (uint32_t i = 0; i < 2; i++) {
		if (sticky->context[i].coins)
			context_free(&sticky->context[i]);
		for (uint32_t k = 0; k < GAME_WILD_POSITIONS_MAX; k++)
			sticky_cache_free(&sticky->cache[i][k]);
		yield_free(&sticky->zeros[i].change);
		mpq_clears(sticky->best[i].x, sticky->best[i].p, NULL);
	}
	free(sticky);
}

static void offer_most(const struct exact_work *work, const struct exact_wager *wager,
	bool free_spins, struct exact_mode *mode_r)
{
	(void)free_spins;
	sticky_offer_most(work, wager, CONTEXT_BASE, mode_r);
	if (work->spin[CONTEXT_FREE])
		sticky_offer_most(work, wager, CONTEXT_FREE, mode_r);
}

const struct feature_exact sticky_respins_exact = {
	.prepare = prepare, .free = release, .yield = add_yield, .offer_most = offer_most
};
