/* Checks that bets can be placed, that prices are whole and that totals fit. */
#include "libcommon/game/definition/feature.h"

#include "libcommon/base/currency.h"
#include "libcommon/game/carried.h"

#include <inttypes.h>
#include <stdio.h>

__extension__ typedef unsigned __int128 wide;

#define WIDE_MAX ((wide)1 << 120)
#define GAIN_MAX 0x3fffffff /* coins of one spin: the exact mathematics counts in 30 bits */

static const char *currency_code(uint32_t number)
{
	const struct currency *currency = currency_by_number(number);

	return currency ? currency->code : "?";
}

static wide wide_times(wide a, wide b)
{
	return a != 0 && b > WIDE_MAX / a ? WIDE_MAX : a * b;
}

static wide greater(wide a, wide b)
{
	return a > b ? a : b;
}

/* ---- prices ---- */

static bool price_of(uint32_t hundredths, int64_t total, int64_t *price_r)
{
	wide price = (wide)(uint64_t)total * hundredths;

	*price_r = price / 100 > INT64_MAX ? INT64_MAX : (int64_t)(price / 100);
	return price % 100 == 0;
}

/* Checks that every bet at which the mode can be bought has a price in whole minor units. Returns
 * whether there is such a bet in this currency. */
static bool check_price(const struct node *price, const struct game *game, uint32_t mode,
	const struct game_currency *currency)
{
	uint32_t hundredths = game->mode[mode].price_hundredths;
	bool sold = false;

	for (uint32_t i = 0; i < currency->coin_count; i++)
		for (uint32_t l = game->lines_min; l <= game->lines_max; l++)
			for (uint32_t k = game->coins_min; k <= game->coins_max; k++) {
				int64_t total = currency->coin_minor[i] * l * k, cost;
				bool whole;

				if (!currency->coin_buys[i] || total < currency->stake_min.minor ||
					total > currency->stake_max.minor)
					continue;
				whole = price_of(hundredths, total, &cost);
				if (cost > currency->price_max.minor)
					continue;
				if (!whole)
					node_fail(price, NULL,
						"a price in whole minor units at every bet, "
						"including %s %" PRId64,
						currency_code(currency->number), total);
				sold = true;
			}
	return sold;
}

static void check_prices(const struct node *root, const struct game *game)
{
	struct node modes = node_member(root, "modes");

	for (uint32_t m = 1; m < game->mode_count; m++) {
		struct node mode = node_item(&modes, m);
		struct node price = node_member(&mode, "price_hundredths");
		bool sold = false;

		for (uint32_t c = 0; c < game->currency_count; c++)
			sold |= check_price(&price, game, m, &game->currency[c]);
		if (!sold)
			node_fail(&mode, "a mode that is too expensive at every bet",
				"a price within the price_max of at least one currency");
	}
}

static void check_published(const struct node *root, const struct game *game)
{
	struct node modes = node_member(root, "modes");

	for (uint32_t m = 0; m < game->mode_count; m++)
		if (game->mode[m].published_count == 2 && game->lines_min == game->lines_max &&
			game->coins_min == game->coins_max) {
			struct node mode = node_item(&modes, m);
			struct node published = node_member(&mode, "published_rtp");

			node_fail(&published, NULL,
				"one return for \"all\" bets, because every bet is the maximum "
				"bet");
		}
}

/* ---- totals ---- */

/* The largest win of one coin on a line, with all multipliers. */
static wide line_most(const struct game *game)
{
	const struct free_spins_rules *rules = &game->free_spins;
	wide pay = 0, factor = 1;

	for (uint32_t s = 0; s < game->symbol_count; s++)
		for (uint32_t n = 1; n <= game->reels; n++)
			if (game->symbol[s].kind != SYMBOL_SCATTER)
				pay = greater(pay, game->symbol[s].pay[n]);
	factor = rules->line_multiplier;
	if (rules->wild_multiplier_count > 0)
		factor *= rules->wild_multiplier[rules->wild_multiplier_count - 1];
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_definitions[f]->line_factor && feature_rules[f]->offered(game))
			factor = wide_times(factor, feature_definitions[f]->line_factor(game));
	return wide_times(pay, (uint64_t)factor);
}

/* The most that scatters and the pick bonus pay in one spin, times the total bet. */
static wide bet_most(const struct game *game)
{
	wide scatters = 0, pick_outcomes = 0;

	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		uint32_t most = 0;

		for (uint32_t n = 1; n <= game->reels; n++)
			if (game->symbol[game->scatter[i]].pay[n] > most)
				most = game->symbol[game->scatter[i]].pay[n];
		scatters += most;
	}
	for (size_t i = 0; i < game->pick_outcome_count; i++)
		if (game->pick_outcome[i].kind == PICK_MONEY)
			pick_outcomes = greater(pick_outcomes, game->pick_outcome[i].value);
	return scatters + pick_outcomes;
}

