/* The table of currencies. */
#include "libcommon/base/currency.h"

#include <string.h>

static const struct currency CURRENCIES[] = {
	{36, "AUD", 2},  {48, "BHD", 3},  {124, "CAD", 2}, {152, "CLP", 0},  {203, "CZK", 2}, {208, "DKK", 2},
	{348, "HUF", 2}, {352, "ISK", 0}, {392, "JPY", 0}, {410, "KRW", 0},  {414, "KWD", 3}, {484, "MXN", 2},
	{554, "NZD", 2}, {578, "NOK", 2}, {604, "PEN", 2}, {643, "RUB", 2},  {702, "SGD", 2}, {710, "ZAR", 2},
	{752, "SEK", 2}, {756, "CHF", 2}, {788, "TND", 3}, {826, "GBP", 2},  {840, "USD", 2}, {944, "AZN", 2},
	{946, "RON", 2}, {949, "TRY", 2}, {975, "BGN", 2}, {978, "EUR", 2},  {980, "UAH", 2}, {981, "GEL", 2},
	{985, "PLN", 2}, {986, "BRL", 2}, {1001, "XBT", 8},
};

#define CURRENCIES_N (sizeof(CURRENCIES) / sizeof(CURRENCIES[0]))

const struct currency *currency_at(size_t i)
{
	return i < CURRENCIES_N ? &CURRENCIES[i] : NULL;
}

const struct currency *currency_by_number(uint32_t number)
{
	for (size_t i = 0; i < CURRENCIES_N; i++)
		if (CURRENCIES[i].number == number)
			return &CURRENCIES[i];
	return NULL;
}

const struct currency *currency_by_code(const char *code)
{
	for (size_t i = 0; i < CURRENCIES_N; i++)
		if (strcmp(CURRENCIES[i].code, code) == 0)
			return &CURRENCIES[i];
	return NULL;
}
