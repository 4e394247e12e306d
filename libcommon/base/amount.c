/* Checked 128-bit arithmetic for the pools' books. */
#include "libcommon/base/amount.h"

bool amount_add(struct amount a, struct amount b, struct amount *sum_r)
{
	int128 sum;
	if (__builtin_add_overflow(a.e27, b.e27, &sum))
		return false;
	sum_r->e27 = sum;
	return true;
}

bool amount_sub(struct amount a, struct amount b, struct amount *difference_r)
{
	int128 difference;
	if (__builtin_sub_overflow(a.e27, b.e27, &difference))
		return false;
	difference_r->e27 = difference;
	return true;
}

bool int128_mul(int128 a, int128 b, int128 *product_r)
{
	int128 product;
	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*product_r = product;
	return true;
}

bool amount_mul(struct amount a, int64_t factor, struct amount *product_r)
{
	return int128_mul(a.e27, factor, &product_r->e27);
}

bool amount_floor_div(struct amount a, int128 b, int128 *quotient_r, struct amount *remainder_r)
{
	if (a.e27 < 0 || b <= 0)
		return false;
	*quotient_r = a.e27 / b;
	remainder_r->e27 = a.e27 % b;
	return true;
}

size_t int128_format(int128 value, char *out)
{
	char digits[AMOUNT_TEXT_MAX];
	size_t n = 0;
	/* Unsigned, because the most negative number has no positive counterpart. */
	uint128 rest = value < 0 ? (uint128)0 - (uint128)value : (uint128)value;
	do {
		digits[n++] = (char)('0' + (int)(rest % 10));
		rest /= 10;
	} while (rest != 0);
	size_t length = 0;
	if (value < 0)
		out[length++] = '-';
	while (n > 0)
		out[length++] = digits[--n];
	out[length] = '\0';
	return length;
}

bool int128_parse(const char *text, int128 *value_r)
{
	bool negative = *text == '-';
	if (*text == '-' || *text == '+')
		text++;
	if (*text == '\0')
		return false;
	int128 value = 0;
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9')
			return false;
		int digit = *text - '0';
		if (__builtin_mul_overflow(value, (int128)10, &value))
			return false;
		/* Counts down for negatives, so that the most negative number can be read. */
		if (__builtin_add_overflow(value, (int128)(negative ? -digit : digit), &value))
			return false;
	}
	*value_r = value;
	return true;
}
