/* Levels of Jackpot Cards: funding, floors, refusals. */
#include "services/jackpot-cards/core/card_set.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct card_terms TERMS = { { 2000, 10000, 100000, 1000000 },
	{ 2500, 1500, 700, 300 } };

static int128 euros(int64_t cents)
{
	return (int128)cents * 10000000000000000; /* 10^-2 to 10^-18 */
}

/* RULE mystic-gem 6.1: four levels, rising with the suit. RULE mystic-gem 6.3: each grows by its
 * part of the wagers. RULE mystic-gem 6.4: and the house pays for it: a wager leaves no reserve. */
static void test_card_set_accrues_by_level(void **state)
{
	(void)state;
	struct card_set set;
	const char *where;
	static const char *const suits[] = { "clubs", "diamonds", "hearts", "spades" };
	for (int level = CARD_CLUBS; level <= CARD_SPADES; level++)
		assert_string_equal(
			card_level_text((enum card_level)level), suits[level - CARD_CLUBS]);
	assert_int_equal(card_set_launch(&set, 2, &TERMS), CARD_SET_OK);
	static const struct {
		int64_t wagers_cents;
		int64_t value[CARD_LEVELS];
	} rows[] = {
		{ 0, { 2000, 10000, 100000, 1000000 } },
		{ 399, { 2000, 10000, 100000, 1000000 } },
		{ 400, { 2001, 10000, 100000, 1000000 } }, /* 4.00 x 0.25 % = 1 cent */
		{ 100000, { 2250, 10150, 100070, 1000030 } },
		{ INT64_C(100000000000), { 250002000, 150010000, 70100000, 31000000 } },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(
			card_set_accrue_to(&set, euros(rows[i].wagers_cents)), CARD_SET_OK);
		for (int level = CARD_CLUBS; level <= CARD_SPADES; level++) {
			int64_t value;
			assert_int_equal(
				card_set_value(&set, (enum card_level)level, &value), CARD_SET_OK);
			assert_int_equal(value, rows[i].value[level - CARD_CLUBS]);
		}
		assert_true(card_set_identities_hold(&set, &where));
		assert_true(set.books.jp_reserve.e27 == 0);
	}
	assert_int_equal(card_set_accrue_to(&set, euros(1)), CARD_SET_BACKWARDS);
}

static void test_card_set_refuses(void **state)
{
	(void)state;
	static const struct {
		const char *label;
		struct card_terms terms;
		enum card_set_status expected;
	} rows[] = {
		{ "seed zero", { { 0, 2, 3, 4 }, { 1, 1, 1, 1 } }, CARD_SET_TERMS },
		{ "seed huge", { { 1, 2, 3, INT64_MAX }, { 1, 1, 1, 1 } }, CARD_SET_TERMS },
		{ "levels do not rise", { { 1, 2, 2, 4 }, { 1, 1, 1, 1 } }, CARD_SET_TERMS },
		{ "ppm negative", { { 1, 2, 3, 4 }, { 1, -1, 1, 1 } }, CARD_SET_TERMS },
		{ "ppm above one", { { 1, 2, 3, 4 }, { 1000001, 1, 1, 1 } }, CARD_SET_TERMS },
		{ "sum above one", { { 1, 2, 3, 4 }, { 999998, 1, 1, 1 } }, CARD_SET_SHARES },
		{ "sum is one", { { 1, 2, 3, 4 }, { 999997, 1, 1, 1 } }, CARD_SET_OK },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct card_set set;
		enum card_set_status found = card_set_launch(&set, 2, &rows[i].terms);
		if (found != rows[i].expected)
			fail_msg("%s: found %s", rows[i].label, card_set_status_text(found));
	}
}

/* One stored figure of a level at a time. */
static void test_card_set_levels_that_cannot_be_are_not_valid(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		struct card_set set;
		struct pool_row *row = &set.level[2];
		assert_int_equal(card_set_launch(&set, 2, &TERMS), CARD_SET_OK);
		assert_true(card_set_levels_valid(&set));
		row->level += i == 0;
		row->currency += i == 1;
		row->exponent += i == 2;
		row->w_e18 += i == 3;
		row->r.e27 -= i == 4;
		row->next_waits = i == 5;
		row->next = (struct pool_terms){ 1, POOL_NANO, POOL_NANO };
		assert_false(card_set_levels_valid(&set));
	}
}

