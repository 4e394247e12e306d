/* Addresses of the other instances: read from Postgres five times a second and whenever owners
 * change, and connected ahead. */
#include "libcommon/service/loop.h"

#include "libcommon/io/pg.h"

#include <string.h>

static void list(void *context, const struct nn_bus_instance *instance)
{
	struct service *service = context;
	nn_bus_list(service->bus, instance);
}

void service_directory_told(struct service *service)
{
	if (!owners_told(service->pg))
		return;
	metric_add(service->metrics.told, 1);
	service->directory.told = true;
	service->look_told = true;
}

void service_directory_read(struct service *service, uint64_t now_us)
{
	struct directory *directory = &service->directory;
	const char *parameters[] = { service->instance };
	uint64_t wait_us = directory->told ? OWNERS_TOLD_US : DIRECTORY_US;
	/* One that has just started asks already: its row is there. */
	if (directory->read_us != 0 && now_us < directory->read_us + wait_us &&
		!nn_bus_stranger(service->bus))
		return;
	directory->told = false;
	PGresult *result = pg_again(service->pg, OWNERS_SQL, 1, parameters);
	owners_take(directory->owners, result, list, service);
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
