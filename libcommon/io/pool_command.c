/* Reading of jackpot.commands. */
#include "libcommon/io/pool_command.h"

Carillon__JackpotCommand *pool_command_read(
	struct service *service, const struct kafka_message *message)
{
	Carillon__JackpotCommand *command =
		carillon__jackpot_command__unpack(NULL, message->length, message->bytes);
	if (command == NULL) {
		service_reason(service,
			"found %zu bytes that are no message, expected a JackpotCommand",
			message->length);
		return NULL;
	}
	if (service_envelope_check(service, command->envelope))
		return command;
	carillon__jackpot_command__free_unpacked(command, NULL);
	return NULL;
}
