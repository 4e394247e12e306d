/* Bonus spins, as tables: what may be granted, what a bonus spin may do, and that no grant is
 * booked twice. */
#include "services/wallet/core/wallet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define EUR 978
#define SEK 752
#define GAME 5
#define NOW 1000000
#define PLAYER ((INT64_C(1) << 48) + 7)
#define BET WALLET_KIND_BET

static const struct wallet_tally tallies[] = { { 2, 1, GAME, EUR, false } };
static const struct wallet_rules rules = {
	.tallies = tallies, .tallies_n = 1, .stake_max = 50000, .outside_max = 1000000
};

static struct wallet_account account_of(int64_t balance, int64_t pending)
{
	struct wallet_account account = { .player = PLAYER,
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

static struct wallet_bonus_spins spins_of(uint32_t spins, uint32_t used)
{
	return (struct wallet_bonus_spins){ .id = { 9 },
		.player = PLAYER,
		.game = GAME,
		.currency = EUR,
		.coin_minor = 2,
		.lines = 40,
		.coins = 1,
		.spins = spins,
		.used = used,
		.expires_us = NOW };
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

/* A bet that names bonus spins. Fields that a case omits are valid. */
static const struct bet_case {
	const char *what;
	uint32_t refusal;
	int64_t balance, pending; /* before */
	int64_t stake, win_balance, win_pending;
	int64_t balance_after, pending_after;
	uint32_t pool, mode, claim_kind;
	int64_t claim_coin;
	uint32_t kind;			      /* 0: a bet */
	bool unknown, ended, others, blocked; /* others: another player's */
	uint32_t spins, used;		      /* spins 0: 3 */
	uint32_t game, currency;	      /* of the grant; 0: the bet's */
	uint64_t late_us;		      /* after its end */
} bets[] = {
	/* RULE mystic-gem 7.1: the balance is not reduced; the player gets the win */
	{ .what = "a spin that loses", .balance = 100, .balance_after = 100 },
	{ .what = "without any money", .balance = 0, .win_balance = 45, .balance_after = 45 },
	{ .what = "a win that may be gambled", .win_pending = 45, .pending_after = 45 },
	{ .what = "it collects first", .balance = 1, .pending = 30, .balance_after = 31 },
	{ .what = "the last spin of a grant", .used = 2, .balance_after = 0 },
	{ .what = "the last microsecond", .late_us = 0 },
	{ .what = "a progressive hit is a hit", .claim_kind = 1, .claim_coin = 2 },

	{ .what = "unknown", .refusal = WALLET_REFUSAL_BONUS_SPINS, .unknown = true },
	{ .what = "used up", .refusal = WALLET_REFUSAL_BONUS_SPINS, .used = 3 },
	{ .what = "expired", .refusal = WALLET_REFUSAL_BONUS_SPINS, .late_us = 1 },
	{ .what = "ended", .refusal = WALLET_REFUSAL_BONUS_SPINS, .ended = true },
	{ .what = "another player's", .refusal = WALLET_REFUSAL_BONUS_SPINS, .others = true },
	{ .what = "of another game", .refusal = WALLET_REFUSAL_BONUS_SPINS, .game = GAME + 1 },
	{ .what = "of another currency", .refusal = WALLET_REFUSAL_BONUS_SPINS, .currency = SEK },
	/* RULE mystic-gem 7.2: a bonus spin buys no mode */
	{ .what = "a bought mode", .refusal = WALLET_REFUSAL_BONUS_SPINS, .mode = 1 },
	{ .what = "a stake",
		.refusal = WALLET_REFUSAL_AMOUNT,
		.balance = 100,
		.stake = 80,
		.balance_after = 100 },
	/* RULE mystic-gem 7.4 */
	{ .what = "feeds a pool", .refusal = WALLET_REFUSAL_TALLY, .pool = 1 },
	/* RULE mystic-gem 7.3 */
	{ .what = "begins Jackpot Cards",
		.refusal = WALLET_REFUSAL_CLAIM,
		.claim_kind = 2,
		.claim_coin = 2 },
	{ .what = "a hit at another coin value",
		.refusal = WALLET_REFUSAL_CLAIM,
		.claim_kind = 1,
		.claim_coin = 100 },
	{ .what = "blocked", .refusal = WALLET_REFUSAL_BLOCKED, .blocked = true },
	{ .what = "a collect is not a bonus spin",
		.refusal = WALLET_REFUSAL_BONUS_SPINS,
		.kind = WALLET_KIND_COLLECT },
};

static void check_bet(const struct bet_case *c)
{
	struct wallet_bonus_spins spins = spins_of(3, c->used);
	struct wallet_moment moment = { .now_us = NOW + c->late_us, .seq = 91, .rules = &rules };
	struct wallet_account account = account_of(c->balance, c->pending);
	struct wallet_claim claim = { 1, 1, c->claim_kind, c->claim_coin, 0 };
	struct wallet_proposal proposal = { .move = 5,
		.round = 5,
		.game = GAME,
		.kind = c->kind == 0 ? BET : c->kind,
		.mode = c->mode,
		.pending_before = c->pending,
		.release = c->pending,
		.stake = c->stake,
		.win_balance = c->win_balance,
		.win_pending = c->win_pending,
		.pools = { c->pool },
		.pools_n = c->pool != 0,
		.claims = &claim,
		.claims_n = c->claim_kind != 0,
		.bonus = true,
		.bonus_spin = { 9 } };
	struct wallet_row row;

	account.blocked = c->blocked;
	spins.ended = c->ended;
	spins.player += c->others;
	spins.game = c->game ? c->game : GAME;
	spins.currency = c->currency ? c->currency : EUR;
	moment.spins = c->unknown ? NULL : &spins;
	assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), WALLET_BOOKED);
	if (row.refusal != c->refusal || account.balance.minor != c->balance_after ||
		row.pending_after != c->pending_after)
		fail_msg("%s: refusal %u, balance %lld, pending %lld", c->what, row.refusal,
			(long long)account.balance.minor, (long long)row.pending_after);
	assert_int_equal(row.tallies_n, 0);
	assert_int_equal(legs_sum(&row), 0);
	assert_int_equal(
		row.outside_id_length, WALLET_ID_BYTES); /* refused or not, the row names them */
	assert_int_equal(account.last_move, 5);
}

static void test_bonus_spins_bet_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bets) / sizeof(bets[0]); i++)
		check_bet(&bets[i]);
}

