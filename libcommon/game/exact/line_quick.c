#include "libcommon/game/line_quick.h"

#include <assert.h>
#include <string.h>

/* The weights of one line's cells: [reel] -> weight of each symbol. */
struct line_cells {
	const uint64_t *weight[GAME_REELS_MAX];
	uint64_t total[GAME_REELS_MAX];
	exact_count after[GAME_REELS_MAX]; /* product of the totals of the later reels */
	/* what k leading wilds pay, whatever follows */
	uint64_t wild_worth[GAME_REELS_MAX + 1];
};

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

/* What the first `count` cells pay if all are wild, whatever follows. */
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

/* A line with k leading wilds pays max(worth of k wilds, pay of the run): the sum of what each
 * further cell adds, so the symbols after a run do not matter. Ways of exactly k leading wilds are
 * ways of at least k minus ways of at least k + 1, so if k and k + 1 pay the same, the second term
 * is 0. If fewer than three of a symbol pay nothing, most of its runs have k = 0. */
static void run_steps(struct line_quick *quick, uint32_t symbol)
{
	const struct game *game = quick->game;
	struct line_steps *steps = &quick->steps;
	bool helped = quick->stand_in >> symbol & 1;
	uint64_t step[GAME_REELS_MAX][GAME_REELS_MAX + 1];

	for (uint32_t k = 0; k < (helped ? game->reels : 1); k++) {
		uint64_t floor = wild_worth(quick, k), before = floor;

		for (uint32_t n = k + 1; n <= game->reels; n++) {
			uint64_t pay = times_wilds(&quick->terms, game->symbol[symbol].pay[n], 0);
			uint64_t worth = pay > floor ? pay : floor;

			steps->most = worth > steps->most ? worth : steps->most;
			step[k][n] = worth - before;
			steps->run[symbol][k][n] = step[k][n] - (k > 0 ? step[k - 1][n] : 0);
			if (steps->run[symbol][k][n] != 0)
				steps->leads[symbol] |= UINT32_C(1) << k;
			before = worth;
		}
		/* k + 1 wilds are not k wilds and then the symbol */
		if (helped)
			steps->wild[k + 1] -= step[k][k + 1];
	}
}

static void steps_init(struct line_quick *quick)
{
	const struct game *game = quick->game;
	struct line_steps *steps = &quick->steps;

	for (uint32_t n = 1; n <= game->reels; n++) {
		uint64_t worth = wild_worth(quick, n);

		steps->most = worth > steps->most ? worth : steps->most;
		steps->wild[n] = worth - wild_worth(quick, n - 1);
	}
	for (uint32_t s = 0; s < game->symbol_count; s++)
		if (s != game->wild &&
			((quick->stand_in >> s & 1) != 0 || game->symbol[s].kind == SYMBOL_JACKPOT))
			run_steps(quick, s);
}

void line_quick_init(struct line_quick *quick, const struct game *game, uint32_t set,
	uint32_t wild_reels, const struct line_terms *terms)
{
	*quick = (struct line_quick){
		.game = game, .set = set, .wild_reels = wild_reels, .terms = *terms
	};
	for (uint32_t s = 0; s < game->symbol_count; s++)
		if (game->symbol[s].kind == SYMBOL_LINE)
			quick->stand_in |= UINT32_C(1) << s;
	if (terms->wild_multiplier_count == 0)
		steps_init(quick);
	line_graph_init(&quick->graph, game);
	for (uint32_t r = 0; r < game->reels; r++)
		line_quick_renew(quick, r);
}

/* Runs of `symbol` behind `lead` wilds: the sum over length and wilds of pay x weight. `head` is
 * the weight of the leading wilds. */
