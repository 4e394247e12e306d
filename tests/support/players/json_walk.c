#include "tests/support/players/json_walk.h"

#include "libcommon/base/utf8.h"

#include <string.h>

#define NUMBER_MAX 32u /* characters of a number that may be an integer */

static bool fail(struct json_walk *walk)
{
	walk->failed = true;
	walk->at = walk->end;
	return false;
}

/* The next character that is no space; NUL at the end. */
static char peek(struct json_walk *walk)
{
	while (walk->at < walk->end &&
		(*walk->at == ' ' || *walk->at == '\n' || *walk->at == '\r' || *walk->at == '\t'))
		walk->at++;
	return walk->at < walk->end ? *walk->at : '\0';
}

static bool take(struct json_walk *walk, char wanted)
{
	if (peek(walk) != wanted || walk->at == walk->end)
		return false;
	walk->at++;
	return true;
}

static bool word(struct json_walk *walk, const char *text)
{
	size_t n = strlen(text);
	if ((size_t)(walk->end - walk->at) < n || memcmp(walk->at, text, n) != 0)
		return fail(walk);
	walk->at += n;
	return true;
}

/* ---- texts ---- */

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool hex_take(struct json_walk *walk, unsigned *code_r)
{
	*code_r = 0;
	for (int i = 0; i < 4; i++, walk->at++) {
		int digit = walk->at < walk->end ? digit_of(*walk->at) : -1;
		if (digit < 0)
			return fail(walk);
		*code_r = *code_r * 16 + (unsigned)digit;
	}
	return true;
}

/* A character in the two bytes of UTF-16, or in twice as many. NUL is refused, as jansson does. */
static bool code_take(struct json_walk *walk, unsigned *code_r)
{
	unsigned low;
	if (!hex_take(walk, code_r) || *code_r == 0 || (*code_r >= 0xdc00 && *code_r <= 0xdfff))
		return fail(walk);
	if (*code_r < 0xd800 || *code_r > 0xdbff)
		return true;
	if (walk->end - walk->at < 2 || memcmp(walk->at, "\\u", 2) != 0)
		return fail(walk);
	walk->at += 2;
	if (!hex_take(walk, &low) || low < 0xdc00 || low > 0xdfff)
		return fail(walk);
	*code_r = 0x10000 + ((*code_r - 0xd800) << 10) + (low - 0xdc00);
	return true;
}

