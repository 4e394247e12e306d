/* Which bet is placed: what the options say, as far as the game offers it, else a seeded mix that a
 * player can afford. */
#include "tests/support/players/player.h"

#include <stdio.h>
#include <string.h>

#define BASE_SHARE 8 /* so many rounds of the base game on each of a bought mode */

/* SplitMix64: the same choices for the same seed. */
uint64_t player_random(struct player *player)
{
	uint64_t z = (player->random += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t within(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : least(value, high);
}

static int64_t between(struct player *player, int64_t low, int64_t high)
{
	return low + (int64_t)(player_random(player) % (uint64_t)(high - low + 1));
}

/* The coin value of the options where the game has it, else one of the first `offered`. */
static size_t coin_choose(struct player *player, size_t offered)
{
	const struct game_rules *rules = player->game;
	for (size_t i = 0; i < rules->coins_n; i++)
		if (rules->coin[i] == player->crowd->options->coin_minor)
			return i;
	return (size_t)(player_random(player) % offered);
}

/* Each mode now and then; the base game where the price is beyond the rules or a tenth of the
 * balance. */
static void mode_choose(struct player *player, size_t coin, struct bet_choice *bet)
{
	const struct game_rules *rules = player->game;
	size_t at = (size_t)(player_random(player) % (BASE_SHARE + rules->modes_n - 1));
	int64_t total = bet->coin * bet->lines * bet->coins, price;
	bet->mode = 0;
	bet->stake = total;
	if (at < BASE_SHARE || !rules->sold[coin] || player->refused_in_row)
		return;
	price = total * rules->mode[at - BASE_SHARE + 1].price_hundredths / 100;
	if (price > player->balance / 10 || (rules->price_max && price > rules->price_max))
		return;
	bet->mode = at - BASE_SHARE + 1;
	bet->stake = price;
}

/* A mix: half of the bets with all lines, stakes of at most a fiftieth of the balance where the
 * rules allow it, so that a player lasts for thousands of rounds. */
void bet_choose(struct player *player, struct bet_choice *bet_r)
{
	const struct game_rules *rules = player->game;
	const struct options *options = player->crowd->options;
	int64_t afford = player->balance / 50, lines, coins;
	size_t offered = 1, coin;
	while (offered < rules->coins_n && rules->coin[offered] * rules->lines_max <= afford)
		offered++;
	coin = coin_choose(player, offered);
	lines = options->lines ? within(options->lines, rules->lines_min, rules->lines_max)
		: player_random(player) % 2 ? rules->lines_max
					    : between(player, rules->lines_min, rules->lines_max);
	coins = options->coins ? within(options->coins, rules->coins_min, rules->coins_max)
			       : between(player, rules->coins_min, rules->coins_max);
	if (player->refused_in_row == 0 && !options->coins) {
		int64_t most = afford / (rules->coin[coin] * lines);
		coins = most > rules->coins_min ? least(coins, most) : rules->coins_min;
	}
	/* Refused for lack of money: the smallest there is. */
	if (player->refused_in_row && !options->coin_minor && !options->lines && !options->coins) {
		coin = 0;
		lines = rules->lines_min;
		coins = rules->coins_min;
	}
	/* The rules' limits of one stake, as far as the options leave room. */
	while (!options->coins && coins < rules->coins_max &&
		rules->coin[coin] * lines * coins < rules->stake_min)
		coins++;
	while (!options->coins && rules->stake_max && coins > rules->coins_min &&
		rules->coin[coin] * lines * coins > rules->stake_max)
		coins--;
	*bet_r = (struct bet_choice){ .coin = rules->coin[coin], .lines = lines, .coins = coins };
	mode_choose(player, coin, bet_r);
}

static void limits(const json_t *bet, const char *name, int64_t *min, int64_t *max)
{
	const json_t *value = json_object_get(bet, name);
	*min = json_number(value, "min", 1);
	*max = json_number(value, "max", *min);
}

static bool listed(const json_t *list, int64_t value)
{
	const json_t *item;
	size_t i;
	json_array_foreach(list, i, item)
	{
		if (json_is_integer(item) && json_integer_value(item) == value)
			return true;
	}
	return false;
}

/* Coin values and limits of the players' currency. */
static void currency_read(const json_t *item, struct game_rules *rules)
{
	const json_t *value;
	size_t i;
	json_array_foreach(json_object_get(item, "coins_minor"), i, value)
	{
		int64_t coin = json_is_integer(value) ? json_integer_value(value) : 0;
		if (coin <= 0 || rules->coins_n == COINS_MAX)
			continue;
		rules->sold[rules->coins_n] =
			!listed(json_object_get(item, "no_buy_coins_minor"), coin);
		rules->coin[rules->coins_n++] = coin;
	}
	rules->stake_min = json_money(item, "stake_min");
	rules->stake_max = json_money(item, "stake_max");
	rules->price_max = json_money(item, "price_max");
}

static void modes_read(const json_t *modes, struct game_rules *rules)
{
	const json_t *mode;
	size_t i;
	json_array_foreach(modes, i, mode)
	{
		if (rules->modes_n == STATS_MODES_MAX)
			return;
		snprintf(rules->mode[rules->modes_n].id, STATS_ID_MAX, "%s", json_text(mode, "id"));
		rules->mode[rules->modes_n++].price_hundredths =
			json_number(mode, "price_hundredths", 100);
	}
}

bool bet_rules_read(const struct options *options, const json_t *game, struct game_rules *rules_r)
{
	const json_t *bet = json_object_get(game, "bet"), *item;
	int64_t pick_outcomes = json_number(game, "vials", 0);
	size_t i;
	*rules_r = (struct game_rules){ .pick_outcomes = 3 };
	snprintf(rules_r->id, sizeof(rules_r->id), "%s", json_text(game, "id"));
	limits(bet, "lines", &rules_r->lines_min, &rules_r->lines_max);
	limits(bet, "coins", &rules_r->coins_min, &rules_r->coins_max);
	modes_read(json_object_get(game, "modes"), rules_r);
	rules_r->halves = json_is_true(json_object_get(json_object_get(game, "gamble"), "halve"));
	json_array_foreach(json_object_get(game, "currencies"), i, item)
	{
		if (strcmp(json_text(item, "currency"), options->currency) == 0)
			currency_read(item, rules_r);
	}
	if (pick_outcomes > 0 && pick_outcomes <= PICKS_OFFERED_MAX)
		rules_r->pick_outcomes = (uint32_t)pick_outcomes;
	return rules_r->id[0] && rules_r->coins_n > 0 && rules_r->modes_n > 0;
}
