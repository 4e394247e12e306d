#include "services/spin-engine/core/gamble.h"

#include "services/spin-engine/core/autoplay.h"

#include <assert.h>

#define RANKS 13u
#define SUIT_DIAMONDS 1u
#define SUIT_HEARTS 2u

/* RULE bewitched 5.2, 5.9 */
struct money gamble_stake_of(
	const struct game *game, struct money win_base_lines, struct money win_total)
{
	if (!game->gamble.offered)
		return money_of(0);
	return game->gamble.base_lines_only ? win_base_lines : win_total;
}

/* What attempt and halving have in common. */
static enum gamble_status gamble_open(const struct game *game, const struct game_state *state)
{
	const struct open_round *open = &state->open;

	if (!game->gamble.offered)
		return GAMBLE_NOT_OFFERED;
	if (open->move == 0 || open->gamble_pending.minor <= 0) /* RULE bewitched 5.1 */
		return GAMBLE_NO_WIN;
	if (open->cursor < open->phases)
		return GAMBLE_FEATURE_OPEN;
	/* RULE bewitched 5.3, 5.4 */
	if (open->autospin && autoplay_running(&state->autoplay))
		return GAMBLE_AUTOPLAY_RUNS;
	return GAMBLE_OK;
}

enum gamble_status gamble_check(const struct game *game, const struct game_state *state)
{
	const struct open_round *open = &state->open;
	const struct game_currency *currency = game_currency(game, open->bet.currency);
	enum gamble_status status = gamble_open(game, state);
	struct money doubled;

	if (status != GAMBLE_OK)
		return status;
	if (open->gamble_attempts >= game->gamble.attempts_max) /* RULE bewitched 5.7 */
		return GAMBLE_ATTEMPTS_SPENT;
	/* RULE bewitched 5.11 */
	if (currency && currency->gamble_limited &&
		open->gamble_pending.minor > currency->gamble_stake_max.minor)
		return GAMBLE_ABOVE_LIMIT;
	if (!money_add(open->gamble_pending, open->gamble_pending, &doubled))
		return GAMBLE_OVERFLOW;
	return GAMBLE_OK;
}

enum gamble_status gamble_halve_check(const struct game *game, const struct game_state *state)
{
	enum gamble_status status = gamble_open(game, state);

	if (status != GAMBLE_OK)
		return status;
	if (!game->gamble.halve || state->open.gamble_pending.minor < 2)
		return GAMBLE_NO_HALVE;
	return GAMBLE_OK;
}

/* RULE bewitched 5.6, 5.10: as many red cards as black, each as likely, so half of all guesses win.
 * RULE bewitched 5.5: the card is drawn with the guess and not before it, so that until then the
 * player may leave with what he has. */
enum gamble_status gamble_draw(
	const struct game *game, struct rng *rng, uint32_t guess, uint8_t *card_r, bool *won_r)
{
	uint32_t drawn, suit;
	bool red;

	if (!game->gamble.offered)
		return GAMBLE_NOT_OFFERED;
	if (guess != GUESS_RED && guess != GUESS_BLACK)
		return GAMBLE_BAD_GUESS;
	drawn = rng_below(rng, game->gamble.suit_count * RANKS);
	suit = game->gamble.suit[drawn / RANKS];
	red = suit == SUIT_DIAMONDS || suit == SUIT_HEARTS;
	*card_r = (uint8_t)(suit * RANKS + drawn % RANKS);
	*won_r = red == (guess == GUESS_RED);
	return GAMBLE_OK;
}

enum gamble_status gamble_settle(struct money pending, bool won, struct money *pending_r)
{
	if (!won) {
		*pending_r = money_of(0);
		return GAMBLE_OK;
	}
	return money_add(pending, pending, pending_r) ? GAMBLE_OK : GAMBLE_OVERFLOW;
}

void gamble_halve(struct money pending, struct money *banked_r, struct money *pending_r)
{
	assert(pending.minor >= 0);
	*banked_r = money_of(pending.minor / 2);
	*pending_r = money_of(pending.minor - pending.minor / 2);
}

const char *gamble_status_text(enum gamble_status status)
{
	switch (status) {
	case GAMBLE_OK:
		return "ok";
	case GAMBLE_NOT_OFFERED:
		return "gamble_not_offered";
	case GAMBLE_NO_WIN:
		return "no_win_to_gamble";
	case GAMBLE_FEATURE_OPEN:
		return "feature_open";
	case GAMBLE_AUTOPLAY_RUNS:
		return "autoplay_runs";
	case GAMBLE_ATTEMPTS_SPENT:
		return "attempts_spent";
	case GAMBLE_ABOVE_LIMIT:
		return "gamble_above_limit";
	case GAMBLE_BAD_GUESS:
		return "bad_guess";
	case GAMBLE_NO_HALVE:
		return "halve_not_offered";
	case GAMBLE_OVERFLOW:
		return "overflow";
	}
	return "unknown";
}
