#include "services/spin-engine/core/game.h"

#include <string.h>

const struct game_currency *game_currency(const struct game *game, uint32_t currency)
{
	for (uint32_t i = 0; i < game->currency_count; i++)
		if (game->currency[i].number == currency)
			return &game->currency[i];
	return NULL;
}

/* RULE bewitched 4.2: a jackpot of its own for each selectable coin value. */
const struct jackpot_row *jackpot_row(
	const struct jackpot_link *link, uint32_t currency, int64_t coin_minor)
{
	if (link->pool == 0)
		return NULL;
	for (uint32_t i = 0; i < link->row_count; i++)
		if (link->row[i].currency == currency && link->row[i].coin_minor == coin_minor)
			return &link->row[i];
	return NULL;
}

const char *bet_status_text(enum bet_status status)
{
	switch (status) {
	case BET_OK:
		return "ok";
	case BET_CURRENCY_NOT_OFFERED:
		return "currency_not_offered";
	case BET_COIN_NOT_SELECTABLE:
		return "coin_not_selectable";
	case BET_LINES_OUT_OF_RANGE:
		return "lines_out_of_range";
	case BET_COINS_OUT_OF_RANGE:
		return "coins_out_of_range";
	case BET_TOTAL_OVERFLOW:
		return "total_overflow";
	case BET_BELOW_MINIMUM:
		return "bet_below_minimum";
	case BET_ABOVE_MAXIMUM:
		return "bet_above_maximum";
	}
	return "unknown";
}

/* RULE bewitched 1.4 */
enum bet_status bet_stake(const struct bet *bet, struct money *stake_r)
{
	struct money line, stake;

	if (!money_mul(money_of(bet->coin_minor), bet->coins, &line) ||
		!money_mul(line, bet->lines, &stake))
		return BET_TOTAL_OVERFLOW;
	*stake_r = stake;
	return BET_OK;
}

/* RULE bewitched 1.7: the first fault is told with what was found and what is expected. */
static enum bet_status refuse(struct bet_error *error, enum bet_status status, const char *field,
	int64_t found, int64_t min, int64_t max)
{
	*error = (struct bet_error){
		.status = status, .field = field, .found = found, .min = min, .max = max
	};
	return status;
}

/* RULE bewitched 1.3 */
static bool coin_selectable(const struct game_currency *currency, int64_t coin_minor)
{
	for (uint32_t i = 0; i < currency->coin_count; i++)
		if (currency->coin_minor[i] == coin_minor)
			return true;
	return false;
}

enum bet_status bet_check(const struct game *game, const struct bet *bet, struct money *stake_r,
	struct bet_error *error_r)
{
	const struct game_currency *currency = game_currency(game, bet->currency);
	struct money stake;

	if (!currency)
		return refuse(error_r, BET_CURRENCY_NOT_OFFERED, "currency", bet->currency, 1, 999);
	if (!coin_selectable(currency, bet->coin_minor))
		return refuse(error_r, BET_COIN_NOT_SELECTABLE, "coin", bet->coin_minor,
			currency->coin_minor[0], currency->coin_minor[currency->coin_count - 1]);
	if (bet->lines < game->lines_min || bet->lines > game->lines_max) /* RULE bewitched 1.1 */
		return refuse(error_r, BET_LINES_OUT_OF_RANGE, "lines", bet->lines, game->lines_min,
			game->lines_max);
	if (bet->coins < game->coins_min || bet->coins > game->coins_max) /* RULE bewitched 1.2 */
		return refuse(error_r, BET_COINS_OUT_OF_RANGE, "coins", bet->coins, game->coins_min,
			game->coins_max);
	if (bet_stake(bet, &stake) != BET_OK)
		return refuse(error_r, BET_TOTAL_OVERFLOW, "total", INT64_MAX,
			currency->stake_min.minor, currency->stake_max.minor);
	if (stake.minor < currency->stake_min.minor || stake.minor > currency->stake_max.minor)
		return refuse(error_r,
			stake.minor < currency->stake_min.minor ? BET_BELOW_MINIMUM
								: BET_ABOVE_MAXIMUM,
			"total", stake.minor, currency->stake_min.minor, currency->stake_max.minor);
	*stake_r = stake;
	return BET_OK;
}

/* RULE bewitched 1.6. Limits may rule out the smallest coins with the fewest lines, so all bets
 * are looked at; this answers errors, never a spin. */
enum bet_status bet_smallest(
	const struct game *game, uint32_t number, struct bet *bet_r, struct money *stake_r)
{
	const struct game_currency *currency = game_currency(game, number);
	bool found = false;
	struct bet_error error;

	for (uint32_t i = 0; currency && i < currency->coin_count; i++)
		for (uint32_t lines = game->lines_min; lines <= game->lines_max; lines++)
			for (uint32_t coins = game->coins_min; coins <= game->coins_max; coins++) {
				struct bet bet = { .currency = number,
					.coin_minor = currency->coin_minor[i],
					.lines = lines,
					.coins = coins };
				struct money stake;

				if (bet_check(game, &bet, &stake, &error) != BET_OK ||
					(found && stake.minor >= stake_r->minor))
					continue;
				*bet_r = bet;
				*stake_r = stake;
				found = true;
			}
	return found ? BET_OK : BET_CURRENCY_NOT_OFFERED;
}

/* RULE bewitched 3.1: a run of nothing but wilds may stand for any symbol they can replace, so it
 * is worth the best of them (its own pay included, where it has one). */
static void compile_wild(struct game *game)
{
	memset(game->wild_pay, 0, sizeof(game->wild_pay));
	memset(game->wild_as, GAME_NO_SYMBOL, sizeof(game->wild_as));
	if (game->wild == GAME_NO_SYMBOL)
		return;
	for (uint32_t n = 1; n <= game->reels; n++)
		for (uint32_t s = 0; s < game->symbol_count; s++) {
			const struct game_symbol *symbol = &game->symbol[s];

			if (symbol->kind != SYMBOL_LINE && symbol->kind != SYMBOL_WILD)
				continue;
			if (symbol->pay[n] > game->wild_pay[n]) {
				game->wild_pay[n] = symbol->pay[n];
				game->wild_as[n] = (uint8_t)s;
			}
		}
}

void game_compile(struct game *game)
{
	compile_wild(game);
	for (uint32_t r = 0; r < game->reels; r++)
		for (uint32_t i = 0; i < game->rows; i++)
			game->strip[r][game->strip_length[r] + i] =
				game->strip[r][i % game->strip_length[r]];
	memset(game->battle_weight, 0, sizeof(game->battle_weight));
	for (uint32_t n = 0; n <= game->reels; n++)
		for (uint32_t i = 0; i < game->battle_count[n]; i++)
			game->battle_weight[n] += game->battle[n][i].weight;
	game->vial_weight = 0;
	for (uint32_t i = 0; i < game->vial_count; i++)
		game->vial_weight += (uint32_t)game->vial[i].weight;
}
