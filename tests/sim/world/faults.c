/* What goes wrong in a world, and how often: drawn at its beginning. Every kind has a switch of its
 * own and chance of its own, so that a world that fails can be tried again without it. */
#include "tests/sim/world/kernel.h"

#include <stdlib.h>
#include <string.h>

struct sim_faults sim_faults;

#define S UINT64_C(1000000)

enum kind {
	KILL,
	FREEZE,
	DELAY,
	BUS_DROP,
	BUS_REPEAT,
	BUS_LATE,
	BUS_FORGE,
	KAFKA_REPEAT,
	KAFKA_LATE,
	COMMIT_UNKNOWN,
	STATEMENT_FAIL,
	KAFKA_AWAY,
	KAFKA_TAIL,
	POSTGRES_AWAY,
	REDIS_AWAY,
	REDIS_EMPTY,
	DISK_FULL,
	CLOCK_JUMP,
	STOP,
	KILL_ANY,
	SKEW,
	KINDS
};

/* The rate of a world is 0 or one between the two, each doubling as likely as another. */
static const struct {
	const char *name;
	uint32_t *rate;
	uint32_t least, most;
} KIND[KINDS] = {
	[KILL] = { "kill", &sim_faults.kill_ppm, 5, 300 },
	[FREEZE] = { "freeze", &sim_faults.freeze_ppm, 2, 60 },
	[DELAY] = { "delay", &sim_faults.delay_ppm, 100, 30000 },
	[BUS_DROP] = { "bus-drop", &sim_faults.bus_drop_ppm, 1000, 300000 },
	[BUS_REPEAT] = { "bus-repeat", &sim_faults.bus_repeat_ppm, 1000, 100000 },
	[BUS_LATE] = { "bus-late", &sim_faults.bus_late_ppm, 1000, 100000 },
	[BUS_FORGE] = { "bus-forge", &sim_faults.bus_forge_ppm, 1000, 100000 },
	[KAFKA_REPEAT] = { "kafka-repeat", &sim_faults.kafka_repeat_ppm, 1000, 100000 },
	[KAFKA_LATE] = { "kafka-late", &sim_faults.kafka_late_ppm, 200, 20000 },
	[COMMIT_UNKNOWN] = { "commit-unknown", &sim_faults.commit_unknown_ppm, 100, 5000 },
	[STATEMENT_FAIL] = { "statement-fail", &sim_faults.statement_fail_ppm, 10, 300 },
	[KAFKA_AWAY] = { "kafka-away", &sim_faults.kafka_away_ms, 1500, 20000 },
	[KAFKA_TAIL] = { "kafka-tail", &sim_faults.kafka_tail_ms, 1500, 20000 },
	[POSTGRES_AWAY] = { "postgres-away", &sim_faults.postgres_away_ms, 1500, 20000 },
	[REDIS_AWAY] = { "redis-away", &sim_faults.redis_away_ms, 1500, 20000 },
	[REDIS_EMPTY] = { "redis-empty", &sim_faults.redis_empty_ms, 300, 10000 },
	[DISK_FULL] = { "disk-full", &sim_faults.disk_full_ms, 1500, 20000 },
	[CLOCK_JUMP] = { "clock-jump", &sim_faults.clock_jump_ms, 300, 10000 },
	[STOP] = { "stop", &sim_faults.stop_ms, 500, 10000 },
	[KILL_ANY] = { "kill-any", &sim_faults.kill_ms, 500, 10000 },
	[SKEW] = { "skew", &sim_faults.skew_ms, 1, 5000 },
};

static bool off[KINDS];
static bool active;

bool faults_off(const char *name)
{
	for (int i = 0; i < KINDS; i++) {
		if (strcmp(KIND[i].name, name) != 0)
			continue;
		off[i] = true;
		return true;
	}
	return false;
}

void faults_switch(int i, bool on)
{
	off[i] = !on;
}

const char *faults_name(int i)
{
	return i < KINDS ? KIND[i].name : NULL;
}

/* Some of the kinds in half of the worlds, most of them in the others; servers that are away less
 * often, for then nothing is played. */
void faults_draw(bool faulty)
{
	uint64_t of_ten = stream_random(STREAM_SERVERS, 2) == 0 ? 3 : 8;
	sim_faults = (struct sim_faults){ .kafka_up = true, .redis_up = true };
	for (int i = 0; i < KINDS; i++) {
		bool server = i >= KAFKA_AWAY && i <= DISK_FULL;
		bool there = stream_random(STREAM_SERVERS, server ? 40 : 10) < of_ten;
		uint64_t rate = stream_us(STREAM_SERVERS, KIND[i].least, KIND[i].most);
		if (faulty && there && !off[i])
			*KIND[i].rate = (uint32_t)rate;
	}
}

