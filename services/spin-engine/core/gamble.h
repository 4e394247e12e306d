/* Double-up: guess the colour of a card, win twice the stake or nothing. Whether it may be played,
 * the draw, and the sums; where the money is kept is the wallet's. RULE bewitched 5.* */
#ifndef CARILLON_SPIN_ENGINE_GAMBLE_H
#define CARILLON_SPIN_ENGINE_GAMBLE_H

#include "libcommon/base/rng.h"
#include "services/spin-engine/core/game.h"
#include "services/spin-engine/core/game_state.h"

enum gamble_guess { GUESS_RED = 0, GUESS_BLACK = 1 };

enum gamble_status {
	GAMBLE_OK = 0,
	GAMBLE_NOT_OFFERED,   /* the game has none */
	GAMBLE_NO_WIN,	      /* nothing that may be gambled */
	GAMBLE_FEATURE_OPEN,  /* phases still to be shown */
	GAMBLE_AUTOPLAY_RUNS, /* stop it first */
	GAMBLE_ATTEMPTS_SPENT,
	GAMBLE_ABOVE_LIMIT, /* stake of one attempt */
	GAMBLE_BAD_GUESS,
	GAMBLE_NO_HALVE, /* the game has none, or there is nothing to halve */
	GAMBLE_OVERFLOW,
};

/* What of a round may be gambled: base lines only where the rules say so, else the whole win. */
struct money gamble_stake_of(
	const struct game *game, struct money win_base_lines, struct money win_total);

/* May the next attempt be made with all of state->open.gamble_pending? */
enum gamble_status gamble_check(const struct game *game, const struct game_state *state);
enum gamble_status gamble_halve_check(const struct game *game, const struct game_state *state);

/* One card from the game's deck, 0..51: suit (clubs, diamonds, hearts, spades) x 13 + rank (two ..
 * ace). One draw. GAMBLE_OK or GAMBLE_BAD_GUESS, which draws nothing. */
enum gamble_status gamble_draw(
	const struct game *game, struct rng *rng, uint32_t guess, uint8_t *card_r, bool *won_r);

/* pending after an attempt: twice or nothing. GAMBLE_OK or GAMBLE_OVERFLOW (gamble_check has then
 * already refused it). */
enum gamble_status gamble_settle(struct money pending, bool won, struct money *pending_r);
/* floor(pending / 2) is banked, the rest stays: together they are pending. */
void gamble_halve(struct money pending, struct money *banked_r, struct money *pending_r);

const char *gamble_status_text(enum gamble_status status); /* "attempts_spent": stable */

#endif
