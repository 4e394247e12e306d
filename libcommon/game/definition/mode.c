/* Reads modes: price, strips, wild reels, guarantee and published returns. */
#include "libcommon/game/definition/parts.h"

#include <string.h>

#define PRICE_MAX 10000000 /* hundredths of the total bet */
#define SIMULATED_ROUNDS_MIN 1000000
#define SIMULATED_ROUNDS_MAX INT64_C(1000000000000000)

/* The band is [percent - tolerance, percent + tolerance): 96.08 to two decimals means at least
 * 96.075 and less than 96.085. */
/* For a return without exact figures: how it was simulated. */
static void read_simulated(const struct node *node, struct published_rtp *published)
{
	struct node simulated, rounds, width;

	if (!node_has(node, "simulated"))
		return;
	simulated = node_member(node, "simulated");
	rounds = node_member(&simulated, "rounds");
	width = node_member(&simulated, "half_width");
	node_keys(&simulated, "rounds half_width");
	published->simulated_rounds =
		(uint64_t)node_integer(&rounds, SIMULATED_ROUNDS_MIN, SIMULATED_ROUNDS_MAX);
	published->half_width_ppm = node_percent_ppm(&width, 1, 10000);
}

static void read_published(const struct node *node, struct published_rtp *published)
{
	struct node bets = node_member(node, "bets"), percent = node_member(node, "percent");
	struct node tolerance = node_member(node, "tolerance");
	uint32_t middle, width;

	node_keys(node, "bets percent tolerance simulated");
	read_simulated(node, published);
	published->bets = (enum published_bets)node_word(&bets, "all below_max max");
	node_text(&percent, published->percent, sizeof(published->percent));
	middle = node_percent_ppm(&percent, 1, 1000000);
	width = node_percent_ppm(&tolerance, 1, 10000);
	if (!node->reader->failed && (width >= middle || middle + width > 1000000))
		node_fail(&tolerance, NULL, "a band between 0 and 100 percent");
	published->from_ppm = middle - width;
	published->below_ppm = middle + width;
}

/* One return for all bets, or one below the maximum bet and one at the maximum bet. RULE bewitched
 * 4.1. A demo has its own odds and publishes no return. */
static void read_published_list(
	const struct node *list, const struct game *game, struct game_mode *mode)
{
	size_t count = node_array(list, 0, GAME_PUBLISHED_MAX);
	bool fits;

	for (size_t i = 0; i < count; i++) {
		struct node node = node_item(list, i);

		read_published(&node, &mode->published[i]);
	}
	mode->published_count = (uint32_t)count;
	if (list->reader->failed)
		return;
	if (game->demo) {
		if (count > 0)
			node_fail(list, NULL, "an empty array in a demo definition");
		return;
	}
	for (size_t i = 1; i < count; i++)
		if ((mode->published[i].simulated_rounds > 0) !=
			(mode->published[0].simulated_rounds > 0))
			node_fail(list, NULL, "either all returns of a mode simulated, or none");
	fits = count == 1 ? mode->published[0].bets == PUBLISHED_ALL_BETS
			  : count == 2 && mode->published[0].bets == PUBLISHED_BELOW_MAX_BET &&
				    mode->published[1].bets == PUBLISHED_MAX_BET;
	if (!fits)
		node_fail(list, NULL,
			"one return for \"all\" bets, or one for \"below_max\" and then one for "
			"\"max\"");
}

static void read_position(
	const struct node *node, const struct game *game, struct game_mode *mode, size_t index)
{
	struct wild_position *position = &mode->position[index];
	struct node reels = node_member(node, "reels"), weight = node_member(node, "weight");
	size_t count = node_array(&reels, 1, game->reels > 1 ? game->reels - 1 : 1);

	node_keys(node, "reels weight");
	for (size_t i = 0; i < count; i++) {
		struct node reel = node_item(&reels, i);
		uint32_t bit = UINT32_C(1) << definition_reel(&reel, game);

		if (position->reels & bit)
			node_fail(&reel, NULL, "each reel only once");
		position->reels |= bit;
	}
	position->weight = node_u32(&weight, 1, GAME_WEIGHT_MAX);
	definition_add_weight(&weight, position->weight, &mode->position_weight);
	for (size_t i = 0; i < index; i++)
		if (mode->position[i].reels == position->reels)
			node_fail(&reels, NULL, "reels that differ from those at position %zu", i);
}

