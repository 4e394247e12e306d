/* The loop's own state, for its files and for benches and tests that replace the loop. Services
 * include only service.h. The files in reading order:
 *
 * - service.c: start, loop, end
 * - service_lease.c: which shards are ours
 * - service_reading.c: messages in from Kafka
 * - service_facts.c: facts from their rows in Postgres
 * - service_direct.c: commands in from nanomsg
 * - service_poison.c: commands that kill the process
 * - service_notes.c: what /readyz says is out of work
 * - service_reserved.c: ids that this process is deciding about
 * - service_commit.c: the one transaction
 * - service_outbox.c: messages out
 * - service_dead.c: unreadable messages
 * - service_directory.c: addresses of other instances
 * - direct.h: how commands are packed */
#ifndef CARILLON_SERVICE_LOOP_H
#define CARILLON_SERVICE_LOOP_H

#include "libcommon/io/arena.h"
#include "libcommon/io/health.h"
#include "libcommon/io/in_hand.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/nn_bus.h"
#include "libcommon/io/owners.h"
#include "libcommon/service/service.h"

#define LEASE_SECONDS 2
#define LEASE_OPENING_SECONDS 10	 /* loading a shard may take longer than a lease */
#define TURN_SECONDS (2 * LEASE_SECONDS) /* of a turn that no answer of Postgres ends */
#define LEASE_RENEW_US 450000u
#define LEASE_LOOK_US 200000u
#define COMMIT_AT_LEAST_US 1000000u
/* In a service with write_between (service.h): the time between two marks, and between two commits
 * while parts wait. */
#define POSITIONS_US 3000000u
#define PARTS_US 100000u
#define DIRECTORY_US 200000u
#define TURN_MS 50
/* Turns are spaced: the more messages arrive, the longer the pause (service.c). */
#define PACE_FULL_PER_S 9000u
#define PACE_MAX_US 2000u
#define PACE_MIN_US 100u /* for less it is not worth setting a timer */
#define PACE_MEMORY_US 50000u
#define BATCH_MAX 4096
#define KEPT_MAX 20000	 /* reading stops at this many kept messages, over all partitions */
#define WAITING_MAX 4096 /* commands that wait for one shard; further ones are dropped */
#define DEATHS_MAX 3
/* Where a function takes the index of a topic, this value stands for commands. */
#define COMMANDS SERVICE_TOPICS_MAX
#define DRAIN_US 5000000u

/* Messages read but not yet applied: our own copies, first in, first out. */
struct kept {
	struct kafka_message *messages;
	size_t n, room;
};

/* One topic of one shard. */
struct reading {
	bool started;
	bool reached;	   /* reading has reached `end` */
	int64_t next;	   /* offset of the next message to offer */
	int64_t end;	   /* of the partition, when the shard was opened */
	int64_t alone_end; /* messages before it are tried alone while the shard is one_by_one */
	uint64_t end_asked_us;
	struct kept kept;
};

/* A shard held: the service's view, and the loop's own data. */
struct holding {
	struct service_shard shard; /* first member: services get a pointer to it */
	struct service_position fenced[SERVICE_TOPICS_MAX]; /* stored by the last commit */
	struct service_position marked[SERVICE_TOPICS_MAX]; /* while service->marked */
	struct reading readings[SERVICE_TOPICS_MAX];
	bool one_by_one;     /* one message a commit, after repeated crashes */
	struct kept waiting; /* commands that came by nanomsg and cannot be applied yet */
	bool progress;	     /* a command that came by nanomsg was applied since the last fence */
	/* Facts read from their rows (service_facts.c): when the next read is due, when the last
	 * one was, and whether somebody waits for a fact. */
	uint64_t facts_due_us, facts_read_us;
	bool facts_asked;
};

struct outbox {
	uint8_t *bytes;
	size_t length, room;
};

struct service_metrics {
	struct metric *turns, *commits, *commit_us, *batch, *shards, *waits, *gaps, *dead, *astray,
		*facts_read, *told;
	struct metric *messages[SERVICE_TOPICS_MAX + 1], *lag[SERVICE_TOPICS_MAX];
};

struct directory {
	uint64_t read_us;
	struct owners *owners;
	bool told; /* owners have changed since it was read */
};

/* Commands that came by nanomsg in this turn. */
struct arrivals {
	struct kafka_message *messages; /* their bytes are in the arena */
	size_t n, room;
	struct arena arena;
	/* The commands among them that are offered now, as in_hand.h records them. */
	struct in_hand_command *in_hand;
	size_t in_hand_room;
};

struct service {
	const struct service_ops *ops;
	char *instance; /* also the source in envelopes */
	PGconn *pg;
	struct health *health;
	struct nn_bus *bus;
	struct kafka_producer *producers[2]; /* by enum kafka_pace */
	struct kafka_consumer
		*consumers[2];	      /* by enum kafka_pace; NULL when no topic has that pace */
	struct kafka_consumer *asker; /* for queries about offsets: it never fetches, so its replies
					 are not delayed */
	bool told[2];		      /* by enum kafka_pace: the consumer may have messages */
	uint64_t polled_us[2];
	int epoll, signals;

	struct holding *held[SHARDS_MAX]; /* held_n shards, in no order */
	size_t held_n;
	struct holding *by_shard[SHARDS_MAX];
	uint64_t looked_us, fenced_us, committed_us, beat_us, opening_us;
	bool look_told;	       /* owners have changed since looked_us */
	uint64_t positions_us; /* when a transaction last wrote all, or the last mark was made */
	size_t kept_n;	       /* over all readings */
	uint64_t turn_us;
	uint64_t taken; /* messages of this turn: from nanomsg (including commands) and from fast
			   topics */
	uint64_t taken_per_s;

