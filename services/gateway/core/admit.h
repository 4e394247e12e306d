/* May one more request wait for an answer? Nobody should wait longer than they are willing to look
 * at the screen, and a queue that is longer than that helps nobody: who would wait in vain is
 * refused at once and comes back. How long a new request would wait follows from how many are open
 * and how many are answered a second (Little's law). Pure. */
#ifndef CARILLON_GATEWAY_CORE_ADMIT_H
#define CARILLON_GATEWAY_CORE_ADMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADMIT_WAIT_US UINT64_C(1500000) /* a longer wait is refused */
#define ADMIT_FREE 512 /* so many may always wait: before the first answers nothing is known */

/* All zero at the beginning. */
struct admit {
	uint64_t answered; /* since the last tick */
	uint64_t ticked_us;
	uint64_t per_s; /* answers, by the last ticks; rises at once, falls in about a second */
};

static inline void admit_answered(struct admit *admit)
{
	admit->answered++;
}

/* Call it every 50 to 200 ms. */
void admit_tick(struct admit *admit, uint64_t now_us);
bool admit_allows(const struct admit *admit, size_t open);

#endif
