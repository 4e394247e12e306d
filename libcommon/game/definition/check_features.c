/* Features that could never come, that nothing leads to, or that the engine does not play
 * together. */
#include "libcommon/game/definition/check.h"

#include <stdio.h>
#include <string.h>

/* ---- together ---- */

/* The engine plays every feature in every game but for these: each row is refused. Potions change
 * what a window shows and carry a state, and the bonus symbol means one thing. */
static void check_together(const struct node *root, const struct game *game)
{
	const struct {
		bool first, second;
		const char *member, *other;
	} rows[] = {
		{ game->potions.offered, game->scatter_count_min > 0, "potions", "battle" },
		{ game->potions.offered, game->vial_count > 0, "potions", "vials" },
		{ game->potions.offered, game->sticky.offered, "potions", "sticky_respins" },
		{ game->potions.offered, game->hold.offered, "potions", "hold_and_win" },
		{ game->potions.offered, game->gamble.offered, "potions", "gamble" },
		{ game->potions.offered, game->expanding_reels != 0, "potions", "expanding_wild" },
		{ game->potions.offered, game->jackpot_symbols.symbol != GAME_NO_SYMBOL, "potions",
			"progressive_symbols" },
		{ game->hold.offered, game->vial_count > 0, "hold_and_win", "vials" },
		{ game->sticky.offered, game->scatter_count_min > 0, "sticky_respins", "battle" },
		{ game->sticky.offered, game->vial_count > 0, "sticky_respins", "vials" },
		{ game->sticky.offered, game->hold.offered, "sticky_respins", "hold_and_win" },
		{ game->sticky.offered, game->expanding_reels != 0, "sticky_respins",
			"expanding_wild" },
		{ game->expanding_reels != 0, game->jackpot_symbols.symbol != GAME_NO_SYMBOL,
			"expanding_wild", "progressive_symbols" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].first && rows[i].second) {
			struct node node = node_member(root, rows[i].member);

			node_fail(&node, NULL, "null in a game with %s: not played together",
				rows[i].other);
		}
}

/* Bought wild reels and guarantees hide or choose what those features wait for. */
static void check_modes_together(const struct node *root, const struct game *game)
{
	struct node modes = node_member(root, "modes");

	if (game->potions.offered && game->mode_count > 1)
		node_fail(&modes, NULL,
			"the base mode alone in a game with potions: what is collected belongs to "
			"one way of play");
	for (uint32_t m = 0; m < game->mode_count; m++) {
		struct node mode = node_item(&modes, m), reels = node_member(&mode, "wild_reels");
		struct node price = node_member(&mode, "price_hundredths");
		struct node guarantee = node_member(&mode, "guarantee");

		if (game->mode[m].guarantee == GUARANTEE_LINE_WIN &&
			(game->lines_min < game->line_count || game->lines_max < game->line_count))
			node_fail(&guarantee, NULL,
				"a line_win only where all lines are always played");
		if (game->mode[m].position_count > 0 &&
			(game->sticky.offered || game->hold.offered ||
				game->jackpot_symbols.symbol != GAME_NO_SYMBOL))
			node_fail(&reels, NULL,
				"null in a game with sticky respins, hold and win or progressive "
				"symbols");
		if (m > 0 && game->jackpot.pool != 0)
			node_fail(&price, NULL,
				"no bought mode in a game with a progressive: its "
				"odds would follow the bet, not the price");
	}
}

/* ---- scatters and free spins ---- */

static uint32_t free_sets(const struct game *game)
{
	return game->free_spins.offered ? UINT32_C(1) << game->free_spins.strips : 0;
}

static uint32_t sticky_sets(const struct game *game)
{
	return game->sticky.offered ? UINT32_C(1) << game->sticky.strips : 0;
}

