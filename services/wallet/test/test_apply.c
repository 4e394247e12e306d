/* The rules of the wallet as tables: one row per case, at least one case per refusal. */
#include "services/wallet/adapters/wallet_ops.h"
#include "services/wallet/core/wallet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define EUR 978
#define GAME 5
#define NOW 1000000

static const struct wallet_tally tallies[] = {
	{ .id = 1, .pool = 1, .game = GAME, .currency = EUR, .closed = true },
	{ .id = 2, .pool = 1, .game = GAME, .currency = EUR },
	{ .id = 3, .pool = 2, .game = GAME, .currency = EUR },
};

static struct wallet_rules rules_of(uint32_t stopped)
{
	return (struct wallet_rules){ .tallies = tallies,
		.tallies_n = 3,
		.stopped = { stopped },
		.stopped_n = stopped == UINT32_MAX ? 0 : 1,
		.stake_max = 50000,
		.outside_max = 1000000 };
}

static struct wallet_account account_of(int64_t balance, int64_t pending)
{
	struct wallet_account account = { .player = (INT64_C(1) << 48) + 7,
		.exists = true,
		.currency = EUR,
		.balance = { balance },
		.last_move = 4,
		.last_seq = 90 };

	if (pending > 0) {
		account.pendings_n = 1;
		account.pendings[0] = (struct wallet_pending){ GAME, 3, { pending } };
	}
	return account;
}

/* A case of a move, with the account before it. */
struct move_case {
	const char *what;
	int64_t balance, pending;
	uint64_t move;
	uint32_t kind;
	uint64_t round;
	int64_t pending_before, release, stake, win_balance, win_pending, forfeit;
	uint32_t pool;
	uint64_t not_after;
	uint32_t status, refusal;
	int64_t balance_after, pending_after, amount;
};

#define BIG (WALLET_AMOUNT_MAX + 1)
#define BET WALLET_KIND_BET
#define GAMBLE WALLET_KIND_GAMBLE
#define REFUSED(x) WALLET_BOOKED, WALLET_REFUSAL_##x
#define OK WALLET_BOOKED, 0

