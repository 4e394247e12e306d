/* Sums of a batch: by game, mode, currency and kind, and the legs of its double entry.
 */
#ifndef CARILLON_WALLET_ADAPTERS_SUMS_H
#define CARILLON_WALLET_ADAPTERS_SUMS_H

#include "services/wallet/adapters/app.h"
#include "services/wallet/adapters/text.h"

struct leg_sum {
	uint32_t currency;
	enum wallet_leg_account account;
	uint32_t pool;
	int64_t amount;
};
#define LEG_NAME_MAX 32

/* wallet.batch.sums as binary COPY takes it: a version byte, then the JSON text. Static: valid
 * until the next call. */
struct text *sums_text(const struct booked *rows, size_t n);
/* *legs_r is static too. Returns how many. */
size_t legs_sum(const struct booked *rows, size_t n, const struct leg_sum **legs_r);
/* "JACKPOT:1"; returns its length. */
size_t leg_name(const struct leg_sum *leg, char name_r[LEG_NAME_MAX]);

#endif
