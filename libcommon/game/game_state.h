/* The state of one player in one game between moves: witch, autoplay, the open round, the last
 * gamble cards and the carried state. The record of each move (<= 1 KB in total) contains it, so it
 * has a bounded size and one canonical encoding. For money, only the wallet's journal counts: the
 * amounts in this state are valid only once the move that set them is booked. */
#ifndef CARILLON_GAME_GAME_STATE_H
#define CARILLON_GAME_GAME_STATE_H

#include "libcommon/base/money.h"
#include "libcommon/game/carried.h"
#include "libcommon/game/game.h"
#include "libcommon/game/round.h"

#define AUTOPLAY_ID_BYTES 16
#define GAMBLE_CARDS_MAX 5
#define GAME_STATE_BYTES_MAX 320 /* the encoding */

enum autoplay_stop {
	AUTOPLAY_RUNS = 0,
	AUTOPLAY_STOPPED_COUNT, /* all spins are played */
	AUTOPLAY_STOPPED_LOSS,
	AUTOPLAY_STOPPED_WIN,
	AUTOPLAY_STOPPED_JACKPOT,
	AUTOPLAY_STOPPED_FEATURE, /* a feature needs the player */
	AUTOPLAY_STOPPED_PLAYER,
};

/* Amounts < 0 mean "not set". */
struct autoplay {
	uint8_t id[AUTOPLAY_ID_BYTES];
	uint32_t spins; /* ordered; 0: no autoplay was ever started */
	uint32_t left;
	struct money loss_limit;
	struct money single_win;
	bool stop_on_jackpot;
	bool stop_on_feature;
	enum autoplay_stop stopped;
	struct money bets, wins; /* since autoplay started */
	int64_t last_spin_ms;	 /* time of its last spin; 0: none yet */
};

/* The open round; move == 0: there is none. */
struct open_round {
	uint64_t move; /* the move that opened it */
	struct bet bet;
	struct round_state before; /* carried state when it began; its replay starts from this */
	bool autospin;		   /* autoplay requested it. RULE bewitched 5.4 */
	bool has_feature;
	uint32_t phases; /* in total */
	uint32_t cursor; /* shown so far */
	uint8_t picks;	 /* made so far in the pick bonus at the cursor */
	uint8_t pick[GAME_PICKS_MAX];
	struct money win_total;
	struct money gamble_pending; /* can be gambled or collected; 0 after a loss */
	uint32_t gamble_attempts;
	uint32_t jackpot_hits;
	/* a round ends with the definition it began with */
	uint8_t math_version[GAME_DIGEST_BYTES];
};

struct game_state {
	uint32_t game; /* its number */
	uint8_t witch; /* 0-based; 0 until the player has chosen */
	bool witch_chosen;
	uint8_t card_count;
	uint8_t card[GAMBLE_CARDS_MAX]; /* gamble cards of the session, latest first. RULE
					   bewitched 5.8 */
	struct autoplay autoplay;
	struct open_round open;
	struct carried carried; /* already includes the result of the open round, which is fixed
				   when the round opens */
};

_Static_assert(sizeof(struct game_state) <= 448,
	"struct game_state is too large: the record of each move contains it");

/* The state of a new player. */
void game_state_init(const struct game *game, struct game_state *state_r);
/* False, and nothing changed, if the game does not have this witch. RULE bewitched 2.5 */
bool game_state_set_witch(const struct game *game, struct game_state *state, uint32_t witch);
/* The carried state that a round at this bet begins with; all zero in games without collectibles.
 * RULE witch-feature 3.12, 3.13 */
struct round_state game_state_carried(
	const struct game *game, const struct game_state *state, const struct bet *bet);
/* Stores the carried state after the round (round_sum.state). False, and nothing changed, if there
 * is no room: see carried_set. */
bool game_state_carry(const struct game *game, struct game_state *state, const struct bet *bet,
	const struct round_state *after) CARILLON_MUST_CHECK;
/* Adds the latest gamble card; drops the oldest if there are more than GAMBLE_CARDS_MAX. */
void game_state_show_card(struct game_state *state, uint8_t card);

/* Canonical bytes; `out` holds GAME_STATE_BYTES_MAX. Returns the length. */
size_t game_state_encode(const struct game_state *state, uint8_t *out);
/* False, and nothing changed, for bytes that game_state_encode cannot have made, and for the state
 * of a game with another number. It rejects only what no definition allows, because the state may
 * be older than the definition. */
bool game_state_decode(
	const struct game *game, const uint8_t *bytes, size_t count, struct game_state *state_r);
/* The length of the longest encoding that this game's bounds allow; the loader refuses the game if
 * it exceeds GAME_STATE_BYTES_MAX. */
size_t game_state_bytes(const struct game *game);

#endif
