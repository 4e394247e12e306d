/* Compares the published band of a mode with every bet that it is published for. RULE bewitched
 * 4.1, RULE mystic-gem 2.14, RULE mystery-elves 2.8, RULE mona-lisa 1.9, RULE witch-feature 1.6 */
#include "libcommon/game/bets.h"

static bool is_in_band(const struct published_rtp *published, const mpq_t rtp)
{
	mpq_t edge;
	bool inside;

	mpq_init(edge);
	mpq_set_u64(edge, published->from_ppm, 1000000);
	inside = mpq_cmp(rtp, edge) >= 0;
	mpq_set_u64(edge, published->below_ppm, 1000000);
	inside = inside && mpq_cmp(rtp, edge) < 0;
	mpq_clear(edge);
	return inside;
}

static bool is_bet_of(
	const struct game *game, enum published_bets bets, uint32_t lines, uint32_t coins)
{
	bool max = lines == game->lines_max && coins == game->coins_max;

	switch (bets) {
	case PUBLISHED_ALL_BETS:
		return true;
	case PUBLISHED_BELOW_MAX_BET:
		return !max;
	case PUBLISHED_MAX_BET:
		return max;
	}
	return false;
}

/* Do the coins a line change the return, other than by making the maximum bet? The progressive's
 * seed is the same for all coins a line, and the odds of the pick bonus may follow the bet. */
static bool coins_affect_return(const struct game *game)
{
	for (uint32_t i = 0; i < game->pick_outcome_count; i++)
		if (game->pick_outcome[i].weight_per_coin != 0 ||
			game->pick_outcome[i].kind == PICK_JACKPOT)
			return true;
	return game->jackpot_symbols.symbol != GAME_NO_SYMBOL &&
	       !game->jackpot_symbols.max_bet_only;
}

static enum exact_status check_bet(const struct exact_work *work,
	const struct published_rtp *published, uint32_t lines, uint32_t coins, bool *in_band)
{
	struct bet_return value;
	enum exact_status status;

	bet_return_init(&value);
	status = bet_return_of(work, lines, coins, &value);
	if (status == EXACT_OK)
		*in_band = *in_band && is_in_band(published, value.rtp) &&
			   is_in_band(published, value.low) && is_in_band(published, value.high);
	bet_return_clear(&value);
	return status;
}

static enum exact_status check_all(
	const struct exact_work *work, const struct published_rtp *published, bool *in_band)
{
	const struct game *game = work->game;
	bool all_coins = coins_affect_return(game);
	enum exact_status status = EXACT_OK;

	for (uint32_t lines = game->lines_min; lines <= game->lines_max; lines++)
		for (uint32_t coins = game->coins_min; coins <= game->coins_max; coins++) {
			if (!all_coins && coins != game->coins_min && coins != game->coins_max)
				continue;
			if (status != EXACT_OK || !*in_band ||
				!is_bet_of(game, published->bets, lines, coins))
				continue;
			status = check_bet(work, published, lines, coins, in_band);
		}
	return status;
}

/* ---- bets of one return ----
 *
 * If all lines return the same and only the pick bonus and its jackpot depend on the bet, the
 * return depends only on y = lines x coins. It is a + b y + c / y if the free spins of the pick
 * bonus do not follow y. If three different y have the same return, b and c are 0 and every bet has
 * this return. */

static bool is_of_y_alone(const struct exact_work *work)
{
	const struct game *game = work->game;
	int64_t spins = 0;

	if (game->jackpot_symbols.symbol != GAME_NO_SYMBOL ||
		game->mode[work->mode].guarantee != GUARANTEE_NONE)
		return false;
	for (uint32_t f = 0; f < FEATURES; f++)
		if (work->own[f]) /* it depends on windows, so on lines too */
			return false;
	for (uint32_t i = 0; i < game->pick_outcome_count; i++)
		if (game->pick_outcome[i].kind == PICK_FREE_SPINS)
			spins += game->pick_outcome[i].weight_per_coin *
				 (int64_t)game->pick_outcome[i].value;
	if (spins != 0)
		return false;
	for (uint32_t c = 0; c < SPIN_CONTEXTS; c++)
		for (uint32_t l = 1; work->spin[c] && l < game->lines_max; l++) {
			bool same;
			mpq_t first;

			mpq_init(first);
			mpq_add_scaled(first, work->spin[c]->coins[0][0], l + 1, 1);
			same = mpq_equal(first, work->spin[c]->coins[0][l]) != 0;
			mpq_clear(first);
			if (!same)
				return false;
		}
	return true;
}

/* Sets *same_r if three bets have the same return, and *rtp_r to that return. */
static enum exact_status three_bets(const struct exact_work *work, mpq_t rtp_r, bool *same_r)
{
	const struct game *game = work->game;
	uint32_t bet[3][2] = { { game->lines_min, game->coins_min },
		{ game->lines_max, game->coins_min }, { game->lines_max, game->coins_max } };
	struct bet_return value[3];
	enum exact_status status = EXACT_OK;

	for (uint32_t i = 0; i < 3; i++)
		bet_return_init(&value[i]);
	for (uint32_t i = 0; status == EXACT_OK && i < 3; i++)
		status = bet_return_of(work, bet[i][0], bet[i][1], &value[i]);
	*same_r = status == EXACT_OK && mpq_equal(value[0].rtp, value[1].rtp) != 0 &&
		  mpq_equal(value[0].rtp, value[2].rtp) != 0;
	mpq_set(rtp_r, value[2].rtp);
	for (uint32_t i = 0; i < 3; i++)
		bet_return_clear(&value[i]);
	return status;
}

enum exact_status exact_check_band(
	const struct exact_work *work, const struct published_rtp *published, bool *in_band_r)
{
	const struct game *game = work->game;
	enum exact_status status = EXACT_OK;
	bool same = false;
	mpq_t rtp;

	*in_band_r = true;
	mpq_init(rtp);
	if (published->bets == PUBLISHED_ALL_BETS && game->lines_min < game->lines_max &&
		game->coins_min < game->coins_max && is_of_y_alone(work))
		status = three_bets(work, rtp, &same);
	if (status == EXACT_OK && same)
		*in_band_r = is_in_band(published, rtp);
	else if (status == EXACT_OK)
		status = check_all(work, published, in_band_r);
	mpq_clear(rtp);
	return status;
}
