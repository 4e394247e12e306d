#include "services/gateway/core/audit_text.h"

#include "libcommon/base/currency.h"

#include <stdlib.h>
#include <string.h>

/* Inside a text of JSON, each quote has a backslash before it: this is always a member's name. */
static const char NAME[] = "\"currency\":";

/* The currency whose number begins here, and the end of the number; NULL: it is none. */
static const struct currency *number_read(const char *at, const char **end_r)
{
	size_t digits = strspn(at, "0123456789");

	*end_r = at + digits;
	if (digits == 0 || digits > 4 || at[digits] == '\0' || strchr(",} ", at[digits]) == NULL)
		return NULL;
	return currency_by_number((uint32_t)strtoul(at, NULL, 10));
}

void audit_text_currencies(const char *json, char *out_r)
{
	const char *found;

	while ((found = strstr(json, NAME)) != NULL) {
		const char *at = found + sizeof(NAME) - 1, *end;
		const struct currency *currency;

		at += strspn(at, " ");
		memcpy(out_r, json, (size_t)(at - json));
		out_r += at - json;
		json = at;
		currency = number_read(at, &end);
		if (currency == NULL)
			continue;
		*out_r++ = '"';
		memcpy(out_r, currency->code, strlen(currency->code));
		out_r += strlen(currency->code);
		*out_r++ = '"';
		json = end;
	}
	memcpy(out_r, json, strlen(json) + 1);
}
