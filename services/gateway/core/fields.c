/* Checks the fields of requests and describes errors. */
#include "services/gateway/core/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *kind_text(enum value_kind kind)
{
	switch (kind) {
	case VALUE_NULL:
		return "null";
	case VALUE_BOOL:
		return "true or false";
	case VALUE_INT:
		return "a whole number";
	case VALUE_REAL:
		return "a number that is not whole or does not fit in 64 bits";
	case VALUE_TEXT:
		return "a string";
	case VALUE_ARRAY:
		return "an array";
	case VALUE_OBJECT:
		return "an object";
	}
	return "?";
}

static enum value_kind kind_wanted(enum field_type type)
{
	switch (type) {
	case FIELD_INT:
		return VALUE_INT;
	case FIELD_BOOL:
		return VALUE_BOOL;
	case FIELD_TEXT:
	case FIELD_LINES:
	case FIELD_SLUG:
	case FIELD_HEX:
	case FIELD_CHOICE:
		return VALUE_TEXT;
	case FIELD_OBJECT:
	case FIELD_JSON:
		return VALUE_OBJECT;
	}
	return VALUE_NULL;
}

static void name_where(struct problem *problem, const char *prefix, const char *name)
{
	(void)snprintf(problem->where, sizeof(problem->where), "%s%.60s", prefix, name);
	problem->found[0] = '\0';
	problem->expected[0] = '\0';
}

/* Cuts text from outside and replaces unsafe characters. */
static void quote(char out[PROBLEM_TEXT_MAX], const char *text, size_t length)
{
	size_t n = 0;
	out[n++] = '"';
	for (size_t i = 0; i < length && i < 64; i++)
		out[n++] = (char)(text[i] >= 0x20 && text[i] < 0x7f ? text[i] : '?');
	if (length > 64)
		for (int i = 0; i < 3; i++)
			out[n++] = '.';
	out[n++] = '"';
	out[n] = '\0';
}

static void choices_text(char out[PROBLEM_TEXT_MAX], const char *const *choices)
{
	size_t n = 0;
	out[0] = '\0';
	for (size_t i = 0; choices[i] != NULL && n < PROBLEM_TEXT_MAX; i++) {
		int more = snprintf(out + n, PROBLEM_TEXT_MAX - n, "%s\"%s\"",
			i == 0			 ? ""
			: choices[i + 1] == NULL ? " or "
						 : ", ",
			choices[i]);
		n += more > 0 ? (size_t)more : 0;
	}
}

void field_expected(const struct field *field, char *out)
{
	out[0] = '\0';
	if (field == NULL)
		return;
	switch (field->type) {
	case FIELD_INT:
		(void)snprintf(out, PROBLEM_TEXT_MAX, "a whole number from %" PRId64 " to %" PRId64,
			field->min, field->max);
		break;
	case FIELD_BOOL:
		(void)snprintf(out, PROBLEM_TEXT_MAX, "true or false");
		break;
	case FIELD_TEXT:
		(void)snprintf(out, PROBLEM_TEXT_MAX,
			"a string of %" PRId64 " to %" PRId64
			" printable characters, without bidirectional overrides",
			field->min, field->max);
		break;
	case FIELD_LINES:
		(void)snprintf(out, PROBLEM_TEXT_MAX,
			"a string of %" PRId64 " to %" PRId64
			" bytes, of printable characters and line breaks, without bidirectional "
			"overrides",
			field->min, field->max);
		break;
	case FIELD_SLUG:
		(void)snprintf(out, PROBLEM_TEXT_MAX,
			"%" PRId64 " to %" PRId64 " characters of a-z, 0-9, \"-\" and \"_\"",
			field->min, field->max);
		break;
	case FIELD_HEX:
		(void)snprintf(out, PROBLEM_TEXT_MAX,
			field->min == field->max ? "%" PRId64 " lower-case hex digits"
						 : "%" PRId64 " to %" PRId64
						   " lower-case hex digits, an even number",
			2 * field->min, 2 * field->max);
		break;
	case FIELD_CHOICE:
		choices_text(out, field->choices);
		break;
	case FIELD_OBJECT:
		(void)snprintf(out, PROBLEM_TEXT_MAX, "an object");
		break;
	case FIELD_JSON:
		(void)snprintf(out, PROBLEM_TEXT_MAX, "an object of at most %" PRId64 " bytes",
			field->max);
		break;
	}
}

const struct field *fields_find(const struct field *fields, const char *prefix, const char *name,
	size_t name_length, struct problem *problem_r)
{
	char known[PROBLEM_TEXT_MAX];
	size_t n = 0;
	known[0] = '\0';
	for (const struct field *f = fields; f->name != NULL; f++) {
		if (strlen(f->name) == name_length && memcmp(f->name, name, name_length) == 0)
			return f;
		int more =
			snprintf(known + n, sizeof(known) - n, "%s%s", n == 0 ? "" : ", ", f->name);
		if (more > 0 && (size_t)more < sizeof(known) - n)
			n += (size_t)more;
	}
	problem_r->code = "field_unknown";
	problem_r->message = "A field is unknown.";
	name_where(problem_r, prefix, prefix[0] == '\0' ? "body" : "");
	quote(problem_r->found, name, name_length);
	(void)snprintf(problem_r->expected, sizeof(problem_r->expected), "one of %.140s", known);
	return NULL;
}

