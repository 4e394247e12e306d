/* Finds strips with the target return. It arranges symbols at random under the file's rules, then
 * changes one stop at a time and keeps a change if the lines' exact return comes nearer to the
 * return that the whole mode needs from its lines. The mode's exact return corrects that need
 * (secant method), because lines also affect features. Floating point only guides the search;
 * results are checked exactly. */
#include "libcommon/base/rng.h"
#include "libcommon/game/definition_load.h"
#include "libcommon/game/line_quick.h"
#include "tools/slotmath/progress.h"
#include "tools/slotmath/search.h"
#include "tools/slotmath/strips_runs.h"

#include <assert.h>
#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define ARRANGE_TRIES 400
#define SWAPS 20000
#define ATTEMPTS 24
#define CORRECTIONS 12
#define NEAR 0.000005 /* of a return: half a thousandth of a percent */
#define POSITIONS GAME_WILD_POSITIONS_MAX

struct strips_work {
	struct draft *draft;
	const struct search_stage *stage;
	struct rng rng;
	struct progress *progress;
	bool fixed[GAME_REELS_MAX][GAME_STRIP_MAX]; /* stops of blocks */
	uint32_t count[GAME_REELS_MAX][GAME_SYMBOLS_MAX];
	uint32_t positions; /* choices of bought wild reels, 1 without */
	struct line_quick quick[POSITIONS];
	double weight[POSITIONS]; /* sum to 1 */
};

static struct game_strip *strip_of(const struct strips_work *work, uint32_t reel)
{
	return &work->draft->game->strips[work->stage->set].reel[reel];
}

/* Are the symbols equal, or do both count as the same scatter? */
static bool alike(const struct game *game, uint8_t a, uint8_t b)
{
	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		uint32_t symbols = game_counts_as(game, game->scatter[i]);

		if ((symbols >> a & 1) != 0 && (symbols >> b & 1) != 0)
			return true;
	}
	return a == b;
}

/* Is the symbol at this stop far enough from symbols of its kind? */
static bool far_enough_at(const struct strips_work *work, uint32_t reel, uint32_t at)
{
	const struct game_strip *strip = strip_of(work, reel);
	uint32_t distance = work->stage->apart[strip->symbol[at]];

	for (uint32_t k = 1; k < distance && k < strip->length; k++) {
		uint32_t other = (at + k) % strip->length;
		uint32_t before = (at + strip->length - k) % strip->length;

		if (alike(work->draft->game, strip->symbol[other], strip->symbol[at]) ||
			alike(work->draft->game, strip->symbol[before], strip->symbol[at]))
			return false;
	}
	return true;
}

/* The weight that the stage gives this stop, by the symbols its window shows. */
static uint32_t weight_of(
	const struct strips_work *work, const struct game_strip *strip, uint32_t stop)
{
	uint32_t weight = work->stage->weight_each;

	for (uint32_t row = 0; row < work->draft->game->rows; row++) {
		uint32_t showing = work->stage->weight_showing[strip->symbol[stop + row]];

		if (showing > 0)
			weight = showing;
	}
	return weight;
}

/* Fills the derived members of a strip from its symbols and length. */
static void finish(struct strips_work *work, uint32_t reel)
{
	struct game_strip *strip = strip_of(work, reel);

	assert(strip->length > 0);
	for (uint32_t i = 0; i < GAME_ROWS_MAX; i++)
		strip->symbol[strip->length + i] = strip->symbol[i % strip->length];
	strip->weight = 0;
	for (uint32_t i = 0; i < strip->length; i++) {
		uint32_t weight = weight_of(work, strip, i);

		if (strip->weight + weight > GAME_STOP_WEIGHT_MAX)
			refuse("search: weights: found a sum of more than %d on reel %u, "
			       "expected at most that",
				GAME_STOP_WEIGHT_MAX, reel + 1);
		strip->stop_weight[i] = (uint16_t)weight;
		memset(strip->stop_of + strip->weight, (int)i, weight);
		strip->weight += weight;
	}
}

static void swap(struct game_strip *strip, uint32_t a, uint32_t b)
{
	uint8_t kept = strip->symbol[a];

	strip->symbol[a] = strip->symbol[b];
	strip->symbol[b] = kept;
}

