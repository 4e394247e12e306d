#include "services/wallet/adapters/traced.h"

#include "libcommon/io/clock.h"

#include <stdlib.h>
#include <string.h>

void traced_booked(struct wallet_shard *shard, const struct wallet_row *row,
	const Carillon__Envelope *envelope)
{
	struct traced_row *to;

	if (shard->traced == NULL) {
		shard->traced = calloc(TRACED_MAX, sizeof(*shard->traced));
		if (shard->traced == NULL)
			fatal("out of memory: traced rows");
	}
	if (shard->traced_n == TRACED_MAX)
		return;
	to = &shard->traced[shard->traced_n++];
	*to = (struct traced_row){ .player = row->player,
		.round = row->round,
		.move = row->move,
		.seq = row->seq,
		.refused = row->refusal != WALLET_REFUSAL_NONE,
		.booked_us = clock_mono_us() };
	memcpy(to->trace, envelope->trace.data, sizeof(to->trace));
}

void traced_committed(struct wallet_shard *shard)
{
	uint64_t now_us = clock_mono_us();

	for (size_t i = 0; i < shard->traced_n; i++) {
		const struct traced_row *row = &shard->traced[i];
		log_hop(&(struct log_hop){ .trace = row->trace,
			.event = "wallet.row.booked",
			.message = row->refused ? "the row is committed: refused"
						: "the row is committed",
			.player = row->player,
			.round = row->round,
			.move = row->move,
			.seq = row->seq,
			.us = now_us - row->booked_us });
	}
	shard->traced_n = 0;
}
