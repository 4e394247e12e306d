/* The simulator: the real services in one process, on a fake Kafka, Postgres, Redis, nanomsg and
 * clock, all driven by one seeded scheduler. This is what its parts agree on; docs/simulator.md
 * tells how to use it.
 *
 * Who is running: `sim_current()` names the instance whose code runs (on a coroutine of its own),
 * or is NULL for the world's own: events, clients, judge. Fakes are called by instances and keep
 * what belongs to an instance in sim_alloc'ed memory, which goes with its death, and what belongs
 * to the world in malloc'ed memory. Nothing but sim_wait_us and sim_effect (and fakes that call
 * them) ever lets anybody else run, so a fake is atomic between two of these. */
#ifndef CARILLON_SIM_SIM_H
#define CARILLON_SIM_SIM_H

#include "libcommon/io/kafka.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- time and chance ------------------------------------------------------------------------ */

uint64_t sim_now_us(void); /* the world's time, true for everybody; microseconds since 1970 */
uint64_t sim_random(uint64_t below); /* the world's generator; below > 0 */
bool sim_chance(uint32_t per_million);
/* Mostly short, sometimes long: least_us .. most_us, each doubling as likely as the other. */
uint64_t sim_random_us(uint64_t least_us, uint64_t most_us);
/* An event of the world at a time (or now, if it has passed). Events of one time keep their order.
 */
void sim_at(uint64_t at_us, void (*call)(void *context), void *context);
/* Runs the world up to a time; for scenarios and the judge, never from an event or an instance. */
void sim_run_until(uint64_t at_us);
/* Time passes and nobody ran: everything that was due in between comes late, and at once. */
void sim_leap(uint64_t us);
/* The same until done() says so; false when it did not within limit_us. */
bool sim_run_while(bool (*going)(void *context), void *context, uint64_t limit_us);

/* ---- instances ------------------------------------------------------------------------------ */

struct sim_process;
struct sim_process *sim_current(void);
const char *sim_process_name(const struct sim_process *process);    /* "wallet-1" */
const char *sim_process_service(const struct sim_process *process); /* "wallet" */
uint32_t sim_process_pid(const struct sim_process *process);	    /* another one for each life */
bool sim_process_alive(const struct sim_process *process);
struct sim_process *sim_process_find(const char *name);	     /* NULL: no such instance */
size_t sim_processes(struct sim_process **list, size_t max); /* all, alive or not */
/* The life ends at once (kill -9); the supervisor starts another after 50 ms, or longer if it dies
 * again and again. Not for the running one: that is sim_die. */
void sim_kill(struct sim_process *process, const char *why);
void sim_stop(struct sim_process *process); /* SIGTERM: drains; started again after its end */
/* Does not run for so long, and does not know it (SIGSTOP, a machine that swaps). */
void sim_freeze(struct sim_process *process, uint64_t us);
/* Not started again until it is called with true. */
void sim_supervise(struct sim_process *process, bool on);
/* Its clock: what wall time is more than the world's. */
void sim_skew(struct sim_process *process, int64_t us);

/* The running instance waits; others run. No effect when the world itself is running. */
void sim_wait_us(uint64_t us);
_Noreturn void sim_die(const char *why); /* the running instance is dead */
/* Memory of the running instance (zeroed; gone with its death); the world's while none runs. */
void *sim_alloc(size_t bytes);
void sim_free(void *memory);

/* Fakes call it before and after each thing that others could see: it may not return (killed), or
 * return later (delayed, frozen). `what` is static text, "postgres: commit returns", for the trace
 * and for hooks. */
void sim_effect(const char *what);
/* A scenario may decide what becomes of an instance at an effect. NULL: none. */
enum sim_action { SIM_GO_ON, SIM_KILL, SIM_FREEZE_3S };
typedef enum sim_action sim_hook(struct sim_process *process, const char *what);
void sim_effect_hook(sim_hook *hook);

/* Descriptors for epoll in instances: level triggered. Closed with the instance. */
int sim_fd_open(void);
void sim_fd_set(int fd, bool readable);
void sim_fd_close(int fd);

/* A scenario may have instances die of a command: asked with the id of each command that is about
 * to be decided (libcommon/service/command_about.h); true: it kills. NULL: none does. */
#define SIM_ID_BYTES 16
typedef bool sim_poison(struct sim_process *process, const uint8_t id[SIM_ID_BYTES]);
void sim_poison_hook(sim_poison *kills);
/* Is the command among those that the instance has taken and not committed? */
bool sim_in_hand(const struct sim_process *process, const uint8_t id[SIM_ID_BYTES]);

/* ---- faults --------------------------------------------------------------------------------- */

