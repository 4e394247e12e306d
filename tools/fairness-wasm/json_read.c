/* Reads JSON (RFC 8259), and writes a definition's canonical form. Bounded in depth; every
 * rejection names line and column. */
#include <jansson.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

struct reader {
	const char *at, *end, *begin;
	json_error_t *error;
	bool failed;
	int depth;
};

static json_t *fail(struct reader *reader, const char *expected)
{
	if (reader->failed)
		return NULL;
	reader->failed = true;
	if (!reader->error)
		return NULL;
	reader->error->line = 1;
	reader->error->column = 0;
	for (const char *c = reader->begin; c < reader->at; c++) {
		reader->error->column++;
		if (*c == '\n') {
			reader->error->line++;
			reader->error->column = 0;
		}
	}
	snprintf(reader->error->text, sizeof(reader->error->text), "no %s", expected);
	return NULL;
}

static void blanks(struct reader *reader)
{
	while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at)
		reader->at++;
}

static bool next_is(struct reader *reader, char c)
{
	blanks(reader);
	if (reader->at >= reader->end || *reader->at != c)
		return false;
	reader->at++;
	return true;
}

static json_t *new_json(struct reader *reader, json_type type)
{
	json_t *json = calloc(1, sizeof(*json));

	if (!json)
		return fail(reader, "memory");
	json->type = type;
	return json;
}

/* ---- strings ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The four digits after \u; -1 if they are none. */
static int32_t unit_of(struct reader *reader)
{
	int32_t unit = 0;

	for (int i = 0; i < 4; i++) {
		int digit = reader->at < reader->end ? hex_digit(*reader->at) : -1;

		if (digit < 0)
			return -1;
		unit = unit * 16 + digit;
		reader->at++;
	}
	return unit;
}

static char *put_utf8(char *out, uint32_t point)
{
	if (point < 0x80) {
		*out++ = (char)point;
		return out;
	}
	if (point < 0x800) {
		*out++ = (char)(0xc0 | point >> 6);
	} else {
		if (point < 0x10000) {
			*out++ = (char)(0xe0 | point >> 12);
		} else {
			*out++ = (char)(0xf0 | point >> 18);
			*out++ = (char)(0x80 | (point >> 12 & 0x3f));
		}
		*out++ = (char)(0x80 | (point >> 6 & 0x3f));
	}
	*out++ = (char)(0x80 | (point & 0x3f));
	return out;
}

