/* Operators' commands as both jackpot services read them. */
#include "libcommon/io/jackpot_action.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char long_text[ACTION_PARAMETERS_MAX + 2];
static uint8_t id[ACTION_ID_BYTES] = { 1, 2, 3 };

static Carillon__OperatorCommand good(void)
{
	Carillon__OperatorCommand command;
	carillon__operator_command__init(&command);
	command.action = CARILLON__OPERATOR_ACTION__ACTION_PAUSE;
	command.actor = jackpot_text("alice");
	command.second = jackpot_text("bob");
	command.reason = jackpot_text("why");
	command.parameters = jackpot_text("{}");
	command.id = jackpot_data(id, sizeof(id));
	return command;
}

static void test_action_read(void **state)
{
	(void)state;
	static struct action_record record, other;
	char reason[ACTION_TEXT_MAX];
	Carillon__OperatorCommand command = good();
	assert_true(action_read(7, &command, &record, reason));
	assert_memory_equal(record.id, id, sizeof(id));
	assert_int_equal(record.pool, 7);
	assert_string_equal(record.second, "bob");
	assert_true(action_second_given(&record, reason));
	other = record;
	assert_true(action_same(&record, &other));
	other.parameters[0] = '[';
	assert_false(action_same(&record, &other));
	other = record;
	other.pool = 8; /* one id, asked of another pool, is other content */
	assert_false(action_same(&record, &other));
	other = record;
	other.second[0] = 'r';
	assert_false(action_same(&record, &other));
	(void)snprintf(other.second, sizeof(other.second), "alice");
	assert_false(action_second_given(&other, reason));
	assert_non_null(strstr(reason, "the actor himself"));
	other.second[0] = '\0';
	assert_false(action_second_given(&other, reason));
	assert_non_null(strstr(reason, "found nothing"));
}

static void test_action_refuses_what_cannot_be_kept(void **state)
{
	(void)state;
	static struct action_record record;
	char reason[ACTION_TEXT_MAX];
	memset(long_text, 'x', sizeof(long_text) - 1);
	for (int i = 0; i < 6; i++) {
		static const char *const WHERE[] = { "operator.id", "operator.actor",
			"operator.actor", "operator.second", "operator.reason",
			"operator.parameters" };
		Carillon__OperatorCommand command = good();
		if (i == 0)
			command.id.len = ACTION_ID_BYTES - 1;
		else if (i == 1)
			command.actor = jackpot_text("");
		else if (i == 2)
			command.actor = long_text;
		else if (i == 3)
			command.second = long_text;
		else if (i == 4)
			command.reason = long_text;
		else
			command.parameters = long_text;
		assert_false(action_read(7, &command, &record, reason));
		assert_non_null(strstr(reason, WHERE[i]));
	}
}

static void test_action_list_finds_by_id(void **state)
{
	(void)state;
	static struct action_record record;
	struct action_list list = { 0 };
	assert_null(action_list_find(&list, id));
	for (uint8_t i = 0; i < 20; i++) {
		record.id[0] = i;
		record.fact_seq = i;
		action_list_add(&list, &record);
	}
	record.id[0] = 17;
	assert_int_equal(action_list_find(&list, record.id)->fact_seq, 17);
	assert_null(action_list_find(&list, id));
	action_list_free(&list);
	assert_null(action_list_find(&list, record.id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_action_read),
		cmocka_unit_test(test_action_refuses_what_cannot_be_kept),
		cmocka_unit_test(test_action_list_finds_by_id),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
