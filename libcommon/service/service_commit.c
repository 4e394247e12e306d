/* The one transaction: the fence, the service's writes, the commit, and only then the queued
 * messages. */
#include "libcommon/service/loop.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBER_TEXT 22
#define ARRAY_TEXT (SHARDS_MAX * NUMBER_TEXT + 4)

/* The fence moves positions, renews the lease and compares the epoch. An owner that has lost a
 * shard, or finds positions other than it left, updates fewer rows than it holds shards. A position
 * that moves, or a command that came by nanomsg and was applied, ends a series of deaths.
 *
 * The fence does not check whether the lease has expired: expiry only allows others to take the
 * shard, and taking raises the epoch. Until then this process still knows what Postgres holds,
 * however long it slept, with or without its row in carillon.instance (the heartbeat restores the
 * row). */
static const char FENCE_SQL[] =
	"update carillon.shard s set offset_1 = v.o1, seq_1 = v.q1, offset_2 = v.o2, seq_2 = v.q2, "
	"lease_until = now() + make_interval(secs => $2), "
	"deaths = case when (s.offset_1, s.offset_2) = (v.o1, v.o2) and v.progress = 0 "
	"then s.deaths else 0 end, "
	"trying_topic = case when (s.offset_1, s.offset_2) = (v.o1, v.o2) then s.trying_topic end, "
	"trying_offset = case when (s.offset_1, s.offset_2) = (v.o1, v.o2) then s.trying_offset "
	"end, "
	"trying_deaths = case when (s.offset_1, s.offset_2) = (v.o1, v.o2) then s.trying_deaths "
	"else 0 end "
	"from unnest($3::int[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], "
	"$8::bigint[], "
	"$9::bigint[], $10::bigint[], $11::int[]) as v(shard, epoch, p1, p2, o1, q1, o2, q2, "
	"progress) "
	"where s.service = $1 and s.shard = v.shard and s.epoch = v.epoch "
	"and s.offset_1 = v.p1 and s.offset_2 = v.p2";

static const char BEAT_SQL[] = "insert into carillon.instance (name, service, nn_url, health, pid) "
			       "values ($1, $2, $3, $4, $5) "
			       "on conflict (name) do update set heartbeat = now()";

enum fence_column {
	SHARD,
	EPOCH,
	FENCED_1,
	FENCED_2,
	OFFSET_1,
	SEQ_1,
	OFFSET_2,
	SEQ_2,
	PROGRESS,
	FENCE_COLUMNS
};

struct fence_arrays {
	char text[FENCE_COLUMNS][ARRAY_TEXT];
	size_t length[FENCE_COLUMNS];
};

static void array_add(struct fence_arrays *arrays, enum fence_column column, int64_t value)
{
	size_t at = arrays->length[column];
	int n = snprintf(arrays->text[column] + at, ARRAY_TEXT - at, "%c%lld", at == 0 ? '{' : ',',
		(long long)value);
	assert(n > 0 && at + (size_t)n < ARRAY_TEXT);
	arrays->length[column] = at + (size_t)n;
}

/* The position of a topic that the service does not read stays as it is. */
static int64_t next_offset(const struct service *service, const struct holding *holding, int topic)
{
	return topic < service->ops->topics_n ? holding->shard.position[topic].offset
					      : holding->fenced[topic];
}

