/* Numbers as text, as paths, queries and settings have them. Pure. */
#ifndef CARILLON_BASE_NUMBER_H
#define CARILLON_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* A decimal number: digits only, no leading zero but "0", min..max. */
bool number_read(const char *text, int64_t min, int64_t max, int64_t *number_r);

#endif
