/* Old bytes are still readable: each message of golden.h is unpacked and compared field by field
 * with today's schema. Detects a field that was renumbered, renamed, retyped or removed; ignores
 * added fields. */
#include "bus.pb-c.h"
#include "envelope.pb-c.h"
#include "jackpot.pb-c.h"
#include "record.pb-c.h"
#include "spin.pb-c.h"
#include "wallet.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BYTES_MAX 8192
#define SHOWN_MAX 32768

struct golden {
	const char *name;
	const ProtobufCMessageDescriptor *descriptor;
	const char *hex, *shown;
};

static const struct golden GOLDENS[] = {
#define GOLDEN(name, hex, shown) { #name, &carillon__##name##__descriptor, hex, shown },
#include "proto/test/golden.h"
#undef GOLDEN
};
#define GOLDENS_N (sizeof(GOLDENS) / sizeof(GOLDENS[0]))

static size_t hex_read(const char *hex, uint8_t *out)
{
	size_t n = strlen(hex) / 2;
	assert_true(n <= BYTES_MAX);
	for (size_t i = 0; i < n; i++) {
		char two[3] = { hex[2 * i], hex[2 * i + 1], '\0' };
		out[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	return n;
}

struct shown {
	char text[SHOWN_MAX];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void show(struct shown *shown, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(
		shown->text + shown->length, SHOWN_MAX - shown->length, format, arguments);
	va_end(arguments);
	assert_true(n >= 0 && (size_t)n < SHOWN_MAX - shown->length);
	shown->length += (size_t)n;
}

static void show_message(struct shown *shown, const ProtobufCMessage *message);

static void show_bytes(struct shown *shown, const ProtobufCBinaryData *data)
{
	for (size_t i = 0; i < data->len; i++)
		show(shown, "%02x", data->data[i]);
}

/* One value; returns its size in a repeated field. */
static size_t show_value(struct shown *shown, const ProtobufCFieldDescriptor *field, const void *at)
{
	show(shown, "%s%s", shown->length > 0 && shown->text[shown->length - 1] != '{' ? " " : "",
		field->name);
	if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
		show(shown, "{");
		show_message(shown, *(ProtobufCMessage *const *)at);
		show(shown, "}");
		return sizeof(void *);
	}
	show(shown, "=");
	switch (field->type) {
	case PROTOBUF_C_TYPE_UINT32:
		show(shown, "%lu", (unsigned long)*(const uint32_t *)at);
		return sizeof(uint32_t);
	case PROTOBUF_C_TYPE_UINT64:
		show(shown, "%llu", (unsigned long long)*(const uint64_t *)at);
		return sizeof(uint64_t);
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
		show(shown, "%lld", (long long)*(const int64_t *)at);
		return sizeof(int64_t);
	case PROTOBUF_C_TYPE_BOOL:
		show(shown, "%d", *(const protobuf_c_boolean *)at);
		return sizeof(protobuf_c_boolean);
	case PROTOBUF_C_TYPE_STRING:
		show(shown, "\"%s\"", *(char *const *)at);
		return sizeof(char *);
	case PROTOBUF_C_TYPE_BYTES:
		show_bytes(shown, at);
		return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_ENUM: {
		const ProtobufCEnumValue *value =
			protobuf_c_enum_descriptor_get_value(field->descriptor, *(const int *)at);
		show(shown, "%s", value != NULL ? value->name : "unknown");
		return sizeof(int);
	}
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_SINT32:
	case PROTOBUF_C_TYPE_SFIXED32:
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_FIXED32:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_FLOAT:
	case PROTOBUF_C_TYPE_DOUBLE:
	case PROTOBUF_C_TYPE_MESSAGE:
		break;
	}
	fail_msg("%s: a type the schema does not use so far", field->name);
	return 0;
}

static bool is_default(const ProtobufCFieldDescriptor *field, const void *at)
{
	static const uint8_t ZEROS[16];
	if (field->type == PROTOBUF_C_TYPE_STRING)
		return *(char *const *)at == NULL || (*(char *const *)at)[0] == '\0';
	if (field->type == PROTOBUF_C_TYPE_BYTES)
		return ((const ProtobufCBinaryData *)at)->len == 0;
	if (field->type == PROTOBUF_C_TYPE_MESSAGE)
		return *(ProtobufCMessage *const *)at == NULL;
	bool wide = field->type == PROTOBUF_C_TYPE_UINT64 || field->type == PROTOBUF_C_TYPE_INT64 ||
		    field->type == PROTOBUF_C_TYPE_SINT64;
	return memcmp(at, ZEROS, wide ? 8 : 4) == 0;
}

static void show_field(
	struct shown *shown, const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
	const uint8_t *base = (const uint8_t *)message;
	const void *at = base + field->offset;
	if (field->label == PROTOBUF_C_LABEL_REPEATED) {
		size_t n = *(const size_t *)(const void *)(base + field->quantifier_offset);
		const uint8_t *item = *(uint8_t *const *)at;
		for (size_t i = 0; i < n; i++)
			item += show_value(shown, field, item);
		return;
	}
	bool in_oneof = (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
	if (in_oneof &&
		*(const uint32_t *)(const void *)(base + field->quantifier_offset) != field->id)
		return;
	if (!is_default(field, at))
		(void)show_value(shown, field, at);
}

static void show_message(struct shown *shown, const ProtobufCMessage *message)
{
	if (message->n_unknown_fields != 0)
		fail_msg("%s: field %u is not known any more", message->descriptor->name,
			message->unknown_fields[0].tag);
	for (unsigned i = 0; i < message->descriptor->n_fields; i++)
		show_field(shown, message, &message->descriptor->fields[i]);
}

static ProtobufCMessage *read_golden(const struct golden *golden, uint8_t *bytes, size_t *length_r)
{
	*length_r = hex_read(golden->hex, bytes);
	ProtobufCMessage *message =
		protobuf_c_message_unpack(golden->descriptor, NULL, *length_r, bytes);
	if (message == NULL)
		fail_msg("%s: the old bytes cannot be read any more", golden->name);
	return message;
}

static void test_old_bytes_still_read(void **state)
{
	static struct shown shown;
	uint8_t bytes[BYTES_MAX];
	size_t length;
	(void)state;
	for (size_t i = 0; i < GOLDENS_N; i++) {
		ProtobufCMessage *message = read_golden(&GOLDENS[i], bytes, &length);
		shown.length = 0;
		show_message(&shown, message);
		if (strcmp(shown.text, GOLDENS[i].shown) != 0)
			fail_msg("%s: found\n%s\nexpected\n%s", GOLDENS[i].name, shown.text,
				GOLDENS[i].shown);
		protobuf_c_message_free_unpacked(message, NULL);
	}
}

/* This build packs the same content to the same bytes as the first version. */
static void test_new_bytes_are_the_old_ones(void **state)
{
	uint8_t bytes[BYTES_MAX];
	uint8_t again[BYTES_MAX];
	size_t length;
	(void)state;
	for (size_t i = 0; i < GOLDENS_N; i++) {
		ProtobufCMessage *message = read_golden(&GOLDENS[i], bytes, &length);
		assert_int_equal(protobuf_c_message_get_packed_size(message), length);
		assert_int_equal(protobuf_c_message_pack(message, again), length);
		if (memcmp(bytes, again, length) != 0)
			fail_msg("%s: packed anew it is other bytes", GOLDENS[i].name);
		protobuf_c_message_free_unpacked(message, NULL);
	}
}

/* A newer sender has fields that this build does not know: they are skipped, the others are
 * read. */
static void test_unknown_fields_are_skipped(void **state)
{
	/* Tag 1000 as a varint, as bytes, as 32 and as 64 bits. */
	static const uint8_t NEWER[] = { 0xc0, 0x3e, 0x96, 0x01, 0xc2, 0x3e, 0x02, 0xaa, 0xbb, 0xc5,
		0x3e, 1, 2, 3, 4, 0xc1, 0x3e, 1, 2, 3, 4, 5, 6, 7, 8 };
	static struct shown shown;
	uint8_t bytes[BYTES_MAX];
	size_t length;
	(void)state;
	for (size_t i = 0; i < GOLDENS_N; i++) {
		protobuf_c_message_free_unpacked(read_golden(&GOLDENS[i], bytes, &length), NULL);
		memmove(bytes + sizeof(NEWER), bytes, length);
		memcpy(bytes, NEWER, sizeof(NEWER));
		ProtobufCMessage *message = protobuf_c_message_unpack(
			GOLDENS[i].descriptor, NULL, length + sizeof(NEWER), bytes);
		assert_non_null(message);
		assert_int_equal(message->n_unknown_fields, 4);
		shown.length = 0;
		for (unsigned f = 0; f < message->descriptor->n_fields; f++)
			show_field(&shown, message, &message->descriptor->fields[f]);
		assert_string_equal(shown.text, GOLDENS[i].shown);
		protobuf_c_message_free_unpacked(message, NULL);
	}
}

/* Bytes cut or changed anywhere: rejected or read, never a crash (ASan checks). */
static void test_damaged_bytes_never_crash(void **state)
{
	uint8_t bytes[BYTES_MAX];
	size_t length;
	(void)state;
	for (size_t i = 0; i < GOLDENS_N; i++) {
		protobuf_c_message_free_unpacked(read_golden(&GOLDENS[i], bytes, &length), NULL);
		for (size_t at = 0; at < length; at++) {
			ProtobufCMessage *cut =
				protobuf_c_message_unpack(GOLDENS[i].descriptor, NULL, at, bytes);
			protobuf_c_message_free_unpacked(cut, NULL);
			bytes[at] ^= 0xff;
			ProtobufCMessage *bent = protobuf_c_message_unpack(
				GOLDENS[i].descriptor, NULL, length, bytes);
			protobuf_c_message_free_unpacked(bent, NULL);
			bytes[at] ^= 0xff;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old_bytes_still_read),
		cmocka_unit_test(test_new_bytes_are_the_old_ones),
		cmocka_unit_test(test_unknown_fields_are_skipped),
		cmocka_unit_test(test_damaged_bytes_never_crash),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
