/* Double entry: where the money of a row comes from and goes to. Also lookups in wallet_rules. */
#include "services/wallet/core/wallet.h"

#include <assert.h>

int wallet_tally_find(
	const struct wallet_rules *rules, uint32_t pool, uint32_t game, uint32_t currency)
{
	for (size_t i = 0; i < rules->tallies_n; i++) {
		const struct wallet_tally *tally = &rules->tallies[i];
		if (!tally->closed && tally->pool == pool && tally->game == game &&
			tally->currency == currency)
			return (int)i;
	}
	return -1;
}

bool wallet_game_stopped(const struct wallet_rules *rules, uint32_t game)
{
	for (size_t i = 0; i < rules->stopped_n; i++)
		if (rules->stopped[i] == 0 || rules->stopped[i] == game)
			return true;
	return false;
}

bool wallet_rate_stale(const struct wallet_rules *rules, const struct wallet_row *row)
{
	for (size_t i = 0; i < rules->stale_n; i++)
		for (uint32_t j = 0; j < row->tallies_n; j++)
			if (rules->stale[i] == row->tallies[j])
				return true;
	return false;
}

static size_t legs_of_move(const struct wallet_row *row, struct wallet_leg *legs_r)
{
	int64_t player = row->release - row->stake + row->win_balance;
	int64_t pending = row->win_pending - row->release - row->forfeit;
	int64_t house = row->stake - row->win_balance - row->win_pending + row->forfeit;

	legs_r[0] = (struct wallet_leg){ WALLET_LEG_PLAYER, 0, player };
	legs_r[1] = (struct wallet_leg){ WALLET_LEG_PENDING, 0, pending };
	legs_r[2] = (struct wallet_leg){ WALLET_LEG_HOUSE, 0, house };
	return 3;
}

static size_t legs_against(const struct wallet_row *row, enum wallet_leg_account account,
	uint32_t pool, struct wallet_leg *legs_r)
{
	legs_r[0] = (struct wallet_leg){ WALLET_LEG_PLAYER, 0, row->amount };
	legs_r[1] = (struct wallet_leg){ account, pool, -row->amount };
	return 2;
}

/* The captured money had already left the player's balance. */
static size_t legs_of_capture(const struct wallet_row *row, struct wallet_leg *legs_r)
{
	legs_r[0] = (struct wallet_leg){ WALLET_LEG_WITHDRAWAL, 0, -row->amount };
	legs_r[1] = (struct wallet_leg){ WALLET_LEG_CASH, 0, row->amount };
	return 2;
}

/* The receivable is a leg of its own; the house's leg stays one sum. */
static size_t legs_of_void(const struct wallet_row *row, struct wallet_leg *legs_r)
{
	size_t n = legs_of_move(row, legs_r);

	if (row->amount == 0)
		return n;
	legs_r[2].amount += row->amount;
	legs_r[3] = (struct wallet_leg){ WALLET_LEG_VOID, 0, -row->amount };
	return n + 1;
}

size_t wallet_row_legs(const struct wallet_row *row, struct wallet_leg legs_r[WALLET_LEGS_MAX])
{
	if (row->refusal != WALLET_REFUSAL_NONE)
		return 0;
	switch (row->kind) {
	case WALLET_KIND_BET:
	case WALLET_KIND_RELEASE:
	case WALLET_KIND_GAMBLE:
	case WALLET_KIND_HALVE:
	case WALLET_KIND_COLLECT:
		return legs_of_move(row, legs_r);
	case WALLET_KIND_VOID:
		return legs_of_void(row, legs_r);
	case WALLET_KIND_DEPOSIT:
	case WALLET_KIND_WITHDRAWAL:
		return legs_against(row, WALLET_LEG_CASH, 0, legs_r);
	case WALLET_KIND_CORRECTION:
		return legs_against(row, WALLET_LEG_HOUSE, 0, legs_r);
	case WALLET_KIND_HOLD:
	case WALLET_KIND_HOLD_RELEASE:
		return legs_against(row, WALLET_LEG_WITHDRAWAL, 0, legs_r);
	case WALLET_KIND_CAPTURE:
		return legs_of_capture(row, legs_r);
	case WALLET_KIND_GRANT:
	case WALLET_KIND_GRANT_BACK:
		return legs_against(row, WALLET_LEG_PROMO, 0, legs_r);
	case WALLET_KIND_AWARD:
		return legs_against(row, WALLET_LEG_JACKPOT, row->award.pool, legs_r);
	case WALLET_KIND_OPEN:
	case WALLET_KIND_SETTING:
	case WALLET_KIND_BLOCK:
	case WALLET_KIND_BONUS_SPINS:
	case WALLET_KIND_BONUS_SPINS_END:
	case WALLET_KIND_LIMIT:
		return 0;
	default:
		assert(false); /* a row of an unknown kind is never accepted */
		return 0;
	}
}
