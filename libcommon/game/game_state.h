/* What is kept of one player in one game between moves: witch, autoplay, the open round, the last
 * cards and what each bet value carries. It travels in the record of each move (<= 1 KB with all
 * else), so it is plain, bounded and has one canonical encoding. No money is decided by it: amounts
 * here are what the wallet's journal must confirm. */
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
	AUTOPLAY_STOPPED_COUNT, /* all spins played */
	AUTOPLAY_STOPPED_LOSS,
	AUTOPLAY_STOPPED_WIN,
	AUTOPLAY_STOPPED_JACKPOT,
	AUTOPLAY_STOPPED_FEATURE, /* a feature waits for the player */
	AUTOPLAY_STOPPED_PLAYER,
};

/* Amounts < 0 mean "not set". */
struct autoplay {
	uint8_t id[AUTOPLAY_ID_BYTES];
	uint32_t spins; /* asked for; 0: none was ever started */
	uint32_t left;
	struct money loss_limit;
	struct money single_win;
	bool stop_on_jackpot;
	bool stop_on_feature;
	enum autoplay_stop stopped;
	struct money bets, wins; /* since it was started */
	int64_t last_spin_ms;	 /* time of its last spin, for the smallest interval; 0: none yet */
};

/* The round that is not closed yet; move == 0: none. */
struct open_round {
	uint64_t move; /* that opened it */
	struct bet bet;
	struct round_state before; /* what its bet value carried when it began: it is played again
				      from there */
	bool autospin;		   /* asked for by an autoplay. RULE bewitched 5.4 */
	bool has_feature;
	uint32_t phases; /* in all */
	uint32_t cursor; /* shown so far */
	uint8_t picks;	 /* of the bonus at the cursor */
	uint8_t pick[GAME_PICKS_MAX];
	struct money win_total;
	struct money gamble_pending; /* what may be gambled or collected; 0 once lost */
	uint32_t gamble_attempts;
	uint32_t jackpot_hits;
	uint8_t math_version[GAME_DIGEST_BYTES]; /* a round ends on the definition it began with */
};

struct game_state {
	uint32_t game; /* its number */
	uint8_t witch; /* 0-based; the first until the player has chosen */
	bool witch_chosen;
	uint8_t card_count;
	uint8_t card[GAMBLE_CARDS_MAX]; /* of the session, latest first. RULE bewitched 5.8 */
	struct autoplay autoplay;
	struct open_round open;
	struct carried carried; /* after the open round too: all of it is fixed by its first move */
};

_Static_assert(sizeof(struct game_state) <= 448, "state grows: records are bounded");

/* A new player's. */
void game_state_init(const struct game *game, struct game_state *state_r);
/* False, and nothing changed, when the game has no such witch. RULE bewitched 2.5 */
bool game_state_set_witch(const struct game *game, struct game_state *state, uint32_t witch);
/* What a round at this bet begins with; nothing in games without potions. RULE witch-feature 3.12,
 * 3.13 */
struct round_state game_state_carried(
	const struct game *game, const struct game_state *state, const struct bet *bet);
/* What it leaves, round_sum.state. False, and nothing changed, where there is no room: see
 * carried_set. */
bool game_state_carry(const struct game *game, struct game_state *state, const struct bet *bet,
	const struct round_state *after) CARILLON_MUST_CHECK;
/* Puts a card first in the strip and forgets the sixth. */
void game_state_show_card(struct game_state *state, uint8_t card);

/* Canonical bytes; `out` holds GAME_STATE_BYTES_MAX. Returns the length. */
size_t game_state_encode(const struct game_state *state, uint8_t *out);
/* False, and nothing changed, for bytes that game_state_encode cannot have made for this game's
 * number. Only what no definition could allow is refused: a state outlives the definition. */
bool game_state_decode(
	const struct game *game, const uint8_t *bytes, size_t count, struct game_state *state_r);
/* The longest encoding this game's bounds allow; the loader asserts it. */
size_t game_state_bytes(const struct game *game);

#endif