static const struct move_case move_cases[] = {
	/* what, balance, pending, move, kind, round, before, release, stake, win b, win p, forfeit,
	   pool, not_after, result, after */
	{ "a bet that loses", 100, 0, 5, BET, 5, 0, 0, 30, 0, 0, 0, 1, 0, OK, 70, 0, 0 },
	{ "a bet that wins at once", 100, 0, 5, BET, 5, 0, 0, 30, 45, 0, 0, 1, 0, OK, 115, 0, 0 },
	{ "a bet that wins into pending", 100, 0, 5, BET, 5, 0, 0, 30, 0, 45, 0, 1, 0, OK, 70, 45,
		0 },
	{ "a bet collects first", 10, 45, 5, BET, 5, 45, 45, 50, 0, 20, 0, 1, 0, OK, 5, 20, 0 },
	{ "the whole balance", 100, 0, 5, BET, 5, 0, 0, 100, 0, 0, 0, 1, 0, OK, 0, 0, 0 },
	{ "no pool", 100, 0, 5, BET, 5, 0, 0, 30, 0, 0, 0, 0, 0, OK, 70, 0, 0 },
	{ "in time to the microsecond", 100, 0, 5, BET, 5, 0, 0, 30, 0, 0, 0, 1, NOW, OK, 70, 0,
		0 },
	{ "a gamble won", 0, 45, 5, GAMBLE, 3, 45, 0, 0, 0, 45, 0, 0, 0, OK, 0, 90, 0 },
	{ "a gamble lost", 0, 45, 5, GAMBLE, 3, 45, 0, 0, 0, 0, 45, 0, 0, OK, 0, 0, 0 },
	{ "the last gamble won, paid at once", 0, 45, 5, GAMBLE, 3, 45, 45, 0, 45, 0, 0, 0, 0, OK,
		90, 0, 0 },
	{ "half is collected", 0, 45, 5, WALLET_KIND_HALVE, 3, 45, 22, 0, 0, 0, 0, 0, 0, OK, 22, 23,
		0 },
	{ "part released", 1, 45, 5, WALLET_KIND_RELEASE, 3, 45, 40, 0, 0, 0, 0, 0, 0, OK, 41, 5,
		0 },
	{ "collected", 1, 45, 5, WALLET_KIND_COLLECT, 3, 45, 45, 0, 0, 0, 0, 0, 0, OK, 46, 0, 0 },
	{ "nothing to collect", 1, 0, 5, WALLET_KIND_COLLECT, 3, 0, 0, 0, 0, 0, 0, 0, 0, OK, 1, 0,
		0 },
	{ "a setting beside pending", 1, 45, 5, WALLET_KIND_SETTING, 0, 0, 0, 0, 0, 0, 0, 0, 0, OK,
		1, 45, 0 },
	{ "a void returns the stake", 10, 45, 5, WALLET_KIND_VOID, 3, 45, 0, 0, 30, 0, 45, 0, 0, OK,
		40, 0, 0 },
	{ "a void takes the win back", 50, 0, 5, WALLET_KIND_VOID, 3, 0, 0, 45, 30, 0, 0, 0, 0, OK,
		35, 0, 0 },
	{ "clawback stops at 0", 5, 0, 5, WALLET_KIND_VOID, 3, 0, 0, 45, 30, 0, 0, 0, 0, OK, 0, 0,
		10 },

	{ "a spent move number", 100, 0, 4, BET, 4, 0, 0, 30, 0, 0, 0, 1, 0, WALLET_SPENT, 0, 0, 0,
		0 },
	{ "opening again", 100, 0, 0, WALLET_KIND_OPEN, 0, 0, 0, 0, 0, 0, 0, 0, 0, WALLET_SPENT, 0,
		0, 0, 0 },
	{ "too far ahead", 100, 0, 6, BET, 6, 0, 0, 30, 0, 0, 0, 1, 0, WALLET_AHEAD, 0, 0, 0, 0 },
	{ "far too far ahead", 100, 0, UINT64_MAX, BET, 6, 0, 0, 30, 0, 0, 0, 1, 0, WALLET_AHEAD, 0,
		0, 0, 0 },

	{ "one minor unit too little", 29, 0, 5, BET, 5, 0, 0, 30, 0, 0, 0, 1, 0, REFUSED(FUNDS),
		29, 0, 0 },
	{ "a win does not pay its stake", 29, 0, 5, BET, 5, 0, 0, 30, 1000, 0, 0, 1, 0,
		REFUSED(FUNDS), 29, 0, 0 },
	{ "pending stays when refused", 4, 45, 5, BET, 5, 45, 45, 50, 0, 0, 0, 1, 0, REFUSED(FUNDS),
		4, 45, 0 },
	{ "above the largest stake", 100000, 0, 5, BET, 5, 0, 0, 50001, 0, 0, 0, 1, 0,
		REFUSED(LIMIT), 100000, 0, 0 },
	{ "past not_after", 100, 0, 5, BET, 5, 0, 0, 30, 0, 0, 0, 1, NOW - 1, REFUSED(LATE), 100, 0,
		0 },
	{ "pending is larger than expected", 1, 45, 5, WALLET_KIND_COLLECT, 3, 44, 44, 0, 0, 0, 0,
		0, 0, REFUSED(PENDING), 1, 45, 0 },
	{ "pending of another round", 1, 45, 5, WALLET_KIND_COLLECT, 2, 45, 45, 0, 0, 0, 0, 0, 0,
		REFUSED(PENDING), 1, 45, 0 },
	{ "releases more than pending", 1, 45, 5, WALLET_KIND_COLLECT, 3, 45, 46, 0, 0, 0, 0, 0, 0,
		REFUSED(PENDING), 1, 45, 0 },
	{ "forfeits more than pending", 1, 45, 5, GAMBLE, 3, 45, 1, 0, 0, 0, 45, 0, 0,
		REFUSED(PENDING), 1, 45, 0 },
	{ "a gamble without pending", 1, 0, 5, GAMBLE, 3, 0, 0, 0, 0, 10, 0, 0, 0, REFUSED(PENDING),
		1, 0, 0 },
	{ "a bet that releases only a part of pending", 100, 45, 5, BET, 5, 45, 44, 30, 0, 0, 0, 1,
		0, REFUSED(PENDING), 100, 45, 0 },
	{ "a bet names another round", 100, 0, 5, BET, 4, 0, 0, 30, 0, 0, 0, 1, 0, REFUSED(PENDING),
		100, 0, 0 },
	{ "the account exists", 100, 0, 5, WALLET_KIND_OPEN, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		REFUSED(ACCOUNT), 100, 0, 0 },
	{ "a pool without a tally", 100, 0, 5, BET, 5, 0, 0, 30, 0, 0, 0, 9, 0, REFUSED(TALLY), 100,
		0, 0 },
	{ "a kind of a later version", 100, 0, 5, 9, 5, 0, 0, 0, 0, 0, 0, 0, 0, REFUSED(KIND), 100,
		0, 0 },
	{ "no kind", 100, 0, 5, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, REFUSED(KIND), 100, 0, 0 },
	{ "a deposit is no move", 100, 0, 5, WALLET_KIND_DEPOSIT, 5, 0, 0, 0, 0, 0, 0, 0, 0,
		REFUSED(KIND), 100, 0, 0 },
	{ "no stake", 100, 0, 5, BET, 5, 0, 0, 0, 0, 0, 0, 1, 0, REFUSED(AMOUNT), 100, 0, 0 },
	{ "a negative stake", 100, 0, 5, BET, 5, 0, 0, -30, 0, 0, 0, 1, 0, REFUSED(AMOUNT), 100, 0,
		0 },
	{ "a negative win", 100, 0, 5, BET, 5, 0, 0, 30, -1, 0, 0, 1, 0, REFUSED(AMOUNT), 100, 0,
		0 },
	{ "a huge win", 100, 0, 5, BET, 5, 0, 0, 30, 0, BIG, 0, 1, 0, REFUSED(AMOUNT), 100, 0, 0 },
	{ "INT64_MIN", 100, 0, 5, BET, 5, 0, INT64_MIN, 30, 0, 0, 0, 1, 0, REFUSED(AMOUNT), 100, 0,
		0 },
	{ "INT64_MAX", 100, 0, 5, BET, 5, 0, 0, INT64_MAX, 0, 0, 0, 1, 0, REFUSED(AMOUNT), 100, 0,
		0 },
	{ "a bet forfeits", 100, 45, 5, BET, 5, 45, 0, 30, 0, 0, 45, 1, 0, REFUSED(AMOUNT), 100, 45,
		0 },
	{ "a collect with a win", 1, 45, 5, WALLET_KIND_COLLECT, 3, 45, 45, 0, 9, 0, 0, 0, 0,
		REFUSED(AMOUNT), 1, 45, 0 },
	{ "a gamble with a stake", 100, 45, 5, GAMBLE, 3, 45, 0, 9, 0, 0, 0, 0, 0, REFUSED(AMOUNT),
		100, 45, 0 },
	{ "a setting with money", 1, 0, 5, WALLET_KIND_SETTING, 0, 0, 0, 0, 1, 0, 0, 0, 0,
		REFUSED(AMOUNT), 1, 0, 0 },
	{ "a full account", WALLET_BALANCE_MAX, 1, 5, WALLET_KIND_COLLECT, 3, 1, 1, 0, 0, 0, 0, 0,
		0, REFUSED(LIMIT), WALLET_BALANCE_MAX, 1, 0 },
};

