/* Messages as a line of the trace: any protobuf by its descriptor, what is set and short. */
#include "tests/sim/world/kernel.h"

#include "bus.pb-c.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 3
#define BYTES_SHOWN 6

struct line {
	char *text;
	size_t n, room;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...)
{
	va_list arguments;
	if (line->n + 1 >= line->room)
		return;
	va_start(arguments, format);
	int n = vsnprintf(line->text + line->n, line->room - line->n, format, arguments);
	va_end(arguments);
	line->n += (size_t)n;
	if (line->n >= line->room)
		line->n = line->room - 1;
}

static void add_bytes(struct line *line, const char *name, const ProtobufCBinaryData *data)
{
	if (data->len == 0)
		return;
	add(line, " %s=", name);
	for (size_t i = 0; i < data->len && i < BYTES_SHOWN; i++)
		add(line, "%02x", data->data[i]);
}

static void add_message(struct line *line, const ProtobufCMessage *message, int depth);

static void add_number(struct line *line, const char *name, uint64_t value, bool sign)
{
	if (value != 0)
		add(line, sign ? " %s=%" PRId64 : " %s=%" PRIu64, name, value);
}

static void add_field(
	struct line *line, const ProtobufCFieldDescriptor *field, const uint8_t *at, int depth)
{
	uint64_t wide;
	int32_t narrow;
	const char *text;
	ProtobufCMessage *message;
	ProtobufCBinaryData data;
	switch (field->type) {
	case PROTOBUF_C_TYPE_STRING:
		memcpy(&text, at, sizeof(text));
		if (text != NULL && text[0] != '\0')
			add(line, " %s=%s", field->name, text);
		break;
	case PROTOBUF_C_TYPE_BYTES:
		memcpy(&data, at, sizeof(data));
		add_bytes(line, field->name, &data);
		break;
	case PROTOBUF_C_TYPE_MESSAGE:
		memcpy(&message, at, sizeof(message));
		if (message == NULL || strcmp(field->name, "envelope") == 0)
			break;
		add(line, " %s{", field->name);
		if (depth > 0)
			add_message(line, message, depth - 1);
		add(line, "}");
		break;
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
		memcpy(&wide, at, sizeof(wide));
		add_number(line, field->name, wide, field->type != PROTOBUF_C_TYPE_UINT64);
		break;
	case PROTOBUF_C_TYPE_DOUBLE:
	case PROTOBUF_C_TYPE_FLOAT:
		break;
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_SINT32:
	case PROTOBUF_C_TYPE_SFIXED32:
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_FIXED32:
	case PROTOBUF_C_TYPE_BOOL:
	case PROTOBUF_C_TYPE_ENUM:
	default:
		memcpy(&narrow, at, sizeof(narrow));
		add_number(line, field->name, (uint64_t)(int64_t)narrow, true);
		break;
	}
}

static void add_message(struct line *line, const ProtobufCMessage *message, int depth)
{
	const uint8_t *base = (const uint8_t *)message;
	for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
		uint32_t of_case;
		memcpy(&of_case, base + field->quantifier_offset, sizeof(of_case));
		if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 && of_case != field->id)
			continue;
		if (field->label == PROTOBUF_C_LABEL_REPEATED) {
			size_t n;
			memcpy(&n, base + field->quantifier_offset, sizeof(n));
			if (n > 0)
				add(line, " %s[%zu]", field->name, n);
			continue;
		}
		add_field(line, field, base + field->offset, depth);
	}
}

static void envelope_add(struct line *line, const ProtobufCMessage *message)
{
	const ProtobufCFieldDescriptor *field =
		protobuf_c_message_descriptor_get_field_by_name(message->descriptor, "envelope");
	Carillon__Envelope *envelope = NULL;
	if (field != NULL)
		memcpy(&envelope, (const uint8_t *)message + field->offset,
			sizeof(Carillon__Envelope *));
	if (envelope == NULL)
		return;
	add(line, " from %s", envelope->source);
	if (envelope->seq != 0)
		add(line, " seq %" PRIu64, envelope->seq);
}

static const char *text_of(const ProtobufCMessageDescriptor *of, const uint8_t *bytes, size_t n)
{
	static char text[360];
	struct line line = { .text = text, .room = sizeof(text) };
	ProtobufCMessage *message = protobuf_c_message_unpack(of, NULL, n, bytes);
	text[0] = '\0';
	if (message == NULL) {
		add(&line, " unreadable, %zu bytes", n);
		return text;
	}
	envelope_add(&line, message);
	add_message(&line, message, DEPTH_MAX);
	protobuf_c_message_free_unpacked(message, NULL);
	return text;
}

const char *trace_kafka(enum topic topic, const uint8_t *bytes, size_t n)
{
	static const ProtobufCMessageDescriptor *const OF[TOPICS_N] = {
		[TOPIC_SPIN_COMMANDS] = &carillon__spin_command__descriptor,
		[TOPIC_WALLET_COMMANDS] = &carillon__wallet_command__descriptor,
		[TOPIC_WALLET_FACTS] = &carillon__wallet_fact__descriptor,
		[TOPIC_JACKPOT_FEED] = &carillon__jackpot_feed__descriptor,
		[TOPIC_JACKPOT_COMMANDS] = &carillon__jackpot_command__descriptor,
		[TOPIC_JACKPOT_FACTS] = &carillon__jackpot_fact__descriptor,
		[TOPIC_DEAD_LETTERS] = &carillon__dead_letter__descriptor,
	};
	return text_of(OF[topic], bytes, n);
}

static enum topic topic_of(Carillon__CommandKind kind)
{
	return kind == CARILLON__COMMAND_KIND__COMMAND_SPIN	? TOPIC_SPIN_COMMANDS
	       : kind == CARILLON__COMMAND_KIND__COMMAND_WALLET ? TOPIC_WALLET_COMMANDS
								: TOPIC_JACKPOT_COMMANDS;
}

bool trace_command(const uint8_t *bytes, size_t n, struct kafka_message *command_r)
{
	Carillon__Bus *bus = carillon__bus__unpack(NULL, n, bytes);
	bool command = bus != NULL && bus->body_case == CARILLON__BUS__BODY_COMMAND;

	if (command) {
		*command_r = (struct kafka_message){ .topic = topic_of(bus->command->kind),
			.partition = bus->command->shard,
			.bytes = bus->command->body.data,
			.length = bus->command->body.len };
		bus->command->body.data = NULL; /* the caller's now */
	}
	if (bus != NULL)
		carillon__bus__free_unpacked(bus, NULL);
	return command;
}

void trace_command_free(const struct kafka_message *command)
{
	free((void *)(uintptr_t)command->bytes);
}

const char *trace_bus(const uint8_t *bytes, size_t n)
{
	struct kafka_message command;
	const char *text;

	if (!trace_command(bytes, n, &command))
		return text_of(&carillon__bus__descriptor, bytes, n);
	text = trace_kafka(command.topic, command.bytes, command.length);
	trace_command_free(&command);
	return text;
}
