/* The mathematics of Jackpot Cards, exactly. A level is drawn by the weights, so it is won with its
 * weight's part of all rounds; what a level takes in is paid out by its next win, so in the long
 * run a set returns its parts of the wager and, with each win, the seed that the house puts in
 * again. Amounts are euro cents. */
#ifndef CARILLON_SLOTMATH_CARDS_MATH_H
#define CARILLON_SLOTMATH_CARDS_MATH_H

#include "tools/slotmath/cards_set.h"

#include <gmp.h>

/* Of twelve cards, three of each suit, at best the first three are of one suit; at worst two of
 * each lie open before the ninth. */
#define CARDS_PICKS_MIN 3
#define CARDS_PICKS_MAX 9
#define CARDS_WAYS 92400 /* 12! / 3!^4, of which one in four completes a given suit first */

struct cards_math {
	mpq_t level[CARDS_LEVELS];	  /* P(this level | the cards begin) */
	mpq_t contribution[CARDS_LEVELS]; /* part of every wager */
	mpq_t contribution_sum;
	mpq_t seed_mean; /* the house's seed for a win, on average */
	mpq_t picks_mean;
};

/* What the set is worth to those who wager in one currency. All of it holds for stakes below the
 * one that is certain to begin the cards. */
struct cards_return {
	mpq_t odds;	/* P(the cards begin), for each minor unit of the stake */
	mpq_t unit;	/* euro cents that a minor unit is worth */
	mpq_t seeds;	/* returned by the seeds, as a part of the wager */
	mpq_t long_run; /* seeds and contributions: what the set returns, and costs the house */
	/* The mean value at which a level is won if nobody else plays: its seed and what came in
	 * since its last win. 0 for a level that is never drawn. */
	mpq_t prize[CARDS_LEVELS];
	int64_t certain_minor; /* the smallest stake that is certain to begin them; 0: none is */
};

void cards_math_of(const struct cards_set *set, struct cards_math *math_r);
void cards_math_free(struct cards_math *math);
/* In how many of CARDS_WAYS arrangements that complete one suit first the pick does it. It is the
 * same for each suit. */
uint32_t cards_ways(uint32_t pick);
/* rate: euros for one unit of the currency, above 0. */
void cards_return_of(const struct cards_set *set, const struct cards_math *math,
	const struct cards_currency *currency, const mpq_t rate, struct cards_return *return_r);
void cards_return_free(struct cards_return *of);
/* P(the cards begin) at a stake: never above 1. */
void cards_odds_at(const struct cards_currency *currency, int64_t stake_minor, mpq_t odds_r);
/* The mean of four amounts by the chances of their levels. */
void cards_mean(const struct cards_math *math, const int64_t amount[CARDS_LEVELS], mpq_t mean_r);

#endif
