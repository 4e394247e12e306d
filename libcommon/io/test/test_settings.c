/* Settings: which values are accepted, and with which words others are rejected. settings_load ends
 * the process, so each row runs in a child. */
#include "libcommon/io/settings.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OUTPUT_MAX 16384

static char own_text[SETTING_TEXT_MAX];
static int64_t own_number;
static bool own_flag;

static const struct setting OWN[] = {
	{ "WALLET_TEXT", SETTING_TEXT, "some", 0, 0, own_text, "a text" },
	{ "WALLET_NUMBER", SETTING_INT, "7", -5, 100, &own_number, "a number" },
	{ "WALLET_FLAG", SETTING_BOOL, "false", 0, 0, &own_flag, "a flag" },
	{ NULL, SETTING_TEXT, NULL, 0, 0, NULL, NULL },
};

static const char *const GOOD[] = { "CARILLON_PG_DSN=host=a", "CARILLON_PG_RO_DSN=host=b",
	"CARILLON_REDIS=c:1", "CARILLON_KAFKA=d:2", "PATH=/bin", NULL };

struct outcome {
	int status;
	char output[OUTPUT_MAX];
};

/* Runs settings_load in a child with the good environment and `more`, and prints the values read.
 * "NAME=value" adds a variable, "NAME" removes it. */
static struct outcome load(const char *more, int argc, const char *argument)
{
	struct outcome outcome = { 0 };
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		char name[] = "wallet";
		char *argv[] = { name, (char *)(uintptr_t)argument, NULL };
		(void)dup2(ends[1], 1);
		(void)dup2(ends[1], 2);
		(void)clearenv();
		for (size_t i = 0; GOOD[i] != NULL; i++)
			(void)putenv((char *)(uintptr_t)GOOD[i]);
		if (more != NULL)
			(void)putenv((char *)(uintptr_t)more); /* without "=": removes it */
		settings_load(argc, argv, "wallet", "WALLET_", OWN);
		printf("%s|%s|%s|%lld|%s|%s|%s|%s|%lld|%d|%lld", common.instance, common.nn_url,
			common.health, (long long)common.shards, common.kind, common.log,
			common.pg_dsn, own_text, (long long)own_number, own_flag,
			(long long)common.fx_max_age_s);
		(void)fflush(stdout);
		_exit(0);
	}
	(void)close(ends[1]);
	size_t length = 0;
	ssize_t n;
	while (length < OUTPUT_MAX - 1 &&
		(n = read(ends[0], outcome.output + length, OUTPUT_MAX - 1 - length)) > 0)
		length += (size_t)n;
	(void)close(ends[0]);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return outcome;
}

static void test_settings_defaults(void **state)
{
	(void)state;
	struct outcome outcome = load(NULL, 1, NULL);
	assert_int_equal(outcome.status, 0);
	assert_string_equal(outcome.output,
		"wallet-1|ipc://nn/wallet-1|127.0.0.1:0|4|live|info|host=a|some|7|0|604800");
}

static void test_settings_accept_good_values(void **state)
{
	static const struct {
		const char *set, *part;
	} TABLE[] = {
		{ "CARILLON_INSTANCE=wallet-7", "wallet-7|ipc://nn/wallet-7|" },
		{ "CARILLON_NN_URL=tcp://10.0.0.1:7001", "wallet-1|tcp://10.0.0.1:7001|" },
		{ "CARILLON_HEALTH=0.0.0.0:8080", "|0.0.0.0:8080|" },
		{ "CARILLON_SHARDS=256", "|256|" }, { "CARILLON_KIND=demo", "|demo|" },
		{ "CARILLON_KIND=demo", "|7|0|0" }, /* no limit for the age of a rate */
		{ "CARILLON_KIND=test", "|7|0|604800" }, { "CARILLON_FX_MAX_AGE_S=0", "|7|0|0" },
		{ "CARILLON_FX_MAX_AGE_S=3600", "|7|0|3600" }, { "CARILLON_LOG=debug", "|debug|" },
		{ "WALLET_TEXT=", "||7|0" }, { "WALLET_NUMBER=-5", "|-5|0" },
		{ "WALLET_NUMBER=100", "|100|0" }, { "WALLET_FLAG=true", "|7|1" },
		{ "WALLET_FLAG=1", "|7|1" }, { "WALLET_FLAG=0", "|7|0" },
		{ "CARILLON_DATA=/somewhere", "wallet-1|" }, /* a setting of the scripts */
		{ "SPIN_ENGINE_OTHER=1", "wallet-1|" },	     /* another service's setting */
	};
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		struct outcome outcome = load(TABLE[i].set, 1, NULL);
		if (outcome.status != 0 || strstr(outcome.output, TABLE[i].part) == NULL)
			fail_msg("%s: status %d, %s", TABLE[i].set, outcome.status, outcome.output);
	}
}

