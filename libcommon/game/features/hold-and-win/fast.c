#include "libcommon/game/montecarlo/internal.h"

/* How many of the free cells land: they are all alike, so their number is all that matters. */
static uint32_t landing(struct fast_player *player, uint32_t free_cells)
{
	const struct fast_sim *sim = player->sim;
	const struct odds *cell = &sim->game->hold.cell;
	const uint64_t *below = &sim->hold_below[free_cells * (GAME_CELLS_MAX + 1)];
	uint32_t landed = 0;

	if (sim->hold_cells[free_cells] != 0) {
		uint64_t value = stream_below64(&player->draws, sim->hold_cells[free_cells]);

		while (value >= below[landed])
			landed++;
		return landed;
	}
	for (uint32_t i = 0; i < free_cells; i++)
		landed += stream_below(&player->draws, cell->of) < cell->in;
	return landed;
}

struct carried {
	uint64_t values; /* what is multiplied, times the total bet */
	uint32_t mysteries, multipliers;
};

/* What each symbol carries. */
static void carry(struct fast_player *player, uint32_t cells, struct carried *carried)
{
	const struct hold_rules *hold = &player->sim->game->hold;
	const struct value_guide *guide = &player->sim->hold_value;
	uint32_t weight = hold->value.weight + hold->mystery_weight + hold->multiplier_weight;

	for (uint32_t i = 0; i < cells; i++) {
		uint32_t value = stream_below(&player->draws, weight), at;

		if (value >= hold->value.weight + hold->mystery_weight) {
			carried->multipliers++;
		} else if (value >= hold->value.weight) {
			carried->mysteries++;
		} else {
			at = guide->from[value >> guide->shift];
			while (value >= guide->below[at])
				at++;
			carried->values += hold->value.of[at].x;
		}
	}
}

static uint32_t draw_award(struct fast_player *player, bool exclude)
{
	const struct hold_rules *hold = &player->sim->game->hold;
	uint32_t weight = 0, value, at = 0;

	for (uint32_t i = 0; i < hold->award_count; i++)
		if (!(exclude && hold->award[i].excluded))
			weight += hold->award[i].weight;
	value = stream_below(&player->draws, weight);
	for (;; at++) {
		if (exclude && hold->award[at].excluded)
			continue;
		if (value < hold->award[at].weight)
			break;
		value -= hold->award[at].weight;
	}
	player->stats->event[FAST_EVENT_AWARD + at]++;
	return hold->award[at].x;
}

/* Multipliers first (some exclude an award), then what mysteries become, then values of their own,
 * which nothing multiplies. As hold_end of the core. */
static uint64_t worth(struct fast_player *player, const struct carried *carried, bool full)
{
	const struct hold_rules *hold = &player->sim->game->hold;
	uint64_t product = 1, multiplied = carried->values, own = 0;
	bool exclude = false;

	for (uint32_t i = 0; i < carried->multipliers; i++) {
		uint32_t x = choice_draw(&player->draws, &hold->multiplier);

		exclude = exclude || x >= hold->exclude_from;
		product *= x;
	}
	for (uint32_t i = 0; i < carried->mysteries; i++)
		multiplied += draw_award(player, exclude);
	for (uint32_t i = 0; i < carried->mysteries + carried->multipliers; i++)
		own += choice_draw(&player->draws, &hold->value);
	return (multiplied * product + own) * (full ? hold->full_multiplier : 1);
}

void hold_round(struct fast_player *player, uint32_t cells)
{
	const struct game *game = player->sim->game;
	uint32_t all = game->reels * game->rows, left = game->hold.respins;
	struct carried carried = { 0 };

	player->stats->event[FAST_EVENT_HOLD]++;
	carry(player, cells, &carried);
	while (left > 0 && cells < all) {
		uint32_t landed = landing(player, all - cells);

		carry(player, landed, &carried);
		cells += landed;
		left = landed > 0 ? game->hold.respins : left - 1;
	}
	player->stats->event[FAST_EVENT_HOLD_FULL] += cells == all;
	run_add(player, FAST_HOLD, worth(player, &carried, cells == all) * player->sim->total);
}