static void arrays_fill(struct service *service, struct fence_arrays *arrays, bool positions)
{
	memset(arrays->length, 0, sizeof(arrays->length));
	for (size_t i = 0; i < service->held_n; i++) {
		const struct holding *h = service->held[i];
		array_add(arrays, SHARD, h->shard.shard);
		array_add(arrays, EPOCH, (int64_t)h->shard.epoch);
		array_add(arrays, FENCED_1, h->fenced[0]);
		array_add(arrays, FENCED_2, h->fenced[1]);
		array_add(arrays, OFFSET_1, positions ? next_offset(service, h, 0) : h->fenced[0]);
		array_add(arrays, SEQ_1,
			(int64_t)(positions ? h->shard.position[0].seq : h->fenced_seq[0]));
		array_add(arrays, OFFSET_2, positions ? next_offset(service, h, 1) : h->fenced[1]);
		array_add(arrays, SEQ_2,
			(int64_t)(positions ? h->shard.position[1].seq : h->fenced_seq[1]));
		array_add(arrays, PROGRESS, positions && h->progress);
	}
	for (int c = 0; c < FENCE_COLUMNS; c++)
		(void)snprintf(arrays->text[c] + arrays->length[c], 2, "}");
}

/* The values written now are what the next fence compares with. */
static void fence_remember(struct service *service, const struct fence_arrays *arrays)
{
	const char *at_1 = arrays->text[OFFSET_1];
	const char *at_2 = arrays->text[OFFSET_2];
	for (size_t i = 0; i < service->held_n; i++) {
		struct holding *h = service->held[i];
		char *end;
		h->fenced[0] = strtoll(at_1 + 1, &end, 10);
		at_1 = end;
		h->fenced[1] = strtoll(at_2 + 1, &end, 10);
		at_2 = end;
		h->progress = false;
		for (int t = 0; t < SERVICE_TOPICS_MAX; t++)
			h->fenced_seq[t] = h->shard.position[t].seq;
	}
}

/* The next result, which must be a success. Skips the NULL that ends the results of each
 * statement. */
static PGresult *pipeline_result(struct service *service, const char *what)
{
	PGresult *result = PQgetResult(service->pg);
	ExecStatusType status = PQresultStatus(result);
	if (status != PGRES_COMMAND_OK)
		fatal("%s: %s: %s", what, PQresStatus(status), PQerrorMessage(service->pg));
	if (PQgetResult(service->pg) != NULL)
		fatal("%s: more results than one", what);
	return result;
}

/* Sends begin and fence in one round trip: this halves the waiting of a small transaction. */
static PGresult *begin_and_fence(struct service *service, const char *const *parameters)
{
	if (PQenterPipelineMode(service->pg) != 1 ||
		PQsendQueryParams(service->pg, "begin", 0, NULL, NULL, NULL, NULL, 0) != 1 ||
		PQsendQueryPrepared(
			service->pg, "fence", 2 + FENCE_COLUMNS, parameters, NULL, NULL, 0) != 1 ||
		PQpipelineSync(service->pg) != 1)
		fatal("fence: %s", PQerrorMessage(service->pg));
	PQclear(pipeline_result(service, "begin"));
	PGresult *result = pipeline_result(service, "fence");
	PGresult *sync = PQgetResult(service->pg);
	if (PQresultStatus(sync) != PGRES_PIPELINE_SYNC || PQexitPipelineMode(service->pg) != 1)
		fatal("fence: %s", PQerrorMessage(service->pg));
	PQclear(sync);
	return result;
}

static void fence(struct service *service, bool positions, int lease_seconds)
{
	static struct fence_arrays arrays;
	char seconds[NUMBER_TEXT];
	const char *parameters[2 + FENCE_COLUMNS] = { service->ops->name, seconds };
	arrays_fill(service, &arrays, positions);
	(void)snprintf(seconds, sizeof(seconds), "%d", lease_seconds);
	for (int c = 0; c < FENCE_COLUMNS; c++)
		parameters[2 + c] = arrays.text[c];
	PGresult *result = begin_and_fence(service, parameters);
	unsigned long rows = strtoul(PQcmdTuples(result), NULL, 10);
	PQclear(result);
	if (rows != service->held_n)
		fatal("fence: found %lu unchanged shards, expected %zu: another instance "
		      "has taken over",
			rows, service->held_n);
	if (positions)
		fence_remember(service, &arrays);
	service->fenced_us = clock_mono_us();
}