static struct wallet_proposal proposal_of(const struct move_case *c)
{
	return (struct wallet_proposal){ .move = c->move,
		.round = c->round,
		.game = c->kind == WALLET_KIND_OPEN ? 0 : GAME,
		.kind = c->kind,
		.currency = EUR,
		.pending_before = c->pending_before,
		.release = c->release,
		.stake = c->stake,
		.win_balance = c->win_balance,
		.win_pending = c->win_pending,
		.forfeit = c->forfeit,
		.pools = { c->pool },
		.pools_n = c->pool != 0,
		.not_after_us = c->not_after };
}

static int64_t legs_sum(const struct wallet_row *row)
{
	struct wallet_leg legs[WALLET_LEGS_MAX];
	size_t n = wallet_row_legs(row, legs);
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += legs[i].amount;
	return sum;
}

static void check_move(const struct move_case *c)
{
	struct wallet_rules rules = rules_of(UINT32_MAX);
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };
	struct wallet_account account = account_of(c->balance, c->pending);
	const struct wallet_account before = account;
	struct wallet_proposal proposal = proposal_of(c);
	struct wallet_row row;
	enum wallet_status status = wallet_apply_proposal(&account, &proposal, &moment, &row);

	if (status != c->status)
		fail_msg("%s: status %d, expected %u", c->what, (int)status, c->status);
	if (status != WALLET_BOOKED) {
		assert_memory_equal(&account, &before, sizeof(account));
		return;
	}
	if (row.refusal != c->refusal || row.balance_after != c->balance_after ||
		(row.kind != WALLET_KIND_OPEN && row.pending_after != c->pending_after) ||
		row.amount != c->amount)
		fail_msg("%s: refusal %u, balance %lld, pending %lld, amount %lld", c->what,
			row.refusal, (long long)row.balance_after, (long long)row.pending_after,
			(long long)row.amount);
	assert_int_equal(account.last_move, 5);
	assert_int_equal(account.last_seq, 91);
	assert_int_equal(row.prev_seq, 90);
	assert_int_equal(account.balance.minor, c->balance_after);
	assert_int_equal(wallet_account_pending(&account, GAME).amount.minor, c->pending_after);
	assert_int_equal(row.tallies_n, row.refusal == 0 && c->pool != 0);
	assert_int_equal(legs_sum(&row), 0);
}

/* RULE witch-feature 8.2: the balance after each move shows what it won or lost. The rows of voids:
 * RULE bewitched 1.8; RULE mona-lisa 1.8; RULE mystic-gem 1.6; RULE mystery-elves 1.5; RULE
 * witch-feature 1.5 */
static void test_proposal_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(move_cases) / sizeof(move_cases[0]); i++)
		check_move(&move_cases[i]);
}

static const struct move_case plain_bet = { "bet", 100, 0, 5, BET, 5, 0, 0, 30, 0, 0, 0, 1, 0, OK,
	70, 0, 0 };

