/* Checks which symbols are on which strips, and how far apart symbols are on a strip, because the
 * core counts some symbols by reel. */
#include "libcommon/game/definition/check.h"

#include <stdio.h>
#include <string.h>

uint32_t definition_base_sets(const struct game *game)
{
	uint32_t sets = 0;

	for (uint32_t m = 0; m < game->mode_count; m++)
		sets |= UINT32_C(1) << game->mode[m].strips;
	return sets;
}

static uint32_t unlock_sets(const struct game *game)
{
	uint32_t sets = 0;

	for (uint32_t i = 0; i < game->unlock.step_count; i++)
		sets |= UINT32_C(1) << game->unlock.step[i].strips;
	return sets;
}

/* Does the reel show a symbol that counts as `symbol`? */
static bool shown_on(const struct game *game, const struct strips_seen *seen, uint32_t set,
	uint32_t reel, uint8_t symbol)
{
	uint32_t symbols = game_counts_as(game, symbol);

	for (uint32_t s = 0; s < game->symbol_count; s++)
		if ((symbols >> s & 1) != 0 && seen->most[set][reel][s] > 0)
			return true;
	return false;
}

uint32_t definition_reels_with(
	const struct game *game, const struct strips_seen *seen, uint32_t sets, uint8_t symbol)
{
	uint32_t most = 0;

	for (uint32_t s = 0; s < game->strip_sets; s++) {
		uint32_t reels = 0;

		for (uint32_t r = 0; r < game->reels; r++)
			reels += shown_on(game, seen, s, r, symbol);
		if ((sets >> s & 1) != 0 && reels > most)
			most = reels;
	}
	return most;
}

static uint32_t window_count(
	const struct game *game, const struct game_strip *strip, uint32_t stop, uint8_t symbol)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < game->rows; i++)
		count += strip->symbol[(stop + i) % strip->length] == symbol;
	return count;
}

bool definition_locked_with(const struct game *game, uint8_t symbol)
{
	const struct sticky_rules *rules = &game->sticky;
	uint32_t sets = definition_base_sets(game);

	if (game->free_spins.offered)
		sets |= UINT32_C(1) << game->free_spins.strips;
	for (uint32_t s = 0; rules->offered && s < game->strip_sets; s++) {
		const struct game_strip *strip = &game->strips[s].reel[rules->reel];

		for (uint32_t i = 0; (sets >> s & 1) != 0 && i < strip->length; i++)
			if (window_count(game, strip, i, rules->symbol) >= rules->at_least &&
				window_count(game, strip, i, symbol) > 0)
				return true;
	}
	return false;
}

static bool is_collectible(const struct game *game, uint8_t symbol)
{
	return game->symbol[symbol].kind == SYMBOL_COLLECTIBLE;
}

/* The node of a stop: the strip is a list, or an object with a list. */
static struct node stop_node(
	const struct node *strips, const char *set, uint32_t reel, uint32_t stop)
{
	struct node of_set = node_member(strips, set), strip = node_item(&of_set, reel);
	struct node list = json_is_object(strip.json) ? node_member(&strip, "symbols") : strip;

	return node_item(&list, stop);
}

/* Symbols that a window may show only once on a reel, because they are counted by reel. RULE
 * mona-lisa 3.21, 4.14. Bonus symbols are among them if they start the pick bonus; hold and win
 * counts cells. */
static bool counted_by_reel(const struct game *game, uint8_t symbol)
{
	return game->symbol[symbol].kind == SYMBOL_SCATTER ||
	       (symbol == game->bonus && game->pick_outcome_count > 0) ||
	       symbol == game->jackpot_symbols.symbol;
}

/* If wilds count as a scatter, a reel shows at most one of the two. */
static void check_counting(
	const struct node *node, const struct game *game, const uint32_t *count, uint8_t symbol)
{
	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		uint32_t symbols = game_counts_as(game, game->scatter[i]);

		if (!game->symbol[game->scatter[i]].wild_counts || (symbols >> symbol & 1) == 0)
			continue;
		if (count[game->scatter[i]] + count[game->wild] > 1)
			node_fail(node, NULL,
				"at least %u other symbols between two symbols that count as %s",
				game->rows - 1, game->symbol[game->scatter[i]].id);
	}
}

/* What the window at a stop shows: `rows` symbols; if a potion is removed, also the next one
 * above. */
