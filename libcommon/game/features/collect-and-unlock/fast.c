#include "libcommon/game/montecarlo/feature.h"

#include <stdlib.h>
#include <string.h>

#define COMBINATION 3u

static const enum win_source source_of[UNLOCK_KINDS] = { SOURCE_HIGH_SYMBOLS, SOURCE_RANDOM_WILDS,
	SOURCE_MULTIPLIER, SOURCE_MEGA_WILD };

/* Respins that are plain spins of a set: high symbols and multiplier. */
struct unlock_tables {
	struct spin_table table[UNLOCK_KINDS];
};

static const struct unlock_tables *tables_of(const struct fast_sim *sim)
{
	return sim->own[FEATURE_collect_and_unlock];
}

/* ---- respins ---- */

static bool odds_draw(struct fast_player *player, struct odds odds)
{
	return stream_below(&player->draws, odds.of) < odds.in;
}

/* Draws how many cells of each reel, then which rows. */
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
	const struct unlock_rules *rules = &player->sim->game->unlock;
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

/* Coins a line of a spin on the set, covered with wilds. */
static uint32_t covered_spin(struct fast_player *player, uint32_t set, uint32_t wilds)
{
	const struct game *game = player->sim->game;
	uint8_t window[GAME_CELLS_MAX];

	for (uint32_t r = 0; r < game->reels; r++) {
		struct reel_column column;

		column_draw(player, set, r, &column);
		memcpy(&window[(size_t)r * game->rows], column.symbol, game->rows);
	}
	cover(game, window, wilds, game->wild);
	return window_pay(game, &player->sim->lines, window);
}

static uint32_t set_of(const struct game *game, enum unlock_kind kind)
{
	uint32_t i = 0;

	while (game->unlock.step[i].kind != kind)
		i++;
	return game->unlock.step[i].strips;
}

/* Coins a line of one respin of this kind. */
static uint32_t respin(struct fast_player *player, enum unlock_kind kind)
{
	const struct game *game = player->sim->game;
	struct place place;

	switch (kind) {
	case UNLOCK_HIGH_SYMBOLS:
	case UNLOCK_MULTIPLIER:
		return table_spin(&tables_of(player->sim)->table[kind], &player->draws, &place);
	case UNLOCK_RANDOM_WILDS:
		return covered_spin(
			player, set_of(game, kind), cells_draw(player, game->unlock.wilds));
	case UNLOCK_MEGA_WILD:
		return covered_spin(player, set_of(game, kind), mega_draw(player));
	}
	return 0;
}

/* The multiplier alone is played until a win, all other features once; with another feature it
 * multiplies that feature's respin. */
static void feature(struct fast_player *player, uint32_t features)
{
	const uint32_t multiplying = 1u << UNLOCK_MULTIPLIER;
	uint32_t other = features & ~multiplying;
	enum unlock_kind kind =
		other != 0 ? (enum unlock_kind)__builtin_ctz(other) : UNLOCK_MULTIPLIER;
	uint32_t gain;
	uint64_t multiplier = 1;

	for (uint32_t k = 0; k < UNLOCK_KINDS; k++)
		player->stats->event[EVENT_HIGH_SYMBOLS + k] += features >> k & 1;
	if ((features & multiplying) != 0)
		multiplier = choice_draw(&player->draws, &player->sim->game->unlock.multiplier);
	do {
		gain = respin(player, kind);
	} while (kind == UNLOCK_MULTIPLIER && gain == 0);
	run_add(player, source_of[kind], gain * multiplier * player->sim->line_bet);
}

/* Puts question marks on the paid window, never on the symbol that awards free spins; all become
 * one symbol. */
static void explode(struct fast_player *player, const struct place *place)
{
	const struct game *game = player->sim->game;
	uint8_t window[GAME_CELLS_MAX];
	uint32_t marks = cells_draw(player, game->unlock.marks);

	player->stats->event[EVENT_EXPLOSION]++;
	window_of(place, window);
	for (uint32_t cell = 0; cell < game->reels * game->rows; cell++)
		if (window[cell] == game->free_spins.award_symbol)
			marks &= ~(1u << cell);
	cover(game, window, marks, (uint8_t)choice_draw(&player->draws, &game->unlock.revealed));
	run_add(player, SOURCE_EXPLOSION,
		window_pay(game, &player->sim->lines, window) * player->sim->line_bet);
}

/* ---- collecting ---- */

