/* At most so many of something in each second of a clock. */
#ifndef CARILLON_BASE_PER_SECOND_H
#define CARILLON_BASE_PER_SECOND_H

#include <stdbool.h>
#include <stdint.h>

/* All zeros: none was taken yet. */
struct per_second {
	uint64_t second; /* of `taken` */
	uint64_t taken;
};

/* Takes one at this time, in microseconds of a clock that never goes back. False: `most` were taken
 * in this second already. */
static inline bool per_second_take(struct per_second *share, uint64_t now_us, uint64_t most)
{
	uint64_t second = now_us / 1000000;
	if (second != share->second)
		*share = (struct per_second){ .second = second };
	if (share->taken >= most)
		return false;
	share->taken++;
	return true;
}

#endif
