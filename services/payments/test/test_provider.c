/* A provider's answers, as a table: only a clear answer about the requested payment is an
 * outcome. */
#include "services/payments/adapters/provider.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define ID "000102030405060708090a0b0c0d0e0f"
#define SAYS(status)                                                                               \
	"{\"id\":\"" ID "\",\"amount_minor\":500,\"currency\":\"EUR\",\"status\":\"" status "\"}"

static const struct payout asked = { .id = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	.player = (INT64_C(1) << 48) + 7,
	.currency = 978,
	.amount = 500 };

static const struct {
	const char *what;
	enum payout_act act;
	long status;
	const char *body;
	enum payout_answer answer;
} answers[] = {
	{ "paid", PAYOUT_REQUEST, 200, SAYS("paid"), PAYOUT_SAID_PAID },
	{ "refused", PAYOUT_REQUEST, 200, SAYS("refused"), PAYOUT_SAID_REFUSED },
	{ "pending", PAYOUT_REQUEST, 202, SAYS("pending"), PAYOUT_SAID_PENDING },
	{ "created", PAYOUT_REQUEST, 201, SAYS("paid"), PAYOUT_SAID_PAID },
	{ "paid, by a query", PAYOUT_LOOK, 200, SAYS("paid"), PAYOUT_SAID_PAID },
	{ "unknown, by a query", PAYOUT_LOOK, 404, "", PAYOUT_SAID_UNKNOWN },
	{ "unknown, by a request to pay", PAYOUT_REQUEST, 404, SAYS("paid"), PAYOUT_NO_ANSWER },
	{ "a status in upper case", PAYOUT_REQUEST, 200, SAYS("PAID"), PAYOUT_NO_ANSWER },
	{ "an undefined status", PAYOUT_REQUEST, 200, SAYS("declined"), PAYOUT_NO_ANSWER },
	{ "paid, with an error status", PAYOUT_REQUEST, 500, SAYS("paid"), PAYOUT_NO_ANSWER },
	{ "paid, with a redirect", PAYOUT_REQUEST, 302, SAYS("paid"), PAYOUT_NO_ANSWER },
	{ "no content", PAYOUT_REQUEST, 204, "", PAYOUT_NO_ANSWER },
	{ "known with other content", PAYOUT_REQUEST, 409, "", PAYOUT_SAID_OTHER },
	{ "known with other content, 422", PAYOUT_REQUEST, 422, "", PAYOUT_SAID_OTHER },
	{ "nothing", PAYOUT_REQUEST, 200, "", PAYOUT_NO_ANSWER },
	{ "not JSON", PAYOUT_REQUEST, 200, "<html>paid</html>", PAYOUT_NO_ANSWER },
	{ "truncated JSON", PAYOUT_REQUEST, 200, "{\"id\":\"" ID "\",\"status\":\"paid\"",
		PAYOUT_NO_ANSWER },
	{ "a list", PAYOUT_REQUEST, 200, "[" SAYS("paid") "]", PAYOUT_NO_ANSWER },
	{ "two answers", PAYOUT_REQUEST, 200, SAYS("paid") SAYS("refused"), PAYOUT_NO_ANSWER },
	{ "two members of one name", PAYOUT_REQUEST, 200,
		"{\"id\":\"" ID "\",\"amount_minor\":500,\"currency\":\"EUR\",\"status\":\"paid\","
		"\"status\":\"refused\"}",
		PAYOUT_NO_ANSWER },
	{ "another id", PAYOUT_REQUEST, 200,
		"{\"id\":\"ff0102030405060708090a0b0c0d0e0f\",\"amount_minor\":500,\"currency\":\"EUR\","
		"\"status\":\"paid\"}",
		PAYOUT_SAID_OTHER },
	{ "another amount", PAYOUT_REQUEST, 200,
		"{\"id\":\"" ID "\",\"amount_minor\":501,\"currency\":\"EUR\",\"status\":\"paid\"}",
		PAYOUT_SAID_OTHER },
	{ "an amount in text", PAYOUT_REQUEST, 200,
		"{\"id\":\"" ID
		"\",\"amount_minor\":\"500\",\"currency\":\"EUR\",\"status\":\"paid\"}",
		PAYOUT_SAID_OTHER },
	{ "an amount with a fraction", PAYOUT_REQUEST, 200,
		"{\"id\":\"" ID
		"\",\"amount_minor\":500.0,\"currency\":\"EUR\",\"status\":\"paid\"}",
		PAYOUT_SAID_OTHER },
	{ "another currency", PAYOUT_REQUEST, 200,
		"{\"id\":\"" ID "\",\"amount_minor\":500,\"currency\":\"SEK\",\"status\":\"paid\"}",
		PAYOUT_SAID_OTHER },
	{ "no amount", PAYOUT_REQUEST, 200,
		"{\"id\":\"" ID "\",\"currency\":\"EUR\",\"status\":\"refused\"}",
		PAYOUT_SAID_OTHER },
};

