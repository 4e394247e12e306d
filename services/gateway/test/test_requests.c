/* Bodies of requests: for every field of every request, a missing, wrongly typed, out-of-range or
 * huge value is rejected by name, and a valid value is read exactly. The tables generate the cases,
 * so new fields are tested at once. */
#include "services/gateway/adapters/parse.h"
#include "services/gateway/core/fx.h"
#include "services/gateway/core/requests.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <jansson.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

union any_body {
	struct account_body account;
	struct money_body money;
	struct block_body block;
	struct round_body round;
	struct action_body action;
	struct settings_body settings;
	struct bonus_body bonus;
	struct reason_body reason;
	struct note_body note;
	struct fx_body fx;
	struct pool_action_body pool_action;
};

static const struct request {
	const char *name;
	const struct field *fields;
	const char *good;
} requests[] = {
	{ "demo session", demo_fields, "{\"player\":17,\"currency\":\"EUR\"}" },
	{ "account", account_fields, "{\"player\":17,\"currency\":\"EUR\"}" },
	{ "session", session_fields, "{\"player\":17}" },
	{ "money", money_fields, "{\"amount_minor\":5000,\"currency\":\"EUR\",\"reason\":\"x\"}" },
	{ "correction", correction_fields,
		"{\"amount_minor\":-5000,\"currency\":\"EUR\",\"reason\":\"x\"}" },
	{ "block", block_fields, "{\"blocked\":true,\"reason\":\"x\"}" },
	{ "round", round_fields,
		"{\"game\":\"bewitched\",\"expect\":3,\"bet\":{\"coin_minor\":1,\"lines\":15,"
		"\"coins\":10},"
		"\"nonce\":\"000102030405060708090a0b0c0d0e0f\",\"autoplay\":"
		"\"000102030405060708090a0b0c0d0e0f\"}" },
	{ "action", action_fields,
		"{\"game\":\"bewitched\",\"expect\":3,\"action\":\"pick\",\"cursor\":2,\"choice\":"
		"1}" },
	{ "card pick", pick_fields, "{\"pick\":1,\"position\":11}" },
	{ "settings", settings_fields,
		"{\"game\":\"bewitched\",\"expect\":3,\"witch\":1,\"autoplay\":{\"id\":"
		"\"000102030405060708090a0b0c0d0e0f\","
		"\"spins\":5,\"loss_limit_minor\":-1,\"single_win_minor\":100,\"stop_on_jackpot\":"
		"true}}" },
	{ "bonus spins", bonus_fields,
		"{\"game\":\"mystic-gem\",\"currency\":\"EUR\",\"coin_minor\":2,\"lines\":40,"
		"\"coins\":1,\"spins\":10,\"expires_us\":1900000000000000,\"reason\":\"x\"}" },
	{ "exchange rate", fx_fields,
		"{\"currency\":\"SEK\",\"rate\":\"0.0875\",\"valid_from_us\":1900000000000000,"
		"\"reason\":\"x\"}" },
	{ "action on a pool", pool_action_fields,
		"{\"action\":\"retire\",\"parameters\":{\"rest\":{\"pool\":4}},\"reason\":\"x\"}" },
	{ "end of bonus spins", reason_fields, "{\"reason\":\"x\"}" },
	{ "note", note_fields, "{\"text\":\"They called.\\nAnd wrote.\"}" },
	{ "bonus spin", round_fields,
		"{\"game\":\"bewitched\",\"expect\":3,\"bonus_spin\":"
		"\"000102030405060708090a0b0c0d0e0f\",\"bet\":{\"coin_minor\":1,\"lines\":1,"
		"\"coins\":1},\"nonce\":\"000102030405060708090a0b0c0d0e0f\"}" },
};
#define REQUESTS_N (sizeof(requests) / sizeof(requests[0]))

static bool parse(
	const char *text, size_t length, const struct field *fields, struct problem *problem)
{
	union any_body body;
	memset(&body, 0, sizeof(body));
	memset(problem, 0, sizeof(*problem));
	return parse_body(text, length, fields, &body, problem);
}

/* Puts `value` (owned; NULL: removes) as a member of the valid body, and expects a rejection that
 * names the member. */
