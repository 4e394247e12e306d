/* The chain of batches: each digest covers the previous digest and every field of the batch's rows.
 * A row that is changed, added or removed later breaks the chain. */
#ifndef CARILLON_WALLET_ADAPTERS_DIGEST_H
#define CARILLON_WALLET_ADAPTERS_DIGEST_H

#include "services/wallet/adapters/app.h"

/* SHA-256 over the previous digest and the rows, field by field: the numbers in the order of the
 * journal's columns, 8 bytes each, big endian; the time in microseconds since 2000; then tallies
 * (as text, "1,2"), request_id, outside_id and record, each with its length in 4 bytes before it.
 */
void chain_digest(const uint8_t previous[DIGEST_BYTES], const struct booked *rows, size_t n,
	uint8_t digest_r[DIGEST_BYTES]);

#endif
