/* The loop that every sharded service runs on: leases, epochs, positions, fence, order of commit
 * and send, draining, health.
 *
 * One thread: epoll over Kafka, nanomsg, a timer and signals. Each turn passes new Kafka messages
 * and commands that came by nanomsg to `message` one by one, other nanomsg messages to `bus`, then
 * calls `tick`. The turn ends with ONE transaction for all shards held if the service called
 * service_commit_soon, or if a second has passed since the last transaction (100 ms in a service
 * that has parts left to write: write_between, below):
 *
 *     begin
 *     fence       positions move, leases are renewed, epochs are compared; a lost shard: exit
 *     write()
 *     commit
 *     committed()
 *
 * Messages queued by service_send leave only after that commit has returned. Messages sent by
 * service_send_now do not wait for it; they must be harmless when sent twice or in vain (a
 * proposal, a query). A doubtful commit or a failed statement ends the process; the supervisor
 * restarts it. A lease lasts 2 s and is renewed at least every 500 ms, even when idle. */
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
#define SERVICE_DIRECT INT64_C(-1) /* the offset of a command that came by nanomsg */

struct service;
struct pg_line;

/* How far a topic of a shard has been read. */
struct service_position {
	int64_t offset; /* next to consume */
	uint64_t seq;	/* of the last message consumed; 0 when the topic is not sequenced */
};

/* A shard that this process holds. */
struct service_shard {
	uint32_t shard;
	uint64_t epoch;
	uint32_t incarnation;
	struct service_position position[SERVICE_TOPICS_MAX];
	void *state; /* the service's own: set in `open`, freed in `close` */
};

enum service_message_status {
	SERVICE_TAKEN = 0,  /* applied, or correctly ignored */
	SERVICE_UNREADABLE, /* goes to dead.letters with service_reason(), is counted and skipped */
	SERVICE_GAP, /* a sequenced message out of order: not applied, the position does not move */
	SERVICE_WAIT, /* cannot be applied yet: the loop keeps this message and the later ones of
			 its partition, and offers them again, in order, from the next turn on; a
			 waiting command delays no other command */
};

struct service_ops {
	const char *name;   /* "wallet": also the name of its lease rows */
	const char *prefix; /* "WALLET_" */
	const struct setting *settings;
	struct {
		enum topic topic;
		enum kafka_pace pace;
		bool sequenced;	   /* has a seq gate: the service calls seq_gate_offer and returns
				      SERVICE_GAP on a gap; the loop stores seq */
		bool to_end_first; /* start the later topics of this array only when this one has
				      been read to the end that it had at opening */
	} topics[SERVICE_TOPICS_MAX];
	int topics_n;
	/* Does the service take commands (by nanomsg), and of which kind? No command is offered
	 * before every topic with to_end_first has been read to its end. */
	bool takes_commands;
	enum topic command;

	/* Called once, first: loads definitions and keys; calls fatal() on errors. */
	void (*start)(struct service *service);
	/* Called when the process has taken a shard: loads its state from Postgres (service_pg),
	 * outside any transaction. May correct shard->position before consumption starts. */
	void (*open)(struct service *service, struct service_shard *shard);
	/* Called when the process gives the shard up (after a last commit) or ends. */
	void (*close)(struct service *service, struct service_shard *shard);
	/* Called before a batch is offered. With one query the service can, for instance, load
	 * every player of the batch who is not in memory. May be NULL. */
	void (*batch)(struct service *service, const struct kafka_message *messages, size_t n);
	/* Applies one message. seq_r: the seq consumed, for sequenced topics. A command has the
	 * shard as its partition and SERVICE_DIRECT as its offset. A command may be repeated at any
	 * time, even before the first copy is decided. */
	enum service_message_status (*message)(struct service *service, struct service_shard *shard,
		const struct kafka_message *message, uint64_t *seq_r);
	/* Reads the next facts of the sequenced topic from their rows in Postgres, at most `most`,
	 * and applies them in order. *seq_r: the seq of the last one applied. Returns how many it
	 * read; if that is `most`, there may be more. If `facts` is set, the topic counts as read
	 * to its end once all rows have been read, even if Kafka does not answer. NULL: Kafka is
	 * the only source. */
	size_t (*facts)(
		struct service *service, struct service_shard *shard, size_t most, uint64_t *seq_r);
	/* A nanomsg message. It is freed after the call: a service that keeps it must copy it. May
	 * be NULL. */
	void (*bus)(struct service *service, const uint8_t *bytes, size_t length);
	/* Called each turn, at least every 50 ms. May be NULL. */
	void (*tick)(struct service *service, uint64_t mono_us);
	/* Inside the transaction, after the fence: writes rows with service_pg(). May be NULL. */
	void (*write)(struct service *service);
	/* For a service whose `write` takes a long time, and whose written rows serve only to make
	 * the next start faster. NULL: each transaction moves the positions. If it is set, a
	 * transaction that nobody requested calls write_between instead of `write`. write_between
	 * writes what could not be restored by reading the messages again, and one part of what
	 * had changed by the last mark. While parts are left, such a transaction runs every 100 ms
	 * instead of every second.
	 *
	 * At most every 3 s the loop notes the positions and calls `mark`: everything that has
	 * changed by then is to be written, part by part. When parts_left says that one part is
	 * left, the transaction that writes it moves the positions to those noted. So no command is
	 * held up by one long write of everything. What is written may be newer than the
	 * positions. */
	void (*write_between)(struct service *service);
	void (*mark)(struct service *service);
	size_t (*parts_left)(struct service *service);
	/* Is there so little to write that it fits into one round trip with the fence? If so, the
	 * loop calls write_in_line instead of `write`. Called before the transaction begins. NULL:
	 * never. */
	bool (*fits_line)(struct service *service);
	/* Sends its statements in the line. Must not use service_pg(). */
	void (*write_in_line)(struct service *service, struct pg_line *line);
	/* After the commit has returned, before queued messages leave. May be NULL. */
	void (*committed)(struct service *service);
	/* May the process end after SIGTERM? The loop no longer takes new commands; true when no
	 * work is in flight. NULL: always true. */
	bool (*drained)(struct service *service);
	/* The service's own migrations (services/<name>/migrations/) that this build works with:
	 * lowest and highest number. 0: not checked. */
	int schema_min, schema_max;
};

