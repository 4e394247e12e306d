/* Levels of a set of Jackpot Cards. */
#include "services/jackpot-cards/core/card_set.h"

#include <assert.h>
#include <string.h>

#define NANO_PER_PPM 1000

static const char *const LEVELS[] = { "", "clubs", "diamonds", "hearts", "spades" };

static const char *const STATUSES[] = {
	[CARD_SET_OK] = "ok",
	[CARD_SET_TERMS] =
		"a seed or wager part is out of bounds, or the seeds do not rise by level",
	[CARD_SET_SHARES] = "the levels would together take more than the whole wager",
	[CARD_SET_BACKWARDS] = "the sum of wagers would decrease",
	[CARD_SET_RATE] = "an exchange rate or a number of decimals is out of bounds",
	[CARD_SET_BELOW_SEED] = "the level would fall below its seed",
	[CARD_SET_OVERFLOW] = "an amount is too large",
};

const char *card_level_text(enum card_level level)
{
	return LEVELS[level];
}

const char *card_set_status_text(enum card_set_status status)
{
	return STATUSES[status];
}

static enum card_set_status terms_of(
	const struct card_terms *terms, struct pool_terms out[CARD_LEVELS])
{
	int64_t sum = 0;
	for (int i = 0; i < CARD_LEVELS; i++) {
		int64_t ppm = terms->wager_ppm[i];
		if (ppm < 0 || ppm > POOL_NANO / NANO_PER_PPM)
			return CARD_SET_TERMS;
		out[i] = (struct pool_terms){ terms->seed_minor[i], POOL_NANO, ppm * NANO_PER_PPM };
		if (!pool_terms_valid(&out[i], CARD_SET_EXPONENT) ||
			(i > 0 && terms->seed_minor[i] <= terms->seed_minor[i - 1]))
			return CARD_SET_TERMS;
		sum += ppm;
	}
	return sum * NANO_PER_PPM <= POOL_NANO ? CARD_SET_OK : CARD_SET_SHARES;
}

enum card_set_status card_set_launch(
	struct card_set *set, uint32_t number, const struct card_terms *terms)
{
	struct pool_terms of[CARD_LEVELS];
	enum card_set_status status = terms_of(terms, of);
	if (status != CARD_SET_OK)
		return status;
	memset(set, 0, sizeof(*set));
	set->number = number;
	for (uint32_t i = 0; i < CARD_LEVELS; i++) {
		struct amount seed;
		set->level[i] = (struct pool_row){
			.currency = CARD_SET_CURRENCY,
			.exponent = CARD_SET_EXPONENT,
			.level = CARD_CLUBS + i,
			.terms = of[i],
		};
		if (!pool_seed(&of[i], CARD_SET_EXPONENT, &seed) ||
			!pool_books_launch(&set->books, seed))
			return CARD_SET_OVERFLOW;
	}
	return CARD_SET_OK;
}

enum card_set_status card_set_configure(
	struct card_set *set, const struct card_terms *terms, bool *changed_r)
{
	struct pool_terms of[CARD_LEVELS];
	struct card_set next = *set;
	enum card_set_status status = terms_of(terms, of);
	if (status != CARD_SET_OK)
		return status;
	*changed_r = false;
	for (int i = 0; i < CARD_LEVELS; i++) {
		struct pool_row *row = &next.level[i];
		bool waits = memcmp(&row->terms, &of[i], sizeof(of[i])) != 0;
		if (waits == row->next_waits &&
			(!waits || memcmp(&row->next, &of[i], sizeof(of[i])) == 0))
			continue;
		row->next_waits = waits;
		row->next = waits ? of[i] : (struct pool_terms){ 0 };
		*changed_r = true;
	}
	if (pool_rows_share_worst(next.level, CARD_LEVELS) > POOL_NANO)
		return CARD_SET_SHARES;
	*set = next;
	return CARD_SET_OK;
}

void card_set_terms(const struct card_set *set, struct card_terms *terms_r)
{
	for (int i = 0; i < CARD_LEVELS; i++) {
		const struct pool_row *row = &set->level[i];
		const struct pool_terms *next = row->next_waits ? &row->next : &row->terms;
		terms_r->seed_minor[i] = next->seed_minor;
		terms_r->wager_ppm[i] = next->share_nano / NANO_PER_PPM;
	}
}

