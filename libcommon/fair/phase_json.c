#include "libcommon/fair/private/phase_json.h"

static void cells_json(struct text_out *out, const char *name, uint32_t mask)
{
	uint8_t cells[GAME_CELLS_MAX];
	size_t count = 0;

	for (uint8_t cell = 0; cell < GAME_CELLS_MAX; cell++)
		if (mask >> cell & 1)
			cells[count++] = cell;
	text_hex(out, name, cells, count);
}

/* The value of a cell; for a jackpot, its pool. */
static const char *win_name(
	const struct game *game, const struct phase *phase, const struct win_item *win)
{
	uint32_t cell = 0;

	if (win->what == WIN_JACKPOT)
		return game->jackpot.pool_id;
	if (win->what == WIN_CELL && win->cells != 0) {
		while (!(win->cells >> cell & 1))
			cell++;
		if (phase->load[cell].kind == HOLD_MYSTERY && phase->load[cell].award > 0)
			return game->hold.award[phase->load[cell].award - 1].name;
		if (phase->load[cell].kind == HOLD_MULTIPLIER)
			return "Multiplier";
	}
	return win->symbol < game->symbol_count ? game->symbol[win->symbol].name : "";
}

static void win_json(struct text_out *out, const char *name, const struct win_item *win)
{
	text_open(out, NULL, '{');
	text_string(out, "what", win_what_text((enum win_what)win->what));
	text_uint(out, "line", win->line);
	text_uint(out, "symbol", win->symbol);
	text_uint(out, "count", win->count);
	text_int(out, "amount_minor", win->amount.minor);
	cells_json(out, "cells", win->cells);
	text_uint(out, "multiplier", win->multiplier);
	text_string(out, "name", name);
	text_close(out, '}');
}

/* A jackpot won by symbols is among the wins; one won by vials is shown as one more. */
static void wins_json(
	struct text_out *out, const struct game *game, const struct phase *phase, int64_t paid)
{
	bool listed = !phase->jackpot_hit;

	text_open(out, "wins", '[');
	for (uint32_t i = 0; i < phase->win_count; i++) {
		struct win_item win = phase->win[i];

		if (phase->jackpot_hit && win.what == WIN_JACKPOT) {
			win.amount = money_of(paid);
			listed = true;
		}
		win_json(out, win_name(game, phase, &win), &win);
	}
	if (!listed) {
		const struct win_item win = { .what = WIN_JACKPOT,
			.symbol = game->bonus,
			.count = (uint8_t)phase->feature_count,
			.cells = phase->feature_cells,
			.amount = money_of(paid) };

		win_json(out, game->jackpot.pool_id, &win);
	}
	text_close(out, ']');
}

static void draws_json(struct text_out *out, const struct phase *phase)
{
	char text[DRAW_TEXT_MAX];

	text_open(out, "draws", '[');
	for (uint32_t i = 0; i < phase->draw_count; i++) {
		text_open(out, NULL, '{');
		text_string(out, "meaning", draw_text(&phase->draw[i], text));
		text_uint(out, "below", phase->draw[i].below);
		text_uint(out, "value", phase->draw[i].value);
		text_close(out, '}');
	}
	text_close(out, ']');
}

static void load_json(
	struct text_out *out, const struct game *game, uint32_t cell, const struct cell_load *load)
{
	static const char *const kinds[] = {
		[HOLD_VALUE] = "value", [HOLD_MYSTERY] = "mystery", [HOLD_MULTIPLIER] = "multiplier"
	};
	const struct hold_award *award = load->kind == HOLD_MYSTERY && load->award > 0
						 ? &game->hold.award[load->award - 1]
						 : NULL;

	text_open(out, NULL, '{');
	text_uint(out, "cell", cell);
	text_string(out, "kind", kinds[load->kind]);
	text_uint(out, "x", load->x);
	text_string(out, "award", award ? award->id : "");
	text_string(out, "award_name", award ? award->name : "");
	text_uint(out, "award_x", award ? award->x : 0);
	text_uint(out, "own", load->own);
	text_close(out, '}');
}

