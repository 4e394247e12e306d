/* The wallet's rows in order: takes exactly the next row of each shard and requests missing rows
 * over nanomsg. The start of the order comes from Postgres, because republished old facts also
 * reach a process that has just started: a balance must not be told after a newer one. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_ROWS_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_ROWS_H

#include "libcommon/io/nn_bus.h"
#include "libcommon/io/pg.h"
#include "services/notifications/core/holdback.h"

#include <stdbool.h>
#include <stdint.h>

struct rows;

/* The caller keeps ownership of all members. */
struct rows_config {
	struct pg_pool *pg;
	struct nn_bus *bus;
	const char *instance; /* this instance, as the requester of missing rows */
	uint32_t shards;
	/* A jackpot booked before the start whose winner has made no later move. */
	void (*unseen)(void *context, const struct holdback_fact *award);
	void *context;
};

struct rows *rows_new(const struct rows_config *config);
void rows_free(struct rows **rows);
/* True when the start of the order and the unseen awards are known. Until then no row is taken. */
bool rows_known(const struct rows *rows);
/* Clients listen from now on: they must get every later row, even if the start of the order is not
 * known yet. */
void rows_heard(struct rows *rows);
/* True when this is the next row of its shard; then tell it. */
bool rows_take(struct rows *rows, uint32_t shard, uint32_t incarnation, uint64_t seq);
/* For how long a row that Postgres has is missing here; 0: none is. */
uint64_t rows_age_us(const struct rows *rows);
/* Once a second: queries the start and the newest rows, and requests missing rows. */
void rows_tick(struct rows *rows);

#endif
