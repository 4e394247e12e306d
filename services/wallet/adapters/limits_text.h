/* A player's limits and how much of them is used, as the array of numbers that wallet.player_limit
 * keeps. */
#ifndef CARILLON_WALLET_ADAPTERS_LIMITS_TEXT_H
#define CARILLON_WALLET_ADAPTERS_LIMITS_TEXT_H

#include "services/wallet/adapters/text.h"
#include "services/wallet/core/wallet.h"

/* value, next and next_us of each code from 1; period, loss, wager and deposit of day, week and
 * month; play_began_us, play_last_us. */
#define LIMITS_NUMBERS (3 * (WALLET_LIMITS_N - 1) + 4 * WALLET_PERIODS_N + 2)

void limits_pack(const struct wallet_limits *limits, int64_t numbers_r[LIMITS_NUMBERS]);
void limits_unpack(const int64_t numbers[LIMITS_NUMBERS], struct wallet_limits *limits_r);
/* "{1,2,..}" */
void limits_text(struct text *text, const struct wallet_limits *limits);
/* False: the text does not have LIMITS_NUMBERS numbers. */
bool limits_read(const char *text, struct wallet_limits *limits_r);

#endif
