/* Compares what was shown with what was played. */
#ifndef CARILLON_FAIR_JSON_SAME_H
#define CARILLON_FAIR_JSON_SAME_H

#include <jansson.h>
#include <stdbool.h>

#define JSON_WHERE_MAX 96
#define JSON_SHORT_MAX 80

struct json_difference {
	char where[JSON_WHERE_MAX]; /* a JSON pointer */
	char found[JSON_SHORT_MAX], expected[JSON_SHORT_MAX];
};

/* True if every member of `expected` is in `found` and equal; lists have the same length. Members
 * that only `found` has do not count. A value that is NULL is never equal, not even to NULL. Else
 * *difference_r names the first difference; `where` holds the pointer of the two values when
 * called. */
bool json_same(const json_t *found, const json_t *expected, struct json_difference *difference_r);
/* A value as a short text; "nothing" for NULL. */
void json_short(const json_t *value, char out[JSON_SHORT_MAX]);

#endif
