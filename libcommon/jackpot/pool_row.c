/* The arithmetic of one row. */
#include "libcommon/jackpot/pool_row.h"

#include <assert.h>

#define CENTS 100 /* cents in a euro: the unit of base coin values */

static int128 power_of_ten(uint32_t exponent)
{
	int128 power = 1;
	for (uint32_t i = 0; i < exponent; i++)
		power *= 10;
	return power;
}

bool pool_row_share(int64_t coin_minor, uint32_t exponent, int64_t row_rate_nano,
	int64_t base_coin_minor, int64_t *share_nano_r)
{
	if (coin_minor <= 0 || row_rate_nano <= 0 || base_coin_minor <= 0 ||
		exponent > POOL_EXPONENT_MAX)
		return false;
	int128 numerator;
	int128 denominator;
	if (!int128_mul((int128)coin_minor * row_rate_nano, CENTS, &numerator) ||
		!int128_mul(power_of_ten(exponent), base_coin_minor, &denominator))
		return false;
	int128 share = numerator / denominator;
	if (share > POOL_NANO)
		return false;
	*share_nano_r = (int64_t)share;
	return true;
}

bool pool_unit(int64_t row_rate_nano, uint32_t exponent, struct amount *unit_r)
{
	if (row_rate_nano <= 0 || exponent > POOL_EXPONENT_MAX)
		return false;
	return int128_mul(row_rate_nano, power_of_ten(POOL_EXPONENT_MAX - exponent), &unit_r->e27);
}

bool pool_seed(const struct pool_terms *terms, uint32_t exponent, struct amount *seed_r)
{
	struct amount unit;
	return pool_unit(terms->row_rate_nano, exponent, &unit) &&
	       amount_mul(unit, terms->seed_minor, seed_r);
}

bool pool_terms_valid(const struct pool_terms *terms, uint32_t exponent)
{
	struct amount seed;
	return terms->seed_minor >= 1 && terms->seed_minor <= POOL_SEED_MINOR_MAX &&
	       terms->row_rate_nano >= 1 && terms->row_rate_nano <= POOL_RATE_NANO_MAX &&
	       terms->share_nano >= 0 && terms->share_nano <= POOL_NANO &&
	       exponent <= POOL_EXPONENT_MAX && pool_seed(terms, exponent, &seed);
}

enum pool_row_status pool_row_accrued(
	const struct pool_row *row, int128 t_e18, struct amount *accrued_r)
{
	if (t_e18 < row->w_e18)
		return POOL_ROW_NEGATIVE;
	struct amount accrued;
	if (!int128_mul(t_e18 - row->w_e18, row->terms.share_nano, &accrued.e27) ||
		!amount_add(accrued, row->r, &accrued))
		return POOL_ROW_OVERFLOW;
	if (accrued.e27 < 0)
		return POOL_ROW_NEGATIVE;
	*accrued_r = accrued;
	return POOL_ROW_OK;
}

enum pool_row_status pool_row_price(
	const struct pool_row *row, int128 t_e18, struct pool_price *price_r)
{
	return pool_row_price_in(row, t_e18, row->terms.row_rate_nano, row->exponent, price_r);
}

enum pool_row_status pool_row_price_in(const struct pool_row *row, int128 t_e18, int64_t rate_nano,
	uint32_t exponent, struct pool_price *price_r)
{
	struct pool_price price;
	struct amount seed;
	struct amount unit;
	if (!pool_terms_valid(&row->terms, row->exponent) || rate_nano < 1 ||
		rate_nano > POOL_RATE_NANO_MAX || exponent > POOL_EXPONENT_MAX)
		return POOL_ROW_TERMS;
	enum pool_row_status status = pool_row_accrued(row, t_e18, &price.value);
	if (status != POOL_ROW_OK)
		return status;
	if (!pool_unit(rate_nano, exponent, &unit) ||
		!pool_seed(&row->terms, row->exponent, &seed) ||
		!amount_add(price.value, seed, &price.value))
		return POOL_ROW_OVERFLOW;
	/* Floors to the minor unit; the remainder is carried, never dropped. */
	int128 paid;
	if (!amount_floor_div(price.value, unit.e27, &paid, &price.carry) || paid > INT64_MAX)
		return POOL_ROW_OVERFLOW;
	price.paid_minor = (int64_t)paid;
	price.cost.e27 = price.value.e27 - price.carry.e27;
	*price_r = price;
	return POOL_ROW_OK;
}

void pool_row_reset(struct pool_row *row, int128 t_e18, struct amount carry)
{
	assert(t_e18 >= row->w_e18 && carry.e27 >= 0);
	row->w_e18 = t_e18;
	row->r = carry;
	row->hits++;
	if (row->next_waits) {
		row->terms = row->next;
		row->next_waits = false;
	}
}

int64_t pool_rows_share(const struct pool_row *rows, size_t n)
{
	int64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += rows[i].terms.share_nano;
	return sum;
}

int64_t pool_rows_share_worst(const struct pool_row *rows, size_t n)
{
	int64_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		int64_t now = rows[i].terms.share_nano;
		int64_t next = rows[i].next_waits ? rows[i].next.share_nano : 0;
		sum += next > now ? next : now;
	}
	return sum;
}
