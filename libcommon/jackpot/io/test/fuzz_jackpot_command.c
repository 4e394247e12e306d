/* Any bytes on jackpot.commands, as both jackpot services read them: either rejected with a reason
 * that can be stored, or a command whose values all fit where they are stored. Also mutates
 * well-formed commands, so that the fuzzer gets past the decoder. */
#include "libcommon/base/utf8.h"
#include "libcommon/jackpot/io/jackpot_action.h"
#include "libcommon/jackpot/io/jackpot_pg.h"
#include "libcommon/jackpot/io/pool_command.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define KINDS 4

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed);

static void operator_fill(Carillon__OperatorCommand *operator, unsigned int seed)
{
	static uint8_t id[ACTION_ID_BYTES] = { 1, 2, 3 };
	carillon__operator_command__init(operator);
	operator->action =(Carillon__OperatorAction)(seed % 10);
	operator->actor = jackpot_text("alice");
	operator->second = jackpot_text("bob");
	operator->reason = jackpot_text("na\xc3\xafve");
	operator->parameters = jackpot_text("{\"currency\":\"EUR\",\"coin_minor\":20}");
	operator->id = jackpot_data(id, sizeof(id));
}

/* One command of each kind. 0: no room. */
static size_t well_formed(uint8_t *out, size_t room, unsigned int seed)
{
	Carillon__Envelope envelope;
	Carillon__JackpotCommand command;
	Carillon__OperatorCommand operator;
	Carillon__CardPick pick;
	Carillon__PoolTransfer transfer;
	carillon__envelope__init(&envelope);
	carillon__jackpot_command__init(&command);
	carillon__card_pick__init(&pick);
	carillon__pool_transfer__init(&transfer);
	operator_fill(&operator, seed / KINDS);
	envelope.schema = 1;
	command.envelope = &envelope;
	command.pool = 2;
	command.correlation = 77;
	command.reply_to = jackpot_text("ipc://nn/gateway-1");
	pick.player = 5;
	pick.round = pick.index = pick.pick = pick.position = 1;
	transfer.from_pool = transfer.to_pool = 1;
	transfer.number = 1;
	switch (seed % KINDS) {
	case 0:
		command.body_case = CARILLON__JACKPOT_COMMAND__BODY_PICK;
		command.pick = &pick;
		break;
	case 1:
		command.body_case = CARILLON__JACKPOT_COMMAND__BODY_TRANSFER;
		command.transfer = &transfer;
		break;
	default:
		command.body_case = CARILLON__JACKPOT_COMMAND__BODY_OPERATOR;
		command.operator_ = &operator;
		break;
	}
	if (carillon__jackpot_command__get_packed_size(&command) > room)
		return 0;
	return carillon__jackpot_command__pack(&command, out);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed)
{
	size_t made = 0;
	if (length < 8 || seed % 16 == 0)
		made = well_formed(bytes, room, seed / 16);
	return LLVMFuzzerMutate(bytes, made > 0 ? made : length, room);
}

static void reason_valid(const char *reason, size_t room)
{
	assert(strnlen(reason, room) < room);
	assert(strstr(reason, "found ") != NULL && strstr(reason, "expected ") != NULL);
	assert(utf8_valid(reason));
}

static void act(const Carillon__OperatorCommand *command)
{
	static struct action_record record, again;
	char reason[ACTION_TEXT_MAX];
	memset(reason, 'x', sizeof(reason));
	if (!action_read(1, command, &record, reason)) {
		reason_valid(reason, sizeof(reason));
		assert(strncmp(reason, "operator.", 9) == 0);
		return;
	}
	assert(record.action <= INT32_MAX && record.actor[0] != '\0' && !record.done);
	assert(utf8_valid(record.actor) && utf8_valid(record.second));
	assert(utf8_valid(record.reason) && utf8_valid(record.parameters));
	assert(strcmp(record.parameters, command->parameters) == 0);
	assert(record.refusal[0] == '\0' && record.before[0] == '\0' && record.after[0] == '\0');
	if (!action_second_given(&record, reason))
		reason_valid(reason, sizeof(reason));
	else
		assert(strcmp(record.actor, record.second) != 0);
	bool read = action_read(1, command, &again, reason);
	assert(read && action_same(&record, &again));
	again.reason[0] ^= 1;
	assert(!action_same(&record, &again));
}

static void fits(const Carillon__JackpotCommand *command)
{
	assert(command->pool <= INT32_MAX);
	if (command->body_case == CARILLON__JACKPOT_COMMAND__BODY_OPERATOR)
		act(command->operator_);
	if (command->body_case == CARILLON__JACKPOT_COMMAND__BODY_PICK)
		assert(command->pick->index <= INT32_MAX && command->pick->round <= INT64_MAX);
	if (command->body_case == CARILLON__JACKPOT_COMMAND__BODY_TRANSFER)
		assert(command->transfer->from_pool <= INT32_MAX &&
			command->transfer->to_pool <= INT32_MAX &&
			command->transfer->number <= INT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	char reason[POOL_COMMAND_REASON_MAX];
	memset(reason, 'x', sizeof(reason));
	Carillon__JackpotCommand *command = pool_command_parse(bytes, length, reason);
	if (command == NULL) {
		reason_valid(reason, sizeof(reason));
		return 0;
	}
	fits(command);
	carillon__jackpot_command__free_unpacked(command, NULL);
	return 0;
}
