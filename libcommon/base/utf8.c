#include "libcommon/base/utf8.h"

static size_t length_by_first(unsigned char c)
{
	if (c < 0x80)
		return c != 0;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	return c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
}

size_t utf8_length(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	size_t n = length_by_first(*c);
	for (size_t i = 1; i < n; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	/* overlong forms, surrogates, beyond the last character */
	if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f) ||
		(*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] > 0x8f))
		return 0;
	return n;
}

size_t utf8_valid_length(const char *text)
{
	size_t at = 0;
	for (size_t n; (n = utf8_length(text + at)) > 0;)
		at += n;
	return at;
}

bool utf8_valid(const char *text)
{
	return text[utf8_valid_length(text)] == '\0';
}

void utf8_whole(char *text)
{
	for (char *at = text + utf8_valid_length(text); *at != '\0';) {
		*at = '?';
		at += utf8_valid_length(at);
	}
}