static void test_settings_reject_bad_values(void **state)
{
	static const struct {
		const char *set, *message;
	} TABLE[] = {
		{ "CARILLON_PG_DSN", "CARILLON_PG_DSN: found nothing, expected a value" },
		{ "CARILLON_PG_DSN=", "CARILLON_PG_DSN: found an empty value, expected some text" },
		{ "CARILLON_KAFKA", "CARILLON_KAFKA: found nothing" },
		{ "CARILLON_REDIS", "CARILLON_REDIS: found nothing" },
		{ "CARILLON_PG_RO_DSN", "CARILLON_PG_RO_DSN: found nothing" },
		{ "CARILLON_SHARDS=0",
			"CARILLON_SHARDS: found '0', expected a whole number from 1 to 256" },
		{ "CARILLON_SHARDS=257", "CARILLON_SHARDS: found '257'" },
		{ "CARILLON_SHARDS=four", "CARILLON_SHARDS: found 'four'" },
		{ "CARILLON_SHARDS=", "CARILLON_SHARDS: found ''" },
		{ "CARILLON_SHARDS=4 ", "CARILLON_SHARDS: found '4 '" },
		{ "CARILLON_SHARDS= 4", "CARILLON_SHARDS: found ' 4'" },
		{ "CARILLON_SHARDS=4.0", "CARILLON_SHARDS: found '4.0'" },
		{ "CARILLON_SHARDS=99999999999999999999",
			"CARILLON_SHARDS: found '99999999999999999999'" },
		{ "CARILLON_KIND=prod",
			"CARILLON_KIND: found 'prod', expected live, demo or test" },
		{ "CARILLON_LOG=loud",
			"CARILLON_LOG: found 'loud', expected error, warn, info or debug" },
		{ "CARILLON_HEALTH=8080", "CARILLON_HEALTH: found '8080', expected address:port" },
		{ "CARILLON_HEALTH=:8080", "CARILLON_HEALTH: found ':8080'" },
		{ "CARILLON_HEALTH=127.0.0.1:", "CARILLON_HEALTH: found '127.0.0.1:'" },
		{ "CARILLON_HEALTH=127.0.0.1:65536", "CARILLON_HEALTH: found '127.0.0.1:65536'" },
		{ "CARILLON_HEALTH=127.0.0.1:8x", "CARILLON_HEALTH: found '127.0.0.1:8x'" },
		{ "CARILLON_NN_URL=http://x",
			"CARILLON_NN_URL: found 'http://x', expected ipc://" },
		{ "CARILLON_INSTANCE=a b",
			"CARILLON_INSTANCE: found 'a b', expected 1 to 48 letters" },
		{ "CARILLON_INSTANCE=../etc", "CARILLON_INSTANCE: found '../etc'" },
		{ "CARILLON_INSTANCE=1234567890123456789012345678901234567890123456789",
			"CARILLON_INSTANCE: found" },
		{ "CARILLON_SHARD=4", "CARILLON_SHARD: unknown setting" },
		{ "CARILLON_=4", "CARILLON_: unknown setting" },
		{ "WALLET_NUMBERS=4",
			"WALLET_NUMBERS: unknown setting; expected one that --help lists" },
		{ "WALLET_NUMBER=101",
			"WALLET_NUMBER: found '101', expected a whole number from -5 to 100" },
		{ "WALLET_NUMBER=-6", "WALLET_NUMBER: found '-6'" },
		{ "WALLET_NUMBER=0x10", "WALLET_NUMBER: found '0x10'" },
		{ "WALLET_FLAG=yes", "WALLET_FLAG: found 'yes', expected true or false" },
		{ "WALLET_FLAG=", "WALLET_FLAG: found ''" },
		{ "WALLET_FLAG=TRUE", "WALLET_FLAG: found 'TRUE'" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		struct outcome outcome = load(TABLE[i].set, 1, NULL);
		if (outcome.status != 2 || strstr(outcome.output, TABLE[i].message) == NULL)
			fail_msg("%s: status %d, %s", TABLE[i].set, outcome.status, outcome.output);
	}
}

static void test_settings_huge_value_is_refused(void **state)
{
	static char huge[SETTING_TEXT_MAX + 32] = "WALLET_TEXT=";
	(void)state;
	size_t name = strlen(huge);
	memset(huge + name, 'x', SETTING_TEXT_MAX);
	struct outcome outcome = load(huge, 1, NULL);
	assert_int_equal(outcome.status, 2);
	assert_non_null(
		strstr(outcome.output, "WALLET_TEXT: found 1024 bytes, expected at most 1023"));
	huge[name + SETTING_TEXT_MAX - 1] = '\0';
	assert_int_equal(load(huge, 1, NULL).status, 0);
}

static void test_settings_arguments(void **state)
{
	(void)state;
	struct outcome outcome = load(NULL, 2, "--verbose");
	assert_int_equal(outcome.status, 2);
	assert_non_null(
		strstr(outcome.output, "found the argument '--verbose', expected none but --help"));
	outcome = load("CARILLON_SHARDS=bad", 2, "--help");
	assert_int_equal(outcome.status, 0);
	assert_non_null(strstr(outcome.output, "CARILLON_PG_DSN"));
	assert_non_null(strstr(outcome.output, "WALLET_NUMBER"));
	assert_non_null(strstr(outcome.output, "whole number -5..100, default 7"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings_defaults),
		cmocka_unit_test(test_settings_accept_good_values),
		cmocka_unit_test(test_settings_reject_bad_values),
		cmocka_unit_test(test_settings_huge_value_is_refused),
		cmocka_unit_test(test_settings_arguments),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