/* Rates a world has drawn (all 0: a world without faults), and what is the case now. */
struct sim_faults {
	/* per effect, parts per million */
	uint32_t kill_ppm, freeze_ppm, delay_ppm;
	/* per message */
	uint32_t bus_drop_ppm, bus_repeat_ppm, bus_late_ppm, bus_forge_ppm;
	uint32_t kafka_repeat_ppm, kafka_late_ppm;
	/* fake_pg: per commit; per statement that fails with an error of the server */
	uint32_t commit_unknown_ppm, statement_fail_ppm;
	/* mean milliseconds of the world between two of each, 0: never */
	uint32_t kafka_away_ms, kafka_tail_ms, postgres_away_ms, redis_away_ms, redis_empty_ms;
	uint32_t disk_full_ms, clock_jump_ms, stop_ms, kill_ms;
	uint32_t skew_ms; /* clocks differ by up to so much */
	/* now */
	bool disk_full; /* statements that write and produces fail */
	bool kafka_up, redis_up;
};
extern struct sim_faults sim_faults;
/* From now on nothing fails: all servers up, nobody frozen, rates 0. */
void sim_faults_end(void);

void sim_kafka_up(bool up);
/* What was appended to any topic after since_us is gone, offsets are given again. */
void sim_kafka_lose_tail(uint64_t since_us);
void sim_redis_up(bool up);
void sim_redis_empty(void);
/* What may become of a message on its way: a scenario's filter; NULL: none. */
enum sim_fate { SIM_PASS, SIM_DROP, SIM_TWICE, SIM_LATE_3S };
typedef enum sim_fate sim_kafka_filter(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n);
typedef enum sim_fate sim_bus_filter(const char *url, const uint8_t *bytes, size_t n);
void sim_filter(sim_kafka_filter *kafka, sim_bus_filter *bus);

/* ---- trace and verdict ---------------------------------------------------------------------- */

/* A line of the trace, kept only when traced; sim_tracing() spares the making of arguments. */
bool sim_tracing(void);
__attribute__((format(printf, 1, 2))) void sim_trace(const char *format, ...);
/* The judge has found something: seed and trace are printed, exit 1. */
__attribute__((format(printf, 1, 2))) _Noreturn void sim_fail(const char *format, ...);

/* ---- Kafka, nanomsg, Redis for clients and judge --------------------------------------------- */

void sim_kafka_produce(enum topic topic, uint32_t partition, const void *key, size_t key_n,
	const void *bytes, size_t n);
/* The next message at or after *offset, which moves behind it; false: there is none. The bytes stay
 * to the end of the world. */
bool sim_kafka_read(enum topic topic, uint32_t partition, int64_t *offset, const uint8_t **bytes_r,
	size_t *n_r);
int64_t sim_kafka_end(enum topic topic, uint32_t partition); /* the next offset to be written */

/* An url of a client: messages to it come one by one, after their time on the way. */
void sim_bus_listen(
	const char *service, const char *url, void (*take)(const uint8_t *bytes, size_t n));
void sim_bus_send(const char *url, const void *bytes, size_t n);

/* A string of the fake Redis, NULL when there is none. */
const char *sim_redis_get(const char *key);

/* ---- the world ------------------------------------------------------------------------------- */

struct sim_world {
	uint64_t seed;
	uint32_t shards;
	bool faulty;
	const char *scenario;		      /* NULL: a world of chance */
	uint64_t begin_us;		      /* sim_now_us() at its beginning */
	uint64_t rounds;		      /* asked for by --rounds or drawn */
	const char *games, *card_sets, *keys; /* folders */
};
extern struct sim_world sim_world;
/* The world begins: nothing yet but time; services are started after this. Gives back what is left
 * when it ends. */

/* fake_pg gives: */
void fake_pg_world_begin(void); /* empty database, installation, shards, migrations, rates */
void fake_pg_world_end(void);	/* all memory goes */
void fake_pg_process_died(struct sim_process *process); /* rollback, locks go */
void fake_pg_server(bool up);				/* down: all connections break */

/* Clients and judge give: */
void workload_world_begin(void);
void workload_world_end(void);
/* Have the world's rounds been played? Asked each 10 ms of the world. */
bool workload_done(void);
/* Faults have ended: clients stop what is new and see what is in flight to its end. True: settled.
 */
void workload_drain(void);
bool workload_settled(void);
uint64_t workload_rounds(void); /* accepted bets so far */
void judge_step(void);		/* cheap checks, each 10 ms of the world and after each death */
void judge_final(void);		/* everything, at quiescence */
/* Named schedules, ended by a NULL name. run() is called after the services have started, without
 * faults; it plays, and leaves the world so that it settles. */
struct scenario {
	const char *name;
	void (*run)(void);
};
extern const struct scenario sim_scenarios[];

#endif
