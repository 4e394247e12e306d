/* The wins of a phase: lines, scatters, free spins, the progressive. */
#include "libcommon/game/core/round_parts.h"

#include <assert.h>

struct money times(struct money amount, uint64_t factor)
{
	struct money product;
	bool fits = factor <= INT64_MAX && money_mul(amount, (int64_t)factor, &product);

	assert(fits); /* the loader's bounds: it refuses definitions that could reach 2^63 */
	return product;
}

/* RULE bewitched 2.3, 2.8; RULE mystic-gem 2.5, 2.8; RULE mystery-elves 2.3, 2.6; RULE
 * mona-lisa 2.3, 2.5; RULE witch-feature 2.5: wins are added. */
void add_win(struct phase *phase, struct win_item item)
{
	bool fits = money_add(phase->win_total, item.amount, &phase->win_total);

	assert(fits && phase->win_count < PHASE_WINS_MAX);
	phase->win[phase->win_count++] = item;
}

/* RULE bewitched 3.9, 3.19; RULE mona-lisa 4.13: the pool prices it, in the order of the round. */
void claim_jackpot(struct round *round, struct phase *phase)
{
	if (phase->jackpot_hit)
		return;
	phase->jackpot_hit = true;
	phase->claim_index = ++round->claims;
}

/* RULE mona-lisa 4.2, 4.4, 4.5 */
bool progressive_live(const struct round *round, enum spin_context context)
{
	const struct jackpot_symbols *rules = &round->game->jackpot_symbols;

	return rules->symbol != GAME_NO_SYMBOL && context != CONTEXT_RESPIN &&
	       (!rules->max_bet_only || bet_is_max(round->game, &round->bet));
}

void claim_anywhere(struct round *round, struct phase *phase, enum spin_context context)
{
	const struct jackpot_symbols *rules = &round->game->jackpot_symbols;
	uint32_t cells, count;

	if (!rules->anywhere || !progressive_live(round, context))
		return;
	cells = cells_of(round, rules->symbol);
	count = (uint32_t)__builtin_popcount(cells);
	if (count < rules->count)
		return;
	claim_jackpot(round, phase);
	add_win(phase, (struct win_item){ .what = WIN_JACKPOT,
			       .symbol = rules->symbol,
			       .count = (uint8_t)count,
			       .cells = cells });
}

static void pay_line(
	struct round *round, struct phase *phase, uint32_t line, const struct line_pay *pay)
{
	struct win_item item = { .what = WIN_LINE,
		.symbol = pay->symbol,
		.count = pay->count,
		.line = (uint8_t)(line + 1),
		.cells = round->game->line_cells[line][pay->count],
		.multiplier = pay->multiplier };

	if (pay->jackpot) {
		if (round->game->jackpot_symbols.anywhere)
			return; /* claimed once and shown with all its cells */
		item.what = WIN_JACKPOT;
		claim_jackpot(round, phase);
	} else { /* RULE bewitched 2.4, 3.12; RULE mystic-gem 2.4; RULE mystery-elves 2.1; RULE
		    mona-lisa 2.4; RULE witch-feature 2.3 */
		item.amount = times(round->line_bet, pay->coins);
	}
	add_win(phase, item);
}

/* Most lines fail at the second or third reel. One mask says which lines that begin in this row of
 * the first reel can still win: all cells of the shortest paying combination must be in it. Lines
 * that begin with a wild go to line_best. */
static uint32_t hopeful_cells(const struct round *round, uint32_t row, uint32_t *shortest_r)
{
	const struct game *game = round->game;
	uint8_t first = round->window[row];
	uint32_t cells;

	*shortest_r = game->pays_from[first];
	if (first == game->wild) {
		*shortest_r = 0;
		return UINT32_MAX;
	}
	if (*shortest_r > game->reels)
		return 0;
	cells = cells_of(round, first);
	if (game->symbol[first].kind == SYMBOL_LINE && game->wild != GAME_NO_SYMBOL)
		cells |= cells_of(round, game->wild);
	return cells;
}

void pay_lines(struct round *round, struct phase *phase, const struct line_terms *terms)
{
	const struct game *game = round->game;
	uint32_t cells[GAME_ROWS_MAX], shortest[GAME_ROWS_MAX];

	for (uint32_t row = 0; row < game->rows; row++)
		cells[row] = hopeful_cells(round, row, &shortest[row]);
	/* RULE bewitched 1.1; RULE mona-lisa 1.1: selected lines */
	for (uint32_t l = 0; l < round->bet.lines; l++) {
		uint32_t row = game->line[l][0];
		struct line_pay pay;

		if (cells[row] == 0 || (game->line_cells[l][shortest[row]] & ~cells[row]) != 0)
			continue;
		pay = line_best(game, round->window, l, terms);
		if (pay.coins > 0 || pay.jackpot)
			pay_line(round, phase, l, &pay);
	}
}

/* RULE mystic-gem 2.6, 2.7; RULE mystery-elves 2.4, 2.5; RULE mona-lisa 2.6: by the number of
 * cells, times the total bet, in every mode, never multiplied. */
static void pay_scatter(struct round *round, struct phase *phase, uint8_t symbol, uint32_t cells)
{
	uint32_t count = (uint32_t)__builtin_popcount(cells);
	uint32_t pay;

	assert(count <= round->game->reels); /* one a reel: the loader's check */
	pay = round->game->symbol[symbol].pay[count];
	if (pay > 0)
		add_win(phase, (struct win_item){ .what = WIN_SCATTER,
				       .symbol = symbol,
				       .count = (uint8_t)count,
				       .cells = cells,
				       .multiplier = pay,
				       .amount = times(round->total, pay) });
}

/* RULE mona-lisa 3.10, 3.13; RULE witch-feature 6.1, 6.7, 6.8, 6.11: the scatters award free spins.
 * RULE mystery-elves 2.7: in a game with wild_counts, wilds count as scatters. */
void pay_scatters(struct round *round, struct phase *phase, enum spin_context context)
{
	const struct game *game = round->game;

	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		uint8_t symbol = game->scatter[i];
		uint32_t cells;

		if (i == 0 && game->scatter_count_min > 0)
			continue; /* pays in its scatter award */
		cells = cells_counting(round, symbol);
		if (cells == 0)
			continue;
		pay_scatter(round, phase, symbol, cells);
		if (symbol == game->free_spins.award_symbol)
			award_free_spins(round, phase,
				game->free_spins.award[context][__builtin_popcount(cells)]);
	}
}

/* RULE bewitched 3.15; RULE mona-lisa 3.18; RULE witch-feature 6.9: free spins won during free
 * spins are played after them; all free spins that one paid spin awards are one set. */
void award_free_spins(struct round *round, struct phase *phase, uint32_t count)
{
	phase->free_spins_awarded += count;
	if (round->free_started)
		round->free_appended += count;
	else
		round->free_left += count;
}
