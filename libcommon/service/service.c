/* The loop of a sharded service: start, turns, end. */
#include "libcommon/service/loop.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/deadline.h"
#include "libcommon/io/key_files.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "libcommon/service/direct.h"
#include "libcommon/service/permit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define PG_WAIT_MS 10000
#define BUS_MAX 10000 /* nanomsg messages a turn */
#define WAITING_MS 2  /* timeout of a turn while messages wait */
#define STARTING_MS 20
#define GATHERING_MS 10	 /* while messages to Kafka are gathered */
#define TOLD_MS 5	 /* while a change of owners is not read yet */
#define FLUSH_US 500000u /* at the end */
/* The common migrations (libcommon/io/migrations/) that this build works with. */
#define SCHEMA_MIN 7
#define SCHEMA_MAX 7

PGconn *service_pg(struct service *service)
{
	return service->pg;
}

const char *service_instance(const struct service *service)
{
	return service->instance;
}

const char *service_nn_url(const struct service *service)
{
	(void)service;
	return common.nn_url;
}

uint32_t service_shards(const struct service *service)
{
	(void)service;
	return (uint32_t)common.shards;
}

struct service_shard *service_shard(struct service *service, uint32_t shard)
{
	struct holding *holding = shard < SHARDS_MAX ? service->by_shard[shard] : NULL;
	return holding == NULL ? NULL : &holding->shard;
}

struct service_shard *service_shard_at(struct service *service, size_t i)
{
	return i < service->held_n ? &service->held[i]->shard : NULL;
}

void service_commit_soon(struct service *service)
{
	service->commit_asked = true;
}

/* ---- start ---- */

static void installation_check(struct service *service)
{
	PGresult *result =
		pg_try(service->pg, "select kind, shards from carillon.installation", 0, NULL);
	if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1)
		fatal("installation: found no row in carillon.installation, expected one; run the "
		      "migrations first");
	if (strcmp(PQgetvalue(result, 0, 0), common.kind) != 0)
		fatal("CARILLON_KIND: found '%s', expected '%s', the installation's kind",
			common.kind, PQgetvalue(result, 0, 0));
	if (pg_number(result, 0, 1) != common.shards)
		fatal("CARILLON_SHARDS: found %lld, expected %lld, the installation's number of "
		      "shards",
			(long long)common.shards, (long long)pg_number(result, 0, 1));
	PQclear(result);
}

static void schema_check(struct service *service, const char *folder, int min, int max)
{
	const char *parameters[] = { folder };
	if (max == 0)
		return;
	PGresult *result = pg_query(service->pg,
		"select max(substring(name from '/migrations/([0-9]+)')::int) from "
		"carillon.migration "
		"where name like $1 || '/migrations/%'",
		1, parameters);
	int64_t found = pg_number(result, 0, 0);
	PQclear(result);
	if (found < min || found > max)
		fatal("schema: found migration %lld of %s, expected %d to %d: %s", (long long)found,
			folder, min, max,
			found < min ? "run the migrations first"
				    : "a newer build has migrated the database");
}

static const char *topic_label(enum topic topic)
{
	static char label[64];
	(void)snprintf(label, sizeof(label), "topic=\"%s\"", topic_name(topic));
	return label;
}

static struct metric *messages_metric(enum topic topic)
{
	return metric_counter("carillon_messages_total", topic_label(topic), "Messages consumed.");
}

