/* Rows of sampled requests (docs/tracing.md): a line of the log each, once they are committed. For
 * all other commands nothing here is called. */
#ifndef CARILLON_WALLET_ADAPTERS_TRACED_H
#define CARILLON_WALLET_ADAPTERS_TRACED_H

#include "libcommon/io/log.h"
#include "services/wallet/adapters/app.h"

#include "envelope.pb-c.h"

#define TRACED_MAX 64 /* of a batch and shard; further ones get no line */

struct traced_row {
	uint8_t trace[LOG_TRACE_BYTES];
	player_id player;
	uint64_t round, move, seq;
	bool refused;
	uint64_t booked_us; /* monotonic */
};

static inline bool traced(const Carillon__Envelope *envelope)
{
	return log_sampled(envelope->trace.data, envelope->trace.len);
}
/* The row is in the batch. */
void traced_booked(struct wallet_shard *shard, const struct wallet_row *row,
	const Carillon__Envelope *envelope);
/* The batch is committed. */
void traced_committed(struct wallet_shard *shard);

#endif
