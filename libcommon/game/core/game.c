#include "libcommon/game/game.h"

#include <assert.h>
#include <string.h>

bool game_mode_simulated(const struct game_mode *mode)
{
	return mode->published_count > 0 && mode->published[0].simulated_rounds > 0;
}

bool game_simulated(const struct game *game)
{
	for (uint32_t m = 0; m < game->mode_count; m++)
		if (game_mode_simulated(&game->mode[m]))
			return true;
	return false;
}

uint32_t game_counts_as(const struct game *game, uint8_t symbol)
{
	uint32_t bits;

	if (symbol == GAME_NO_SYMBOL)
		return 0;
	bits = UINT32_C(1) << symbol;
	return game->symbol[symbol].wild_counts ? bits | UINT32_C(1) << game->wild : bits;
}

const struct game_currency *game_currency(const struct game *game, uint32_t currency)
{
	for (uint32_t i = 0; i < game->currency_count; i++)
		if (game->currency[i].number == currency)
			return &game->currency[i];
	return NULL;
}

/* RULE bewitched 4.2; RULE mona-lisa 4.8: a jackpot of its own for each selectable coin value. */
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
	case BET_MODE_NOT_OFFERED:
		return "mode_not_offered";
	case BET_BUY_NOT_OFFERED:
		return "buy_not_offered";
	case BET_ABOVE_PRICE_MAX:
		return "price_above_maximum";
	}
	return "unknown";
}

/* RULE bewitched 1.4; RULE mona-lisa 1.4; RULE mystic-gem 1.2; RULE mystery-elves 1.2; RULE
 * witch-feature 1.2 */
enum bet_status bet_total(const struct bet *bet, struct money *total_r)
{
	struct money line, total;

	if (!money_mul(money_of(bet->coin_minor), bet->coins, &line) ||
		!money_mul(line, bet->lines, &total))
		return BET_TOTAL_OVERFLOW;
	*total_r = total;
	return BET_OK;
}

/* A bought mode costs its price. RULE mystic-gem 3.1, 3.2, 3.3, 3.6, 3.7, 3.10; RULE mystery-elves
 * 4.1 */
enum bet_status bet_stake(const struct game *game, const struct bet *bet, struct money *stake_r)
{
	struct money total, hundredths;

	if (bet->mode >= game->mode_count)
		return BET_MODE_NOT_OFFERED;
	if (bet_total(bet, &total) != BET_OK)
		return BET_TOTAL_OVERFLOW;
	if (bet->mode == 0) {
		*stake_r = total;
		return BET_OK;
	}
	if (!money_mul(total, game->mode[bet->mode].price_hundredths, &hundredths))
		return BET_TOTAL_OVERFLOW;
	/* whole at every selectable coin value; bets at other coin values are refused before
	 * anything is charged */
	*stake_r = money_of(hundredths.minor / 100);
	return BET_OK;
}

/* RULE mona-lisa 1.9 */
bool bet_is_max(const struct game *game, const struct bet *bet)
{
	return bet->lines == game->lines_max && bet->coins == game->coins_max;
}

/* RULE bewitched 1.7; RULE mona-lisa 1.7; RULE mystic-gem 1.5; RULE mystery-elves 1.4; RULE
 * witch-feature 1.4: reports the first fault with the value found and the values expected. */
static enum bet_status refuse(struct bet_error *error, enum bet_status status, const char *field,
	int64_t found, int64_t min, int64_t max)
{
	*error = (struct bet_error){
		.status = status, .field = field, .found = found, .min = min, .max = max
	};
	return status;
}

/* RULE bewitched 1.3; RULE mona-lisa 1.3; RULE mystic-gem 1.3; RULE witch-feature 1.3. The index of
 * the coin value; coin_count: not selectable. */
static uint32_t coin_index(const struct game_currency *currency, int64_t coin_minor)
{
	uint32_t i = 0;

	while (i < currency->coin_count && currency->coin_minor[i] != coin_minor)
		i++;
	return i;
}

/* Limits are on the total bet; bought modes also have a highest price. RULE mystic-gem 1.2, 3.13;
 * RULE mystery-elves 4.1 */
static enum bet_status check_stake(const struct game *game, const struct game_currency *currency,
	const struct bet *bet, struct money *stake_r, struct bet_error *error)
{
	struct money total, stake;

	if (bet_total(bet, &total) != BET_OK || bet_stake(game, bet, &stake) != BET_OK)
		return refuse(error, BET_TOTAL_OVERFLOW, "total", INT64_MAX,
			currency->stake_min.minor, currency->stake_max.minor);
	if (total.minor < currency->stake_min.minor || total.minor > currency->stake_max.minor)
		return refuse(error,
			total.minor < currency->stake_min.minor ? BET_BELOW_MINIMUM
								: BET_ABOVE_MAXIMUM,
			"total", total.minor, currency->stake_min.minor, currency->stake_max.minor);
	if (bet->mode > 0 && stake.minor > currency->price_max.minor)
		return refuse(error, BET_ABOVE_PRICE_MAX, "total", stake.minor, 1,
			currency->price_max.minor);
	*stake_r = stake;
	return BET_OK;
}

enum bet_status bet_check(const struct game *game, const struct bet *bet, struct money *stake_r,
	struct bet_error *error_r)
{
	const struct game_currency *currency = game_currency(game, bet->currency);
	uint32_t coin;

