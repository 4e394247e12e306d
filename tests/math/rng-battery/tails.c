#include "tests/math/rng-battery/tails.h"

#include <math.h>

#define STEPS 2000
#define SMALL 1e-15
#define EXPECTED_MIN 5

/* Lower incomplete gamma by its series; for x < a + 1. */
static double gamma_series(double a, double x)
{
	double term = 1 / a, sum = term;

	for (int n = 1; n < STEPS && term > sum * SMALL; n++) {
		term *= x / (a + n);
		sum += term;
	}
	return sum * exp(-x + a * log(x) - lgamma(a));
}

/* Upper incomplete gamma by its continued fraction (Lentz). */
static double gamma_fraction(double a, double x)
{
	double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;

	for (int n = 1; n < STEPS; n++) {
		double an = -n * (n - a), delta;

		b += 2;
		d = 1 / (an * d + b);
		c = b + an / c;
		delta = d * c;
		h *= delta;
		if (fabs(delta - 1) < SMALL)
			break;
	}
	return h * exp(-x + a * log(x) - lgamma(a));
}

double chi_square_tail(double x, double freedom)
{
	double a = freedom / 2, half = x / 2;

	if (x <= 0 || freedom <= 0)
		return 1;
	return half < a + 1 ? 1 - gamma_series(a, half) : gamma_fraction(a, half);
}

double normal_tails(double z)
{
	return erfc(fabs(z) / sqrt(2));
}

double binomial_above(unsigned n, double p, unsigned k)
{
	double at = pow(1 - p, n), sum = at;

	for (unsigned i = 1; i <= k; i++) {
		at *= (double)(n - i + 1) / i * p / (1 - p);
		sum += at;
	}
	return 1 - sum;
}

double chi_square_bins(const double *found, const double *expected, size_t bins)
{
	double x = 0, some = 0, due = 0, rest = 0;
	int used = 0;

	for (size_t i = 0; i < bins; i++)
		rest += expected[i];
	for (size_t i = 0; i < bins; i++) {
		some += found[i];
		due += expected[i];
		rest -= expected[i];
		if (due < EXPECTED_MIN || (i + 1 < bins && rest < EXPECTED_MIN))
			continue;
		x += (some - due) * (some - due) / due;
		used++;
		some = due = 0;
	}
	return chi_square_tail(x, used - 1);
}