/* Three collectibles start an unlocked feature, an explosion or nothing. */
static void combine(struct fast_player *player, const struct place *place)
{
	const struct unlock_rules *rules = &player->sim->game->unlock;
	struct round_state *state = &player->state;
	uint32_t step = 0;

	while (step < rules->step_count && memcmp(rules->step[step].needs, state->collectibles,
						   sizeof(state->collectibles)) != 0)
		step++;
	memset(state->collectibles, 0, sizeof(state->collectibles));
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

static uint32_t colour_in(const struct fast_sim *sim, uint32_t reel, uint32_t tag)
{
	return tag_get(sim->plan.feature[FEATURE_collect_and_unlock][reel], tag);
}

/* Collects the collectibles of a paid spin and plays what they start. */
static void collected(struct fast_player *player, uint32_t tag, const struct place *place)
{
	const struct fast_sim *sim = player->sim;
	struct round_state *state = &player->state;

	for (uint32_t r = 0; r < sim->game->reels; r++) {
		uint32_t colour = colour_in(sim, r, tag);

		if (colour == 0)
			continue;
		state->collectibles[colour - 1]++;
		if (state->collectibles[0] + state->collectibles[1] + state->collectibles[2] ==
			(int)COMBINATION)
			combine(player, place);
	}
}

static void free_spin_feature(struct fast_player *player)
{
	const struct unlock_rules *rules = &player->sim->game->unlock;

	if (odds_draw(player, rules->free_feature))
		feature(player, choice_draw(&player->draws, &rules->free_set));
}

/* ---- what the simulation asks ---- */

static bool reel_has_collectibles(const struct game *game, uint32_t set, uint32_t reel)
{
	const struct game_strip *strip = &game->strips[set].reel[reel];

	for (uint32_t i = 0; i < strip->length; i++)
		if (game->symbol[strip->symbol[i]].kind == SYMBOL_COLLECTIBLE)
			return true;
	return false;
}

/* A colour + 1 for each reel that has collectibles. */
static void widen(const struct game *game, uint32_t set, uint32_t wild_reels,
	struct tag_field field[GAME_REELS_MAX])
{
	(void)wild_reels;
	for (uint32_t r = 0; r < game->reels; r++)
		if (reel_has_collectibles(game, set, r))
			tag_widen(&field[r], GAME_COLOURS);
}

static uint32_t tag_of(const struct game *game, uint32_t reel, const struct reel_column *column,
	const struct tag_field field[GAME_REELS_MAX])
{
	(void)game;
	return (uint32_t)column->collectible << field[reel].shift;
}

static enum fast_status build(struct fast_sim *sim)
{
	const struct unlock_rules *rules = &sim->game->unlock;
	struct table_terms plain = { .lines = sim->bet.lines };
	struct unlock_tables *tables = calloc(1, sizeof(*tables));
	enum fast_status status = FAST_OK;

	if (tables == NULL)
		return FAST_NO_MEMORY;
	sim->own[FEATURE_collect_and_unlock] = tables;
	for (uint32_t i = 0; status == FAST_OK && i < rules->step_count; i++) {
		enum unlock_kind kind = rules->step[i].kind;

		if (kind == UNLOCK_HIGH_SYMBOLS || kind == UNLOCK_MULTIPLIER)
			status = table_build(sim->game, rules->step[i].strips, 0, &plain,
				&sim->plan, NULL, &tables->table[kind]);
	}
	return status;
}

static void release(struct fast_sim *sim)
{
	struct unlock_tables *tables = sim->own[FEATURE_collect_and_unlock];

	for (uint32_t kind = 0; tables != NULL && kind < UNLOCK_KINDS; kind++)
		table_free(&tables->table[kind]);
	free(tables);
}

static bool starts(const struct fast_sim *sim, enum spin_context context, uint32_t tag)
{
	if (context == CONTEXT_FREE)
		return sim->game->unlock.free_feature.in > 0;
	for (uint32_t r = 0; r < sim->game->reels; r++)
		if (colour_in(sim, r, tag) != 0)
			return true;
	return false;
}

static void play(struct fast_player *player, enum spin_context context, uint32_t tag,
	const struct place *place)
{
	if (context == CONTEXT_FREE)
		free_spin_feature(player);
	else
		collected(player, tag, place);
}

/* ---- what the reference asks ---- */

static enum win_source source(const struct phase *phase)
{
	uint32_t other = phase->features & ~(UINT32_C(1) << UNLOCK_MULTIPLIER);

	if (phase->kind != PHASE_UNLOCK_RESPIN)
		return SOURCES;
	return source_of[other != 0 ? __builtin_ctz(other) : UNLOCK_MULTIPLIER];
}

static void count(const struct game *game, const struct phase *phase, uint64_t event[EVENTS])
{
	(void)game;
	if (phase->kind == PHASE_SPIN || phase->kind == PHASE_FREE_SPIN)
		for (uint32_t k = 0; k < UNLOCK_KINDS; k++)
			event[EVENT_HIGH_SYMBOLS + k] += phase->features >> k & 1;
}

const struct feature_fast collect_and_unlock_fast = { .widen = widen,
	.tag = tag_of,
	.build = build,
	.free = release,
	.starts = starts,
	.play = play,
	.source = source,
	.count = count };