static void refused(
	const struct request *request, const char *object, const char *name, json_t *value)
{
	struct problem problem;
	json_t *root = json_loads(request->good, 0, NULL);
	assert_non_null(root);
	json_t *at = object == NULL ? root : json_object_get(root, object);
	if (value == NULL)
		(void)json_object_del(at, name);
	else
		(void)json_object_set_new(at, name, value);
	char *text = json_dumps(root, JSON_COMPACT);
	if (parse(text, strlen(text), request->fields, &problem))
		fail_msg("%s: taken: %.300s", request->name, text);
	if (strstr(problem.where, name) == NULL || problem.code == NULL ||
		problem.message == NULL || problem.found[0] == '\0' || problem.expected[0] == '\0')
		fail_msg("%s: code %s, where %s, found %s, expected %s: %.300s", request->name,
			problem.code, problem.where, problem.found, problem.expected, text);
	free(text);
	json_decref(root);
}

static json_t *long_text(size_t n, char c)
{
	char *text = malloc(n + 1);
	assert_non_null(text);
	memset(text, c, n);
	text[n] = '\0';
	json_t *json = json_string(text);
	free(text);
	return json;
}

static void other_types(
	const struct request *request, const char *object, const struct field *field)
{
	bool text = field->type == FIELD_TEXT || field->type == FIELD_LINES ||
		    field->type == FIELD_SLUG || field->type == FIELD_HEX ||
		    field->type == FIELD_CHOICE;
	refused(request, object, field->name, json_null());
	refused(request, object, field->name, json_array());
	refused(request, object, field->name, json_real(1.5));
	refused(request, object, field->name, json_real(1e300));
	if (field->type != FIELD_OBJECT && field->type != FIELD_JSON)
		refused(request, object, field->name, json_object());
	if (field->type != FIELD_INT)
		refused(request, object, field->name, json_integer(1));
	if (field->type != FIELD_BOOL)
		refused(request, object, field->name, json_true());
	if (!text)
		refused(request, object, field->name, json_string("1"));
}

static void out_of_range(
	const struct request *request, const char *object, const struct field *field)
{
	switch (field->type) {
	case FIELD_INT:
		refused(request, object, field->name, json_integer(field->min - 1));
		refused(request, object, field->name, json_integer(field->max + 1));
		refused(request, object, field->name, json_integer(INT64_MAX));
		refused(request, object, field->name, json_integer(INT64_MIN));
		break;
	case FIELD_TEXT:
		refused(request, object, field->name, json_string("a\nb"));
		refused(request, object, field->name, json_string("a \xe2\x80\xae b"));
		refused(request, object, field->name, json_stringn("a\0b", 3));
		/* fall through */
	case FIELD_SLUG:
	case FIELD_HEX:
	case FIELD_CHOICE:
		refused(request, object, field->name, json_string(""));
		refused(request, object, field->name, long_text(300, 'a'));
		refused(request, object, field->name, long_text(15000, '0'));
		if (field->type != FIELD_TEXT) {
			refused(request, object, field->name, json_string("No Such"));
			refused(request, object, field->name,
				json_string("ABCDEF0123456789ABCDEF0123456789"));
		}
		break;
	case FIELD_LINES:
		refused(request, object, field->name, json_string(""));
		refused(request, object, field->name, json_string("a\tb"));
		refused(request, object, field->name, json_string("\xe2\x81\xa6 a"));
		refused(request, object, field->name, json_string("a\rb"));
		refused(request, object, field->name, json_stringn("a\0b", 3));
		refused(request, object, field->name, long_text((size_t)field->max + 1, 'a'));
		break;
	case FIELD_JSON:
		refused(request, object, field->name,
			json_pack("{s:o}", "a", long_text((size_t)field->max, 'a')));
		break;
	case FIELD_BOOL:
	case FIELD_OBJECT:
		break;
	}
}

static void each_field(
	const struct request *request, const char *object, const struct field *fields)
{
	for (const struct field *f = fields; f->name != NULL; f++) {
		if (f->required)
			refused(request, object, f->name, NULL);
		other_types(request, object, f);
		out_of_range(request, object, f);
		if (f->type == FIELD_OBJECT)
			each_field(request, f->name, f->fields);
	}
}

static void test_requests_every_field(void **state)
{
	struct problem problem;
	(void)state;
	for (size_t i = 0; i < REQUESTS_N; i++) {
		const char *good = requests[i].good;
		if (!parse(good, strlen(good), requests[i].fields, &problem))
			fail_msg("%s: %s %s", requests[i].name, problem.where, problem.expected);
		each_field(&requests[i], NULL, requests[i].fields);
	}
}

