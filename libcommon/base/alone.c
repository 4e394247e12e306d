#include "libcommon/base/alone.h"

#include "libcommon/base/number.h"

#include <stdio.h>
#include <string.h>

#define ENTRY_MAX 32

static bool entry_read(const char *text, size_t length, struct alone *alone)
{
	char entry[ENTRY_MAX];
	char *sign;
	const struct currency *currency;
	int64_t minor;

	if (length >= sizeof(entry) || alone->n == ALONE_MAX)
		return false;
	memcpy(entry, text, length);
	entry[length] = '\0';
	sign = strchr(entry, '=');
	if (sign == NULL)
		return false;
	*sign = '\0';
	currency = currency_by_code(entry);
	if ((currency == NULL && strcmp(entry, "*") != 0) ||
		!number_read(sign + 1, 0, MINOR_MAX, &minor))
		return false;
	for (size_t i = 0; i < alone->n; i++)
		if (alone->most[i].currency == currency)
			return false;
	alone->most[alone->n].currency = currency;
	alone->most[alone->n++].minor = minor;
	return true;
}

bool alone_read(const char *text, struct alone *alone_r, char error[ALONE_ERROR_MAX])
{
	alone_r->n = 0;
	while (*text != '\0') {
		size_t length = strcspn(text, ",");

		if (!entry_read(text, length, alone_r)) {
			(void)snprintf(error, ALONE_ERROR_MAX,
				"found \"%.40s\", expected CURRENCY=AMOUNT separated by commas, "
				"each currency once, such as EUR=1000000,SEK=10000000",
				text);
			return false;
		}
		text += length;
		if (*text == ',')
			text++;
	}
	return true;
}

int64_t alone_most(const struct alone *alone, const struct currency *currency)
{
	size_t of = alone->n;

	for (size_t i = 0; i < alone->n; i++)
		if (alone->most[i].currency == currency ||
			(alone->most[i].currency == NULL && of == alone->n))
			of = i;
	if (of == alone->n)
		return alone->n == 0 ? ALONE_ANY : 0;
	if (alone->most[of].minor == 0)
		return ALONE_ANY;
	return alone->most[of].currency == NULL
		       ? currency_from_cents(currency, alone->most[of].minor)
		       : alone->most[of].minor;
}

bool alone_permits(const struct alone *alone, const struct currency *currency, int64_t minor)
{
	int64_t most = alone_most(alone, currency);

	return most == ALONE_ANY || (most != 0 && minor <= most && minor >= -most);
}
