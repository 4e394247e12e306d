/* What all features of a round do in the same way: phases, draws, reels, wins. */
#include "services/spin-engine/core/round_parts.h"

#include <assert.h>
#include <string.h>

/* ---- phases ---- */

void phase_open(struct round *round, enum phase_kind kind, struct phase *phase)
{
	const struct game *game = round->game;

	/* all but the draws and wins, which are filled only as far as their counts */
	phase->index = round->phases++;
	phase->kind = kind;
	phase->needs_player = NEEDS_NOTHING;
	phase->picks_needed = 0;
	phase->vials_shown = 0;
	phase->reels = (uint8_t)game->reels;
	phase->rows = (uint8_t)game->rows;
	phase->landed = 0;
	phase->win_count = 0;
	phase->win_total = money_of(0);
	phase->feature_cells = 0;
	phase->feature_count = 0;
	phase->battle_won = false;
	phase->outcome = VIAL_MONEY;
	phase->outcome_value = 0;
	phase->free_spins_awarded = 0;
	phase->multiplier = 1;
	phase->features = 0;
	phase->explodes = false;
	memset(phase->potion_reel_colour, 0, sizeof(phase->potion_reel_colour));
	phase->jackpot_hit = false;
	phase->claim_index = 0;
	phase->draw_count = 0;
}

void phase_close(const struct round *round, struct phase *phase)
{
	phase->strips = round->strips;
	memcpy(phase->stop, round->stop, sizeof(phase->stop));
	memcpy(phase->window, round->window, sizeof(phase->window));
	phase->covered = round->covered;
	phase->held = round->held;
	phase->loaded = round->hold_cells;
	if (round->hold_cells != 0)
		memcpy(phase->load, round->load, sizeof(phase->load));
	phase->free_spins_left = round->free_left;
	phase->free_spins_appended = round->free_appended;
	phase->respins_left = round->hold_running ? round->hold_left : round->sticky_left;
	phase->state = round->state;
}

/* ---- draws ---- */

static void add_draw(struct phase *phase, enum draw_meaning meaning, uint32_t where, uint64_t below,
	uint64_t value)
{
	assert(phase->draw_count < PHASE_DRAWS_MAX);
	phase->draw[phase->draw_count++] = (struct draw){
		.meaning = (uint8_t)meaning, .where = (uint8_t)where, .below = below, .value = value
	};
}

uint32_t draw_below(struct round *round, struct phase *phase, enum draw_meaning meaning,
	uint32_t where, uint32_t below)
{
	uint32_t value = rng_below(round->rng, below);

	add_draw(phase, meaning, where, below, value);
	return value;
}

uint64_t draw_below64(struct round *round, struct phase *phase, enum draw_meaning meaning,
	uint32_t where, uint64_t below)
{
	uint64_t value = rng_below64(round->rng, below);

	add_draw(phase, meaning, where, below, value);
	return value;
}

uint32_t choice_of(const struct choices *choices, uint32_t value)
{
	uint32_t i = 0;

	while (value >= choices->of[i].weight) {
		value -= choices->of[i++].weight;
		assert(i < choices->count);
	}
	return choices->of[i].x;
}

uint32_t draw_choice(struct round *round, struct phase *phase, enum draw_meaning meaning,
	uint32_t where, const struct choices *choices)
{
	return choice_of(choices, draw_below(round, phase, meaning, where, choices->weight));
}

bool draw_odds(struct round *round, struct phase *phase, enum draw_meaning meaning, uint32_t where,
	struct odds odds)
{
	return draw_below(round, phase, meaning, where, odds.of) < odds.in;
}

/* ---- reels ---- */

uint32_t cells_of(const struct round *round, uint8_t symbol)
{
	uint32_t cells = 0, count = round->game->reels * round->game->rows;

	for (uint32_t cell = 0; cell < count; cell++)
		cells |= (uint32_t)(round->window[cell] == symbol) << cell;
	return cells;
}

uint32_t cells_of_reel(const struct game *game, uint32_t reel)
{
	return ((UINT32_C(1) << game->rows) - 1) << (reel * game->rows);
}

void show_reels(
	struct round *round, uint32_t set, uint32_t wild_reels, struct reel_column *columns_r)
{
	const struct game *game = round->game;
	struct reel_column column;

