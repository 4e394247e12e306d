/* Tail probabilities for the battery. Floating point: these judge a generator, they decide no
 * outcome and no money. */
#ifndef CARILLON_MATH_RNG_BATTERY_TAILS_H
#define CARILLON_MATH_RNG_BATTERY_TAILS_H

#include <stddef.h>

/* P(chi-square with `freedom` degrees > x). Series and continued fraction of the incomplete gamma
 * function (Abramowitz and Stegun 6.5.29, 6.5.31). */
double chi_square_tail(double x, double freedom);
/* P(|Z| > |z|) of the standard normal. */
double normal_tails(double z);
/* P(more than k of n fail) when each fails with probability p. */
double binomial_above(unsigned n, double p, unsigned k);

/* Chi-square over bins with expected numbers; neighbours with fewer than 5 expected are put
 * together. Returns its tail probability. */
double chi_square_bins(const double *found, const double *expected, size_t bins);

#endif
