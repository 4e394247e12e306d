/* Refuses features that can never start and features that the engine cannot play together, as far
 * as the check does not belong to a single feature. */
#include "libcommon/game/definition/feature.h"

#include <stdio.h>
#include <string.h>

/* ---- together ---- */

void definition_not_with(
	const struct node *root, const char *member, bool has_other, const char *other)
{
	struct node node = node_member(root, member);

	if (has_other)
		node_fail(&node, NULL,
			"null in a game with %s, because the engine cannot play both", other);
}

/* Features can be combined unless one of their own checks refuses it. */
static void check_expanding(const struct node *root, const struct game *game)
{
	if (game->expanding_reels != 0)
		definition_not_with(root, "expanding_wild",
			game->jackpot_symbols.symbol != GAME_NO_SYMBOL, "progressive_symbols");
}

/* Bought wild reels and guarantees hide or select the symbols that start these features. */
static void check_modes(const struct node *root, const struct game *game)
{
	struct node modes = node_member(root, "modes");

	for (uint32_t m = 0; m < game->mode_count; m++) {
		struct node mode = node_item(&modes, m), reels = node_member(&mode, "wild_reels");
		struct node price = node_member(&mode, "price_hundredths");
		struct node guarantee = node_member(&mode, "guarantee");

		if (game->mode[m].guarantee == GUARANTEE_LINE_WIN &&
			(game->lines_min < game->line_count || game->lines_max < game->line_count))
			node_fail(&guarantee, NULL,
				"a line_win guarantee only if every bet plays all lines");
		if (game->mode[m].position_count > 0 &&
			(game->sticky.offered || game->hold.offered ||
				game->jackpot_symbols.symbol != GAME_NO_SYMBOL))
			node_fail(&reels, NULL,
				"null in a game with sticky respins, hold and win or progressive "
				"symbols");
		if (m > 0 && game->jackpot.pool != 0)
			node_fail(&price, NULL,
				"no bought modes in a game with a progressive, because its odds "
				"follow the bet and not the price");
	}
}

/* ---- scatters ---- */

uint32_t definition_free_sets(const struct game *game)
{
	return game->free_spins.offered ? UINT32_C(1) << game->free_spins.strips : 0;
}

uint32_t definition_sticky_sets(const struct game *game)
{
	return game->sticky.offered ? UINT32_C(1) << game->sticky.strips : 0;
}

static void check_scatter(const struct node *root, const struct game *game,
	const struct strips_seen *seen, uint8_t symbol)
{
	struct node symbols = node_member(root, "symbols"), node = node_item(&symbols, symbol);
	uint32_t sets = definition_base_sets(game) | definition_free_sets(game) |
			definition_sticky_sets(game);
	uint32_t reach = definition_reels_with(game, seen, sets, symbol);
	const uint32_t *pay = game->symbol[symbol].pay;
	bool pays = false,
	     scatter_awards = game->scatter_count_min > 0 && symbol == game->scatter[0];

	for (uint32_t n = 1; n <= game->reels; n++) {
		pays |= pay[n] > 0;
		if (n > 1 && pay[n] < pay[n - 1] && (n <= reach || pay[n] > 0))
			node_fail(&node, "pays that fall as the count grows",
				"a larger count to pay at least as much (%u pay %u, %u pay %u)",
				n - 1, pay[n - 1], n, pay[n]);
	}
	if (!pays && !scatter_awards && symbol != game->free_spins.award_symbol)
		node_fail(&node, "a scatter without effect",
			"a scatter that pays, awards free spins or starts the battle");
}

/* A wild that counts as a scatter must come from a strip, at most one a reel. */
static void check_wild_counts(const struct node *root, const struct game *game)
{
	struct node symbols = node_member(root, "symbols");
	bool covers = game->expanding_reels != 0 || game->unlock.offered || game->sticky.offered;

	for (uint32_t m = 0; m < game->mode_count; m++)
		covers |= game->mode[m].position_count > 0;
	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		uint8_t symbol = game->scatter[i];
		struct node node = node_item(&symbols, symbol), counts;

		if (!game->symbol[symbol].wild_counts)
			continue;
		counts = node_member(&node, "wild_counts");
		if (covers)
			node_fail(&counts, NULL,
				"false in a game with expanding wilds, bought wild reels, potions "
				"or sticky respins");
		for (uint32_t m = 0; m < game->mode_count; m++)
			if (game->mode[m].guarantee == GUARANTEE_SYMBOLS &&
				game->mode[m].guarantee_symbol == symbol)
				node_fail(&counts, NULL,
					"false, because mode %s guarantees this symbol",
					game->mode[m].id);
	}
}

/* ---- what must be seen to begin ---- */

static void check_bonus(const struct node *root, const struct game *game)
{
	struct node symbols = node_member(root, "symbols");

	if (game->bonus != GAME_NO_SYMBOL && game->pick_outcome_count == 0 && !game->hold.offered) {
		struct node bonus = node_item(&symbols, game->bonus);

		node_fail(&bonus, "a bonus symbol that starts nothing",
			"vials or hold_and_win in the definition");
	}
}

static void check_expanding_seen(
	const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	for (uint32_t r = 0; r < game->reels; r++)
		if ((game->expanding_reels >> r & 1) != 0) {
			bool seen_there = false;

			for (uint32_t s = 0; s < game->strip_sets; s++)
				seen_there |= seen->most[s][r][game->wild] > 0;
			if (!seen_there) {
				struct node node = node_member(root, "expanding_wild");

				node_fail(&node, NULL, "a wild on the strips of reel %u", r + 1);
			}
		}
}

void definition_check_features(
	const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	check_modes(root, game);
	for (uint32_t i = 0; i < game->scatter_symbols; i++)
		check_scatter(root, game, seen, game->scatter[i]);
	check_wild_counts(root, game);
	check_bonus(root, game);
	check_expanding_seen(root, game, seen);
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_definitions[f]->check)
			feature_definitions[f]->check(root, game, seen);
	check_expanding(root, game);
}
