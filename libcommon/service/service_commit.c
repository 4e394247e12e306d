/* The one transaction: the fence, the service's writes, the commit, and only then the queued
 * messages. */
#include "libcommon/service/loop.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_line.h"

#include <assert.h>
#include <inttypes.h>
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
	"then s.deaths else 0 end "
	"from unnest($3::int[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], "
	"$8::bigint[], "
	"$9::bigint[], $10::bigint[], $11::int[]) as v(shard, epoch, p1, p2, o1, q1, o2, q2, "
	"progress) "
	"where s.service = $1 and s.shard = v.shard and s.epoch = v.epoch "
	"and s.offset_1 = v.p1 and s.offset_2 = v.p2";

static const char BEAT_SQL[] = "insert into carillon.instance (name, service, nn_url, health, pid, "
			       "boot) values ($1, $2, $3, $4, $5, $6) "
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

/* What a transaction writes, and so where it moves the positions to. */
enum extent {
	BETWEEN, /* what no message would bring again, and one part; the positions stay */
	MARKED,	 /* the last part: to what was noted at the mark */
	WHOLE,	 /* all: to what has been consumed */
};

/* The position that the transaction stores. That of a topic that the service does not read stays as
 * it is. */
static struct service_position next_position(
	const struct service *service, const struct holding *holding, int topic, enum extent extent)
{
	struct service_position next = holding->fenced[topic];
	if (extent == WHOLE)
		next = holding->shard.position[topic];
	else if (extent == MARKED)
		next = holding->marked[topic];
	if (topic >= service->ops->topics_n)
		next.offset = holding->fenced[topic].offset;
	return next;
}

static void arrays_fill(struct service *service, struct fence_arrays *arrays, enum extent extent)
{
	memset(arrays->length, 0, sizeof(arrays->length));
	for (size_t i = 0; i < service->held_n; i++) {
		const struct holding *h = service->held[i];
		array_add(arrays, SHARD, h->shard.shard);
		array_add(arrays, EPOCH, (int64_t)h->shard.epoch);
		const struct service_position next[] = { next_position(service, h, 0, extent),
			next_position(service, h, 1, extent) };
		array_add(arrays, FENCED_1, h->fenced[0].offset);
		array_add(arrays, FENCED_2, h->fenced[1].offset);
		array_add(arrays, OFFSET_1, next[0].offset);
		array_add(arrays, SEQ_1, (int64_t)next[0].seq);
		array_add(arrays, OFFSET_2, next[1].offset);
		array_add(arrays, SEQ_2, (int64_t)next[1].seq);
		array_add(arrays, PROGRESS, extent != BETWEEN && h->progress);
	}
	for (int c = 0; c < FENCE_COLUMNS; c++)
		(void)snprintf(arrays->text[c] + arrays->length[c], 2, "}");
}

/* The values written now are what the next fence compares with. */
static void fence_remember(struct service *service, enum extent extent)
{
	for (size_t i = 0; i < service->held_n; i++) {
		struct holding *h = service->held[i];
		for (int t = 0; t < SERVICE_TOPICS_MAX; t++)
			h->fenced[t] = next_position(service, h, t, extent);
		h->progress = false;
	}
}

/* Begin and fence travel together, and with them what the service writes, if it fits: fewer round
 * trips are most of what a small transaction can save. All is checked before the commit is sent. */
static void fence_send(struct service *service, struct pg_line *line, struct fence_arrays *arrays,
	enum extent extent, int lease_seconds)
{
	char seconds[NUMBER_TEXT];
	const char *parameters[2 + FENCE_COLUMNS] = { service->ops->name, seconds };
	arrays_fill(service, arrays, extent);
	(void)snprintf(seconds, sizeof(seconds), "%d", lease_seconds);
	for (int c = 0; c < FENCE_COLUMNS; c++)
		parameters[2 + c] = arrays->text[c];
	pg_line_begin(line, service->pg);
	pg_line_send(line, "begin", PG_LINE_ANY, "begin", 0, NULL, NULL, NULL);
	/* Fewer rows than shards held: another instance has taken over. */
	pg_line_send(line, SERVICE_FENCE_FAILS, (int64_t)service->held_n, "fence",
		2 + FENCE_COLUMNS, parameters, NULL, NULL);
	if (extent == WHOLE)
		service_reserved_send(service, line);
}

