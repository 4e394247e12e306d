/* Which shards are ours: leases in Postgres. An instance takes its own shards back at once and the
 * shards of others when their lease has expired, up to its fair share. Taking a shard raises the
 * epoch, so the former owner fails at its next fence. */
#include "libcommon/service/loop.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/deadline.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBER_TEXT 22
#define SQLSTATE_LOCK_NOT_AVAILABLE "55P03"

/* $3 excludes the shards we hold; the lease of any other owner must have expired. */
#define FREE_SHARDS                                                                                \
	"service = $1 and not (shard = any($3::int[])) and (owner is null or owner = $2 or "       \
	"lease_until < now())"

/* The number of live instances, the fewest shards that any of them holds, the number of free
 * shards. */
static const char LOOK_SQL[] = "with live as (select name, (select count(*) from carillon.shard s "
			       "where s.service = $1 and s.owner = "
			       "i.name) as held from carillon.instance i where i.service = $1 and "
			       "(heartbeat > now() - interval '2 s' or name = $2)) "
			       "select (select count(*) from live), (select min(held) from live), "
			       "(select count(*) from carillon.shard where " FREE_SHARDS ")";

static const char LOCK_SQL[] =
	"select shard, coalesce(owner, ''), coalesce(backend_pid, 0) from carillon.shard "
	"where " FREE_SHARDS
	" order by (owner is not distinct from $2) desc, shard limit $4 for update";

/* An owner still in the row has crashed; an orderly end clears it. */
static const char TAKE_SQL[] =
	"update carillon.shard set epoch = epoch + 1, owner = $2, backend_pid = pg_backend_pid(), "
	"lease_until = now() + make_interval(secs => $4), "
	"deaths = case when owner is null then 0 else deaths + 1 end "
	"where service = $1 and shard = any($3::int[]) "
	"returning shard, epoch, incarnation, offset_1, seq_1, offset_2, seq_2, deaths";

static const char TERMINATE_SQL[] =
	"select pg_terminate_backend(pid) from pg_stat_activity "
	"where pid = $1 and application_name = $2 and pid <> pg_backend_pid()";

struct share {
	size_t live, least, free, cap;
};

static void held_text(const struct service *service, char *out, size_t room)
{
	size_t length = (size_t)snprintf(out, room, "{");
	for (size_t i = 0; i < service->held_n; i++)
		length += (size_t)snprintf(out + length, room - length, "%s%u", i == 0 ? "" : ",",
			service->held[i]->shard.shard);
	(void)snprintf(out + length, room - length, "}");
}

static struct share share_look(struct service *service)
{
	char held[SHARDS_MAX * 4 + 4];
	const char *parameters[] = { service->ops->name, service->instance, held };
	held_text(service, held, sizeof(held));
	PGresult *result = pg_again(service->pg, LOOK_SQL, 3, parameters);
	struct share share = {
		.live = (size_t)pg_number(result, 0, 0),
		.least = (size_t)pg_number(result, 0, 1),
		.free = (size_t)pg_number(result, 0, 2),
	};
	PQclear(result);
	size_t shards = (size_t)common.shards;
	if (share.live == 0)
		share.live = 1;
	share.cap = (shards + share.live - 1) / share.live;
	return share;
}

/* The former owner may still lock the row in a transaction, or not know yet that it lost the shard:
 * end its connection. */
static void former_owner_end(struct service *service, const PGresult *locked)
{
	for (int i = 0; i < PQntuples(locked); i++) {
		const char *parameters[] = { PQgetvalue(locked, i, 2), PQgetvalue(locked, i, 1) };
		if (PQgetvalue(locked, i, 1)[0] != '\0' && pg_number(locked, i, 2) > 0)
			PQclear(pg_query(service->pg, TERMINATE_SQL, 2, parameters));
	}
}

/* Reads all rows that could be taken, without locks, for when a lock cannot be had. */
static void lock_holders_end(struct service *service, const char *const *parameters)
{
	PGresult *rows = pg_query(service->pg,
		"select shard, coalesce(owner, ''), coalesce(backend_pid, 0) from carillon.shard "
		"where " FREE_SHARDS " and $4::int is not null",
		4, parameters);
	log_warn_as("service.owner.terminated",
		"shards: a former owner still locks a row; its connection is terminated now");
	former_owner_end(service, rows);
	PQclear(rows);
}

