/* Withdrawals in flight and grants, as short stories: how each step changes the balance and the
 * books, that repeating a step has no second effect, and that nothing is settled twice. */
#include "services/wallet/core/wallet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define EUR 978
#define SEK 752
#define PLAYER ((INT64_C(1) << 48) + 7)
#define IDS 128
#define LIMIT 1000000

static const struct wallet_rules rules = { .stake_max = 50000, .outside_max = LIMIT };

static const struct {
	const char *name;
	uint32_t kind;
} kinds[] = { { "deposit", WALLET_KIND_DEPOSIT }, { "hold", WALLET_KIND_HOLD },
	{ "capture", WALLET_KIND_CAPTURE }, { "release", WALLET_KIND_HOLD_RELEASE },
	{ "grant", WALLET_KIND_GRANT }, { "back", WALLET_KIND_GRANT_BACK },
	{ "withdrawal", WALLET_KIND_WITHDRAWAL }, { "correction", WALLET_KIND_CORRECTION } };
static const char *const refusals[WALLET_REFUSALS_N] = { [WALLET_REFUSAL_NONE] = "ok",
	[WALLET_REFUSAL_FUNDS] = "funds",
	[WALLET_REFUSAL_LIMIT] = "limit",
	[WALLET_REFUSAL_ACCOUNT] = "account",
	[WALLET_REFUSAL_CONTENT] = "content",
	[WALLET_REFUSAL_KIND] = "kind",
	[WALLET_REFUSAL_AMOUNT] = "amount",
	[WALLET_REFUSAL_HOLD] = "hold" };

/* A step: kind, id (a letter), id that it settles (a letter, "-": none), amount; the result, and
 * the balance after it. A capital id is another player's. "SPENT": a repeated step. */
static const struct {
	const char *what;
	int64_t balance;
	const char *steps;
} stories[] = {
	{ "paid out", 100, "hold a - 40 ok 60, capture b a 40 ok 60" },
	{ "not paid out", 100, "hold a - 40 ok 60, release b a 40 ok 100" },
	{ "the whole balance", 100, "hold a - 100 ok 0, release b a 100 ok 100" },
	{ "more than the balance", 100, "hold a - 101 funds 100, capture b a 101 hold 100" },
	{ "a hold takes its amount off the balance", 100,
		"hold a - 60 ok 40, hold b - 41 funds 40" },
	{ "nothing", 100, "hold a - 0 amount 100" },
	{ "a negative amount", 100, "hold a - -5 amount 100" },
	{ "the smallest number", 100, "hold a - -9223372036854775808 amount 100" },
	{ "above the limit of one withdrawal", 2000000, "hold a - 1000001 limit 2000000" },
	{ "a repeated hold", 100,
		"hold a - 40 ok 60, hold a - 40 SPENT 60, capture b a 40 ok 60, "
		"capture b a 40 SPENT 60" },
	{ "the same id, another amount", 100,
		"hold a - 40 ok 60, hold a - 41 content 60, "
		"capture b a 40 ok 60" },
	{ "the same id, another kind", 100,
		"hold a - 40 ok 60, capture b a 40 ok 60, release b a "
		"40 content 60" },
	{ "captured twice", 100,
		"hold a - 40 ok 60, capture b a 40 ok 60, capture c a 40 hold 60" },
	{ "captured, then released", 100,
		"hold a - 40 ok 60, capture b a 40 ok 60, release c a 40 hold 60" },
	{ "released, then captured", 100,
		"hold a - 40 ok 60, release b a 40 ok 100, capture c a 40 hold 100" },
	{ "released twice", 100,
		"hold a - 40 ok 60, release b a 40 ok 100, release c a 40 hold 100" },
	{ "a part of a hold", 100,
		"hold a - 40 ok 60, capture b a 39 amount 60, release c a 41 amount "
		"60, capture d a 40 ok 60" },
	{ "unknown", 100, "capture b x 40 hold 100, release c x 40 hold 100" },
	{ "another player's", 100, "release c A 40 hold 100, capture d A 40 hold 100" },
	{ "two holds at once", 100,
		"hold a - 40 ok 60, hold b - 50 ok 10, release c b 50 "
		"ok 60, capture d a 40 ok 60" },
	{ "a release above the limit of one withdrawal", 0,
		"deposit a - 1000000 ok 1000000, hold b - 1000000 ok 0, deposit c - 1000000 ok "
		"1000000, release d b 1000000 ok 2000000" },
	{ "a withdrawal of the former kind is booked at once", 100,
		"withdrawal a - 40 ok 60, release b a 40 hold "
		"60" },

	{ "a grant", 0, "grant a - 50 ok 50" },
	{ "taken back completely", 0, "grant a - 50 ok 50, back b a 50 ok 0, back c a 1 hold 0" },
	{ "taken back in parts", 0,
		"grant a - 50 ok 50, back b a 20 ok 30, back c a 31 amount 30, "
		"back d a 30 ok 0, back e a 1 hold 0" },
	{ "more than granted", 100, "grant a - 50 ok 150, back b a 51 amount 150" },
	{ "no more than the balance", 0,
		"grant a - 50 ok 50, hold b - 30 ok 20, back c a 50 funds 20, "
		"back d a 20 ok 0" },
	{ "taken back twice by one id", 0,
		"grant a - 50 ok 50, back b a 20 ok 30, back b a 20 SPENT 30, back b a 21 content "
		"30" },
	{ "an amount of 0", 0, "grant a - 50 ok 50, back b a 0 amount 50, back c a -1 amount 50" },
	{ "a hold is not a grant", 100, "hold a - 40 ok 60, back b a 40 hold 60" },
	{ "a grant is not a hold", 0,
		"grant a - 50 ok 50, capture b a 50 hold 50, release c a 50 hold "
		"50" },
	{ "a deposit is neither", 0,
		"deposit a - 50 ok 50, back b a 50 hold 50, capture c a 50 "
		"hold 50" },
};