static void metrics_start(struct service *service)
{
	struct service_metrics *m = &service->metrics;
	m->turns = metric_counter("carillon_turns_total", NULL, "Turns of the event loop.");
	m->commits = metric_counter(
		"carillon_commits_total", NULL, "Transactions committed by the event loop.");
	m->commit_us = metric_histogram_us(
		"carillon_commit_us", NULL, "Microseconds from begin to the return of commit.");
	m->batch = metric_histogram_us(
		"carillon_batch_messages", NULL, "Messages in one batch from Kafka.");
	m->shards = metric_gauge("carillon_shards", NULL, "Shards held.");
	m->waits = metric_counter("carillon_waits_total", NULL, "Times a message had to wait.");
	m->gaps = metric_counter(
		"carillon_gaps_total", NULL, "Sequenced messages that arrived out of order.");
	m->dead = metric_counter(
		"carillon_dead_letters_total", NULL, "Messages sent to dead.letters.");
	m->facts_read = metric_counter("carillon_facts_from_rows_total", NULL,
		"Facts read from their database rows, not from Kafka.");
	m->told = metric_counter("carillon_owners_told_total", NULL,
		"Times that Postgres said that owners of shards have changed.");
	m->astray = metric_counter("carillon_commands_astray_total", NULL,
		"Commands that came by nanomsg for shards that this instance does not serve.");
	for (int t = 0; t < service->ops->topics_n; t++) {
		m->messages[t] = messages_metric(service->ops->topics[t].topic);
		m->lag[t] = metric_gauge("carillon_lag_messages",
			topic_label(service->ops->topics[t].topic),
			"Messages not read yet, in all shards that this instance holds.");
	}
	if (service->ops->takes_commands)
		m->messages[COMMANDS] = messages_metric(service->ops->command);
}

