/* What the kernel's own files share; the other parts of the simulator need only sim.h. In reading
 * order: world.c (time, chance, events, trace), memory.c (what goes with a death), process.c
 * (instances), servers/system.c, kafka.c, bus.c, redis.c, curl.c, faults.c, main.c. */
#ifndef CARILLON_SIM_WORLD_KERNEL_H
#define CARILLON_SIM_WORLD_KERNEL_H

#include "tests/sim/sim.h"

#include <setjmp.h>
#include <ucontext.h>

#define SLOTS_MAX 16
#define WATCHED_MAX 16
#define NAME_BYTES 64
#define DEATH_BYTES 400

/* Sources of chance that do not disturb each other: with one kind of fault taken away, the rest of
 * a world stays as it was for as long as it can. */
enum stream {
	STREAM_WORLD, /* clients, judge, Postgres */
	STREAM_TIMES, /* how long things take */
	STREAM_KILL,
	STREAM_FREEZE,
	STREAM_DELAY,
	STREAM_BUS,
	STREAM_KAFKA,
	STREAM_SERVERS, /* when they are away */
	STREAM_CLOCKS,
	STREAM_OS, /* what the services get from the operating system */
	STREAMS_N
};
uint64_t stream_random(enum stream stream, uint64_t below);
bool stream_chance(enum stream stream, uint32_t per_million);
/* Each doubling between the two as likely as another. */
uint64_t stream_us(enum stream stream, uint64_t least_us, uint64_t most_us);
void stream_bytes(enum stream stream, void *bytes, size_t n);

/* ---- world.c */
void world_time_begin(uint64_t seed, uint64_t begin_us);
void world_time_end(void); /* events that are left go */
typedef void event_call(void *context, uint64_t number);
void event_at(uint64_t at_us, event_call *call, void *context, uint64_t number);
uint64_t world_events(void);		/* carried out since the program began */
void trace_open(bool all, size_t last); /* print all; or keep the last so many lines */
void trace_print(void);
void world_fail_exit(const char *text) __attribute__((noreturn));

/* ---- trace_message.c: what a message says, good until the next call */
const char *trace_kafka(enum topic topic, const uint8_t *bytes, size_t n);
const char *trace_bus(const uint8_t *bytes, size_t n);
/* Reads a command to the owner of a shard; false: it is another message of nanomsg. */
bool trace_command(const uint8_t *bytes, size_t n, struct kafka_message *command_r);
void trace_command_free(const struct kafka_message *command);

/* ---- memory.c */
void memory_begin(void); /* once */
void *slot_alloc(uint32_t slot, size_t bytes);
void slot_forget(uint32_t slot); /* all of it is free again */
size_t slot_used(uint32_t slot);
/* Memory of the world: kept to its end. */
void *world_alloc(size_t bytes);
void world_forget(void);

/* ---- process.c */
enum process_state { PROCESS_DOWN = 0, PROCESS_UP };
struct sim_process {
	char name[NAME_BYTES];
	const char *service;
	uint32_t slot;
	enum process_state state;
	uint32_t pid, lives;
	bool supervised, dying;
	uint64_t token;	       /* of the wake-up that counts */
	bool in_epoll;	       /* waits for descriptors */
	uint64_t frozen_until; /* 0: not frozen */
	uint64_t born_us;
	unsigned quick_deaths;
	int64_t skew_us, mono_offset_us;
	uint64_t mono_last_us;
	int watched[WATCHED_MAX];
	size_t watched_n;
	int signal_fd;
	bool signalled;
	void (*on_fatal)(const char *message);
	char death[DEATH_BYTES];
	/* the library and the stack it runs on */
	void *library;
	int (*main)(int argc, char **argv);
	struct segment {
		uint8_t *at, *saved;
		size_t length, zeros; /* zeros follow */
	} segments[4];
	size_t segments_n;
	uint8_t *stack;
	bool fresh;
	ucontext_t context;
	jmp_buf here;
};
/* Loads the libraries; once. sos: folder of carillon-<service>.so. */
void processes_load(const char *sos);
extern const char *slots_folder;	  /* where the copies are kept; NULL: in memory */
void processes_begin(uint32_t instances); /* of each service; a new world */
void processes_end(void);		  /* all die, nothing is started again */
void process_start(struct sim_process *process);
struct sim_process *process_at(uint32_t slot); /* NULL behind the last */
void process_wake(struct sim_process *process, uint64_t at_us);
void process_wait_until(uint64_t at_us);
bool process_frozen(const struct sim_process *process);
struct kernel_counts {
	uint64_t effects, starts, kills, fatals, freezes, ends, switches;
};
extern struct kernel_counts kernel_counts;

/* ---- fakes */
void fds_died(struct sim_process *process);
void kafka_world_begin(void);
void kafka_world_end(void);
void kafka_process_died(struct sim_process *process);
void in_hand_world_begin(void);
void bus_world_begin(void);
void bus_world_end(void);
void bus_process_died(struct sim_process *process);
void redis_world_begin(void);
void redis_world_end(void);

/* ---- faults.c */
void faults_draw(bool faulty);
void faults_begin(void);	   /* their events, when the world runs */
bool faults_off(const char *name); /* one kind is never to happen; false: no such kind */
void faults_switch(int i, bool on);
const char *faults_name(int i); /* of the kinds, NULL behind the last */

#endif