/* The number of each symbol, random within the file's ranges; counts include blocks. */
static void choose_counts(struct strips_work *work, uint32_t reel)
{
	const struct search_reel *range = &work->stage->reel[reel];

	for (uint32_t s = 0; s < work->draft->game->symbol_count; s++)
		work->count[reel][s] = range->least[s] +
				       rng_below(&work->rng, range->most[s] - range->least[s] + 1);
}

/* Blocks first, then all other symbols in any order. */
static uint32_t lay(struct strips_work *work, uint32_t reel)
{
	struct game_strip *strip = strip_of(work, reel);
	uint32_t left[GAME_SYMBOLS_MAX], length = 0;

	memcpy(left, work->count[reel], sizeof(left));
	memset(work->fixed[reel], 0, sizeof(work->fixed[reel]));
	for (uint32_t b = 0; b < work->stage->block_count; b++) {
		const struct search_block *block = &work->stage->block[b];

		if (block->reel != reel)
			continue;
		for (uint32_t k = 0; k < block->length; k++) {
			if (left[block->symbol[k]] == 0)
				return 0;
			left[block->symbol[k]]--;
			work->fixed[reel][length] = true;
			strip->symbol[length++] = block->symbol[k];
		}
	}
	for (uint32_t s = 0; s < work->draft->game->symbol_count; s++)
		for (; left[s] > 0 && length < GAME_STRIP_MAX; left[s]--)
			strip->symbol[length++] = (uint8_t)s;
	strip->length = length;
	return length;
}

/* Blocks are at the beginning of the strip: spread them by whole units before mixing. */
static void spread_blocks(struct strips_work *work, uint32_t reel)
{
	struct game_strip *strip = strip_of(work, reel);
	uint8_t symbol[GAME_STRIP_MAX];
	bool fixed[GAME_STRIP_MAX];
	uint32_t head = 0, at = 0, blocks = 0, free_stops;

	for (uint32_t b = 0; b < work->stage->block_count; b++)
		blocks += work->stage->block[b].reel == reel;
	if (blocks < 2)
		return;
	while (head < strip->length && work->fixed[reel][head])
		head++;
	free_stops = (strip->length - head) / blocks;
	for (uint32_t b = 0, from = 0, spare = head; b < work->stage->block_count; b++) {
		const struct search_block *block = &work->stage->block[b];

		if (block->reel != reel)
			continue;
		for (uint32_t k = 0; k < block->length; k++, from++, at++) {
			symbol[at] = strip->symbol[from];
			fixed[at] = true;
		}
		for (uint32_t k = 0; k < free_stops; k++, spare++, at++) {
			symbol[at] = strip->symbol[spare];
			fixed[at] = false;
		}
		head = spare;
	}
	for (; at < strip->length; head++, at++) {
		symbol[at] = strip->symbol[head];
		fixed[at] = false;
	}
	memcpy(strip->symbol, symbol, strip->length);
	memcpy(work->fixed[reel], fixed, strip->length);
}

/* Shuffles the free stops, then exchanges symbols that are too close. */
static bool mix(struct strips_work *work, uint32_t reel)
{
	struct game_strip *strip = strip_of(work, reel);
	uint32_t n = strip->length, good = 0;

	for (uint32_t i = n - 1; i > 0; i--) {
		uint32_t k = rng_below(&work->rng, i + 1);

		if (!work->fixed[reel][i] && !work->fixed[reel][k])
			swap(strip, i, k);
	}
	for (uint32_t tries = 0, at = 0; tries < SWAPS; tries++, at = (at + 1) % n) {
		uint32_t other = rng_below(&work->rng, n);

		if (far_enough_at(work, reel, at)) {
			if (++good >= n)
				return true;
			continue;
		}
		good = 0;
		if (!work->fixed[reel][at] && !work->fixed[reel][other])
			swap(strip, at, other);
	}
	return false;
}

/* Runs instead of blocks and singles. */
static bool arrange_runs(struct strips_work *work, uint32_t reel)
{
	struct game_strip *strip = strip_of(work, reel);
	uint32_t tries = 0, at;

	memset(work->fixed[reel], 0, sizeof(work->fixed[reel]));
	do {
		choose_counts(work, reel);
		if (tries++ == ARRANGE_TRIES ||
			!runs_lay(&work->rng, work->count[reel], work->stage->run, strip->symbol,
				&strip->length))
			return false;
		for (at = 0; at < strip->length && far_enough_at(work, reel, at);)
			at++;
	} while (at < strip->length);
	finish(work, reel);
	return true;
}

