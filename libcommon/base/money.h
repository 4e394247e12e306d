/* Money in minor units of one currency, with checked arithmetic. The currency belongs to the
 * account and is checked there. No operation wraps, rounds or uses floating point. A result that
 * does not fit is reported; the compiler warns when a caller ignores the report. */
#ifndef CARILLON_BASE_MONEY_H
#define CARILLON_BASE_MONEY_H

#include <stdbool.h>
#include <stdint.h>

#define CARILLON_MUST_CHECK __attribute__((warn_unused_result))

struct money {
	int64_t minor; /* cents for EUR, yen for JPY */
};

static inline struct money money_of(int64_t minor)
{
	return (struct money){ minor };
}

/* All three functions return true and set the result, or return false and leave it untouched when
 * the result does not fit. */
static inline CARILLON_MUST_CHECK bool money_add(
	struct money a, struct money b, struct money *sum_r)
{
	int64_t sum;
	if (__builtin_add_overflow(a.minor, b.minor, &sum))
		return false;
	sum_r->minor = sum;
	return true;
}

static inline CARILLON_MUST_CHECK bool money_sub(
	struct money a, struct money b, struct money *difference_r)
{
	int64_t difference;
	if (__builtin_sub_overflow(a.minor, b.minor, &difference))
		return false;
	difference_r->minor = difference;
	return true;
}

static inline CARILLON_MUST_CHECK bool money_mul(
	struct money a, int64_t factor, struct money *product_r)
{
	int64_t product;
	if (__builtin_mul_overflow(a.minor, factor, &product))
		return false;
	product_r->minor = product;
	return true;
}

#endif
