/* Inside the core: what a player has allowed himself. */
#ifndef CARILLON_WALLET_CORE_LIMITS_H
#define CARILLON_WALLET_CORE_LIMITS_H

#include "services/wallet/core/wallet.h"

/* limits may be NULL everywhere but in limits_take of a row that sets one. */

/* The stake alone, as if the win were nothing. release: what the bet collects first of the round
 * before; of a loss it is as good as balance. */
enum wallet_refusal limits_check_bet(
	const struct wallet_limits *limits, int64_t stake, int64_t release, uint64_t now_us);
enum wallet_refusal limits_check_deposit(
	const struct wallet_account *account, int64_t amount, const struct wallet_moment *moment);
/* LIMIT; from_us_r: when it will hold. */
enum wallet_refusal limits_check_set(const struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_moment *moment,
	uint64_t *from_us_r);
/* An accepted row of the account. */
void limits_take(struct wallet_limits *limits, const struct wallet_row *row);

#endif
