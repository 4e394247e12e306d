#include "tests/math/rng-battery/battery.h"

#include "tests/math/rng-battery/tails.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define HAND 5
#define GAPS 200
#define COUPON_LENGTHS 4096

/* How often each value comes. */
static double frequency(const struct sequence *s)
{
	double found[BATTERY_VALUES_MAX] = { 0 }, expected[BATTERY_VALUES_MAX];

	for (size_t i = 0; i < s->count; i++)
		found[s->value[i]]++;
	for (uint32_t v = 0; v < s->n; v++)
		expected[v] = (double)s->count / s->n;
	return chi_square_bins(found, expected, s->n);
}

/* How often each pair of neighbours comes; pairs do not overlap. */
static double pairs(const struct sequence *s)
{
	static _Thread_local double found[BATTERY_VALUES_MAX * BATTERY_VALUES_MAX];
	static _Thread_local double expected[BATTERY_VALUES_MAX * BATTERY_VALUES_MAX];
	size_t cells = (size_t)s->n * s->n, drawn = s->count / 2;

	memset(found, 0, cells * sizeof(found[0]));
	for (size_t i = 0; i + 1 < s->count; i += 2)
		found[s->value[i] * s->n + s->value[i + 1]]++;
	for (size_t c = 0; c < cells; c++)
		expected[c] = (double)drawn / (double)cells;
	return chi_square_bins(found, expected, cells);
}

/* Runs of values below and not below the middle: their number, given how many there are of each
 * (Wald and Wolfowitz). */
static double runs(const struct sequence *s)
{
	double low = 0, high, count = 1, mean, variance, n = (double)s->count;

	for (size_t i = 0; i < s->count; i++) {
		low += s->value[i] < s->n / 2;
		count += i > 0 && (s->value[i] < s->n / 2) != (s->value[i - 1] < s->n / 2);
	}
	high = n - low;
	mean = 2 * low * high / n + 1;
	variance = (mean - 1) * (mean - 2) / (n - 1);
	return normal_tails((count - mean) / sqrt(variance));
}

/* Correlation of each value with the next, round (Knuth, 3.3.2 K). */
static double serial_correlation(const struct sequence *s)
{
	double sum = 0, squares = 0, products = 0, n = (double)s->count, c;

	for (size_t i = 0; i < s->count; i++) {
		double v = s->value[i], next = s->value[(i + 1) % s->count];

		sum += v;
		squares += v * v;
		products += v * next;
	}
	c = (n * products - sum * sum) / (n * squares - sum * sum);
	return normal_tails((c + 1 / (n - 1)) / sqrt(n * n / ((n - 1) * (n - 1) * (n - 2))));
}

/* Hands of five: how many different values (Knuth, 3.3.2 D). */
static double poker(const struct sequence *s)
{
	static const double stirling[HAND + 1] = { 0, 1, 15, 25, 10, 1 }; /* S(5, r) */
	double found[HAND] = { 0 }, expected[HAND], ways = 1,
	       hands = floor((double)s->count / HAND);

	for (size_t i = 0; i + HAND <= s->count; i += HAND) {
		uint32_t different = 0;

		for (size_t a = 0; a < HAND; a++) {
			size_t b = 0;

			while (b < a && s->value[i + b] != s->value[i + a])
				b++;
			different += a == b;
		}
		found[different - 1]++;
	}
	for (uint32_t r = 1; r <= HAND; r++) {
		ways *= s->n >= r ? (double)(s->n - r + 1) : 0;
		expected[r - 1] = hands * ways * stirling[r] / pow(s->n, HAND);
	}
	return chi_square_bins(found, expected, s->n < HAND ? s->n : HAND);
}

/* Lengths of gaps between values of the lower part, about a quarter of all (Knuth, 3.3.2 C). */
static double gaps(const struct sequence *s)
{
	double found[GAPS] = { 0 }, expected[GAPS], total = 0, hit, left = 1;
	uint32_t below = s->n / 4 ? s->n / 4 : 1;
	size_t gap = 0;

	hit = (double)below / s->n;
	for (size_t i = 0; i < s->count; i++) {
		if (s->value[i] >= below) {
			gap++;
			continue;
		}
		found[gap < GAPS - 1 ? gap : GAPS - 1]++;
		total++;
		gap = 0;
	}
	for (size_t g = 0; g < GAPS; g++) {
		expected[g] = total * (g < GAPS - 1 ? left * hit : left);
		left *= 1 - hit;
	}
	return chi_square_bins(found, expected, GAPS);
}

/* How long until every value has come (Knuth, 3.3.2 E). Expected numbers by the chain over how many
 * have come. */
static double coupons(const struct sequence *s)
{
	static _Thread_local double found[COUPON_LENGTHS], expected[COUPON_LENGTHS];
	double chance[BATTERY_VALUES_MAX + 1] = { 1 }, total = 0, rest = 1;
	bool seen[BATTERY_VALUES_MAX] = { false };
	uint32_t have = 0;
	size_t length = 0;

	memset(found, 0, sizeof(found));
	for (size_t i = 0; i < s->count; i++) {
		length++;
		have += !seen[s->value[i]];
		seen[s->value[i]] = true;
		if (have < s->n)
			continue;
		found[length < COUPON_LENGTHS ? length - 1 : COUPON_LENGTHS - 1]++;
		total++;
		length = have = 0;
		memset(seen, 0, sizeof(seen));
	}
	for (size_t l = 0; l < COUPON_LENGTHS; l++) {
		double done = chance[s->n - 1] * (1.0 / s->n);

		for (uint32_t k = s->n - 1; k > 0; k--)
			chance[k] = chance[k] * k / s->n + chance[k - 1] * (s->n - k + 1) / s->n;
		chance[0] = 0;
		expected[l] = total * (l < COUPON_LENGTHS - 1 ? done : rest);
		rest -= done;
	}
	return chi_square_bins(found, expected, COUPON_LENGTHS);
}

const struct battery_test battery[] = {
	{ "chi-square", frequency },
	{ "pairs", pairs },
	{ "runs", runs },
	{ "serial correlation", serial_correlation },
	{ "poker", poker },
	{ "gap", gaps },
	{ "coupon", coupons },
};
const size_t battery_count = sizeof(battery) / sizeof(battery[0]);
