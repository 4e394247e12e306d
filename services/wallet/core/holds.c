/* Withdrawals in flight and granted bonus funds. A hold is settled once and completely, by a
 * capture or a release; the hold itself records this, so requests with different ids cannot settle
 * it twice. No more of a grant is taken back than was granted. */
#include "services/wallet/core/holds.h"

#include <string.h>

bool wallet_hold_begins(uint32_t kind)
{
	return kind == WALLET_KIND_HOLD || kind == WALLET_KIND_GRANT;
}

bool wallet_hold_settles(uint32_t kind)
{
	return kind == WALLET_KIND_CAPTURE || kind == WALLET_KIND_HOLD_RELEASE ||
	       kind == WALLET_KIND_GRANT_BACK;
}

static enum wallet_refusal check_withdrawal(const struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_hold *hold, struct money *after_r)
{
	int64_t back = outside->kind == WALLET_KIND_HOLD_RELEASE ? outside->amount : 0;

	if (hold->kind != WALLET_KIND_HOLD || hold->settled_kind != 0)
		return WALLET_REFUSAL_HOLD;
	if (outside->amount != hold->amount)
		return WALLET_REFUSAL_AMOUNT;
	/* The player's own money comes back, whatever their balance; only an overflow is refused.
	 */
	return money_add(account->balance, money_of(back), after_r) ? WALLET_REFUSAL_NONE
								    : WALLET_REFUSAL_LIMIT;
}

static enum wallet_refusal check_take_back(const struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_hold *hold, struct money *after_r)
{
	if (hold->kind != WALLET_KIND_GRANT || hold->settled >= hold->amount)
		return WALLET_REFUSAL_HOLD;
	if (outside->amount <= 0 || outside->amount > hold->amount - hold->settled)
		return WALLET_REFUSAL_AMOUNT;
	if (outside->amount > account->balance.minor)
		return WALLET_REFUSAL_FUNDS;
	*after_r = money_of(account->balance.minor - outside->amount);
	return WALLET_REFUSAL_NONE;
}

enum wallet_refusal holds_check_settle(const struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_moment *moment,
	struct money *after_r)
{
	const struct wallet_hold *hold = moment->hold;

	if (!account->exists || outside->currency != account->currency)
		return WALLET_REFUSAL_ACCOUNT;
	if (hold == NULL || hold->player != account->player || hold->currency != account->currency)
		return WALLET_REFUSAL_HOLD;
	return outside->kind == WALLET_KIND_GRANT_BACK
		       ? check_take_back(account, outside, hold, after_r)
		       : check_withdrawal(account, outside, hold, after_r);
}

void wallet_hold_take(struct wallet_hold *hold, const struct wallet_row *row)
{
	if (wallet_hold_begins(row->kind)) {
		*hold = (struct wallet_hold){ .player = row->player,
			.kind = row->kind,
			.currency = row->currency,
			.amount = row->kind == WALLET_KIND_HOLD ? -row->amount : row->amount };
		memcpy(hold->id, row->outside_id, WALLET_ID_BYTES);
		return;
	}
	hold->settled += row->kind == WALLET_KIND_GRANT_BACK ? -row->amount : row->amount;
	hold->settled_kind = row->kind;
}
