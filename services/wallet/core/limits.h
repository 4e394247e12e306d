/* Inside the core: the limits that players set for themselves. */
#ifndef CARILLON_WALLET_CORE_LIMITS_H
#define CARILLON_WALLET_CORE_LIMITS_H

#include "services/wallet/core/wallet.h"

/* limits may be NULL, except in limits_take of a row that sets one. */

/* Checks the stake alone, as if the round won nothing. What costs nothing, a bonus spin, is refused
 * where a bet of one minor unit would be. release: pending money of the previous round
 * that the bet collects first; it covers a loss as the balance does. */
enum wallet_refusal limits_check_bet(
	const struct wallet_limits *limits, int64_t stake, int64_t release, uint64_t now_us);
enum wallet_refusal limits_check_deposit(
	const struct wallet_account *account, int64_t amount, const struct wallet_moment *moment);
/* Checks a LIMIT row; from_us_r: when the new limit takes effect. */
enum wallet_refusal limits_check_set(const struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_moment *moment,
	uint64_t *from_us_r);
/* Counts an accepted row of the account. */
void limits_take(struct wallet_limits *limits, const struct wallet_row *row);

#endif
