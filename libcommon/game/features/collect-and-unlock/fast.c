#include "libcommon/game/montecarlo/features.h"

#include <string.h>

#define COMBINATION 3u

static const enum fast_source source_of[POTION_KINDS] = { FAST_HIGH_SYMBOLS, FAST_RANDOM_WILDS,
	FAST_MULTIPLIER, FAST_MEGA_WILD };

/* ---- respins ---- */

static bool odds_draw(struct fast_player *player, struct odds odds)
{
	return stream_below(&player->draws, odds.of) < odds.in;
}

/* How many on each reel, then which rows. */
static uint32_t cells_draw(struct fast_player *player, const struct choices counts[GAME_REELS_MAX])
{
	const struct game *game = player->sim->game;
	uint32_t cells = 0;

	for (uint32_t r = 0; r < game->reels; r++) {
		uint32_t count = choice_draw(&player->draws, &counts[r]);

		if (count > 0)
			cells |= row_set(game->rows, count,
					 stream_below(&player->draws, row_sets(game->rows, count)))
				 << (r * game->rows);
	}
	return cells;
}

static uint32_t mega_draw(struct fast_player *player)
{
	const struct potion_rules *rules = &player->sim->game->potions;
	uint32_t value = stream_below(&player->draws, rules->mega_weight), i = 0;

	while (value >= rules->mega[i].weight)
		value -= rules->mega[i++].weight;
	return rules->mega[i].cells;
}

static void cover(const struct game *game, uint8_t *window, uint32_t cells, uint8_t symbol)
{
	for (uint32_t cell = 0; cell < game->reels * game->rows; cell++)
		if ((cells >> cell & 1) != 0)
			window[cell] = symbol;
}

/* Coins a line of a spin on the set with wilds laid over it. */
static uint32_t covered_spin(struct fast_player *player, uint32_t set, uint32_t wilds)
{
	const struct game *game = player->sim->game;
	uint8_t window[GAME_CELLS_MAX];

	for (uint32_t r = 0; r < game->reels; r++) {
		struct reel_column column;

		column_draw(player, set, r, &column);
		memcpy(window + r * game->rows, column.symbol, game->rows);
	}
	cover(game, window, wilds, game->wild);
	return window_pay(game, &player->sim->lines, window);
}

static uint32_t set_of(const struct game *game, enum potion_kind kind)
{
	uint32_t i = 0;

	while (game->potions.step[i].kind != kind)
		i++;
	return game->potions.step[i].strips;
}

/* Coins a line of one respin of this kind. */
static uint32_t respin(struct fast_player *player, enum potion_kind kind)
{
	const struct game *game = player->sim->game;
	struct place place;

	switch (kind) {
	case POTION_HIGH_SYMBOLS:
	case POTION_MULTIPLIER:
		return table_spin(&player->sim->potion[kind], &player->draws, &place);
	case POTION_RANDOM_WILDS:
		return covered_spin(
			player, set_of(game, kind), cells_draw(player, game->potions.wilds));
	case POTION_MEGA_WILD:
		return covered_spin(player, set_of(game, kind), mega_draw(player));
	}
	return 0;
}

/* The multiplier alone is played until a win, anything else once; together they are one respin of
 * the other, multiplied. */
static void feature(struct fast_player *player, uint32_t features)
{
	const uint32_t multiplying = 1u << POTION_MULTIPLIER;
	uint32_t other = features & ~multiplying;
	enum potion_kind kind =
		other != 0 ? (enum potion_kind)__builtin_ctz(other) : POTION_MULTIPLIER;
	uint32_t gain;
	uint64_t multiplier = 1;

	for (uint32_t k = 0; k < POTION_KINDS; k++)
		player->stats->event[FAST_EVENT_HIGH_SYMBOLS + k] += features >> k & 1;
	if ((features & multiplying) != 0)
		multiplier = choice_draw(&player->draws, &player->sim->game->potions.multiplier);
	do {
		gain = respin(player, kind);
	} while (kind == POTION_MULTIPLIER && gain == 0);
	run_add(player, source_of[kind], gain * multiplier * player->sim->line_bet);
}

/* Question marks over the spin as it was paid, all becoming one symbol; never over the symbol that
 * awards free spins. */
static void explode(struct fast_player *player, const struct place *place)
{
	const struct game *game = player->sim->game;
	uint8_t window[GAME_CELLS_MAX];
	uint32_t marks = cells_draw(player, game->potions.marks);

	player->stats->event[FAST_EVENT_EXPLOSION]++;
	window_of(place, window);
	for (uint32_t cell = 0; cell < game->reels * game->rows; cell++)
		if (window[cell] == game->free_spins.award_symbol)
			marks &= ~(1u << cell);
	cover(game, window, marks, (uint8_t)choice_draw(&player->draws, &game->potions.revealed));
	run_add(player, FAST_EXPLOSION,
		window_pay(game, &player->sim->lines, window) * player->sim->line_bet);
}

/* ---- collecting ---- */

/* Three potions: a feature that is open, or an explosion, or nothing. */
static void combine(struct fast_player *player, const struct place *place)
{
	const struct potion_rules *rules = &player->sim->game->potions;
	struct round_state *state = &player->state;
	uint32_t step = 0;

	while (step < rules->step_count &&
		memcmp(rules->step[step].needs, state->potions, sizeof(state->potions)) != 0)
		step++;
	memset(state->potions, 0, sizeof(state->potions));
	if (step < rules->step_count && step <= state->unlocked) {
		if (step == state->unlocked && step + 1 < rules->step_count)
			state->unlocked++;
		feature(player, 1u << rules->step[step].kind);
	} else if (odds_draw(player, step < rules->step_count
					     ? rules->explosion_locked[rules->step[step].kind]
					     : rules->explosion)) {
		explode(player, place);
	}
}

void potions_collected(struct fast_player *player, uint32_t tag, const struct place *place)
{
	const struct fast_sim *sim = player->sim;
	struct round_state *state = &player->state;

	for (uint32_t r = 0; r < sim->game->reels; r++) {
		uint32_t colour = tag_get(sim->plan.potion[r], tag);

		if (colour == 0)
			continue;
		state->potions[colour - 1]++;
		if (state->potions[0] + state->potions[1] + state->potions[2] == (int)COMBINATION)
			combine(player, place);
	}
}

void potions_in_free_spin(struct fast_player *player)
{
	const struct potion_rules *rules = &player->sim->game->potions;

	if (rules->free_feature.in > 0 && odds_draw(player, rules->free_feature))
		feature(player, choice_draw(&player->draws, &rules->free_set));
}
