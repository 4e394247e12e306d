/* Exact decimals in tests: "400.0875" at a scale of 27 is 400.0875 x 10^27. */
#ifndef CARILLON_PROGRESSIVE_POOL_TEST_DECIMAL_H
#define CARILLON_PROGRESSIVE_POOL_TEST_DECIMAL_H

#include "libcommon/base/amount.h"

/* Ends the program if the text is not a decimal or has more decimals than the scale. */
int128 decimal(const char *text, unsigned scale);

#endif
