/* Reads JSON into the structs of the core. */
#include "services/gateway/adapters/parse.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TWO_TO_63 9223372036854775808.0

/* jansson itself allows 2,048 levels. */
static bool depth_ok(const char *text, size_t length)
{
	int depth = 0;
	bool inside = false;
	for (size_t i = 0; i < length; i++) {
		char c = text[i];
		if (inside && c == '\\')
			i++;
		else if (c == '"')
			inside = !inside;
		else if (!inside && (c == '{' || c == '['))
			depth++;
		else if (!inside && (c == '}' || c == ']'))
			depth--;
		if (depth > PARSE_DEPTH_MAX)
			return false;
	}
	return true;
}

static struct value value_of(const json_t *json)
{
	struct value value = { VALUE_NULL, 0, NULL, 0 };
	switch (json_typeof(json)) {
	case JSON_OBJECT:
		value.kind = VALUE_OBJECT;
		break;
	case JSON_ARRAY:
		value.kind = VALUE_ARRAY;
		break;
	case JSON_STRING:
		value.kind = VALUE_TEXT;
		value.text = json_string_value(json);
		value.length = json_string_length(json);
		break;
	case JSON_INTEGER:
		value.kind = VALUE_INT;
		value.number = json_integer_value(json);
		break;
	case JSON_REAL:
		value.kind = VALUE_REAL;
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		value.kind = VALUE_BOOL;
		value.number = json_is_true(json);
		break;
	case JSON_NULL:
		break;
	}
	return value;
}

/* Two levels at most: an object of a table holds no object. */
static bool members(json_t *object, const char *prefix, const struct field *fields, void *target,
	struct problem *problem)
{
	const char *name;
	json_t *member;
	json_object_foreach(object, name, member)
	{
		struct value value = value_of(member);
		const struct field *field =
			fields_find(fields, prefix, name, strlen(name), problem);
		char *text = NULL;
		if (field != NULL && field->type == FIELD_JSON && value.kind == VALUE_OBJECT) {
			text = json_dumps(member, JSON_COMPACT | JSON_PRESERVE_ORDER);
			value.text = text != NULL ? text : "";
			value.length = strlen(value.text);
		}
		bool good = field != NULL &&
			    field_check(field, prefix, &value, target, problem) == FIELDS_OK;
		free(text);
		if (!good)
			return false;
		if (field->type != FIELD_OBJECT)
			continue;
		char inner[64];
		(void)snprintf(inner, sizeof(inner), "%s%s.", prefix, field->name);
		if (!members(member, inner, field->fields, (char *)target + field->at, problem))
			return false;
	}
	return fields_complete(fields, prefix, target, problem) == FIELDS_OK;
}

static bool malformed(struct problem *problem, const char *found, const char *expected)
{
	problem->code = "malformed";
	problem->message = "The body is not the expected JSON.";
	(void)snprintf(problem->where, sizeof(problem->where), "body");
	(void)snprintf(problem->found, sizeof(problem->found), "%.150s", found);
	(void)snprintf(problem->expected, sizeof(problem->expected), "%s", expected);
	return false;
}

/* jansson rejects whole numbers beyond 64 bits without naming the member: find it. */
static bool huge(
	json_t *object, const char *prefix, const struct field *fields, struct problem *problem)
{
	const char *name;
	json_t *member;
	json_object_foreach(object, name, member)
	{
		char inner[64];
		(void)snprintf(inner, sizeof(inner), "%s%.30s.", prefix, name);
		struct problem unknown;
		const struct field *field =
			fields_find(fields, prefix, name, strlen(name), &unknown);
		if (json_is_object(member) && field != NULL && field->type == FIELD_OBJECT &&
			huge(member, inner, field->fields, problem))
			return true;
		double size = json_is_real(member) ? fabs(json_real_value(member)) : 0;
		if (size < TWO_TO_63)
			continue;
		problem->code = "field_type";
		problem->message = "A field has the wrong type.";
		(void)snprintf(problem->where, sizeof(problem->where), "%s%.60s", prefix, name);
		(void)snprintf(problem->found, sizeof(problem->found),
			"a number that does not fit in 64 bits");
		field_expected(field, problem->expected);
		return true;
	}
	return false;
}

static bool too_big(
	const char *text, size_t length, const struct field *fields, struct problem *problem)
{
	json_t *root = json_loadb(text, length,
		JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
	bool found = json_is_object(root) && huge(root, "", fields, problem);
	json_decref(root);
	return found;
}

bool parse_body(const char *text, size_t length, const struct field *fields, void *target,
	struct problem *problem_r)
{
	json_error_t error;
	char found[PROBLEM_TEXT_MAX];
	if (length == 0)
		return malformed(problem_r, "nothing", "a JSON object");
	if (!depth_ok(text, length))
		return malformed(
			problem_r, "more than 8 levels", "at most 8 levels of objects and arrays");
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
	if (root == NULL) {
		if (json_error_code(&error) == json_error_numeric_overflow &&
			too_big(text, length, fields, problem_r))
			return false;
		(void)snprintf(found, sizeof(found), "line %d, column %d: %.100s", error.line,
			error.column, error.text);
		return malformed(problem_r, found, "a JSON object");
	}
	bool ok = json_is_object(root)
			  ? members(root, "", fields, target, problem_r)
			  : malformed(problem_r, "JSON that is not an object", "a JSON object");
	json_decref(root);
	return ok;
}
