/* Addresses of the other instances: read from Postgres a little more than twice a second, and
 * connected ahead. */
#include "libcommon/service/loop.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each live instance: one row for each shard it holds, or one row with shard null. */
static const char DIRECTORY_SQL[] =
	"select i.service, s.shard, i.nn_url from carillon.instance i "
	"left join carillon.shard s on s.owner = i.name and s.service = i.service "
	"where i.heartbeat > now() - interval '5 s' and i.name <> $1";

static void entry_set(struct directory_entry *entry, const PGresult *result, int row)
{
	(void)snprintf(entry->service, sizeof(entry->service), "%s", PQgetvalue(result, row, 0));
	(void)snprintf(entry->url, sizeof(entry->url), "%s", PQgetvalue(result, row, 2));
	/* An instance without a shard owns nothing but is connected ahead. */
	entry->shard =
		PQgetisnull(result, row, 1) ? UINT32_MAX : (uint32_t)pg_number(result, row, 1);
}

void service_directory_read(struct service *service, uint64_t now_us)
{
	struct directory *directory = &service->directory;
	const char *parameters[] = { service->instance };
	if (directory->read_us != 0 && now_us < directory->read_us + DIRECTORY_US)
		return;
	PGresult *result = pg_query(service->pg, DIRECTORY_SQL, 1, parameters);
	size_t n = (size_t)PQntuples(result);
	struct directory_entry *entries = calloc(n + 1, sizeof(*entries));
	if (entries == NULL)
		fatal("directory: out of memory");
	for (size_t i = 0; i < n; i++) {
		entry_set(&entries[i], result, (int)i);
		nn_bus_connect(service->bus, entries[i].url);
	}
	PQclear(result);
	free(directory->entries);
	directory->entries = entries;
	directory->n = n;
	directory->read_us = now_us;
}

const char *service_owner_url(struct service *service, const char *of_service, uint32_t shard)
{
	const struct directory *directory = &service->directory;
	if (strcmp(of_service, service->ops->name) == 0 && service_shard(service, shard) != NULL)
		return service_nn_url(service);
	for (size_t i = 0; i < directory->n; i++)
		if (directory->entries[i].shard == shard &&
			strcmp(directory->entries[i].service, of_service) == 0)
			return directory->entries[i].url;
	return "";
}
