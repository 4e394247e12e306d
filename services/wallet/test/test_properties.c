/* Properties of the rules over random commands. The seed is printed, and WALLET_TEST_SEED repeats a
 * failure. */
#include "services/wallet/core/wallet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define STEPS 200000
#define PLAYERS 5

static uint64_t seed;

static uint64_t next(void)
{
	uint64_t x = seed += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static uint64_t below(uint64_t n)
{
	return next() % n;
}

static const struct wallet_tally tallies[] = { { 1, 1, 5, 978, false }, { 2, 2, 5, 978, false } };
static const struct wallet_rules rules = {
	.tallies = tallies, .tallies_n = 2, .stake_max = 100000, .outside_max = 100000
};

/* Mostly small and plausible amounts, sometimes any number. */
static int64_t amount_any(int64_t around)
{
	static const int64_t odd[] = { 0, 1, -1, INT64_MIN, INT64_MAX, WALLET_AMOUNT_MAX,
		WALLET_AMOUNT_MAX + 1 };

	switch (below(8)) {
	case 0:
		return odd[below(sizeof(odd) / sizeof(odd[0]))];
	case 1:
		return around;
	case 2:
		return around / 2;
	default:
		return (int64_t)below(200);
	}
}

static struct wallet_proposal proposal_any(const struct wallet_account *account)
{
	uint32_t game = (uint32_t)below(12);
	struct wallet_pending held = wallet_account_pending(account, game);
	struct wallet_proposal p = { .move = account->last_move + (below(20) == 0 ? below(3) : 1),
		.kind = (uint32_t)below(10),
		.game = below(2) ? 5 : game,
		.currency = 978 };

	held = wallet_account_pending(account, p.game);
	p.pending_before = below(9) ? held.amount.minor : amount_any(held.amount.minor);
	p.round = p.kind == WALLET_KIND_BET ? p.move : held.round;
	if (p.kind == WALLET_KIND_BET || below(10) == 0)
		p.stake = amount_any(account->balance.minor);
	if (below(2))
		p.release = p.kind == WALLET_KIND_BET ? held.amount.minor
						      : amount_any(held.amount.minor);
	else if (p.kind == WALLET_KIND_BET)
		p.release = held.amount.minor;
	if (p.kind == WALLET_KIND_BET || p.kind == WALLET_KIND_GAMBLE || below(10) == 0) {
		p.win_balance = below(3) ? 0 : amount_any(100);
		p.win_pending = below(3) ? amount_any(held.amount.minor) : 0;
	}
	if (p.kind == WALLET_KIND_GAMBLE && below(2))
		p.forfeit = amount_any(held.amount.minor);
	if (p.game == 5 && below(2)) {
		p.pools[0] = 1;
		p.pools[1] = 2;
		p.pools_n = 2;
	}
	return p;
}

static struct wallet_outside outside_any(const struct wallet_account *account)
{
	static const uint32_t kinds[] = { WALLET_KIND_DEPOSIT, WALLET_KIND_DEPOSIT,
		WALLET_KIND_WITHDRAWAL, WALLET_KIND_CORRECTION, WALLET_KIND_GRANT,
		WALLET_KIND_BLOCK, 99 };
	struct wallet_outside outside = { .kind = kinds[below(7)],
		.currency = below(20) ? 978 : 752,
		.amount = amount_any(account->balance.minor) };

	if (outside.kind == WALLET_KIND_BLOCK)
		outside.amount = below(4) == 0;
	return outside;
}

static void open_account(struct wallet_account *account, player_id player)
{
	struct wallet_proposal proposal = { .kind = WALLET_KIND_OPEN, .currency = 978 };
	struct wallet_moment moment = { .now_us = 1, .seq = 1, .rules = &rules };
	struct wallet_row row;

	*account = (struct wallet_account){ .player = player };
	assert_int_equal(wallet_apply_proposal(account, &proposal, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.refusal, 0);
}

static enum wallet_status step(struct wallet_account *account, uint64_t seq, struct wallet_row *row)
{
	struct wallet_moment moment = { .now_us = seq, .seq = seq, .rules = &rules };

	if (below(5) == 0) {
		struct wallet_outside outside = outside_any(account);
		return wallet_apply_outside(account, &outside, NULL, &moment, row);
	}
	if (below(20) == 0) {
		struct wallet_award award = { 1, 1, 1, 978, amount_any(50), 1 };
		struct wallet_claim_view claim = {
			below(2) ? WALLET_CLAIM_OPEN : WALLET_CLAIM_UNKNOWN, 1, 978
		};
		return wallet_apply_award(account, &award, &claim, &moment, row);
	}
	struct wallet_proposal proposal = proposal_any(account);
	return wallet_apply_proposal(account, &proposal, &moment, row);
}

/* Compares field by field: padding may differ. */
static void assert_same(const struct wallet_account *a, const struct wallet_account *b)
{
	assert_int_equal(a->player, b->player);
	assert_int_equal(a->exists, b->exists);
	assert_int_equal(a->blocked, b->blocked);
	assert_int_equal(a->currency, b->currency);
	assert_int_equal(a->balance.minor, b->balance.minor);
	assert_int_equal(a->last_move, b->last_move);
	assert_int_equal(a->last_seq, b->last_seq);
	assert_int_equal(a->pendings_n, b->pendings_n);
	for (uint32_t i = 0; i < a->pendings_n; i++) {
		assert_int_equal(a->pendings[i].game, b->pendings[i].game);
		assert_int_equal(a->pendings[i].round, b->pendings[i].round);
		assert_int_equal(a->pendings[i].amount.minor, b->pendings[i].amount.minor);
	}
}

/* Debits equal credits, no money is negative, moves are 1..n, refusals move nothing, and the row
 * alone gives the next account. */
static void test_properties_conservation_and_roll(void **state)
{
	struct wallet_account accounts[PLAYERS];
	int64_t books[WALLET_LEG_VOID + 1] = { 0 };
	size_t accepted = 0;

	(void)state;
	for (int i = 0; i < PLAYERS; i++)
		open_account(&accounts[i], i + 1);
	for (uint64_t seq = 2; seq < STEPS; seq++) {
		struct wallet_account *account = &accounts[below(PLAYERS)];
		struct wallet_account rolled = *account;
		const struct wallet_account before = *account;
		struct wallet_leg legs[WALLET_LEGS_MAX];
		struct wallet_row row;
		int64_t sum = 0;

		if (step(account, seq, &row) != WALLET_BOOKED) {
			assert_same(account, &before);
			continue;
		}
		wallet_account_roll(&rolled, &row);
		assert_same(&rolled, account);
		assert_true(account->balance.minor >= 0);
		for (uint32_t i = 0; i < account->pendings_n; i++)
			assert_true(account->pendings[i].amount.minor > 0);
		assert_int_equal(account->last_move - before.last_move, row.move > 0);
		if (row.refusal != 0)
			assert_int_equal(account->balance.minor, before.balance.minor);
		accepted += row.refusal == 0;
		for (size_t i = 0, n = wallet_row_legs(&row, legs); i < n; i++) {
			books[legs[i].account] += legs[i].amount;
			sum += legs[i].amount;
		}
		assert_int_equal(sum, 0);
	}
	for (int i = 0; i < PLAYERS; i++) {
		books[WALLET_LEG_PLAYER] -= accounts[i].balance.minor;
		for (uint32_t j = 0; j < accounts[i].pendings_n; j++)
			books[WALLET_LEG_PENDING] -= accounts[i].pendings[j].amount.minor;
	}
	assert_int_equal(books[WALLET_LEG_PLAYER], 0);
	assert_int_equal(books[WALLET_LEG_PENDING], 0);
	assert_true(accepted > STEPS / 10); /* the generator makes useful commands */
}

static int64_t win_any(void)
{
	return below(3) ? (int64_t)below(1000) : (int64_t)below((uint64_t)WALLET_AMOUNT_MAX + 1);
}

/* Whatever a round wins, it is accepted or refused as if it had won nothing. */
static void test_properties_win_never_changes_acceptance(void **state)
{
	struct wallet_account account;
	size_t accepted = 0;

	(void)state;
	open_account(&account, 1);
	for (uint64_t seq = 2; seq < STEPS; seq++) {
		struct wallet_moment moment = { .now_us = seq, .seq = seq, .rules = &rules };
		struct wallet_proposal proposal = proposal_any(&account);
		struct wallet_account copies[3] = { account, account, account };
		struct wallet_row rows[3];

		if (proposal.kind == WALLET_KIND_BET || proposal.kind == WALLET_KIND_GAMBLE) {
			enum wallet_status status[3];
			for (int i = 0; i < 3; i++) {
				proposal.win_balance = i == 0 ? 0 : win_any();
				proposal.win_pending = i == 0 ? 0 : win_any();
				status[i] = wallet_apply_proposal(
					&copies[i], &proposal, &moment, &rows[i]);
				assert_int_equal(status[i], status[0]);
				if (status[0] == WALLET_BOOKED)
					assert_int_equal(rows[i].refusal, rows[0].refusal);
			}
			accepted += status[0] == WALLET_BOOKED && rows[0].refusal == 0;
		}
		(void)step(&account, seq, &rows[0]);
	}
	assert_true(accepted > STEPS / 50);
}

/* A repeated command, at once or later, changes nothing. */
static void test_properties_idempotence(void **state)
{
	struct wallet_account account;

	(void)state;
	open_account(&account, 1);
	for (uint64_t seq = 2; seq < STEPS; seq++) {
		struct wallet_moment moment = { .now_us = seq, .seq = seq, .rules = &rules };
		struct wallet_proposal proposal = proposal_any(&account);
		struct wallet_outside outside = outside_any(&account);
		struct wallet_known_id known = { .player = account.player };
		struct wallet_account before;
		struct wallet_row row;

		if (wallet_apply_proposal(&account, &proposal, &moment, &row) == WALLET_AHEAD)
			continue;
		(void)wallet_apply_outside(&account, &outside, NULL, &moment, &row);
		before = account;
		assert_int_equal(
			wallet_apply_proposal(&account, &proposal, &moment, &row), WALLET_SPENT);
		assert_int_equal(wallet_apply_outside(&account, &outside, &known, &moment, &row),
			WALLET_SPENT);
		assert_same(&account, &before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_properties_conservation_and_roll),
		cmocka_unit_test(test_properties_win_never_changes_acceptance),
		cmocka_unit_test(test_properties_idempotence),
	};
	const char *given = getenv("WALLET_TEST_SEED");

	seed = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
	printf("WALLET_TEST_SEED=%llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
