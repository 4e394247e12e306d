#include "libcommon/game/exact/lines.h"

#include <assert.h>
#include <string.h>

/* Room for six reels of 63 bits, a pay and its multipliers. */
#define WIDE_LIMBS 8

struct wide {
	mp_limb_t limb[WIDE_LIMBS];
};

/* The line being summed: the weights of its cells, and the products of the totals after each
 * reel. */
struct line_work {
	const struct lines_input *input;
	uint32_t reels;
	mp_size_t limbs;			/* as many limbs as these reels need */
	const uint64_t *cell[GAME_REELS_MAX];	/* weight by symbol */
	struct wide tail[GAME_REELS_MAX + 1];	/* product of the totals from reel r on */
	uint64_t wild_best[GAME_REELS_MAX + 1]; /* by leading wilds: their best pay */
};

struct line_terms line_terms_plain(void)
{
	return (struct line_terms){ .multiplier = 1 };
}

void cell_weights_clear(struct cell_weights *cells)
{
	memset(cells, 0, sizeof(*cells));
}

void cell_weights_add(
	struct cell_weights *cells, uint32_t rows, const uint8_t *column, uint64_t weight)
{
	cells->total += weight;
	for (uint32_t row = 0; row < rows; row++)
		cells->weight[row][column[row]] += weight;
}

void cell_weights_strip(const struct game *game, uint32_t set, uint32_t reel, uint32_t wild_reels,
	struct cell_weights *cells_r)
{
	struct machine_column column[GAME_STRIP_MAX];
	uint32_t count = machine_columns(game, set, reel, wild_reels, NULL, column);

	cell_weights_clear(cells_r);
	for (uint32_t i = 0; i < count; i++)
		cell_weights_add(cells_r, game->rows, column[i].symbol, column[i].weight);
}

static void wide_mul(struct wide *x, uint64_t factor, mp_size_t limbs)
{
	mp_limb_t carry = mpn_mul_1(x->limb, x->limb, limbs, factor);

	assert(carry == 0);
}

static void wide_addmul(struct wide *sum, const struct wide *x, uint64_t factor, mp_size_t limbs)
{
	mp_limb_t carry = mpn_addmul_1(sum->limb, x->limb, limbs, factor);

	assert(carry == 0);
}

/* What a run pays: the paytable's coins by its length, times the multiplier of its wilds. */
static uint64_t run_value(
	const struct lines_input *input, uint32_t symbol, uint32_t length, uint32_t wilds)
{
	const struct game *game = input->game;
	const struct line_terms *terms = &input->terms;
	uint64_t value = (uint64_t)game->symbol[symbol].pay[length] * terms->multiplier;

	if (terms->progressive && symbol == game->jackpot_symbols.symbol &&
		length >= game->jackpot_symbols.count)
		return 0;
	if (terms->wild_multiplier_count > 0) {
		uint32_t last = terms->wild_multiplier_count - 1;

		value *= terms->wild_multiplier[wilds < last ? wilds : last];
	}
	return value;
}

