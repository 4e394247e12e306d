/* What both jackpot services do with jackpot.commands before they part ways: read the message. */
#ifndef CARILLON_JACKPOT_IO_POOL_COMMAND_H
#define CARILLON_JACKPOT_IO_POOL_COMMAND_H

#include "jackpot.pb-c.h"
#include "libcommon/service/service.h"

#define POOL_COMMAND_REASON_MAX 256

/* The command, or NULL with what, found and expected in reason (POOL_COMMAND_REASON_MAX bytes) when
 * the bytes are none, or a number in it is larger than any that is kept. Its envelope is not looked
 * at. */
Carillon__JackpotCommand *pool_command_parse(const uint8_t *bytes, size_t length, char *reason);
/* The command, or NULL with service_reason set when the bytes are none or its envelope is refused.
 * Free with carillon__jackpot_command__free_unpacked(command, NULL). */
Carillon__JackpotCommand *pool_command_read(
	struct service *service, const struct kafka_message *message);

#endif