static bool arrange(struct strips_work *work)
{
	if (work->stage->has_runs) {
		for (uint32_t r = 0; r < work->draft->game->reels; r++)
			if (!arrange_runs(work, r))
				return false;
		return true;
	}
	for (uint32_t r = 0; r < work->draft->game->reels; r++) {
		uint32_t tries = 0;

		do {
			choose_counts(work, r);
			if (lay(work, r) == 0 || tries++ == ARRANGE_TRIES)
				return false;
			spread_blocks(work, r);
		} while (!mix(work, r));
		finish(work, r);
	}
	return true;
}

/* ---- the climb ---- */

static struct line_terms terms_of(const struct game *game, uint32_t set)
{
	const struct free_spins_rules *free_spins = &game->free_spins;
	struct line_terms terms = { .multiplier = 1 };

	if (free_spins->offered && free_spins->strips == set && game->mode[0].strips != set) {
		terms.multiplier = free_spins->line_multiplier;
		terms.wild_multiplier_count = free_spins->wild_multiplier_count;
		terms.wild_multiplier = free_spins->wild_multiplier;
	}
	return terms;
}

static void quick_begin(struct strips_work *work)
{
	const struct game *game = work->draft->game;
	const struct game_mode *mode = &game->mode[work->stage->mode];
	struct line_terms terms = terms_of(game, work->stage->set);
	bool bought = mode->position_count > 0 && mode->strips == work->stage->set;

	work->positions = bought ? mode->position_count : 1;
	for (uint32_t p = 0; p < work->positions; p++) {
		line_quick_init(&work->quick[p], game, work->stage->set,
			bought ? mode->position[p].reels : 0, &terms);
		work->weight[p] =
			bought ? (double)mode->position[p].weight / mode->position_weight : 1;
	}
}

/* The mean coins that a spin of the set wins on all lines, for one coin a line. */
static double line_coins(struct strips_work *work)
{
	double sum = 0;

	for (uint32_t p = 0; p < work->positions; p++) {
		exact_count total, coins = line_quick_sum(&work->quick[p], &total);

		sum += work->weight[p] * ((double)coins / (double)total);
	}
	work->draft->evaluations += work->positions;
	return sum;
}

static void renew(struct strips_work *work, uint32_t reel)
{
	finish(work, reel);
	for (uint32_t p = 0; p < work->positions; p++)
		line_quick_renew(&work->quick[p], reel);
}

/* Gives a stop another symbol; false if the file does not allow it. */
static bool mutate(struct strips_work *work, uint32_t reel, uint32_t at, uint8_t symbol)
{
	const struct search_reel *range = &work->stage->reel[reel];
	struct game_strip *strip = strip_of(work, reel);
	uint8_t before = strip->symbol[at];
	uint32_t *count = work->count[reel];

	if (symbol == before || work->fixed[reel][at] || count[before] <= range->least[before] ||
		count[symbol] >= range->most[symbol])
		return false;
	strip->symbol[at] = symbol;
	if (!far_enough_at(work, reel, at)) {
		strip->symbol[at] = before;
		return false;
	}
	count[before]--;
	count[symbol]++;
	renew(work, reel);
	return true;
}

static void undo(struct strips_work *work, uint32_t reel, uint32_t at, uint8_t symbol)
{
	struct game_strip *strip = strip_of(work, reel);

	work->count[reel][strip->symbol[at]]--;
	work->count[reel][symbol]++;
	strip->symbol[at] = symbol;
	renew(work, reel);
}

/* May this change lead away from the target? Draws nothing if the stage never allows it. */
static bool accept_worse(struct strips_work *work)
{
	return work->stage->astray > 0 && rng_below(&work->rng, work->stage->astray) == 0;
}

