/* In place of the service loop: the same order of callbacks, leases, fence and commit - those are
 * libcommon's own - but messages come from the caller. The functions that send are defined here, so
 * that the linker does not take libcommon's: what is queued is copied as there, and dropped once
 * its commit has returned. */
#include "tests/bench/bench-loop/loop.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/key_files.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/pg.h"
#include "libcommon/service/loop.h"
#include "libcommon/service/permit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PG_WAIT_MS 10000
#define TAKE_PAUSE_US 20000

static struct service loop;
static struct {
	uint8_t *bytes;
	size_t length, room;
	struct bench_sent sent;
} outbox;

/* ---- what would leave ---- */

static void outbox_add(const void *key, size_t key_length, const void *bytes, size_t length)
{
	size_t more = key_length + length;

	if (outbox.room - outbox.length < more) {
		outbox.room = (outbox.room + more) * 2;
		outbox.bytes = realloc(outbox.bytes, outbox.room);
		if (outbox.bytes == NULL)
			fatal("out of memory: an outbox of %zu bytes", outbox.room);
	}
	if (key_length > 0)
		memcpy(outbox.bytes + outbox.length, key, key_length);
	if (length > 0)
		memcpy(outbox.bytes + outbox.length + key_length, bytes, length);
	outbox.length += more;
	outbox.sent.messages++;
	outbox.sent.bytes += more;
}

void service_send(struct service *service, enum topic topic, uint32_t partition, const void *key,
	size_t key_length, const void *bytes, size_t length)
{
	(void)service;
	(void)topic;
	(void)partition;
	outbox_add(key, key_length, bytes, length);
}

void service_send_now(struct service *service, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length)
{
	service_send(service, topic, partition, key, key_length, bytes, length);
}

void service_bus_send(struct service *service, const char *url, const void *bytes, size_t length)
{
	(void)service;
	if (url != NULL && url[0] != '\0')
		outbox_add(url, strlen(url), bytes, length);
}

void service_bus_send_now(
	struct service *service, const char *url, const void *bytes, size_t length)
{
	service_bus_send(service, url, bytes, length);
}

void service_outbox_leave(struct service *service)
{
	(void)service;
	outbox.length = 0;
}

/* So that no day is closed here: nothing was published. */
void service_sent(struct service *service, enum topic topic, uint32_t partition, uint64_t *left_r,
	uint64_t *acknowledged_r)
{
	(void)service;
	(void)topic;
	(void)partition;
	*left_r = 1;
	*acknowledged_r = 0;
}

uint64_t service_lost(struct service *service, enum topic topic)
{
	(void)service;
	(void)topic;
	return 0;
}

void service_command(struct service *service, const char *to, enum topic kind, uint32_t shard,
	const void *bytes, size_t length)
{
	(void)to;
	service_send(service, kind, shard, NULL, 0, bytes, length);
}

void service_command_now(struct service *service, const char *to, enum topic kind, uint32_t shard,
	const void *bytes, size_t length)
{
	service_command(service, to, kind, shard, bytes, length);
}

struct bench_sent bench_loop_sent(void)
{
	return outbox.sent;
}

/* ---- the loop ---- */

struct service *bench_loop_start(const struct service_ops *ops, enum log_level level, size_t held)
{
	static char name[] = "bench";
	char *argv[] = { name, NULL };
	char error[KEY_FILES_ERROR_MAX];

	settings_load(1, argv, ops->name, ops->prefix, ops->settings);
	log_open(ops->name, common.instance, level);
	if (!key_files_begin(common.keys, ops->name, error, sizeof(error)))
		fatal("CARILLON_KEYS: %s", error);
	loop.ops = ops;
	loop.instance = common.instance;
	loop.directory.owners = owners_new(); /* nobody else runs */
	loop.metrics.commits = metric_counter("carillon_commits_total", NULL, "Commits.");
	loop.metrics.commit_us = metric_histogram_us("carillon_commit_us", NULL, "Commits.");
	loop.metrics.shards = metric_gauge("carillon_shards", NULL, "Shards held.");
	loop.health = health_start(common.health);
	loop.pg = pg_connect(common.pg_dsn, common.instance, PG_WAIT_MS);
	/* Nobody sends to it, but its keys sign events, and its boot goes into the heartbeat. */
	loop.bus = nn_bus_new(common.nn_url, ops->name, common.keys, permit_refusal);
	ops->start(&loop);
	service_commit_prepare(&loop);
	service_poison_start(&loop);
	service_lease_prepare(&loop);
	held = held == 0 ? (size_t)common.shards : held;
	while (loop.held_n != held) {
		service_lease_look(&loop, clock_mono_us());
		(void)bench_loop_turn(&loop, NULL, 0);
		if (loop.held_n != held)
			(void)usleep(TAKE_PAUSE_US);
	}
	return &loop;
}

static void offer(struct service *service, const struct kafka_message *message)
{
	struct holding *holding = service->by_shard[message->partition];
	size_t topic = 0;
	uint64_t seq;

	while (service->ops->topics[topic].topic != message->topic)
		topic++;
	if (holding == NULL)
		fatal("shard %u: not held", message->partition);
	if (service->ops->message(service, &holding->shard, message, &seq) != SERVICE_TAKEN)
		fatal("a message was not taken: %s", service->reason);
	holding->shard.position[topic].offset++;
}

uint64_t bench_loop_turn(struct service *service, const struct kafka_message *messages, size_t n)
{
	uint64_t began_us;

	if (n > 0 && service->ops->batch != NULL)
		service->ops->batch(service, messages, n);
	for (size_t i = 0; i < n; i++)
		offer(service, &messages[i]);
	service->ops->tick(service, clock_mono_us());
	began_us = clock_mono_us();
	if (!service->commit_asked && began_us < service->committed_us + COMMIT_AT_LEAST_US)
		return 0;
	service_commit(service);
	health_tick(service->health);
	return clock_mono_us() - began_us;
}

void bench_loop_end(struct service *service)
{
	service_commit(service);
	while (service->held_n > 0)
		service_lease_release(service, service->held[service->held_n - 1]);
	service_lease_end(service);
	nn_bus_free(&service->bus);
	PQfinish(service->pg);
	health_stop(&service->health);
	service_poison_end(service);
	owners_free(&service->directory.owners);
}

/* ---- what it takes ---- */

uint64_t bench_rss_bytes(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file == NULL || fscanf(file, "%*u %lu", &pages) != 1)
		fatal("/proc/self/statm cannot be read");
	(void)fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

double bench_cpu_us(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_SELF, &usage);
	return 1e6 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}