	if (!currency)
		return refuse(error_r, BET_CURRENCY_NOT_OFFERED, "currency", bet->currency, 1, 999);
	coin = coin_index(currency, bet->coin_minor);
	if (coin == currency->coin_count)
		return refuse(error_r, BET_COIN_NOT_SELECTABLE, "coin", bet->coin_minor,
			currency->coin_minor[0], currency->coin_minor[currency->coin_count - 1]);
	/* RULE bewitched 1.1, 1.2; RULE mona-lisa 1.1, 1.2; RULE mystic-gem 1.1; RULE mystery-elves
	 * 1.1; RULE witch-feature 1.1 */
	if (bet->lines < game->lines_min || bet->lines > game->lines_max)
		return refuse(error_r, BET_LINES_OUT_OF_RANGE, "lines", bet->lines, game->lines_min,
			game->lines_max);
	if (bet->coins < game->coins_min || bet->coins > game->coins_max)
		return refuse(error_r, BET_COINS_OUT_OF_RANGE, "coins", bet->coins, game->coins_min,
			game->coins_max);
	/* RULE mystic-gem 3.8, 3.13: a mode that the game does not have, or cannot be bought at
	 * this coin value */
	if (bet->mode >= game->mode_count)
		return refuse(error_r, BET_MODE_NOT_OFFERED, "mode", bet->mode, 0,
			(int64_t)game->mode_count - 1);
	if (bet->mode > 0 && !currency->coin_buys[coin])
		return refuse(error_r, BET_BUY_NOT_OFFERED, "mode", bet->mode, 0, 0);
	return check_stake(game, currency, bet, stake_r, error_r);
}

/* RULE bewitched 1.6; RULE mona-lisa 1.6. Limits may exclude the smallest coin value with the
 * fewest lines, so it tries all bets; only error answers call this, never a spin. */
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

/* RULE bewitched 3.1: a run of only wilds counts as any symbol they substitute for, so it has the
 * best of these pays (including its own pay, if it has one). */
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

static void compile_strip(const struct game *game, struct game_strip *strip)
{
	assert(strip->length > 0 && strip->length <= GAME_STRIP_MAX);
	strip->weight = 0;
	for (uint32_t stop = 0; stop < strip->length; stop++)
		for (uint32_t i = 0; i < strip->stop_weight[stop]; i++) {
			assert(strip->weight < GAME_STOP_WEIGHT_MAX);
			strip->stop_of[strip->weight++] = (uint8_t)stop;
		}
	for (uint32_t i = 0; i < game->rows; i++)
		strip->symbol[strip->length + i] = strip->symbol[i % strip->length];
}

static void compile_lines(struct game *game)
{
	for (uint32_t l = 0; l < game->line_count; l++) {
		game->line_cells[l][0] = 0;
		for (uint32_t r = 0; r < game->reels; r++) {
			uint32_t cell = r * game->rows + game->line[l][r];

			game->line_cell[l][r] = (uint8_t)cell;
			game->line_cells[l][r + 1] = game->line_cells[l][r] | UINT32_C(1) << cell;
		}
	}
}

static void compile_pays_from(struct game *game)
{
	for (uint32_t s = 0; s < game->symbol_count; s++) {
		enum symbol_kind kind = game->symbol[s].kind;
		uint32_t from = GAME_REELS_MAX + 1;

		if (kind == SYMBOL_LINE || kind == SYMBOL_WILD || kind == SYMBOL_JACKPOT)
			for (uint32_t n = game->reels; n > 0; n--)
				if (game->symbol[s].pay[n] > 0 ||
					(s == game->jackpot_symbols.symbol &&
						n >= game->jackpot_symbols.count))
					from = n;
		game->pays_from[s] = (uint8_t)from;
	}
}

static void compile_choices(struct choices *choices)
{
	choices->weight = 0;
	for (uint32_t i = 0; i < choices->count; i++)
		choices->weight += choices->of[i].weight;
}

static void compile_modes(struct game *game)
{
	for (uint32_t m = 0; m < game->mode_count; m++) {
		struct game_mode *mode = &game->mode[m];

		mode->position_weight = 0;
		for (uint32_t i = 0; i < mode->position_count; i++)
			mode->position_weight += mode->position[i].weight;
	}
}

static void compile_unlock(const struct game *game, struct unlock_rules *collectibles)
{
	for (uint32_t r = 0; r < game->reels; r++) {
		compile_choices(&collectibles->wilds[r]);
		compile_choices(&collectibles->marks[r]);
	}
	compile_choices(&collectibles->multiplier);
	compile_choices(&collectibles->revealed);
	compile_choices(&collectibles->free_set);
	collectibles->mega_weight = 0;
	for (uint32_t i = 0; i < collectibles->mega_count; i++)
		collectibles->mega_weight += collectibles->mega[i].weight;
}

static void compile_awards_and_picks(struct game *game)
{
	memset(game->scatter_award_weight, 0, sizeof(game->scatter_award_weight));
	for (uint32_t n = 0; n <= game->reels; n++)
		for (uint32_t i = 0; i < game->scatter_award_count[n]; i++)
			game->scatter_award_weight[n] += game->scatter_award[n][i].weight;
	game->pick_weight = 0;
	for (uint32_t i = 0; i < game->pick_outcome_count; i++)
		game->pick_weight += (uint32_t)game->pick_outcome[i].weight;
}

void game_compile(struct game *game)
{
	compile_wild(game);
	for (uint32_t set = 0; set < game->strip_sets; set++)
		for (uint32_t r = 0; r < game->reels; r++)
			compile_strip(game, &game->strips[set].reel[r]);
	compile_lines(game);
	compile_pays_from(game);
	compile_modes(game);
	compile_awards_and_picks(game);
	compile_choices(&game->hold.value);
	compile_choices(&game->hold.multiplier);
	compile_unlock(game, &game->unlock);
}