static void test_requests_reject_non_json(void **state)
{
	static const char *const bodies[] = { "", " ", "{", "}", "null", "1", "\"text\"", "[]",
		"[{}]", "true", "{\"player\":17", "{\"player\":17}x", "{\"player\":17}{}",
		"{\"player\":17,}", "{player:17}", "{'player':17}", "{\"player\":17,\"player\":17}",
		"{\"player\":NaN}", "{\"player\":017}", "{\"player\":0x11}", "{\"player\":1e1}",
		"{\"player\":17,\"unknown\":1}", "{\"Player\":17}", "{\"player\":17}\xff",
		"{\"player\":\"\xff\"}", "\xef\xbb\xbf{\"player\":17}",
		"{\"player\":99999999999999999999999999}", "{\"player\":1e999}",
		"{\"player\":-99999999999999999999}",
		"{\"player\":{\"a\":{\"b\":{\"c\":{\"d\":1}}}}}", "[[[[[[[[[[" };
	struct problem problem;
	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		if (parse(bodies[i], strlen(bodies[i]), session_fields, &problem))
			fail_msg("taken: %s", bodies[i]);
		if (problem.code == NULL || problem.where[0] == '\0' || problem.found[0] == '\0' ||
			problem.expected[0] == '\0')
			fail_msg("%s: where %s, found %s, expected %s", bodies[i], problem.where,
				problem.found, problem.expected);
	}
	assert_false(parse("{\"player\":17}\0", 14, session_fields, &problem));
}

static void test_requests_name_huge_numbers(void **state)
{
	static const char body[] =
		"{\"game\":\"bewitched\",\"expect\":3,\"bet\":{\"coin_minor\":1,\"lines\":"
		"123456789012345678901234567890,\"coins\":1},\"nonce\":"
		"\"000102030405060708090a0b0c0d0e0f\"}";
	struct problem problem;
	(void)state;
	assert_false(parse(body, sizeof(body) - 1, round_fields, &problem));
	assert_string_equal(problem.where, "bet.lines");
	assert_string_equal(problem.code, "field_type");
}

static void test_requests_values_are_exact(void **state)
{
	struct money_body money = { 0 };
	struct account_body account = { 0 };
	struct round_body round = { 0 };
	struct problem problem;
	const char *text = "{\"amount_minor\":999999999999999,\"currency\":\"EUR\"}";
	(void)state;
	assert_true(parse_body(text, strlen(text), money_fields, &money, &problem));
	assert_int_equal(money.amount_minor, INT64_C(999999999999999));
	assert_false(money.has_reason);
	text = "{\"player\":281474976710655}"; /* 2^48 - 1 */
	assert_true(parse_body(text, strlen(text), demo_fields, &account, &problem));
	assert_int_equal(account.player, (INT64_C(1) << 48) - 1);
	assert_true(parse_body(
		requests[6].good, strlen(requests[6].good), round_fields, &round, &problem));
	assert_string_equal(round.game, "bewitched");
	assert_int_equal(round.bet.coins, 10);
	assert_int_equal(round.nonce.length, 16);
	assert_int_equal(round.nonce.bytes[15], 15);
	assert_true(round.has_autoplay);
	text = "{\"game\":\"g\",\"expect\":9007199254740991,\"bet\":{\"coin_minor\":1,\"lines\":1,"
	       "\"coins\":1},"
	       "\"nonce\":\"000102030405060708090a0b0c0d0e0f\"}";
	memset(&round, 0, sizeof(round));
	assert_true(parse_body(text, strlen(text), round_fields, &round, &problem));
	assert_int_equal(round.expect, INT64_C(9007199254740991));
	assert_false(round.has_autoplay);
}

