/* The mark of the last proof: who may move it, and that it never goes back. */
#include "tools/jackpotctl/verify_mark.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST "1111111111111111111111111111111111111111111111111111111111111111"
#define SECOND "2222222222222222222222222222222222222222222222222222222222222222"

static char folder[64];

static const char *path_of(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* A proof with this digest that went well: its state, signed, and its mark recorded. */
static json_t *proven(const char *digest, uint64_t number)
{
	struct verify_mark mark;
	char error[MARK_ERROR_MAX];
	json_t *root = json_object();

	assert_true(mark_open(path_of("state"), &mark, error));
	mark_sign(&mark, root, digest);
	assert_int_equal(mark.number, number);
	assert_true(mark_keep(&mark, error));
	mark_close(&mark);
	return root;
}

/* Does the next proof build on this state? */
static bool taken(const json_t *root, const char *digest, bool *unsigned_r, char *error)
{
	struct verify_mark mark;
	bool good;

	assert_true(mark_open(path_of("state"), &mark, error));
	good = mark_check(&mark, root, digest, unsigned_r, error);
	mark_close(&mark);
	return good;
}

static void test_mark_goes_on_and_never_back(void **state)
{
	char error[MARK_ERROR_MAX];
	bool is_unsigned;
	json_t *none = json_object(), *first, *second;

	(void)state;
	/* An earlier build did not sign its mark: the proof begins anew, and nothing is wrong. */
	assert_true(taken(none, FIRST, &is_unsigned, error));
	assert_true(is_unsigned);
	first = proven(FIRST, 1);
	assert_true(taken(first, FIRST, &is_unsigned, error));
	assert_false(is_unsigned);
	second = proven(SECOND, 2);
	assert_true(taken(second, SECOND, &is_unsigned, error));
	assert_false(taken(first, FIRST, &is_unsigned, error));
	assert_non_null(strstr(error, "found mark 1, expected mark 2"));
	assert_false(taken(none, FIRST, &is_unsigned, error));
	assert_non_null(strstr(error, "a forged mark"));
	assert_false(taken(second, FIRST, &is_unsigned, error));
	assert_non_null(strstr(error, "a forged mark"));
	json_object_set_new(first, "number", json_integer(3));
	assert_false(taken(first, FIRST, &is_unsigned, error));
	assert_non_null(strstr(error, "a forged mark"));
	/* Another key than the one it was signed with. */
	(void)unlink(path_of("ledger-verify.key"));
	assert_false(taken(second, SECOND, &is_unsigned, error));
	assert_non_null(strstr(error, "a forged mark"));
	json_decref(none);
	json_decref(first);
	json_decref(second);
}

static void test_mark_keeps_a_record_of_each_file(void **state)
{
	struct verify_mark mark;
	char error[MARK_ERROR_MAX];
	FILE *file;

	(void)state;
	assert_true(mark_open(path_of("other"), &mark, error));
	assert_int_equal(mark.number, 0);
	mark_close(&mark);
	assert_true(mark_open(path_of("state"), &mark, error));
	assert_int_equal(mark.number, 2);
	assert_string_equal(mark.digest, SECOND);
	mark_close(&mark);
	file = fopen(path_of("ledger-verify.last"), "ae");
	assert_non_null(file);
	(void)fputs("nothing of the kind\n", file);
	(void)fclose(file);
	assert_false(mark_open(path_of("state"), &mark, error));
	assert_non_null(strstr(error, "NUMBER SHA256 PATH"));
}

static int folder_make(void **state)
{
	(void)state;
	(void)snprintf(folder, sizeof(folder), "/tmp/test-mark-XXXXXX");
	return mkdtemp(folder) == NULL || setenv("CARILLON_KEYS", folder, 1) != 0;
}

static int folder_remove(void **state)
{
	(void)state;
	(void)unlink(path_of("ledger-verify.key"));
	(void)unlink(path_of("ledger-verify.last"));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mark_goes_on_and_never_back),
		cmocka_unit_test(test_mark_keeps_a_record_of_each_file),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
