/* Writes answers as text. */
#include "services/gateway/adapters/json_out.h"

#include "libcommon/base/utf8.h"

#include "libcommon/io/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *room(struct json_out *out, size_t need)
{
	if (out->n + need > out->room) {
		out->room = 2 * (out->n + need) + 1024;
		out->bytes = realloc(out->bytes, out->room);
		if (out->bytes == NULL)
			fatal("json: out of memory");
	}
	return out->bytes + out->n;
}

static void put(struct json_out *out, const char *text, size_t length)
{
	memcpy(room(out, length), text, length);
	out->n += length;
}

/* Length of the text's beginning that stands in JSON as it is. */
static size_t plain(const char *text)
{
	size_t n = 0;
	while (text[n] >= 0x20 && text[n] < 0x7f && text[n] != '"' && text[n] != '\\')
		n++;
	return n;
}

/* Text from outside may hold any bytes, and invalid UTF-8 would make the whole answer unreadable:
 * only ASCII and well-formed longer characters pass. */
static void put_text(struct json_out *out, const char *text)
{
	put(out, "\"", 1);
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
		size_t n = plain((const char *)c);
		put(out, (const char *)c, n);
		c += n;
		if (*c == '\0')
			break;
		size_t more = *c < 0x80 ? 0 : utf8_length((const char *)c);
		if (*c == '"' || *c == '\\') {
			put(out, "\\", 1);
			put(out, (const char *)c, 1);
		} else if (more > 0) {
			put(out, (const char *)c, more);
		} else if (*c < 0x20 || *c == 0x7f) {
			out->n += (size_t)snprintf(room(out, 8), 8, "\\u%04x", *c);
		} else {
			put(out, "?", 1);
		}
		c += more > 0 ? more : 1;
	}
	put(out, "\"", 1);
}

static void begin_value(struct json_out *out, const char *name)
{
	if (out->comma)
		put(out, ",", 1);
	out->comma = true;
	if (name != NULL) {
		put(out, "\"", 1);
		put(out, name, strlen(name));
		put(out, "\":", 2);
	}
}

void out_begin(struct json_out *out)
{
	out->n = 0;
	out->comma = false;
}

void out_open(struct json_out *out, const char *name, char bracket)
{
	begin_value(out, name);
	put(out, &bracket, 1);
	out->comma = false;
}

void out_close(struct json_out *out, char bracket)
{
	put(out, &bracket, 1);
	out->comma = true;
}

/* An answer of a round has some sixty numbers: snprintf would take longer than all the rest of
 * it. */
static void put_digits(struct json_out *out, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);
	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	put(out, digits + at, sizeof(digits) - at);
}

void out_int(struct json_out *out, const char *name, int64_t value)
{
	begin_value(out, name);
	if (value < 0)
		put(out, "-", 1);
	put_digits(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void out_uint(struct json_out *out, const char *name, uint64_t value)
{
	begin_value(out, name);
	put_digits(out, value);
}

void out_bool(struct json_out *out, const char *name, bool value)
{
	out_raw(out, name, value ? "true" : "false");
}

void out_null(struct json_out *out, const char *name)
{
	out_raw(out, name, "null");
}

void out_string(struct json_out *out, const char *name, const char *text)
{
	begin_value(out, name);
	put_text(out, text == NULL ? "" : text);
}

void out_hex(struct json_out *out, const char *name, const uint8_t *bytes, size_t length)
{
	begin_value(out, name);
	char *at = room(out, 2 * length + 2);
	*at++ = '"';
	for (size_t i = 0; i < length; i++) {
		*at++ = "0123456789abcdef"[bytes[i] >> 4];
		*at++ = "0123456789abcdef"[bytes[i] & 15];
	}
	*at = '"';
	out->n += 2 * length + 2;
}

void out_raw(struct json_out *out, const char *name, const char *json)
{
	begin_value(out, name);
	put(out, json, strlen(json));
}

/* Writes one value of a field, at its address in the generated struct. */
static void message_value(struct json_out *out, const char *name,
	const ProtobufCFieldDescriptor *field, const void *at)
{
	union {
		int32_t i32;
		uint32_t u32;
		int64_t i64;
		uint64_t u64;
		protobuf_c_boolean boolean;
		const char *text;
		ProtobufCBinaryData bytes;
		const ProtobufCMessage *message;
	} value;
	switch (field->type) {
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_SINT32:
	case PROTOBUF_C_TYPE_SFIXED32:
	case PROTOBUF_C_TYPE_ENUM:
		memcpy(&value.i32, at, sizeof(value.i32));
		out_int(out, name, value.i32);
		break;
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_FIXED32:
		memcpy(&value.u32, at, sizeof(value.u32));
		out_uint(out, name, value.u32);
		break;
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_SFIXED64:
		memcpy(&value.i64, at, sizeof(value.i64));
		out_int(out, name, value.i64);
		break;
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
		memcpy(&value.u64, at, sizeof(value.u64));
		out_uint(out, name, value.u64);
		break;
	case PROTOBUF_C_TYPE_BOOL:
		memcpy(&value.boolean, at, sizeof(value.boolean));
		out_bool(out, name, value.boolean != 0);
		break;
	case PROTOBUF_C_TYPE_STRING:
		memcpy(&value.text, at, sizeof(value.text));
		out_string(out, name, value.text);
		break;
	case PROTOBUF_C_TYPE_BYTES:
		memcpy(&value.bytes, at, sizeof(value.bytes));
		out_hex(out, name, value.bytes.data, value.bytes.len);
		break;
	case PROTOBUF_C_TYPE_MESSAGE:
		memcpy(&value.message, at, sizeof(ProtobufCMessage *));
		out_message(out, name, value.message);
		break;
	case PROTOBUF_C_TYPE_FLOAT:
	case PROTOBUF_C_TYPE_DOUBLE:
		fatal("json: field %s is a float: no message may have one", field->name);
	}
}

static size_t value_size(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_SINT32:
	case PROTOBUF_C_TYPE_SFIXED32:
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_FIXED32:
	case PROTOBUF_C_TYPE_ENUM:
		return 4;
	case PROTOBUF_C_TYPE_BOOL:
		return sizeof(protobuf_c_boolean);
	case PROTOBUF_C_TYPE_BYTES:
		return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_FLOAT:
	case PROTOBUF_C_TYPE_DOUBLE:
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_MESSAGE:
		return 8;
	}
	return 8;
}

static void message_list(
	struct json_out *out, const ProtobufCFieldDescriptor *field, const char *base)
{
	size_t n;
	const char *items;
	memcpy(&n, base + field->quantifier_offset, sizeof(n));
	memcpy(&items, base + field->offset, sizeof(items));
	out_open(out, field->name, '[');
	for (size_t i = 0; i < n; i++)
		message_value(out, NULL, field, items + i * value_size(field));
	out_close(out, ']');
}

void out_message(struct json_out *out, const char *name, const ProtobufCMessage *message)
{
	if (message == NULL) {
		out_null(out, name);
		return;
	}
	const ProtobufCMessageDescriptor *type = message->descriptor;
	const char *base = (const char *)message;
	out_open(out, name, '{');
	for (unsigned i = 0; i < type->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &type->fields[i];
		if (field->label == PROTOBUF_C_LABEL_REPEATED)
			message_list(out, field, base);
		else
			message_value(out, field->name, field, base + field->offset);
	}
	out_close(out, '}');
}

void out_free(struct json_out *out)
{
	free(out->bytes);
	*out = (struct json_out){ 0 };
}
