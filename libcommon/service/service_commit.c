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

/* Begin and fence travel together, and with them what the service writes, if it fits: fewer round
 * trips are most of what a small transaction can save. All is checked before the commit is sent. */
static void fence_send(struct service *service, struct pg_line *line, struct fence_arrays *arrays,
	bool positions, int lease_seconds)
{
	char seconds[NUMBER_TEXT];
	const char *parameters[2 + FENCE_COLUMNS] = { service->ops->name, seconds };
	arrays_fill(service, arrays, positions);
	(void)snprintf(seconds, sizeof(seconds), "%d", lease_seconds);
	for (int c = 0; c < FENCE_COLUMNS; c++)
		parameters[2 + c] = arrays->text[c];
	pg_line_begin(line, service->pg);
	pg_line_send(line, "begin", PG_LINE_ANY, "begin", 0, NULL, NULL, NULL);
	/* Fewer rows than shards held: another instance has taken over. */
	pg_line_send(line, SERVICE_FENCE_FAILS, (int64_t)service->held_n, "fence",
		2 + FENCE_COLUMNS, parameters, NULL, NULL);
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
	char boot[NUMBER_TEXT];
	(void)snprintf(boot, sizeof(boot), "%" PRIu64, nn_bus_boot(service->bus));
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	const char *parameters[] = { service->instance, service->ops->name, service_nn_url(service),
		health_address(service->health), pid, boot };
	PGresult *result = PQexecPrepared(service->pg, "beat", 6, parameters, NULL, NULL, 0);
	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		fatal("heartbeat: %s", PQerrorMessage(service->pg));
	PQclear(result);
	service->beat_us = clock_mono_us();
}

void service_commit_prepare(struct service *service)
{
	pg_line_prepare(service->pg, "begin", "begin", 0, NULL);
	pg_line_prepare(service->pg, "fence", FENCE_SQL, 0, NULL);
	pg_line_prepare(service->pg, "beat", BEAT_SQL, 0, NULL);
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
	fence_send(service, &line, &arrays, false, lease_seconds);
	pg_line_end(&line);
	service->fenced_us = clock_mono_us();
	beat(service);
	commit(service);
}

/* whole: positions move, and everything is written. */
static void transaction(struct service *service, bool beats, bool whole)
{
	static struct fence_arrays arrays;
	const struct service_ops *ops = service->ops;
	struct pg_line line;
	bool together = whole && ops->fits_line != NULL && ops->fits_line(service);
	fence_send(service, &line, &arrays, whole, LEASE_SECONDS);
	if (together)
		ops->write_in_line(service, &line);
	pg_line_end(&line);
	if (whole)
		fence_remember(service, &arrays);
	service->fenced_us = clock_mono_us();
	if (!whole)
		ops->write_between(service);
	else if (!together && ops->write != NULL)
		ops->write(service);
	if (beats)
		beat(service);
	commit(service);
}

static void run(struct service *service, bool whole)
{
	uint64_t start_us = clock_mono_us();
	service->commit_asked = false;
	service->committed_us = start_us;
	if (whole)
		service->positions_us = start_us;
	if (service->held_n > 0) {
		transaction(service, start_us >= service->beat_us + LEASE_RENEW_US, whole);
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
	run(service, true);
}

void service_commit_due(struct service *service)
{
	run(service, service->commit_asked || service->ops->write_between == NULL ||
			     clock_mono_us() >= service->positions_us + POSITIONS_US);
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
