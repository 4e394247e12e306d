/* Messages to pools and sets. */
#include "libcommon/jackpot/io/jackpot_message.h"

#include "libcommon/jackpot/io/pool_command.h"
#include "libcommon/jackpot/io/pool_feed.h"

static enum service_message_status take_feed(struct service *service,
	const struct service_shard *shard, const struct kafka_message *message,
	const struct jackpot_readers *readers)
{
	char reason[POOL_FEED_REASON_MAX];
	Carillon__JackpotFeed *feed =
		pool_feed_read(message->bytes, message->length, service_shards(service), reason);
	if (feed == NULL) {
		service_reason(service, "%s", reason);
		return SERVICE_UNREADABLE;
	}
	void *instance = jackpot_list_find(shard, feed->pool);
	enum service_message_status status =
		instance == NULL ? SERVICE_TAKEN : readers->feed(service, instance, feed);
	carillon__jackpot_feed__free_unpacked(feed, NULL);
	return status;
}

/* A claim comes with the totals of its wallet shard, like a message of the feed. */
static enum service_message_status take_claim(struct service *service,
	const struct service_shard *shard, const Carillon__JackpotCommand *command,
	const struct jackpot_readers *readers)
{
	char reason[POOL_FEED_REASON_MAX];
	const Carillon__JackpotFeed *feed = command->claim;
	if (!pool_feed_valid(feed, service_shards(service), reason)) {
		service_reason(service, "claim.%s", reason);
		return SERVICE_UNREADABLE;
	}
	if (feed->claim == NULL || feed->pool != command->pool) {
		service_reason(service, "claim: found %s claim of pool %u, expected one of pool %u",
			feed->claim == NULL ? "no" : "a", feed->pool, command->pool);
		return SERVICE_UNREADABLE;
	}
	void *instance = jackpot_list_find(shard, feed->pool);
	return instance == NULL ? SERVICE_TAKEN : readers->feed(service, instance, feed);
}

static enum service_message_status take_command(struct service *service,
	struct service_shard *shard, const struct kafka_message *message,
	const struct jackpot_readers *readers)
{
	Carillon__JackpotCommand *command = pool_command_read(service, message);
	if (command == NULL)
		return SERVICE_UNREADABLE;
	enum service_message_status status =
		command->body_case == CARILLON__JACKPOT_COMMAND__BODY_CLAIM
			? take_claim(service, shard, command, readers)
			: readers->command(service, shard, command);
	carillon__jackpot_command__free_unpacked(command, NULL);
	return status;
}

enum service_message_status jackpot_message(struct service *service, struct service_shard *shard,
	const struct kafka_message *message, const struct jackpot_readers *readers)
{
	return message->topic == TOPIC_JACKPOT_FEED
		       ? take_feed(service, shard, message, readers)
		       : take_command(service, shard, message, readers);
}