/* Called before any thread starts, so that no other thread receives our signals. */
static int signals_take(void)
{
	sigset_t ours;
	(void)sigemptyset(&ours);
	(void)sigaddset(&ours, SIGTERM);
	(void)sigaddset(&ours, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &ours, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	int fd = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		fatal("signalfd: %s", strerror(errno));
	return fd;
}

static void kafka_start(struct service *service)
{
	service->producers[KAFKA_FAST] = kafka_producer_new(common.kafka, KAFKA_FAST);
	service->producers[KAFKA_SLOW] = kafka_producer_new(common.kafka, KAFKA_SLOW);
	service->asker = kafka_consumer_new(common.kafka, KAFKA_FAST);
	for (int t = 0; t < service->ops->topics_n; t++) {
		enum kafka_pace pace = service->ops->topics[t].pace;
		if (service->consumers[pace] == NULL)
			service->consumers[pace] = kafka_consumer_new(common.kafka, pace);
	}
}

static void watch(struct service *service, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
	if (epoll_ctl(service->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
		fatal("cannot watch a descriptor: %s", strerror(errno));
}

static void watch_all(struct service *service)
{
	service->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (service->epoll < 0)
		fatal("epoll_create1: %s", strerror(errno));
	watch(service, service->signals);
	watch(service, nn_bus_fd(service->bus));
	/* Between statements Postgres sends that owners have changed, and the end of the
	 * connection. Watching the socket notices both early. */
	watch(service, PQsocket(service->pg));
	for (int pace = KAFKA_FAST; pace <= KAFKA_SLOW; pace++)
		if (service->consumers[pace] != NULL)
			watch(service, kafka_consumer_fd(service->consumers[pace]));
}

static void start(struct service *service)
{
	char folder[128];
	service->signals = signals_take();
	metrics_start(service);
	service->health = health_start(common.health);
	kafka_start(service); /* connects while Postgres answers */
	service->pg = pg_connect(common.pg_dsn, common.instance, PG_WAIT_MS);
	installation_check(service);
	(void)snprintf(folder, sizeof(folder), "services/%s", service->ops->name);
	schema_check(service, "libcommon/io", SCHEMA_MIN, SCHEMA_MAX);
	schema_check(service, folder, service->ops->schema_min, service->ops->schema_max);
	service->bus = nn_bus_new(common.nn_url, service->ops->name, common.keys, permit_refusal);
	service->directory.owners = owners_new();
	if (service->ops->start != NULL)
		service->ops->start(service);
	pg_exec(service->pg, OWNERS_LISTEN_SQL);
	service_commit_prepare(service);
	service_poison_start(service);
	service_lease_prepare(service);
	watch_all(service);
	log_info("started: %s on %s, health on %s", service->instance, common.nn_url,
		health_address(service->health));
}

void service_unhealthy(struct service *service, const char *why)
{
	health_fail(service->health, why);
}

/* ---- turns ---- */

static void signals_read(struct service *service)
{
	struct signalfd_siginfo info;
	while (read(service->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (service->draining)
			continue;
		log_info("signal %u: draining", info.ssi_signo);
		service->draining = true;
		service->draining_since_us = clock_mono_us();
		health_ready(service->health, false, "draining");
	}
}

static void bus_read(struct service *service)
{
	for (int i = 0; i < BUS_MAX; i++) {
		size_t length;
		void *message = nn_bus_receive(service->bus, &length);
		if (message == NULL)
			return;
		service->taken++;
		if (direct_is(message, length))
			service_direct_arrived(service, message, length);
		else if (service->ops->bus != NULL)
			service->ops->bus(service, message, length);
		nn_bus_message_free(message);
	}
}

static void postgres_check(struct service *service)
{
	if (PQconsumeInput(service->pg) != 1 || PQstatus(service->pg) != CONNECTION_OK)
		pg_fatal(service->pg, NULL, "the connection was lost");
	service_directory_told(service);
}

static void kafka_told(struct service *service, int fd)
{
	for (int pace = KAFKA_FAST; pace <= KAFKA_SLOW; pace++)
		if (service->consumers[pace] != NULL &&
			kafka_consumer_fd(service->consumers[pace]) == fd)
			service->told[pace] = true;
}

static void wait_for_events(struct service *service)
{
	struct epoll_event events[8];
	int timeout_ms = TURN_MS;
	service_directory_told(service); /* what came with the answer to a statement */
	if (service->kept_n > 0)
		timeout_ms = WAITING_MS;
	else if (service->waiting_n > 0 ||
		 (service->held_n > 0 && !service_reading_all_started(service)))
		timeout_ms = STARTING_MS;
	else if (kafka_producer_holds(service->producers[KAFKA_SLOW]))
		timeout_ms = GATHERING_MS;
	if (timeout_ms > TOLD_MS && (service->directory.told || service->look_told))
		timeout_ms = TOLD_MS;
	int n = epoll_wait(service->epoll, events, 8, timeout_ms);
	for (int i = 0; i < n; i++) {
		if (events[i].data.fd == service->signals)
			signals_read(service);
		else if (events[i].data.fd == PQsocket(service->pg))
			postgres_check(service);
		else
			kafka_told(service, events[i].data.fd);
	}
}

static void commit_if_due(struct service *service)
{
	uint64_t now = clock_mono_us();
	if (service_commit_is_due(service, now)) {
		service_commit_due(service);
		service_reading_lag(service);
	} else if (now >= service->beat_us + LEASE_RENEW_US) {
		service_lease_renew(service, LEASE_SECONDS);
	}
}

static void readiness_tell(struct service *service)
{
	health_note(service->health, HEALTH_KAFKA, kafka_login_refusal());
	if (service->draining)
		return;
	bool ready = service_reading_all_reached(service);
	health_ready(service->health, ready, "a shard has facts that are not read yet");
}

/* A turn waits for more messages, because a request costs the broker and a commit costs Postgres
 * far more than one message in it. The pause between the starts of two turns grows from 0 with the
 * messages a second. The aim is a batch, not a rate: after a turn longer than the pause the next
 * starts at once. */
static void pace(struct service *service)
{
	uint64_t now_us = clock_mono_us();
	uint64_t turn_us = now_us - service->turn_us;
	uint64_t weight_us = turn_us < PACE_MEMORY_US ? turn_us : PACE_MEMORY_US;
	uint64_t per_s = turn_us > 0 ? service->taken * 1000000u / turn_us : 0;
	uint64_t pause_us;
	service->taken_per_s =
		(service->taken_per_s * (PACE_MEMORY_US - weight_us) + per_s * weight_us) /
		PACE_MEMORY_US;
	if (service->taken_per_s >= PACE_FULL_PER_S)
		pause_us = PACE_MAX_US;
	else
		pause_us = PACE_MAX_US * service->taken_per_s / PACE_FULL_PER_S;
	if (pause_us >= turn_us + PACE_MIN_US)
		(void)usleep((useconds_t)(pause_us - turn_us));
	service->turn_us = clock_mono_us();
	service->taken = 0;
}

static void turn(struct service *service)
{
	wait_for_events(service);
	pace(service);
	deadline_set(TURN_SECONDS, "a turn");
	health_tick(service->health);
	metric_add(service->metrics.turns, 1);
	for (int pace = KAFKA_FAST; pace <= KAFKA_SLOW; pace++)
		kafka_producer_poll(service->producers[pace]);
	service_reading_kept(service);
	service_reading_poll(service);
	service_facts_read(service);
	bus_read(service);
	service_directory_read(service, clock_mono_us()); /* before the tick, which asks again */
	service_direct_offer(service);
	if (service->ops->tick != NULL)
		service->ops->tick(service, clock_mono_us());
	nn_bus_flush(service->bus);
	commit_if_due(service);
	service_lease_look(service, clock_mono_us());
	service_reading_start(service);
	service_poison_look(service);
	readiness_tell(service);
	deadline_clear();
}

/* ---- end ---- */

static bool drained(struct service *service)
{
	if (!service->draining)
		return false;
	if (service->ops->drained == NULL || service->ops->drained(service))
		return true;
	if (clock_mono_us() < service->draining_since_us + DRAIN_US)
		return false;
	log_warn_as("service.drain.incomplete",
		"not drained after %u ms: the next owner takes over the work in flight",
		DRAIN_US / 1000u);
	return true;
}

/* The messages that are left are only given a moment: all come from rows, and the next owner
 * publishes what is missing. */
static void end_flush(struct service *service)
{
	uint64_t until_us = clock_mono_us() + FLUSH_US;
	for (int pace = KAFKA_FAST; pace <= KAFKA_SLOW; pace++) {
		uint64_t now_us = clock_mono_us();
		uint64_t left_us = now_us < until_us ? until_us - now_us : 0;
		if (!kafka_producer_flush(service->producers[pace], (int)(left_us / 1000u)))
			log_warn_as("service.drain.unacknowledged",
				"kafka: some messages were not acknowledged; the next owner "
				"sends them again");
	}
}

static void end(struct service *service)
{
	deadline_set(LEASE_OPENING_SECONDS, "the last commit");
	service_commit(service);
	while (service->held_n > 0)
		service_lease_release(service, service->held[service->held_n - 1]);
	service_lease_end(service);
	end_flush(service);
	for (int pace = KAFKA_FAST; pace <= KAFKA_SLOW; pace++)
		kafka_producer_free(&service->producers[pace]);
	for (int pace = KAFKA_FAST; pace <= KAFKA_SLOW; pace++)
		kafka_consumer_free(&service->consumers[pace]);
	kafka_consumer_free(&service->asker);
	nn_bus_free(&service->bus);
	PQfinish(service->pg);
	health_stop(&service->health);
	free(service->outbox.bytes);
	free(service->packed.bytes);
	service_direct_end(service);
	service_poison_end(service);
	owners_free(&service->directory.owners);
	(void)close(service->epoll);
	(void)close(service->signals);
	log_info("ended");
}

int service_main(int argc, char **argv, const struct service_ops *ops)
{
	enum log_level level = LOG_INFO;
	static struct service service;
	char error[KEY_FILES_ERROR_MAX];
	settings_load(argc, argv, ops->name, ops->prefix, ops->settings);
	(void)log_level_parse(common.log, &level);
	log_open(ops->name, common.instance, level);
	if (!key_files_begin(common.keys, ops->name, error, sizeof(error)))
		fatal("CARILLON_KEYS: %s", error);
	service.ops = ops;
	service.instance = common.instance;
	start(&service);
	while (!drained(&service))
		turn(&service);
	end(&service);
	return 0;
}
