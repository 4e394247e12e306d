/* The gamble: the player guesses the colour of a card and doubles or loses the stake. This file
 * decides whether an attempt is allowed, draws the card and computes the sums; the wallet keeps the
 * money. Rules: bewitched 5, mystic-gem 4, mystery-elves 5.
 *
 * There are two kinds of deck. Without jokers, the card is drawn and its colour decides. With
 * jokers, the outcome (1 of 2) is drawn first, then a card that fits it: after a win, one of the
 * guessed colour or a joker; after a loss, one of the other colour. So a joker counts as either
 * colour and does not change the odds. How many draws an attempt takes from the stream never
 * depends on the guess, so an attempt's number gives its place in the stream. */
#ifndef CARILLON_GAME_GAMBLE_H
#define CARILLON_GAME_GAMBLE_H

#include "libcommon/base/rng.h"
#include "libcommon/game/game.h"
#include "libcommon/game/game_state.h"
#include "libcommon/game/round.h"

#define GAMBLE_JOKER 52u /* the card number of every joker */
#define GAMBLE_DRAWS_MAX 2

enum gamble_guess { GUESS_RED = 0, GUESS_BLACK = 1 };

enum gamble_status {
	GAMBLE_OK = 0,
	GAMBLE_NOT_OFFERED,   /* the game has no gamble */
	GAMBLE_NO_WIN,	      /* no win that can be gambled */
	GAMBLE_FEATURE_OPEN,  /* phases of the round are still to be shown */
	GAMBLE_AUTOPLAY_RUNS, /* the player must stop autoplay first */
	GAMBLE_ATTEMPTS_SPENT,
	GAMBLE_ABOVE_LIMIT, /* the stake of the attempt */
	GAMBLE_BAD_GUESS,
	GAMBLE_NO_HALVE, /* the game does not offer halving, or half of pending is 0 */
	GAMBLE_OVERFLOW,
};

/* The part of a round's win that can be gambled: in some games only line wins of the paid spin,
 * else the whole win. */
struct money gamble_stake_of(
	const struct game *game, struct money win_base_lines, struct money win_total);

/* May the player gamble all of state->open.gamble_pending now? */
enum gamble_status gamble_check(const struct game *game, const struct game_state *state);
/* May the player bank half of state->open.gamble_pending now? Only if they may also gamble all of
 * it. Halving does not count as an attempt. */
enum gamble_status gamble_halve_check(const struct game *game, const struct game_state *state);

/* The result of an attempt: the card shown and the draws. */
struct gamble_card {
	uint8_t card; /* suit (clubs, diamonds, hearts, spades) x 13 + rank (two .. ace), 0..51, or
			 GAMBLE_JOKER */
	bool won;
	uint32_t draw_count;
	struct draw draw[GAMBLE_DRAWS_MAX];
};

/* Draws one attempt: one draw without jokers, two with jokers. GAMBLE_OK; or GAMBLE_NOT_OFFERED or
 * GAMBLE_BAD_GUESS, and nothing is drawn. */
enum gamble_status gamble_draw(
	const struct game *game, struct rng *rng, uint32_t guess, struct gamble_card *card_r);

/* The pending amount after an attempt: doubled or 0. GAMBLE_OVERFLOW cannot happen after
 * gamble_check has returned GAMBLE_OK. */
enum gamble_status gamble_settle(struct money pending, bool won, struct money *pending_r);
/* Banks floor(pending / 2); the rest stays pending. */
void gamble_halve(struct money pending, struct money *banked_r, struct money *pending_r);

const char *gamble_status_text(enum gamble_status status); /* "attempts_spent", ..: stable codes */

#endif
