#include "tools/slotmath/cards_math.h"

#include <string.h>

#define OF_A_SUIT 3
#define CARDS 12
#define PPM 1000000

static void set_ratio(mpq_t out, int64_t numerator, int64_t denominator)
{
	mpz_set_si(mpq_numref(out), numerator);
	mpz_set_si(mpq_denref(out), denominator);
	mpq_canonicalize(out);
}

static uint32_t factorial(uint32_t n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

/* The earlier picks include two cards of the wanted suit, and a, b and c cards (at most two each)
 * of the other suits; the remaining cards follow in any order. */
uint32_t cards_ways(uint32_t pick)
{
	uint32_t ways = 0;

	if (pick < CARDS_PICKS_MIN || pick > CARDS_PICKS_MAX)
		return 0;
	for (uint32_t a = 0; a < OF_A_SUIT; a++)
		for (uint32_t b = 0; b < OF_A_SUIT; b++) {
			uint32_t c = pick - OF_A_SUIT - a - b;

			if (a + b > pick - OF_A_SUIT || c >= OF_A_SUIT)
				continue;
			ways += factorial(pick - 1) / 2 / factorial(a) / factorial(b) /
				factorial(c) * factorial(CARDS - pick) / factorial(OF_A_SUIT - a) /
				factorial(OF_A_SUIT - b) / factorial(OF_A_SUIT - c);
		}
	return ways;
}

void cards_mean(const struct cards_math *math, const int64_t amount[CARDS_LEVELS], mpq_t mean_r)
{
	mpq_t part;

	mpq_init(part);
	mpq_set_ui(mean_r, 0, 1);
	for (size_t i = 0; i < CARDS_LEVELS; i++) {
		set_ratio(part, amount[i], 1);
		mpq_mul(part, part, math->level[i]);
		mpq_add(mean_r, mean_r, part);
	}
	mpq_clear(part);
}

void cards_math_of(const struct cards_set *set, struct cards_math *math_r)
{
	int64_t seed[CARDS_LEVELS], weights = 0, picks = 0;

	for (size_t i = 0; i < CARDS_LEVELS; i++)
		weights += set->level[i].weight;
	mpq_inits(math_r->contribution_sum, math_r->seed_mean, math_r->picks_mean, NULL);
	for (size_t i = 0; i < CARDS_LEVELS; i++) {
		mpq_inits(math_r->level[i], math_r->contribution[i], NULL);
		set_ratio(math_r->level[i], set->level[i].weight, weights);
		set_ratio(math_r->contribution[i], set->level[i].wager_ppm, PPM);
		mpq_add(math_r->contribution_sum, math_r->contribution_sum,
			math_r->contribution[i]);
		seed[i] = set->level[i].seed_minor;
	}
	cards_mean(math_r, seed, math_r->seed_mean);
	for (uint32_t pick = CARDS_PICKS_MIN; pick <= CARDS_PICKS_MAX; pick++)
		picks += (int64_t)pick * cards_ways(pick);
	set_ratio(math_r->picks_mean, picks, CARDS_WAYS);
}

void cards_math_free(struct cards_math *math)
{
	for (size_t i = 0; i < CARDS_LEVELS; i++)
		mpq_clears(math->level[i], math->contribution[i], NULL);
	mpq_clears(math->contribution_sum, math->seed_mean, math->picks_mean, NULL);
}

void cards_odds_at(const struct cards_currency *currency, int64_t stake_minor, mpq_t odds_r)
{
	mpq_t stake;

	mpq_init(stake);
	set_ratio(stake, stake_minor, 1);
	set_ratio(odds_r, currency->in, currency->of);
	mpq_mul(odds_r, odds_r, stake);
	if (mpq_cmp_ui(odds_r, 1, 1) > 0)
		mpq_set_ui(odds_r, 1, 1);
	mpq_clear(stake);
}

/* Seed + contribution x stakes between two wins of the level. */
static void prize_of(const struct cards_set *set, const struct cards_math *math, size_t level,
	struct cards_return *of)
{
	mpq_t often, seed;

	mpq_inits(often, seed, NULL);
	mpq_mul(often, of->odds, math->level[level]);
	if (mpq_sgn(often) != 0) {
		set_ratio(seed, set->level[level].seed_minor, 1);
		mpq_div(of->prize[level], of->unit, often);
		mpq_mul(of->prize[level], of->prize[level], math->contribution[level]);
		mpq_add(of->prize[level], of->prize[level], seed);
	}
	mpq_clears(often, seed, NULL);
}

void cards_return_of(const struct cards_set *set, const struct cards_math *math,
	const struct cards_currency *currency, const mpq_t rate, struct cards_return *return_r)
{
	int64_t minor_units = 1;

	for (uint32_t i = 0; i < currency->exponent; i++)
		minor_units *= 10;
	mpq_inits(return_r->odds, return_r->unit, return_r->seeds, return_r->long_run, NULL);
	set_ratio(return_r->odds, currency->in, currency->of);
	set_ratio(return_r->unit, 100, minor_units);
	mpq_mul(return_r->unit, return_r->unit, rate);
	mpq_mul(return_r->seeds, return_r->odds, math->seed_mean);
	mpq_div(return_r->seeds, return_r->seeds, return_r->unit);
	mpq_add(return_r->long_run, return_r->seeds, math->contribution_sum);
	return_r->certain_minor =
		currency->in > 0 ? (currency->of + currency->in - 1) / currency->in : 0;
	for (size_t i = 0; i < CARDS_LEVELS; i++) {
		mpq_init(return_r->prize[i]);
		prize_of(set, math, i, return_r);
	}
}

void cards_return_free(struct cards_return *of)
{
	for (size_t i = 0; i < CARDS_LEVELS; i++)
		mpq_clear(of->prize[i]);
	mpq_clears(of->odds, of->unit, of->seeds, of->long_run, NULL);
}
