/* Inside the core: the rules that settle withdrawals in flight and granted bonus funds. */
#ifndef CARILLON_WALLET_CORE_HOLDS_H
#define CARILLON_WALLET_CORE_HOLDS_H

#include "services/wallet/core/wallet.h"

/* Checks CAPTURE, HOLD_RELEASE and GRANT_BACK; after_r: the balance after the row. */
enum wallet_refusal holds_check_settle(const struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_moment *moment,
	struct money *after_r);

#endif
