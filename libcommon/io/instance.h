/* Registration in carillon.instance for services without the sharded loop: a row with name,
 * service, nanomsg url and health address, and a heartbeat twice a second, by an asynchronous pool
 * on the writer's DSN. The row goes when the service ends in order. */
#ifndef CARILLON_IO_INSTANCE_H
#define CARILLON_IO_INSTANCE_H

#include "libcommon/io/pg.h"

#include <stdbool.h>

struct instance;

/* pool is borrowed. health: "127.0.0.1:port" as bound. */
struct instance *instance_new(struct pg_pool *pool, const char *name, const char *service,
	const char *nn_url, const char *health);
/* Call every 500 ms. */
void instance_beat(struct instance *instance);
/* Has a heartbeat been written in the last 2 s? */
bool instance_alive(const struct instance *instance);
/* Asks for the row's removal; the pool must be polled a little longer. */
void instance_leave(struct instance *instance);
void instance_free(struct instance **instance);

#endif
