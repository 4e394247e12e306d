#include "services/spin-engine/exact/line_quick.h"

#include <string.h>

/* The weights of one line's cells: [reel] -> weight of each symbol. */
struct line_cells {
	const uint64_t *weight[GAME_REELS_MAX];
	uint64_t total[GAME_REELS_MAX];
	exact_count after[GAME_REELS_MAX]; /* product of the totals of the reels behind it */
	bool narrow;			   /* narrow_runs_of does */
	uint64_t pay[GAME_SYMBOLS_MAX]
		    [GAME_REELS_MAX + 1]; /* for it: the flat multiplier included */
	uint64_t
		wild_worth[GAME_REELS_MAX + 1]; /* what so many leading wilds pay, whatever comes */
};

void line_quick_init(struct line_quick *quick, const struct game *game, uint32_t set,
	uint32_t wild_reels, const struct line_terms *terms)
{
	*quick = (struct line_quick){
		.game = game, .set = set, .wild_reels = wild_reels, .terms = *terms
	};
	for (uint32_t s = 0; s < game->symbol_count; s++)
		if (game->symbol[s].kind == SYMBOL_LINE)
			quick->stand_in |= UINT32_C(1) << s;
	for (uint32_t r = 0; r < game->reels; r++)
		line_quick_renew(quick, r);
}

void line_quick_renew(struct line_quick *quick, uint32_t reel)
{
	struct cell_weights *cells = &quick->reel[reel];

	cell_weights_strip(quick->game, quick->set, reel, quick->wild_reels, cells);
	quick->even[reel] = true;
	for (uint32_t row = 1; row < quick->game->rows; row++)
		quick->even[reel] &=
			memcmp(cells->weight[row], cells->weight[0], sizeof(cells->weight[0])) == 0;
}

static uint64_t times_wilds(const struct line_terms *terms, uint32_t pay, uint32_t wilds)
{
	uint32_t last = terms->wild_multiplier_count;

	if (last == 0)
		return (uint64_t)pay * terms->multiplier;
	return (uint64_t)pay * terms->multiplier *
	       terms->wild_multiplier[wilds < last ? wilds : last - 1];
}

/* What the first `count` cells pay when all are wild, whatever comes then. */
static uint64_t wild_worth(const struct line_quick *quick, uint32_t count)
{
	const struct game *game = quick->game;
	uint64_t best = 0;

	for (uint32_t s = 0; count > 0 && s < game->symbol_count; s++) {
		uint64_t worth;

		if (s != game->wild && !(quick->stand_in >> s & 1))
			continue;
		worth = times_wilds(&quick->terms, game->symbol[s].pay[count], count);
		best = worth > best ? worth : best;
	}
	return best;
}

/* Runs of `symbol` behind `lead` wilds: the sum over length and wilds of pay x weight. `head` is
 * the weight of the leading wilds. */
static exact_count runs_of(const struct line_quick *quick, const struct line_cells *cells,
	uint32_t symbol, uint32_t lead, exact_count head, uint64_t floor)
{
	const struct game *game = quick->game;
	bool helped = quick->stand_in >> symbol & 1;
	exact_count ways[GAME_REELS_MAX + 1] = { 0 }, sum = 0; /* by wilds behind the lead */
	uint32_t n = game->reels;

	ways[0] = head * cells->weight[lead][symbol];
	for (uint32_t length = lead + 1; length <= n; length++) {
		uint64_t own = length < n ? cells->weight[length][symbol] : 0;
		uint64_t wild = length < n && helped && game->wild != GAME_NO_SYMBOL
					? cells->weight[length][game->wild]
					: 0;
		exact_count after = 1;

		for (uint32_t r = length + 1; r < n; r++)
			after *= cells->total[r];
		if (length < n)
			after *= cells->total[length] - own - wild;
		for (uint32_t w = 0; w < length - lead; w++) {
			uint64_t worth = times_wilds(
				&quick->terms, game->symbol[symbol].pay[length], lead + w);

			if (ways[w] != 0)
				sum += ways[w] * after * (worth > floor ? worth : floor);
		}
		for (uint32_t w = length - lead; w > 0; w--)
			ways[w] = ways[w] * own + ways[w - 1] * wild;
		ways[0] *= own;
	}
	return sum;
}

