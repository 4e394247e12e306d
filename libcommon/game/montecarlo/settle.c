/* Plays what a spin wins and starts, as totals. */
#include "libcommon/game/montecarlo/feature.h"

#include <string.h>

uint32_t choice_draw(struct word_stream *stream, const struct choices *choices)
{
	uint32_t value = stream_below(stream, choices->weight), i = 0;

	while (value >= choices->of[i].weight)
		value -= choices->of[i++].weight;
	return choices->of[i].x;
}

/* Every win in free spins counts as SOURCE_FREE_SPINS. */
void run_add(struct fast_player *player, enum win_source source, uint64_t amount)
{
	player->run.win += amount;
	player->stats->source[player->run.in_free ? SOURCE_FREE_SPINS : source] += amount;
}

void run_jackpot(struct fast_player *player)
{
	player->stats->event[EVENT_JACKPOT]++;
	player->stats->source[SOURCE_JACKPOT] += player->sim->jackpot;
	player->run.win += player->sim->jackpot;
}

void window_of(const struct place *place, uint8_t *window)
{
	const struct spin_table *table = place->table;
	uint16_t stop[GAME_REELS_MAX];
	struct reel_column column;

	place_stops(place, stop);
	for (uint32_t r = 0; r < table->reels; r++) {
		reel_column(table->game, table->set, r, stop[r], table->wild_reels, &column);
		memcpy(&window[(size_t)r * table->game->rows], column.symbol, table->game->rows);
	}
}

uint32_t cells_showing(const struct game *game, const uint8_t *window, uint32_t symbols)
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

/* A spin's own wins and the features it starts, without the free spins it awards. */
static void spin_settle(struct fast_player *player, enum spin_context context, uint32_t sum,
	const struct place *place)
{
	const struct fast_sim *sim = player->sim;
	const struct game *game = sim->game;
	uint32_t gain_bits = place->table->gain_bits, tag = sum >> gain_bits;
	const struct tag_info *info = &sim->info[context][tag];
	uint32_t features;
	uint64_t gain = sum & ((1u << gain_bits) - 1);

	if (context == CONTEXT_FREE)
		gain *= game->free_spins.line_multiplier;
	run_add(player, SOURCE_LINES, gain * sim->line_bet);
	run_add(player, SOURCE_SCATTER, info->pay);
	if (!player->features)
		return;
	player->run.free_left += info->awards;
	if (info->jackpot)
		run_jackpot(player);
	features = info->features | (gain > 0 ? sim->on_win : 0);
	for (uint32_t rest = features; rest != 0; rest &= rest - 1)
		feature_fasts[__builtin_ctz(rest)]->play(player, context, tag, place);
}

void settle_round(struct fast_player *player, uint32_t sum, const struct place *place)
{
	player->run = (struct round_run){ 0 };
	spin_settle(player, CONTEXT_BASE, sum, place);
	if (player->run.free_left == 0)
		return;
	player->stats->event[EVENT_FREE_SPINS]++;
	player->run.in_free = true;
	while (player->run.free_left > 0) {
		struct place here;
		uint32_t won = table_spin(&player->sim->free_spins, &player->draws, &here);

		player->run.free_left--;
		player->stats->event[EVENT_FREE_SPIN]++;
		spin_settle(player, CONTEXT_FREE, won, &here);
	}
}
