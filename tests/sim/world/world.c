/* Time, chance and events of a world; its trace. */
#include "tests/sim/world/kernel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 400

/* ---- chance: xoshiro256++ (Blackman, Vigna), one for each source ------------------------------
 */

__extension__ typedef unsigned __int128 wide;

struct generator {
	uint64_t s[4];
};

static struct generator generators[STREAMS_N];

static uint64_t split_mix(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t rotated(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

static uint64_t draw(enum stream stream)
{
	uint64_t *s = generators[stream].s;
	uint64_t result = rotated(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotated(s[3], 45);
	return result;
}

uint64_t stream_random(enum stream stream, uint64_t below)
{
	return (uint64_t)(((wide)draw(stream) * below) >> 64);
}

bool stream_chance(enum stream stream, uint32_t per_million)
{
	return per_million > 0 && stream_random(stream, 1000000) < per_million;
}

uint64_t stream_us(enum stream stream, uint64_t least_us, uint64_t most_us)
{
	unsigned doublings = 0;
	while (least_us << (doublings + 1) <= most_us)
		doublings++;
	uint64_t from = least_us << stream_random(stream, doublings + 1);
	uint64_t us = from + stream_random(stream, from);
	return us > most_us ? most_us : us;
}

void stream_bytes(enum stream stream, void *bytes, size_t n)
{
	uint8_t *at = bytes;
	for (size_t i = 0; i < n; i++)
		at[i] = (uint8_t)draw(stream);
}

uint64_t sim_random(uint64_t below)
{
	return stream_random(STREAM_WORLD, below);
}

bool sim_chance(uint32_t per_million)
{
	return stream_chance(STREAM_WORLD, per_million);
}

uint64_t sim_random_us(uint64_t least_us, uint64_t most_us)
{
	return stream_us(STREAM_WORLD, least_us, most_us);
}

/* ---- events: a heap by time, then by order of asking ------------------------------------------
 */

struct event {
	uint64_t at_us, order;
	event_call *call;
	void (*simple)(void *context);
	void *context;
	uint64_t number;
};

static struct {
	uint64_t now_us, order, done;
	struct event *heap;
	size_t n, room;
	bool running;
} world;

uint64_t sim_now_us(void)
{
	return world.now_us;
}

uint64_t world_events(void)
{
	return world.done;
}

static bool before(const struct event *a, const struct event *b)
{
	return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

static void event_push(struct event event)
{
	if (world.n == world.room) {
		world.room = world.room == 0 ? 1024 : 2 * world.room;
		world.heap = realloc(world.heap, world.room * sizeof(*world.heap));
		if (world.heap == NULL)
			abort();
	}
	size_t i = world.n++;
	event.order = world.order++;
	if (event.at_us < world.now_us)
		event.at_us = world.now_us;
	for (; i > 0 && before(&event, &world.heap[(i - 1) / 2]); i = (i - 1) / 2)
		world.heap[i] = world.heap[(i - 1) / 2];
	world.heap[i] = event;
}

static struct event event_pop(void)
{
	struct event first = world.heap[0];
	struct event last = world.heap[--world.n];
	size_t i = 0;
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= world.n)
			break;
		if (child + 1 < world.n && before(&world.heap[child + 1], &world.heap[child]))
			child++;
		if (!before(&world.heap[child], &last))
			break;
		world.heap[i] = world.heap[child];
		i = child;
	}
	world.heap[i] = last;
	return first;
}

void event_at(uint64_t at_us, event_call *call, void *context, uint64_t number)
{
	event_push((struct event){
		.at_us = at_us, .call = call, .context = context, .number = number });
}

void sim_at(uint64_t at_us, void (*call)(void *context), void *context)
{
	event_push((struct event){ .at_us = at_us, .simple = call, .context = context });
}

static void event_run(void)
{
	struct event event = event_pop();
	if (event.at_us > world.now_us) /* behind a leap they come late */
		world.now_us = event.at_us;
	world.done++;
	if (event.call != NULL)
		event.call(event.context, event.number);
	else
		event.simple(event.context);
}

void sim_run_until(uint64_t at_us)
{
	if (world.running)
		sim_fail("sim_run_until inside of an event or an instance");
	world.running = true;
	while (world.n > 0 && world.heap[0].at_us <= at_us)
		event_run();
	if (world.now_us < at_us)
		world.now_us = at_us;
	world.running = false;
}

void sim_leap(uint64_t us)
{
	world.now_us += us;
	sim_trace("time leaps by %" PRIu64 " s", us / 1000000);
}

bool sim_run_while(bool (*going)(void *context), void *context, uint64_t limit_us)
{
	uint64_t until = world.now_us + limit_us;
	while (going(context)) {
		if (world.now_us >= until)
			return false;
		sim_run_until(world.now_us + 1000);
	}
	return true;
}

void world_time_begin(uint64_t seed, uint64_t begin_us)
{
	for (int i = 0; i < STREAMS_N; i++) {
		uint64_t state = seed * STREAMS_N + (uint64_t)i;
		for (int j = 0; j < 4; j++)
			generators[i].s[j] = split_mix(&state);
	}
	world.now_us = begin_us;
	world.order = 0;
	world.n = 0;
}

void world_time_end(void)
{
	world.n = 0;
}

/* ---- trace ------------------------------------------------------------------------------------
 */

static struct {
	bool all;
	size_t last, at, n;
	char (*lines)[LINE_BYTES];
} tracing;

void trace_open(bool all, size_t last)
{
	tracing.all = all;
	tracing.last = last;
	if (last > 0)
		tracing.lines = calloc(last, sizeof(*tracing.lines));
}

bool sim_tracing(void)
{
	return tracing.all || tracing.last > 0;
}

void sim_trace(const char *format, ...)
{
	char text[LINE_BYTES];
	va_list arguments;
	if (!sim_tracing())
		return;
	const struct sim_process *process = sim_current();
	uint64_t us = world.now_us - sim_world.begin_us;
	int n = snprintf(text, sizeof(text), "%4" PRIu64 ".%06" PRIu64 " %-18s ", us / 1000000,
		us % 1000000, process != NULL ? process->name : "");
	va_start(arguments, format);
	(void)vsnprintf(text + n, sizeof(text) - (size_t)n, format, arguments);
	va_end(arguments);
	if (tracing.all) {
		puts(text);
		return;
	}
	(void)memcpy(tracing.lines[tracing.at], text, sizeof(text));
	tracing.at = (tracing.at + 1) % tracing.last;
	tracing.n++;
}

void trace_print(void)
{
	size_t n = tracing.n < tracing.last ? tracing.n : tracing.last;
	for (size_t i = 0; i < n; i++)
		puts(tracing.lines[(tracing.at + tracing.last - n + i) % tracing.last]);
}

void sim_fail(const char *format, ...)
{
	char text[2000];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	world_fail_exit(text);
}