/* A COMMIT that Postgres answers with ROLLBACK is a failure like any other. */
static void commit(struct service *service)
{
	PGresult *result = PQexec(service->pg, "commit");
	if (PQresultStatus(result) != PGRES_COMMAND_OK ||
		strcmp(PQcmdStatus(result), "COMMIT") != 0)
		fatal("commit: found %s, expected COMMIT: %s", PQcmdStatus(result),
			PQerrorMessage(service->pg));
	PQclear(result);
}

static void beat(struct service *service)
{
	char pid[NUMBER_TEXT];
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	const char *parameters[] = { service->instance, service->ops->name, service_nn_url(service),
		health_address(service->health), pid };
	PGresult *result = PQexecPrepared(service->pg, "beat", 5, parameters, NULL, NULL, 0);
	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		fatal("heartbeat: %s", PQerrorMessage(service->pg));
	PQclear(result);
	service->beat_us = clock_mono_us();
}

void service_commit_prepare(struct service *service)
{
	static const struct {
		const char *name, *sql;
	} STATEMENTS[] = { { "fence", FENCE_SQL }, { "beat", BEAT_SQL } };
	for (size_t i = 0; i < sizeof(STATEMENTS) / sizeof(STATEMENTS[0]); i++) {
		PGresult *result =
			PQprepare(service->pg, STATEMENTS[i].name, STATEMENTS[i].sql, 0, NULL);
		if (PQresultStatus(result) != PGRES_COMMAND_OK)
			fatal("postgres: preparing %s: %s", STATEMENTS[i].name,
				PQerrorMessage(service->pg));
		PQclear(result);
	}
}

/* Positions do not move: the rows that they stand for are not written yet. */
void service_lease_renew(struct service *service, int lease_seconds)
{
	if (service->held_n == 0) {
		beat(service);
		return;
	}
	fence(service, false, lease_seconds);
	beat(service);
	commit(service);
}

void service_commit(struct service *service)
{
	uint64_t start_us = clock_mono_us();
	service->commit_asked = false;
	service->committed_us = start_us;
	if (service->held_n > 0) {
		fence(service, true, LEASE_SECONDS);
		if (service->ops->write != NULL)
			service->ops->write(service);
		if (start_us >= service->beat_us + LEASE_RENEW_US)
			beat(service);
		commit(service);
		if (service->ops->committed != NULL)
			service->ops->committed(service);
		metric_add(service->metrics.commits, 1);
		metric_observe_us(service->metrics.commit_us, clock_mono_us() - start_us);
	}
	service_outbox_leave(service);
}

void service_trying_note(
	struct service *service, struct holding *holding, int topic, int64_t offset)
{
	char shard[NUMBER_TEXT];
	char epoch[NUMBER_TEXT];
	char number[NUMBER_TEXT];
	char at[NUMBER_TEXT];
	if (holding->trying_topic == topic + 1 && holding->trying_offset == offset)
		return;
	(void)snprintf(shard, sizeof(shard), "%u", holding->shard.shard);
	(void)snprintf(epoch, sizeof(epoch), "%llu", (unsigned long long)holding->shard.epoch);
	(void)snprintf(number, sizeof(number), "%d", topic + 1);
	(void)snprintf(at, sizeof(at), "%lld", (long long)offset);
	const char *parameters[] = { service->ops->name, shard, epoch, number, at };
	PGresult *result = pg_query(service->pg,
		"update carillon.shard set trying_topic = $4, trying_offset = $5, trying_deaths = "
		"0 "
		"where service = $1 and shard = $2 and epoch = $3",
		5, parameters);
	if (strcmp(PQcmdTuples(result), "1") != 0)
		fatal("shard %u: another instance has taken over", holding->shard.shard);
	PQclear(result);
	holding->trying_topic = topic + 1;
	holding->trying_offset = offset;
	holding->trying_deaths = 0;
}
