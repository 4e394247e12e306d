/* Reading of both topics of the jackpot services, alike in both: what is no message goes to
 * dead.letters, a feed or command of a pool that is not here is rightly ignored (pools and sets
 * share the topics). */
#ifndef CARILLON_JACKPOT_IO_JACKPOT_MESSAGE_H
#define CARILLON_JACKPOT_IO_JACKPOT_MESSAGE_H

#include "jackpot.pb-c.h"
#include "libcommon/jackpot/io/jackpot_list.h"

struct jackpot_readers {
	/* Of an instance of the shard. */
	enum service_message_status (*feed)(
		struct service *service, void *instance, const Carillon__JackpotFeed *feed);
	/* Of whatever pool is on the shard's partition. */
	enum service_message_status (*command)(struct service *service, struct service_shard *shard,
		Carillon__JackpotCommand *command);
};

enum service_message_status jackpot_message(struct service *service, struct service_shard *shard,
	const struct kafka_message *message, const struct jackpot_readers *readers);

#endif
