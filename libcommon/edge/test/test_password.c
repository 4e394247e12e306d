/* Passwords in their thread: made, checked, queued, and dropped at the end. */
#include "libcommon/edge/password.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sodium.h>

#include <poll.h>
#include <pthread.h> /* the test belongs to those that run under TSan */
#include <stdio.h>
#include <string.h>

static struct {
	size_t n, good;
	char hash[PASSWORD_HASH_MAX];
} told;

static void on_done(void *context, bool ok, const char *hash)
{
	(void)context;
	told.n++;
	told.good += ok;
	if (hash[0] != '\0')
		(void)snprintf(told.hash, sizeof(told.hash), "%s", hash);
}

static void wait_for(struct password *password, size_t n)
{
	struct pollfd fd = { .fd = password_fd(password), .events = POLLIN };

	while (told.n < n) {
		assert_int_equal(poll(&fd, 1, 60000), 1);
		password_poll(password);
	}
}

static void test_password_is_made_and_checked(void **state)
{
	struct password *password = password_new();

	(void)state;
	memset(&told, 0, sizeof(told));
	assert_true(password_make(password, "correct horse", on_done, NULL));
	wait_for(password, 1);
	assert_int_equal(told.good, 1);
	assert_memory_equal(
		told.hash, "$argon2id$v=19$m=65536,t=2,p=1$", 31); /* 64 MiB, two passes */
	assert_true(password_check(password, "correct horse", told.hash, on_done, NULL));
	assert_true(password_check(password, "correct hors", told.hash, on_done, NULL));
	assert_true(password_check(password, "correct horse", "$argon2id$none", on_done, NULL));
	wait_for(password, 4);
	assert_int_equal(told.good, 2);
	password_free(&password);
	assert_null(password);
}

static void test_password_queue_is_bounded(void **state)
{
	struct password *password = password_new();
	size_t taken = 0;

	(void)state;
	memset(&told, 0, sizeof(told));
	for (size_t i = 0; i < 4 * PASSWORD_QUEUE_MAX; i++)
		taken += password_make(password, "x", on_done, NULL);
	assert_true(taken >= PASSWORD_QUEUE_MAX && taken < 4 * PASSWORD_QUEUE_MAX);
	wait_for(password, 1);
	password_free(&password); /* with others still queued */
	assert_true(told.n < taken);
}

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define LION "\xf0\x9f\xa6\x81" /* one character, four bytes */
#define FOUR_LIONS LION LION LION LION
#define PRIDE                                                                                      \
	FOUR_LIONS FOUR_LIONS FOUR_LIONS FOUR_LIONS FOUR_LIONS FOUR_LIONS FOUR_LIONS FOUR_LIONS

/* Characters count, not bytes; no kind of them is asked for or forbidden. */
static void test_password_fits(void **state)
{
	static const struct {
		const char *text, *found; /* NULL: it may be chosen */
	} TABLE[] = {
		{ "", "0 characters" },
		{ "elevenchars", "11 characters" },
		{ "twelve chars", NULL },
		{ "            ", "1 characters" },
		{ "ten  spaces ", "11 characters" },
		{ " two   spaces", "11 characters" },
		{ "three   spaces", NULL },
		{ "\xc3\xa5\xc3\xa4\xc3\xb6\xc3\xa5\xc3\xa4\xc3\xb6", "6 characters" },
		{ "p\xc3\xa5 en bl\xc3\xa5 stol", NULL },
		{ FOUR_LIONS FOUR_LIONS, "8 characters" },
		{ FOUR_LIONS FOUR_LIONS FOUR_LIONS, NULL },
		{ HUNDRED TEN TEN "12345678", NULL },
		{ HUNDRED TEN TEN "123456789", "129 characters" },
		{ PRIDE PRIDE PRIDE PRIDE, NULL },
		{ PRIDE PRIDE PRIDE PRIDE LION, "129 characters" },
		{ "password1234", "one of the most used passwords" },
		{ "Password1234", "one of the most used passwords" },
		{ "1QAZ2wsx3edc", "one of the most used passwords" },
		{ "password12345678", NULL },
		{ "twelve chars and \xff", "bytes that are not UTF-8" },
	};
	char found[PASSWORD_FOUND_MAX];
	const char *expected;

	(void)state;
	assert_int_equal(strlen(PRIDE PRIDE PRIDE PRIDE), PASSWORD_MAX);
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		bool fits = password_fits(TABLE[i].text, found, &expected);
		if (fits != (TABLE[i].found == NULL) || (!fits && strcmp(found, TABLE[i].found)))
			fail_msg("%s: found %s, expected %s", TABLE[i].text, found, expected);
	}
}

/* One password has as many hashes as users. */
static void test_password_salts_differ(void **state)
{
	struct password *password = password_new();
	char first[PASSWORD_HASH_MAX];

	(void)state;
	memset(&told, 0, sizeof(told));
	assert_true(password_make(password, "correct horse", on_done, NULL));
	wait_for(password, 1);
	memcpy(first, told.hash, sizeof(first));
	assert_true(password_make(password, "correct horse", on_done, NULL));
	wait_for(password, 2);
	assert_int_equal(told.good, 2);
	assert_string_not_equal(first, told.hash);
	password_free(&password);
}

/* The longest one is worked out to its end. */
static void test_password_is_not_cut(void **state)
{
	struct password *password = password_new();
	char text[PASSWORD_MAX + 1];

	(void)state;
	memset(&told, 0, sizeof(told));
	memset(text, 'x', PASSWORD_MAX);
	text[PASSWORD_MAX] = '\0';
	assert_true(password_make(password, text, on_done, NULL));
	wait_for(password, 1);
	assert_true(password_check(password, text, told.hash, on_done, NULL));
	text[PASSWORD_MAX - 1] = 'y';
	assert_true(password_check(password, text, told.hash, on_done, NULL));
	wait_for(password, 3);
	assert_int_equal(told.good, 2);
	password_free(&password);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_password_fits),
		cmocka_unit_test(test_password_salts_differ),
		cmocka_unit_test(test_password_is_not_cut),
		cmocka_unit_test(test_password_is_made_and_checked),
		cmocka_unit_test(test_password_queue_is_bounded),
	};
	return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
