#include "libcommon/game/autoplay.h"

#include <string.h>

enum autoplay_status autoplay_start(const struct game *game,
	const struct autoplay_settings *settings, struct autoplay *autoplay)
{
	if (!game->autoplay.offered)
		return AUTOPLAY_NOT_OFFERED;
	/* RULE bewitched 6.5; RULE mona-lisa 5.5; RULE mystic-gem 5.1; RULE mystery-elves 6.1; RULE
	 * witch-feature 7.1: the ordered number of spins, not more */
	if (settings->spins < 1 || settings->spins > game->autoplay.spins_max)
		return AUTOPLAY_SPINS_OUT_OF_RANGE;
	if (settings->loss_limit_minor < -1)
		return AUTOPLAY_LOSS_LIMIT_BAD;
	if (settings->single_win_minor < -1 || settings->single_win_minor == 0)
		return AUTOPLAY_SINGLE_WIN_BAD;
	if (settings->stop_on_jackpot && !game->autoplay.jackpot_stop_offered)
		return AUTOPLAY_JACKPOT_STOP_NOT_OFFERED;
	if (settings->stop_on_feature && !game->autoplay.feature_stop_offered)
		return AUTOPLAY_FEATURE_STOP_NOT_OFFERED;
	*autoplay = (struct autoplay){ .spins = settings->spins,
		.left = settings->spins,
		.loss_limit = money_of(settings->loss_limit_minor),
		.single_win = money_of(settings->single_win_minor),
		.stop_on_jackpot = settings->stop_on_jackpot,
		.stop_on_feature = settings->stop_on_feature,
		.stopped = AUTOPLAY_RUNS };
	memcpy(autoplay->id, settings->id, AUTOPLAY_ID_BYTES);
	return AUTOPLAY_OK;
}

/* RULE bewitched 6.6, 5.4; RULE mona-lisa 5.6; RULE mystic-gem 5.2; RULE mystery-elves 6.2; RULE
 * witch-feature 7.5 */
void autoplay_stop(struct autoplay *autoplay)
{
	if (autoplay_running(autoplay))
		autoplay->stopped = AUTOPLAY_STOPPED_PLAYER;
}

bool autoplay_running(const struct autoplay *autoplay)
{
	return autoplay->spins > 0 && autoplay->stopped == AUTOPLAY_RUNS;
}

enum autoplay_status autoplay_may_spin(const struct game *game, const struct autoplay *autoplay,
	const uint8_t id[AUTOPLAY_ID_BYTES], int64_t now_ms)
{
	if (!game->autoplay.offered)
		return AUTOPLAY_NOT_OFFERED;
	if (autoplay->spins == 0 || memcmp(autoplay->id, id, AUTOPLAY_ID_BYTES) != 0)
		return AUTOPLAY_UNKNOWN_ID;
	if (autoplay->stopped != AUTOPLAY_RUNS)
		return AUTOPLAY_STOPPED;
	/* If the clock was set back, the wait could be endless, so a last spin in the future is
	 * ignored. */
	if (autoplay->last_spin_ms > 0 && now_ms >= autoplay->last_spin_ms &&
		now_ms - autoplay->last_spin_ms < (int64_t)game->autoplay.interval_min_ms)
		return AUTOPLAY_TOO_SOON;
	return AUTOPLAY_OK;
}

/* RULE bewitched 6.7; RULE mona-lisa 5.7; RULE mystic-gem 5.6; RULE mystery-elves 6.1; RULE
 * witch-feature 7.6 */
bool autoplay_takes_bet(
	const struct autoplay *autoplay, const struct bet *last, const struct bet *bet)
{
	return autoplay->left == autoplay->spins ||
	       (bet->currency == last->currency && bet->coin_minor == last->coin_minor &&
		       bet->lines == last->lines && bet->coins == last->coins &&
		       bet->mode == last->mode);
}

/* RULE bewitched 6.1; RULE mona-lisa 5.1; RULE mystic-gem 5.5; RULE mystery-elves 6.4: limit + wins
 * - bets < 0. RULE witch-feature 7.2: at 0 already. */
static bool loss_limit_passed(const struct game *game, const struct autoplay *autoplay)
{
	struct money left;

	if (autoplay->loss_limit.minor < 0)
		return false;
	/* wins - bets first: both are >= 0, so it always fits; if adding the limit then overflows,
	 * the limit is far away */
	if (!money_sub(autoplay->wins, autoplay->bets, &left) ||
		!money_add(left, autoplay->loss_limit, &left))
		return false;
	return game->autoplay.loss_rule == LOSS_BELOW_ZERO ? left.minor < 0 : left.minor <= 0;
}

