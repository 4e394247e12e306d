/* Reads feed messages, claims and other commands for both jackpot services. An unreadable message
 * goes to dead.letters. A feed message or claim for a pool that is not here is ignored, because
 * both services read the same feed. Every other command goes to `command`, also one for a pool that
 * is not here. */
#ifndef CARILLON_JACKPOT_IO_JACKPOT_MESSAGE_H
#define CARILLON_JACKPOT_IO_JACKPOT_MESSAGE_H

#include "jackpot.pb-c.h"
#include "libcommon/jackpot/io/jackpot_list.h"

struct jackpot_readers {
	/* Takes a feed message or a claim for a pool or set of the shard; `instance` is its
	 * struct. */
	enum service_message_status (*feed)(
		struct service *service, void *instance, const Carillon__JackpotFeed *feed);
	/* Takes any other command for any pool of the shard, known here or not. */
	enum service_message_status (*command)(struct service *service, struct service_shard *shard,
		Carillon__JackpotCommand *command);
};

enum service_message_status jackpot_message(struct service *service, struct service_shard *shard,
	const struct kafka_message *message, const struct jackpot_readers *readers);

#endif
