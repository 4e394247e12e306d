#include "libcommon/io/nn_parcel.h"

void nn_parcel_head(size_t length, uint8_t *out)
{
	for (int i = 0; i < NN_PARCEL_HEAD; i++)
		out[i] = (uint8_t)(length >> (8 * i));
}

enum nn_parcel_status nn_parcel_next(const uint8_t *parcel, size_t parcel_length, size_t *at,
	const uint8_t **message_r, size_t *length_r)
{
	size_t left = parcel_length - *at, length = 0;
	if (left == 0)
		return NN_PARCEL_END;
	if (left < NN_PARCEL_HEAD)
		return NN_PARCEL_BAD;
	for (int i = 0; i < NN_PARCEL_HEAD; i++)
		length |= (size_t)parcel[*at + (size_t)i] << (8 * i);
	if (length > left - NN_PARCEL_HEAD)
		return NN_PARCEL_BAD;
	*message_r = parcel + *at + NN_PARCEL_HEAD;
	*length_r = length;
	*at += NN_PARCEL_HEAD + length;
	return NN_PARCEL_OK;
}
