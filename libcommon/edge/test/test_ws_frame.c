/* Frames of a WebSocket: what is read, what is written, what is refused. */
#include "libcommon/edge/ws_deflate.h"
#include "libcommon/edge/ws_frame.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <string.h>

static const struct {
	uint8_t bytes[14];
	size_t length;
	bool deflate;
	enum ws_status status;
	uint64_t payload;
	size_t size;
} HEADS[] = {
	{ { 0x81, 0x85, 1, 2, 3, 4 }, 6, false, WS_OK, 5, 6 },
	{ { 0x01, 0x80, 1, 2, 3, 4 }, 6, false, WS_OK, 0, 6 },
	{ { 0x80, 0x85, 1, 2, 3, 4 }, 6, false, WS_OK, 5, 6 },
	{ { 0x81, 0xfe, 0, 126, 1, 2, 3, 4 }, 8, false, WS_OK, 126, 8 },
	{ { 0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4 }, 14, false, WS_OK, 65536, 14 },
	{ { 0x89, 0xfd, 1, 2, 3, 4 }, 6, false, WS_OK, 125, 6 },
	{ { 0xc1, 0x85, 1, 2, 3, 4 }, 6, true, WS_OK, 5, 6 },
	{ { 0x81 }, 0, false, WS_MORE, 0, 0 },
	{ { 0x81 }, 1, false, WS_MORE, 0, 0 },
	{ { 0x81, 0x85, 1, 2, 3 }, 5, false, WS_MORE, 0, 0 },
	{ { 0x81, 0xfe, 0 }, 3, false, WS_MORE, 0, 0 },
	{ { 0x81, 0xff, 0, 0, 0, 0, 0, 1, 0 }, 9, false, WS_MORE, 0, 0 },
	{ { 0x81, 0x05 }, 2, false, WS_BAD, 0, 0 },	    /* not masked */
	{ { 0x83, 0x85 }, 2, false, WS_BAD, 0, 0 },	    /* an unknown opcode */
	{ { 0x8b, 0x85 }, 2, false, WS_BAD, 0, 0 },	    /* another */
	{ { 0xc1, 0x85 }, 2, false, WS_BAD, 0, 0 },	    /* compressed, not agreed on */
	{ { 0xc0, 0x85 }, 2, true, WS_BAD, 0, 0 },	    /* said by a later frame */
	{ { 0xc9, 0x85 }, 2, true, WS_BAD, 0, 0 },	    /* a compressed ping */
	{ { 0xa1, 0x85 }, 2, true, WS_BAD, 0, 0 },	    /* a reserved bit */
	{ { 0x09, 0x85 }, 2, false, WS_BAD, 0, 0 },	    /* a ping in parts */
	{ { 0x89, 0xfe, 0, 126 }, 4, false, WS_BAD, 0, 0 }, /* a long ping */
	{ { 0x81, 0xfe, 0, 125 }, 4, false, WS_BAD, 0, 0 }, /* a length in too many bytes */
	{ { 0x81, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff }, 10, false, WS_BAD, 0, 0 },
	{ { 0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0 }, 10, false, WS_BAD, 0, 0 },
};

static void test_heads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(HEADS) / sizeof(HEADS[0]); i++) {
		struct ws_head head;
		enum ws_status status =
			ws_head_read(HEADS[i].bytes, HEADS[i].length, HEADS[i].deflate, &head);
		if (status != HEADS[i].status ||
			(status == WS_OK &&
				(head.length != HEADS[i].payload || head.size != HEADS[i].size)))
			fail_msg("case %zu: status %d", i, (int)status);
	}
}

static void test_masks(void **state)
{
	uint8_t text[] = "seven b";
	const uint8_t mask[4] = { 1, 0x80, 3, 0xff };
	(void)state;
	ws_unmask(text, 7, mask);
	assert_int_equal(text[4], 'n' ^ 1);
	ws_unmask(text, 7, mask);
	assert_string_equal((char *)text, "seven b");
}

/* What the server writes has no mask, and its length is in the fewest bytes. */
static void test_written_heads(void **state)
{
	uint8_t out[WS_OUT_HEAD_MAX];
	(void)state;
	assert_int_equal(ws_head_write(out, WS_TEXT, false, 125), 2);
	assert_memory_equal(out, "\x81\x7d", 2);
	assert_int_equal(ws_head_write(out, WS_TEXT, true, 126), 4);
	assert_memory_equal(out, "\xc1\x7e\x00\x7e", 4);
	assert_int_equal(ws_head_write(out, WS_PONG, false, 65535), 4);
	assert_int_equal(ws_head_write(out, WS_TEXT, false, 65536), 10);
	assert_memory_equal(out, "\x81\x7f\0\0\0\0\0\1\0\0", 10);
}