static void test_proposal_blocked_and_stopped(void **state)
{
	static const struct {
		bool blocked;
		uint32_t stopped, kind, refusal;
	} cases[] = {
		{ true, UINT32_MAX, BET, WALLET_REFUSAL_BLOCKED },
		{ false, 0, BET, WALLET_REFUSAL_BLOCKED },
		{ false, GAME, BET, WALLET_REFUSAL_BLOCKED },
		{ false, GAME + 1, BET, 0 },
		{ true, 0, WALLET_KIND_COLLECT, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wallet_rules rules = rules_of(cases[i].stopped);
		struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };
		struct wallet_account account = account_of(100, 0);
		struct wallet_proposal proposal = proposal_of(&plain_bet);
		struct wallet_row row;

		account.blocked = cases[i].blocked;
		proposal.kind = cases[i].kind;
		if (cases[i].kind != BET)
			proposal.stake = 0;
		assert_int_equal(
			wallet_apply_proposal(&account, &proposal, &moment, &row), WALLET_BOOKED);
		assert_int_equal(row.refusal, cases[i].refusal);
	}
}

/* At each limit, one minor unit below and above: a limit is of one currency, whatever its digits.
 */
static void test_largest_stake_is_of_the_currency(void **state)
{
	static const struct {
		const char *code;
		uint32_t number;
		int64_t most;
	} cases[] = { { "EUR", EUR, 50000 }, { "JPY", 392, 150000000 }, { "KWD", 414, 300000000 },
		{ "XBT", 1001, 1500000000 }, { "ETH", 1002, INT64_C(500000000000) } };
	struct wallet_rules rules = rules_of(UINT32_MAX);
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };

	(void)state;
	assert_true(wallet_stake_max_read(
		&rules, "JPY:150000000,KWD:300000000,XBT:1500000000,ETH:500000000000"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int64_t over = -1; over <= 1; over++) {
			struct wallet_account account = account_of(INT64_C(1000000000000), 0);
			struct wallet_proposal proposal = proposal_of(&plain_bet);
			struct wallet_row row;
			account.currency = proposal.currency = cases[i].number;
			proposal.stake = cases[i].most + over;
			proposal.win_balance = proposal.win_pending = 0;
			proposal.pools_n = 0;
			assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row),
				WALLET_BOOKED);
			assert_int_equal(
				row.refusal, over > 0 ? WALLET_REFUSAL_LIMIT : WALLET_REFUSAL_NONE);
		}
}

static void test_largest_stakes_by_currency_are_read(void **state)
{
	static const char *const bad[] = { "EUR", "EUR:", "EUR:0", "EUR:-1", "EUR:1,", "EUR:1;",
		"QQQ:1", "EUR:1,EUR:2", "eur:1", "EUR:99999999999999999999", ":1", "EURO:1",
		"EUR:1 ,SEK:2", "EUR:01" };
	struct wallet_rules rules = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (wallet_stake_max_read(&rules, bad[i]))
			fail_msg("'%s' was accepted", bad[i]);
	assert_true(wallet_stake_max_read(&rules, ""));
	assert_int_equal(rules.stake_max_n, 0);
	assert_true(wallet_stake_max_read(&rules, "EUR:1,USDT:9000000000000"));
	assert_int_equal(rules.stake_max_n, 2);
	assert_int_equal(rules.stake_max_of[1].currency, 1005);
	assert_int_equal(rules.stake_max_of[1].amount, INT64_C(9000000000000));
}

static void test_largest_deposits_by_operator_are_read(void **state)
{
	static const char *const bad[] = { "1", "1=", "1=EUR", "1=EUR:", "1=EUR:-1", "0=EUR:1",
		"1=QQQ:1", "1=EURO:1", "1=eur:1", "1=EUR:1,", "1=EUR:1;", "=EUR:1", "65536=EUR:1",
		"1=EUR:99999999999999999999", "1=EUR:1000000000000001", " 1=EUR:1" };
	struct wallet_rules rules = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (wallet_deposit_max_read(&rules, bad[i]))
			fail_msg("'%s' was accepted", bad[i]);
	assert_true(wallet_deposit_max_read(&rules, ""));
	assert_int_equal(rules.deposit_max_n, 0);
	assert_true(wallet_deposit_max_read(&rules, "1=USDT:5,7=SEK:0"));
	assert_int_equal(rules.deposit_max_n, 2);
	assert_int_equal(rules.deposit_max[0].operator_id, 1);
	assert_int_equal(rules.deposit_max[0].currency, 1005);
	assert_int_equal(rules.deposit_max[0].amount, 5);
	assert_int_equal(rules.deposit_max[1].currency, 752);
}

