#include "services/gateway/core/offer.h"

#include "libcommon/base/currency.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Cut to what fits: no entry that is known is longer. */
static size_t entry_copy(const char *list, char entry_r[OFFER_ENTRY_MAX + 1])
{
	size_t length = strcspn(list, ",");
	size_t kept = length > OFFER_ENTRY_MAX ? OFFER_ENTRY_MAX : length;

	memcpy(entry_r, list, kept);
	entry_r[kept] = '\0';
	return length;
}

bool offer_next(const char **list, char entry_r[OFFER_ENTRY_MAX + 1])
{
	if (**list == '\0')
		return false;
	*list += entry_copy(*list, entry_r);
	*list += **list == ',';
	return true;
}

bool offer_has(const char *list, const char *entry)
{
	char one[OFFER_ENTRY_MAX + 1];

	if (*list == '\0')
		return true;
	while (offer_next(&list, one))
		if (strcmp(one, entry) == 0)
			return true;
	return false;
}

/* Whether one of the entries before `end` is this one. */
static bool repeated(const char *list, const char *end, const char *entry)
{
	char one[OFFER_ENTRY_MAX + 1];

	while (list < end && offer_next(&list, one))
		if (strcmp(one, entry) == 0)
			return true;
	return false;
}

static bool list_read(
	const char *text, bool (*known)(const char *entry), char found_r[OFFER_ENTRY_MAX + 1])
{
	const char *at = text;

	found_r[0] = '\0';
	if (strcmp(text, OFFER_ALL) == 0)
		return true;
	for (;;) {
		const char *begin = at;
		size_t length = entry_copy(at, found_r);

		at += length;
		if (length == 0 || length > OFFER_ENTRY_MAX || !known(found_r) ||
			repeated(text, begin, found_r))
			return false;
		if (*at == '\0')
			return true;
		at++;
	}
}

static bool is_slug(const char *entry)
{
	return strcmp(entry, OFFER_ALL) != 0 &&
	       strspn(entry, "abcdefghijklmnopqrstuvwxyz0123456789-_") == strlen(entry);
}

static bool is_currency(const char *entry)
{
	return currency_by_code(entry) != NULL;
}

bool offer_games_read(const char *text, char found_r[OFFER_ENTRY_MAX + 1])
{
	return list_read(text, is_slug, found_r);
}

bool offer_currencies_read(const char *text, char found_r[OFFER_ENTRY_MAX + 1])
{
	return list_read(text, is_currency, found_r);
}

void offer_numbers(const char *currencies, char out[OFFER_NUMBERS_MAX])
{
	char entry[OFFER_ENTRY_MAX + 1];
	size_t n = 0;

	if (strcmp(currencies, OFFER_ALL) == 0)
		currencies = "";
	out[n++] = '{';
	while (offer_next(&currencies, entry)) {
		const struct currency *currency = currency_by_code(entry);

		if (currency != NULL && n < OFFER_NUMBERS_MAX - 16)
			n += (size_t)snprintf(out + n, OFFER_NUMBERS_MAX - n, "%s%" PRIu32,
				n == 1 ? "" : ",", currency->number);
	}
	out[n++] = '}';
	out[n] = '\0';
}
