/* Reads both topics of the jackpot services. An unreadable message goes to dead.letters. Feed
 * messages of a pool that is not here are ignored, because pools and sets share the topics. Every
 * command goes to `command`, which decides. */
#ifndef CARILLON_JACKPOT_IO_JACKPOT_MESSAGE_H
#define CARILLON_JACKPOT_IO_JACKPOT_MESSAGE_H

#include "jackpot.pb-c.h"
#include "libcommon/jackpot/io/jackpot_list.h"

struct jackpot_readers {
	/* Takes a feed message for a pool or set of the shard; `instance` is its struct. */
	enum service_message_status (*feed)(
		struct service *service, void *instance, const Carillon__JackpotFeed *feed);
	/* Takes a command for any pool on the shard's partition, known here or not. */
	enum service_message_status (*command)(struct service *service, struct service_shard *shard,
		Carillon__JackpotCommand *command);
};

enum service_message_status jackpot_message(struct service *service, struct service_shard *shard,
	const struct kafka_message *message, const struct jackpot_readers *readers);

#endif