static void check_scatter(const struct node *root, const struct game *game,
	const struct strips_seen *seen, uint8_t symbol)
{
	struct node symbols = node_member(root, "symbols"), node = node_item(&symbols, symbol);
	uint32_t sets = definition_base_sets(game) | free_sets(game) | sticky_sets(game);
	uint32_t reach = definition_reels_with(game, seen, sets, symbol);
	const uint32_t *pay = game->symbol[symbol].pay;
	bool pays = false, battles = game->scatter_count_min > 0 && symbol == game->scatter[0];

	for (uint32_t n = 1; n <= game->reels; n++) {
		pays |= pay[n] > 0;
		if (n > 1 && pay[n] < pay[n - 1] && (n <= reach || pay[n] > 0))
			node_fail(&node, "pays that fall with the count",
				"each at least as much as the smaller one (%u pay %u, %u pay %u)",
				n - 1, pay[n - 1], n, pay[n]);
	}
	if (!pays && !battles && symbol != game->free_spins.award_symbol)
		node_fail(&node, "a scatter that does nothing",
			"one that pays, awards free spins or starts battles");
}

/* The fewest of the symbol that award something in a context; 0: it never awards there. */
static uint32_t award_from(const struct game *game, enum spin_context context)
{
	for (uint32_t n = 1; n <= game->reels; n++)
		if (game->free_spins.award[context][n] > 0)
			return n;
	return 0;
}

/* In a sticky respin the locked reel shows the window it was locked with, not its strip. */
static uint32_t respin_reach(const struct game *game, const struct strips_seen *seen)
{
	uint8_t symbol = game->free_spins.award_symbol;
	uint32_t reels = definition_locked_with(game, symbol) ? 1 : 0;

	for (uint32_t r = 0; r < game->reels; r++)
		reels += r != game->sticky.reel && seen->most[game->sticky.strips][r][symbol] > 0;
	return reels;
}

static void check_award(const struct node *awards, const struct game *game,
	const struct strips_seen *seen, enum spin_context context)
{
	static const char *const words[SPIN_CONTEXTS] = { "base", "free", "respin" };
	const uint32_t sets[SPIN_CONTEXTS] = { definition_base_sets(game), free_sets(game),
		sticky_sets(game) };
	const uint16_t *award = game->free_spins.award[context];
	uint32_t from = award_from(game, context), reach;
	struct node node = node_member(awards, words[context]);

	if (from == 0)
		return;
	if (sets[context] == 0) {
		node_fail(&node, NULL, "an empty object in a game without sticky respins");
		return;
	}
	reach = definition_reels_with(game, seen, sets[context], game->free_spins.award_symbol);
	if (context == CONTEXT_RESPIN)
		reach = respin_reach(game, seen);
	if (from > reach)
		node_fail(&node, NULL, "an award that the strips can reach: %u symbols at most",
			reach);
	for (uint32_t n = 2; n <= game->reels; n++)
		if (award[n] < award[n - 1] && (n <= reach || award[n] > 0))
			node_fail(&node, "awards that fall with the count",
				"each at least as many as the smaller one (%u award %u, %u award "
				"%u)",
				n - 1, award[n - 1], n, award[n]);
}

static bool battle_awards(const struct game *game)
{
	for (uint32_t n = 0; n <= game->reels; n++)
		for (uint32_t i = 0; i < game->battle_count[n]; i++)
			if (game->battle[n][i].free_spins > 0)
				return true;
	return false;
}

static bool vials_award(const struct game *game)
{
	for (uint32_t i = 0; i < game->vial_count; i++)
		if (game->vial[i].kind == VIAL_FREE_SPINS)
			return true;
	return false;
}

static void check_free_spins(
	const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	struct node node = node_member(root, "free_spins"), awards;
	bool others = battle_awards(game) || vials_award(game);

	if (!game->free_spins.offered) {
		if (others)
			node_fail(&node, NULL, "the free spins that %s award",
				battle_awards(game) ? "battles" : "vials");
		return;
	}
	if (game->free_spins.award_symbol != GAME_NO_SYMBOL) {
		awards = node_member(&node, "awards");
		for (uint32_t c = 0; c < SPIN_CONTEXTS; c++)
			check_award(&awards, game, seen, (enum spin_context)c);
		others |=
			award_from(game, CONTEXT_BASE) > 0 || award_from(game, CONTEXT_RESPIN) > 0;
	}
	if (!others)
		node_fail(&node, "free spins that nothing awards",
			"awards by a scatter, battles or vials that award some, or null");
}