static exact_count runs_of(const struct line_quick *quick, const struct line_cells *cells,
	uint32_t symbol, uint32_t lead, exact_count head, uint64_t floor)
{
	const struct game *game = quick->game;
	bool helped = quick->stand_in >> symbol & 1;
	exact_count ways[GAME_REELS_MAX + 1] = { 0 }, sum = 0; /* by wilds after the lead */
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
				sum += runs_of(quick, cells, s, lead, head, worth);
			else
				sum += head * weight * cells->after[lead] * worth;
		}
		head *= game->wild != GAME_NO_SYMBOL ? cells->weight[lead][game->wild] : 0;
		if (head == 0)
			return sum;
	}
	return sum + head * cells->wild_worth[game->reels];
}

/* Ways by the node they lead to, all cells wild: [node]. The root's is 1. Returns what they pay. */
static uint64_t wilds_forward(const struct line_quick *quick, const struct line_graph *graph,
	const uint64_t *totals_after, uint64_t *ways)
{
	const struct game *game = quick->game;
	uint64_t sum = 0;

	memset(ways, 0, graph->first[graph->reels + 1] * sizeof(*ways));
	ways[0] = 1;
	for (uint32_t level = 0; game->wild != GAME_NO_SYMBOL && level < game->reels; level++) {
		uint64_t alive = 0;

		for (uint32_t i = graph->first[level]; i < graph->first[level + 1]; i++)
			for (uint32_t e = graph->edge_first[i]; e < graph->edge_first[i + 1]; e++)
				ways[graph->edge[e].to] +=
					ways[i] *
					quick->reel[level].weight[graph->edge[e].row][game->wild];
		for (uint32_t i = graph->first[level + 1]; i < graph->first[level + 2]; i++)
			alive += ways[i] * graph->lines[i];
		sum += alive * quick->steps.wild[level + 1] * totals_after[level];
	}
	return sum;
}

/* What runs of a symbol that begin with `lead` wilds pay. `step`: by length, times the totals of
 * the later reels. Computes, from the last reel to the first, what a node's lines pay from there
 * on, for one way to the node. */
static uint64_t runs_back(const struct line_graph *graph, uint64_t on[][GAME_ROWS_MAX],
	const uint64_t *step, uint32_t lead, const uint64_t *ways)
{
	uint64_t paid[LINE_GRAPH_NODES], sum = 0;
	uint32_t last = graph->reels;

	for (uint32_t i = graph->first[last]; i < graph->first[last + 1]; i++)
		paid[i] = step[last] * graph->lines[i];
	for (uint32_t level = last - 1; level > lead; level--)
		for (uint32_t i = graph->first[level]; i < graph->first[level + 1]; i++) {
			paid[i] = step[level] * graph->lines[i];
			for (uint32_t e = graph->edge_first[i]; e < graph->edge_first[i + 1]; e++)
				paid[i] += on[level][graph->edge[e].row] * paid[graph->edge[e].to];
		}
	for (uint32_t i = graph->first[lead]; i < graph->first[lead + 1]; i++) {
		uint64_t own = 0;

		for (uint32_t e = graph->edge_first[i]; e < graph->edge_first[i + 1]; e++)
			own += on[lead][graph->edge[e].row] * paid[graph->edge[e].to];
		sum += ways[i] * own;
	}
	return sum;
}

/* Everything modulo 2^64; the sum is known to be less. Wilds multiply nothing here, so how many are
 * in a run does not matter. */
static uint64_t narrow_sum(const struct line_quick *quick)
{
	const struct line_graph *graph = &quick->graph;
	const struct game *game = quick->game;
	uint64_t ways[LINE_GRAPH_NODES], after[GAME_REELS_MAX], sum;
	uint32_t n = game->reels;

	after[n - 1] = 1;
	for (uint32_t r = n - 1; r > 0; r--)
		after[r - 1] = after[r] * quick->reel[r].total;
	sum = wilds_forward(quick, graph, after, ways);
	for (uint32_t s = 0; s < game->symbol_count; s++) {
		bool helped = (quick->stand_in >> s & 1) != 0 && game->wild != GAME_NO_SYMBOL;
		uint64_t on[GAME_REELS_MAX][GAME_ROWS_MAX], step[GAME_REELS_MAX + 1];

		if (quick->steps.leads[s] == 0)
			continue;
		for (uint32_t r = 0; r < n; r++)
			for (uint32_t row = 0; row < game->rows; row++) {
				const uint64_t *weight = quick->reel[r].weight[row];

				on[r][row] = weight[s] + (helped ? weight[game->wild] : 0);
			}
		for (uint32_t lead = 0; lead < n; lead++) {
			if ((quick->steps.leads[s] >> lead & 1) == 0)
				continue;
			for (uint32_t i = lead + 1; i <= n; i++)
				step[i] = quick->steps.run[s][lead][i] * after[i - 1];
			sum += runs_back(graph, on, step, lead, ways);
		}
	}
	return sum;
}