/* ---- servers, clocks, operators with kill ------------------------------------------------------
 */

static void fault_next(void *context, uint64_t kind);

static void fault_plan(enum kind kind)
{
	uint64_t mean_us = *KIND[kind].rate * UINT64_C(1000);
	if (mean_us > 0 && active)
		event_at(sim_now_us() + 1 + stream_random(STREAM_SERVERS, 2 * mean_us), fault_next,
			NULL, kind);
}

/* Mostly short, at times longer than a command may wait. */
static uint64_t outage_us(void)
{
	return stream_us(STREAM_SERVERS, S / 50, 13 * S);
}

static void kafka_back(void *context, uint64_t lose)
{
	(void)context;
	if (sim_faults.kafka_up)
		return;
	if (lose > 0)
		sim_kafka_lose_tail(sim_now_us() - lose);
	sim_kafka_up(true);
}

static void kafka_away(uint64_t us, uint64_t lose)
{
	if (!sim_faults.kafka_up)
		return;
	sim_kafka_up(false);
	event_at(sim_now_us() + us, kafka_back, NULL, lose == 0 ? 0 : lose + us);
}

static void postgres_back(void *context, uint64_t number)
{
	(void)context;
	(void)number;
	sim_trace("postgres is back");
	fake_pg_server(true);
}

static void redis_back(void *context, uint64_t number)
{
	(void)context;
	(void)number;
	sim_redis_up(true);
}

static void disk_free(void *context, uint64_t number)
{
	(void)context;
	(void)number;
	sim_trace("disk has room again");
	sim_faults.disk_full = false;
}

static struct sim_process *any_process(enum stream stream)
{
	struct sim_process *list[SLOTS_MAX];
	size_t n = sim_processes(list, SLOTS_MAX);
	return list[stream_random(stream, n)];
}

static int64_t any_skew(uint64_t most_us)
{
	int64_t us = (int64_t)stream_us(STREAM_CLOCKS, 100, most_us);
	return stream_random(STREAM_CLOCKS, 2) == 0 ? us : -us;
}

static void fault_carry_out(enum kind kind)
{
	switch ((int)kind) {
	case KAFKA_AWAY:
		kafka_away(outage_us(), 0);
		break;
	case KAFKA_TAIL:
		kafka_away(outage_us(), stream_us(STREAM_SERVERS, 100, 3 * S));
		break;
	case POSTGRES_AWAY:
		sim_trace("postgres is away");
		fake_pg_server(false);
		event_at(sim_now_us() + outage_us(), postgres_back, NULL, 0);
		break;
	case REDIS_AWAY:
		sim_redis_up(false);
		event_at(sim_now_us() + outage_us(), redis_back, NULL, 0);
		break;
	case REDIS_EMPTY:
		sim_redis_empty();
		break;
	case DISK_FULL:
		sim_trace("disk is full");
		sim_faults.disk_full = true;
		event_at(sim_now_us() + outage_us(), disk_free, NULL, 0);
		break;
	case CLOCK_JUMP:
		sim_skew(any_process(STREAM_CLOCKS), any_skew(600 * S));
		break;
	case STOP:
		sim_stop(any_process(STREAM_KILL));
		break;
	case KILL_ANY:
		sim_kill(any_process(STREAM_KILL), "killed from outside");
		break;
	default:
		break;
	}
}

static void fault_next(void *context, uint64_t kind)
{
	(void)context;
	if (!active)
		return;
	fault_carry_out((enum kind)kind);
	fault_plan((enum kind)kind);
}

void faults_begin(void)
{
	struct sim_process *list[SLOTS_MAX];
	size_t n = sim_processes(list, SLOTS_MAX);
	active = true;
	for (int i = KAFKA_AWAY; i <= KILL_ANY; i++)
		fault_plan((enum kind)i);
	for (size_t i = 0; i < n && sim_faults.skew_ms > 0; i++)
		sim_skew(list[i], any_skew(sim_faults.skew_ms * UINT64_C(1000)));
}

void sim_faults_end(void)
{
	struct sim_process *list[SLOTS_MAX];
	size_t n = sim_processes(list, SLOTS_MAX);
	active = false;
	for (int i = 0; i < KINDS; i++)
		if (i != SKEW)
			*KIND[i].rate = 0;
	sim_trace("faults end");
	kafka_back(NULL, 0);
	fake_pg_server(true);
	sim_faults.redis_up = true;
	sim_faults.disk_full = false;
	for (size_t i = 0; i < n; i++) {
		list[i]->frozen_until = 0;
		sim_skew(list[i], 0);
		if (!list[i]->supervised)
			sim_supervise(list[i], true);
	}
	sim_effect_hook(NULL);
	sim_filter(NULL, NULL);
}