static void wild_values(struct line_work *work)
{
	const struct game *game = work->input->game;

	for (uint32_t k = 0; k <= work->reels; k++)
		work->wild_best[k] =
			game->wild_pay[k] > 0 ? run_value(work->input, game->wild_as[k], k, k) : 0;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* After k leading wilds and one `symbol`: the sum of pays over all that the later reels can show.
 * value[w]: with w wilds on the reels done so far, from the last reel back. */
static struct wide run_sum(const struct line_work *work, uint32_t leading, uint32_t symbol)
{
	const struct lines_input *input = work->input;
	const struct game *game = input->game;
	uint32_t reels = work->reels;
	bool helped = game->symbol[symbol].kind == SYMBOL_LINE && game->wild != GAME_NO_SYMBOL;
	uint64_t floor = work->wild_best[leading];
	uint32_t most = helped && input->terms.wild_multiplier_count > 0 ? reels - leading - 1 : 0;
	struct wide value[GAME_REELS_MAX + 1];

	for (uint32_t w = 0; w <= most; w++) {
		memset(&value[w], 0, sizeof(value[w]));
		value[w].limb[0] = max_u64(floor, run_value(input, symbol, reels, leading + w));
	}
	for (uint32_t length = reels - 1; length > leading; length--) {
		uint64_t same = work->cell[length][symbol];
		uint64_t wild = helped ? work->cell[length][game->wild] : 0;
		uint64_t other = input->reel[length].total - same - wild;
		uint32_t room = most > 0 ? length - leading - 1 : 0;

		for (uint32_t w = 0; w <= room; w++) {
			uint64_t ends =
				max_u64(floor, run_value(input, symbol, length, leading + w));

			if (most > 0) {
				wide_mul(&value[w], same, work->limbs);
				wide_addmul(&value[w], &value[w + 1], wild, work->limbs);
			} else {
				wide_mul(&value[w], same + wild, work->limbs);
			}
			if (ends > 0) {
				struct wide rest = work->tail[length + 1];

				wide_mul(&rest, other, work->limbs);
				wide_addmul(&value[w], &rest, ends, work->limbs);
			}
		}
	}
	return value[0];
}

/* The sum over all that the line can show, from the line of only wilds back to the first reel. */
static struct wide line_sum(struct line_work *work)
{
	const struct game *game = work->input->game;
	struct wide sum = { { work->wild_best[work->reels] } };

	for (uint32_t k = work->reels; k-- > 0;) {
		uint64_t other = work->input->reel[k].total;

		if (game->wild == GAME_NO_SYMBOL || work->cell[k][game->wild] == 0) {
			memset(&sum, 0, sizeof(sum));
		} else {
			wide_mul(&sum, work->cell[k][game->wild], work->limbs);
			other -= work->cell[k][game->wild];
		}
		for (uint32_t s = 0; s < game->symbol_count; s++) {
			enum symbol_kind kind = game->symbol[s].kind;

			if (work->cell[k][s] == 0 ||
				(kind != SYMBOL_LINE && (kind != SYMBOL_JACKPOT || k > 0)))
				continue;
			struct wide run = run_sum(work, k, s);

			wide_addmul(&sum, &run, work->cell[k][s], work->limbs);
			other -= work->cell[k][s];
		}
		if (work->wild_best[k] > 0 && other > 0) {
			struct wide rest = work->tail[k + 1];

			wide_mul(&rest, other, work->limbs);
			wide_addmul(&sum, &rest, work->wild_best[k], work->limbs);
		}
	}
	return sum;
}

/* Nothing substitutes for a jackpot symbol, so its combination is a plain product. */
static struct wide jackpot_sum(const struct line_work *work)
{
	const struct game *game = work->input->game;
	const struct jackpot_symbols *jackpot = &game->jackpot_symbols;
	struct wide sum = work->tail[jackpot->count];

	for (uint32_t r = 0; r < jackpot->count; r++)
		wide_mul(&sum, work->cell[r][jackpot->symbol], work->limbs);
	return sum;
}

static bool counts_jackpots(const struct lines_input *input)
{
	const struct jackpot_symbols *jackpot = &input->game->jackpot_symbols;

	return input->terms.progressive && jackpot->symbol != GAME_NO_SYMBOL &&
	       !jackpot->anywhere && jackpot->count <= input->game->reels;
}

static void line_work_begin(struct line_work *work, const struct lines_input *input)
{
	uint32_t bits = 64; /* pay x multipliers: 20 + 16 bits at most, and the sum over symbols */

	work->input = input;
	work->reels = input->game->reels;
	for (uint32_t r = 0; r < work->reels; r++)
		for (uint64_t total = input->reel[r].total; total > 0; total >>= 1)
			bits++;
	work->limbs = (mp_size_t)((bits + 63) / 64);
	assert(work->limbs <= WIDE_LIMBS);
	memset(work->tail, 0, sizeof(work->tail));
	work->tail[work->reels].limb[0] = 1;
	for (uint32_t r = work->reels; r-- > 0;) {
		work->tail[r] = work->tail[r + 1];
		wide_mul(&work->tail[r], input->reel[r].total, work->limbs);
	}
	wild_values(work);
}

/* Rows with the same weights are equal for a line: returns the first equal row. */
static void same_rows(const struct lines_input *input, uint8_t same[GAME_REELS_MAX][GAME_ROWS_MAX])
{
	const struct game *game = input->game;

	for (uint32_t r = 0; r < game->reels; r++)
		for (uint32_t row = 0; row < game->rows; row++) {
			uint32_t first = 0;

			while (memcmp(input->reel[r].weight[first], input->reel[r].weight[row],
				       game->symbol_count * sizeof(uint64_t)) != 0)
				first++;
			same[r][row] = (uint8_t)first;
		}
}

/* The sum of each line; equal lines are computed only once. */
struct line_walk {
	struct line_work work;
	bool jackpots;
	uint8_t same[GAME_REELS_MAX][GAME_ROWS_MAX];
	uint8_t seen[GAME_LINES_MAX][GAME_REELS_MAX];
	uint32_t distinct;
	struct wide coins[GAME_LINES_MAX], jackpot[GAME_LINES_MAX];
};

static void walk_begin(struct line_walk *walk, const struct lines_input *input)
{
	line_work_begin(&walk->work, input);
	same_rows(input, walk->same);
	walk->jackpots = counts_jackpots(input);
	walk->distinct = 0;
}

static uint32_t walk_line(struct line_walk *walk, uint32_t line)
{
	const struct lines_input *input = walk->work.input;
	uint32_t reels = walk->work.reels, i = 0;
	uint8_t *rows = walk->seen[walk->distinct];

	for (uint32_t r = 0; r < reels; r++)
		rows[r] = walk->same[r][input->game->line[line][r]];
	while (i < walk->distinct && memcmp(walk->seen[i], rows, reels) != 0)
		i++;
	if (i < walk->distinct)
		return i;
	for (uint32_t r = 0; r < reels; r++)
		walk->work.cell[r] = input->reel[r].weight[rows[r]];
	walk->coins[i] = line_sum(&walk->work);
	if (walk->jackpots)
		walk->jackpot[i] = jackpot_sum(&walk->work);
	walk->distinct++;
	return i;
}

static void mpz_of_wide(mpz_t z, const struct wide *x, mp_size_t limbs)
{
	mpz_import(z, (size_t)limbs, -1, sizeof(x->limb[0]), 0, 0, x->limb);
}

void lines_scale(const struct lines_input *input, mpz_t scale_r)
{
	mpz_set_ui(scale_r, 1);
	for (uint32_t r = 0; r < input->game->reels; r++)
		mpz_mul_ui(scale_r, scale_r, input->reel[r].total);
}

void lines_sum(const struct lines_input *input, mpz_t coins_r, mpz_t jackpots_r)
{
	struct line_walk walk;
	uint32_t uses[GAME_LINES_MAX] = { 0 };
	struct wide coins = { { 0 } }, jackpots = { { 0 } };

	walk_begin(&walk, input);
	for (uint32_t line = 0; line < input->lines; line++)
		uses[walk_line(&walk, line)]++;
	for (uint32_t i = 0; i < walk.distinct; i++) {
		wide_addmul(&coins, &walk.coins[i], uses[i], walk.work.limbs);
		if (walk.jackpots)
			wide_addmul(&jackpots, &walk.jackpot[i], uses[i], walk.work.limbs);
	}
	mpz_of_wide(coins_r, &coins, walk.work.limbs);
	if (jackpots_r)
		mpz_of_wide(jackpots_r, &jackpots, walk.work.limbs);
}

void lines_expected(const struct lines_input *input, mpq_t coins_r, mpq_t jackpots_r)
{
	lines_sum(input, mpq_numref(coins_r), jackpots_r ? mpq_numref(jackpots_r) : NULL);
	lines_scale(input, mpq_denref(coins_r));
	if (jackpots_r) {
		mpz_set(mpq_denref(jackpots_r), mpq_denref(coins_r));
		mpq_canonicalize(jackpots_r);
	}
	mpq_canonicalize(coins_r);
}

void lines_prefixes(const struct lines_input *input, mpq_t *coins_r, mpq_t *jackpots_r)
{
	struct line_walk walk;
	mpz_t coins, jackpots, scale, x;

	mpz_inits(coins, jackpots, scale, x, NULL);
	lines_scale(input, scale);
	walk_begin(&walk, input);
	for (uint32_t line = 0; line < input->lines; line++) {
		uint32_t i = walk_line(&walk, line);

		mpz_of_wide(x, &walk.coins[i], walk.work.limbs);
		mpz_add(coins, coins, x);
		mpq_set_num(coins_r[line], coins);
		mpq_set_den(coins_r[line], scale);
		mpq_canonicalize(coins_r[line]);
		if (!jackpots_r)
			continue;
		mpz_set_ui(x, 0);
		if (walk.jackpots)
			mpz_of_wide(x, &walk.jackpot[i], walk.work.limbs);
		mpz_add(jackpots, jackpots, x);
		mpq_set_num(jackpots_r[line], jackpots);
		mpq_set_den(jackpots_r[line], scale);
		mpq_canonicalize(jackpots_r[line]);
	}
	mpz_clears(coins, jackpots, scale, x, NULL);
}