static size_t utf8_of(unsigned code, char out[4])
{
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	for (size_t i = n; i-- > 1; code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(marks[n] | code);
	return n;
}

/* What follows a backslash, as UTF-8. */
static bool escape_take(struct json_walk *walk, char out[4], size_t *n_r)
{
	static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char c = walk->at < walk->end ? *walk->at++ : '\0';
	const char *known = c != '\0' ? strchr(names, c) : NULL;
	unsigned code;
	*n_r = 1;
	if (known != NULL) {
		out[0] = meant[known - names];
		return true;
	}
	if (c != 'u' || !code_take(walk, &code))
		return fail(walk);
	*n_r = utf8_of(code, out);
	return true;
}

/* Where a text may go to. */
struct out {
	char *at; /* NULL: nowhere */
	size_t used, room;
};

static void out_put(struct out *out, const char *from, size_t n)
{
	if (out->at == NULL || out->used >= out->room)
		return;
	size_t left = out->room - out->used - 1;
	memcpy(out->at + out->used, from, n < left ? n : left);
	out->used += n < left ? n : left;
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* An escape, or a character beyond ASCII. */
static bool special_take(struct json_walk *walk, struct out *out)
{
	char undone[4];
	const char *from = walk->at;
	size_t n;
	if (*walk->at == '\\') {
		walk->at++;
		if (!escape_take(walk, undone, &n))
			return false;
		from = undone;
	} else {
		n = utf8_length(from); /* 0 of a control character's byte, too */
		n = n == 1 ? 0 : n;
		walk->at += n;
	}
	out_put(out, from, n);
	return n > 0 || fail(walk);
}

/* A text behind its first quote. */
static bool text_take(struct json_walk *walk, struct out *out)
{
	while (walk->at < walk->end) {
		const char *from = walk->at;
		while (walk->at < walk->end && is_plain((unsigned char)*walk->at))
			walk->at++;
		out_put(out, from, (size_t)(walk->at - from));
		if (walk->at == walk->end)
			break;
		if (*walk->at == '"') {
			walk->at++;
			return true;
		}
		if (!special_take(walk, out))
			return false;
	}
	return fail(walk);
}

bool json_walk_text(struct json_walk *walk, char *text, size_t room)
{
	struct out out = { .at = text, .room = room };
	text[0] = '\0';
	if (!take(walk, '"')) {
		json_walk_skip(walk);
		return false;
	}
	bool good = text_take(walk, &out);
	text[out.used] = '\0';
	if (out.used + 1 == room)
		utf8_whole(text); /* what was cut to fit may end in part of a character */
	return good;
}

/* ---- numbers and words ---- */

static bool digits(struct json_walk *walk)
{
	const char *from = walk->at;
	while (walk->at < walk->end && *walk->at >= '0' && *walk->at <= '9')
		walk->at++;
	return walk->at > from || fail(walk);
}

static bool begins_number(char c)
{
	return c == '-' || (c >= '0' && c <= '9');
}

/* True: it is whole, `n_r` characters from `from_r` on. */
static bool number_take(struct json_walk *walk, const char **from_r, size_t *n_r)
{
	bool whole = true;
	*from_r = walk->at;
	*n_r = 0;
	if (*walk->at == '-')
		walk->at++;
	if (walk->at < walk->end && *walk->at == '0')
		walk->at++; /* no digit may follow: whoever takes the next value fails */
	else if (!digits(walk))
		return false;
	if (walk->at < walk->end && *walk->at == '.') {
		walk->at++;
		whole = false;
		if (!digits(walk))
			return false;
	}
	if (walk->at < walk->end && (*walk->at | 0x20) == 'e') {
		walk->at++;
		whole = false;
		if (walk->at < walk->end && (*walk->at == '+' || *walk->at == '-'))
			walk->at++;
		if (!digits(walk))
			return false;
	}
	*n_r = (size_t)(walk->at - *from_r);
	return whole;
}

static bool int_of(const char *text, size_t n, int64_t *value_r)
{
	bool minus = n > 0 && text[0] == '-';
	uint64_t value = 0, most = (uint64_t)INT64_MAX + minus;
	if (n <= (size_t)minus || n >= NUMBER_MAX)
		return false;
	for (size_t i = minus; i < n; i++) {
		uint64_t digit = (uint64_t)(text[i] - '0');
		if (text[i] < '0' || text[i] > '9' || value > (most - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*value_r = minus ? (int64_t)(0 - value) : (int64_t)value;
	return true;
}

bool json_walk_int(struct json_walk *walk, int64_t *value_r)
{
	char text[NUMBER_MAX];
	const char *from;
	size_t n;
	if (begins_number(peek(walk)))
		return number_take(walk, &from, &n) && int_of(from, n, value_r);
	return json_walk_text(walk, text, sizeof(text)) && int_of(text, strlen(text), value_r);
}

bool json_walk_true(struct json_walk *walk)
{
	if (peek(walk) == 't')
		return word(walk, "true");
	json_walk_skip(walk);
	return false;
}

/* ---- objects and arrays ---- */

static bool open_with(struct json_walk *walk, char bracket)
{
	if (!take(walk, bracket)) {
		json_walk_skip(walk);
		return false;
	}
	if (++walk->depth > JSON_WALK_DEPTH_MAX)
		return fail(walk);
	walk->begun = false;
	return true;
}

/* True: there is another one. */
static bool next_of(struct json_walk *walk, char bracket)
{
	if (walk->failed)
		return false;
	if (take(walk, bracket)) {
		walk->depth--;
		walk->begun = true; /* it was one of the object or array around it */
		return false;
	}
	if (walk->begun && !take(walk, ','))
		return fail(walk);
	walk->begun = true;
	return true;
}

bool json_walk_object(struct json_walk *walk)
{
	return open_with(walk, '{');
}

bool json_walk_array(struct json_walk *walk)
{
	return open_with(walk, '[');
}

bool json_walk_member(struct json_walk *walk, const char **name_r, size_t *n_r)
{
	struct out nowhere = { 0 };
	if (!next_of(walk, '}'))
		return false;
	if (!take(walk, '"'))
		return fail(walk);
	*name_r = walk->at;
	if (!text_take(walk, &nowhere))
		return false;
	*n_r = (size_t)(walk->at - *name_r) - 1;
	return take(walk, ':') || fail(walk);
}

bool json_walk_element(struct json_walk *walk)
{
	return next_of(walk, ']');
}

void json_walk_skip(struct json_walk *walk)
{
	const char *name;
	size_t n;
	switch (peek(walk)) {
	case '{':
		if (json_walk_object(walk))
			while (json_walk_member(walk, &name, &n))
				json_walk_skip(walk);
		break;
	case '[':
		if (json_walk_array(walk))
			while (json_walk_element(walk))
				json_walk_skip(walk);
		break;
	case '"':
		walk->at++;
		(void)text_take(walk, &(struct out){ 0 });
		break;
	case 't':
		(void)word(walk, "true");
		break;
	case 'f':
		(void)word(walk, "false");
		break;
	case 'n':
		(void)word(walk, "null");
		break;
	default:
		if (begins_number(peek(walk)))
			(void)number_take(walk, &name, &n);
		else
			(void)fail(walk);
	}
}

bool json_walk_over(struct json_walk *walk)
{
	return !walk->failed && peek(walk) == '\0' && walk->at == walk->end;
}