/* main() of a sharded service. Returns 0 after SIGTERM; an error ends the process. */
int service_main(int argc, char **argv, const struct service_ops *ops);

PGconn *service_pg(struct service *service);
const char *service_instance(const struct service *service);
const char *service_nn_url(const struct service *service);
uint32_t service_shards(const struct service *service); /* of the installation */
/* NULL: not held by this process. */
struct service_shard *service_shard(struct service *service, uint32_t shard);
/* The i-th shard held, NULL past the end. */
struct service_shard *service_shard_at(struct service *service, size_t i);

/* /readyz adds this to its answer, ready or not: what is out of work, for an operator to look at.
 * Empty: nothing. */
void service_note(struct service *service, const char *note);
/* Tells the sender of this command that its player's account is quarantined: nothing was done. */
void service_refuse_account(struct service *service, const struct kafka_message *message);
/* From now on /healthz fails with this reason; the loop goes on. */
void service_unhealthy(struct service *service, const char *why);
/* Requests a call of `facts` in the next turn, because somebody waits for a fact of this shard. */
void service_facts_soon(struct service *service, struct service_shard *shard);
/* An id that may be used only once by all instances of a service, such as that of an
 * Idempotency-Key, which may come at the same moment for players or pools of two instances. */
#define SERVICE_ID_BYTES 16
struct service_id {
	uint8_t bytes[SERVICE_ID_BYTES];
	const struct service_shard *shard; /* of the command */
	bool reserved;
};
/* Reserves ids (all different) until the next commit, which it requests, and changes their order.
 * Call it before the query that tells whether an id was used. Where `reserved` is false afterwards,
 * this instance or another is deciding about the id: the command must wait (SERVICE_WAIT). */
void service_reserve(struct service *service, struct service_id *ids, size_t n);
/* Requests the transaction at the end of this turn. */
void service_commit_soon(struct service *service);
/* Sets the reason for SERVICE_UNREADABLE. */
__attribute__((format(printf, 2, 3))) void service_reason(
	struct service *service, const char *format, ...);

/* service_send sends after the commit; service_send_now does not wait for it. A command
 * (spin.commands, wallet.commands, jackpot.commands) goes by nanomsg to the owner of the shard
 * `partition`, in a parcel as by service_bus_send below; it may be lost, so the sender keeps it and
 * repeats it (libcommon/base/ask_again.h) until it is answered. Everything else goes to Kafka at a
 * pace that depends on the topic: fast for jackpot.facts, which people see, slow for all others. */
void service_send(struct service *service, enum topic topic, uint32_t partition, const void *key,
	size_t key_length, const void *bytes, size_t length);
void service_send_now(struct service *service, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length);
/* The same for a command of a kind that several services take: `to` (a string literal) names the
 * service. */
void service_command(struct service *service, const char *to, enum topic kind, uint32_t shard,
	const void *bytes, size_t length);
void service_command_now(struct service *service, const char *to, enum topic kind, uint32_t shard,
	const void *bytes, size_t length);
/* Counts the messages sent to a partition of wallet.facts, jackpot.feed or jackpot.facts since the
 * process began, and those that Kafka has acknowledged. Kafka acknowledges them in order. A message
 * that waits for a commit is not counted. */
void service_sent(struct service *service, enum topic topic, uint32_t partition, uint64_t *left_r,
	uint64_t *acknowledged_r);
/* A number that grows whenever messages to a topic of Kafka, of any partition, are lost: the queue
 * was full, or a broken producer was replaced. Lost messages may count as acknowledged. */
uint64_t service_lost(struct service *service, enum topic topic);
/* Sends by nanomsg after the commit; "_now" sends without waiting for it, at the latest at the end
 * of this turn. Messages to the same url share parcels. An empty url sends nothing and is not an
 * error. */
void service_bus_send(struct service *service, const char *url, const void *bytes, size_t length);
void service_bus_send_now(
	struct service *service, const char *url, const void *bytes, size_t length);
/* The url of the instance that owns a shard of a service, "" when unknown. Read from carillon.shard
 * and carillon.instance at most 250 ms ago. */
const char *service_owner_url(struct service *service, const char *of_service, uint32_t shard);

/* The epoch of the owner of a service's shard, 0 when unknown. When it changes, another process has
 * taken the shard: send the new owner every command that the former one has not answered. */
uint64_t service_owner_epoch(struct service *service, const char *of_service, uint32_t shard);

/* Fills an initialised protobuf-c Envelope with schema 1, incarnation, seq, the time and this
 * instance's name. trace stays empty. */
struct Carillon__Envelope;
void service_envelope(struct service *service, struct Carillon__Envelope *envelope,
	uint32_t incarnation, uint64_t seq);
/* Rejects an envelope that is missing or has a schema unknown to this build: false, with
 * service_reason set. */
bool service_envelope_check(struct service *service, const struct Carillon__Envelope *envelope);

#endif
