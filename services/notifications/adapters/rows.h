/* The rows of the wallet in their order: exactly the next one of each shard is taken, what is
 * missing is asked for over nanomsg. Where the order begins is asked of Postgres at the start,
 * because facts that are sent again reach a process that has just begun, too: a balance may not be
 * told behind a newer one. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_ROWS_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_ROWS_H

#include "libcommon/io/nn_bus.h"
#include "libcommon/io/pg.h"
#include "services/notifications/core/holdback.h"

#include <stdbool.h>
#include <stdint.h>

struct rows;

/* All borrowed. */
struct rows_config {
	struct pg_pool *pg;
	struct nn_bus *bus;
	const char *instance; /* who asks for what is missing */
	uint32_t shards;
	/* A jackpot booked before the beginning, whose winner has not gone on since. */
	void (*unseen)(void *context, const struct holdback_fact *award);
	void *context;
};

struct rows *rows_new(const struct rows_config *config);
void rows_free(struct rows **rows);
/* Is it known where the order begins, and what is unseen? Until then no row is taken. */
bool rows_known(const struct rows *rows);
/* From now on clients listen: what comes is owed to them, even before the beginning is known. */
void rows_heard(struct rows *rows);
/* Is this the next row of its shard, to be told? */
bool rows_take(struct rows *rows, uint32_t shard, uint32_t incarnation, uint64_t seq);
/* Once a second: asks for the beginning and for what is missing. */
void rows_tick(struct rows *rows);

#endif