/* A pair of surrogates is one character; a lone one is none. */
static char *escaped_unit(struct reader *reader, char *out)
{
	int32_t unit = unit_of(reader), low;

	if (unit >= 0xd800 && unit < 0xdc00) {
		if (reader->end - reader->at < 2 || reader->at[0] != '\\' || reader->at[1] != 'u')
			return NULL;
		reader->at += 2;
		low = unit_of(reader);
		if (low < 0xdc00 || low > 0xdfff)
			return NULL;
		return put_utf8(out,
			0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
	}
	if (unit <= 0 || (unit >= 0xdc00 && unit <= 0xdfff))
		return NULL; /* U+0000 as well: a text ends there */
	return put_utf8(out, (uint32_t)unit);
}

static char *escaped(struct reader *reader, char *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = reader->at < reader->end ? *reader->at++ : 0;
	const char *found = c ? strchr(from, c) : NULL;

	if (c == 'u')
		return escaped_unit(reader, out);
	if (!found)
		return NULL;
	*out++ = to[found - from];
	return out;
}

/* Behind the opening quote. The text is never longer than what it is read from. */
static char *read_text(struct reader *reader)
{
	char *text = malloc((size_t)(reader->end - reader->at) + 1), *out = text;

	if (!text) {
		fail(reader, "memory");
		return NULL;
	}
	while (out && reader->at < reader->end && *reader->at != '"') {
		char c = *reader->at++;

		if (c == '\\')
			out = escaped(reader, out);
		else if ((unsigned char)c < 0x20)
			out = NULL;
		else
			*out++ = c;
	}
	if (!out || reader->at >= reader->end) {
		free(text);
		fail(reader, "string of valid characters with a closing quote");
		return NULL;
	}
	reader->at++;
	*out++ = 0;
	return realloc(text, (size_t)(out - text));
}

/* ---- values ---- */

static json_t *read_value(struct reader *reader);

static void append(json_t *list, json_t ***end, json_t *json)
{
	**end = json;
	*end = &json->next;
	list->size++;
}

static bool read_member(struct reader *reader, json_t *object, json_t ***end)
{
	char *key = next_is(reader, '"') ? read_text(reader) : NULL;
	json_t *value;

	if (!key)
		return fail(reader, "name of a member") != NULL;
	if (json_object_get(object, key)) {
		free(key);
		return fail(reader, "name that is new in this object: an earlier member has it") !=
		       NULL;
	}
	if (!next_is(reader, ':')) {
		free(key);
		return fail(reader, "colon after the name of a member") != NULL;
	}
	value = read_value(reader);
	if (!value) {
		free(key);
		return false;
	}
	value->key = key;
	append(object, end, value);
	return true;
}

static bool read_element(struct reader *reader, json_t *array, json_t ***end)
{
	json_t *value = read_value(reader);

	if (value)
		append(array, end, value);
	return value != NULL;
}

static bool index_array(json_t *array)
{
	size_t i = 0;

	if (array->size == 0)
		return true;
	array->by_place = calloc(array->size, sizeof(json_t *));
	for (json_t *element = array->as.first; array->by_place && element; element = element->next)
		array->by_place[i++] = element;
	return array->by_place != NULL;
}

static json_t *read_list(struct reader *reader, json_type type, char closing)
{
	json_t *list = new_json(reader, type), **end = list ? &list->as.first : NULL;
	bool good = list != NULL && ++reader->depth <= DEPTH_MAX;

	if (good && !next_is(reader, closing)) {
		do
			good = type == JSON_OBJECT ? read_member(reader, list, &end)
						   : read_element(reader, list, &end);
		while (good && next_is(reader, ','));
		good = good && next_is(reader, closing);
	}
	reader->depth--;
	if (good && (type == JSON_OBJECT || index_array(list)))
		return list;
	json_decref(list);
	return fail(reader, "end of a list, or a comma");
}

static json_t *read_number(struct reader *reader)
{
	char digits[40];
	size_t length = 0;
	json_t *json;
	bool fraction;

	while (reader->at + length < reader->end && length < sizeof(digits) - 1 &&
		strchr("+-.eE0123456789", reader->at[length]) && reader->at[length]) {
		digits[length] = reader->at[length];
		length++;
	}
	digits[length] = 0;
	fraction = strpbrk(digits, ".eE") != NULL;
	if (length == 0 || (!fraction && length > 19) || strchr("+.eE", digits[0]))
		return fail(reader, "value");
	reader->at += length;
	json = new_json(reader, fraction ? JSON_REAL : JSON_INTEGER);
	if (json && fraction)
		json->as.real = strtod(digits, NULL);
	else if (json)
		json->as.integer = strtoll(digits, NULL, 10);
	return json;
}

static json_t *read_word(struct reader *reader, const char *word, json_type type)
{
	size_t length = strlen(word);

	if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
		return fail(reader, "value");
	reader->at += length;
	return new_json(reader, type);
}

static json_t *read_string(struct reader *reader)
{
	json_t *json = new_json(reader, JSON_STRING);

	if (!json)
		return NULL;
	json->as.text = read_text(reader);
	if (json->as.text)
		return json;
	free(json);
	return NULL;
}

static json_t *read_value(struct reader *reader)
{
	if (next_is(reader, '{'))
		return read_list(reader, JSON_OBJECT, '}');
	if (next_is(reader, '['))
		return read_list(reader, JSON_ARRAY, ']');
	if (next_is(reader, '"'))
		return read_string(reader);
	if (reader->at >= reader->end)
		return fail(reader, "value");
	switch (*reader->at) {
	case 't':
		return read_word(reader, "true", JSON_TRUE);
	case 'f':
		return read_word(reader, "false", JSON_FALSE);
	case 'n':
		return read_word(reader, "null", JSON_NULL);
	default:
		return read_number(reader);
	}
}

json_t *json_loadb(const char *text, size_t length, size_t flags, json_error_t *error)
{
	struct reader reader = { .at = text, .begin = text, .end = text + length, .error = error };
	json_t *root;

	(void)flags;
	root = read_value(&reader);
	blanks(&reader);
	if (root && reader.at == reader.end)
		return root;
	json_decref(root);
	return fail(&reader, "end of the text after the first value");
}

void json_decref(json_t *root)
{
	json_t *child, *next;

	if (!root)
		return;
	if (root->type == JSON_STRING)
		free(root->as.text);
	for (child = json_is_object(root) || json_is_array(root) ? root->as.first : NULL; child;
		child = next) {
		next = child->next;
		json_decref(child);
	}
	free(root->by_place);
	free(root->key);
	free(root);
}

json_t *json_string(const char *text)
{
	json_t *json = calloc(1, sizeof(*json));
	size_t size = strlen(text) + 1;

	if (!json)
		return NULL;
	json->type = JSON_STRING;
	json->as.text = malloc(size);
	if (json->as.text)
		memcpy(json->as.text, text, size);
	return json;
}

json_t *json_array_get(const json_t *json, size_t index)
{
	return index < json_array_size(json) ? json->by_place[index] : NULL;
}

json_t *json_object_get(const json_t *json, const char *key)
{
	json_t *member = json_is_object(json) ? json->as.first : NULL;

	while (member && strcmp(member->key, key) != 0)
		member = member->next;
	return member;
}

/* ---- the canonical form ---- */

struct writer {
	char *bytes;
	size_t length, room;
	bool failed;
};

static void put(struct writer *writer, const char *bytes, size_t length)
{
	if (!writer->failed && writer->length + length + 1 > writer->room) {
		size_t room = 2 * (writer->length + length + 1);
		char *grown = realloc(writer->bytes, room);

		writer->failed = grown == NULL;
		writer->bytes = grown ? grown : writer->bytes;
		writer->room = grown ? room : writer->room;
	}
	if (writer->failed)
		return;
	memcpy(writer->bytes + writer->length, bytes, length);
	writer->length += length;
	writer->bytes[writer->length] = 0;
}

static void write_text(struct writer *writer, const char *text)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	char escape[8];

	put(writer, "\"", 1);
	for (; *text; text++) {
		const char *found = strchr(from, *text);

		if (found) {
			escape[0] = '\\';
			escape[1] = to[found - from];
			put(writer, escape, 2);
		} else if ((unsigned char)*text < 0x20) {
			snprintf(escape, sizeof(escape), "\\u%04X", (unsigned)(unsigned char)*text);
			put(writer, escape, 6);
		} else {
			put(writer, text, 1);
		}
	}
	put(writer, "\"", 1);
}

