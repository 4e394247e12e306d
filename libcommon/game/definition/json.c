#include "libcommon/game/definition/json.h"

#include "libcommon/game/definition_load.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOUND_MAX 64

static void show(const json_t *json, char *out)
{
	switch (json ? json_typeof(json) : JSON_NULL) {
	case JSON_OBJECT:
		snprintf(out, FOUND_MAX, "an object of %zu members", json_object_size(json));
		break;
	case JSON_ARRAY:
		snprintf(out, FOUND_MAX, "an array of %zu", json_array_size(json));
		break;
	case JSON_STRING:
		snprintf(out, FOUND_MAX, "\"%.40s\"", json_string_value(json));
		break;
	case JSON_INTEGER:
		snprintf(out, FOUND_MAX, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
		break;
	case JSON_REAL:
		snprintf(out, FOUND_MAX, "the fraction %g", json_real_value(json));
		break;
	case JSON_TRUE:
		snprintf(out, FOUND_MAX, "true");
		break;
	case JSON_FALSE:
		snprintf(out, FOUND_MAX, "false");
		break;
	case JSON_NULL:
		snprintf(out, FOUND_MAX, json ? "null" : "nothing");
		break;
	}
}

void node_fail(const struct node *node, const char *found, const char *expected, ...)
{
	char own[FOUND_MAX], wanted[256];
	va_list args;

	if (node->reader->failed)
		return;
	node->reader->failed = true;
	show(node->json, own);
	va_start(args, expected);
	vsnprintf(wanted, sizeof(wanted), expected, args);
	va_end(args);
	snprintf(node->reader->error, DEFINITION_ERROR_MAX, "%s: at %s: found %s, expected %s",
		node->reader->file, node->pointer[0] ? node->pointer : "/", found ? found : own,
		wanted);
}

static struct node step(const struct node *from, const char *name, json_t *json)
{
	struct node node = { .reader = from->reader, .json = json };

	/* shortens pointers only in messages; valid definitions have no such depth or names */
	snprintf(node.pointer, sizeof(node.pointer), "%.100s/%.50s", from->pointer, name);
	return node;
}

static bool is_object(const struct node *node)
{
	if (node->reader->failed)
		return false;
	if (!json_is_object(node->json))
		node_fail(node, NULL, "an object");
	return json_is_object(node->json);
}

struct node node_member(const struct node *object, const char *key)
{
	struct node node = step(object, key, NULL);

	if (!is_object(object))
		return node;
	node.json = json_object_get(object->json, key);
	if (!node.json)
		node_fail(&node, "nothing", "a member of this name");
	return node;
}

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = words; *p; p += strcspn(p, " ") + (p[strcspn(p, " ")] == ' '))
		if (strcspn(p, " ") == length && strncmp(p, word, length) == 0)
			return true;
	return false;
}

bool node_has(const struct node *object, const char *key)
{
	return object->json != NULL && json_object_get(object->json, key) != NULL;
}

void node_keys(const struct node *object, const char *keys)
{
	const char *key;
	json_t *value;

	if (!is_object(object))
		return;
	json_object_foreach(object->json, key, value)
	{
		struct node node = step(object, key, value);

		if (!has_word(keys, key))
			node_fail(&node, "an unknown member", "one of: %s", keys);
	}
}

struct node node_item(const struct node *array, size_t i)
{
	char name[24];

	snprintf(name, sizeof(name), "%zu", i);
	return step(array, name, json_array_get(array->json, i));
}

struct node node_nth(const struct node *object, size_t i, const char **key_r)
{
	void *at = json_object_iter(object->json);

	while (at && i-- > 0)
		at = json_object_iter_next(object->json, at);
	*key_r = at ? json_object_iter_key(at) : "";
	return step(object, *key_r, at ? json_object_iter_value(at) : NULL);
}

static size_t sized(const struct node *node, const char *what, size_t size, size_t min, size_t max)
{
	if (size >= min && size <= max)
		return size;
	if (min == max)
		node_fail(node, NULL, "%s of %zu", what, min);
	else
		node_fail(node, NULL, "%s of %zu to %zu", what, min, max);
	return 0;
}

size_t node_array(const struct node *node, size_t min, size_t max)
{
	if (node->reader->failed)
		return 0;
	if (!json_is_array(node->json)) {
		node_fail(node, NULL, "an array");
		return 0;
	}
	return sized(node, "an array", json_array_size(node->json), min, max);
}

