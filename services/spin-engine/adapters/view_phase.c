#include "services/spin-engine/adapters/view_phase.h"

#include <string.h>

ProtobufCBinaryData view_bytes(struct arena *arena, const void *bytes, size_t count)
{
	ProtobufCBinaryData data = { .len = count, .data = arena_take(arena, count + 1) };

	if (count > 0)
		memcpy(data.data, bytes, count);
	return data;
}

ProtobufCBinaryData view_cells(struct arena *arena, uint32_t mask)
{
	uint8_t cells[GAME_CELLS_MAX];
	size_t count = 0;

	for (uint8_t cell = 0; cell < GAME_CELLS_MAX; cell++)
		if (mask & (UINT32_C(1) << cell))
			cells[count++] = cell;
	return view_bytes(arena, cells, count);
}

Carillon__WinItem *view_win(struct arena *arena, const char *what, const char *name)
{
	Carillon__WinItem *item = arena_take(arena, sizeof(*item));

	carillon__win_item__init(item);
	item->what = arena_text(arena, what);
	item->name = arena_text(arena, name);
	return item;
}

static uint32_t first_cell(uint32_t mask)
{
	uint32_t cell = 0;

	while (!(mask >> cell & 1))
		cell++;
	return cell;
}

/* The value of a cell; for a jackpot, its pool. */
static const char *win_name(
	const struct game *game, const struct phase *phase, const struct win_item *win)
{
	const struct cell_load *load;

	if (win->what == WIN_JACKPOT)
		return game->jackpot.pool_id;
	if (win->what == WIN_CELL && win->cells != 0) {
		load = &phase->load[first_cell(win->cells)];
		if (load->kind == HOLD_MYSTERY && load->award > 0)
			return game->hold.award[load->award - 1].name;
		if (load->kind == HOLD_MULTIPLIER)
			return "Multiplier";
	}
	return win->symbol < game->symbol_count ? game->symbol[win->symbol].name : "";
}

static void put_wins(struct arena *arena, const struct game *game, const struct phase *phase,
	Carillon__Phase *message)
{
	message->wins = arena_take(arena, (phase->win_count + 1) * sizeof(Carillon__WinItem *));
	for (uint32_t i = 0; i < phase->win_count; i++) {
		const struct win_item *win = &phase->win[i];
		Carillon__WinItem *item = view_win(
			arena, win_what_text((enum win_what)win->what), win_name(game, phase, win));

		item->amount_minor = win->amount.minor;
		item->line = win->line;
		item->symbol = win->symbol;
		item->count = win->count;
		item->cells = view_cells(arena, win->cells);
		item->multiplier = win->multiplier;
		message->wins[message->n_wins++] = item;
	}
}

static void put_draws(struct arena *arena, const struct phase *phase, Carillon__Phase *message)
{
	message->draws = arena_take(arena, (phase->draw_count + 1) * sizeof(Carillon__Draw *));
	for (uint32_t i = 0; i < phase->draw_count; i++) {
		Carillon__Draw *draw = arena_take(arena, sizeof(*draw));
		char text[DRAW_TEXT_MAX];

		carillon__draw__init(draw);
		draw->meaning = arena_text(arena, draw_text(&phase->draw[i], text));
		draw->below = phase->draw[i].below;
		draw->value = phase->draw[i].value;
		message->draws[message->n_draws++] = draw;
	}
}

static void put_screen(struct arena *arena, const struct game *game, const struct phase *phase,
	Carillon__Phase *message)
{
	uint8_t stops[2 * GAME_REELS_MAX];

	for (size_t reel = 0; reel < phase->reels; reel++) {
		stops[2 * reel] = (uint8_t)(phase->stop[reel] >> 8);
		stops[2 * reel + 1] = (uint8_t)phase->stop[reel];
	}
	message->stops = view_bytes(arena, stops, (size_t)2 * phase->reels);
	message->strips = arena_text(arena, game->strips[phase->strips].id);
	message->window = view_bytes(arena, phase->window, (size_t)phase->reels * phase->rows);
	message->covered = view_cells(arena, phase->covered);
	message->held = view_cells(arena, phase->held);
	message->landed = view_cells(arena, phase->landed);
	message->feature_cells = view_cells(arena, phase->feature_cells);
}

