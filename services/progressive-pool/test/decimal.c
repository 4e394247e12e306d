/* Reading of exact decimals for test tables. */
#include "services/progressive-pool/test/decimal.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

int128 decimal(const char *text, unsigned scale)
{
	char digits[128];
	size_t n = 0;
	const char *point = strchr(text, '.');
	unsigned decimals = point == NULL ? 0 : (unsigned)strlen(point + 1);
	assert_true(decimals <= scale && strlen(text) + scale < sizeof(digits));
	for (const char *at = text; *at != '\0'; at++)
		if (*at != '.')
			digits[n++] = *at;
	for (; decimals < scale; decimals++)
		digits[n++] = '0';
	digits[n] = '\0';
	int128 value;
	assert_true(int128_parse(digits, &value));
	return value;
}