/* ---- what must be seen to begin ---- */

static void check_begins(
	const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	uint32_t sets = definition_base_sets(game) | free_sets(game);

	if (game->scatter_count_min > 0 && definition_reels_with(game, seen, sets,
						   game->scatter[0]) < game->scatter_count_min) {
		struct node battle = node_member(root, "battle");
		struct node least = node_member(&battle, "scatters_min");

		node_fail(&least, NULL, "as many as the strips can show");
	}
	if (game->vial_count > 0 &&
		definition_reels_with(game, seen, sets, game->bonus) < game->bonus_count_min) {
		struct node vials = node_member(root, "vials");
		struct node least = node_member(&vials, "bonus_min");

		node_fail(&least, NULL, "as many as the strips can show");
	}
	if (game->bonus != GAME_NO_SYMBOL && game->vial_count == 0 && !game->hold.offered) {
		struct node symbols = node_member(root, "symbols");
		struct node bonus = node_item(&symbols, game->bonus);

		node_fail(&bonus, "a bonus symbol that opens nothing", "vials or hold_and_win");
	}
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

static void check_hold(
	const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	struct node hold = node_member(root, "hold_and_win"), least;

	if (!game->hold.offered)
		return;
	least = node_member(&hold, "at_least");
	for (uint32_t m = 0; m < game->mode_count; m++) {
		uint32_t cells = 0;

		for (uint32_t r = 0; r < game->reels; r++)
			cells += seen->most[game->mode[m].strips][r][game->hold.symbol];
		if (cells < game->hold.at_least)
			node_fail(&least, NULL, "at most the %u that mode %s can show", cells,
				game->mode[m].id);
	}
}

static void check_sticky(
	const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	struct node sticky = node_member(root, "sticky_respins"), least;
	uint32_t sets = definition_base_sets(game) | free_sets(game), most = 0;

	if (!game->sticky.offered)
		return;
	for (uint32_t s = 0; s < game->strip_sets; s++)
		if ((sets >> s & 1) != 0 &&
			seen->most[s][game->sticky.reel][game->sticky.symbol] > most)
			most = seen->most[s][game->sticky.reel][game->sticky.symbol];
	least = node_member(&sticky, "at_least");
	if (most < game->sticky.at_least)
		node_fail(&least, NULL, "at most the %u that reel %u can show", most,
			game->sticky.reel + 1u);
}

/* Every potion is collected: it is on some strip, and only those of paid spins may hold it. So
 * every step can be completed, one after the other. */
static void check_potions(const struct node *root, const struct game *game)
{
	struct node symbols = node_member(root, "symbols"), potions = node_member(root, "potions");

	for (uint32_t s = 0; s < game->symbol_count; s++)
		if (game->symbol[s].kind == SYMBOL_POTION &&
			!memchr(game->potions.symbol, (int)s, GAME_COLOURS)) {
			struct node node = node_item(&symbols, s);

			node_fail(&node, "a potion that is not collected",
				"the three of /potions/symbols only");
		}
	if (!game->potions.offered)
		return;
	if (game->free_spins.offered && game->potions.free_feature.in == 0) {
		struct node node = node_member(&potions, "free_spins");

		node_fail(&node, NULL, "the potion features of the free spins");
	}
}

void definition_check_features(
	const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	check_together(root, game);
	check_modes_together(root, game);
	for (uint32_t i = 0; i < game->scatter_symbols; i++)
		check_scatter(root, game, seen, game->scatter[i]);
	check_begins(root, game, seen);
	check_hold(root, game, seen);
	check_sticky(root, game, seen);
	check_free_spins(root, game, seen);
	check_potions(root, game);
}