/* A currency without a limit of its own: as much as is worth about the limit in euros. */
static void test_largest_stake_of_other_currencies_is_of_the_worth(void **state)
{
	static const struct {
		uint32_t number;
		int64_t most;
	} cases[] = { { EUR, 50000 }, { 752, 500000 }, { 392, 85000 }, { 414, 175000 },
		{ 1005, INT64_C(500000000) }, { 1001, 500000 } };
	struct wallet_rules rules = rules_of(UINT32_MAX);
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int64_t over = 0; over <= 1; over++) {
			struct wallet_account account = account_of(INT64_C(1000000000000), 0);
			struct wallet_proposal proposal = proposal_of(&plain_bet);
			struct wallet_row row;
			account.currency = proposal.currency = cases[i].number;
			proposal.stake = cases[i].most + over;
			proposal.win_balance = proposal.win_pending = 0;
			proposal.pools_n = 0;
			assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row),
				WALLET_BOOKED);
			assert_int_equal(
				row.refusal, over > 0 ? WALLET_REFUSAL_LIMIT : WALLET_REFUSAL_NONE);
		}
}

/* The check for room must not depend on whether the round wins. */
static void test_proposal_needs_room_for_pending(void **state)
{
	struct wallet_rules rules = rules_of(UINT32_MAX);
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };

	(void)state;
	for (int64_t win = 0; win <= 10; win += 10) {
		struct wallet_account account = account_of(100, 0);
		struct wallet_proposal proposal = proposal_of(&plain_bet);
		struct wallet_row row;

		account.pendings_n = WALLET_PENDINGS_MAX;
		for (uint32_t i = 0; i < WALLET_PENDINGS_MAX; i++)
			account.pendings[i] = (struct wallet_pending){ 100 + i, 1, { 5 } };
		proposal.win_pending = win;
		assert_int_equal(
			wallet_apply_proposal(&account, &proposal, &moment, &row), WALLET_BOOKED);
		assert_int_equal(row.refusal, WALLET_REFUSAL_LIMIT);
	}
}

static void test_proposal_tallies_and_claims(void **state)
{
	struct wallet_rules rules = rules_of(UINT32_MAX);
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };
	struct wallet_claim claims[2] = { { 1, 1, 1, 20, 30 }, { 2, 2, 2, 20, 30 } };
	struct wallet_account account = account_of(100, 0);
	struct wallet_proposal proposal = proposal_of(&plain_bet);
	struct wallet_row row;

	(void)state;
	proposal.pools[0] = 2;
	proposal.pools[1] = 1;
	proposal.pools_n = 2;
	proposal.claims = claims;
	proposal.claims_n = 2;
	assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.refusal, 0);
	assert_int_equal(row.tallies_n, 2);
	assert_int_equal(row.tallies[0], 3);
	assert_int_equal(row.tallies[1], 2); /* the open one, not the closed one */
	assert_int_equal(row.claims_n, 2);

	/* The same pool twice; then claims out of order. Refused rows open no claims and add to no
	 * tally. */
	proposal.move = proposal.round = 6;
	proposal.pools[1] = 2;
	assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.refusal, WALLET_REFUSAL_TALLY);
	assert_int_equal(row.tallies_n + row.claims_n, 0);
	proposal.move = proposal.round = 7;
	proposal.pools_n = 1;
	claims[1].index = 1;
	assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.refusal, WALLET_REFUSAL_CLAIM);
	assert_int_equal(account.last_move, 7);
}

/* Voiding a past round while another is open: pending stays with the open round, and the legs
 * change only the balance. A round is voided once. */
