/* Autoplay: what may be set, whether the next spin may start, and what stops it. Enforced here on
 * the server; each spin is still asked for by the client. Times are the caller's clock in ms. */
#ifndef CARILLON_GAME_AUTOPLAY_H
#define CARILLON_GAME_AUTOPLAY_H

#include "libcommon/game/game.h"
#include "libcommon/game/game_state.h"
#include "libcommon/game/round.h"

enum autoplay_status {
	AUTOPLAY_OK = 0,
	AUTOPLAY_NOT_OFFERED,
	AUTOPLAY_SPINS_OUT_OF_RANGE,
	AUTOPLAY_LOSS_LIMIT_BAD, /* set, but negative beyond -1 */
	AUTOPLAY_SINGLE_WIN_BAD, /* set to 0: would stop at once */
	AUTOPLAY_JACKPOT_STOP_NOT_OFFERED,
	AUTOPLAY_FEATURE_STOP_NOT_OFFERED,
	AUTOPLAY_UNKNOWN_ID, /* the spin names another autoplay, or none runs */
	AUTOPLAY_STOPPED,    /* state->autoplay.stopped says why */
	AUTOPLAY_TOO_SOON,
	AUTOPLAY_OTHER_BET, /* not the bet of its first spin */
	AUTOPLAY_ONE_SPIN,  /* a mode that is bought for one spin */
	AUTOPLAY_OVERFLOW,
};

struct autoplay_settings {
	uint8_t id[AUTOPLAY_ID_BYTES];
	uint32_t spins;
	int64_t loss_limit_minor; /* -1: none */
	int64_t single_win_minor; /* -1: none */
	bool stop_on_jackpot;
	bool stop_on_feature;
};

/* Checks and starts; on refusal nothing is changed. */
enum autoplay_status autoplay_start(const struct game *game,
	const struct autoplay_settings *settings, struct autoplay *autoplay);
/* The player stops it: the gamble on the last win is open from then on. */
void autoplay_stop(struct autoplay *autoplay);
bool autoplay_running(const struct autoplay *autoplay);

/* May a spin of this autoplay start now? Changes nothing. */
enum autoplay_status autoplay_may_spin(const struct game *game, const struct autoplay *autoplay,
	const uint8_t id[AUTOPLAY_ID_BYTES], int64_t now_ms);
/* May it spin with this bet? The first spin may have any; `last` is the bet of the game's last
 * round, which is this autoplay's own once it has spun: a spin by hand ends it. */
bool autoplay_takes_bet(
	const struct autoplay *autoplay, const struct bet *last, const struct bet *bet);
/* Counts a settled spin and decides whether it was the last. Of several reasons the first in the
 * order of enum autoplay_stop after the count is told: a feature outranks all, then jackpot, win,
 * loss, count. `jackpots`: what its hits are certain to pay, their seeds; 0 without one.
 * AUTOPLAY_OK or AUTOPLAY_OVERFLOW (nothing changed). */
enum autoplay_status autoplay_spun(const struct game *game, const struct round_sum *sum,
	struct money jackpots, int64_t now_ms, struct autoplay *autoplay);

const char *autoplay_status_text(enum autoplay_status status);
const char *autoplay_stop_text(enum autoplay_stop stop); /* "loss_limit": stable */

#endif
