/* The directory of owners: one table of shards for each service. */
#include "libcommon/io/owners.h"

#include "libcommon/base/ids.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVICES_MAX 8
#define NAME_BYTES 32

/* In the order of the columns that owners_take reads. */
const char OWNERS_SQL[] =
	"select i.service, s.shard, i.nn_url, coalesce(s.epoch, 0), i.boot from carillon.instance i "
	"left join carillon.shard s on s.owner = i.name and s.service = i.service "
	"where i.heartbeat > now() - interval '5 s' and i.name <> $1";

struct owners {
	size_t n;
	struct owners_service {
		char name[NAME_BYTES];
		struct owner by_shard[SHARDS_MAX];
	} service[SERVICES_MAX];
};

struct owners *owners_new(void)
{
	struct owners *owners = calloc(1, sizeof(*owners));
	if (owners == NULL)
		fatal("directory of owners: out of memory");
	return owners;
}

static struct owners_service *service_find(const struct owners *owners, const char *name)
{
	for (size_t i = 0; i < owners->n; i++)
		if (strcmp(owners->service[i].name, name) == 0)
			return (struct owners_service *)(uintptr_t)&owners->service[i];
	return NULL;
}

static struct owners_service *service_add(struct owners *owners, const char *name)
{
	struct owners_service *service = service_find(owners, name);
	if (service != NULL)
		return service;
	if (owners->n == SERVICES_MAX || strlen(name) >= NAME_BYTES)
		return NULL;
	service = &owners->service[owners->n++];
	(void)snprintf(service->name, sizeof(service->name), "%s", name);
	return service;
}

void owners_take(struct owners *owners, const PGresult *rows,
	void (*list)(void *context, const struct nn_bus_instance *instance), void *context)
{
	for (size_t i = 0; i < owners->n; i++)
		for (uint32_t shard = 0; shard < SHARDS_MAX; shard++) {
			owners->service[i].by_shard[shard].epoch = 0;
			owners->service[i].by_shard[shard].url[0] = '\0';
		}
	for (int i = 0; i < PQntuples(rows); i++) {
		const char *url = PQgetvalue(rows, i, 2);
		const struct nn_bus_instance instance = { .service = PQgetvalue(rows, i, 0),
			.url = url,
			.boot = (uint64_t)pg_number(rows, i, 4) };
		list(context, &instance);
		/* An instance without a shard owns nothing. */
		if (PQgetisnull(rows, i, 1) || strlen(url) >= OWNER_URL_MAX)
			continue;
		struct owners_service *service = service_add(owners, PQgetvalue(rows, i, 0));
		uint64_t shard = (uint64_t)pg_number(rows, i, 1);
		if (service == NULL || shard >= SHARDS_MAX)
			continue;
		service->by_shard[shard].epoch = (uint64_t)pg_number(rows, i, 3);
		(void)snprintf(service->by_shard[shard].url, OWNER_URL_MAX, "%s", url);
	}
}

const struct owner *owners_of(const struct owners *owners, const char *service, uint32_t shard)
{
	static const struct owner NOBODY;
	const struct owners_service *of = service_find(owners, service);
	return of == NULL || shard >= SHARDS_MAX ? &NOBODY : &of->by_shard[shard];
}

void owners_free(struct owners **owners)
{
	free(*owners);
	*owners = NULL;
}

void owners_tell(PGconn *conn)
{
	PGresult *result = pg_try(conn, "notify carillon_owners", 0, NULL);
	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		log_warn_as("owners.notice.failed", "owners of shards: the others are not told: %s",
			PQerrorMessage(conn));
	PQclear(result);
}

bool owners_told(PGconn *conn)
{
	bool told = false;
	for (PGnotify *notify; (notify = PQnotifies(conn)) != NULL; told = true)
		PQfreemem(notify);
	return told;
}
