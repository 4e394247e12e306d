/* Parses exact decimals of test tables. */
#include "services/progressive-pool/test/decimal.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

int128 decimal(const char *text, unsigned scale)
{
	char digits[128];
	size_t n = 0;
	const char *point = strchr(text, '.');
	unsigned decimals = point == NULL ? 0 : (unsigned)strlen(point + 1);
	assert(decimals <= scale && strlen(text) + scale < sizeof(digits));
	for (const char *at = text; *at != '\0'; at++)
		if (*at != '.')
			digits[n++] = *at;
	for (; decimals < scale; decimals++)
		digits[n++] = '0';
	digits[n] = '\0';
	int128 value = 0;
	bool read = int128_parse(digits, &value);
	assert(read);
	return value;
}
