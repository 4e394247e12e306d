/* Checks the progressive: odds in proportion to the bet, rows for every coin value, solvency. */
#include "libcommon/game/definition/check.h"

#include "libcommon/base/currency.h"

#include <inttypes.h>
#include <stdio.h>

#define NANO 1000000000

static const char *currency_code(uint32_t number)
{
	const struct currency *currency = currency_by_number(number);

	return currency ? currency->code : "?";
}

/* RULE bewitched 3.9: the odds of the progressive are in proportion to the bet, and the other
 * outcomes balance them, so that the return does not depend on the bet. A demo has more hits: only
 * its sums are checked. */
static void check_pick_outcome(const struct node *outcomes, const struct game *game, size_t i)
{
	const struct pick_outcome *pick_outcome = &game->pick_outcome[i];
	struct node node = node_item(outcomes, i);
	int64_t y_min = (int64_t)game->lines_min * game->coins_min;
	int64_t y_max = (int64_t)game->lines_max * game->coins_max;

	if (pick_outcome->weight + pick_outcome->weight_per_coin * y_min < 0 ||
		pick_outcome->weight + pick_outcome->weight_per_coin * y_max < 0)
		node_fail(&node, NULL,
			"weight + weight_per_coin x y >= 0, with y (lines x coins) from %" PRId64
			" to %" PRId64,
			y_min, y_max);
	if (pick_outcome->kind != PICK_JACKPOT)
		return;
	if (game->jackpot.pool == 0)
		node_fail(&node, NULL, "no jackpot outcome in a game without a pool");
	if (!game->demo && (pick_outcome->weight != 0 || pick_outcome->weight_per_coin <= 0))
		node_fail(&node, NULL,
			"odds in proportion to the bet: weight 0 and weight_per_coin > 0");
}

static void check_pick_outcomes(const struct node *root, const struct game *game)
{
	struct node pick_outcomes = node_member(root, "vials"), outcomes;
	int64_t sum = 0, slope = 0, return_slope[3] = { 0 };

	if (game->pick_outcome_count == 0)
		return;
	outcomes = node_member(&pick_outcomes, "outcomes");
	for (size_t i = 0; i < game->pick_outcome_count; i++) {
		const struct pick_outcome *pick_outcome = &game->pick_outcome[i];

		check_pick_outcome(&outcomes, game, i);
		sum += pick_outcome->weight;
		slope += pick_outcome->weight_per_coin;
		return_slope[pick_outcome->kind] +=
			pick_outcome->weight_per_coin * pick_outcome->value;
	}
	if (sum < 1 || sum > GAME_WEIGHT_MAX)
		node_fail(&outcomes, NULL, "weights that sum to 1 .. %d, not %" PRId64,
			GAME_WEIGHT_MAX, sum);
	if (slope != 0)
		node_fail(&outcomes, NULL, "weight_per_coin values that sum to 0, not %" PRId64,
			slope);
	if (game->demo || (return_slope[PICK_MONEY] == 0 && return_slope[PICK_FREE_SPINS] == 0))
		return;
	char found[128];
	(void)snprintf(found, sizeof(found),
		"sums of value x weight_per_coin of %" PRId64 " for money and %" PRId64
		" for free spins",
		return_slope[PICK_MONEY], return_slope[PICK_FREE_SPINS]);
	node_fail(&outcomes, found, "0 for each, so that every bet has the same return");
}

/* RULE bewitched 4.2: a row for each selectable coin value and for no other. The shares of all rows
 * sum to at most 1, or the pool would promise more than it gets. */
static void check_rows(const struct node *root, const struct game *game)
{
	const struct jackpot_link *link = &game->jackpot;
	struct node jackpot, rows;
	int64_t shares = 0;
	uint32_t wanted = 0;
	char found[64];

	if (link->pool == 0)
		return;
	jackpot = node_member(root, "jackpot");
	rows = node_member(&jackpot, "rows");
	for (uint32_t c = 0; c < game->currency_count; c++)
		for (uint32_t i = 0; i < game->currency[c].coin_count; i++, wanted++)
			if (!jackpot_row(link, game->currency[c].number,
				    game->currency[c].coin_minor[i]))
				node_fail(&rows, NULL, "a row for %s and coin value %" PRId64,
					currency_code(game->currency[c].number),
					game->currency[c].coin_minor[i]);
	if (link->row_count != wanted)
		node_fail(&rows, NULL, "rows only for the %u selectable coin values, not %u rows",
			wanted, link->row_count);
	for (uint32_t i = 0; i < link->row_count; i++)
		shares = link->row[i].share_nano > 2 * (int64_t)NANO - shares
				 ? 2 * (int64_t)NANO
				 : shares + link->row[i].share_nano;
	snprintf(found, sizeof(found), "shares that sum to %s%.9f",
		shares >= 2 * (int64_t)NANO ? "over " : "", (double)shares / NANO);
	if (shares > NANO)
		node_fail(&rows, found,
			"shares that sum to at most 1, because rows cannot get "
			"more than the contribution");
}

/* A jackpot that bets contribute to must be winnable, and outcomes that win it need a pool. */
static void check_winnable(
	const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	const struct jackpot_symbols *rules = &game->jackpot_symbols;
	struct node jackpot = node_member(root, "jackpot");
	struct node symbols = node_member(root, "progressive_symbols");
	uint32_t sets = definition_base_sets(game);
	bool winnable = rules->symbol != GAME_NO_SYMBOL;
	uint32_t shown;

	for (uint32_t i = 0; i < game->pick_outcome_count; i++)
		winnable |= game->pick_outcome[i].kind == PICK_JACKPOT;
	if (game->jackpot.pool != 0 && !winnable)
		node_fail(&jackpot, NULL,
			"null, or progressive_symbols or a pick outcome that wins the jackpot");
	if (rules->symbol == GAME_NO_SYMBOL)
		return;
	if (game->jackpot.pool == 0)
		node_fail(&symbols, NULL, "null in a game without a pool");
	shown = definition_reels_with(game, seen, sets, rules->symbol);
	if (shown < rules->count) {
		struct node count = node_member(&symbols, "count");

		node_fail(&count, NULL, "at most the %u that the strips of the base game can show",
			shown);
	}
	/* on a line they are adjacent, from the first reel */
	for (uint32_t r = 0; !rules->anywhere && r < rules->count; r++) {
		bool there = false;

		for (uint32_t s = 0; s < game->strip_sets; s++)
			there |= (sets >> s & 1) != 0 && seen->most[s][r][rules->symbol] > 0;
		if (!there)
			node_fail(&symbols, NULL, "%s on the strips of reel %u",
				game->symbol[rules->symbol].id, r + 1);
	}
}

void definition_check_jackpot(
	const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	check_pick_outcomes(root, game);
	check_rows(root, game);
	check_winnable(root, game, seen);
}