/* A bet without a stake that names no bonus spins is still refused. */
static void test_bonus_spins_bet_without_stake_names_them(void **state)
{
	struct wallet_moment moment = { .now_us = NOW, .seq = 91, .rules = &rules };
	struct wallet_account account = account_of(100, 0);
	struct wallet_proposal proposal = { .move = 5, .round = 5, .game = GAME, .kind = BET };
	struct wallet_row row;

	(void)state;
	assert_int_equal(wallet_apply_proposal(&account, &proposal, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.refusal, WALLET_REFUSAL_AMOUNT);
	assert_int_equal(row.outside_id_length, 0);
}

/* RULE mystic-gem 7.1: what an operator grants and takes back. */
static const struct bonus_spins_case {
	const char *what;
	uint32_t kind, refusal;
	int64_t amount, coin;
	uint32_t game, currency, lines, coins, spins, live;
	uint64_t expires;
	bool nobody, unknown, others, over; /* END: the grant that it names */
} bonus_spins_list[] = {
	{ "given", WALLET_KIND_BONUS_SPINS, 0, 0, 2, GAME, EUR, 40, 1, 10, 0, NOW + 1, 0, 0, 0, 0 },
	{ "the largest grant", WALLET_KIND_BONUS_SPINS, 0, 0, 2, GAME, EUR, 40, 1,
		WALLET_BONUS_SPINS_MAX, WALLET_BONUS_SPINS_LIVE_MAX - 1, NOW + 1, 0, 0, 0, 0 },
	{ "too many", WALLET_KIND_BONUS_SPINS, WALLET_REFUSAL_LIMIT, 0, 2, GAME, EUR, 40, 1,
		WALLET_BONUS_SPINS_MAX + 1, 0, NOW + 1, 0, 0, 0, 0 },
	{ "too many grants", WALLET_KIND_BONUS_SPINS, WALLET_REFUSAL_LIMIT, 0, 2, GAME, EUR, 40, 1,
		10, WALLET_BONUS_SPINS_LIVE_MAX, NOW + 1, 0, 0, 0, 0 },
	{ "expired already", WALLET_KIND_BONUS_SPINS, WALLET_REFUSAL_BONUS_SPINS, 0, 2, GAME, EUR,
		40, 1, 10, 0, NOW, 0, 0, 0, 0 },
	{ "a grant with money", WALLET_KIND_BONUS_SPINS, WALLET_REFUSAL_AMOUNT, 5, 2, GAME, EUR, 40,
		1, 10, 0, NOW + 1, 0, 0, 0, 0 },
	{ "none", WALLET_KIND_BONUS_SPINS, WALLET_REFUSAL_AMOUNT, 0, 2, GAME, EUR, 40, 1, 0, 0,
		NOW + 1, 0, 0, 0, 0 },
	{ "no coin value", WALLET_KIND_BONUS_SPINS, WALLET_REFUSAL_AMOUNT, 0, 0, GAME, EUR, 40, 1,
		10, 0, NOW + 1, 0, 0, 0, 0 },
	{ "a coin value below 0", WALLET_KIND_BONUS_SPINS, WALLET_REFUSAL_AMOUNT, 0, -2, GAME, EUR,
		40, 1, 10, 0, NOW + 1, 0, 0, 0, 0 },
	{ "no lines", WALLET_KIND_BONUS_SPINS, WALLET_REFUSAL_AMOUNT, 0, 2, GAME, EUR, 0, 1, 10, 0,
		NOW + 1, 0, 0, 0, 0 },
	{ "no coins", WALLET_KIND_BONUS_SPINS, WALLET_REFUSAL_AMOUNT, 0, 2, GAME, EUR, 40, 0, 10, 0,
		NOW + 1, 0, 0, 0, 0 },
	{ "no game", WALLET_KIND_BONUS_SPINS, WALLET_REFUSAL_AMOUNT, 0, 2, 0, EUR, 40, 1, 10, 0,
		NOW + 1, 0, 0, 0, 0 },
	{ "another currency", WALLET_KIND_BONUS_SPINS, WALLET_REFUSAL_ACCOUNT, 0, 2, GAME, SEK, 40,
		1, 10, 0, NOW + 1, 0, 0, 0, 0 },
	{ "to an unknown player", WALLET_KIND_BONUS_SPINS, WALLET_REFUSAL_ACCOUNT, 0, 2, GAME, EUR,
		40, 1, 10, 0, NOW + 1, 1, 0, 0, 0 },
	{ "ended by the operator", WALLET_KIND_BONUS_SPINS_END, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0 },
	{ "ended with money", WALLET_KIND_BONUS_SPINS_END, WALLET_REFUSAL_AMOUNT, 1, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0 },
	{ "no grant to end", WALLET_KIND_BONUS_SPINS_END, WALLET_REFUSAL_BONUS_SPINS, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 1, 0, 0 },
	{ "another player's", WALLET_KIND_BONUS_SPINS_END, WALLET_REFUSAL_BONUS_SPINS, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 1, 0 },
	{ "no spins are left", WALLET_KIND_BONUS_SPINS_END, WALLET_REFUSAL_BONUS_SPINS, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 1 },
};

static void test_bonus_spins_grant_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bonus_spins_list) / sizeof(bonus_spins_list[0]); i++) {
		const struct bonus_spins_case *c = &bonus_spins_list[i];
		struct wallet_bonus_spins named = spins_of(3, c->over ? 3 : 1);
		struct wallet_moment moment = { .now_us = NOW,
			.seq = 91,
			.rules = &rules,
			.spins = c->unknown ? NULL : &named,
			.bonus_spins_live = c->live };
		struct wallet_account account = account_of(5, 40);
		struct wallet_outside outside = { .kind = c->kind,
			.currency = c->currency,
			.id = { 1 },
			.amount = c->amount,
			.spins = { .game = c->game,
				.currency = c->currency,
				.coin_minor = c->coin,
				.lines = c->lines,
				.coins = c->coins,
				.spins = c->spins,
				.expires_us = c->expires } };
		struct wallet_row row;

		named.player += c->others;
		if (c->nobody)
			account = (struct wallet_account){ .player = PLAYER };
		assert_int_equal(wallet_apply_outside(&account, &outside, NULL, &moment, &row),
			WALLET_BOOKED);
		if (row.refusal != c->refusal)
			fail_msg("%s: refusal %u", c->what, row.refusal);
		assert_int_equal(row.game, c->game);
		assert_int_equal(legs_sum(&row), 0);
		assert_int_equal(account.balance.minor, c->nobody ? 0 : 5);
		assert_int_equal(account.last_move, c->nobody ? 0 : 4);
		assert_true(c->nobody || wallet_outside_keeps_id(&row));
	}
}

/* The same id again is the same grant; with different content it is refused. */
static void test_bonus_spins_retry_is_one_grant(void **state)
{
	struct wallet_moment moment = {
		.now_us = NOW, .seq = 91, .rules = &rules, .bonus_spins_live = 1
	};
	struct wallet_account account = account_of(5, 0);
	struct wallet_outside outside = { .kind = WALLET_KIND_BONUS_SPINS,
		.currency = EUR,
		.content_hash = { 3 },
		.spins = spins_of(3, 0) };
	struct wallet_known_id known = { .content_hash = { 3 }, .player = PLAYER };
	struct wallet_row row;

	(void)state;
	assert_int_equal(
		wallet_apply_outside(&account, &outside, &known, &moment, &row), WALLET_SPENT);
	known.content_hash[0] = 4;
	assert_int_equal(
		wallet_apply_outside(&account, &outside, &known, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.refusal, WALLET_REFUSAL_CONTENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bonus_spins_bet_table),
		cmocka_unit_test(test_bonus_spins_bet_without_stake_names_them),
		cmocka_unit_test(test_bonus_spins_grant_table),
		cmocka_unit_test(test_bonus_spins_retry_is_one_grant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
