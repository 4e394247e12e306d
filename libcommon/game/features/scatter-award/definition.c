/* The scatter award of a definition: "battle". */
#include "libcommon/game/definition/feature.h"

static void read_scatter_outcomes(const struct node *list, struct game *game, uint32_t scatters)
{
	size_t count = node_array(list, 1, GAME_SCATTER_OUTCOMES_MAX);

	game->scatter_award_count[scatters] = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node outcome = node_item(list, i);
		struct node weight = node_member(&outcome, "weight");
		struct node spins = node_member(&outcome, "free_spins");

		node_keys(&outcome, "weight free_spins");
		/* eight of them sum to less than 2^32 */
		game->scatter_award[scatters][i].weight = node_u32(&weight, 1, GAME_WEIGHT_MAX / 8);
		game->scatter_award[scatters][i].free_spins = node_u32(&spins, 0, GAME_AWARD_MAX);
	}
}

/* Moves the scatter that starts the award to the first place. */
static void put_first(struct game *game, uint8_t symbol)
{
	for (uint32_t i = 0; i < game->scatter_symbols; i++)
		if (game->scatter[i] == symbol) {
			game->scatter[i] = game->scatter[0];
			game->scatter[0] = symbol;
		}
}

static void read_scatter_award(const struct node *scatter_award, struct game *game)
{
	struct node symbol = node_member(scatter_award, "symbol");
	struct node min = node_member(scatter_award, "scatters_min");
	struct node outcomes = node_member(scatter_award, "outcomes");
	size_t count = node_object(&outcomes, 1, game->reels);

	node_keys(scatter_award, "symbol scatters_min outcomes");
	put_first(game, definition_symbol(&symbol, game, KIND_BIT(SYMBOL_SCATTER)));
	game->scatter_count_min = node_u32(&min, 1, game->reels);
	for (size_t i = 0; i < count; i++) {
		const char *key;
		struct node list = node_nth(&outcomes, i, &key);
		uint32_t scatters;

		if (node_number_key(&list, key, game->scatter_count_min, game->reels, &scatters))
			read_scatter_outcomes(&list, game, scatters);
	}
	for (uint32_t n = game->scatter_count_min; n <= game->reels; n++)
		if (game->scatter_award_count[n] == 0)
			node_fail(&outcomes, NULL, "outcomes also for %u scatters", n);
}

static void check(const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	uint32_t sets = definition_base_sets(game) | definition_free_sets(game), shown;

	if (game->scatter_count_min == 0)
		return;
	shown = definition_reels_with(game, seen, sets, game->scatter[0]);
	if (shown < game->scatter_count_min) {
		struct node scatter_award = node_member(root, "battle");
		struct node least = node_member(&scatter_award, "scatters_min");

		node_fail(&least, NULL, "at most the %u that the strips can show", shown);
	}
}

static uint32_t phases(const struct game *game, enum spin_context context)
{
	(void)game;
	(void)context;
	return 1;
}

const struct feature_definition scatter_award_definition = {
	.member = "battle", .read = read_scatter_award, .check = check, .phases = phases
};
