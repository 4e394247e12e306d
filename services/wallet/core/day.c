/* The day of a row, which selects its partition of the journal. */
#include "services/wallet/core/wallet.h"

#define DAY_US UINT64_C(86400000000)

uint32_t wallet_day(uint32_t last, bool batch_begun, uint64_t now_us)
{
	uint64_t today = now_us / DAY_US;

	if (batch_begun || today <= last)
		return last;
	return today < WALLET_DAY_MAX ? (uint32_t)today : WALLET_DAY_MAX;
}

uint32_t wallet_day_after_close(uint32_t last, uint32_t closed)
{
	return closed < last || closed >= WALLET_DAY_MAX ? last : closed + 1;
}