/* U+202A to U+202E and U+2066 to U+2069: they let a text be shown in another order than it is
 * stored, so that a name or a reason seems to say something else. */
static bool turns_direction(const unsigned char *c, size_t left)
{
	if (left < 3 || c[0] != 0xe2)
		return false;
	return (c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) ||
	       (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9);
}

static bool text_ok(const struct field *field, const struct value *value)
{
	if (value->length < (uint64_t)field->min || value->length > (uint64_t)field->max)
		return false;
	for (size_t i = 0; i < value->length; i++) {
		unsigned char c = (unsigned char)value->text[i];
		bool slug =
			(c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
		bool breaks = field->type == FIELD_LINES && c == '\n';
		if (field->type == FIELD_SLUG ? !slug : (c < 0x20 && !breaks) || c == 0x7f)
			return false;
		if (turns_direction((const unsigned char *)value->text + i, value->length - i))
			return false;
	}
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool hex_store(const struct field *field, const struct value *value, void *at)
{
	struct field_bytes bytes = { .length = value->length / 2 };
	if (value->length % 2 != 0 || bytes.length < (uint64_t)field->min ||
		bytes.length > (uint64_t)field->max || bytes.length > FIELD_BYTES_MAX)
		return false;
	for (size_t i = 0; i < bytes.length; i++) {
		int high = hex_digit(value->text[2 * i]);
		int low = hex_digit(value->text[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		bytes.bytes[i] = (uint8_t)(high << 4 | low);
	}
	memcpy(at, &bytes, sizeof(bytes));
	return true;
}

static bool choice_store(const struct field *field, const struct value *value, void *at)
{
	for (int64_t i = 0; field->choices[i] != NULL; i++) {
		if (strlen(field->choices[i]) != value->length ||
			memcmp(field->choices[i], value->text, value->length) != 0)
			continue;
		memcpy(at, &i, sizeof(i));
		return true;
	}
	return false;
}

static bool store(const struct field *field, const struct value *value, char *at)
{
	bool truth = value->number != 0;
	switch (field->type) {
	case FIELD_INT:
		if (value->number < field->min || value->number > field->max)
			return false;
		memcpy(at, &value->number, sizeof(value->number));
		return true;
	case FIELD_BOOL:
		memcpy(at, &truth, sizeof(truth));
		return true;
	case FIELD_TEXT:
	case FIELD_LINES:
	case FIELD_SLUG:
		if (!text_ok(field, value))
			return false;
		memcpy(at, value->text, value->length);
		at[value->length] = '\0';
		return true;
	case FIELD_HEX:
		return hex_store(field, value, at);
	case FIELD_CHOICE:
		return choice_store(field, value, at);
	case FIELD_OBJECT:
		return true;
	case FIELD_JSON:
		if (value->length > (uint64_t)field->max)
			return false;
		memcpy(at, value->text, value->length);
		at[value->length] = '\0';
		return true;
	}
	return false;
}

enum fields_status field_check(const struct field *field, const char *prefix,
	const struct value *value, void *target, struct problem *problem_r)
{
	const bool yes = true;
	if (value->kind == kind_wanted(field->type) &&
		store(field, value, (char *)target + field->at)) {
		memcpy((char *)target + field->has_at, &yes, sizeof(yes));
		return FIELDS_OK;
	}
	name_where(problem_r, prefix, field->name);
	field_expected(field, problem_r->expected);
	if (value->kind != kind_wanted(field->type)) {
		problem_r->code = "field_type";
		problem_r->message = "A field has the wrong type.";
		(void)snprintf(
			problem_r->found, sizeof(problem_r->found), "%s", kind_text(value->kind));
		return FIELDS_TYPE;
	}
	problem_r->code = "field_range";
	problem_r->message = "The value of a field is not allowed.";
	if (value->kind == VALUE_INT)
		(void)snprintf(
			problem_r->found, sizeof(problem_r->found), "%" PRId64, value->number);
	else if (value->length > PROBLEM_TEXT_MAX)
		(void)snprintf(problem_r->found, sizeof(problem_r->found), "%zu characters",
			value->length);
	else
		quote(problem_r->found, value->text, value->length);
	return FIELDS_RANGE;
}

enum fields_status fields_complete(const struct field *fields, const char *prefix,
	const void *target, struct problem *problem_r)
{
	for (const struct field *f = fields; f->name != NULL; f++) {
		bool has;
		memcpy(&has, (const char *)target + f->has_at, sizeof(has));
		if (has || !f->required)
			continue;
		problem_r->code = "field_missing";
		problem_r->message = "A field is missing.";
		name_where(problem_r, prefix, f->name);
		(void)snprintf(problem_r->found, sizeof(problem_r->found), "nothing");
		field_expected(f, problem_r->expected);
		return FIELDS_MISSING;
	}
	return FIELDS_OK;
}