/* The same of the first line alone. */
static uint64_t narrow_line(const struct line_quick *quick)
{
	const struct game *game = quick->game;
	const struct line_steps *steps = &quick->steps;
	const uint64_t *weight[GAME_REELS_MAX];
	uint64_t ways[GAME_REELS_MAX + 1] = { 1 }, after[GAME_REELS_MAX], sum = 0;
	uint32_t n = game->reels;

	after[n - 1] = 1;
	for (uint32_t r = n - 1; r > 0; r--)
		after[r - 1] = after[r] * quick->reel[r].total;
	for (uint32_t r = 0; r < n; r++) {
		weight[r] = quick->reel[r].weight[game->line[0][r]];
		ways[r + 1] = game->wild != GAME_NO_SYMBOL ? ways[r] * weight[r][game->wild] : 0;
		sum += ways[r + 1] * steps->wild[r + 1] * after[r];
	}
	for (uint32_t s = 0; s < game->symbol_count; s++) {
		bool helped = (quick->stand_in >> s & 1) != 0 && game->wild != GAME_NO_SYMBOL;

		for (uint32_t lead = 0; steps->leads[s] >> lead != 0; lead++) {
			uint64_t run = ways[lead];

			if ((steps->leads[s] >> lead & 1) == 0)
				continue;
			for (uint32_t r = lead; r < n; r++) {
				run *= weight[r][s] + (helped ? weight[r][game->wild] : 0);
				sum += run * after[r] * steps->run[s][lead][r + 1];
			}
		}
	}
	return sum;
}

static exact_count wide_sum(const struct line_quick *quick, uint32_t lines)
{
	const struct game *game = quick->game;
	struct line_cells cells;
	exact_count sum = 0;

	for (uint32_t r = 0; r < game->reels; r++)
		cells.total[r] = quick->reel[r].total;
	cells.after[game->reels - 1] = 1;
	for (uint32_t r = game->reels - 1; r > 0; r--)
		cells.after[r - 1] = cells.after[r] * cells.total[r];
	for (uint32_t lead = 0; lead <= game->reels; lead++)
		cells.wild_worth[lead] = wild_worth(quick, lead);
	for (uint32_t l = 0; l < lines; l++) {
		for (uint32_t r = 0; r < game->reels; r++)
			cells.weight[r] = quick->reel[r].weight[game->line[l][r]];
		sum += line_sum(quick, &cells);
	}
	return sum;
}

exact_count line_quick_sum(const struct line_quick *quick, exact_count *total_r)
{
	const struct game *game = quick->game;
	exact_count bound, sum;
	bool even = true;

	assert(game->reels > 0);
	*total_r = 1;
	for (uint32_t r = 0; r < game->reels; r++) {
		*total_r *= quick->reel[r].total;
		even &= quick->even[r];
	}
	if (quick->terms.wild_multiplier_count > 0 || *total_r > UINT64_MAX ||
		__builtin_mul_overflow(*total_r, quick->steps.most * game->line_count, &bound) ||
		bound > UINT64_MAX)
		sum = wide_sum(quick, even ? 1 : game->line_count);
	else
		sum = even ? narrow_line(quick) : narrow_sum(quick);
	return even ? sum * game->line_count : sum;
}