/* A COMMIT that Postgres answers with ROLLBACK is a failure like any other. */
static void commit(struct service *service)
{
	PGresult *result = PQexec(service->pg, "commit");
	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		pg_fatal(service->pg, result, "commit");
	if (strcmp(PQcmdStatus(result), "COMMIT") != 0)
		fatal("commit: found %s, expected COMMIT", PQcmdStatus(result));
	PQclear(result);
}

static void beat(struct service *service)
{
	char pid[NUMBER_TEXT];
	char boot[NUMBER_TEXT];
	(void)snprintf(boot, sizeof(boot), "%" PRIu64, nn_bus_boot(service->bus));
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	const char *parameters[] = { service->instance, service->ops->name, service_nn_url(service),
		health_address(service->health), pid, boot };
	PGresult *result = PQexecPrepared(service->pg, "beat", 6, parameters, NULL, NULL, 0);
	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		pg_fatal(service->pg, result, "heartbeat");
	PQclear(result);
	service->beat_us = clock_mono_us();
}

void service_commit_prepare(struct service *service)
{
	pg_line_prepare(service->pg, "begin", "begin", 0, NULL);
	pg_line_prepare(service->pg, "fence", FENCE_SQL, 0, NULL);
	pg_line_prepare(service->pg, "beat", BEAT_SQL, 0, NULL);
	service_reserved_prepare(service);
}

/* Positions do not move: the rows that they stand for are not written yet. */
void service_lease_renew(struct service *service, int lease_seconds)
{
	static struct fence_arrays arrays;
	struct pg_line line;
	if (service->held_n == 0) {
		beat(service);
		return;
	}
	fence_send(service, &line, &arrays, BETWEEN, lease_seconds);
	pg_line_end(&line);
	service->fenced_us = clock_mono_us();
	beat(service);
	commit(service);
}

static void transaction(struct service *service, bool beats, enum extent extent)
{
	static struct fence_arrays arrays;
	const struct service_ops *ops = service->ops;
	struct pg_line line;
	bool together = extent == WHOLE && ops->fits_line != NULL && ops->fits_line(service);
	fence_send(service, &line, &arrays, extent, LEASE_SECONDS);
	if (together)
		ops->write_in_line(service, &line);
	pg_line_end(&line);
	if (extent != BETWEEN)
		fence_remember(service, extent);
	service->fenced_us = clock_mono_us();
	if (extent != WHOLE)
		ops->write_between(service);
	else if (!together && ops->write != NULL)
		ops->write(service);
	if (beats)
		beat(service);
	commit(service);
}

static void run(struct service *service, enum extent extent)
{
	uint64_t start_us = clock_mono_us();
	service->commit_asked = false;
	service->committed_us = start_us;
	if (extent == WHOLE)
		service->positions_us = start_us;
	if (extent != BETWEEN)
		service->marked = false;
	if (service->held_n > 0) {
		transaction(service, start_us >= service->beat_us + LEASE_RENEW_US, extent);
		if (extent == WHOLE)
			service->reserved.length = 0;
		if (service->ops->committed != NULL)
			service->ops->committed(service);
		metric_add(service->metrics.commits, 1);
		metric_observe_us(service->metrics.commit_us, clock_mono_us() - start_us);
	}
	service_outbox_leave(service);
	service_poison_clear(service);
}

void service_commit(struct service *service)
{
	run(service, WHOLE);
}

static void mark(struct service *service, uint64_t now_us)
{
	service->marked = true;
	service->positions_us = now_us;
	for (size_t i = 0; i < service->held_n; i++)
		memcpy(service->held[i]->marked, service->held[i]->shard.position,
			sizeof(service->held[i]->marked));
	service->ops->mark(service);
}

void service_commit_due(struct service *service)
{
	uint64_t now_us = clock_mono_us();
	if (service->commit_asked || service->ops->write_between == NULL) {
		run(service, WHOLE);
		return;
	}
	if (!service->marked && now_us >= service->positions_us + POSITIONS_US)
		mark(service, now_us);
	run(service, service->marked && service->ops->parts_left(service) <= 1 ? MARKED : BETWEEN);
}

bool service_commit_is_due(const struct service *service, uint64_t now_us)
{
	return service->commit_asked ||
	       now_us >= service->committed_us + (service->marked ? PARTS_US : COMMIT_AT_LEAST_US);
}
