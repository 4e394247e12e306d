/* Inside the core: the rules of an operator's bonus spins. */
#ifndef CARILLON_WALLET_CORE_BONUS_SPINS_H
#define CARILLON_WALLET_CORE_BONUS_SPINS_H

#include "services/wallet/core/wallet.h"

static inline bool bonus_spins_kind(uint32_t kind)
{
	return kind == WALLET_KIND_BONUS_SPINS || kind == WALLET_KIND_BONUS_SPINS_END;
}

/* Further checks of a BET that names bonus spins. */
enum wallet_refusal bonus_spins_check_bet(const struct wallet_account *account,
	const struct wallet_proposal *proposal, const struct wallet_moment *moment);
/* Checks BONUS_SPINS and BONUS_SPINS_END. */
enum wallet_refusal bonus_spins_check_outside(const struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_moment *moment);

#endif