struct world {
	struct wallet_account account;
	struct wallet_hold hold[IDS];
	struct wallet_known_id known[IDS];
	bool held[IDS], used[IDS];
	int64_t books[WALLET_LEG_WITHDRAWAL + 1];
	int64_t open; /* withdrawals in flight */
	uint64_t seq;
};

static void world_init(struct world *world, int64_t balance)
{
	memset(world, 0, sizeof(*world));
	world->account = (struct wallet_account){ .player = PLAYER,
		.exists = true,
		.currency = EUR,
		.balance = { balance },
		.last_move = 4,
		.last_seq = 90 };
	world->books[WALLET_LEG_PLAYER] = balance;
	world->seq = 91;
	/* Another player's, of 40. */
	world->hold['A'] = (struct wallet_hold){ .id = { 'A' },
		.player = PLAYER + 1,
		.kind = WALLET_KIND_HOLD,
		.currency = EUR,
		.amount = 40 };
	world->held['A'] = true;
}

static void books_take(struct world *world, const struct wallet_row *row)
{
	struct wallet_leg legs[WALLET_LEGS_MAX];
	size_t n = wallet_row_legs(row, legs);
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += legs[i].amount;
		world->books[legs[i].account] += legs[i].amount;
	}
	assert_int_equal(sum, 0);
	assert_int_equal(world->books[WALLET_LEG_PLAYER], world->account.balance.minor);
}

static enum wallet_status apply(struct world *world, uint32_t kind, uint8_t id, uint8_t of,
	int64_t amount, struct wallet_row *row)
{
	struct wallet_outside outside = {
		.kind = kind, .currency = EUR, .id = { id }, .amount = amount, .of = { of }
	};
	struct wallet_moment moment = { .now_us = 1000000,
		.seq = world->seq,
		.rules = &rules,
		.hold = world->held[of] ? &world->hold[of] : NULL };
	enum wallet_status status;

	outside.content_hash[0] = (uint8_t)kind;
	outside.content_hash[1] = of;
	memcpy(outside.content_hash + 2, &amount, sizeof(amount));
	status = wallet_apply_outside(&world->account, &outside,
		world->used[id] ? &world->known[id] : NULL, &moment, row);
	if (status != WALLET_BOOKED)
		return status;
	world->seq++;
	books_take(world, row);
	if (wallet_outside_keeps_id(row)) {
		world->used[id] = true;
		world->known[id].player = PLAYER;
		memcpy(world->known[id].content_hash, outside.content_hash, WALLET_ID_BYTES);
	}
	if (row->refusal != WALLET_REFUSAL_NONE)
		return status;
	if (wallet_hold_begins(kind)) {
		wallet_hold_take(&world->hold[id], row);
		world->held[id] = true;
		world->open += kind == WALLET_KIND_HOLD ? amount : 0;
	} else if (wallet_hold_settles(kind)) {
		wallet_hold_take(&world->hold[of], row);
		world->open -= kind == WALLET_KIND_GRANT_BACK ? 0 : amount;
		assert_memory_equal(row->request_id, outside.of, WALLET_ID_BYTES);
	}
	assert_int_equal(world->books[WALLET_LEG_WITHDRAWAL], world->open);
	return status;
}