static void test_proposal_voids_past_rounds(void **state)
{
	static const struct {
		int64_t balance, stake, back, balance_after, receivable;
	} cases[] = { { 100, 0, 30, 130, 0 }, { 100, 45, 30, 85, 0 }, { 5, 45, 30, 0, 10 },
		{ 0, 0, 0, 0, 0 } };
	struct wallet_rules rules = rules_of(UINT32_MAX);
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wallet_account account = account_of(cases[i].balance, 45);
		struct wallet_proposal proposal = { .move = 5,
			.round = 1,
			.game = GAME,
			.kind = WALLET_KIND_VOID,
			.pending_before = 45,
			.stake = cases[i].stake,
			.win_balance = cases[i].back };
		struct wallet_account before = account;
		struct wallet_leg legs[WALLET_LEGS_MAX];
		struct wallet_row row;
		int64_t sum = 0;

		assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), 0);
		assert_int_equal(row.refusal, WALLET_REFUSAL_NONE);
		assert_int_equal(account.balance.minor, cases[i].balance_after);
		assert_int_equal(row.amount, cases[i].receivable);
		assert_int_equal(row.pending_after, 45);
		assert_int_equal(wallet_account_pending(&account, GAME).round, 3);
		assert_int_equal(wallet_account_pending(&account, GAME).amount.minor, 45);
		wallet_account_roll(&before, &row);
		assert_int_equal(wallet_account_pending(&before, GAME).round, 3);
		for (size_t j = 0, n = wallet_row_legs(&row, legs); j < n; j++)
			sum += legs[j].amount;
		assert_int_equal(sum, 0);

		proposal.move = 6;
		moment.voided = true;
		assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), 0);
		assert_int_equal(row.refusal, WALLET_REFUSAL_VOIDED);
		assert_int_equal(account.balance.minor, cases[i].balance_after);
		moment.voided = false;
		moment.claim_open = true;
		proposal.move = 7;
		assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), 0);
		assert_int_equal(row.refusal, WALLET_REFUSAL_CLAIM_OPEN);
		assert_int_equal(account.balance.minor, cases[i].balance_after);
		moment.claim_open = false;
		proposal.move = 8;
		proposal.stake += 40000;
		proposal.awards = 40000; /* another sum than the round's jackpots */
		moment.awards = 39999;
		assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), 0);
		assert_int_equal(row.refusal, WALLET_REFUSAL_AMOUNT);
		assert_int_equal(account.balance.minor, cases[i].balance_after);
		moment.awards = 40000;
		proposal.move = 9;
		assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), 0);
		assert_int_equal(row.refusal, WALLET_REFUSAL_NONE);
		assert_int_equal(row.awards, 40000);
		assert_int_equal(account.balance.minor, 0);
		assert_int_equal(row.stake + row.amount, cases[i].stake + 40000);
		proposal.awards = proposal.stake = 0;
		proposal.move = proposal.round = 10; /* of the open round itself */
		assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), 0);
		assert_int_equal(row.refusal, WALLET_REFUSAL_PENDING);
	}
}

/* The rate of the fed tally counts: a stake that feeds no pool needs no rate. */
static void test_stale_rates_refuse_stakes_that_feed(void **state)
{
	struct wallet_rules rules = rules_of(UINT32_MAX);
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };
	struct wallet_account account = account_of(100, 0);
	struct wallet_proposal proposal = proposal_of(&plain_bet);
	struct wallet_row row;

	(void)state;
	rules.stale[rules.stale_n++] = 3; /* another pool's tally in the same currency */
	proposal.pools[0] = 1;
	proposal.pools_n = 1;
	assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.refusal, WALLET_REFUSAL_NONE);
	rules.stale[rules.stale_n++] = 2;
	proposal.move = proposal.round = 6;
	assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.refusal, WALLET_REFUSAL_RATE);
	assert_int_equal(row.tallies_n, 0);
	proposal.move = proposal.round = 7;
	proposal.pools_n = 0;
	assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.refusal, WALLET_REFUSAL_NONE);
}

static void test_opening_table(void **state)
{
	static const struct {
		uint64_t move;
		uint32_t kind, currency;
		int64_t stake;
		uint32_t status, refusal;
	} cases[] = {
		{ 0, WALLET_KIND_OPEN, EUR, 0, OK },
		{ 0, WALLET_KIND_OPEN, 0, 0, REFUSED(ACCOUNT) },
		{ 0, WALLET_KIND_OPEN, EUR, 5, REFUSED(AMOUNT) },
		{ 1, WALLET_KIND_OPEN, EUR, 0, WALLET_AHEAD, 0 },
		{ 1, BET, EUR, 5, WALLET_AHEAD, 0 },
		{ 0, BET, EUR, 5, WALLET_AHEAD, 0 },
	};
	struct wallet_rules rules = rules_of(UINT32_MAX);
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wallet_account account = { .player = 7 };
		struct wallet_proposal proposal = { .move = cases[i].move,
			.kind = cases[i].kind,
			.currency = cases[i].currency,
			.stake = cases[i].stake };
		struct wallet_row row;
		bool opened;

		assert_int_equal(
			wallet_apply_proposal(&account, &proposal, &moment, &row), cases[i].status);
		if (cases[i].status != WALLET_BOOKED)
			continue;
		assert_int_equal(row.refusal, cases[i].refusal);
		opened = cases[i].refusal == 0;
		assert_int_equal(account.exists, opened);
		assert_int_equal(account.last_seq, opened ? 91 : 0);
		assert_int_equal(row.currency, cases[i].currency);
	}
}

