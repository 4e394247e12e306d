/* Packs and reads commands on nanomsg (proto/bus.proto, Command). For senders that do not run the
 * loop of service.h, and for the loop itself. */
#ifndef CARILLON_SERVICE_DIRECT_H
#define CARILLON_SERVICE_DIRECT_H

#include "libcommon/io/arena.h"
#include "libcommon/io/kafka.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes that packing adds to a command. */
#define DIRECT_HEAD_MAX 32

/* Is this a command, rather than another kind of message between instances? Looks only at the first
 * byte. */
bool direct_is(const uint8_t *bytes, size_t length);
/* True for spin.commands, wallet.commands and jackpot.commands, the kinds of commands. */
bool direct_kind(enum topic kind);
/* `kind` is a number of CommandKind (proto/bus.proto). Is it the kind of this topic's commands? */
bool direct_kind_is(uint32_t kind, enum topic topic);
/* Packs a command of a kind for the owner of a shard into out, which has room for length +
 * DIRECT_HEAD_MAX bytes. Returns the bytes used. */
size_t direct_pack(enum topic kind, uint32_t shard, const void *bytes, size_t length, uint8_t *out);
/* Reads a packed command; the arena owns message_r->bytes. The message's offset is SERVICE_DIRECT
 * (service.h), and its key is empty. False when the bytes are malformed or the kind is unknown to
 * this build. */
bool direct_read(
	const uint8_t *bytes, size_t length, struct arena *arena, struct kafka_message *message_r);

#endif
