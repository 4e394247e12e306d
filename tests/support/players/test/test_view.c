/* Answers are read without a tree of them: what they say is found, and what is no JSON is refused
 * as a parser refuses it. */
#include "tests/support/players/json_walk.h"
#include "tests/support/players/view.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

#define HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static struct view read_of(const char *text)
{
	struct view view;
	assert_true(view_read(text, strlen(text), &view));
	return view;
}

static void test_round_is_told(void **state)
{
	(void)state;
	struct view view = read_of(
		"{\"player\":\"1-7\",\"balance_minor\":99875,\"balance_seq\":12,\"expect\":57,"
		"\"secret_hash\":\"" HASH "\",\"round\":{\"round\":\"56\",\"game\":\"bewitched\","
		"\"bet\":{\"coin_minor\":5,\"lines\":25},\"stake_minor\":125,\"win_minor\":25,"
		"\"pending_minor\":3,\"collected_minor\":4,\"cursor\":1,\"picks_left\":2,"
		"\"gamble_attempts_left\":6,\"next\":\"bet\",\"closed\":true,\"secret\":\"" HASH
		"\",\"phases\":[{\"window\":[1,[2,{\"a\":\"]}\"}],-3.5e+2],\"x\":null}],"
		"\"gambles\":[{\"won\":true},{\"won\":false}],\"jackpots\":[{\"index\":1,"
		"\"pool\":9,\"paid_minor\":700,\"booked\":true},{\"index\":2}]},\"cards\":null}");
	const struct round_view *round = &view.round;
	assert_true(view.has_balance && view.has_expect && view.has_hash && view.round_told);
	assert_true(view.balance == 99875 && view.balance_seq == 12 && view.expect == 57);
	assert_int_equal(view.secret_hash[1], 0x11);
	assert_true(round->present && round->closed && round->has_secret);
	assert_true(round->round == 56 && round->stake == 125 && round->win == 25);
	assert_true(round->pending == 3 && round->collected == 4 && round->coin_minor == 5);
	assert_true(round->cursor == 1 && round->picks_left == 2 && round->gambles_left == 6);
	assert_true(round->gambles == 2 && !round->gamble_won);
	assert_string_equal(round->game, "bewitched");
	assert_string_equal(round->next, "bet");
	assert_int_equal(round->jackpots_n, 2);
	assert_true(round->jackpots[0].pool == 9 && round->jackpots[0].paid == 700 &&
		    round->jackpots[0].booked && !round->jackpots[1].booked);
	assert_true(view.cards_told && !view.cards_open);
	assert_string_equal(view.error, "");
}

static void test_no_round_and_nothing_told_differ(void **state)
{
	(void)state;
	struct view none = read_of("{\"round\":null,\"expect\":0,\"balance_minor\":0}");
	struct view silent = read_of("{ \n\t}");
	assert_true(none.round_told && !none.round.present && none.has_expect && none.has_balance);
	assert_false(silent.round_told || silent.has_expect || silent.has_balance);
	assert_false(read_of("{\"expect\":null,\"balance_minor\":\"x\"}").has_expect);
}

static void test_state_of_a_session(void **state)
{
	(void)state;
	struct view view = read_of("{\"token\":\"t\",\"state\":{\"expect\":3,\"cards\":{\"move\":8,"
				   "\"index\":2,\"booked\":false}},\"expires_s\":9}");
	assert_true(view.expect == 3 && view.cards_open);
	assert_true(view.cards_move == 8 && view.cards_index == 2);
	assert_false(read_of("{\"cards\":{\"booked\":true}}").cards_open);
}

static void test_error_is_told(void **state)
{
	(void)state;
	struct view view = read_of("{\"error\":{\"code\":\"already_done\",\"found\":\"41\","
				   "\"message\":\"a\\n\\u00e9\\ud83c\\udfb0 \\\"\xc3\xa9\\\"\"},"
				   "\"smallest_bet_minor\":5}");
	assert_string_equal(view.error, "already_done");
	assert_string_equal(view.message, "a\n\xc3\xa9\xf0\x9f\x8e\xb0 \"\xc3\xa9\"");
	assert_true(view.done == 41 && view.smallest_bet == 5);
}

static void test_text_is_cut_at_its_room(void **state)
{
	(void)state;
	struct view view = read_of("{\"round\":{\"next\":\"0123456789abcdefgh\"}}");
	assert_string_equal(view.round.next, "0123456789abcde");
}

/* As a parser that makes a tree of it says, too. */
static void test_what_is_no_json_is_refused(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} table[] = {
		{ "", false },
		{ "[]", false },
		{ "{", false },
		{ "{}}", false },
		{ "{\"a\"}", false },
		{ "{\"a\":}", false },
		{ "{\"a\":1,}", false },
		{ "{,\"a\":1}", false },
		{ "{\"a\":1 \"b\":2}", false },
		{ "{\"a\":[1,]}", false },
		{ "{\"a\":[1 2]}", false },
		{ "{\"a\":[1}", false },
		{ "{\"a\":01}", false },
		{ "{\"a\":-}", false },
		{ "{\"a\":1.}", false },
		{ "{\"a\":1e}", false },
		{ "{\"a\":+1}", false },
		{ "{\"a\":tru}", false },
		{ "{\"a\":nul", false },
		{ "{\"a\":\"\x01\"}", false },
		{ "{\"a\":\"\xff\"}", false },
		{ "{\"a\":\"\xed\xa0\x80\"}", false },
		{ "{\"a\":\"\\x\"}", false },
		{ "{\"a\":\"\\u12g4\"}", false },
		{ "{\"a\":\"\\ud800\"}", false },
		{ "{\"a\":\"\\udc00\"}", false },
		{ "{\"a\":\"", false },
		{ "{\"a\":\"\\", false },
		{ "{\"a\":[[[0,-0,1e9,2.5E-3,\"\\/\",true,false,null]]]} ", true },
		{ "{\"\\u0061\":{\"b\":{}},\"c\":[]}", true },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct view view;
		size_t n = strlen(table[i].text);
		json_t *json = json_loadb(table[i].text, n, 0, NULL);
		if (view_read(table[i].text, n, &view) != table[i].good ||
			json_is_object(json) != table[i].good)
			fail_msg("%s", table[i].text);
		json_decref(json);
	}
}

static void test_too_deep_is_refused(void **state)
{
	char text[200] = "{\"a\":";
	struct view view;
	(void)state;
	memset(text + 5, '[', JSON_WALK_DEPTH_MAX);
	assert_false(view_read(text, strlen(text), &view));
}

static void test_integers(void **state)
{
	(void)state;
	assert_true(read_of("{\"balance_minor\":9223372036854775807}").balance == INT64_MAX);
	assert_false(read_of("{\"balance_minor\":9223372036854775808}").has_balance);
	assert_false(read_of("{\"balance_minor\":1.5}").has_balance);
	assert_false(read_of("{\"balance_minor\":-1}").has_balance);
	assert_true(
		read_of("{\"round\":{\"win_minor\":-9223372036854775808}}").round.win == INT64_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_is_told),
		cmocka_unit_test(test_no_round_and_nothing_told_differ),
		cmocka_unit_test(test_state_of_a_session),
		cmocka_unit_test(test_error_is_told),
		cmocka_unit_test(test_text_is_cut_at_its_room),
		cmocka_unit_test(test_what_is_no_json_is_refused),
		cmocka_unit_test(test_too_deep_is_refused),
		cmocka_unit_test(test_integers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
