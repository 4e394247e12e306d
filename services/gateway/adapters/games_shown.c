#include "services/gateway/adapters/games_shown.h"

static void copy(json_t *to, const char *name, const json_t *from, const char *as)
{
	json_t *member = json_object_get(from, name);
	if (member != NULL)
		(void)json_object_set(to, as, member);
}

static void copy_same(json_t *to, const json_t *from, const char *const *names)
{
	for (; *names != NULL; names++)
		copy(to, *names, from, *names);
}

/* Copies one member of each entry of a table, without its weights. */
static void copy_each(json_t *to, const char *name, const json_t *table, const char *member)
{
	json_t *list = json_array();
	size_t i;
	json_t *entry;
	json_array_foreach(table, i, entry)
	{
		json_t *value = json_object_get(entry, member);
		if (value != NULL)
			(void)json_array_append(list, value);
	}
	(void)json_object_set_new(to, name, list);
}

/* The same with several members. */
static void copy_entries(
	json_t *to, const char *name, const json_t *table, const char *const *members)
{
	json_t *list = json_array();
	size_t i;
	json_t *entry;
	json_array_foreach(table, i, entry)
	{
		json_t *shown = json_object();
		copy_same(shown, entry, members);
		(void)json_array_append_new(list, shown);
	}
	(void)json_object_set_new(to, name, list);
}

/* Turns {"EUR":{"coins":[..],"stake_min","stake_max",..}} into a list, which is easier for clients
 * to read. */
static json_t *currencies_of(const json_t *bet)
{
	json_t *list = json_array();
	const char *code;
	json_t *currency;
	json_object_foreach(json_object_get(bet, "currencies"), code, currency)
	{
		json_t *item = json_object();
		(void)json_object_set_new(item, "currency", json_string(code));
		copy(item, "coins", currency, "coins_minor");
		copy(item, "no_buy_coins", currency, "no_buy_coins_minor");
		copy(item, "stake_min", currency, "stake_min_minor");
		copy(item, "stake_max", currency, "stake_max_minor");
		copy(item, "price_max", currency, "price_max_minor");
		(void)json_array_append_new(list, item);
	}
	return list;
}

static json_t *bet_of(const json_t *definition)
{
	const json_t *from = json_object_get(definition, "bet");
	json_t *bet = json_object();
	copy(bet, "lines", from, "lines");
	copy(bet, "coins", from, "coins");
	copy(bet, "currencies", from, "currencies");
	copy(bet, "coins", json_object_get(json_object_get(from, "currencies"), "EUR"),
		"coins_minor");
	return bet;
}

/* `wild_reels`: the possible sets of wild reels, counted from 1; null if the mode buys none. */
static json_t *modes_of(const json_t *definition)
{
	static const char *const same[] = { "id", "name", "price_hundredths", "guarantee",
		"published_rtp", NULL };
	json_t *list = json_array();
	size_t i;
	json_t *mode;
	json_array_foreach(json_object_get(definition, "modes"), i, mode)
	{
		json_t *shown = json_object();
		const json_t *wild = json_object_get(mode, "wild_reels");
		copy_same(shown, mode, same);
		(void)json_object_set_new(shown, "one_spin",
			json_boolean(json_is_true(json_object_get(mode, "one_spin"))));
		if (json_is_array(wild))
			copy_each(shown, "wild_reels", wild, "reels");
		else
			(void)json_object_set_new(shown, "wild_reels", json_null());
		(void)json_array_append_new(list, shown);
	}
	return list;
}

static json_t *hold_of(const json_t *hold)
{
	static const char *const same[] = { "symbol", "at_least", "respins",
		"full_screen_multiplier", NULL };
	static const char *const award[] = { "id", "name", "x", NULL };
	const json_t *mystery = json_object_get(hold, "mystery");
	json_t *shown = json_object();
	copy_same(shown, hold, same);
	copy_each(shown, "values", json_object_get(hold, "values"), "x");
	copy_entries(shown, "awards", json_object_get(mystery, "awards"), award);
	copy(shown, "exclude", mystery, "exclude");
	copy(shown, "exclude_from_multiplier", mystery, "exclude_from_multiplier");
	copy_each(shown, "multipliers",
		json_object_get(json_object_get(hold, "multiplying"), "values"), "x");
	return shown;
}

