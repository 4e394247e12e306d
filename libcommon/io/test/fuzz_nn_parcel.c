/* Reads any bytes as a parcel of nanomsg: the messages lie in it, in order and without a gap, and
 * packing them again gives the same bytes. Also packs the input as messages into a parcel: reading
 * it, cut anywhere, gives exactly these messages. */
#include "libcommon/io/nn_parcel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed);

/* The number of bytes that are messages. */
static size_t walk(const uint8_t *parcel, size_t length, enum nn_parcel_status *end_r)
{
	size_t at = 0, before = 0, message_length = 0;
	const uint8_t *message;
	while ((*end_r = nn_parcel_next(parcel, length, &at, &message, &message_length)) ==
		NN_PARCEL_OK) {
		uint8_t head[NN_PARCEL_HEAD];
		assert(message == parcel + before + NN_PARCEL_HEAD);
		assert(at == before + NN_PARCEL_HEAD + message_length && at <= length);
		nn_parcel_head(message_length, head);
		assert(memcmp(head, parcel + before, NN_PARCEL_HEAD) == 0);
		before = at;
	}
	assert(at == before);
	assert((*end_r == NN_PARCEL_END) == (at == length));
	return at;
}

/* Packs messages of 0 to 255 bytes, each length taken from the message's first byte. The copy has
 * its exact size, so that ASan sees a read beyond it. */
static uint8_t *gather(const uint8_t *bytes, size_t length, size_t *length_r)
{
	uint8_t *parcel = malloc(length * (NN_PARCEL_HEAD + 1) + 1);
	size_t n = 0;
	assert(parcel != NULL);
	for (size_t i = 0; i < length;) {
		size_t some = bytes[i++];
		some = some < length - i ? some : length - i;
		nn_parcel_head(some, parcel + n);
		memcpy(parcel + n + NN_PARCEL_HEAD, bytes + i, some);
		n += NN_PARCEL_HEAD + some;
		i += some;
	}
	*length_r = n;
	return parcel;
}

static void round_trip(const uint8_t *bytes, size_t length)
{
	size_t parcel_length, at = 0, message_length, i = 0;
	enum nn_parcel_status end;
	const uint8_t *message;
	uint8_t *parcel = gather(bytes, length, &parcel_length);
	assert(walk(parcel, parcel_length, &end) == parcel_length && end == NN_PARCEL_END);
	while (nn_parcel_next(parcel, parcel_length, &at, &message, &message_length) ==
		NN_PARCEL_OK) {
		i++;
		assert(memcmp(message, bytes + i, message_length) == 0);
		i += message_length;
	}
	assert(i == length);
	if (parcel_length > 0) {
		size_t cut_length = bytes[length / 2] % parcel_length;
		uint8_t *cut = malloc(cut_length + 1);
		assert(cut != NULL);
		memcpy(cut, parcel, cut_length);
		(void)walk(cut, cut_length, &end);
		free(cut);
	}
	free(parcel);
}

/* Every second input starts as a well-formed parcel. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed)
{
	length = LLVMFuzzerMutate(bytes, length, room);
	if (seed % 2 == 0 && length >= NN_PARCEL_HEAD)
		nn_parcel_head(seed / 2 % (length - NN_PARCEL_HEAD + 1), bytes);
	return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	enum nn_parcel_status end;
	(void)walk(bytes, length, &end);
	round_trip(bytes, length);
	return 0;
}
