/* What a spin sets off, by totals. Names and order follow the core's files of the same features. */
#include "libcommon/game/montecarlo/features.h"

#include "libcommon/game/montecarlo/tags.h"

#include <string.h>

uint32_t choice_draw(struct word_stream *stream, const struct choices *choices)
{
	uint32_t value = stream_below(stream, choices->weight), i = 0;

	while (value >= choices->of[i].weight)
		value -= choices->of[i++].weight;
	return choices->of[i].x;
}

/* What free spins win in whatever way is theirs. */
void run_add(struct fast_player *player, enum fast_source source, uint64_t amount)
{
	player->run.win += amount;
	player->stats->source[player->run.in_free ? FAST_FREE_SPINS : source] += amount;
}

static void jackpot(struct fast_player *player)
{
	player->stats->event[FAST_EVENT_JACKPOT]++;
	player->stats->source[FAST_JACKPOT] += player->sim->jackpot;
	player->run.win += player->sim->jackpot;
}

static void battle(struct fast_player *player, uint32_t count)
{
	const struct game *game = player->sim->game;
	uint32_t value, i = 0;

	player->stats->event[FAST_EVENT_BATTLE]++;
	run_add(player, FAST_BATTLE,
		player->sim->total * game->symbol[game->scatter[0]].pay[count]);
	value = stream_below(&player->draws, game->battle_weight[count]);
	while (value >= game->battle[count][i].weight)
		value -= game->battle[count][i++].weight;
	player->run.free_left += game->battle[count][i].free_spins;
}

static void vials(struct fast_player *player)
{
	const struct game *game = player->sim->game;
	int64_t y = (int64_t)player->sim->bet.lines * player->sim->bet.coins;
	int64_t value = stream_below(&player->draws, game->vial_weight);
	const struct vial_outcome *vial = game->vial;

	player->stats->event[FAST_EVENT_BONUS]++;
	while (value >= vial->weight + vial->weight_per_coin * y) {
		value -= vial->weight + vial->weight_per_coin * y;
		vial++;
	}
	switch (vial->kind) {
	case VIAL_MONEY:
		run_add(player, FAST_BONUS_MONEY, player->sim->total * vial->value);
		break;
	case VIAL_FREE_SPINS:
		player->run.free_left += vial->value;
		break;
	case VIAL_JACKPOT:
		jackpot(player);
		break;
	}
}

void window_of(const struct place *place, uint8_t *window)
{
	const struct spin_table *table = place->table;
	uint16_t stop[GAME_REELS_MAX];
	struct reel_column column;

	place_stops(place, stop);
	for (uint32_t r = 0; r < table->reels; r++) {
		reel_column(table->game, table->set, r, stop[r], table->wild_reels, &column);
		memcpy(window + r * table->game->rows, column.symbol, table->game->rows);
	}
}

static uint32_t cells_showing(const struct game *game, const uint8_t *window, uint32_t symbols)
{
	uint32_t cells = 0;

	for (uint32_t cell = 0; cell < game->reels * game->rows; cell++)
		cells |= (symbols >> window[cell] & 1) << cell;
	return cells;
}

void column_draw(
	struct fast_player *player, uint32_t set, uint32_t reel, struct reel_column *column_r)
{
	const struct game *game = player->sim->game;
	const struct game_strip *strip = &game->strips[set].reel[reel];

	reel_column(game, set, reel, strip->stop_of[stream_below(&player->draws, strip->weight)], 0,
		column_r);
}

/* Respins with a locked reel; scatters count by what the screen shows. */
static void sticky(struct fast_player *player, const struct place *place)
{
	const struct fast_sim *sim = player->sim;
	const struct game *game = sim->game;
	uint32_t rows = game->rows, held = ((1u << rows) - 1) << (game->sticky.reel * rows);
	uint8_t window[GAME_CELLS_MAX];

	player->stats->event[FAST_EVENT_STICKY]++;
	window_of(place, window);
	for (uint32_t spin = 0; spin < game->sticky.spins; spin++) {
		uint32_t count[GAME_SCATTERS_MAX] = { 0 }, awards;
		uint64_t pay;

		held |= cells_showing(game, window, game->sticky.sticky);
		for (uint32_t r = 0; r < game->reels; r++) {
			struct reel_column column;

			if (r == game->sticky.reel)
				continue;
			column_draw(player, game->sticky.strips, r, &column);
			for (uint32_t row = 0; row < rows; row++)
				if ((held >> (r * rows + row) & 1) == 0)
					window[r * rows + row] = column.symbol[row];
		}
		for (uint32_t i = 0; i < game->scatter_symbols; i++)
			count[i] = (uint32_t)__builtin_popcount(
				cells_showing(game, window, 1u << game->scatter[i]));
		tag_scatters(game, sim->total, CONTEXT_RESPIN, count, &pay, &awards);
		run_add(player, FAST_STICKY,
			window_pay(game, &sim->lines, window) * sim->line_bet + pay);
		player->run.free_left += awards;
	}
}

/* A spin's own wins and all that it sets off, except the free spins themselves. */
static void spin_settle(struct fast_player *player, enum spin_context context, uint32_t sum,
	const struct place *place)
{
	const struct fast_sim *sim = player->sim;
	const struct game *game = sim->game;
	uint32_t gain_bits = place->table->gain_bits, tag = sum >> gain_bits;
	const struct tag_info *info = &sim->info[context][tag];
	uint64_t gain = sum & ((1u << gain_bits) - 1);

	if (context == CONTEXT_FREE)
		gain *= game->free_spins.line_multiplier;
	run_add(player, FAST_LINES, gain * sim->line_bet);
	run_add(player, FAST_SCATTER, info->pay);
	if (!player->features)
		return;
	player->run.free_left += info->awards;
	if ((info->flags & TAG_JACKPOT) != 0)
		jackpot(player);
	if ((info->flags & TAG_BATTLE) != 0)
		battle(player, tag_get(sim->plan.scatter[0], tag));
	if ((info->flags & TAG_VIAL) != 0)
		vials(player);
	if ((info->flags & TAG_HOLD) != 0)
		hold_round(player, tag_get(sim->plan.hold, tag));
	if ((info->flags & TAG_POTION) != 0)
		potions_collected(player, tag, place);
	if (context == CONTEXT_FREE && game->potions.offered)
		potions_in_free_spin(player);
	if ((info->flags & TAG_STICKY) != 0)
		sticky(player, place);
}

void features_round(struct fast_player *player, uint32_t sum, const struct place *place)
{
	player->run = (struct round_run){ 0 };
	spin_settle(player, CONTEXT_BASE, sum, place);
	if (player->run.free_left == 0)
		return;
	player->stats->event[FAST_EVENT_FREE_SPINS]++;
	player->run.in_free = true;
	while (player->run.free_left > 0) {
		struct place here;
		uint32_t won = table_spin(&player->sim->free_spins, &player->draws, &here);

		player->run.free_left--;
		player->stats->event[FAST_EVENT_FREE_SPIN]++;
		spin_settle(player, CONTEXT_FREE, won, &here);
	}
}
