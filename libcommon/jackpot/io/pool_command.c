/* Reads commands to pools and sets. */
#include "libcommon/jackpot/io/pool_command.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static __attribute__((format(printf, 2, 3))) bool refuse(char *reason, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(reason, POOL_COMMAND_REASON_MAX, format, arguments);
	va_end(arguments);
	return false;
}

/* Postgres stores pool numbers and claim indexes in 31 bits, the others in 63. A larger number
 * would make the statement fail, and with it the service, each time that it reads the message
 * again. */
static bool small(const char *name, uint64_t found, char *reason)
{
	return found <= INT32_MAX ||
	       refuse(reason, "%s: found %" PRIu64 ", expected at most %d", name, found, INT32_MAX);
}

static bool large(const char *name, uint64_t found, char *reason)
{
	return found <= INT64_MAX ||
	       refuse(reason, "%s: found %" PRIu64 ", expected at most %" PRId64, name, found,
		       INT64_MAX);
}

static bool transfer_fits(const Carillon__PoolTransfer *transfer, char *reason)
{
	return small("transfer.from_pool", transfer->from_pool, reason) &&
	       small("transfer.to_pool", transfer->to_pool, reason) &&
	       large("transfer.number", transfer->number, reason);
}

static bool fits(const Carillon__JackpotCommand *command, char *reason)
{
	if (!small("pool", command->pool, reason))
		return false;
	if (command->body_case == CARILLON__JACKPOT_COMMAND__BODY_PICK)
		return small("pick.index", command->pick->index, reason) &&
		       large("pick.round", command->pick->round, reason);
	if (command->body_case == CARILLON__JACKPOT_COMMAND__BODY_TRANSFER)
		return transfer_fits(command->transfer, reason);
	return command->body_case != CARILLON__JACKPOT_COMMAND__BODY_TRANSFER_BOOKED ||
	       transfer_fits(command->transfer_booked, reason);
}

Carillon__JackpotCommand *pool_command_parse(const uint8_t *bytes, size_t length, char *reason)
{
	Carillon__JackpotCommand *command = carillon__jackpot_command__unpack(NULL, length, bytes);
	if (command == NULL) {
		(void)refuse(reason,
			"found %zu bytes that are not a message, expected a JackpotCommand",
			length);
		return NULL;
	}
	if (fits(command, reason))
		return command;
	carillon__jackpot_command__free_unpacked(command, NULL);
	return NULL;
}

/* Of a sampled request (docs/tracing.md). */
static void traced(const Carillon__JackpotCommand *command)
{
	const Carillon__Claim *claim = command->body_case == CARILLON__JACKPOT_COMMAND__BODY_CLAIM
					       ? command->claim->claim
					       : NULL;
	log_hop(&(struct log_hop){ .trace = command->envelope->trace.data,
		.event = "jackpot.command.received",
		.message = claim != NULL ? "the claim has come" : "the command has come",
		.player = claim != NULL ? claim->player : 0,
		.move = claim != NULL ? claim->move : 0 });
}

Carillon__JackpotCommand *pool_command_read(
	struct service *service, const struct kafka_message *message)
{
	char reason[POOL_COMMAND_REASON_MAX];
	Carillon__JackpotCommand *command =
		pool_command_parse(message->bytes, message->length, reason);
	if (command == NULL) {
		service_reason(service, "%s", reason);
		return NULL;
	}
	if (service_envelope_check(service, command->envelope)) {
		if (log_sampled(command->envelope->trace.data, command->envelope->trace.len))
			traced(command);
		return command;
	}
	carillon__jackpot_command__free_unpacked(command, NULL);
	return NULL;
}
