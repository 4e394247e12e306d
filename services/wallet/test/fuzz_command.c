/* Feeds any bytes to the decoder of wallet.commands, and accepted commands to the rules: no crash,
 * and every row balances. */
#include "services/wallet/adapters/command.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check(const struct wallet_account *account, enum wallet_status status,
	const struct wallet_row *row)
{
	struct wallet_leg legs[WALLET_LEGS_MAX];
	int64_t sum = 0;

	if (account->balance.minor < 0 || account->pendings_n > WALLET_PENDINGS_MAX)
		abort();
	if (status != WALLET_BOOKED)
		return;
	for (size_t i = 0, n = wallet_row_legs(row, legs); i < n; i++)
		sum += legs[i].amount;
	if (sum != 0)
		abort();
}

static void apply(const struct command *command, struct wallet_account *account)
{
	static const struct wallet_tally tallies[] = { { 1, 1, 5, 978, false } };
	const struct wallet_rules rules = { .tallies = tallies,
		.tallies_n = 1,
		.stake_max = WALLET_AMOUNT_MAX,
		.outside_max = WALLET_AMOUNT_MAX };
	const struct wallet_moment moment = {
		.now_us = 1, .seq = account->last_seq + 1, .rules = &rules
	};
	const struct wallet_claim_view claim = { WALLET_CLAIM_OPEN, 1, 978 };
	enum wallet_status status = WALLET_BOOKED;
	struct wallet_row row;

	switch (command->kind) {
	case COMMAND_PROPOSAL:
		status = wallet_apply_proposal(account, &command->proposal, &moment, &row);
		break;
	case COMMAND_OUTSIDE:
		status = wallet_apply_outside(account, &command->outside, NULL, &moment, &row);
		break;
	case COMMAND_AWARD:
		status = wallet_apply_award(account, &command->award, &claim, &moment, &row);
		break;
	case COMMAND_UNKNOWN:
		wallet_apply_unknown(account, &moment, &row);
		break;
	}
	check(account, status, &row);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static struct arena arena;
	struct command command;
	char why[256];

	arena_reset(&arena);
	if (command_read(bytes, length, &arena, &command, why, sizeof(why)) == COMMAND_OK) {
		struct wallet_account nobody = { .player = command.player };
		struct wallet_account somebody = { .player = command.player,
			.exists = true,
			.currency = 978,
			.balance = { WALLET_AMOUNT_MAX },
			.last_seq = 1,
			.pendings_n = 1,
			.pendings = { { 5, 1, { 1000 } } } };
		apply(&command, &nobody);
		apply(&command, &somebody);
	}
	return 0;
}
