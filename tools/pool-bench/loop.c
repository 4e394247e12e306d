/* In place of the service loop: the same order of callbacks, leases, fence and commit - those are
 * libcommon's own - but messages come from the caller, and what would be sent is dropped: the
 * functions that send are defined here, so that the linker does not take libcommon's. */
#include "tools/pool-bench/bench.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/pg.h"
#include "libcommon/io/service_internal.h"
#include "services/progressive-pool/adapters/pool_service.h"

#include <unistd.h>

#define PG_WAIT_MS 10000
#define TAKE_PAUSE_US 20000

static struct service loop;

void service_send(struct service *service, enum topic topic, uint32_t partition, const void *key,
	size_t key_length, const void *bytes, size_t length)
{
	(void)service;
	(void)topic;
	(void)partition;
	(void)key;
	(void)key_length;
	(void)bytes;
	(void)length;
}

void service_send_now(struct service *service, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length)
{
	service_send(service, topic, partition, key, key_length, bytes, length);
}

void service_bus_send(struct service *service, const char *url, const void *bytes, size_t length)
{
	(void)service;
	(void)url;
	(void)bytes;
	(void)length;
}

void service_bus_send_now(
	struct service *service, const char *url, const void *bytes, size_t length)
{
	service_bus_send(service, url, bytes, length);
}

void service_outbox_leave(struct service *service)
{
	(void)service;
}

static const struct setting SETTINGS[] = { { .name = NULL } };

static const struct service_ops ops = {
	.name = "progressive-pool",
	.prefix = "PROGRESSIVE_POOL_",
	.settings = SETTINGS,
	.topics = { { .topic = TOPIC_JACKPOT_FEED, .pace = KAFKA_FAST },
		{ .topic = TOPIC_JACKPOT_COMMANDS, .pace = KAFKA_FAST } },
	.topics_n = 2,
	.start = pool_service_start,
	.open = pool_service_open,
	.close = pool_service_close,
	.message = pool_service_message,
	.tick = pool_service_tick,
	.write = pool_service_write,
	.committed = pool_service_committed,
};

struct service *bench_loop_start(void)
{
	static char name[] = "pool-bench";
	char *argv[] = { name, NULL };

	settings_load(1, argv, ops.name, ops.prefix, ops.settings);
	log_open(ops.name, common.instance, LOG_ERROR);
	loop.ops = &ops;
	loop.instance = common.instance;
	loop.metrics.commits = metric_counter("carillon_commits_total", NULL, "Commits.");
	loop.metrics.commit_us = metric_histogram_us("carillon_commit_us", NULL, "Commits.");
	loop.metrics.shards = metric_gauge("carillon_shards", NULL, "Shards held.");
	loop.health = health_start(common.health);
	loop.pg = pg_connect(common.pg_dsn, common.instance, PG_WAIT_MS);
	ops.start(&loop);
	service_commit_prepare(&loop);
	service_lease_prepare(&loop);
	while (loop.held_n != (size_t)common.shards) {
		service_lease_look(&loop, clock_mono_us());
		(void)bench_loop_turn(&loop, NULL, 0);
		if (loop.held_n != (size_t)common.shards)
			(void)usleep(TAKE_PAUSE_US);
	}
	return &loop;
}

static void offer(struct service *service, const struct kafka_message *message)
{
	struct holding *holding = service->by_shard[message->partition];
	uint64_t seq;

	if (holding == NULL)
		fatal("shard %u: not held", message->partition);
	if (ops.message(service, &holding->shard, message, &seq) != SERVICE_TAKEN)
		fatal("a message was not taken: %s", service->reason);
	holding->shard.position[message->topic == TOPIC_JACKPOT_FEED ? 0 : 1].offset++;
}

uint64_t bench_loop_turn(struct service *service, const struct kafka_message *messages, size_t n)
{
	for (size_t i = 0; i < n; i++)
		offer(service, &messages[i]);
	ops.tick(service, clock_mono_us());
	uint64_t began_us = clock_mono_us();
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
	PQfinish(service->pg);
	health_stop(&service->health);
}
