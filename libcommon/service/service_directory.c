/* Addresses of the other instances: read from Postgres five times a second, and connected ahead. */
#include "libcommon/service/loop.h"

#include "libcommon/io/pg.h"

#include <string.h>

static void connect_ahead(void *context, const char *url)
{
	struct service *service = context;
	nn_bus_connect(service->bus, url);
}

void service_directory_read(struct service *service, uint64_t now_us)
{
	struct directory *directory = &service->directory;
	const char *parameters[] = { service->instance };
	if (directory->read_us != 0 && now_us < directory->read_us + DIRECTORY_US)
		return;
	PGresult *result = pg_query(service->pg, OWNERS_SQL, 1, parameters);
	owners_take(directory->owners, result, connect_ahead, service);
	PQclear(result);
	directory->read_us = now_us;
}

const char *service_owner_url(struct service *service, const char *of_service, uint32_t shard)
{
	if (strcmp(of_service, service->ops->name) == 0 && service_shard(service, shard) != NULL)
		return service_nn_url(service);
	return owners_of(service->directory.owners, of_service, shard)->url;
}

uint64_t service_owner_epoch(struct service *service, const char *of_service, uint32_t shard)
{
	const struct service_shard *held = service_shard(service, shard);
	if (strcmp(of_service, service->ops->name) == 0 && held != NULL)
		return held->epoch;
	return owners_of(service->directory.owners, of_service, shard)->epoch;
}