static void read_wild_reels(
	const struct node *list, const struct game *game, struct game_mode *mode)
{
	size_t count;

	if (node_is_null(list))
		return;
	count = node_array(list, 1, GAME_WILD_POSITIONS_MAX);
	mode->position_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node node = node_item(list, i);

		read_position(&node, game, mode, i);
	}
	if (game->wild == GAME_NO_SYMBOL)
		node_fail(list, NULL, "null in a game without a wild");
}

static void read_guarantee(const struct node *node, const struct game *game, struct game_mode *mode)
{
	struct node kind, symbol, least;

	mode->guarantee_symbol = GAME_NO_SYMBOL;
	if (node_is_null(node))
		return;
	kind = node_member(node, "kind");
	if (node_word(&kind, "line_win symbols") == 0) {
		node_keys(node, "kind");
		mode->guarantee = GUARANTEE_LINE_WIN;
		return;
	}
	symbol = node_member(node, "symbol");
	least = node_member(node, "at_least");
	node_keys(node, "kind symbol at_least");
	mode->guarantee = GUARANTEE_SYMBOLS;
	mode->guarantee_symbol = definition_symbol(&symbol, game, KINDS_ALL);
	mode->guarantee_min = node_u32(&least, 1, game->reels * game->rows);
}

static void read_mode(const struct node *node, struct game *game, size_t index)
{
	struct game_mode *mode = &game->mode[index];
	struct node id = node_member(node, "id"), name = node_member(node, "name");
	struct node price = node_member(node, "price_hundredths");
	struct node strips = node_member(node, "strips"), reels = node_member(node, "wild_reels");
	struct node guarantee = node_member(node, "guarantee");
	struct node published = node_member(node, "published_rtp");

	node_keys(node,
		"id name price_hundredths one_spin strips wild_reels guarantee published_rtp");
	node_slug(&id, mode->id, sizeof(mode->id));
	if (index == 0 && !node->reader->failed && strcmp(mode->id, "base") != 0)
		node_fail(&id, NULL, "\"base\" for the first mode");
	for (size_t i = 0; i < index; i++)
		if (strcmp(game->mode[i].id, mode->id) == 0)
			node_fail(&id, NULL, "an id that no earlier mode has");
	node_text(&name, mode->name, sizeof(mode->name));
	mode->price_hundredths =
		index == 0 ? node_u32(&price, 100, 100) : node_u32(&price, 101, PRICE_MAX);
	mode->strips = definition_strips(&strips, game);
	if (index == 0 && !node_is_null(&reels))
		node_fail(&reels, NULL, "null: the base game has no bought wild reels");
	if (index == 0 && !node_is_null(&guarantee))
		node_fail(&guarantee, NULL, "null: the base game guarantees nothing");
	if (node_has(node, "one_spin")) {
		struct node one_spin = node_member(node, "one_spin");

		mode->one_spin = node_bool(&one_spin);
		if (index == 0 && mode->one_spin)
			node_fail(&one_spin, NULL, "false: the base game is not bought");
	}
	read_wild_reels(&reels, game, mode);
	read_guarantee(&guarantee, game, mode);
	read_published_list(&published, game, mode);
}

void definition_read_modes(const struct node *root, struct game *game)
{
	struct node modes = node_member(root, "modes");
	size_t count = node_array(&modes, 1, GAME_MODES_MAX);

	for (size_t i = 0; i < count && !root->reader->failed; i++) {
		struct node node = node_item(&modes, i);

		game->mode_count = (uint32_t)i + 1;
		read_mode(&node, game, i);
	}
}