static const struct outside_case {
	const char *what;
	bool exists;
	uint32_t kind, currency;
	int64_t balance, amount;
	char known; /* '-' new, '=' the same content, '#' other content, '~' the former hash */
	uint32_t status, refusal;
	int64_t balance_after;
	bool keeps;
} outside_cases[] = {
	{ "deposit", true, WALLET_KIND_DEPOSIT, EUR, 5, 100, '-', OK, 105, true },
	{ "withdrawal of all", true, WALLET_KIND_WITHDRAWAL, EUR, 100, 100, '-', OK, 0, true },
	{ "grant", true, WALLET_KIND_GRANT, EUR, 5, 100, '-', OK, 105, true },
	{ "correction up", true, WALLET_KIND_CORRECTION, EUR, 5, 100, '-', OK, 105, true },
	{ "correction down", true, WALLET_KIND_CORRECTION, EUR, 5, -5, '-', OK, 0, true },
	{ "again", true, WALLET_KIND_DEPOSIT, EUR, 5, 100, '=', WALLET_SPENT, 0, 5, true },
	{ "different content", true, WALLET_KIND_DEPOSIT, EUR, 5, 100, '#', REFUSED(CONTENT), 5,
		false },
	{ "a withdrawal of the former kind, retried", true, WALLET_KIND_HOLD, EUR, 5, 100, '~',
		WALLET_SPENT, 0, 5, true },
	{ "a different withdrawal of the former kind", true, WALLET_KIND_HOLD, EUR, 5, 100, '#',
		REFUSED(CONTENT), 5, false },
	{ "nobody", false, WALLET_KIND_DEPOSIT, EUR, 0, 100, '-', REFUSED(ACCOUNT), 0, false },
	{ "a block without an account", false, WALLET_KIND_BLOCK, EUR, 0, 1, '-', REFUSED(ACCOUNT),
		0, false },
	{ "another currency", true, WALLET_KIND_DEPOSIT, 752, 5, 100, '-', REFUSED(ACCOUNT), 5,
		true },
	{ "a withdrawal above the balance", true, WALLET_KIND_WITHDRAWAL, EUR, 99, 100, '-',
		REFUSED(FUNDS), 99, true },
	{ "correction below 0", true, WALLET_KIND_CORRECTION, EUR, 5, -6, '-', REFUSED(FUNDS), 5,
		true },
	{ "nothing", true, WALLET_KIND_DEPOSIT, EUR, 5, 0, '-', REFUSED(AMOUNT), 5, true },
	{ "a negative amount", true, WALLET_KIND_DEPOSIT, EUR, 5, -1, '-', REFUSED(AMOUNT), 5,
		true },
	{ "INT64_MIN", true, WALLET_KIND_WITHDRAWAL, EUR, 5, INT64_MIN, '-', REFUSED(AMOUNT), 5,
		true },
	{ "above the limit", true, WALLET_KIND_DEPOSIT, EUR, 5, 1000001, '-', REFUSED(LIMIT), 5,
		true },
	{ "below the limit", true, WALLET_KIND_CORRECTION, EUR, 5, -1000001, '-', REFUSED(LIMIT), 5,
		true },
	{ "a full account", true, WALLET_KIND_DEPOSIT, EUR, WALLET_BALANCE_MAX, 1, '-',
		REFUSED(LIMIT), WALLET_BALANCE_MAX, true },
	{ "no kind", true, 0, EUR, 5, 100, '-', REFUSED(KIND), 5, true },
	{ "an award is not outside money", true, WALLET_KIND_AWARD, EUR, 5, 100, '-', REFUSED(KIND),
		5, true },
	{ "a bet is no deposit", true, BET, EUR, 5, 100, '-', REFUSED(KIND), 5, true },
	{ "block", true, WALLET_KIND_BLOCK, 0, 5, 1, '-', OK, 5, true },
	{ "a block that is neither 0 nor 1", true, WALLET_KIND_BLOCK, 0, 5, 2, '-', REFUSED(AMOUNT),
		5, true },
};

static void check_outside(const struct outside_case *c)
{
	struct wallet_rules rules = rules_of(UINT32_MAX);
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };
	struct wallet_account account = account_of(c->balance, 40);
	struct wallet_outside outside = { .kind = c->kind,
		.currency = c->currency,
		.id = { 1, 2, 3 },
		.content_hash = { 9 },
		.amount = c->amount };
	struct wallet_known_id known = { .content_hash = { 9 }, .player = account.player };
	struct wallet_row row;
	enum wallet_status status;

	if (!c->exists)
		account = (struct wallet_account){ .player = account.player };
	if (c->known == '#')
		known.content_hash[0] = 8;
	outside.former = c->kind == WALLET_KIND_HOLD;
	outside.former_hash[0] = 7;
	if (c->known == '~')
		known.content_hash[0] = 7;
	status = wallet_apply_outside(
		&account, &outside, c->known == '-' ? NULL : &known, &moment, &row);
	if (status != c->status || account.balance.minor != c->balance_after)
		fail_msg("%s: status %d, balance %lld", c->what, (int)status,
			(long long)account.balance.minor);
	if (status != WALLET_BOOKED)
		return;
	if (row.refusal != c->refusal || wallet_outside_keeps_id(&row) != c->keeps)
		fail_msg("%s: refusal %u", c->what, row.refusal);
	assert_int_equal(row.move, 0);
	assert_int_equal(legs_sum(&row), 0);
	if (c->exists) {
		assert_int_equal(account.last_move, 4);
		assert_int_equal(account.last_seq, 91);
		assert_int_equal(account.blocked,
			c->kind == WALLET_KIND_BLOCK && c->refusal == 0 && c->amount == 1);
		assert_int_equal(wallet_account_pending(&account, GAME).amount.minor, 40);
	}
}

