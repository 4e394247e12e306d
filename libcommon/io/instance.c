/* Registers an instance and writes its heartbeat, without waiting. */
#include "libcommon/io/instance.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TEXT_MAX 256
#define TIMEOUT_MS 1500
#define ALIVE_US (2 * UINT64_C(1000000))

struct instance {
	struct pg_pool *pool;
	char name[TEXT_MAX], service[TEXT_MAX], nn_url[TEXT_MAX], health[TEXT_MAX], pid[16],
		boot[24];
	bool waiting, leaving, warned;
	uint64_t written_us;
};

struct instance *instance_new(struct pg_pool *pool, const char *name, const char *service,
	const char *nn_url, const char *health, uint64_t boot)
{
	struct instance *instance = calloc(1, sizeof(*instance));
	if (instance == NULL)
		fatal("instance: out of memory");
	instance->pool = pool;
	(void)snprintf(instance->name, TEXT_MAX, "%s", name);
	(void)snprintf(instance->service, TEXT_MAX, "%s", service);
	(void)snprintf(instance->nn_url, TEXT_MAX, "%s", nn_url);
	(void)snprintf(instance->health, TEXT_MAX, "%s", health);
	(void)snprintf(instance->pid, sizeof(instance->pid), "%jd", (intmax_t)getpid());
	(void)snprintf(instance->boot, sizeof(instance->boot), "%" PRIu64, boot);
	return instance;
}

static void on_beat(void *context, PGresult *result, const char *error)
{
	struct instance *instance = context;
	(void)result;
	instance->waiting = false;
	if (error == NULL) {
		instance->written_us = clock_mono_us();
		instance->warned = false;
	} else if (!instance->warned) {
		instance->warned = true;
		log_warn_as("instance.heartbeat.failed", "cannot write the heartbeat of %s: %s",
			instance->name, error);
	}
}

void instance_beat(struct instance *instance)
{
	const char *parameters[] = { instance->name, instance->service, instance->nn_url,
		instance->health, instance->pid, instance->boot };
	if (instance->waiting || instance->leaving)
		return;
	instance->waiting = true;
	pg_pool_query(instance->pool,
		"insert into carillon.instance (name, service, nn_url, health, pid, boot) "
		"values ($1, $2, $3, $4, $5, $6) on conflict (name) do update set "
		"service = excluded.service, nn_url = excluded.nn_url, health = excluded.health, "
		"started = case when carillon.instance.pid = excluded.pid "
		"then carillon.instance.started else now() end, "
		"pid = excluded.pid, boot = excluded.boot, heartbeat = now()",
		6, parameters, TIMEOUT_MS, on_beat, instance);
}

bool instance_alive(const struct instance *instance)
{
	return instance->written_us != 0 && clock_mono_us() - instance->written_us < ALIVE_US;
}

static void on_leave(void *context, PGresult *result, const char *error)
{
	(void)context;
	(void)result;
	if (error != NULL)
		log_warn_as("instance.leave.failed",
			"cannot remove this instance from carillon.instance: %s", error);
}

void instance_leave(struct instance *instance)
{
	const char *parameters[] = { instance->name, instance->pid };
	instance->leaving = true;
	pg_pool_query(instance->pool, "delete from carillon.instance where name = $1 and pid = $2",
		2, parameters, TIMEOUT_MS, on_leave, instance);
}

void instance_free(struct instance **instance)
{
	free(*instance);
	*instance = NULL;
}

void instance_put(
	PGconn *pg, const char *name, const char *service, const char *nn_url, uint64_t boot)
{
	char text[24];
	const char *parameters[] = { name, service, nn_url, text };
	(void)snprintf(text, sizeof(text), "%" PRIu64, boot);
	PQclear(pg_try(pg,
		"insert into carillon.instance (name, service, nn_url, pid, boot) values ($1, $2, "
		"$3, 0, $4) on conflict (name) do update set boot = excluded.boot, heartbeat = now()",
		4, parameters));
}

void instance_take_out(PGconn *pg, const char *name)
{
	const char *parameters[] = { name };
	PQclear(pg_try(pg, "delete from carillon.instance where name = $1", 1, parameters));
}
