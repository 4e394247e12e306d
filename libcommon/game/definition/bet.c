/* Reads the bets (lines, coins a line, coin values and limits by currency), the gamble and
 * autoplay. */
#include "libcommon/game/definition/parts.h"

#include "libcommon/base/currency.h"

#include <stdlib.h>
#include <string.h>

static void read_range(
	const struct node *object, const char *key, uint32_t most, uint32_t *min_r, uint32_t *max_r)
{
	struct node range = node_member(object, key);
	struct node min = node_member(&range, "min"), max = node_member(&range, "max");

	node_keys(&range, "min max");
	*min_r = node_u32(&min, 1, most);
	*max_r = node_u32(&max, *min_r, most);
}

/* Coin values at which no mode can be bought. */
static void read_no_buy(const struct node *list, struct game_currency *currency)
{
	size_t count = node_array(list, 0, currency->coin_count);

	for (size_t i = 0; i < count; i++) {
		struct node node = node_item(list, i);
		int64_t coin = node_integer(&node, 1, GAME_COIN_MINOR_MAX);
		bool found = false;

		for (uint32_t c = 0; c < currency->coin_count; c++)
			if (currency->coin_minor[c] == coin && currency->coin_buys[c]) {
				currency->coin_buys[c] = false;
				found = true;
			}
		if (!found)
			node_fail(&node, NULL, "a selectable coin value, listed only once");
	}
}

/* RULE bewitched 1.3, 1.4. In a currency with a price_max of null no mode can be bought. */
static void read_currency(const struct node *node, const char *code, struct game *game)
{
	const struct currency *known = currency_by_code(code);
	struct game_currency *currency = &game->currency[game->currency_count];
	struct node coins = node_member(node, "coins"), no_buy = node_member(node, "no_buy_coins");
	struct node min = node_member(node, "stake_min"), max = node_member(node, "stake_max");
	struct node price = node_member(node, "price_max");
	size_t count = node_array(&coins, 1, GAME_COINS_MAX);

	node_keys(node, "coins no_buy_coins stake_min stake_max price_max");
	if (!known) {
		node_fail(node, "a member of this name", "a currency code such as EUR");
		return;
	}
	currency->number = known->number;
	currency->coin_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node coin = node_item(&coins, i);
		int64_t least = i > 0 ? currency->coin_minor[i - 1] + 1 : 1;

		currency->coin_minor[i] = node_integer(&coin, least, GAME_COIN_MINOR_MAX);
		currency->coin_buys[i] = !node_is_null(&price);
	}
	currency->stake_min.minor = node_integer(&min, 1, INT64_MAX / 4);
	currency->stake_max.minor = node_integer(&max, currency->stake_min.minor, INT64_MAX / 4);
	if (!node_is_null(&price)) {
		currency->price_max.minor = node_integer(&price, 1, INT64_MAX / 4);
		read_no_buy(&no_buy, currency);
	} else {
		node_array(&no_buy, 0, 0);
	}
	game->currency_count++;
}

void definition_read_bet(const struct node *root, struct game *game)
{
	struct node bet = node_member(root, "bet");
	struct node currencies = node_member(&bet, "currencies");
	size_t count = node_object(&currencies, 1, GAME_CURRENCIES_MAX);

	node_keys(&bet, "lines coins currencies");
	read_range(&bet, "lines", game->line_count ? game->line_count : 1, &game->lines_min,
		&game->lines_max);
	read_range(&bet, "coins", GAME_LINE_COINS_MAX, &game->coins_min, &game->coins_max);
	for (size_t i = 0; i < count && !root->reader->failed; i++) {
		const char *code;
		struct node node = node_nth(&currencies, i, &code);

		read_currency(&node, code, game);
	}
}

static void read_gamble_limits(const struct node *limits, struct game *game)
{
	size_t count = node_object(limits, game->currency_count, game->currency_count);

	for (size_t i = 0; i < count && !limits->reader->failed; i++) {
		const char *code;
		struct node limit = node_nth(limits, i, &code);
		const struct currency *known = currency_by_code(code);
		struct game_currency *currency = NULL;

		for (uint32_t c = 0; known && c < game->currency_count; c++)
			if (game->currency[c].number == known->number)
				currency = &game->currency[c];
		if (!currency) {
			node_fail(&limit, "a member of this name", "a currency of /bet/currencies");
			return;
		}
		currency->gamble_limited = !node_is_null(&limit);
		if (currency->gamble_limited)
			currency->gamble_stake_max.minor = node_integer(&limit, 1, INT64_MAX / 4);
	}
}

void definition_read_gamble(const struct node *root, struct game *game)
{
	struct gamble_rules *rules = &game->gamble;
	struct node gamble = node_member(root, "gamble");
	struct node of, halve, attempts, suits, jokers, limits;
	int balance = 0;
	size_t count;

	if (node_is_null(&gamble))
		return;
	of = node_member(&gamble, "of");
	halve = node_member(&gamble, "halve");
	attempts = node_member(&gamble, "attempts_max");
	suits = node_member(&gamble, "suits");
	jokers = node_member(&gamble, "jokers");
	limits = node_member(&gamble, "stake_max");
	node_keys(&gamble, "of halve attempts_max suits jokers stake_max");
	rules->offered = true;
	rules->base_lines_only = node_word(&of, "win base_lines") == 1;
	rules->halve = node_bool(&halve);
	rules->attempts_max = node_u32(&attempts, 1, 100);
	count = node_array(&suits, 2, 4);
	rules->suit_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node suit = node_item(&suits, i);

		rules->suit[i] = (uint8_t)node_word(&suit, "clubs diamonds hearts spades");
		balance += rules->suit[i] == 1 || rules->suit[i] == 2 ? 1 : -1;
		for (size_t other = 0; other < i; other++)
			if (rules->suit[other] == rules->suit[i])
				node_fail(&suit, NULL, "each suit only once");
	}
	if (balance != 0)
		node_fail(&suits, NULL,
			"as many red suits as black, so that each guess wins half the time");
	rules->jokers = node_u32(&jokers, 0, 4);
	read_gamble_limits(&limits, game);
}

void definition_read_autoplay(const struct node *root, struct game *game)
{
	struct autoplay_rules *rules = &game->autoplay;
	struct node autoplay = node_member(root, "autoplay");
	struct node spins, loss, win, jackpot, feature, interval;

	if (node_is_null(&autoplay))
		return;
	spins = node_member(&autoplay, "spins_max");
	loss = node_member(&autoplay, "loss_limit_stops");
	win = node_member(&autoplay, "single_win_stops");
	jackpot = node_member(&autoplay, "jackpot_stop");
	feature = node_member(&autoplay, "feature_stop");
	interval = node_member(&autoplay, "interval_min_ms");
	node_keys(&autoplay, "spins_max loss_limit_stops single_win_stops jackpot_stop "
			     "feature_stop interval_min_ms");
	rules->offered = true;
	rules->spins_max = node_u32(&spins, 1, 1000000);
	rules->loss_rule = (enum autoplay_loss_rule)node_word(&loss, "below_zero at_zero");
	rules->win_rule = (enum autoplay_win_rule)node_word(&win, "reaches exceeds");
	rules->jackpot_stop_offered = node_bool(&jackpot);
	rules->feature_stop_offered = node_bool(&feature);
	rules->interval_min_ms = node_u32(&interval, 0, 60000);
}