static struct holding *holding_new(const PGresult *row, int i)
{
	struct holding *holding = calloc(1, sizeof(*holding));
	if (holding == NULL)
		fatal("shards: out of memory");
	holding->shard.shard = (uint32_t)pg_number(row, i, 0);
	holding->shard.epoch = (uint64_t)pg_number(row, i, 1);
	holding->shard.incarnation = (uint32_t)pg_number(row, i, 2);
	for (int t = 0; t < SERVICE_TOPICS_MAX; t++) {
		holding->shard.position[t].offset = pg_number(row, i, 3 + 2 * t);
		holding->shard.position[t].seq = (uint64_t)pg_number(row, i, 4 + 2 * t);
		holding->fenced[t] = holding->shard.position[t];
	}
	holding->one_by_one = pg_number(row, i, 7) >= DEATHS_MAX;
	if (holding->one_by_one)
		log_error_as("service.shard.stuck",
			"shard %u: taken %lld times without progress: its messages are tried "
			"one by one",
			holding->shard.shard, (long long)pg_number(row, i, 7));
	return holding;
}

/* Takes up to n shards in one transaction. Returns their rows, which the caller frees, or NULL. */
static PGresult *rows_take(struct service *service, size_t n)
{
	char held[SHARDS_MAX * 4 + 4];
	char limit[NUMBER_TEXT];
	char seconds[NUMBER_TEXT];
	char taken[SHARDS_MAX * 4 + 4] = "{";
	const char *parameters[] = { service->ops->name, service->instance, held, limit };
	held_text(service, held, sizeof(held));
	(void)snprintf(limit, sizeof(limit), "%zu", n);
	(void)snprintf(seconds, sizeof(seconds), "%d", LEASE_OPENING_SECONDS);
	pg_exec(service->pg, "begin");
	PGresult *locked = pg_try(service->pg, LOCK_SQL, 4, parameters);
	const char *state = PQresultErrorField(locked, PG_DIAG_SQLSTATE);
	if (PQresultStatus(locked) != PGRES_TUPLES_OK) {
		if (state == NULL || strcmp(state, SQLSTATE_LOCK_NOT_AVAILABLE) != 0)
			pg_fatal(service->pg, locked, "shards");
		PQclear(locked);
		pg_exec(service->pg, "rollback");
		lock_holders_end(service, parameters);
		return NULL;
	}
	for (int i = 0; i < PQntuples(locked); i++) {
		size_t length = strlen(taken);
		(void)snprintf(taken + length, sizeof(taken) - length, "%s%s", i == 0 ? "" : ",",
			PQgetvalue(locked, i, 0));
	}
	memcpy(taken + strlen(taken), "}", sizeof("}"));
	const char *take[] = { service->ops->name, service->instance, taken, seconds };
	PGresult *rows = pg_query(service->pg, TAKE_SQL, 4, take);
	pg_exec(service->pg, "commit");
	owners_tell(service->pg); /* before the shards are loaded */
	former_owner_end(service, locked);
	PQclear(locked);
	return rows;
}

static void take(struct service *service, size_t n)
{
	/* Loading may take longer than the lease of the shards already held. */
	deadline_set(LEASE_OPENING_SECONDS, "taking shards");
	service_lease_renew(service, LEASE_OPENING_SECONDS);
	PGresult *rows = rows_take(service, n);
	if (rows == NULL)
		return;
	size_t first = service->held_n;
	for (int i = 0; i < PQntuples(rows); i++) {
		struct holding *holding = holding_new(rows, i);
		service->held[service->held_n++] = holding;
		service->by_shard[holding->shard.shard] = holding;
	}
	PQclear(rows);
	service->fenced_us = clock_mono_us();
	for (size_t i = first; i < service->held_n; i++) {
		struct holding *holding = service->held[i];
		uint64_t start_us = clock_mono_us();
		deadline_set(LEASE_OPENING_SECONDS, "opening a shard");
		service_reserved_sweep(service, &holding->shard);
		service->ops->open(service, &holding->shard);
		health_tick(service->health); /* the loop is not stuck while it loads */
		if (clock_mono_us() >= service->fenced_us + COMMIT_AT_LEAST_US)
			service_lease_renew(service, LEASE_OPENING_SECONDS);
		log_info("shard %u: taken, epoch %llu, offset %lld, opened in %llu us",
			holding->shard.shard, (unsigned long long)holding->shard.epoch,
			(long long)holding->shard.position[0].offset,
			(unsigned long long)(clock_mono_us() - start_us));
	}
	service_poison_read(service);
	/* The first commit stores positions that `open` corrected. */
	service_commit(service);
	service->opening_us = 0;
}