size_t node_object(const struct node *node, size_t min, size_t max)
{
	if (!is_object(node))
		return 0;
	return sized(node, "an object", json_object_size(node->json), min, max);
}

int64_t node_integer(const struct node *node, int64_t min, int64_t max)
{
	if (node->reader->failed)
		return min;
	if (!json_is_integer(node->json) || json_integer_value(node->json) < min ||
		json_integer_value(node->json) > max) {
		node_fail(node, NULL, "a whole number from %" PRId64 " to %" PRId64, min, max);
		return min;
	}
	return json_integer_value(node->json);
}

uint32_t node_u32(const struct node *node, uint32_t min, uint32_t max)
{
	return (uint32_t)node_integer(node, min, max);
}

bool node_bool(const struct node *node)
{
	if (!node->reader->failed && !json_is_boolean(node->json))
		node_fail(node, NULL, "true or false");
	return json_is_true(node->json);
}

bool node_is_null(const struct node *node)
{
	return json_is_null(node->json);
}

void node_text(const struct node *node, char *out, size_t room)
{
	const char *text = json_string_value(node->json);

	out[0] = 0;
	if (node->reader->failed)
		return;
	if (!text || !text[0] || strlen(text) >= room)
		node_fail(node, NULL, "a string of 1 to %zu bytes", room - 1);
	else
		memcpy(out, text, strlen(text) + 1);
}

void node_slug(const struct node *node, char *out, size_t room)
{
	node_text(node, out, room);
	if (node->reader->failed)
		return;
	if (out[0] < 'a' || out[0] > 'z' ||
		strspn(out, "abcdefghijklmnopqrstuvwxyz0123456789-_") != strlen(out)) {
		node_fail(node, NULL,
			"a name made of a-z, 0-9, '-' and '_' that begins with a letter");
		out[0] = 0;
	}
}

uint32_t node_word(const struct node *node, const char *words)
{
	const char *text = json_string_value(node->json);
	uint32_t index = 0;

	if (node->reader->failed)
		return 0;
	for (const char *p = words; text && *p; index++) {
		size_t length = strcspn(p, " ");

		if (strlen(text) == length && strncmp(text, p, length) == 0)
			return index;
		p += length + (p[length] == ' ');
	}
	node_fail(node, NULL, "one of: %s", words);
	return 0;
}

/* True if the text is digits, or digits, a point and one to four digits. */
static bool percent_ppm(const char *text, uint32_t *ppm_r)
{
	size_t whole = text ? strspn(text, "0123456789") : 0, decimals = 0;
	uint32_t value = 0;

	if (whole < 1 || whole > 3 || (text[0] == '0' && whole > 1))
		return false;
	if (text[whole] == '.') {
		decimals = strspn(text + whole + 1, "0123456789");
		if (decimals < 1 || decimals > 4 || text[whole + 1 + decimals])
			return false;
	} else if (text[whole]) {
		return false;
	}
	for (size_t i = 0; i < whole; i++)
		value = value * 10 + (uint32_t)(text[i] - '0');
	for (size_t i = 0; i < 4; i++)
		value = value * 10 + (i < decimals ? (uint32_t)(text[whole + 1 + i] - '0') : 0);
	*ppm_r = value;
	return true;
}

uint32_t node_percent_ppm(const struct node *node, uint32_t min, uint32_t max)
{
	uint32_t ppm = min;

	if (node->reader->failed)
		return min;
	if (!percent_ppm(json_string_value(node->json), &ppm) || ppm < min || ppm > max) {
		node_fail(node, NULL,
			"a percentage as text such as \"96.08\", with at most 4 decimals, from "
			"%u.%04u to %u.%04u",
			min / 10000, min % 10000, max / 10000, max % 10000);
		return min;
	}
	return ppm;
}

bool node_number_key(
	const struct node *member, const char *key, uint32_t min, uint32_t max, uint32_t *value_r)
{
	char canonical[24];
	unsigned long value = strtoul(key, NULL, 10);

	if (member->reader->failed)
		return false;
	snprintf(canonical, sizeof(canonical), "%lu", value);
	if (strcmp(canonical, key) != 0 || value < min || value > max) {
		node_fail(member, "a member of this name",
			"a name that is a number from %" PRIu32 " to %" PRIu32, min, max);
		return false;
	}
	*value_r = (uint32_t)value;
	return true;
}
