/* Messages out: at once, or from the outbox after the commit has returned. The outbox is only in
 * memory. The protocols resend messages lost with the process; an uncommitted message must never
 * leave. */
#include "libcommon/service/loop.h"

#include "libcommon/io/log.h"
#include "libcommon/service/direct.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define OUTBOX_KEEP_BYTES (8 << 20) /* a larger outbox is freed after use */

/* One entry. Its key (or url with NUL) and bytes follow it, padded to 8. */
struct entry {
	bool to_bus;
	const char *to; /* of a command: the service, which is in no memory that is freed */
	enum topic topic;
	uint32_t partition;
	size_t key_length, length;
};

static size_t padded(size_t n)
{
	return (n + 7u) & ~(size_t)7u;
}

/* The service that serves a kind of command, where its sender names none. */
static const char *server_of(enum topic kind)
{
	return kind == TOPIC_SPIN_COMMANDS     ? "spin-engine"
	       : kind == TOPIC_WALLET_COMMANDS ? "wallet"
					       : "progressive-pool";
}

/* Without a known owner the command is lost: its sender repeats it. */
static void command_leave(struct service *service, const char *to, enum topic kind, uint32_t shard,
	const void *bytes, size_t length)
{
	struct outbox *packed = &service->packed;
	if (packed->room < length + DIRECT_HEAD_MAX) {
		free(packed->bytes);
		packed->room = 2 * (length + DIRECT_HEAD_MAX);
		packed->bytes = malloc(packed->room);
		if (packed->bytes == NULL)
			fatal("a command of %zu bytes: out of memory", length);
	}
	packed->length = direct_pack(kind, shard, bytes, length, packed->bytes);
	service_bus_send_now(
		service, service_owner_url(service, to, shard), packed->bytes, packed->length);
}

static enum kafka_pace pace_of(enum topic topic)
{
	return topic == TOPIC_JACKPOT_FACTS ? KAFKA_FAST : KAFKA_SLOW;
}

static void outbox_add(
	struct outbox *outbox, struct entry entry, const void *key, const void *bytes)
{
	size_t more = padded(sizeof(entry)) + padded(entry.key_length) + padded(entry.length);
	if (outbox->room - outbox->length < more) {
		size_t room = outbox->room == 0 ? 65536 : outbox->room;
		while (room - outbox->length < more)
			room *= 2;
		uint8_t *larger = realloc(outbox->bytes, room);
		if (larger == NULL)
			fatal("outbox: out of memory at %zu bytes", room);
		outbox->bytes = larger;
		outbox->room = room;
	}
	uint8_t *at = outbox->bytes + outbox->length;
	memcpy(at, &entry, sizeof(entry));
	at += padded(sizeof(entry));
	if (entry.key_length > 0)
		memcpy(at, key, entry.key_length);
	at += padded(entry.key_length);
	if (entry.length > 0)
		memcpy(at, bytes, entry.length);
	outbox->length += more;
}

void service_outbox_leave(struct service *service)
{
	struct outbox *outbox = &service->outbox;
	for (size_t at = 0; at < outbox->length;) {
		struct entry entry;
		memcpy(&entry, outbox->bytes + at, sizeof(entry));
		const uint8_t *key = outbox->bytes + at + padded(sizeof(entry));
		const uint8_t *bytes = key + padded(entry.key_length);
		if (entry.to_bus)
			nn_bus_gather(service->bus, (const char *)key, bytes, entry.length);
		else if (entry.to != NULL)
			command_leave(service, entry.to, entry.topic, entry.partition, bytes,
				entry.length);
		else
			service_send_now(service, entry.topic, entry.partition, key,
				entry.key_length, bytes, entry.length);
		at += padded(sizeof(entry)) + padded(entry.key_length) + padded(entry.length);
	}
	nn_bus_flush(service->bus);
	outbox->length = 0;
	if (outbox->room > OUTBOX_KEEP_BYTES) {
		free(outbox->bytes);
		*outbox = (struct outbox){ 0 };
	}
}

void service_send(struct service *service, enum topic topic, uint32_t partition, const void *key,
	size_t key_length, const void *bytes, size_t length)
{
	struct entry entry = {
		.topic = topic, .partition = partition, .key_length = key_length, .length = length
	};
	outbox_add(&service->outbox, entry, key, bytes);
}

void service_send_now(struct service *service, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length)
{
	if (direct_kind(topic))
		command_leave(service, server_of(topic), topic, partition, bytes, length);
	else if (!kafka_offer(service->producers[pace_of(topic)], topic, partition, key, key_length,
			 bytes, length))
		/* While Kafka is away for minutes, the queue fills and messages are dropped: facts
		 * and hits are rows that are read again, totals and counters are sent again, and a
		 * dead letter is in the log. */
		service->refused[topic]++;
}

void service_command(struct service *service, const char *to, enum topic kind, uint32_t shard,
	const void *bytes, size_t length)
{
	struct entry entry = { .to = to, .topic = kind, .partition = shard, .length = length };
	outbox_add(&service->outbox, entry, "", bytes);
}

void service_command_now(struct service *service, const char *to, enum topic kind, uint32_t shard,
	const void *bytes, size_t length)
{
	command_leave(service, to, kind, shard, bytes, length);
}

void service_sent(struct service *service, enum topic topic, uint32_t partition, uint64_t *left_r,
	uint64_t *acknowledged_r)
{
	kafka_produced(
		service->producers[pace_of(topic)], topic, partition, left_r, acknowledged_r);
}

uint64_t service_lost(struct service *service, enum topic topic)
{
	return service->refused[topic] + kafka_producer_lost(service->producers[pace_of(topic)]);
}

void service_bus_send(struct service *service, const char *url, const void *bytes, size_t length)
{
	if (url == NULL || url[0] == '\0')
		return;
	struct entry entry = { .to_bus = true, .key_length = strlen(url) + 1, .length = length };
	outbox_add(&service->outbox, entry, url, bytes);
}

void service_bus_send_now(
	struct service *service, const char *url, const void *bytes, size_t length)
{
	if (url != NULL && url[0] != '\0')
		nn_bus_gather(service->bus, url, bytes, length);
}
