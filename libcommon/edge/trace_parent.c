#include "libcommon/edge/trace_parent.h"

#include <stddef.h>
#include <string.h>

#define TEXT_BYTES 55 /* of version 00 */
#define TRACE_ID_AT 3
#define PARENT_ID_AT 36
#define FLAGS_AT 53
#define SAMPLED 1

/* Upper-case digits are not valid. */
static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* any_r: not all bytes are 0. */
static bool hex_read(const char *text, size_t n, uint8_t *bytes_r, bool *any_r)
{
	*any_r = false;
	for (size_t i = 0; i < n; i++) {
		int high = digit(text[2 * i]);
		int low = high < 0 ? -1 : digit(text[2 * i + 1]);
		if (low < 0)
			return false;
		bytes_r[i] = (uint8_t)(high << 4 | low);
		*any_r = *any_r || bytes_r[i] != 0;
	}
	return true;
}

/* A later version may be longer, behind a further dash. "ff" is no version. */
static bool version_fits(const char *text, size_t length)
{
	uint8_t version;
	bool any;
	if (!hex_read(text, 1, &version, &any) || version == 0xff)
		return false;
	return length == TEXT_BYTES || (any && text[TEXT_BYTES] == '-');
}

bool trace_parent_read(const char *text, uint8_t trace_r[TRACE_PARENT_BYTES])
{
	size_t length = strlen(text);
	bool trace_any, parent_any, flags_any;
	if (length < TEXT_BYTES || !version_fits(text, length) || text[TRACE_ID_AT - 1] != '-' ||
		text[PARENT_ID_AT - 1] != '-' || text[FLAGS_AT - 1] != '-')
		return false;
	if (!hex_read(text + TRACE_ID_AT, 16, trace_r, &trace_any) ||
		!hex_read(text + PARENT_ID_AT, 8, trace_r + 16, &parent_any) ||
		!hex_read(text + FLAGS_AT, 1, trace_r + 24, &flags_any))
		return false;
	trace_r[24] &= SAMPLED;
	return trace_any && parent_any;
}
