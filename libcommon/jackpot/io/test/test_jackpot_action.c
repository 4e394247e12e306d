/* Operators' commands as both jackpot services read them. */
#include "libcommon/jackpot/io/jackpot_action.h"
#include "libcommon/jackpot/io/pool_command.h"

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
	other.pool = 8; /* the same id for another pool is other content */
	assert_false(action_same(&record, &other));
	other = record;
	other.second[0] = 'r';
	assert_false(action_same(&record, &other));
	(void)snprintf(other.second, sizeof(other.second), "alice");
	assert_false(action_second_given(&other, reason));
	assert_non_null(strstr(reason, "the requester again"));
	other.second[0] = '\0';
	assert_false(action_second_given(&other, reason));
	assert_non_null(strstr(reason, "found nothing"));
}

static void test_action_rejects_what_cannot_be_stored(void **state)
{
	(void)state;
	static struct action_record record;
	char reason[ACTION_TEXT_MAX];
	memset(long_text, 'x', sizeof(long_text) - 1);
	for (int i = 0; i < 9; i++) {
		static const char *const WHERE[] = { "operator.id", "operator.actor",
			"operator.actor", "operator.second", "operator.reason",
			"operator.parameters", "operator.action: found -1",
			"operator.reason: found byte 0xc3 at offset 2, expected UTF-8",
			"operator.parameters: found byte 0xff at offset 0" };
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
		else if (i == 5)
			command.parameters = long_text;
		else if (i == 6)
			command.action = (Carillon__OperatorAction)-1;
		else if (i == 7)
			command.reason = jackpot_text("ab\xc3");
		else
			command.parameters = jackpot_text("\xff{}");
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

/* A refusal quotes a part of what was found, perhaps cut inside a character: it must be storable
 * all the same. */
static void test_action_refusal_is_valid_utf8(void **state)
{
	(void)state;
	char refusal[ACTION_TEXT_MAX];
	assert_false(action_refuse(refusal, "found %.2s, expected more", "x\xe2\x82\xac"));
	assert_string_equal(refusal, "found x?, expected more");
}

/* A value too large to store is rejected before it reaches Postgres. */
static void test_command_rejects_large_values(void **state)
{
	(void)state;
	Carillon__CardPick pick;
	Carillon__PoolTransfer transfer;
	carillon__card_pick__init(&pick);
	carillon__pool_transfer__init(&transfer);
	for (int i = 0; i < 6; i++) {
		static const char *const SAYS[] = { NULL, "pool: found 2147483648",
			"pick.index: found 4294967295", "pick.round: found 18446744073709551615",
			"transfer.from_pool: found 2147483648",
			"transfer.number: found 9223372036854775808" };
		uint8_t bytes[256];
		char reason[POOL_COMMAND_REASON_MAX];
		Carillon__JackpotCommand command;
		carillon__jackpot_command__init(&command);
		command.pool = i == 1 ? UINT32_C(2147483648) : INT32_MAX;
		pick.index = i == 2 ? UINT32_MAX : INT32_MAX;
		pick.round = i == 3 ? UINT64_MAX : INT64_MAX;
		transfer.from_pool = i == 4 ? UINT32_C(2147483648) : 1;
		transfer.number = i == 5 ? (uint64_t)INT64_MAX + 1 : 1;
		command.body_case = i < 4 ? CARILLON__JACKPOT_COMMAND__BODY_PICK
					  : CARILLON__JACKPOT_COMMAND__BODY_TRANSFER_BOOKED;
		if (i < 4)
			command.pick = &pick;
		else
			command.transfer_booked = &transfer;
		Carillon__JackpotCommand *read = pool_command_parse(
			bytes, carillon__jackpot_command__pack(&command, bytes), reason);
		assert_int_equal(read != NULL, i == 0);
		if (read == NULL)
			assert_non_null(strstr(reason, SAYS[i]));
		else
			carillon__jackpot_command__free_unpacked(read, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_action_read),
		cmocka_unit_test(test_action_rejects_what_cannot_be_stored),
		cmocka_unit_test(test_action_refusal_is_valid_utf8),
		cmocka_unit_test(test_command_rejects_large_values),
		cmocka_unit_test(test_action_list_finds_by_id),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
