/* How many cases a test tries that is only as good as their number. All of them are tried in the
 * program as it ships: `make test` runs the tests that include this header there too. Sanitizers
 * make each case 4 to 30 times slower and look for other faults: they try one case in eight. */
#ifndef CARILLON_TESTS_SUPPORT_EFFORT_H
#define CARILLON_TESTS_SUPPORT_EFFORT_H

#include <stdint.h>

static inline uint32_t effort(uint32_t cases)
{
#ifdef CARILLON_SANITIZED
	return (cases + 7) / 8;
#else
	return cases;
#endif
}

#endif
