/* Walks over any bytes. Each field lies within them, behind the one before, and what protobuf-c's
 * decoder takes the walker takes too, with the same fields. */
#include "libcommon/base/wire.h"

#include <assert.h>
#include <protobuf-c/protobuf-c.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void walk(struct wire_bytes left)
{
	struct wire_bytes before = left;
	struct wire_field field;

	for (; wire_next(&left, &field); before = left) {
		assert(left.n < before.n && left.at + left.n == before.at + before.n);
		assert(field.type == WIRE_VARINT || field.value == 0);
		assert(field.bytes.n == 0 ||
			(field.bytes.at > before.at && field.bytes.at + field.bytes.n == left.at));
	}
	assert(left.at == before.at && left.n == before.n);
}

/* Of a message that knows no field, the decoder keeps each as it came, bytes with their length. */
static void compare(const ProtobufCMessage *decoded, struct wire_bytes left)
{
	struct wire_field field;

	for (size_t i = 0; i < decoded->n_unknown_fields; i++) {
		const ProtobufCMessageUnknownField *kept = &decoded->unknown_fields[i];
		assert(wire_next(&left, &field));
		assert(field.number == kept->tag && (unsigned)field.type == kept->wire_type);
		assert(memcmp(kept->data, left.at - kept->len, kept->len) == 0);
	}
	assert(left.n == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const ProtobufCMessageDescriptor NO_FIELDS = {
		.magic = PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC,
		.sizeof_message = sizeof(ProtobufCMessage),
	};
	const struct wire_bytes message = { bytes, length };
	ProtobufCMessage *decoded = protobuf_c_message_unpack(&NO_FIELDS, NULL, length, bytes);

	walk(message);
	if (decoded != NULL)
		compare(decoded, message);
	protobuf_c_message_free_unpacked(decoded, NULL);
	return 0;
}
