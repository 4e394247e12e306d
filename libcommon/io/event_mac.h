/* Authenticates events on Kafka. Kafka's grants say who may write to a topic
 * (tools/kafka-topics/topics.h), but not which of its writers has sent a message. So each message
 * carries one MAC for each service that reads its topic, made with the key that its sender shares
 * with that reader (seal_keys.h). One reader cannot forge an event for another. A MAC covers no
 * counter and no time, because reading a topic again is legitimate, and events have numbers of
 * their own.
 *
 * One header of the message, EVENT_MAC_HEADER, holds all MACs: the format (1 byte, always 1), the
 * length of the sender's name (1 byte), the name; then for each reader, in the order of the table
 * in event_mac.c, the key's number (2 bytes, little-endian) and the MAC (16 bytes: keyed BLAKE2b
 * over the digest of topic, partition, key and message). event_mac_make and event_mac_check are
 * pure. */
#ifndef CARILLON_IO_EVENT_MAC_H
#define CARILLON_IO_EVENT_MAC_H

#include "libcommon/io/kafka.h"
#include "libcommon/io/seal_keys.h"

#define EVENT_MAC_HEADER "mac"
#define EVENT_MAC_MAX 128

struct event {
	enum topic topic;
	uint32_t partition;
	const void *key, *bytes;
	size_t key_length, length;
};

enum event_mac_status {
	EVENT_MAC_OK = 0,
	EVENT_MAC_NONE,	     /* no header: an older build sent it, or somebody without keys */
	EVENT_MAC_MALFORMED, /* the header does not have the format above */
	EVENT_MAC_SENDER,    /* its sender may not write to this topic, or we do not read it */
	EVENT_MAC_NO_KEY,    /* no key of this number */
	EVENT_MAC_FORGED,
	EVENT_MAC_STATUS_N
};
/* "forged": for a metric's label. */
const char *event_mac_status_name(enum event_mac_status status);

/* Writes the header's value for a message that `service` sends. Returns its length, or 0 if the
 * service may not write to the topic or lacks a key for one of the readers. */
size_t event_mac_make(const struct seal_keys *keys, const char *service, const struct event *event,
	uint64_t now_s, uint8_t out[EVENT_MAC_MAX]);
/* header: NULL if the event has none. */
enum event_mac_status event_mac_check(const struct seal_keys *keys, const char *service,
	const struct event *event, const uint8_t *header, size_t length);

/* Which service sent a message whose header event_mac_check has accepted: a name of the table, or
 * NULL if the header names none of the topic's writers. */
const char *event_mac_sender(enum topic topic, const uint8_t *header, size_t length);

/* Sets the keys and the service name of this process, for its producers and consumers. `keys` is
 * borrowed. Without this call, with NULL, or with a service that the table does not know, producers
 * sign nothing and consumers check nothing. Tests rely on this, and so do tools that only read. */
void event_mac_use(const struct seal_keys *keys, const char *service);
const struct seal_keys *event_mac_keys(void);
const char *event_mac_service(void);

/* Reads this process's keys again; true: they have changed. */
typedef bool event_mac_again(void *context);
/* Sets the function that event_mac_keys_again calls. It is needed when a sender already uses a key
 * that we have not read yet. */
void event_mac_look(event_mac_again *again, void *context);
/* Removes the function if it was set with this context. */
void event_mac_unlook(const void *context);
bool event_mac_keys_again(void);

#endif
