/* Rows, hits and states of a progressive pool. */
#include "services/progressive-pool/core/pool.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const STATES[] = {
	[POOL_LIVE] = "live",
	[POOL_PAUSING] = "pausing",
	[POOL_PAUSED] = "paused",
	[POOL_RETIRED] = "retired",
};

static const char *const STATUSES[] = {
	[POOL_OK] = "ok",
	[POOL_REPEATED] = "the claim is already priced",
	[POOL_NO_ROW] = "no row for this currency and coin value",
	[POOL_CLAIM_DIFFERS] = "the claim is already known with another currency or coin value",
	[POOL_INSOLVENT] = "the shares of all rows would exceed 1",
	[POOL_ROW_EXISTS] = "a row for this currency and coin value already exists",
	[POOL_FULL] = "the pool already has the maximum number of rows",
	[POOL_TERMS] = "the seed, row rate or share is out of bounds",
	[POOL_BACKWARDS] = "the sum of contributions would decrease",
	[POOL_BELOW_SEED] = "the row would fall below its seed",
	[POOL_WRONG_STATE] = "the pool's state does not allow this",
	[POOL_OVERFLOW] = "an amount is too large",
};

const char *pool_state_text(enum pool_state state)
{
	return STATES[state];
}

bool pool_state_parse(const char *text, enum pool_state *state_r)
{
	for (size_t i = 0; i < sizeof(STATES) / sizeof(STATES[0]); i++) {
		if (strcmp(text, STATES[i]) == 0) {
			*state_r = (enum pool_state)i;
			return true;
		}
	}
	return false;
}

const char *pool_status_text(enum pool_status status)
{
	return STATUSES[status];
}

/* A row that is negative or has impossible terms has passed every check: the books are broken, and
 * nothing more may be paid from them. */
static enum pool_status of_row(enum pool_row_status status)
{
	assert(status == POOL_ROW_OK || status == POOL_ROW_OVERFLOW);
	return status == POOL_ROW_OK ? POOL_OK : POOL_OVERFLOW;
}

void pool_begin(struct pool *pool, uint32_t number)
{
	memset(pool, 0, sizeof(*pool));
	pool->number = number;
}

struct pool_row *pool_row_find(struct pool *pool, uint32_t currency, int64_t coin_minor)
{
	for (uint32_t i = 0; i < pool->row_count; i++)
		if (pool->row[i].currency == currency && pool->row[i].coin_minor == coin_minor)
			return &pool->row[i];
	return NULL;
}

enum pool_status pool_launch(struct pool *pool, uint32_t currency, uint32_t exponent,
	int64_t coin_minor, const struct pool_terms *terms)
{
	if (pool->state == POOL_RETIRED)
		return POOL_WRONG_STATE;
	if (pool_row_find(pool, currency, coin_minor) != NULL)
		return POOL_ROW_EXISTS;
	if (pool->row_count == POOL_ROWS_MAX)
		return POOL_FULL;
	struct amount seed;
	if (coin_minor <= 0 || !pool_terms_valid(terms, exponent) ||
		!pool_seed(terms, exponent, &seed))
		return POOL_TERMS;
	if (pool_rows_share_worst(pool->row, pool->row_count) + terms->share_nano > POOL_NANO)
		return POOL_INSOLVENT;
	if (!pool_books_launch(&pool->books, seed))
		return POOL_OVERFLOW;
	pool->row[pool->row_count++] = (struct pool_row){
		.currency = currency,
		.exponent = exponent,
		.coin_minor = coin_minor,
		.terms = *terms,
		.w_e18 = pool->t_e18,
	};
	return POOL_OK;
}

enum pool_status pool_contribute_to(struct pool *pool, int128 t_e18)
{
	if (t_e18 < pool->t_e18)
		return POOL_BACKWARDS;
	int64_t share = pool_rows_share(pool->row, pool->row_count);
	if (!pool_books_contribute(&pool->books, t_e18 - pool->t_e18, share, POOL_NANO))
		return POOL_OVERFLOW;
	pool->t_e18 = t_e18;
	return POOL_OK;
}

enum pool_status pool_value(
	const struct pool *pool, const struct pool_row *row, int64_t *value_minor_r)
{
	struct pool_price price;
	enum pool_status status = of_row(pool_row_price(row, pool->t_e18, &price));
	if (status == POOL_OK)
		*value_minor_r = price.paid_minor;
	return status;
}

