/* Reads commands to pools and sets, for both jackpot services. */
#ifndef CARILLON_JACKPOT_IO_POOL_COMMAND_H
#define CARILLON_JACKPOT_IO_POOL_COMMAND_H

#include "jackpot.pb-c.h"
#include "libcommon/service/service.h"

#define POOL_COMMAND_REASON_MAX 256

/* The command. NULL when the bytes are not a command, or one of its numbers is too large to store;
 * reason (POOL_COMMAND_REASON_MAX bytes) then says what was found and what was expected. Does not
 * check the envelope. */
Carillon__JackpotCommand *pool_command_parse(const uint8_t *bytes, size_t length, char *reason);
/* The command, or NULL with service_reason set: the bytes are not a command, or its envelope is
 * rejected. Free with carillon__jackpot_command__free_unpacked(command, NULL). */
Carillon__JackpotCommand *pool_command_read(
	struct service *service, const struct kafka_message *message);

#endif
