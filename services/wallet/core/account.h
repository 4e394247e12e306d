/* Inside the core: pending money of an account. */
#ifndef CARILLON_WALLET_CORE_ACCOUNT_H
#define CARILLON_WALLET_CORE_ACCOUNT_H

#include "services/wallet/core/wallet.h"

/* True if the account has room for pending money of this game, even if the move brings none. */
bool wallet_account_pending_fits(const struct wallet_account *account, uint32_t game);
/* Replaces the game's entry; an amount of 0 removes it. */
void wallet_account_pending_set(struct wallet_account *account, struct wallet_pending pending);

#endif