static uint32_t kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return kinds[i].kind;
	fail_msg("no kind %s", name);
	return 0;
}

static void step(struct world *world, const char *what, const char *text)
{
	char kind[16], id[2], of[2], result[16];
	long long amount, balance;
	struct wallet_row row;
	enum wallet_status status;

	assert_int_equal(sscanf(text, " %15s %1s %1s %lld %15s %lld", kind, id, of, &amount, result,
				 &balance),
		6);
	status = apply(world, kind_of(kind), (uint8_t)id[0], (uint8_t)of[0], amount, &row);
	const char *came = status == WALLET_SPENT ? "SPENT" : refusals[row.refusal];
	if (strcmp(came == NULL ? "?" : came, result) != 0 ||
		world->account.balance.minor != balance)
		fail_msg("%s: '%s': found %s %lld", what, text, came == NULL ? "?" : came,
			(long long)world->account.balance.minor);
}

static void test_holds_stories(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		struct world world;
		char text[512];
		char *rest = text;
		world_init(&world, stories[i].balance);
		(void)snprintf(text, sizeof(text), "%s", stories[i].steps);
		for (char *one; (one = strsep(&rest, ",")) != NULL;)
			step(&world, stories[i].what, one);
	}
}

/* A capture in another currency, or for an unknown player, finds no account; a blocked player is
 * paid out. */
static void test_holds_check_the_account(void **state)
{
	struct wallet_hold hold = {
		.player = PLAYER, .kind = WALLET_KIND_HOLD, .currency = EUR, .amount = 5
	};
	struct wallet_moment moment = { .now_us = 1, .seq = 91, .rules = &rules, .hold = &hold };
	struct wallet_outside outside = {
		.kind = WALLET_KIND_CAPTURE, .currency = SEK, .amount = 5
	};
	struct wallet_account nobody = { .player = PLAYER };
	struct wallet_row row;
	struct world world;

	(void)state;
	world_init(&world, 10);
	assert_int_equal(wallet_apply_outside(&world.account, &outside, NULL, &moment, &row), 0);
	assert_int_equal(row.refusal, WALLET_REFUSAL_ACCOUNT);
	outside.currency = EUR;
	assert_int_equal(wallet_apply_outside(&nobody, &outside, NULL, &moment, &row), 0);
	assert_int_equal(row.refusal, WALLET_REFUSAL_ACCOUNT);
	world.account.blocked = true;
	assert_int_equal(wallet_apply_outside(&world.account, &outside, NULL, &moment, &row), 0);
	assert_int_equal(row.refusal, WALLET_REFUSAL_NONE);
	assert_int_equal(row.balance_after, 10);
}

/* Any requests in any order: nothing is settled twice, nothing is lost, and rolling the rows
 * forward gives the same account. */
static void test_holds_in_any_order_settle_once(void **state)
{
	static const uint32_t any[] = { WALLET_KIND_DEPOSIT, WALLET_KIND_HOLD, WALLET_KIND_HOLD,
		WALLET_KIND_CAPTURE, WALLET_KIND_HOLD_RELEASE, WALLET_KIND_GRANT,
		WALLET_KIND_GRANT_BACK };
	unsigned seed = 20260317;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct world world;
		struct wallet_account rolled;
		world_init(&world, 100);
		rolled = world.account;
		for (int i = 0; i < 60; i++) {
			struct wallet_row row;
			uint32_t kind = any[(unsigned)rand_r(&seed) % 7];
			uint8_t id = (uint8_t)(1 + (unsigned)rand_r(&seed) % 30);
			uint8_t of = (uint8_t)(1 + (unsigned)rand_r(&seed) % 30);
			int64_t amount = world.held[of] && wallet_hold_settles(kind) &&
							 (unsigned)rand_r(&seed) % 4 > 0
						 ? world.hold[of].amount
						 : (int64_t)((unsigned)rand_r(&seed) % 60);
			if (apply(&world, kind, id, of, amount, &row) == WALLET_BOOKED)
				wallet_account_roll(&rolled, &row);
			assert_true(world.account.balance.minor >= 0);
		}
		assert_int_equal(rolled.balance.minor, world.account.balance.minor);
		assert_int_equal(world.books[WALLET_LEG_PLAYER] + world.open +
					 world.books[WALLET_LEG_CASH] +
					 world.books[WALLET_LEG_PROMO],
			100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holds_stories),
		cmocka_unit_test(test_holds_check_the_account),
		cmocka_unit_test(test_holds_in_any_order_settle_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