static json_t *unlock_of(const json_t *collectibles)
{
	static const char *const feature[] = { "kind", "needs", NULL };
	json_t *shown = json_object();
	copy(shown, "symbols", collectibles, "symbols");
	copy_entries(shown, "features", json_object_get(collectibles, "features"), feature);
	copy_each(shown, "multipliers", json_object_get(collectibles, "multipliers"), "x");
	copy_each(shown, "reveals",
		json_object_get(json_object_get(collectibles, "explosion"), "reveals"), "symbol");
	return shown;
}

/* null for a feature that the game does not have. */
static void put_features(json_t *game, const json_t *definition)
{
	static const char *const scatter_award[] = { "symbol", "scatters_min", NULL };
	static const char *const same[] = { "expanding_wild", "free_spins", "sticky_respins",
		"progressive_symbols", "witches", "gamble", "autoplay", "cards", NULL };
	const json_t *pick_outcomes = json_object_get(definition, "vials");
	const json_t *hold = json_object_get(definition, "hold_and_win");
	const json_t *collectibles = json_object_get(definition, "potions");
	const json_t *fights = json_object_get(definition, "battle");
	json_t *shown = json_is_object(fights) ? json_object() : json_null();
	if (json_is_object(fights))
		copy_same(shown, fights, scatter_award);
	(void)json_object_set_new(game, "battle", shown);
	copy_same(game, definition, same);
	copy(game, "bonus_min", pick_outcomes, "bonus_min");
	copy(game, "shown", pick_outcomes, "vials");
	copy(game, "picked", pick_outcomes, "picks");
	(void)json_object_set_new(
		game, "hold_and_win", json_is_object(hold) ? hold_of(hold) : json_null());
	(void)json_object_set_new(game, "potions",
		json_is_object(collectibles) ? unlock_of(collectibles) : json_null());
}

/* The return of one currency's rows, in ppm of all bets: the sum of its coin values in euro,
 * divided by the base coin value, times the contribution. */
static int64_t rows_return_ppm(const json_t *jackpot, const json_t *rows)
{
	int64_t base = json_integer_value(json_object_get(jackpot, "base_coin_eur_minor"));
	int64_t rate_nano = json_integer_value(json_object_get(rows, "row_rate_nano"));
	int64_t coins = 0;
	const json_t *seed;
	size_t i;
	json_array_foreach(json_object_get(rows, "seeds"), i, seed) coins +=
		json_integer_value(json_object_get(seed, "coin"));
	if (base <= 0)
		return 0;
	return json_integer_value(json_object_get(jackpot, "contribution_ppm")) * coins *
	       (rate_nano / 1000) / 1000000 / base;
}

static json_t *jackpot_of(const json_t *jackpot)
{
	static const char *const same[] = { "pool", "pool_number", "contribution_ppm",
		"published_with_contribution", NULL };
	json_t *shown = json_object();
	json_t *returns = json_object();
	json_t *rows = json_object_get(jackpot, "rows");
	const char *currency;
	json_t *of;
	json_object_foreach(rows, currency, of)(void)
		json_object_set_new(returns, currency, json_integer(rows_return_ppm(jackpot, of)));
	copy_same(shown, jackpot, same);
	(void)json_object_set_new(shown, "rows_return_ppm", returns);
	return shown;
}

json_t *games_shown(const json_t *definition, const char *math_version)
{
	static const char *const same[] = { "id", "number", "name", "version", "demo", "symbols",
		"lines", "resolve_after_hours", NULL };
	const json_t *bet = json_object_get(definition, "bet");
	const json_t *grid = json_object_get(definition, "grid");
	const json_t *jackpot = json_object_get(definition, "jackpot");
	json_t *game = json_object();
	copy_same(game, definition, same);
	copy(game, "reels", grid, "reels");
	copy(game, "rows", grid, "rows");
	copy(game, "min", json_object_get(bet, "lines"), "lines_min");
	copy(game, "max", json_object_get(bet, "lines"), "lines_max");
	copy(game, "min", json_object_get(bet, "coins"), "coins_min");
	copy(game, "max", json_object_get(bet, "coins"), "coins_max");
	(void)json_object_set_new(game, "modes", modes_of(definition));
	(void)json_object_set_new(game, "currencies", currencies_of(bet));
	(void)json_object_set_new(game, "bet", bet_of(definition));
	(void)json_object_set_new(game, "math_version", json_string(math_version));
	put_features(game, definition);
	if (json_is_object(jackpot))
		(void)json_object_set_new(game, "jackpot", jackpot_of(jackpot));
	return game;
}
