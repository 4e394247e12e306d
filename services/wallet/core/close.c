#include "services/wallet/core/close.h"

size_t close_account_find(
	const struct close_account *accounts, size_t n, uint32_t pool, uint32_t currency)
{
	size_t i = 0;

	while (i < n && (accounts[i].pool != pool || accounts[i].currency != currency))
		i++;
	return i;
}

static bool accrue(const struct close_tally *tally, struct close_account *account)
{
	int128 more;

	return tally->total >= tally->total_before && tally->share_nano >= 0 &&
	       tally->share_nano <= CLOSE_NANO &&
	       int128_mul((int128)(tally->total - tally->total_before), tally->share_nano, &more) &&
	       !__builtin_add_overflow(account->accrued_nano, more, &account->accrued_nano);
}

bool close_count(const struct close_tally *tallies, size_t tallies_n,
	struct close_account *accounts, size_t accounts_n)
{
	for (size_t i = 0; i < accounts_n; i++)
		accounts[i].accrued_nano = 0;
	for (size_t i = 0; i < tallies_n; i++) {
		size_t at = close_account_find(
			accounts, accounts_n, tallies[i].pool, tallies[i].currency);
		if (at == accounts_n || !accrue(&tallies[i], &accounts[at]))
			return false;
	}
	for (size_t i = 0; i < accounts_n; i++) {
		struct close_account *account = &accounts[i];
		int128 due;
		if (account->carried_nano < 0 || account->carried_nano >= CLOSE_NANO ||
			__builtin_add_overflow(
				account->accrued_nano, account->carried_nano, &due) ||
			due / CLOSE_NANO > INT64_MAX)
			return false;
		account->moved_minor = (int64_t)(due / CLOSE_NANO);
		account->carry_nano = (int64_t)(due % CLOSE_NANO);
	}
	return true;
}
