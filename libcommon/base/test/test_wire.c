/* The walker of protobuf's fields: each kind of field, and each way in which bytes are none. */
#include "libcommon/base/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROWS_N(rows) (sizeof(rows) / sizeof((rows)[0]))
#define BYTES(text) text, sizeof(text) - 1

/* Behind exactly these bytes lies nothing, so that the sanitizer sees a read too far. */
static struct wire_bytes exact(const char *bytes, size_t n)
{
	uint8_t *copy = malloc(n == 0 ? 1 : n);

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	return (struct wire_bytes){ copy, n };
}

static void test_wire_next_takes_each_kind_of_field(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		uint32_t number;
		enum wire_type type;
		uint64_t value;
		const char *content;
	} ROWS[] = {
		{ BYTES("\x10\x05"), 2, WIRE_VARINT, 5, "" },
		{ BYTES("\x10\xac\x02"), 2, WIRE_VARINT, 300, "" },
		{ BYTES("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 2, WIRE_VARINT, UINT64_MAX,
			"" },
		/* Bits above the 64th are lost, as in a decoder. */
		{ BYTES("\x10\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7e"), 2, WIRE_VARINT, 0, "" },
		{ BYTES("\x80\x01\x07"), 16, WIRE_VARINT, 7, "" },
		{ BYTES("\xf8\xff\xff\xff\x7f\x01"), UINT32_MAX, WIRE_VARINT, 1, "" },
		{ BYTES("\xf8\xff\xff\xff\xff\x00\x01"), UINT32_MAX, WIRE_VARINT, 1, "" },
		{ BYTES("\x02\x01x"), 0, WIRE_BYTES, 0, "x" },
		{ BYTES("\x19\1\2\3\4\5\6\7\xff"), 3, WIRE_FIXED_64, 0, "" },
		{ BYTES("\x1d\1\2\3\xff"), 3, WIRE_FIXED_32, 0, "" },
		{ BYTES("\x22\x00"), 4, WIRE_BYTES, 0, "" },
		{ BYTES("\x22\x05later"), 4, WIRE_BYTES, 0, "later" },
	};

	(void)state;
	for (size_t i = 0; i < ROWS_N(ROWS); i++) {
		struct wire_bytes whole = exact(ROWS[i].bytes, ROWS[i].n), left = whole;
		struct wire_field field;

		if (!wire_next(&left, &field) || left.n != 0)
			fail_msg("row %zu: expected one field", i);
		assert_int_equal(field.number, ROWS[i].number);
		assert_int_equal(field.type, ROWS[i].type);
		assert_true(field.value == ROWS[i].value);
		assert_int_equal(field.bytes.n, strlen(ROWS[i].content));
		assert_memory_equal(field.bytes.at, ROWS[i].content, field.bytes.n);
		assert_false(wire_next(&left, &field));
		free((void *)(uintptr_t)whole.at);
	}
}

static void test_wire_next_stops_before_what_is_malformed(void **state)
{
	static const struct {
		const char *what, *bytes;
		size_t n;
	} ROWS[] = {
		{ "a tag that is cut", BYTES("\x80") },
		{ "a tag of 11 bytes", BYTES("\x90\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00\x01") },
		{ "a number of 33 bits", BYTES("\x80\x80\x80\x80\x80\x01\x01") },
		{ "a tag alone", BYTES("\x10") },
		{ "a varint that is cut", BYTES("\x10\x80") },
		{ "a varint of 11 bytes",
			BYTES("\x10\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01") },
		{ "7 of 8 bytes", BYTES("\x19\1\2\3\4\5\6\7") },
		{ "3 of 4 bytes", BYTES("\x1d\1\2\3") },
		{ "a length that is cut", BYTES("\x22\x80") },
		{ "a length of 1 too many", BYTES("\x22\x03xy") },
		{ "a length of 64 bits", BYTES("\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01xy") },
		{ "the begin of a group", BYTES("\x0b\x10\x01\x0c") },
		{ "the end of a group", BYTES("\x0c") },
		{ "type 6", BYTES("\x0e\x01") },
		{ "type 7", BYTES("\x0f\x01") },
	};

	(void)state;
	for (size_t i = 0; i < ROWS_N(ROWS); i++) {
		char bytes[32] = "\x08\x2a"; /* field 1 is 42 */
		memcpy(bytes + 2, ROWS[i].bytes, ROWS[i].n);
		struct wire_bytes whole = exact(bytes, 2 + ROWS[i].n), left = whole;
		struct wire_field field;

		assert_true(wire_next(&left, &field));
		assert_true(field.number == 1 && field.value == 42);
		for (int again = 0; again < 2; again++)
			if (wire_next(&left, &field) || left.at != whole.at + 2 ||
				left.n != ROWS[i].n)
				fail_msg("%s: expected to stop before it", ROWS[i].what);
		assert_true(wire_find(whole, 1, WIRE_VARINT, &field));
		free((void *)(uintptr_t)whole.at);
	}
}

static void test_wire_find_takes_the_last(void **state)
{
	static const char MESSAGE[] = "\x08\x01\x12\x01x\x08\x02\x12\x02yz\x0d\1\2\3\4\x18\x80";
	const struct wire_bytes message = { (const uint8_t *)MESSAGE, sizeof(MESSAGE) - 1 };
	struct wire_field field;

	(void)state;
	assert_true(wire_find(message, 1, WIRE_VARINT, &field));
	assert_true(field.value == 2);
	assert_true(wire_find(message, 2, WIRE_BYTES, &field));
	assert_int_equal(field.bytes.n, 2);
	assert_memory_equal(field.bytes.at, "yz", 2);
	/* Of this number, but of another type; and the one that is cut. */
	assert_false(wire_find(message, 2, WIRE_VARINT, &field));
	assert_false(wire_find(message, 3, WIRE_VARINT, &field));
	assert_true(field.value == 0 && field.bytes.n == 0);
	assert_false(wire_find((struct wire_bytes){ NULL, 0 }, 1, WIRE_VARINT, &field));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wire_next_takes_each_kind_of_field),
		cmocka_unit_test(test_wire_next_stops_before_what_is_malformed),
		cmocka_unit_test(test_wire_find_takes_the_last),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
