/* Hex digits. */
#include "libcommon/base/hex.h"

#include <string.h>

void hex_format(const uint8_t *bytes, size_t n, char *out)
{
	static const char DIGITS[] = "0123456789abcdef";
	for (size_t i = 0; i < n; i++) {
		out[2 * i] = DIGITS[bytes[i] >> 4];
		out[2 * i + 1] = DIGITS[bytes[i] & 15];
	}
	out[2 * n] = '\0';
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool hex_parse(const char *text, size_t n, uint8_t *bytes_r)
{
	if (strlen(text) != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int high = digit(text[2 * i]);
		int low = digit(text[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		bytes_r[i] = (uint8_t)((unsigned)high << 4 | (unsigned)low);
	}
	return true;
}