static void after_json(struct text_out *out, const struct game *game, struct money total,
	const struct round_state *state)
{
	if (!game->unlock.offered) {
		text_null(out, "after");
		return;
	}
	text_open(out, "after", '{');
	text_int(out, "stake_minor", total.minor);
	text_open(out, "potions", '[');
	for (uint32_t colour = 0; colour < GAME_COLOURS; colour++)
		text_uint(out, NULL, state->collectibles[colour]);
	text_close(out, ']');
	text_open(out, "unlocked", '[');
	for (uint32_t i = 0; i <= state->unlocked && i < game->unlock.step_count; i++)
		text_string(out, NULL, unlock_kind_text(game->unlock.step[i].kind));
	text_close(out, ']');
	text_close(out, '}');
}

static void stops_json(struct text_out *out, const struct phase *phase)
{
	uint8_t stops[2 * GAME_REELS_MAX];

	for (size_t reel = 0; reel < phase->reels; reel++) {
		stops[2 * reel] = (uint8_t)(phase->stop[reel] >> 8);
		stops[2 * reel + 1] = (uint8_t)phase->stop[reel];
	}
	text_hex(out, "stops", stops, (size_t)2 * phase->reels);
}

static void loads_json(struct text_out *out, const struct game *game, const struct phase *phase)
{
	text_open(out, "loads", '[');
	for (uint32_t cell = 0; cell < GAME_CELLS_MAX; cell++)
		if (phase->loaded >> cell & 1)
			load_json(out, game, cell, &phase->load[cell]);
	text_close(out, ']');
}

static void collected_json(struct text_out *out, const struct game *game, struct money total,
	const struct phase *phase)
{
	bool collects = game->unlock.offered;

	text_open(out, "features", '[');
	for (uint32_t kind = 0; collects && kind < UNLOCK_KINDS; kind++)
		if (phase->features >> kind & 1)
			text_string(out, NULL, unlock_kind_text((enum unlock_kind)kind));
	text_close(out, ']');
	text_bool(out, "explodes", collects && phase->explodes);
	text_hex(out, "potion_colours", phase->collected_colour, collects ? phase->reels : 0);
	after_json(out, game, total, &phase->state);
}

void phase_json(struct text_out *out, const struct game *game, struct money total,
	const struct phase *phase, int64_t paid)
{
	bool bonus = phase->kind == PHASE_BONUS;

	text_open(out, NULL, '{');
	text_uint(out, "index", phase->index);
	text_string(out, "kind", phase_kind_text(phase->kind));
	stops_json(out, phase);
	text_hex(out, "window", phase->window, (size_t)phase->reels * phase->rows);
	wins_json(out, game, phase, paid);
	text_int(out, "win_minor", phase->win_total.minor);
	text_uint(out, "free_spins_awarded", phase->free_spins_awarded);
	text_uint(out, "free_spins_left", phase->free_spins_left + phase->free_spins_appended);
	text_uint(out, "multiplier", phase->multiplier);
	text_string(out, "outcome", bonus ? pick_outcome_kind_text(phase->outcome) : "");
	text_int(out, "outcome_value", bonus ? phase->outcome_value : 0);
	text_uint(out, "claim_index", phase->claim_index);
	draws_json(out, phase);
	cells_json(out, "covered", phase->covered);
	cells_json(out, "held", phase->held);
	cells_json(out, "landed", phase->landed);
	loads_json(out, game, phase);
	text_uint(out, "respins_left", phase->respins_left);
	text_uint(out, "free_spins_appended", phase->free_spins_appended);
	collected_json(out, game, total, phase);
	text_string(out, "strips", game->strips[phase->strips].id);
	cells_json(out, "feature_cells", phase->feature_cells);
	text_close(out, '}');
}