void service_lease_release(struct service *service, struct holding *holding)
{
	char shard[NUMBER_TEXT];
	char epoch[NUMBER_TEXT];
	const char *parameters[] = { service->ops->name, shard, epoch };
	(void)snprintf(shard, sizeof(shard), "%u", holding->shard.shard);
	(void)snprintf(epoch, sizeof(epoch), "%llu", (unsigned long long)holding->shard.epoch);
	service_reading_free(service, holding);
	service->ops->close(service, &holding->shard);
	PQclear(pg_query(service->pg,
		"update carillon.shard set owner = null, backend_pid = null, lease_until = "
		"'epoch', deaths = 0 "
		"where service = $1 and shard = $2 and epoch = $3",
		3, parameters));
	log_info("shard %u: released at offset %lld", holding->shard.shard,
		(long long)holding->fenced[0].offset);
	service->by_shard[holding->shard.shard] = NULL;
	for (size_t i = 0; i < service->held_n; i++)
		if (service->held[i] == holding)
			service->held[i] = service->held[service->held_n - 1];
	service->held_n--;
	free(holding);
}

/* Gives up the shards above this instance's share, or one shard when another instance holds too
 * few. */
static void release_surplus(struct service *service, const struct share *share)
{
	size_t held = service->held_n;
	size_t n = held > share->cap ? held - share->cap : 0;
	if (n == 0 && share->live > 1 && share->free == 0 && held >= share->least + 2)
		n = 1;
	if (n == 0)
		return;
	service_commit(service);
	for (size_t i = 0; i < n; i++)
		service_lease_release(service, service->held[service->held_n - 1]);
	owners_tell(service->pg);
}

void service_lease_look(struct service *service, uint64_t now_us)
{
	uint64_t wait_us = service->look_told ? OWNERS_TOLD_US : LEASE_LOOK_US;
	if (service->draining || (service->looked_us != 0 && now_us < service->looked_us + wait_us))
		return;
	service->look_told = false;
	service->looked_us = now_us;
	struct share share = share_look(service);
	release_surplus(service, &share);
	if (share.free > 0 && service->held_n < share.cap)
		take(service, share.cap - service->held_n);
	metric_set(service->metrics.shards, (int64_t)service->held_n);
}

void service_lease_prepare(struct service *service)
{
	char shards[NUMBER_TEXT];
	char pid[NUMBER_TEXT];
	char boot[NUMBER_TEXT];
	const char *parameters[] = { service->ops->name, shards };
	(void)snprintf(shards, sizeof(shards), "%lld", (long long)common.shards);
	PQclear(pg_query(service->pg,
		"insert into carillon.shard (service, shard) select $1, n from generate_series(0, "
		"$2::int - 1) n "
		"where not exists (select from carillon.shard where service = $1 and shard = n) on "
		"conflict do nothing",
		2, parameters));
	pg_exec(service->pg,
		"delete from carillon.instance where heartbeat < now() - interval '1 day'");
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	(void)snprintf(boot, sizeof(boot), "%" PRIu64, nn_bus_boot(service->bus));
	const char *row[] = { service->instance, service->ops->name, service_nn_url(service),
		health_address(service->health), pid, boot };
	PQclear(pg_query(service->pg,
		"insert into carillon.instance (name, service, nn_url, health, pid, boot) values ("
		"$1, $2, $3, $4, $5, $6) "
		"on conflict (name) do update set service = $2, nn_url = $3, health = $4, pid = "
		"$5, boot = $6, "
		"started = now(), heartbeat = now()",
		6, row));
	/* The others connect to it before it holds a shard. */
	owners_tell(service->pg);
}

void service_lease_end(struct service *service)
{
	char pid[NUMBER_TEXT];
	const char *parameters[] = { service->instance, pid };
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	PQclear(pg_query(service->pg, "delete from carillon.instance where name = $1 and pid = $2",
		2, parameters));
	/* Its shards are free and it counts no more: the others may take them all. */
	owners_tell(service->pg);
}