static void check_window(const struct node *strips, const struct game *game, uint32_t set,
	uint32_t reel, uint32_t stop, struct strips_seen *seen)
{
	const struct game_strip *strip = &game->strips[set].reel[reel];
	uint32_t count[GAME_SYMBOLS_MAX] = { 0 }, length = strip->length, above = length - 1;
	bool falls = false;

	for (uint32_t i = 0; i < game->rows; i++)
		falls |= is_collectible(game, strip->symbol[(stop + i) % length]);
	for (uint32_t i = falls ? 0 : 1; i <= game->rows; i++) {
		uint32_t at = (stop + above + i) % length;
		uint8_t symbol = strip->symbol[at];
		struct node node;

		count[symbol]++;
		if (count[symbol] > seen->most[set][reel][symbol])
			seen->most[set][reel][symbol] = (uint8_t)count[symbol];
		node = stop_node(strips, game->strips[set].id, reel, at);
		check_counting(&node, game, count, symbol);
		if (count[symbol] < 2 || !counted_by_reel(game, symbol))
			continue;
		node_fail(&node, NULL, "at least %u other symbols between two %s symbols%s",
			game->rows - 1, game->symbol[symbol].id,
			falls ? ", and one more because a potion can fall" : "");
	}
}

/* A potion is removed and the symbols above it fall: at most one in the window and the row above
 * it. */
static void check_collectible(const struct node *strips, const struct game *game, uint32_t set,
	uint32_t reel, uint32_t stop)
{
	const struct game_strip *strip = &game->strips[set].reel[reel];

	if (!is_collectible(game, strip->symbol[stop]))
		return;
	for (uint32_t k = 1; k <= game->rows; k++)
		if (is_collectible(game, strip->symbol[(stop + k) % strip->length])) {
			struct node node = stop_node(
				strips, game->strips[set].id, reel, (stop + k) % strip->length);

			node_fail(&node, NULL, "at least %u other symbols between two potions",
				game->rows);
		}
}

/* A set's use decides which symbols may be on it. */
static void check_place(const struct node *strips, const struct game *game, uint32_t set,
	const struct strips_seen *seen)
{
	uint32_t bit = UINT32_C(1) << set;
	bool base = definition_base_sets(game) & bit, respins = unlock_sets(game) & bit;
	bool free_spins = game->free_spins.offered && game->free_spins.strips == set;
	bool sticky = game->sticky.offered && game->sticky.strips == set;
	struct node node = node_member(strips, game->strips[set].id);

	if (!base && !respins && !free_spins && !sticky)
		node_fail(&node, "a strip set that is not used",
			"a strip set that a mode or a feature uses");
	for (uint32_t s = 0; s < game->symbol_count; s++) {
		enum symbol_kind kind = game->symbol[s].kind;

		if (definition_reels_with(game, seen, bit, (uint8_t)s) == 0)
			continue;
		if (kind == SYMBOL_COLLECTIBLE && (free_spins || sticky || respins))
			node_fail(&node, "potions",
				"no potions on strips of free spins and respins, which do not "
				"collect them");
		if ((kind == SYMBOL_SCATTER || kind == SYMBOL_BONUS) && respins)
			node_fail(&node, "scatters or bonus symbols",
				"no scatters or bonus symbols in the respins of a potion feature");
	}
}

void definition_check_strips(
	const struct node *root, const struct game *game, struct strips_seen *seen_r)
{
	struct node strips = node_member(root, "strips"), symbols = node_member(root, "symbols");
	uint32_t all = UINT32_MAX;

	memset(seen_r, 0, sizeof(*seen_r));
	for (uint32_t s = 0; s < game->strip_sets; s++) {
		for (uint32_t r = 0; r < game->reels; r++)
			for (uint32_t i = 0; i < game->strips[s].reel[r].length; i++) {
				check_collectible(&strips, game, s, r, i);
				check_window(&strips, game, s, r, i, seen_r);
			}
		check_place(&strips, game, s, seen_r);
	}
	for (uint32_t s = 0; s < game->symbol_count; s++)
		if (definition_reels_with(game, seen_r, all, (uint8_t)s) == 0) {
			struct node symbol = node_item(&symbols, s);

			node_fail(&symbol, "a symbol that is on no strip",
				"each symbol on at least one reel");
		}
}