	round->strips = (uint8_t)set;
	round->covered = round->held = round->hold_cells = 0;
	for (uint32_t r = 0; r < game->reels; r++) {
		reel_column(game, set, r, round->stop[r], wild_reels, &column);
		memcpy(round->window + r * game->rows, column.symbol, game->rows);
		round->covered |= (uint32_t)column.covered << (r * game->rows);
		if (columns_r)
			columns_r[r] = column;
	}
}

uint16_t draw_stop(struct round *round, struct phase *phase, uint32_t set, uint32_t reel)
{
	const struct game_strip *strip = &round->game->strips[set].reel[reel];

	return strip->stop_of[draw_below(round, phase, DRAW_STOP, reel, strip->weight)];
}

void spin_reels(
	struct round *round, struct phase *phase, uint32_t set, struct reel_column *columns_r)
{
	for (uint32_t r = 0; r < round->game->reels; r++)
		round->stop[r] = draw_stop(round, phase, set, r);
	show_reels(round, set, 0, columns_r);
}

/* ---- wins ---- */

struct money times(struct money amount, uint64_t factor)
{
	struct money product;
	bool fits = factor <= INT64_MAX && money_mul(amount, (int64_t)factor, &product);

	assert(fits); /* the loader's bounds; a definition that could reach 2^63 never gets here */
	return product;
}

/* RULE bewitched 2.3, 2.8: wins are added. */
void add_win(struct phase *phase, struct win_item item)
{
	bool fits = money_add(phase->win_total, item.amount, &phase->win_total);

	assert(fits && phase->win_count < PHASE_WINS_MAX);
	phase->win[phase->win_count++] = item;
}

/* RULE bewitched 3.9, 3.19: priced by the pool, in the order of the round. */
void claim_jackpot(struct round *round, struct phase *phase)
{
	if (phase->jackpot_hit)
		return;
	phase->jackpot_hit = true;
	phase->claim_index = ++round->claims;
}

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

static uint32_t cells_of_line(const struct game *game, uint32_t line, uint32_t count)
{
	uint32_t cells = 0;

	for (uint32_t r = 0; r < count; r++)
		cells |= UINT32_C(1) << game->line_cell[line][r];
	return cells;
}

static void pay_line(
	struct round *round, struct phase *phase, uint32_t line, const struct line_pay *pay)
{
	struct win_item item = { .what = WIN_LINE,
		.symbol = pay->symbol,
		.count = pay->count,
		.line = (uint8_t)(line + 1),
		.cells = cells_of_line(round->game, line, pay->count),
		.multiplier = pay->multiplier };

	if (pay->jackpot) {
		if (round->game->jackpot_symbols.anywhere)
			return; /* claimed and shown once, by all its cells */
		item.what = WIN_JACKPOT;
		claim_jackpot(round, phase);
	} else {
		item.amount = times(round->line_bet, pay->coins); /* RULE bewitched 2.4, 3.12 */
	}
	add_win(phase, item);
}

void pay_lines(struct round *round, struct phase *phase, const struct line_terms *terms)
{
	for (uint32_t l = 0; l < round->bet.lines; l++) { /* RULE bewitched 1.1: selected lines */
		struct line_pay pay = line_best(round->game, round->window, l, terms);

		if (pay.coins > 0 || pay.jackpot)
			pay_line(round, phase, l, &pay);
	}
}

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

void pay_scatters(struct round *round, struct phase *phase, enum spin_context context)
{
	const struct game *game = round->game;

	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		uint8_t symbol = game->scatter[i];
		uint32_t cells;

		if (i == 0 && game->scatter_count_min > 0)
			continue; /* pays in its battle */
		cells = cells_of(round, symbol);
		if (cells == 0)
			continue;
		pay_scatter(round, phase, symbol, cells);
		if (symbol == game->free_spins.award_symbol)
			award_free_spins(round, phase,
				game->free_spins.award[context][__builtin_popcount(cells)]);
	}
}

/* RULE bewitched 3.15: what is won while free spins are played is played after them; together what
 * one paid spin awards is one set. */
void award_free_spins(struct round *round, struct phase *phase, uint32_t count)
{
	phase->free_spins_awarded += count;
	if (round->free_started)
		round->free_appended += count;
	else
		round->free_left += count;
}