enum card_set_status card_set_adjust(
	struct card_set *set, enum card_level level, struct amount delta)
{
	assert(level >= CARD_CLUBS && level <= CARD_SPADES);
	struct pool_row *row = &set->level[level - CARD_CLUBS];
	struct pool_row changed = *row;
	struct pool_price price;
	if (!amount_add(row->r, delta, &changed.r))
		return CARD_SET_OVERFLOW;
	enum pool_row_status status = pool_row_price(&changed, set->t_e18, &price);
	if (status == POOL_ROW_NEGATIVE)
		return CARD_SET_BELOW_SEED;
	if (status != POOL_ROW_OK || !pool_books_adjust(&set->books, delta))
		return CARD_SET_OVERFLOW;
	*row = changed;
	return CARD_SET_OK;
}

bool card_set_levels_valid(const struct card_set *set)
{
	struct pool_price price;
	for (int i = 0; i < CARD_LEVELS; i++) {
		const struct pool_row *row = &set->level[i];
		if (row->level != (uint32_t)(CARD_CLUBS + i) ||
			row->currency != CARD_SET_CURRENCY || row->exponent != CARD_SET_EXPONENT ||
			(row->next_waits && !pool_terms_valid(&row->next, row->exponent)) ||
			pool_row_price(row, set->t_e18, &price) != POOL_ROW_OK)
			return false;
	}
	return pool_rows_share_worst(set->level, CARD_LEVELS) <= POOL_NANO;
}

enum card_set_status card_set_accrue_to(struct card_set *set, int128 t_e18)
{
	if (t_e18 < set->t_e18)
		return CARD_SET_BACKWARDS;
	/* The house pays in exactly what the levels get. */
	int64_t share = pool_rows_share(set->level, CARD_LEVELS);
	if (!pool_books_contribute(&set->books, t_e18 - set->t_e18, share, share))
		return CARD_SET_OVERFLOW;
	set->t_e18 = t_e18;
	return CARD_SET_OK;
}

enum card_set_status card_set_value(
	const struct card_set *set, enum card_level level, int64_t *value_minor_r)
{
	struct pool_price price;
	assert(level >= CARD_CLUBS && level <= CARD_SPADES);
	enum pool_row_status status =
		pool_row_price(&set->level[level - CARD_CLUBS], set->t_e18, &price);
	/* After all checks only an overflow is possible; anything else means broken books. */
	assert(status == POOL_ROW_OK || status == POOL_ROW_OVERFLOW);
	if (status != POOL_ROW_OK)
		return CARD_SET_OVERFLOW;
	*value_minor_r = price.paid_minor;
	return CARD_SET_OK;
}

enum card_set_status card_set_hit(struct card_set *set, enum card_level level,
	const struct card_payout *payout, struct card_hit *hit_r)
{
	assert(level >= CARD_CLUBS && level <= CARD_SPADES);
	struct pool_row *row = &set->level[level - CARD_CLUBS];
	const struct pool_terms *next = row->next_waits ? &row->next : &row->terms;
	struct card_hit hit = {
		.number = row->hits + 1,
		.level = level,
		.payout = *payout,
		.next_share_nano = next->share_nano,
		.t_e18 = set->t_e18,
		.w_before_e18 = row->w_e18,
	};
	enum pool_row_status status =
		pool_row_price_in(row, set->t_e18, payout->rate_nano, payout->exponent, &hit.price);
	assert(status != POOL_ROW_NEGATIVE);
	if (status != POOL_ROW_OK)
		return status == POOL_ROW_TERMS ? CARD_SET_RATE : CARD_SET_OVERFLOW;
	if (!pool_seed(&row->terms, row->exponent, &hit.seed) ||
		!pool_seed(next, row->exponent, &hit.next_seed) ||
		!pool_books_hit(&set->books, hit.price.cost, hit.seed, hit.next_seed, &hit.reseed))
		return CARD_SET_OVERFLOW;
	pool_row_reset(row, set->t_e18, hit.price.carry);
	*hit_r = hit;
	return CARD_SET_OK;
}

bool card_set_identities_hold(const struct card_set *set, const char **where_r)
{
	return pool_books_hold(&set->books, set->t_e18, set->level, CARD_LEVELS, where_r);
}
