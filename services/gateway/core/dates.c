#include "services/gateway/core/dates.h"

#include <stddef.h>

#define DATE_LENGTH 10

static bool shaped(const char *text)
{
	for (size_t i = 0; i < DATE_LENGTH; i++) {
		bool dash = i == 4 || i == 7;
		if (dash ? text[i] != '-' : (text[i] < '0' || text[i] > '9'))
			return false;
	}
	return text[DATE_LENGTH] == '\0';
}

static unsigned number(const char *digits, size_t n)
{
	unsigned value = 0;
	for (size_t i = 0; i < n; i++)
		value = value * 10 + (unsigned)(digits[i] - '0');
	return value;
}

static unsigned days_of(unsigned year, unsigned month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return days[month - 1] + (month == 2 && leap ? 1U : 0U);
}

bool date_valid(const char *text)
{
	if (!shaped(text))
		return false;
	unsigned year = number(text, 4), month = number(text + 5, 2), day = number(text + 8, 2);
	return year >= 1970 && year <= 9998 && month >= 1 && month <= 12 && day >= 1 &&
	       day <= days_of(year, month);
}
