/* Facts from the journal itself, for when Kafka lacks them or is away. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_JOURNAL_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_JOURNAL_H

#include "libcommon/io/arena.h"

#include "wallet.pb-c.h"

#include <libpq-fe.h>

#include <stddef.h>
#include <stdint.h>

struct journal_fact {
	Carillon__WalletFact fact;
	Carillon__Envelope envelope;
	Carillon__Award award;
};

/* Reads the rows of a shard that follow after_seq, in order, at most `most`, as facts of
 * wallet.facts. Only what an engine uses is filled in: no claims, and none of a move's amounts.
 * They live in the arena. Returns how many. */
size_t journal_read(PGconn *conn, uint32_t shard, uint64_t after_seq, size_t most,
	struct arena *arena, struct journal_fact **facts_r);

#endif