static void test_outside_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(outside_cases) / sizeof(outside_cases[0]); i++)
		check_outside(&outside_cases[i]);
}

/* An id that another player has used is different content, even with the same hash. */
static void test_outside_id_of_another_player(void **state)
{
	struct wallet_rules rules = rules_of(UINT32_MAX);
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };
	struct wallet_account account = account_of(5, 0);
	struct wallet_outside outside = {
		.kind = WALLET_KIND_DEPOSIT, .currency = EUR, .amount = 100
	};
	struct wallet_known_id known = { .player = account.player + 1 };
	struct wallet_row row;

	(void)state;
	assert_int_equal(
		wallet_apply_outside(&account, &outside, &known, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.refusal, WALLET_REFUSAL_CONTENT);
	assert_int_equal(account.balance.minor, 5);
}

static void test_award_table(void **state)
{
	static const struct {
		const char *what;
		bool exists;
		uint32_t claim, pool, currency;
		int64_t paid;
		uint32_t status, refusal;
		int64_t balance_after;
	} cases[] = {
		{ "paid", true, WALLET_CLAIM_OPEN, 1, EUR, 4000, OK, 4005 },
		{ "an award of 0 closes its claim", true, WALLET_CLAIM_OPEN, 1, EUR, 0, OK, 5 },
		{ "a paid claim", true, WALLET_CLAIM_PAID, 1, EUR, 4000, WALLET_CLOSED, 0, 5 },
		{ "an unknown claim", true, WALLET_CLAIM_UNKNOWN, 1, EUR, 4000, REFUSED(CLAIM), 5 },
		{ "another pool's", true, WALLET_CLAIM_OPEN, 2, EUR, 4000, REFUSED(CLAIM), 5 },
		{ "another currency", true, WALLET_CLAIM_OPEN, 1, 752, 4000, REFUSED(ACCOUNT), 5 },
		{ "nobody", false, WALLET_CLAIM_UNKNOWN, 1, EUR, 4000, REFUSED(ACCOUNT), 0 },
		{ "negative", true, WALLET_CLAIM_OPEN, 1, EUR, -1, REFUSED(AMOUNT), 5 },
		{ "huge", true, WALLET_CLAIM_OPEN, 1, EUR, BIG, REFUSED(AMOUNT), 5 },
	};
	struct wallet_rules rules = rules_of(0);
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wallet_account account = account_of(5, 0);
		struct wallet_award award = { 3, 1, cases[i].pool, cases[i].currency, cases[i].paid,
			17 };
		struct wallet_claim_view claim = { cases[i].claim, 1, EUR };
		struct wallet_row row = { 0 };
		enum wallet_status status;

		account.blocked = true; /* an award is paid, blocked or not */
		if (!cases[i].exists)
			account = (struct wallet_account){ .player = 7 };
		status = wallet_apply_award(&account, &award, &claim, &moment, &row);
		if (status != cases[i].status || row.refusal != cases[i].refusal ||
			account.balance.minor != cases[i].balance_after)
			fail_msg("%s: status %d, refusal %u, balance %lld", cases[i].what,
				(int)status, row.refusal, (long long)account.balance.minor);
		if (status == WALLET_BOOKED)
			assert_int_equal(legs_sum(&row), 0);
	}
}

static void test_unknown_command_is_a_refused_row(void **state)
{
	struct wallet_rules rules = rules_of(UINT32_MAX);
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };
	struct wallet_account account = account_of(5, 0);
	struct wallet_row row;

	(void)state;
	wallet_apply_unknown(&account, &moment, &row);
	assert_int_equal(row.refusal, WALLET_REFUSAL_KIND);
	assert_int_equal(row.balance_after, 5);
	assert_int_equal(account.last_move, 4);
	assert_int_equal(account.last_seq, 91);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proposal_table),
		cmocka_unit_test(test_proposal_blocked_and_stopped),
		cmocka_unit_test(test_largest_stake_is_of_the_currency),
		cmocka_unit_test(test_largest_stakes_by_currency_are_read),
		cmocka_unit_test(test_largest_deposits_by_operator_are_read),
		cmocka_unit_test(test_largest_stake_of_other_currencies_is_of_the_worth),
		cmocka_unit_test(test_proposal_needs_room_for_pending),
		cmocka_unit_test(test_proposal_tallies_and_claims),
		cmocka_unit_test(test_stale_rates_refuse_stakes_that_feed),
		cmocka_unit_test(test_proposal_voids_past_rounds),
		cmocka_unit_test(test_opening_table),
		cmocka_unit_test(test_outside_table),
		cmocka_unit_test(test_outside_id_of_another_player),
		cmocka_unit_test(test_award_table),
		cmocka_unit_test(test_unknown_command_is_a_refused_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
