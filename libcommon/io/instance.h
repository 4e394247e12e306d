/* Registration in carillon.instance for services without the sharded loop: a row with name,
 * service, nanomsg URL and health address, and a heartbeat twice a second. Uses an asynchronous
 * pool that may write. At an orderly end, the service deletes the row (instance_leave). */
#ifndef CARILLON_IO_INSTANCE_H
#define CARILLON_IO_INSTANCE_H

#include "libcommon/io/pg.h"

#include <stdbool.h>
#include <stdint.h>

struct instance;

/* pool is borrowed. health is the bound address: "127.0.0.1:8081"; boot is nn_bus_boot(). */
struct instance *instance_new(struct pg_pool *pool, const char *name, const char *service,
	const char *nn_url, const char *health, uint64_t boot);
/* Call every 500 ms. */
void instance_beat(struct instance *instance);
/* Has a heartbeat been written in the last 2 s? */
bool instance_alive(const struct instance *instance);
/* Starts the deletion of the row. The caller must keep polling the pool until the row is
 * deleted. */
void instance_leave(struct instance *instance);
void instance_free(struct instance **instance);

/* For tools that stand in for a service in tests and benches: instance_put writes or renews the
 * row, instance_take_out deletes it. Both wait for Postgres' reply; without a connection they do
 * nothing. */
void instance_put(
	PGconn *pg, const char *name, const char *service, const char *nn_url, uint64_t boot);
void instance_take_out(PGconn *pg, const char *name);

#endif
