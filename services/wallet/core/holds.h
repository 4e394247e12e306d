/* Inside the core: the rules of what waits for its counter entry, withdrawals in flight and bonus
 * funds given. */
#ifndef CARILLON_WALLET_CORE_HOLDS_H
#define CARILLON_WALLET_CORE_HOLDS_H

#include "services/wallet/core/wallet.h"

/* CAPTURE, HOLD_RELEASE and GRANT_BACK; after_r: the balance behind it. */
enum wallet_refusal holds_check_settle(const struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_moment *moment,
	struct money *after_r);

#endif