static Carillon__CellLoad *load_message(
	struct arena *arena, const struct game *game, uint32_t cell, const struct cell_load *load)
{
	static const char *const kinds[] = {
		[HOLD_VALUE] = "value", [HOLD_MYSTERY] = "mystery", [HOLD_MULTIPLIER] = "multiplier"
	};
	Carillon__CellLoad *message = arena_take(arena, sizeof(*message));

	carillon__cell_load__init(message);
	message->cell = cell;
	message->kind = arena_text(arena, kinds[load->kind]);
	message->x = load->x;
	message->own = load->own;
	if (load->kind == HOLD_MYSTERY && load->award > 0) {
		const struct hold_award *award = &game->hold.award[load->award - 1];

		message->award = arena_text(arena, award->id);
		message->award_name = arena_text(arena, award->name);
		message->award_x = award->x;
	}
	return message;
}

static void put_loads(struct arena *arena, const struct game *game, const struct phase *phase,
	Carillon__Phase *message)
{
	if (phase->loaded == 0)
		return;
	message->loads = arena_take(arena, GAME_CELLS_MAX * sizeof(Carillon__CellLoad *));
	for (uint32_t cell = 0; cell < GAME_CELLS_MAX; cell++)
		if (phase->loaded >> cell & 1)
			message->loads[message->n_loads++] =
				load_message(arena, game, cell, &phase->load[cell]);
}

Carillon__Carried *view_carried(struct arena *arena, const struct game *game, struct money total,
	const struct round_state *state)
{
	Carillon__Carried *message = arena_take(arena, sizeof(*message));

	carillon__carried__init(message);
	message->stake_minor = total.minor;
	message->n_potions = GAME_COLOURS;
	message->potions = arena_take(arena, GAME_COLOURS * sizeof(*message->potions));
	for (uint32_t colour = 0; colour < GAME_COLOURS; colour++)
		message->potions[colour] = state->collectibles[colour];
	message->unlocked = arena_take(arena, GAME_UNLOCK_STEPS_MAX * sizeof(*message->unlocked));
	for (uint32_t i = 0; i <= state->unlocked && i < game->unlock.step_count; i++)
		message->unlocked[message->n_unlocked++] =
			arena_text(arena, unlock_kind_text(game->unlock.step[i].kind));
	return message;
}

static void put_collected(struct arena *arena, const struct game *game, struct money total,
	const struct phase *phase, Carillon__Phase *message)
{
	if (!game->unlock.offered)
		return;
	message->features = arena_take(arena, UNLOCK_KINDS * sizeof(*message->features));
	for (uint32_t kind = 0; kind < UNLOCK_KINDS; kind++)
		if (phase->features >> kind & 1)
			message->features[message->n_features++] =
				arena_text(arena, unlock_kind_text((enum unlock_kind)kind));
	message->explodes = phase->explodes;
	message->potion_colours = view_bytes(arena, phase->collected_colour, phase->reels);
	message->after = view_carried(arena, game, total, &phase->state);
}

Carillon__Phase *view_phase(
	struct arena *arena, const struct game *game, struct money total, const struct phase *phase)
{
	Carillon__Phase *message = arena_take(arena, sizeof(*message));

	carillon__phase__init(message);
	message->index = phase->index;
	message->kind = arena_text(arena, phase_kind_text(phase->kind));
	put_screen(arena, game, phase, message);
	put_wins(arena, game, phase, message);
	put_draws(arena, phase, message);
	put_loads(arena, game, phase, message);
	put_collected(arena, game, total, phase, message);
	message->win_minor = phase->win_total.minor;
	message->free_spins_awarded = phase->free_spins_awarded;
	message->free_spins_left = phase->free_spins_left + phase->free_spins_appended;
	message->free_spins_appended = phase->free_spins_appended;
	message->respins_left = phase->respins_left;
	message->multiplier = phase->multiplier;
	message->claim_index = phase->claim_index;
	if (phase->kind == PHASE_BONUS) {
		message->outcome = arena_text(arena, pick_outcome_kind_text(phase->outcome));
		message->outcome_value = phase->outcome_value;
	}
	return message;
}
