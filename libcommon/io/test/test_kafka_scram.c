#include "libcommon/io/kafka_scram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* The example of RFC 7677. */
#define NONCE "rOprNGfwEbeRWgbNEkqO"
#define WHOLE NONCE "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
#define SALT "W22ZaJ0SNY7soEsUEjb6gQ=="
#define ANSWER "r=" WHOLE ",s=" SALT ",i=4096"

static void test_kafka_scram_is_that_of_the_rfc(void **state)
{
	struct kafka_scram scram;
	(void)state;
	assert_true(kafka_scram_begin(&scram, "user", NONCE));
	assert_string_equal(scram.first, "n,,n=user,r=" NONCE);
	assert_true(kafka_scram_prove(&scram, "pencil", ANSWER));
	assert_string_equal(
		scram.final, "c=biws,r=" WHOLE ",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
	assert_true(kafka_scram_check(&scram, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
	/* Somebody who does not know the password. */
	assert_false(kafka_scram_check(&scram, "v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
	assert_false(kafka_scram_check(&scram, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95A=="));
	assert_false(kafka_scram_check(&scram, "e=other-error"));
	assert_false(kafka_scram_check(&scram, ""));
}

static void test_kafka_scram_refuses_what_is_no_answer_to_us(void **state)
{
	static const char *const ANSWERS[] = { "", "r=" WHOLE, "r=" WHOLE ",i=4096",
		"r=" WHOLE ",s=" SALT, "r=" WHOLE ",s=" SALT ",i=4095",
		"r=" WHOLE ",s=" SALT ",i=16385", "r=" WHOLE ",s=,i=4096", "r=" WHOLE ",s=a,i=4096",
		"r=" WHOLE ",s====,i=4096", "r=" WHOLE ",s=\x80\x80\x80\x80,i=4096",
		"r=other,s=" SALT ",i=4096", "s=" SALT ",i=4096", "e=unknown-user" };
	struct kafka_scram scram;
	char long_one[2 * KAFKA_SCRAM_TEXT_MAX];
	(void)state;
	assert_true(kafka_scram_begin(&scram, "user", NONCE));
	for (size_t i = 0; i < sizeof(ANSWERS) / sizeof(ANSWERS[0]); i++)
		assert_false(kafka_scram_prove(&scram, "pencil", ANSWERS[i]));
	memset(long_one, 'r', sizeof(long_one) - 1);
	long_one[sizeof(long_one) - 1] = '\0';
	long_one[1] = '=';
	assert_false(kafka_scram_prove(&scram, "pencil", long_one));
}

static void test_kafka_scram_has_a_nonce_of_its_own_each_time(void **state)
{
	struct kafka_scram one, two;
	(void)state;
	assert_true(kafka_scram_begin(&one, "user", NULL));
	assert_true(kafka_scram_begin(&two, "user", NULL));
	assert_string_not_equal(one.nonce, two.nonce);
	assert_int_equal(strlen(one.nonce), 24);
	assert_false(kafka_scram_begin(&one, "a,b", NULL));
	assert_false(kafka_scram_begin(&one, "a=b", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kafka_scram_is_that_of_the_rfc),
		cmocka_unit_test(test_kafka_scram_refuses_what_is_no_answer_to_us),
		cmocka_unit_test(test_kafka_scram_has_a_nonce_of_its_own_each_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
