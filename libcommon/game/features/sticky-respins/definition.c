/* Sticky respins of a definition: "sticky_respins". */
#include "libcommon/game/definition/feature.h"

#define STICKY_SPINS_MAX                                                                           \
	5 /* the weights of a reel over all of them fit 60 bits,                                   \
	     features/sticky-respins/exact_reels.h */
static void without(struct game *game)
{
	game->sticky.symbol = GAME_NO_SYMBOL;
}

static void read_sticky(const struct node *sticky, struct game *game)
{
	struct sticky_rules *rules = &game->sticky;
	struct node strips = node_member(sticky, "strips"), symbol = node_member(sticky, "symbol");
	struct node reel = node_member(sticky, "reel"), least = node_member(sticky, "at_least");
	struct node spins = node_member(sticky, "spins"), list = node_member(sticky, "sticky");
	struct node starts = node_member(sticky, "player_starts");
	size_t count;

	node_keys(sticky, "strips symbol reel at_least spins sticky player_starts");
	rules->offered = true;
	rules->strips = definition_strips(&strips, game);
	rules->symbol = definition_symbol(&symbol, game, KIND_BIT(SYMBOL_LINE));
	rules->reel = definition_reel(&reel, game);
	rules->at_least = node_u32(&least, 1, game->rows);
	rules->spins = node_u32(&spins, 1, STICKY_SPINS_MAX);
	rules->player_starts = node_bool(&starts);
	count = node_array(&list, 1, GAME_SYMBOLS_MAX);
	for (size_t i = 0; i < count && !sticky->reader->failed; i++) {
		struct node node = node_item(&list, i);
		uint8_t id = definition_symbol(
			&node, game, KIND_BIT(SYMBOL_LINE) | KIND_BIT(SYMBOL_WILD));

		if (!sticky->reader->failed && (rules->sticky & (UINT32_C(1) << id)))
			node_fail(&node, NULL, "each symbol only once");
		if (!sticky->reader->failed)
			rules->sticky |= UINT32_C(1) << id;
	}
}

static void check(const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	struct node sticky = node_member(root, "sticky_respins"), least;
	uint32_t sets = definition_base_sets(game) | definition_free_sets(game), most = 0;

	if (!game->sticky.offered)
		return;
	definition_not_with(root, "sticky_respins", game->scatter_count_min > 0, "battle");
	definition_not_with(root, "sticky_respins", game->pick_outcome_count > 0, "vials");
	definition_not_with(root, "sticky_respins", game->hold.offered, "hold_and_win");
	definition_not_with(root, "sticky_respins", game->expanding_reels != 0, "expanding_wild");
	for (uint32_t s = 0; s < game->strip_sets; s++)
		if ((sets >> s & 1) != 0 &&
			seen->most[s][game->sticky.reel][game->sticky.symbol] > most)
			most = seen->most[s][game->sticky.reel][game->sticky.symbol];
	least = node_member(&sticky, "at_least");
	if (most < game->sticky.at_least)
		node_fail(&least, NULL, "at most the %u that reel %u can show", most,
			game->sticky.reel + 1u);
}

static uint32_t phases(const struct game *game, enum spin_context context)
{
	(void)context;
	return game->sticky.spins;
}

const struct feature_definition sticky_respins_definition = { .member = "sticky_respins",
	.read = read_sticky,
	.without = without,
	.check = check,
	.phases = phases };
