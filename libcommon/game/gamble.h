/* Double-up: guess the colour of a card, win twice the stake or nothing. Whether it may be played,
 * the draw, and the sums; where the money is kept is the wallet's. Rules:
 * bewitched 5, mystic-gem 4, mystery-elves 5.
 *
 * Two kinds of deck. Without jokers the card is drawn, and its colour decides. With jokers the
 * outcome is drawn first, 1 of 2, and then a card to show for it: of the colour guessed or a joker
 * when it is won, of the other colour when it is lost; so the joker is good for either colour and
 * changes no odds. The number of draws of an attempt, and how they use the stream, never depend on
 * the guess: an attempt is found in the stream by its number. */
#ifndef CARILLON_GAME_GAMBLE_H
#define CARILLON_GAME_GAMBLE_H

#include "libcommon/base/rng.h"
#include "libcommon/game/game.h"
#include "libcommon/game/game_state.h"
#include "libcommon/game/round.h"

#define GAMBLE_JOKER 52u /* the card: all jokers look alike */
#define GAMBLE_DRAWS_MAX 2

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
/* May half of it be banked? Only while the rest may be gambled; it is no attempt itself. */
enum gamble_status gamble_halve_check(const struct game *game, const struct game_state *state);

/* What an attempt drew and shows. */
struct gamble_card {
	uint8_t card; /* suit (clubs, diamonds, hearts, spades) x 13 + rank (two .. ace), 0..51, or
			 GAMBLE_JOKER */
	bool won;
	uint32_t draw_count;
	struct draw draw[GAMBLE_DRAWS_MAX];
};

/* One attempt: one draw without jokers, two with. GAMBLE_OK; GAMBLE_NOT_OFFERED or
 * GAMBLE_BAD_GUESS, which draw nothing. */
enum gamble_status gamble_draw(
	const struct game *game, struct rng *rng, uint32_t guess, struct gamble_card *card_r);

/* pending after an attempt: twice or nothing. GAMBLE_OK or GAMBLE_OVERFLOW (gamble_check has then
 * already refused it). */
enum gamble_status gamble_settle(struct money pending, bool won, struct money *pending_r);
/* floor(pending / 2) is banked, the rest stays: together they are pending. */
void gamble_halve(struct money pending, struct money *banked_r, struct money *pending_r);

const char *gamble_status_text(enum gamble_status status); /* "attempts_spent": stable */

#endif
