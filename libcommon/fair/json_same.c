#include "libcommon/fair/private/json_same.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

void json_short(const json_t *value, char out[JSON_SHORT_MAX])
{
	if (!value)
		snprintf(out, JSON_SHORT_MAX, "nothing");
	else if (json_is_string(value))
		snprintf(out, JSON_SHORT_MAX, "%.70s", json_string_value(value));
	else if (json_is_integer(value))
		snprintf(out, JSON_SHORT_MAX, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_array(value))
		snprintf(out, JSON_SHORT_MAX, "a list of %zu", json_array_size(value));
	else
		snprintf(out, JSON_SHORT_MAX, "%s",
			json_is_true(value)	? "true"
			: json_is_false(value)	? "false"
			: json_is_object(value) ? "an object"
			: json_is_null(value)	? "null"
						: "a fraction");
}

/* Adds a step to the pointer; returns its length before. */
static size_t step(struct json_difference *difference, const char *name)
{
	size_t before = strlen(difference->where);

	snprintf(difference->where + before, JSON_WHERE_MAX - before, "/%s", name);
	return before;
}

static bool members_same(
	const json_t *found, const json_t *expected, struct json_difference *difference)
{
	const char *key;
	json_t *value;

	/* the iterator changes nothing; jansson's macro only lacks a const */
	json_object_foreach((json_t *)(uintptr_t)expected, key, value)
	{
		size_t before = step(difference, key);

		if (!json_same(json_object_get(found, key), value, difference))
			return false;
		difference->where[before] = 0;
	}
	return true;
}

static bool elements_same(
	const json_t *found, const json_t *expected, struct json_difference *difference)
{
	char name[24];

	for (size_t i = 0; i < json_array_size(expected); i++) {
		size_t before;

		snprintf(name, sizeof(name), "%zu", i);
		before = step(difference, name);
		if (!json_same(json_array_get(found, i), json_array_get(expected, i), difference))
			return false;
		difference->where[before] = 0;
	}
	return true;
}

static bool values_same(const json_t *found, const json_t *expected)
{
	if (json_is_string(expected))
		return strcmp(json_string_value(found), json_string_value(expected)) == 0;
	if (json_is_integer(expected))
		return json_integer_value(found) == json_integer_value(expected);
	return !json_is_array(expected) || json_array_size(found) == json_array_size(expected);
}

bool json_same(const json_t *found, const json_t *expected, struct json_difference *difference_r)
{
	if (!found || !expected || json_typeof(found) != json_typeof(expected) ||
		!values_same(found, expected)) {
		json_short(found, difference_r->found);
		json_short(expected, difference_r->expected);
		return false;
	}
	if (json_is_object(expected))
		return members_same(found, expected, difference_r);
	return !json_is_array(expected) || elements_same(found, expected, difference_r);
}
