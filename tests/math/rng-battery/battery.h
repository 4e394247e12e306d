/* Statistical tests of numbers 0..n-1 that should be uniform and independent (Knuth, The Art of
 * Computer Programming, vol. 2, 3.3.2). Each gives the probability of a result at least as odd. */
#ifndef CARILLON_MATH_RNG_BATTERY_BATTERY_H
#define CARILLON_MATH_RNG_BATTERY_BATTERY_H

#include <stddef.h>
#include <stdint.h>

struct sequence {
	const uint32_t *value; /* 0..n-1 */
	size_t count;
	uint32_t n; /* 2 .. 256 */
};

#define BATTERY_VALUES_MAX 256

struct battery_test {
	const char *name;
	double (*run)(const struct sequence *sequence);
};

extern const struct battery_test battery[];
extern const size_t battery_count;

#endif
