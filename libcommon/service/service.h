/* The loop every sharded service runs on: leases, epochs, positions, fence, order of commit and
 * send, draining, health.
 *
 * One thread: epoll over Kafka, nanomsg, a timer and signals. Each turn: messages that have arrived
 * are handed to `message` one by one, nanomsg messages to `bus`, then `tick`. Then, if somebody
 * asked (service_commit_soon) or a second has passed, ONE transaction for all shards held:
 *
 *     begin; fence (positions move, lease renewed, epoch compared: not all rows -> exit); write();
 * commit; committed()
 *
 * What was queued with service_send leaves only after that commit has returned. What is sent with
 * service_send_now leaves at once and must be of a kind that may be sent twice or for nothing (a
 * proposal, a question). Any doubtful commit, any failed statement: the process exits and starts
 * anew. A lease lasts 2 s and is renewed at least every 500 ms, also when idle. */
#ifndef CARILLON_SERVICE_SERVICE_H
#define CARILLON_SERVICE_SERVICE_H

#include "libcommon/base/ids.h"
#include "libcommon/io/kafka.h"
#include "libcommon/io/settings.h"

#include <libpq-fe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVICE_TOPICS_MAX 2

struct service;

/* A shard this process holds. */
struct service_shard {
	uint32_t shard;
	uint64_t epoch;
	uint32_t incarnation;
	struct {
		int64_t offset; /* next to consume */
		uint64_t seq;	/* of the last one consumed; 0 where the topic has none */
	} position[SERVICE_TOPICS_MAX];
	void *state; /* the service's own, set in `open`, freed in `close` */
};

enum service_message_status {
	SERVICE_TAKEN = 0,  /* applied, or rightly ignored */
	SERVICE_UNREADABLE, /* goes to dead.letters with service_reason(), is counted and skipped */
	SERVICE_GAP, /* a sequenced message out of order: not applied, the position does not move */
	SERVICE_WAIT, /* cannot be applied yet; the loop stops reading this partition and offers it
			 again next turn */
};

struct service_ops {
	const char *name;   /* "wallet": also the name of its lease rows */
	const char *prefix; /* "WALLET_" */
	const struct setting *settings;
	struct {
		enum topic topic;
		enum kafka_pace pace;
		bool sequenced; /* seq gate by envelope: the service calls seq_gate_offer itself and
				   returns SERVICE_GAP; the loop keeps seq */
		bool to_end_first; /* the partition is read up to the end found at opening before
				      topics after it are offered */
	} topics[SERVICE_TOPICS_MAX];
	int topics_n;

	/* Once, before anything: load definitions, keys; fatal() on trouble. */
	void (*start)(struct service *service);
	/* A shard was taken: load its state from Postgres (service_pg), outside any transaction.
	 * May correct position[].. before consumption starts. */
	void (*open)(struct service *service, struct service_shard *shard);
	/* The shard is given up (after a last commit) or the process ends. */
	void (*close)(struct service *service, struct service_shard *shard);
	/* A whole batch is about to be offered (may be NULL): e.g. load the cold players of all of
	 * it by one query. */
	void (*batch)(struct service *service, const struct kafka_message *messages, size_t n);
	/* seq_r: the seq consumed, for sequenced topics. */
	enum service_message_status (*message)(struct service *service, struct service_shard *shard,
		const struct kafka_message *message, uint64_t *seq_r);
	/* A nanomsg message; must be copied if kept. May be NULL. */
	void (*bus)(struct service *service, const uint8_t *bytes, size_t length);
	/* Each turn, and at least every 50 ms. May be NULL. */
	void (*tick)(struct service *service, uint64_t mono_us);
	/* Inside the transaction, after the fence. Rows are written with service_pg(). */
	void (*write)(struct service *service);
	/* After the commit has returned, before queued sends leave. May be NULL. */
	void (*committed)(struct service *service);
	/* Where a restart must begin again on a topic: the offset the fence stores. NULL: the next
	 * to consume. For the engine's oldest undecided command. */
	int64_t (*restart_offset)(
		struct service *service, const struct service_shard *shard, int topic);
	/* May the process end (SIGTERM)? Reading of new commands has stopped; true when nothing is
	 * in flight. NULL: always. */
	bool (*drained)(struct service *service);
	/* Numbers of the service's own migrations (services/<name>/migrations/) this build works
	 * with; 0: not checked. */
	int schema_min, schema_max;
};

/* main() of a sharded service: never returns normally but after SIGTERM, with 0. */
int service_main(int argc, char **argv, const struct service_ops *ops);

PGconn *service_pg(struct service *service);
const char *service_instance(const struct service *service);
const char *service_nn_url(const struct service *service);
uint32_t service_shards(const struct service *service); /* of the installation */
struct service_shard *service_shard(
	struct service *service, uint32_t shard); /* NULL: not held by this process */
/* For loops over the shards held. */
struct service_shard *service_shard_at(struct service *service, size_t i);

/* /healthz fails from now on and says why; the loop goes on. */
void service_unhealthy(struct service *service, const char *why);
/* Ask for the transaction at the end of this turn. */
void service_commit_soon(struct service *service);
/* The reason for SERVICE_UNREADABLE. */
__attribute__((format(printf, 2, 3))) void service_reason(
	struct service *service, const char *format, ...);

/* Kafka: after the commit, or now. pace is by topic: *.commands fast, facts slow, jackpot.feed and
 * jackpot.facts fast. */
void service_send(struct service *service, enum topic topic, uint32_t partition, const void *key,
	size_t key_length, const void *bytes, size_t length);
void service_send_now(struct service *service, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length);
/* How many messages have left for a partition of wallet.facts, jackpot.feed or jackpot.facts since
 * the process began, and how many of them, in order, Kafka has acknowledged. What waits for a
 * commit has not left. */
void service_sent(struct service *service, enum topic topic, uint32_t partition, uint64_t *left_r,
	uint64_t *acknowledged_r);
/* nanomsg: after the commit, or now, which is at the end of this turn, together with what else
 * goes to the same url. An empty url is no error and sends nothing. */
void service_bus_send(struct service *service, const char *url, const void *bytes, size_t length);
void service_bus_send_now(
	struct service *service, const char *url, const void *bytes, size_t length);
/* Address of the instance that holds a shard of a service, "" when unknown; from carillon.shard and
 * carillon.instance, at most 500 ms old. */
const char *service_owner_url(struct service *service, const char *of_service, uint32_t shard);

/* Envelopes: fills an already initialised protobuf-c Envelope with schema 1, incarnation, seq, now,
 * and our name. trace stays empty unless given. */
struct Carillon__Envelope;
void service_envelope(struct service *service, struct Carillon__Envelope *envelope,
	uint32_t incarnation, uint64_t seq);
/* Refuses an envelope that is missing or of a schema this build does not know: false, with
 * service_reason set. */
bool service_envelope_check(struct service *service, const struct Carillon__Envelope *envelope);

#endif
