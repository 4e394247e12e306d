#include "libcommon/base/ask_again.h"

#define FIRST_US UINT64_C(250000)
#define DOUBLINGS_MAX 4u /* 4 s */

uint64_t ask_again_us(uint32_t times, uint64_t salt)
{
	uint32_t doublings = times > 1 ? times - 1 : 0;
	uint64_t wait_us = FIRST_US << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX);
	uint64_t mixed = (salt + times) * UINT64_C(0x9e3779b97f4a7c15);

	return wait_us + (mixed >> 33) % (wait_us / 4);
}
