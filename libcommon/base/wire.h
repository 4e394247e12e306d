/* Walks over the fields of a protobuf message without its decoder. For messages that nothing may be
 * assumed of: those of a sender not yet checked, and those that may crash a decoder. Pure; it
 * copies nothing, so a field's bytes are those of the message.
 *
 * Source: the wire format, https://protobuf.dev/programming-guides/encoding/. What protobuf-c's
 * decoder takes, the walker takes too; test/fuzz_wire.c compares them. Field number 0, which the
 * format does not know, passes as it does in protobuf-c. */
#ifndef CARILLON_BASE_WIRE_H
#define CARILLON_BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_bytes {
	const uint8_t *at;
	size_t n;
};

enum wire_type {
	WIRE_VARINT = 0, /* integer, bool or enum */
	WIRE_FIXED_64 = 1,
	WIRE_BYTES = 2, /* bytes, text, message or packed numbers */
	WIRE_FIXED_32 = 5,
};

struct wire_field {
	uint32_t number;
	enum wire_type type;
	uint64_t value;		 /* of a varint; else 0 */
	struct wire_bytes bytes; /* of WIRE_BYTES; else empty */
};

/* Takes the next field off the front. False at the end, and where the rest is malformed: cut short,
 * a varint of more than 10 bytes, a group, a number of more than 32 bits. Then left->n is not 0,
 * `left` begins at the malformed field, and *field_r is undefined. */
bool wire_next(struct wire_bytes *left, struct wire_field *field_r);

/* The last field with this number and type, as decoders take it. False: none, and *field_r is zero.
 * Reads up to the first malformed field. */
bool wire_find(struct wire_bytes message, uint32_t number, enum wire_type type,
	struct wire_field *field_r);

#endif