/* Changes stops towards `wanted` coins; returns the coins reached. */
static double climb(struct strips_work *work, double wanted, double enough)
{
	const struct game *game = work->draft->game;
	double now = line_coins(work);

	for (uint32_t step = 0;
		step < work->stage->steps && fabs(now - wanted) > enough && !interrupted();
		step++) {
		uint32_t reel = rng_below(&work->rng, game->reels);
		uint32_t at = rng_below(&work->rng, strip_of(work, reel)->length);
		uint8_t symbol = work->stage->has_runs
					 ? runs_candidate(&work->rng, strip_of(work, reel), at,
						   work->stage->run, game->symbol_count)
					 : (uint8_t)rng_below(&work->rng, game->symbol_count);
		uint8_t before = strip_of(work, reel)->symbol[at];
		double next;

		if (step % 256 == 0)
			progress_show(work->progress, step, work->stage->steps);
		if (!mutate(work, reel, at, symbol))
			continue;
		next = line_coins(work);
		if (fabs(next - wanted) > fabs(now - wanted) && !accept_worse(work))
			undo(work, reel, at, before);
		else
			now = next;
	}
	return now;
}

/* ---- the whole mode ---- */

/* Rebuilds the draft's JSON and game from the present strips; computes the mode's exact return. */
static bool judge(struct strips_work *work, mpq_t rtp, const char **why)
{
	static char error[DEFINITION_ERROR_MAX];

	draft_put_strips(work->draft, work->stage->set);
	if (!draft_renew(work->draft, error)) {
		*why = error;
		return false;
	}
	draft_return(work->draft, work->stage->mode, EXACT_RETURN, rtp, NULL);
	return true;
}

/* Corrects the lines' target until the mode's exact return is its target. */
static bool approach(struct strips_work *work, const char **why)
{
	const struct game *game = work->draft->game;
	double target = mpq_get_d(work->stage->target), slope, coins, last = 0, last_rtp = 0;
	bool near = false;
	mpq_t rtp;

	mpq_init(rtp);
	coins = line_coins(work);
	slope = 100.0 / (game->mode[work->stage->mode].price_hundredths * (double)game->line_count);
	for (int i = 0; i < CORRECTIONS && !near && !interrupted(); i++) {
		double wanted, now;

		if (!judge(work, rtp, why))
			break;
		now = mpq_get_d(rtp);
		near = fabs(now - target) <= NEAR;
		if (i > 0 && fabs(coins - last) > 1e-9 && (now - last_rtp) / (coins - last) > 0)
			slope = (now - last_rtp) / (coins - last);
		last = coins;
		last_rtp = now;
		wanted = coins + (target - now) / slope;
		if (!near)
			coins = climb(work, wanted, NEAR / slope / 4);
		*why = "found no strips with the target return within the file's ranges";
	}
	mpq_clear(rtp);
	return near;
}

static bool hit_rate_fits(struct strips_work *work, const char **why)
{
	mpq_t rtp, hits;
	bool good;

	if (!work->stage->has_hit_rate)
		return true;
	mpq_inits(rtp, hits, NULL);
	draft_return(work->draft, work->stage->mode, EXACT_ALL, rtp, hits);
	good = mpq_cmp(hits, work->stage->hit_least) >= 0 &&
	       mpq_cmp(hits, work->stage->hit_most) <= 0;
	if (!good)
		*why = "the hit rate stayed outside its range";
	mpq_clears(rtp, hits, NULL);
	return good;
}

static void seed_attempt(struct strips_work *work, uint64_t seed, uint32_t attempt)
{
	uint64_t words[2] = { seed, attempt };
	uint8_t key[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(key, (const uint8_t *)words, sizeof(words));
	rng_init(&work->rng, key);
}

bool strips_search(struct draft *draft, const struct search_stage *stage, uint64_t seed,
	struct progress *progress, const char **why)
{
	struct strips_work *work = calloc(1, sizeof(*work));
	bool found = false;
	mpq_t rtp;

	if (!work)
		refuse("out of memory: needs %zu bytes", sizeof(*work));
	*work = (struct strips_work){ .draft = draft, .stage = stage, .progress = progress };
	mpq_init(rtp);
	for (uint32_t attempt = 0; attempt < ATTEMPTS && !found && !interrupted(); attempt++) {
		seed_attempt(work, seed, attempt);
		*why = "found no arrangement that keeps equal symbols as far apart as the file "
		       "requires";
		if (!arrange(work))
			continue;
		quick_begin(work);
		found = stage->has_target ? approach(work, why) : judge(work, rtp, why);
		found = found && hit_rate_fits(work, why);
	}
	mpq_clear(rtp);
	free(work);
	return found;
}