static int by_key(const void *a, const void *b)
{
	const json_t *const *left = a, *const *right = b;

	return strcmp((*left)->key, (*right)->key);
}

static void write_value(struct writer *writer, const json_t *json);

static void write_object(struct writer *writer, const json_t *object)
{
	const json_t **sorted = calloc(object->size + 1, sizeof(*sorted));
	size_t count = 0;

	if (!sorted) {
		writer->failed = true;
		return;
	}
	for (const json_t *member = object->as.first; member; member = member->next)
		sorted[count++] = member;
	qsort(sorted, count, sizeof(*sorted), by_key);
	put(writer, "{", 1);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			put(writer, ",", 1);
		write_text(writer, sorted[i]->key);
		put(writer, ":", 1);
		write_value(writer, sorted[i]);
	}
	put(writer, "}", 1);
	free(sorted);
}

static void write_array(struct writer *writer, const json_t *array)
{
	put(writer, "[", 1);
	for (size_t i = 0; i < array->size; i++) {
		if (i > 0)
			put(writer, ",", 1);
		write_value(writer, array->by_place[i]);
	}
	put(writer, "]", 1);
}

static void write_value(struct writer *writer, const json_t *json)
{
	char digits[24];

	switch (json->type) {
	case JSON_OBJECT:
		write_object(writer, json);
		break;
	case JSON_ARRAY:
		write_array(writer, json);
		break;
	case JSON_STRING:
		write_text(writer, json->as.text);
		break;
	case JSON_INTEGER:
		snprintf(digits, sizeof(digits), "%lld", json->as.integer);
		put(writer, digits, strlen(digits));
		break;
	case JSON_REAL:
		writer->failed = true;
		break;
	case JSON_TRUE:
		put(writer, "true", 4);
		break;
	case JSON_FALSE:
		put(writer, "false", 5);
		break;
	case JSON_NULL:
		put(writer, "null", 4);
		break;
	}
}

char *json_dumps(const json_t *json, size_t flags)
{
	struct writer writer = { 0 };

	(void)flags;
	write_value(&writer, json);
	if (!writer.failed)
		return writer.bytes;
	free(writer.bytes);
	return NULL;
}