/* The same where wilds multiply nothing, so that how many of them are in a run does not matter, and
 * where all combinations are fewer than 2^64. */
static exact_count narrow_runs_of(const struct line_quick *quick, const struct line_cells *cells,
	uint32_t symbol, uint32_t lead, uint64_t head, uint64_t floor)
{
	const struct game *game = quick->game;
	bool helped = (quick->stand_in >> symbol & 1) != 0 && game->wild != GAME_NO_SYMBOL;
	uint64_t ways = head * cells->weight[lead][symbol];
	const uint64_t *pay = cells->pay[symbol];
	exact_count sum = 0;
	uint32_t n = game->reels;

	for (uint32_t length = lead + 1; length < n && ways != 0; length++) {
		uint64_t worth = pay[length] > floor ? pay[length] : floor;
		uint64_t on = cells->weight[length][symbol];

		if (helped)
			on += cells->weight[length][game->wild];
		if (worth > 0)
			sum += (exact_count)(ways * (cells->total[length] - on) *
					     (uint64_t)cells->after[length]) *
			       worth;
		ways *= on;
	}
	sum += (exact_count)ways * (pay[n] > floor ? pay[n] : floor);
	return sum;
}

static exact_count line_sum(const struct line_quick *quick, const struct line_cells *cells)
{
	const struct game *game = quick->game;
	exact_count head = 1, sum = 0;

	for (uint32_t lead = 0; lead < game->reels; lead++) {
		uint64_t worth = cells->wild_worth[lead];

		for (uint32_t s = 0; s < game->symbol_count; s++) {
			uint64_t weight = cells->weight[lead][s];
			bool line = quick->stand_in >> s & 1;

			if (weight == 0 || s == game->wild)
				continue;
			if (line || (lead == 0 && game->symbol[s].kind == SYMBOL_JACKPOT))
				sum += cells->narrow ? narrow_runs_of(quick, cells, s, lead,
							       (uint64_t)head, worth)
						     : runs_of(quick, cells, s, lead, head, worth);
			else
				sum += head * weight * cells->after[lead] * worth;
		}
		head *= game->wild != GAME_NO_SYMBOL ? cells->weight[lead][game->wild] : 0;
		if (head == 0)
			return sum;
	}
	return sum + head * cells->wild_worth[game->reels];
}

exact_count line_quick_sum(const struct line_quick *quick, exact_count *total_r)
{
	const struct game *game = quick->game;
	struct line_cells cells;
	exact_count sum = 0;
	bool even = true;

	*total_r = 1;
	for (uint32_t r = 0; r < game->reels; r++) {
		cells.total[r] = quick->reel[r].total;
		*total_r *= quick->reel[r].total;
		even &= quick->even[r];
	}
	cells.narrow = quick->terms.wild_multiplier_count == 0 && *total_r <= UINT64_MAX;
	for (uint32_t s = 0; cells.narrow && s < game->symbol_count; s++)
		for (uint32_t n = 0; n <= game->reels; n++)
			cells.pay[s][n] =
				(uint64_t)game->symbol[s].pay[n] * quick->terms.multiplier;
	cells.after[game->reels - 1] = 1;
	for (uint32_t r = game->reels - 1; r > 0; r--)
		cells.after[r - 1] = cells.after[r] * cells.total[r];
	for (uint32_t lead = 0; lead <= game->reels; lead++)
		cells.wild_worth[lead] = wild_worth(quick, lead);
	for (uint32_t l = 0; l < (even ? 1 : game->line_count); l++) {
		for (uint32_t r = 0; r < game->reels; r++)
			cells.weight[r] = quick->reel[r].weight[game->line[l][r]];
		sum += line_sum(quick, &cells);
	}
	return even ? sum * game->line_count : sum;
}
