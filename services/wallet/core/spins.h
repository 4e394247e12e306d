/* Inside the core: the rules of an operator's bonus spins. */
#ifndef CARILLON_WALLET_CORE_SPINS_H
#define CARILLON_WALLET_CORE_SPINS_H

#include "services/wallet/core/wallet.h"

static inline bool spins_kind(uint32_t kind)
{
	return kind == WALLET_KIND_SPINS || kind == WALLET_KIND_SPINS_END;
}

/* Of a BET that names bonus spins, beside what holds for every bet. */
enum wallet_refusal spins_check_bet(const struct wallet_account *account,
	const struct wallet_proposal *proposal, const struct wallet_moment *moment);
/* SPINS and SPINS_END. */
enum wallet_refusal spins_check_outside(const struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_moment *moment);

#endif
