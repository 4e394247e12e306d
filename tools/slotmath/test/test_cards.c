/* The mathematics of Jackpot Cards against every deal of twelve cards, and its identities. */
#include "tools/slotmath/cards_math.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define CARDS 12
#define OF_A_SUIT 3
#define DEALS 369600 /* 12! / 3!^4 */

static const struct cards_set example = {
	.id = "example",
	.number = 9,
	.level = { { "clubs", 2000, 2500, 60 }, { "diamonds", 10000, 1500, 30 },
		{ "hearts", 100000, 700, 9 }, { "spades", 1000000, 300, 1 } },
	.currency_count = 3,
	.currency = { { "EUR", 2, 1, 4000000 }, { "JPY", 0, 1, 250000 }, { "SEK", 2, 0, 1 } },
};

static void assert_ratio(const mpq_t found, long numerator, unsigned long denominator)
{
	mpq_t wanted;

	mpq_init(wanted);
	mpq_set_si(wanted, numerator, denominator);
	mpq_canonicalize(wanted);
	assert_true(mpq_equal(found, wanted));
	mpq_clear(wanted);
}

/* ---- every deal ---- */

struct count {
	uint32_t deals, by_pick[CARDS + 1], by_suit[CARDS_LEVELS];
};

/* All orders of what is left; `pick` and `suit` of the first that was complete. */
static void deal(
	uint32_t open[CARDS_LEVELS], uint32_t at, uint32_t pick, uint32_t suit, struct count *count)
{
	if (at == CARDS) {
		count->deals++;
		count->by_pick[pick]++;
		count->by_suit[suit]++;
		return;
	}
	for (uint32_t next = 0; next < CARDS_LEVELS; next++) {
		bool first;

		if (open[next] == OF_A_SUIT)
			continue;
		first = ++open[next] == OF_A_SUIT && pick == 0;
		deal(open, at + 1, first ? at + 1 : pick, first ? next : suit, count);
		open[next]--;
	}
}

/* RULE mystic-gem 6.8, 6.13 */
static void test_cards_ways_of_every_deal(void **state)
{
	uint32_t open[CARDS_LEVELS] = { 0 }, sum = 0;
	struct count count = { 0 };

	(void)state;
	deal(open, 0, 0, 0, &count);
	assert_int_equal(count.deals, DEALS);
	for (uint32_t pick = 0; pick <= CARDS; pick++) {
		assert_int_equal(count.by_pick[pick], 4 * cards_ways(pick));
		sum += cards_ways(pick);
	}
	assert_int_equal(sum, CARDS_WAYS);
	for (size_t suit = 0; suit < CARDS_LEVELS; suit++)
		assert_int_equal(count.by_suit[suit], CARDS_WAYS);
}

/* ---- the set ---- */

static void test_cards_levels_by_weight(void **state)
{
	static const int64_t shown[CARDS_LEVELS] = { 2500, 12000, 150000, 1200000 };
	struct cards_math math;
	mpq_t mean;

	(void)state;
	cards_math_of(&example, &math);
	assert_ratio(math.level[0], 60, 100);
	assert_ratio(math.level[3], 1, 100);
	assert_ratio(math.contribution_sum, 5000, 1000000);
	assert_ratio(math.seed_mean, 2000 * 60 + 10000 * 30 + 100000 * 9 + 1000000, 100);
	mpq_init(mean);
	cards_mean(&math, shown, mean);
	assert_ratio(mean, 2500 * 60 + 12000 * 30 + 150000 * 9 + 1200000, 100);
	mpq_clear(mean);
	cards_math_free(&math);
}

/* RULE mystic-gem 6.12 */
static void test_cards_odds_follow_the_stake(void **state)
{
	static const struct {
		int64_t stake;
		long numerator;
		unsigned long denominator;
	} cases[] = { { 1, 1, 4000000 }, { 40, 40, 4000000 }, { 5000, 5000, 4000000 },
		{ 3999999, 3999999, 4000000 }, { 4000000, 1, 1 }, { 5000000, 1, 1 } };
	mpq_t odds;

	(void)state;
	mpq_init(odds);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cards_odds_at(&example.currency[0], cases[i].stake, odds);
		assert_ratio(odds, cases[i].numerator, cases[i].denominator);
	}
	cards_odds_at(&example.currency[2], 1000, odds);
	assert_ratio(odds, 0, 1);
	mpq_clear(odds);
}

/* What is returned is, once more, how often each level is won times what it is won at. */
static void assert_prizes_return(
	const struct cards_math *math, const struct cards_return *of, const mpq_t wanted)
{
	mpq_t sum, part;

	mpq_inits(sum, part, NULL);
	for (size_t i = 0; i < CARDS_LEVELS; i++) {
		mpq_mul(part, of->prize[i], math->level[i]);
		mpq_add(sum, sum, part);
	}
	mpq_mul(sum, sum, of->odds);
	mpq_div(sum, sum, of->unit);
	assert_true(mpq_equal(sum, wanted));
	mpq_clears(sum, part, NULL);
}

static void test_cards_return_is_seeds_and_contributions(void **state)
{
	struct cards_return of;
	struct cards_math math;
	mpq_t rate;

	(void)state;
	mpq_init(rate);
	cards_math_of(&example, &math);
	mpq_set_ui(rate, 1, 1);
	cards_return_of(&example, &math, &example.currency[0], rate, &of);
	/* 23,200 cents a win, 1 in 4,000,000 a cent */
	assert_ratio(of.seeds, 23200, 4000000);
	assert_ratio(of.long_run, 23200 + 20000, 4000000);
	assert_int_equal(of.certain_minor, 4000000);
	assert_prizes_return(&math, &of, of.long_run);
	cards_return_free(&of);
	/* 0.006 EUR a yen, which has no decimals: 0.6 cents a minor unit */
	mpq_set_ui(rate, 6, 1000);
	mpq_canonicalize(rate);
	cards_return_of(&example, &math, &example.currency[1], rate, &of);
	assert_ratio(of.unit, 6, 10);
	assert_ratio(of.seeds, 232000, 6 * 250000);
	assert_prizes_return(&math, &of, of.long_run);
	cards_return_free(&of);
	cards_return_of(&example, &math, &example.currency[2], rate, &of);
	assert_ratio(of.long_run, 5000, 1000000);
	assert_int_equal(of.certain_minor, 0);
	assert_ratio(of.prize[0], 0, 1);
	cards_return_free(&of);
	cards_math_free(&math);
	mpq_clear(rate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cards_ways_of_every_deal),
		cmocka_unit_test(test_cards_levels_by_weight),
		cmocka_unit_test(test_cards_odds_follow_the_stake),
		cmocka_unit_test(test_cards_return_is_seeds_and_contributions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