static enum pool_status repeat(
	const struct pool_hit *known, const struct pool_claim *claim, struct pool_hit *hit_r)
{
	if (known->claim.currency != claim->currency ||
		known->claim.coin_minor != claim->coin_minor)
		return POOL_CLAIM_DIFFERS;
	*hit_r = *known;
	return POOL_REPEATED;
}

enum pool_status pool_hit(struct pool *pool, const struct pool_claim *claim, pool_hit_find *find,
	void *context, struct pool_hit *hit_r)
{
	const struct pool_hit *known = find(context, &claim->id);
	if (known != NULL)
		return repeat(known, claim, hit_r);
	struct pool_row *row = pool_row_find(pool, claim->currency, claim->coin_minor);
	if (row == NULL)
		return POOL_NO_ROW;
	struct pool_hit hit = {
		.number = pool->hits + 1,
		.claim = *claim,
		.t_e18 = pool->t_e18,
		.w_before_e18 = row->w_e18,
	};
	enum pool_status status = of_row(pool_row_price(row, pool->t_e18, &hit.price));
	if (status != POOL_OK)
		return status;
	/* Reseeds the row by the terms in force after this hit. */
	const struct pool_terms *next = row->next_waits ? &row->next : &row->terms;
	if (!pool_seed(&row->terms, row->exponent, &hit.seed) ||
		!pool_seed(next, row->exponent, &hit.next_seed) ||
		!pool_books_hit(&pool->books, hit.price.cost, hit.seed, hit.next_seed, &hit.reseed))
		return POOL_OVERFLOW;
	pool_row_reset(row, pool->t_e18, hit.price.carry);
	pool->hits = hit.number;
	*hit_r = hit;
	return POOL_OK;
}

static bool terms_equal(const struct pool_terms *a, const struct pool_terms *b)
{
	return a->seed_minor == b->seed_minor && a->row_rate_nano == b->row_rate_nano &&
	       a->share_nano == b->share_nano;
}

enum pool_status pool_terms_change(
	struct pool *pool, uint32_t currency, int64_t coin_minor, const struct pool_terms *terms)
{
	struct pool_row *row = pool_row_find(pool, currency, coin_minor);
	if (row == NULL)
		return POOL_NO_ROW;
	if (!pool_terms_valid(terms, row->exponent))
		return POOL_TERMS;
	struct pool_row before = *row;
	row->next_waits = !terms_equal(&row->terms, terms);
	row->next = row->next_waits ? *terms : (struct pool_terms){ 0 };
	if (pool_rows_share_worst(pool->row, pool->row_count) > POOL_NANO) {
		*row = before;
		return POOL_INSOLVENT;
	}
	return POOL_OK;
}

enum pool_status pool_adjust(
	struct pool *pool, uint32_t currency, int64_t coin_minor, struct amount delta)
{
	struct pool_row *row = pool_row_find(pool, currency, coin_minor);
	if (row == NULL)
		return POOL_NO_ROW;
	struct pool_row changed = *row;
	struct pool_price price;
	if (!amount_add(row->r, delta, &changed.r))
		return POOL_OVERFLOW;
	enum pool_row_status status = pool_row_price(&changed, pool->t_e18, &price);
	if (status == POOL_ROW_NEGATIVE)
		return POOL_BELOW_SEED;
	if (status != POOL_ROW_OK || !pool_books_adjust(&pool->books, delta))
		return POOL_OVERFLOW;
	*row = changed;
	return POOL_OK;
}

enum pool_status pool_row_remove(struct pool *pool, uint32_t currency, int64_t coin_minor)
{
	struct pool_row *row = pool_row_find(pool, currency, coin_minor);
	if (row == NULL)
		return POOL_NO_ROW;
	if (pool->state != POOL_PAUSED)
		return POOL_WRONG_STATE;
	struct amount accrued;
	struct amount seed;
	enum pool_status status = of_row(pool_row_accrued(row, pool->t_e18, &accrued));
	if (status != POOL_OK)
		return status;
	if (!pool_seed(&row->terms, row->exponent, &seed) ||
		!pool_books_release(&pool->books, accrued, seed))
		return POOL_OVERFLOW;
	*row = pool->row[--pool->row_count];
	return POOL_OK;
}