static void test_close_frames(void **state)
{
	uint8_t out[WS_OUT_HEAD_MAX + WS_CONTROL_MAX];
	char text[200];
	(void)state;
	assert_int_equal(ws_close_write(out, 4003, "why"), 7);
	assert_memory_equal(out, "\x88\x05\x0f\xa3why", 7);
	memset(text, 'x', sizeof(text));
	memcpy(text + WS_REASON_MAX - 1, "\xc3\xa9", 3); /* a letter across the end */
	assert_int_equal(ws_close_write(out, 1000, text), 2 + 2 + WS_REASON_MAX - 1);
	assert_int_equal(ws_close_read((const uint8_t *)"", 0), WS_CLOSE_NO_CODE);
	assert_int_equal(ws_close_read((const uint8_t *)"\x03", 1), 0);
	assert_int_equal(ws_close_read((const uint8_t *)"\x03\xe9", 2), 1001);
	assert_int_equal(ws_close_read((const uint8_t *)"\x0f\xa3why", 5), 4003);
	assert_int_equal(ws_close_read((const uint8_t *)"\x03\xed", 2), 0); /* 1005 */
	assert_int_equal(ws_close_read((const uint8_t *)"\x03\xe8\xff", 3), 0);
}

static void test_utf8(void **state)
{
	static const char *const good[] = { "", "plain", "\xc3\xa9", "\xe2\x82\xac",
		"\xf0\x9f\x8e\xb0", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf" };
	static const char *const bad[] = { "\x80", "\xc3", "\xc0\xaf", "\xe0\x9f\xbf", "\xe2\x82",
		"\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
		"x\xe2\x28\xa1", "\xff" };
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!ws_utf8((const uint8_t *)good[i], strlen(good[i])))
			fail_msg("good %zu", i);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (ws_utf8((const uint8_t *)bad[i], strlen(bad[i])))
			fail_msg("bad %zu", i);
}

static void test_offers_of_compression(void **state)
{
	static const char *const good[] = { "permessage-deflate",
		"permessage-deflate; client_max_window_bits",
		"x; a=b, permessage-deflate ;client_max_window_bits=10; server_no_context_takeover",
		"permessage-deflate; server_max_window_bits=9, Permessage-Deflate" };
	static const char *const bad[] = { "", ",", ";", "=", "permessage-deflat",
		"permessage-deflate; server_max_window_bits=10",
		"permessage-deflate; server_no_context_takeover=1", "permessage-deflate; other",
		"permessage-deflate=1", "x; permessage-deflate" };
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!ws_deflate_offered(good[i]))
			fail_msg("good %zu", i);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (ws_deflate_offered(bad[i]))
			fail_msg("bad %zu", i);
}

static void test_compression_there_and_back(void **state)
{
	struct ws_deflate *codec = ws_deflate_new();
	uint8_t plain[5000], packed[5000], again[6000];
	size_t length;
	(void)state;
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (uint8_t)("{\"value_minor\":"[i % 15] + (i % 77 == 0));
	for (int time = 0; time < 3; time++) { /* each message by itself */
		size_t n = ws_deflate_pack(codec, plain, sizeof(plain), packed, sizeof(packed));
		assert_in_range(n, 1, sizeof(plain) / 2);
		assert_int_equal(
			ws_deflate_unpack(codec, packed, n, again, sizeof(again), &length), 0);
		assert_int_equal(length, sizeof(plain));
		assert_memory_equal(again, plain, sizeof(plain));
		assert_int_equal(ws_deflate_unpack(codec, packed, n, again, 5000, &length),
			WS_CLOSE_TOO_LARGE);
		assert_int_equal(ws_deflate_pack(codec, plain, sizeof(plain), packed, 20), 0);
	}
	memset(packed, 0xff, 20);
	assert_int_equal(ws_deflate_unpack(codec, packed, 20, again, sizeof(again), &length),
		WS_CLOSE_NOT_TEXT);
	ws_deflate_free(&codec);
	assert_null(codec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_written_heads),
		cmocka_unit_test(test_close_frames),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_offers_of_compression),
		cmocka_unit_test(test_compression_there_and_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
