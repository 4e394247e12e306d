/* The exact mathematics of Jackpot Cards. The level of a card round is drawn by weight. Each win of
 * a level pays all its contributions since the last win, so in the long run a set returns its parts
 * of all stakes and, with each win, a seed that the house pays again. Amounts are euro cents. */
#ifndef CARILLON_SLOTMATH_CARDS_MATH_H
#define CARILLON_SLOTMATH_CARDS_MATH_H

#include "tools/slotmath/cards_set.h"

#include <gmp.h>

/* Twelve cards, three of each suit. At best the first three picks are of one suit; at worst two of
 * each suit are open before the ninth pick. */
#define CARDS_PICKS_MIN 3
#define CARDS_PICKS_MAX 9
#define CARDS_WAYS 92400 /* 12! / 3!^4, of which one in four completes a given suit first */

struct cards_math {
	mpq_t level[CARDS_LEVELS];	  /* P(this level | a card round begins) */
	mpq_t contribution[CARDS_LEVELS]; /* part of every stake */
	mpq_t contribution_sum;
	mpq_t seed_mean; /* the mean seed that the house pays for a win */
	mpq_t picks_mean;
};

/* What the set returns in one currency, for stakes below the smallest one that is certain to begin
 * a card round. */
struct cards_return {
	mpq_t odds;	/* P(a card round begins), for each minor unit of the stake */
	mpq_t unit;	/* value of a minor unit in euro cents */
	mpq_t seeds;	/* what seeds return, as a part of the stakes */
	mpq_t long_run; /* seeds and contributions: what the set returns and costs the house */
	/* The mean value of a level's win if only this currency is played: its seed and the
	 * contributions since its last win. 0 for a level that is never drawn. */
	mpq_t prize[CARDS_LEVELS];
	int64_t certain_minor; /* the smallest stake that is certain to begin a card round; 0: there
				  is none */
};

void cards_math_of(const struct cards_set *set, struct cards_math *math_r);
void cards_math_free(struct cards_math *math);
/* The number of arrangements, of CARDS_WAYS, in which this pick completes a given suit first. It is
 * the same for each suit. */
uint32_t cards_ways(uint32_t pick);
/* rate: euros for one unit of the currency, above 0. */
void cards_return_of(const struct cards_set *set, const struct cards_math *math,
	const struct cards_currency *currency, const mpq_t rate, struct cards_return *return_r);
void cards_return_free(struct cards_return *of);
/* P(a card round begins) at a stake; at most 1. */
void cards_odds_at(const struct cards_currency *currency, int64_t stake_minor, mpq_t odds_r);
/* The mean of four amounts by the probabilities of their levels. */
void cards_mean(const struct cards_math *math, const int64_t amount[CARDS_LEVELS], mpq_t mean_r);

#endif
