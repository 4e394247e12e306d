/* Days as text: YYYY-MM-DD. Pure. */
#ifndef CARILLON_GATEWAY_CORE_DATES_H
#define CARILLON_GATEWAY_CORE_DATES_H

#include <stdbool.h>

/* True for a day of the calendar from 1970-01-01 to 9998-12-31, written just like that. */
bool date_valid(const char *text);

#endif