enum pool_status pool_pause(struct pool *pool)
{
	if (pool->state == POOL_RETIRED)
		return POOL_WRONG_STATE;
	if (pool->state == POOL_LIVE)
		pool->state = POOL_PAUSING;
	return POOL_OK;
}

enum pool_status pool_resume(struct pool *pool)
{
	if (pool->state == POOL_RETIRED)
		return POOL_WRONG_STATE;
	pool->state = POOL_LIVE;
	return POOL_OK;
}

enum pool_status pool_row_send(
	struct pool *pool, uint32_t currency, int64_t coin_minor, struct amount *amount_r)
{
	struct pool_row *row = pool_row_find(pool, currency, coin_minor);
	struct amount accrued, seed;
	const struct amount nothing = { 0 };
	if (row == NULL)
		return POOL_NO_ROW;
	if (pool->state != POOL_PAUSED)
		return POOL_WRONG_STATE;
	enum pool_status status = of_row(pool_row_accrued(row, pool->t_e18, &accrued));
	if (status != POOL_OK)
		return status;
	if (!pool_seed(&row->terms, row->exponent, &seed) || !amount_add(accrued, seed, amount_r) ||
		!pool_books_send(&pool->books, accrued, seed, nothing))
		return POOL_OVERFLOW;
	*row = pool->row[--pool->row_count];
	return POOL_OK;
}

enum pool_status pool_reserve_send(struct pool *pool, struct amount *amount_r)
{
	const struct amount nothing = { 0 };
	if (pool->state != POOL_PAUSED && pool->state != POOL_RETIRED)
		return POOL_WRONG_STATE;
	*amount_r = pool->books.jp_reserve;
	return pool_books_send(&pool->books, nothing, nothing, *amount_r) ? POOL_OK : POOL_OVERFLOW;
}

enum pool_status pool_retire(struct pool *pool)
{
	if (pool->state != POOL_PAUSED || pool->row_count > 0 || pool->books.jp_reserve.e27 != 0)
		return POOL_WRONG_STATE;
	pool->state = POOL_RETIRED;
	return POOL_OK;
}

enum pool_status pool_receive(struct pool *pool, uint32_t currency, int64_t coin_minor,
	struct amount amount, bool *to_row_r)
{
	struct pool_row *row = currency != 0 ? pool_row_find(pool, currency, coin_minor) : NULL;
	struct pool_row changed = row != NULL ? *row : (struct pool_row){ 0 };
	struct pool_price price;
	*to_row_r = row != NULL && amount_add(row->r, amount, &changed.r) &&
		    pool_row_price(&changed, pool->t_e18, &price) == POOL_ROW_OK;
	if (!pool_books_receive(&pool->books, amount, *to_row_r))
		return POOL_OVERFLOW;
	if (*to_row_r)
		*row = changed;
	return POOL_OK;
}

bool pool_claims_closed(struct pool *pool)
{
	if (pool->state != POOL_PAUSING)
		return false;
	pool->state = POOL_PAUSED;
	return true;
}

static bool row_valid(const struct pool *pool, const struct pool_row *row)
{
	struct pool_price price;
	return row->coin_minor > 0 &&
	       (!row->next_waits || pool_terms_valid(&row->next, row->exponent)) &&
	       pool_row_price(row, pool->t_e18, &price) == POOL_ROW_OK;
}

bool pool_rows_valid(const struct pool *pool, char *where)
{
	where[0] = '\0';
	for (uint32_t i = 0; i < pool->row_count && where[0] == '\0'; i++)
		if (!row_valid(pool, &pool->row[i]))
			(void)snprintf(where, POOL_WHERE_MAX, "row %" PRIu32 ":%" PRId64,
				pool->row[i].currency, pool->row[i].coin_minor);
	if (where[0] == '\0' && pool_rows_share_worst(pool->row, pool->row_count) > POOL_NANO)
		(void)snprintf(where, POOL_WHERE_MAX, "shares above 1");
	return where[0] == '\0';
}

bool pool_identities_hold(const struct pool *pool, const char **where_r)
{
	return pool_books_hold(&pool->books, pool->t_e18, pool->row, pool->row_count, where_r);
}
