#include "services/gateway/core/admit.h"

#define TICK_MIN_US UINT64_C(40000)
#define SECOND_US UINT64_C(1000000)
#define FALL 8 /* ticks in which a rate that is not reached any more falls to a third */

void admit_tick(struct admit *admit, uint64_t now_us)
{
	uint64_t passed_us = now_us - admit->ticked_us;
	if (passed_us < TICK_MIN_US)
		return;
	uint64_t per_s = admit->answered * SECOND_US / passed_us;
	if (per_s >= admit->per_s)
		admit->per_s = per_s;
	else
		admit->per_s -= (admit->per_s - per_s + FALL - 1) / FALL;
	admit->answered = 0;
	admit->ticked_us = now_us;
}

bool admit_allows(const struct admit *admit, size_t open)
{
	return open < ADMIT_FREE || open * SECOND_US <= admit->per_s * ADMIT_WAIT_US;
}
