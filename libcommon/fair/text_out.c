#include "libcommon/fair/private/text_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 4096u

static void put(struct text_out *out, const char *bytes, size_t length)
{
	if (out->failed)
		return;
	if (out->length + length + 1 > out->room) {
		size_t room = out->room ? out->room : ROOM_FIRST;
		char *grown;

		while (room < out->length + length + 1)
			room *= 2;
		grown = realloc(out->bytes, room);
		if (!grown) {
			out->failed = true;
			return;
		}
		out->bytes = grown;
		out->room = room;
	}
	memcpy(out->bytes + out->length, bytes, length);
	out->length += length;
	out->bytes[out->length] = 0;
}

static void put_quoted(struct text_out *out, const char *text)
{
	char escaped[8];

	put(out, "\"", 1);
	for (; *text; text++) {
		if ((unsigned char)*text >= 0x20 && *text != '"' && *text != '\\') {
			put(out, text, 1);
			continue;
		}
		snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned)(unsigned char)*text);
		put(out, escaped, strlen(escaped));
	}
	put(out, "\"", 1);
}

static void begin(struct text_out *out, const char *name)
{
	if (out->after_value)
		put(out, ",", 1);
	out->after_value = true;
	if (!name)
		return;
	put_quoted(out, name);
	put(out, ":", 1);
}

void text_open(struct text_out *out, const char *name, char bracket)
{
	begin(out, name);
	put(out, &bracket, 1);
	out->after_value = false;
}

void text_close(struct text_out *out, char bracket)
{
	put(out, &bracket, 1);
	out->after_value = true;
}

static void put_number(struct text_out *out, const char *name, const char *digits)
{
	begin(out, name);
	put(out, digits, strlen(digits));
}

void text_int(struct text_out *out, const char *name, int64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, value);
	put_number(out, name, digits);
}

void text_uint(struct text_out *out, const char *name, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	put_number(out, name, digits);
}

void text_bool(struct text_out *out, const char *name, bool value)
{
	put_number(out, name, value ? "true" : "false");
}

void text_null(struct text_out *out, const char *name)
{
	put_number(out, name, "null");
}

void text_raw(struct text_out *out, const char *name, const char *json, size_t length)
{
	begin(out, name);
	put(out, json, length);
}

void text_string(struct text_out *out, const char *name, const char *text)
{
	begin(out, name);
	put_quoted(out, text);
}

void text_hex(struct text_out *out, const char *name, const uint8_t *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";

	begin(out, name);
	put(out, "\"", 1);
	for (size_t i = 0; i < length; i++) {
		const char pair[2] = { digits[bytes[i] >> 4], digits[bytes[i] & 15] };

		put(out, pair, sizeof(pair));
	}
	put(out, "\"", 1);
}