static void test_requests_fields_that_go_together(void **state)
{
	static const struct {
		bool settings;
		const char *body, *where; /* where NULL: accepted */
	} cases[] = {
		{ false, "{\"game\":\"g\",\"expect\":1,\"action\":\"collect\"}", NULL },
		{ false, "{\"game\":\"g\",\"expect\":1,\"action\":\"halve\"}", NULL },
		{ false, "{\"game\":\"g\",\"expect\":1,\"action\":\"next\",\"cursor\":0}", NULL },
		{ false, "{\"game\":\"g\",\"expect\":1,\"action\":\"next\"}", "cursor" },
		{ false, "{\"game\":\"g\",\"expect\":1,\"action\":\"pick\",\"choice\":0}",
			"cursor" },
		{ false, "{\"game\":\"g\",\"expect\":1,\"action\":\"pick\",\"cursor\":0}",
			"choice" },
		{ false, "{\"game\":\"g\",\"expect\":1,\"action\":\"gamble\"}", "choice" },
		{ false, "{\"game\":\"g\",\"expect\":1,\"action\":\"gamble\",\"choice\":1}", NULL },
		{ false, "{\"game\":\"g\",\"expect\":1,\"action\":\"gamble\",\"choice\":2}",
			"choice" },
		{ true, "{\"game\":\"g\",\"expect\":1}", "body" },
		{ true, "{\"game\":\"g\",\"expect\":1,\"witch\":1}", NULL },
		{ true, "{\"game\":\"g\",\"expect\":1,\"witch\":1,\"autoplay\":{\"spins\":0}}",
			"body" },
		{ true, "{\"game\":\"g\",\"expect\":1,\"autoplay\":{\"spins\":0}}", NULL },
		{ true, "{\"game\":\"g\",\"expect\":1,\"autoplay\":{\"spins\":1}}", "autoplay.id" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct problem problem = { 0 };
		struct action_body action = { 0 };
		struct settings_body settings = { 0 };
		void *target = cases[i].settings ? (void *)&settings : (void *)&action;
		assert_true(parse_body(cases[i].body, strlen(cases[i].body),
			cases[i].settings ? settings_fields : action_fields, target, &problem));
		enum fields_status status = cases[i].settings ? settings_check(&settings, &problem)
							      : action_check(&action, &problem);
		if ((status == FIELDS_OK) != (cases[i].where == NULL) ||
			(cases[i].where != NULL && strcmp(cases[i].where, problem.where) != 0))
			fail_msg("%s: %s", cases[i].body, problem.where);
	}
}

/* RULE mystic-gem 7.2: a bonus spin has its own bet; a request has one of the two. */
static void test_requests_bet_or_bonus_spin(void **state)
{
	static const struct {
		bool bet, bonus;
		const char *found; /* NULL: taken */
	} cases[] = { { true, false, NULL }, { false, true, NULL }, { false, false, "nothing" },
		{ true, true, "a bet beside \"bonus_spin\"" } };
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct round_body body = { .has_bet = cases[i].bet,
			.has_bonus_spin = cases[i].bonus };
		struct problem problem = { 0 };
		enum fields_status status = round_check(&body, &problem);
		assert_int_equal(status == FIELDS_OK, cases[i].found == NULL);
		if (cases[i].found == NULL)
			continue;
		assert_string_equal(problem.where, "bet");
		assert_string_equal(problem.found, cases[i].found);
	}
}

static void test_numbers_and_keys(void **state)
{
	static const struct {
		const char *text;
		bool taken;
	} numbers[] = { { "1", true }, { "100", true }, { "101", false }, { "0", false },
		{ "", false }, { "01", false }, { "-1", false }, { "+1", false }, { "1 ", false },
		{ " 1", false }, { "1.0", false }, { "1e2", false }, { "0x1", false },
		{ "9223372036854775808", false }, { "99999999999999999999999", false } };
	static const struct {
		const char *text;
		bool taken;
	} keys[] = { { "a", true }, { "", false }, { "a b", false }, { "\x7f", false },
		{ "\xc3\xa9", false },
		{ "0123456789012345678901234567890123456789012345678901234567890123", true },
		{ "01234567890123456789012345678901234567890123456789012345678901234", false } };
	int64_t number;
	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (number_read(numbers[i].text, 1, 100, &number) != numbers[i].taken)
			fail_msg("number \"%s\"", numbers[i].text);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (key_ok(keys[i].text) != keys[i].taken)
			fail_msg("key \"%s\"", keys[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests_every_field),
		cmocka_unit_test(test_requests_reject_non_json),
		cmocka_unit_test(test_requests_name_huge_numbers),
		cmocka_unit_test(test_requests_values_are_exact),
		cmocka_unit_test(test_requests_fields_that_go_together),
		cmocka_unit_test(test_requests_bet_or_bonus_spin),
		cmocka_unit_test(test_numbers_and_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