	bool marked; /* some of what had changed at the last mark is not written yet */
	bool commit_asked, draining, ended;
	uint64_t draining_since_us;
	char reason[512];
	struct outbox outbox;
	struct outbox packed;	    /* room to pack a command */
	struct outbox reserved;	    /* ids that the next commit gives up, as an array's text */
	uint64_t refused[TOPICS_N]; /* messages that did not fit into the queue to Kafka */
	struct arrivals arrivals;
	size_t waiting_n;      /* over all holdings */
	struct poison *poison; /* service_poison.c */
	struct directory directory;
	struct service_metrics metrics;
};

/* service_notes.c: the loop's own note, before that of service_note. */
void service_note_own(struct service *service, const char *note);

/* service_lease.c */
/* Inserts the rows of the shards and of this instance. */
void service_lease_prepare(struct service *service);
/* Takes shards and gives shards up. */
void service_lease_look(struct service *service, uint64_t now_us);
void service_lease_release(struct service *service, struct holding *holding);
void service_lease_end(struct service *service); /* deletes the instance's row */

/* service_commit.c */
#define SERVICE_FENCE_FAILS "fence, which fails when another instance has taken over"
void service_commit_prepare(struct service *service);
/* Runs the whole transaction, then sends the queued messages. */
void service_commit(struct service *service);
/* The same, to be called when service_commit_is_due is true. If the commit is due only because
 * enough time has passed, it may leave the positions unmoved (write_between in service.h). */
void service_commit_due(struct service *service);
/* Has somebody requested a commit, or has enough time passed since the last one? */
bool service_commit_is_due(const struct service *service, uint64_t now_us);
void service_lease_renew(struct service *service, int lease_seconds); /* and writes the heartbeat */

/* service_reserved.c */
void service_reserved_prepare(struct service *service);
/* Gives up all reservations, in the transaction of what was decided about them. */
void service_reserved_send(struct service *service, struct pg_line *line);
/* Deletes what earlier owners of the shard have left. */
void service_reserved_sweep(struct service *service, const struct service_shard *shard);

/* service_reading.c */
/* Starts to read each topic once every earlier topic with to_end_first has been read to its end. */
void service_reading_start(struct service *service);
void service_reading_stop(struct service *service, struct holding *holding, int topic);
bool service_reading_all_started(const struct service *service);
/* True when, in every shard held, all topics with to_end_first have been read to their end. */
bool service_reading_all_reached(const struct service *service);
void service_reading_poll(struct service *service);
void service_reading_kept(struct service *service); /* offers kept messages again */
void service_reading_free(struct service *service, struct holding *holding);
void service_reading_lag(struct service *service);

/* Passes one message to the service. `topic` is the index of its topic, or COMMANDS for a command
 * by nanomsg. False: it must wait. */
bool service_offer(struct service *service, struct holding *holding, int topic,
	const struct kafka_message *message);
/* Appends a copy of a message. */
void service_kept_push(struct kept *kept, const struct kafka_message *message);
void service_kept_free(struct kept *kept); /* drops all */
/* Is a message with the same bytes kept already? */
bool service_kept_has(const struct kept *kept, const struct kafka_message *message);

/* service_facts.c */
void service_facts_read(struct service *service);
/* Call it when Kafka has brought a new fact: postpones the next read of facts from their rows. */
void service_facts_heard(struct service *service, struct holding *holding, int topic);

/* service_direct.c */
/* Keeps a command, which is a packed Bus message, until service_direct_offer. */
void service_direct_arrived(struct service *service, const uint8_t *bytes, size_t length);
/* Does this shard take commands? */
bool service_direct_ready(const struct service *service, const struct holding *holding);
/* Offers the commands of this turn, and those that wait. */
void service_direct_offer(struct service *service);
void service_direct_end(struct service *service); /* frees */
/* The shard that a command is for; NULL: not held here, or not a command for this service. */
struct holding *service_direct_holding(
	const struct service *service, const struct kafka_message *message);

/* service_poison.c */
/* Counts a death for the commands that this instance's previous process had in hand when it
 * died. */
void service_poison_start(struct service *service);
/* Reads the suspects: the commands for which deaths were counted. Call it whenever shards have been
 * taken. */
void service_poison_read(struct service *service);
/* Reads them again now and then, while one is quarantined. */
void service_poison_look(struct service *service);
/* Sets *command_r to the command's record. True: the command is a suspect, so it is tried later or
 * refused. False: it is recorded as in hand. */
bool service_poison_apart(struct service *service, const struct kafka_message *message,
	struct in_hand_command *command_r);
/* Calls service_offer for a command that is in hand, and records that it is being decided. */
bool service_poison_offer(struct service *service, struct holding *holding,
	const struct kafka_message *message, const struct in_hand_command *command);
/* Records that nothing is in hand: all commands are committed and answered, or the process is about
 * to die for another reason. */
void service_poison_clear(struct service *service);
/* Records that an event is tried alone, until service_poison_event_end. Returns how many processes
 * of this instance have died in a try of it. */
unsigned service_poison_event(const struct service *service, const struct in_hand_event *event);
void service_poison_event_end(const struct service *service);
/* Tries some suspects, separately from all other commands. */
void service_poison_try(struct service *service);
void service_poison_end(struct service *service);

/* service_outbox.c */
void service_outbox_leave(struct service *service);

/* service_dead.c */
void service_dead_letter(
	struct service *service, const struct kafka_message *message, const char *reason);

/* service_directory.c */
/* Notes that owners have changed, if Postgres has said so. */
void service_directory_told(struct service *service);
void service_directory_read(struct service *service, uint64_t now_us);

#endif
