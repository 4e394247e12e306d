/* An account: its pending money by game, and how a journal row changes it. */
#include "services/wallet/core/wallet.h"

#include "services/wallet/core/account.h"
#include "services/wallet/core/limits.h"

#include <assert.h>
#include <string.h>

struct wallet_pending wallet_account_pending(const struct wallet_account *account, uint32_t game)
{
	for (uint32_t i = 0; i < account->pendings_n; i++)
		if (account->pendings[i].game == game)
			return account->pendings[i];
	return (struct wallet_pending){ .game = game };
}

bool wallet_account_pending_fits(const struct wallet_account *account, uint32_t game)
{
	return account->pendings_n < WALLET_PENDINGS_MAX ||
	       wallet_account_pending(account, game).amount.minor != 0;
}

void wallet_account_pending_set(struct wallet_account *account, struct wallet_pending pending)
{
	uint32_t i = 0;

	while (i < account->pendings_n && account->pendings[i].game != pending.game)
		i++;
	if (pending.amount.minor == 0) {
		if (i == account->pendings_n)
			return;
		account->pendings_n--;
		account->pendings[i] = account->pendings[account->pendings_n];
		return;
	}
	assert(i < WALLET_PENDINGS_MAX); /* acceptance made sure of it */
	account->pendings[i] = pending;
	if (i == account->pendings_n)
		account->pendings_n++;
}

/* A void that takes no pending leaves pending as it is, even another round's. */
static bool sets_pending(const struct wallet_row *row)
{
	if (row->kind == WALLET_KIND_VOID)
		return row->release != 0 || row->forfeit != 0;
	return row->kind >= WALLET_KIND_BET && row->kind < WALLET_KIND_VOID;
}

void wallet_account_roll(struct wallet_account *account, const struct wallet_row *row)
{
	bool accepted = row->refusal == WALLET_REFUSAL_NONE;

	if (row->kind == WALLET_KIND_OPEN && accepted && !account->exists) {
		*account = (struct wallet_account){ .player = row->player,
			.exists = true,
			.currency = row->currency,
			.limits = account->limits };
	}
	if (!account->exists)
		return; /* a refusal because there is no account */
	account->last_seq = row->seq;
	account->last_day = row->day;
	if (row->move > 0)
		account->last_move = row->move;
	account->balance = money_of(row->balance_after);
	if (!accepted)
		return;
	if (account->limits != NULL)
		limits_take(account->limits, row);
	if (row->kind == WALLET_KIND_BLOCK)
		account->blocked = row->amount != 0;
	if (sets_pending(row))
		wallet_account_pending_set(
			account, (struct wallet_pending){ .game = row->game,
					 .round = row->round,
					 .amount = money_of(row->pending_after) });
}
