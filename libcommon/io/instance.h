/* Registration in carillon.instance for services without the sharded loop: a row with name,
 * service, nanomsg URL and health address, and a heartbeat twice a second. Uses an asynchronous
 * pool on the writer's DSN. An orderly end of the service deletes the row. */
#ifndef CARILLON_IO_INSTANCE_H
#define CARILLON_IO_INSTANCE_H

#include "libcommon/io/pg.h"

#include <stdbool.h>

struct instance;

/* pool is borrowed. health is the bound address: "127.0.0.1:8081". */
struct instance *instance_new(struct pg_pool *pool, const char *name, const char *service,
	const char *nn_url, const char *health);
/* Call every 500 ms. */
void instance_beat(struct instance *instance);
/* Has a heartbeat been written in the last 2 s? */
bool instance_alive(const struct instance *instance);
/* Starts the deletion of the row. The caller must go on polling the pool until it is done. */
void instance_leave(struct instance *instance);
void instance_free(struct instance **instance);

#endif