/* The largest win of the cells if `multipliers` of them multiply, each by x, and the others carry
 * at most `value`. */
static wide cells_most(const struct game *game, uint32_t multipliers, uint32_t x, wide value)
{
	uint32_t cells = game->reels * game->rows;
	wide product = 1, own = 0;

	for (uint32_t i = 0; i < multipliers; i++)
		product = wide_times(product, x);
	for (uint32_t i = 0; i < game->hold.value.count; i++)
		own = greater(own, game->hold.value.of[i].x);
	/* the core computes the product even if nothing is left to multiply */
	return wide_times(
		       wide_times(product, value), cells > multipliers ? cells - multipliers : 1) +
	       own * cells;
}

/* The most that a hold and win pays, times the total bet. Large multipliers exclude some awards, so
 * there are two cases: with large multipliers and without. */
static wide hold_most(const struct game *game)
{
	const struct hold_rules *rules = &game->hold;
	uint32_t small = 1, large = 1;
	wide all = 0, kept = 0, most = 0;

	for (uint32_t i = 0; i < rules->value.count; i++)
		kept = greater(kept, rules->value.of[i].x);
	all = kept;
	for (uint32_t i = 0; i < rules->award_count; i++) {
		all = greater(all, rules->award[i].x);
		if (!rules->award[i].excluded)
			kept = greater(kept, rules->award[i].x);
	}
	for (uint32_t i = 0; i < rules->multiplier.count; i++) {
		uint32_t x = rules->multiplier.of[i].x;

		large = x > large ? x : large;
		if (rules->exclude_from == 0 || x < rules->exclude_from)
			small = x > small ? x : small;
	}
	for (uint32_t k = 0; k <= game->reels * game->rows; k++) {
		most = greater(most, cells_most(game, k, small, all));
		most = greater(most, cells_most(game, k, large, kept));
	}
	return wide_times(most, rules->offered ? rules->full_multiplier : 0);
}

/* The largest win of one phase, times the phases of a round, must fit, because the core only
 * asserts it. */
static void check_totals(const struct node *root, const struct game *game)
{
	struct node symbols = node_member(root, "symbols"), bet = node_member(root, "bet");
	struct node currencies = node_member(&bet, "currencies");
	wide line = line_most(game), hold = hold_most(game), phase = line + bet_most(game), most;

	if (wide_times(line, game->line_count) > GAIN_MAX)
		node_fail(&symbols, NULL,
			"pays that stay below %d coins on all lines with all multipliers",
			GAIN_MAX);
	for (uint32_t c = 0; c < game->currency_count; c++) {
		const struct game_currency *currency = &game->currency[c];
		struct bet smallest;
		struct money stake;

		most = wide_times(greater(phase, 1), GAME_ROUND_PHASES_MAX) + hold;
		if (wide_times(most, (uint64_t)currency->stake_max.minor) > INT64_MAX / 2)
			node_fail(&currencies, NULL,
				"a stake_max for %s with which the largest win of a round fits "
				"63 bits",
				currency_code(currency->number));
		if (bet_smallest(game, currency->number, &smallest, &stake) != BET_OK)
			node_fail(&currencies, NULL,
				"at least one bet in %s between stake_min and stake_max",
				currency_code(currency->number));
	}
}

/* The total bets that a currency offers, counted up to one more than a player may carry state for.
 */
static uint32_t bet_values(const struct game *game, const struct game_currency *currency)
{
	int64_t seen[CARRIED_MAX + 1];
	uint32_t n = 0;

	for (uint32_t i = 0; i < currency->coin_count; i++)
		for (uint32_t l = game->lines_min; l <= game->lines_max; l++)
			for (uint32_t k = game->coins_min; k <= game->coins_max; k++) {
				int64_t total = currency->coin_minor[i] * l * k;
				uint32_t at = 0;

				while (at < n && seen[at] != total)
					at++;
				if (at < n || total < currency->stake_min.minor ||
					total > currency->stake_max.minor)
					continue;
				if (n == CARRIED_MAX)
					return n + 1;
				seen[n++] = total;
			}
	return n;
}

/* A player keeps collected potions for each bet value; all of them must fit a record. */
static void check_carried(const struct node *root, const struct game *game)
{
	struct node bet = node_member(root, "bet");
	struct node currencies = node_member(&bet, "currencies");

	for (uint32_t c = 0; game->unlock.offered && c < game->currency_count; c++)
		if (bet_values(game, &game->currency[c]) > CARRIED_MAX)
			node_fail(&currencies, "more bet values",
				"at most %d different total bets in %s in a game with potions",
				CARRIED_MAX, currency_code(game->currency[c].number));
}

void definition_check_bets(const struct node *root, const struct game *game)
{
	check_totals(root, game);
	check_prices(root, game);
	check_published(root, game);
	check_carried(root, game);
}
