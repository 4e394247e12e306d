/* Unreadable messages go to dead.letters with their bytes and a reason, for a person to inspect. */
#include "libcommon/service/loop.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include "envelope.pb-c.h"
#include "jackpot.pb-c.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAYLOAD_MAX 500000 /* the dead letter itself must fit into a message */
#define DEAD_LETTERS_PARTITION 0
#define SCHEMA_KNOWN 1

void service_reason(struct service *service, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(service->reason, sizeof(service->reason), format, arguments);
	va_end(arguments);
}

void service_envelope(struct service *service, struct Carillon__Envelope *envelope,
	uint32_t incarnation, uint64_t seq)
{
	envelope->schema = SCHEMA_KNOWN;
	envelope->incarnation = incarnation;
	envelope->seq = seq;
	envelope->time_us = clock_wall_us();
	envelope->source = service->instance;
}

bool service_envelope_check(struct service *service, const struct Carillon__Envelope *envelope)
{
	if (envelope == NULL) {
		service_reason(
			service, "envelope: found none, expected one of schema %d", SCHEMA_KNOWN);
		return false;
	}
	log_trace(envelope->trace.data, envelope->trace.len);
	if (envelope->schema == SCHEMA_KNOWN)
		return true;
	service_reason(
		service, "envelope.schema: found %u, expected %d", envelope->schema, SCHEMA_KNOWN);
	return false;
}

void service_dead_letter(
	struct service *service, const struct kafka_message *message, const char *reason)
{
	Carillon__Envelope envelope;
	Carillon__DeadLetter letter;
	const char *topic = topic_name(message->topic);
	carillon__envelope__init(&envelope);
	carillon__dead_letter__init(&letter);
	service_envelope(service, &envelope, 0, 0);
	letter.envelope = &envelope;
	/* protobuf-c's fields are not const. */
	letter.topic = (char *)(uintptr_t)topic;
	letter.partition = message->partition;
	letter.offset = message->offset;
	letter.reason = (char *)(uintptr_t)reason;
	letter.payload.data = (uint8_t *)(uintptr_t)message->bytes;
	letter.payload.len = message->length > PAYLOAD_MAX ? PAYLOAD_MAX : message->length;
	size_t length = carillon__dead_letter__get_packed_size(&letter);
	uint8_t *bytes = malloc(length);
	if (bytes == NULL)
		fatal("dead letters: out of memory");
	(void)carillon__dead_letter__pack(&letter, bytes);
	service_send(service, TOPIC_DEAD_LETTERS, DEAD_LETTERS_PARTITION, topic, strlen(topic),
		bytes, length);
	free(bytes);
	metric_add(service->metrics.dead, 1);
	log_warn_as("service.letter.dead",
		"%s, partition %u, offset %lld cannot be read and goes to dead.letters: %s", topic,
		message->partition, (long long)message->offset, reason);
}