static void test_card_set_terms_wait(void **state)
{
	(void)state;
	struct card_set set;
	bool changed;
	int64_t value;
	struct card_terms other = TERMS;
	other.seed_minor[0] = 3000;
	assert_int_equal(card_set_launch(&set, 2, &TERMS), CARD_SET_OK);
	assert_int_equal(card_set_configure(&set, &TERMS, &changed), CARD_SET_OK);
	assert_false(changed);
	assert_int_equal(card_set_configure(&set, &other, &changed), CARD_SET_OK);
	assert_true(changed && set.level[0].next_waits && !set.level[1].next_waits);
	assert_int_equal(card_set_value(&set, CARD_CLUBS, &value), CARD_SET_OK);
	assert_int_equal(value, 2000);
	assert_int_equal(card_set_configure(&set, &other, &changed), CARD_SET_OK);
	assert_false(changed);
	assert_int_equal(card_set_configure(&set, &TERMS, &changed), CARD_SET_OK);
	assert_true(changed && !set.level[0].next_waits);
	/* With the terms in force it would exceed the wager. */
	struct card_terms greedy = { { 2000, 10000, 100000, 1000000 }, { 0, 999999, 0, 0 } };
	assert_int_equal(card_set_configure(&set, &greedy, &changed), CARD_SET_SHARES);
	assert_false(set.level[0].next_waits);
}

static const struct card_payout EURO = { 978, 2, POOL_NANO };
static const struct card_payout KRONA = { 752, 2, 87500000 };
static const struct card_payout YEN = { 392, 0, 6123457 };

/* Each row is a win after a sum of wagers: its payout, its cost and the carry (10^-27). */
static void test_card_set_pays_what_is_shown(void **state)
{
	static const struct {
		int64_t wagers_cents;
		enum card_level level;
		const struct card_payout *payout;
		int64_t paid, cost_e9, carry_e9, next_cents;
	} rows[] = {
		{ 0, CARD_CLUBS, &EURO, 2000, 20000000000, 0, 2000 },
		/* 20 EUR are 228.571.. SEK: the rest from rounding down stays in the level */
		{ 0, CARD_CLUBS, &KRONA, 22857, 19999875000, 125000, 2000 },
		{ 100000, CARD_CLUBS, &EURO, 2250, 22500000000, 125000, 2000 },
		{ 100000, CARD_DIAMONDS, &YEN, 16575, 101496299775, 3700225, 10000 },
		{ 100400, CARD_CLUBS, &EURO, 2001, 20010000000, 125000, 2000 },
		/* the second winner in a race gets the seed plus the contributions in between:
		 * none */
		{ 100400, CARD_CLUBS, &EURO, 2000, 20000000000, 125000, 2000 },
		{ 100400, CARD_SPADES, &EURO, 1000030, 10000301200000 - 1200000, 1200000, 1000000 },
	};
	struct card_set set;
	const char *where;

	(void)state;
	assert_int_equal(card_set_launch(&set, 2, &TERMS), CARD_SET_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int128 nano = (int128)POOL_NANO * POOL_NANO; /* 10^-9 to 10^-27 */
		struct card_hit hit;
		int64_t value;

		assert_int_equal(
			card_set_accrue_to(&set, euros(rows[i].wagers_cents)), CARD_SET_OK);
		assert_int_equal(
			card_set_hit(&set, rows[i].level, rows[i].payout, &hit), CARD_SET_OK);
		assert_int_equal(hit.price.paid_minor, rows[i].paid);
		assert_true(hit.price.cost.e27 == rows[i].cost_e9 * nano);
		assert_true(hit.price.carry.e27 == rows[i].carry_e9 * nano);
		assert_true(hit.reseed.from_reserve.e27 == 0);
		assert_int_equal(card_set_value(&set, rows[i].level, &value), CARD_SET_OK);
		assert_int_equal(value, rows[i].next_cents);
		if (!card_set_identities_hold(&set, &where))
			fail_msg("row %zu: %s", i, where);
	}
	assert_int_equal(set.level[0].hits, 5);
}

static void test_card_set_refuses_rates(void **state)
{
	static const struct card_payout rows[] = { { 978, 2, 0 }, { 978, 2, -1 },
		{ 978, 19, POOL_NANO }, { 978, 2, POOL_RATE_NANO_MAX + 1 } };
	struct card_set set, before;
	struct card_hit hit;

	(void)state;
	assert_int_equal(card_set_launch(&set, 2, &TERMS), CARD_SET_OK);
	before = set;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(card_set_hit(&set, CARD_CLUBS, &rows[i], &hit), CARD_SET_RATE);
		assert_memory_equal(&before, &set, sizeof(set));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_card_set_accrues_by_level),
		cmocka_unit_test(test_card_set_refuses),
		cmocka_unit_test(test_card_set_levels_that_cannot_be_are_not_valid),
		cmocka_unit_test(test_card_set_terms_wait),
		cmocka_unit_test(test_card_set_pays_what_is_shown),
		cmocka_unit_test(test_card_set_refuses_rates),
	};
	return cmocka_run_group_tests_name("card set", tests, NULL, NULL);
}