static void test_provider_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct provider_word word;
		enum payout_answer answer = provider_read(&asked, answers[i].act, answers[i].status,
			answers[i].body, strlen(answers[i].body), &word);
		if (answer != answers[i].answer || word.answer != answer)
			fail_msg("%s: found %d, expected %d", answers[i].what, (int)answer,
				(int)answers[i].answer);
		assert_memory_equal(word.id, asked.id, PAYOUT_ID_BYTES);
		assert_true(strlen(word.found) < PROVIDER_FOUND_MAX);
	}
}

static void test_provider_references(void **state)
{
	char body[400], reference[200];
	struct provider_word word;

	(void)state;
	memset(reference, 'r', sizeof(reference));
	reference[sizeof(reference) - 1] = '\0';
	(void)snprintf(body, sizeof(body),
		"{\"id\":\"" ID "\",\"amount_minor\":500,\"currency\":\"EUR\",\"status\":\"paid\","
		"\"reference\":\"%s\"}",
		reference);
	assert_int_equal(provider_read(&asked, PAYOUT_REQUEST, 200, body, strlen(body), &word),
		PAYOUT_SAID_PAID);
	assert_int_equal(strlen(word.reference), PROVIDER_REFERENCE_MAX);
	assert_int_equal(provider_read(&asked, PAYOUT_REQUEST, 200, SAYS("paid"),
				 strlen(SAYS("paid")), &word),
		PAYOUT_SAID_PAID);
	assert_string_equal(word.reference, "");
}

/* Postgres rejects an incomplete character: one such reference would end the service again and
 * again. */
static void test_provider_references_end_at_a_character(void **state)
{
	static const struct {
		const char *what, *letter;
		size_t kept; /* length of the text sent, in bytes */
	} letters[] = {
		{ "one byte", "r", PROVIDER_REFERENCE_MAX },
		{ "two bytes", "\xc3\xa9", 62 },
		{ "three bytes", "\xe2\x82\xac", 63 },
		{ "four bytes", "\xf0\x9f\x98\x80", 60 },
	};
	char body[600], reference[400];
	struct provider_word word;

	(void)state;
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		reference[0] = '\0';
		for (size_t j = 0; j < 64; j++)
			(void)strcat(reference, letters[i].letter);
		(void)snprintf(body, sizeof(body),
			"{\"id\":\"" ID "\",\"amount_minor\":500,\"currency\":\"EUR\",\"status\":"
			"\"paid\",\"reference\":\"%s\"}",
			reference);
		assert_int_equal(
			provider_read(&asked, PAYOUT_REQUEST, 200, body, strlen(body), &word),
			PAYOUT_SAID_PAID);
		if (strlen(word.reference) != letters[i].kept)
			fail_msg("%s: found %zu bytes, expected %zu", letters[i].what,
				strlen(word.reference), letters[i].kept);
		assert_memory_equal(word.reference, reference, letters[i].kept);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_provider_answers),
		cmocka_unit_test(test_provider_references),
		cmocka_unit_test(test_provider_references_end_at_a_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
