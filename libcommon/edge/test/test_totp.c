/* One-time codes: the vectors of RFC 6238, appendix B (its last six digits), windows and repeats.
 */
#include "libcommon/edge/totp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static const uint8_t secret[TOTP_SECRET_BYTES] = "12345678901234567890";

static void test_totp_vectors(void **state)
{
	static const struct {
		uint64_t s;
		uint32_t code;
	} vectors[] = { { 59, 287082 }, { 1111111109, 81804 }, { 1111111111, 50471 },
		{ 1234567890, 5924 }, { 2000000000, 279037 }, { 20000000000, 353130 } };

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		assert_int_equal(totp_code(secret, vectors[i].s / TOTP_STEP_S), vectors[i].code);
}

static void test_totp_is_good_once_and_near_its_time(void **state)
{
	uint64_t step = 0;

	(void)state;
	assert_true(totp_check(secret, "081804", 1111111109, 0, &step));
	assert_int_equal(step, 1111111109 / TOTP_STEP_S);
	assert_false(totp_check(secret, "081804", 1111111109, step, &step));
	assert_true(totp_check(secret, "081804", 1111111109 - TOTP_STEP_S, 0, &step));
	assert_true(totp_check(secret, "081804", 1111111109 + TOTP_STEP_S, 0, &step));
	assert_false(totp_check(secret, "081804", 1111111109 + 3 * TOTP_STEP_S, 0, &step));
	assert_false(totp_check(secret, "081804", 1111111109 - 3 * TOTP_STEP_S, 0, &step));
}

static void test_totp_rejects_other_text(void **state)
{
	static const char *const wrong[] = { "", "81804", "0081804", "08180a", "081805", " 81804",
		"-81804" };
	uint64_t step;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(totp_check(secret, wrong[i], 1111111109, 0, &step));
}

static void test_totp_base32(void **state)
{
	char text[TOTP_BASE32_MAX];

	(void)state;
	totp_base32(secret, text);
	assert_string_equal(text, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_totp_vectors),
		cmocka_unit_test(test_totp_is_good_once_and_near_its_time),
		cmocka_unit_test(test_totp_rejects_other_text),
		cmocka_unit_test(test_totp_base32),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