/* RULE bewitched 6.3; RULE mona-lisa 5.3; RULE mystic-gem 5.5; RULE witch-feature 7.4: a single win
 * that reaches the value. RULE mystery-elves 6.5: that exceeds it. A jackpot's amount is known only
 * after the pool has priced it, so a hit meets every limit. */
static bool win_limit_met(const struct game *game, const struct autoplay *autoplay,
	struct money win, uint32_t jackpot_hits)
{
	if (autoplay->single_win.minor < 0)
		return false;
	if (jackpot_hits > 0)
		return true;
	return game->autoplay.win_rule == WIN_REACHES ? win.minor >= autoplay->single_win.minor
						      : win.minor > autoplay->single_win.minor;
}

enum autoplay_status autoplay_spun(const struct game *game, const struct round_sum *sum,
	struct money jackpots, int64_t now_ms, struct autoplay *autoplay)
{
	struct money bets, wins;

	if (!autoplay_running(autoplay))
		return AUTOPLAY_STOPPED;
	if (!money_add(autoplay->bets, sum->stake, &bets) ||
		!money_add(autoplay->wins, sum->win_total, &wins) ||
		!money_add(wins, jackpots, &wins))
		return AUTOPLAY_OVERFLOW;
	autoplay->bets = bets;
	autoplay->wins = wins;
	autoplay->left--;
	autoplay->last_spin_ms = now_ms;
	/* RULE bewitched 6.2; RULE mona-lisa 5.2: a feature that the player must start. RULE
	 * witch-feature 7.3: if the player has chosen it, any feature; a round with more than its
	 * paid spin had one. */
	if (sum->has_feature || (autoplay->stop_on_feature && sum->phases > 1))
		autoplay->stopped = AUTOPLAY_STOPPED_FEATURE;
	else if (sum->jackpot_hits > 0 && autoplay->stop_on_jackpot) /* RULE bewitched 6.4; RULE
									mona-lisa 5.4 */
		autoplay->stopped = AUTOPLAY_STOPPED_JACKPOT;
	else if (win_limit_met(game, autoplay, sum->win_total, sum->jackpot_hits))
		autoplay->stopped = AUTOPLAY_STOPPED_WIN;
	else if (loss_limit_passed(game, autoplay))
		autoplay->stopped = AUTOPLAY_STOPPED_LOSS;
	else if (autoplay->left == 0)
		autoplay->stopped = AUTOPLAY_STOPPED_COUNT;
	return AUTOPLAY_OK;
}

const char *autoplay_status_text(enum autoplay_status status)
{
	switch (status) {
	case AUTOPLAY_OK:
		return "ok";
	case AUTOPLAY_NOT_OFFERED:
		return "autoplay_not_offered";
	case AUTOPLAY_SPINS_OUT_OF_RANGE:
		return "autoplay_spins_out_of_range";
	case AUTOPLAY_LOSS_LIMIT_BAD:
		return "autoplay_loss_limit_bad";
	case AUTOPLAY_SINGLE_WIN_BAD:
		return "autoplay_single_win_bad";
	case AUTOPLAY_JACKPOT_STOP_NOT_OFFERED:
		return "autoplay_jackpot_stop_not_offered";
	case AUTOPLAY_FEATURE_STOP_NOT_OFFERED:
		return "autoplay_feature_stop_not_offered";
	case AUTOPLAY_UNKNOWN_ID:
		return "autoplay_unknown_id";
	case AUTOPLAY_STOPPED:
		return "autoplay_stopped";
	case AUTOPLAY_TOO_SOON:
		return "autoplay_too_soon";
	case AUTOPLAY_OTHER_BET:
		return "autoplay_other_bet";
	case AUTOPLAY_ONE_SPIN:
		return "autoplay_one_spin";
	case AUTOPLAY_OVERFLOW:
		return "overflow";
	}
	return "unknown";
}

const char *autoplay_stop_text(enum autoplay_stop stop)
{
	switch (stop) {
	case AUTOPLAY_RUNS:
		return "running";
	case AUTOPLAY_STOPPED_COUNT:
		return "count";
	case AUTOPLAY_STOPPED_LOSS:
		return "loss_limit";
	case AUTOPLAY_STOPPED_WIN:
		return "single_win";
	case AUTOPLAY_STOPPED_JACKPOT:
		return "jackpot";
	case AUTOPLAY_STOPPED_FEATURE:
		return "feature";
	case AUTOPLAY_STOPPED_PLAYER:
		return "player";
	}
	return "unknown";
}
