/* A parcel: one or more messages, each preceded by its length in four bytes, little-endian.
 * Pure. */
#ifndef CARILLON_IO_NN_PARCEL_H
#define CARILLON_IO_NN_PARCEL_H

#include <stddef.h>
#include <stdint.h>

#define NN_PARCEL_HEAD 4 /* bytes of a length */

enum nn_parcel_status {
	NN_PARCEL_OK = 0,
	NN_PARCEL_END, /* no message is left */
	NN_PARCEL_BAD, /* the rest is malformed */
};

/* Writes the length. out holds NN_PARCEL_HEAD bytes; length is below 2^32. */
void nn_parcel_head(size_t length, uint8_t *out);
/* Finds the message at *at and moves *at past it. The message points into the parcel. On END and
 * BAD nothing is set. */
enum nn_parcel_status nn_parcel_next(const uint8_t *parcel, size_t parcel_length, size_t *at,
	const uint8_t **message_r, size_t *length_r);

#endif
