#include "libcommon/service/direct.h"

#include "libcommon/service/service.h"

#include "bus.pb-c.h"

#include <assert.h>

/* The tag of Bus.command. A command comes without the envelope of Bus, so it begins with it. */
#define COMMAND_TAG ((11 << 3) | 2)

static const struct {
	enum topic topic;
	Carillon__CommandKind kind;
} KINDS[] = {
	{ TOPIC_SPIN_COMMANDS, CARILLON__COMMAND_KIND__COMMAND_SPIN },
	{ TOPIC_WALLET_COMMANDS, CARILLON__COMMAND_KIND__COMMAND_WALLET },
	{ TOPIC_JACKPOT_COMMANDS, CARILLON__COMMAND_KIND__COMMAND_JACKPOT },
};
#define KINDS_N (sizeof(KINDS) / sizeof(KINDS[0]))

bool direct_is(const uint8_t *bytes, size_t length)
{
	return length > 0 && bytes[0] == COMMAND_TAG;
}

bool direct_kind(enum topic kind)
{
	for (size_t i = 0; i < KINDS_N; i++)
		if (KINDS[i].topic == kind)
			return true;
	return false;
}

bool direct_kind_is(uint32_t kind, enum topic topic)
{
	for (size_t i = 0; i < KINDS_N; i++)
		if (KINDS[i].topic == topic)
			return (uint32_t)KINDS[i].kind == kind;
	return false;
}

size_t direct_pack(enum topic kind, uint32_t shard, const void *bytes, size_t length, uint8_t *out)
{
	Carillon__Bus bus;
	Carillon__Command command;

	carillon__bus__init(&bus);
	carillon__command__init(&command);
	for (size_t i = 0; i < KINDS_N; i++)
		if (KINDS[i].topic == kind)
			command.kind = KINDS[i].kind;
	assert(command.kind != CARILLON__COMMAND_KIND__COMMAND_UNKNOWN);
	command.shard = shard;
	command.body.data = (uint8_t *)(uintptr_t)bytes;
	command.body.len = length;
	bus.body_case = CARILLON__BUS__BODY_COMMAND;
	bus.command = &command;
	assert(carillon__bus__get_packed_size(&bus) <= length + DIRECT_HEAD_MAX);
	return carillon__bus__pack(&bus, out);
}

bool direct_read(
	const uint8_t *bytes, size_t length, struct arena *arena, struct kafka_message *message_r)
{
	ProtobufCAllocator allocator = arena_allocator(arena);
	const Carillon__Bus *bus = carillon__bus__unpack(&allocator, length, bytes);

	if (bus == NULL || bus->body_case != CARILLON__BUS__BODY_COMMAND)
		return false;
	for (size_t i = 0; i < KINDS_N; i++) {
		if (KINDS[i].kind != bus->command->kind)
			continue;
		*message_r = (struct kafka_message){ .topic = KINDS[i].topic,
			.partition = bus->command->shard,
			.offset = SERVICE_DIRECT,
			.bytes = bus->command->body.data,
			.length = bus->command->body.len };
		return true;
	}
	return false;
}
