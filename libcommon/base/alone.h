/* The amounts up to which nobody else decides: by currency, as a setting. Above them another user
 * or key approves what one of an operator books, and an operator what a player withdraws. Pure. */
#ifndef CARILLON_LIBCOMMON_BASE_ALONE_H
#define CARILLON_LIBCOMMON_BASE_ALONE_H

#include "libcommon/base/currency.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALONE_MAX 32
#define ALONE_ERROR_MAX 160

struct alone {
	size_t n; /* 0: everybody books every amount alone */
	struct {
		const struct currency *currency; /* NULL: each that is not named */
		/* The largest amount, of each that is not named in euro cents; 0: every amount. */
		int64_t minor;
	} most[ALONE_MAX];
};
#define ALONE_ANY INT64_C(-1)

/* Reads "EUR=1000000,SEK=10000000,JPY=0,*=5000", in minor units; * in euro cents, for what is worth
 * about as much in each currency that is not named. "" names none. False: `error` says what was
 * found and expected. */
bool alone_read(const char *text, struct alone *alone_r, char error[ALONE_ERROR_MAX]);
/* The largest amount, or ALONE_ANY. In a currency that is not named, and without an entry for
 * those, nobody books alone: 0. */
int64_t alone_most(const struct alone *alone, const struct currency *currency);
/* `minor` may be below 0: then what it takes away counts. */
bool alone_permits(const struct alone *alone, const struct currency *currency, int64_t minor);

#endif
