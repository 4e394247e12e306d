/* Bonus spins: which players may have them, and what a bonus spin may do. */
#include "services/wallet/core/wallet.h"

#include "services/wallet/core/bonus_spins.h"

bool wallet_bonus_spins_over(const struct wallet_bonus_spins *spins, uint64_t now_us)
{
	return spins->ended || spins->used >= spins->spins || now_us > spins->expires_us;
}

/* RULE mystic-gem 7.1: nothing leaves the balance, and only the base game is played. RULE
 * mystic-gem 7.4: no pool is fed. It may hit a progressive. RULE mystic-gem 7.3: it begins no
 * Jackpot Cards. */
enum wallet_refusal bonus_spins_check_bet(const struct wallet_account *account,
	const struct wallet_proposal *proposal, const struct wallet_moment *moment)
{
	const struct wallet_bonus_spins *spins = moment->spins;

	if (proposal->stake != 0)
		return WALLET_REFUSAL_AMOUNT;
	if (proposal->pools_n != 0)
		return WALLET_REFUSAL_TALLY;
	if (spins == NULL || spins->player != account->player || spins->game != proposal->game ||
		spins->currency != account->currency || proposal->mode != 0 ||
		wallet_bonus_spins_over(spins, moment->now_us))
		return WALLET_REFUSAL_BONUS_SPINS;
	for (uint32_t i = 0; i < proposal->claims_n; i++)
		if (proposal->claims[i].kind != WALLET_CLAIM_KIND_HIT ||
			proposal->claims[i].coin_minor != spins->coin_minor)
			return WALLET_REFUSAL_CLAIM;
	return WALLET_REFUSAL_NONE;
}

static enum wallet_refusal check_given(
	const struct wallet_outside *outside, const struct wallet_moment *moment)
{
	const struct wallet_bonus_spins *spins = &outside->spins;

	if (outside->amount != 0 || spins->game == 0 || spins->coin_minor <= 0 ||
		spins->coin_minor > WALLET_AMOUNT_MAX || spins->lines == 0 || spins->coins == 0 ||
		spins->spins == 0)
		return WALLET_REFUSAL_AMOUNT;
	if (spins->expires_us <= moment->now_us)
		return WALLET_REFUSAL_BONUS_SPINS;
	if (spins->spins > WALLET_BONUS_SPINS_MAX ||
		moment->bonus_spins_live >= WALLET_BONUS_SPINS_LIVE_MAX)
		return WALLET_REFUSAL_LIMIT;
	return WALLET_REFUSAL_NONE;
}

enum wallet_refusal bonus_spins_check_outside(const struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_moment *moment)
{
	if (!account->exists)
		return WALLET_REFUSAL_ACCOUNT;
	if (outside->kind == WALLET_KIND_BONUS_SPINS)
		return outside->currency == account->currency ? check_given(outside, moment)
							      : WALLET_REFUSAL_ACCOUNT;
	if (outside->amount != 0)
		return WALLET_REFUSAL_AMOUNT;
	if (moment->spins == NULL || moment->spins->player != account->player ||
		wallet_bonus_spins_over(moment->spins, moment->now_us))
		return WALLET_REFUSAL_BONUS_SPINS;
	return WALLET_REFUSAL_NONE;
}
