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
	assert_memory_equal(told.hash, "$argon2id$", 10);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_password_is_made_and_checked),
		cmocka_unit_test(test_password_queue_is_bounded),
	};
	return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
