/* Autoplay: its settings, whether the next spin may start, and what stops it. The server enforces
 * these rules; the client requests each spin. Times are the caller's clock in ms. */
#ifndef CARILLON_GAME_AUTOPLAY_H
#define CARILLON_GAME_AUTOPLAY_H

#include "libcommon/game/game.h"
#include "libcommon/game/game_state.h"
#include "libcommon/game/round.h"

enum autoplay_status {
	AUTOPLAY_OK = 0,
	AUTOPLAY_NOT_OFFERED,
	AUTOPLAY_SPINS_OUT_OF_RANGE,
	AUTOPLAY_LOSS_LIMIT_BAD, /* below -1 */
	AUTOPLAY_SINGLE_WIN_BAD, /* 0, which would stop at once, or below -1 */
	AUTOPLAY_JACKPOT_STOP_NOT_OFFERED,
	AUTOPLAY_FEATURE_STOP_NOT_OFFERED,
	AUTOPLAY_UNKNOWN_ID, /* the request names another autoplay, or no autoplay is running */
	AUTOPLAY_STOPPED,    /* autoplay->stopped says why */
	AUTOPLAY_TOO_SOON,
	AUTOPLAY_OTHER_BET, /* the bet differs from the bet of the autoplay's first spin */
	AUTOPLAY_ONE_SPIN,  /* the mode applies to one spin only */
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

/* Checks the settings and starts; changes nothing if it refuses. */
enum autoplay_status autoplay_start(const struct game *game,
	const struct autoplay_settings *settings, struct autoplay *autoplay);
/* Stops autoplay for the player, who can then gamble the last win. */
void autoplay_stop(struct autoplay *autoplay);
bool autoplay_running(const struct autoplay *autoplay);

/* May a spin of this autoplay start now? Changes nothing. */
enum autoplay_status autoplay_may_spin(const struct game *game, const struct autoplay *autoplay,
	const uint8_t id[AUTOPLAY_ID_BYTES], int64_t now_ms);
/* May this autoplay spin with this bet? Its first spin may have any bet; later bets must equal
 * `last`, the bet of the game's last round. That round belongs to this autoplay, because a manual
 * spin ends an autoplay. */
bool autoplay_takes_bet(
	const struct autoplay *autoplay, const struct bet *last, const struct bet *bet);
/* Counts a finished spin and decides whether it was the last. `jackpots` is the sum of the seeds of
 * the spin's hits (the least that they can pay); 0 without hits. Returns AUTOPLAY_OK, even if this
 * spin was the last. autoplay->stopped then gives the reason; if there are several, the first in
 * the order feature, jackpot, win, loss, count. Returns AUTOPLAY_STOPPED if autoplay was not
 * running, and AUTOPLAY_OVERFLOW if a sum does not fit; then nothing has changed. */
enum autoplay_status autoplay_spun(const struct game *game, const struct round_sum *sum,
	struct money jackpots, int64_t now_ms, struct autoplay *autoplay);

const char *autoplay_status_text(enum autoplay_status status);
const char *autoplay_stop_text(enum autoplay_stop stop); /* "loss_limit", ..: stable codes */

#endif
