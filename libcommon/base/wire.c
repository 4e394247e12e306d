#include "libcommon/base/wire.h"

#define VARINT_BITS_MAX 64

static bool varint(struct wire_bytes *left, uint64_t *value_r)
{
	*value_r = 0;
	for (unsigned shift = 0; shift < VARINT_BITS_MAX && left->n > 0; shift += 7) {
		uint8_t byte = *left->at;
		left->at++;
		left->n--;
		*value_r |= (uint64_t)(byte & 0x7fu) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool take(struct wire_bytes *left, uint64_t n, struct wire_bytes *taken_r)
{
	if (n > left->n)
		return false;
	*taken_r = (struct wire_bytes){ left->at, (size_t)n };
	left->at += n;
	left->n -= (size_t)n;
	return true;
}

static bool content(struct wire_bytes *left, struct wire_field *field)
{
	struct wire_bytes fixed;
	uint64_t length;

	switch (field->type) {
	case WIRE_VARINT:
		return varint(left, &field->value);
	case WIRE_FIXED_64:
		return take(left, 8, &fixed);
	case WIRE_BYTES:
		return varint(left, &length) && take(left, length, &field->bytes);
	case WIRE_FIXED_32:
		return take(left, 4, &fixed);
	}
	return false;
}

bool wire_next(struct wire_bytes *left, struct wire_field *field_r)
{
	struct wire_bytes at = *left;
	uint64_t tag;

	if (!varint(&at, &tag) || tag >> 3 > UINT32_MAX)
		return false;
	*field_r = (struct wire_field){ (uint32_t)(tag >> 3), (enum wire_type)(tag & 7), 0,
		{ NULL, 0 } };
	if (!content(&at, field_r))
		return false;
	*left = at;
	return true;
}

bool wire_find(
	struct wire_bytes message, uint32_t number, enum wire_type type, struct wire_field *field_r)
{
	struct wire_field field;
	bool found = false;

	*field_r = (struct wire_field){ 0 };
	while (wire_next(&message, &field))
		if (field.number == number && field.type == type) {
			*field_r = field;
			found = true;
		}
	return found;
}
