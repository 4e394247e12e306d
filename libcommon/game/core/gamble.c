#include "libcommon/game/gamble.h"

#include "libcommon/game/autoplay.h"

#include <assert.h>

#define RANKS 13u
#define SUIT_DIAMONDS 1u
#define SUIT_HEARTS 2u

/* RULE bewitched 5.2, 5.9; RULE mystic-gem 4.2; RULE mystery-elves 5.1: wins of every kind, except
 * in games whose rules name only lines. */
struct money gamble_stake_of(
	const struct game *game, struct money win_base_lines, struct money win_total)
{
	if (!game->gamble.offered)
		return money_of(0);
	return game->gamble.base_lines_only ? win_base_lines : win_total;
}

/* Checks that attempt and halving share. */
static enum gamble_status gamble_open(const struct game *game, const struct game_state *state)
{
	const struct open_round *open = &state->open;

	if (!game->gamble.offered)
		return GAMBLE_NOT_OFFERED;
	if (open->move == 0 || open->gamble_pending.minor <= 0) /* RULE bewitched 5.1 */
		return GAMBLE_NO_WIN;
	if (open->cursor < open->phases)
		return GAMBLE_FEATURE_OPEN;
	/* RULE bewitched 5.3, 5.4; RULE mystic-gem 4.11; RULE mystery-elves 5.10: also for a win
	 * made by hand before it was started */
	if (autoplay_running(&state->autoplay))
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
	/* RULE bewitched 5.7; RULE mystic-gem 4.7; RULE mystery-elves 5.4, 5.5 */
	if (open->gamble_attempts >= game->gamble.attempts_max)
		return GAMBLE_ATTEMPTS_SPENT;
	/* RULE bewitched 5.11; RULE mystic-gem 4.1; RULE mystery-elves 5.1: of each attempt */
	if (currency && currency->gamble_limited &&
		open->gamble_pending.minor > currency->gamble_stake_max.minor)
		return GAMBLE_ABOVE_LIMIT;
	if (!money_add(open->gamble_pending, open->gamble_pending, &doubled))
		return GAMBLE_OVERFLOW;
	return GAMBLE_OK;
}

/* RULE mystery-elves 5.7: the rest after halving is gambled, so a win that cannot be gambled cannot
 * be halved. */
enum gamble_status gamble_halve_check(const struct game *game, const struct game_state *state)
{
	enum gamble_status status = gamble_open(game, state);

	if (status != GAMBLE_OK)
		return status;
	if (!game->gamble.halve || state->open.gamble_pending.minor < 2)
		return GAMBLE_NO_HALVE;
	return gamble_check(game, state);
}

static bool suit_is_red(uint32_t suit)
{
	return suit == SUIT_DIAMONDS || suit == SUIT_HEARTS;
}

static uint32_t draw(
	struct rng *rng, enum draw_meaning meaning, uint32_t below, struct gamble_card *card)
{
	uint32_t value = rng_below(rng, below);

	assert(card->draw_count < GAMBLE_DRAWS_MAX);
	card->draw[card->draw_count++] =
		(struct draw){ .meaning = (uint8_t)meaning, .below = below, .value = value };
	return value;
}

/* Card number `index` of the cards of one colour, in the order of the deck's suits. */
static uint8_t card_of_colour(const struct gamble_rules *rules, bool red, uint32_t index)
{
	uint32_t i = 0;

	while (suit_is_red(rules->suit[i]) != red || index >= RANKS) {
		if (suit_is_red(rules->suit[i]) == red)
			index -= RANKS;
		i++;
		assert(i < rules->suit_count);
	}
	return (uint8_t)(rules->suit[i] * RANKS + index);
}

/* RULE bewitched 5.6, 5.10; RULE mystic-gem 4.3, 4.6: as many red cards as black, all equally
 * likely and drawn anew each time, so half of all guesses win. */
static void draw_card(
	const struct gamble_rules *rules, struct rng *rng, bool guess_red, struct gamble_card *card)
{
	uint32_t value = draw(rng, DRAW_GAMBLE_CARD, rules->suit_count * RANKS, card);
	uint32_t suit = rules->suit[value / RANKS];

	card->card = (uint8_t)(suit * RANKS + value % RANKS);
	card->won = suit_is_red(suit) == guess_red;
}

/* RULE mystery-elves 5.2, 5.8: the outcome is drawn before any card, so no card can change it. RULE
 * mystery-elves 5.9: a joker fits either guess and is shown only on wins. */
static void draw_outcome(
	const struct gamble_rules *rules, struct rng *rng, bool guess_red, struct gamble_card *card)
{
	uint32_t colour = rules->suit_count / 2 * RANKS, value;

	card->won = draw(rng, DRAW_GAMBLE_WINS, 2, card) == 1;
	value = draw(rng, DRAW_GAMBLE_CARD, card->won ? colour + rules->jokers : colour, card);
	card->card = value >= colour ? (uint8_t)GAMBLE_JOKER
				     : card_of_colour(rules, card->won == guess_red, value);
}

/* RULE bewitched 5.5: the card is drawn after the guess arrives, so until then the player can
 * collect. */
enum gamble_status gamble_draw(
	const struct game *game, struct rng *rng, uint32_t guess, struct gamble_card *card_r)
{
	if (!game->gamble.offered)
		return GAMBLE_NOT_OFFERED;
	if (guess != GUESS_RED && guess != GUESS_BLACK)
		return GAMBLE_BAD_GUESS;
	*card_r = (struct gamble_card){ .won = false };
	if (game->gamble.jokers > 0)
		draw_outcome(&game->gamble, rng, guess == GUESS_RED, card_r);
	else
		draw_card(&game->gamble, rng, guess == GUESS_RED, card_r);
	return GAMBLE_OK;
}

/* RULE mystic-gem 4.4; RULE mystery-elves 5.3 */
enum gamble_status gamble_settle(struct money pending, bool won, struct money *pending_r)
{
	if (!won) {
		*pending_r = money_of(0);
		return GAMBLE_OK;
	}
	return money_add(pending, pending, pending_r) ? GAMBLE_OK : GAMBLE_OVERFLOW;
}

/* RULE mystery-elves 5.7: the odd unit stays in the gamble. */
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
