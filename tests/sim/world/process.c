/* Instances: private copies of the services' libraries, each on a stack of its own.
 *
 * A life begins with the writable segments as they were when the library was loaded, an empty heap
 * and main(). It ends by leaving the stack where it is: nothing is unwound, as with kill -9. */
#undef _FORTIFY_SOURCE /* its longjmp takes a change of stacks for an accident */
#define _GNU_SOURCE
#include "tests/sim/clients/clients.h"
#include "tests/sim/world/kernel.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STACK_BYTES (UINT64_C(4) << 20)
#define INSTANCES_MAX 2
#define RESTART_US UINT64_C(50000)
#define RESTART_MAX_US UINT64_C(2000000)
#define QUICK_US UINT64_C(5000000)
#define ENV_MAX 24
#define ENV_BYTES 512

static const char *const SERVICES[] = { "wallet", "spin-engine", "progressive-pool",
	"jackpot-cards", "payments" };
#define SERVICES_N (sizeof(SERVICES) / sizeof(SERVICES[0]))

struct kernel_counts kernel_counts;
const char *slots_folder;

static struct sim_process processes[SLOTS_MAX];
static size_t processes_n; /* loaded */
static uint32_t instances; /* of each service in this world */
static struct sim_process *current;
static jmp_buf scheduler;
static ucontext_t scheduler_context;
static sim_hook *effect_hook;
static uint32_t next_pid;
static bool ending;

extern char **environ;

/* ---- loading ----------------------------------------------------------------------------------
 */

static void refuse(const char *what, const char *why)
{
	(void)fprintf(stderr, "sim: %s: %s\n", what, why);
	exit(2);
}

/* The loader takes two names of one file for one library: each slot gets a copy, in memory, or in a
 * folder where profilers and debuggers find its symbols. */
static void *library_copy(const char *path, const char *slot)
{
	char name[1024];
	struct stat about;
	int from = open(path, O_RDONLY | O_CLOEXEC);
	if (slots_folder != NULL)
		(void)snprintf(name, sizeof(name), "%s/%s.so", slots_folder, slot);
	int to = slots_folder == NULL ? memfd_create("carillon", MFD_CLOEXEC)
				      : open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	if (from < 0 || to < 0 || fstat(from, &about) != 0)
		refuse(path, strerror(errno));
	uint8_t *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, from, 0);
	if (bytes == MAP_FAILED || write(to, bytes, (size_t)about.st_size) != about.st_size)
		refuse(path, strerror(errno));
	(void)munmap(bytes, (size_t)about.st_size);
	(void)close(from);
	if (slots_folder == NULL)
		(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", to);
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		refuse(path, dlerror());
	/* Left open: the loader would take the next one of this name for the same library. */
	return library;
}

struct finding {
	ElfW(Addr) base;
	struct sim_process *process;
};

/* What of a segment can be written lies behind what is made read-only after relocation. */
static int segments_find(struct dl_phdr_info *info, size_t size, void *context)
{
	const struct finding *finding = context;
	uintptr_t sealed = 0;
	(void)size;
	if (info->dlpi_addr != finding->base)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
			sealed = (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
					 info->dlpi_phdr[i].p_memsz) &
				 ~(uintptr_t)4095;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		if (header->p_type != PT_LOAD || (header->p_flags & PF_W) == 0)
			continue;
		uintptr_t from = info->dlpi_addr + header->p_vaddr;
		uintptr_t file_end = from + header->p_filesz;
		uintptr_t end = from + header->p_memsz;
		if (from < sealed)
			from = sealed < end ? sealed : end;
		if (file_end < from)
			file_end = from;
		struct segment *segment =
			&finding->process->segments[finding->process->segments_n++];
		segment->at = (uint8_t *)from;
		segment->length = file_end - from;
		segment->zeros = end - file_end;
		segment->saved = malloc(segment->length + 1);
		memcpy(segment->saved, segment->at, segment->length);
	}
	return 1;
}

static void slot_load(struct sim_process *process, const char *sos, const char *service, uint32_t n)
{
	char path[1024];
	struct link_map *map = NULL;
	(void)snprintf(path, sizeof(path), "%s/carillon-%s.so", sos, service);
	(void)snprintf(process->name, sizeof(process->name), "%s-%u", service, n);
	process->service = service;
	process->slot = (uint32_t)(process - processes);
	process->library = library_copy(path, process->name);
	/* POSIX gives functions as objects. */
	void *entry = dlsym(process->library, "main");
	memcpy(&process->main, &entry, sizeof(entry));
	if (entry == NULL || dlinfo(process->library, RTLD_DI_LINKMAP, &map) != 0)
		refuse(path, dlerror());
	(void)dl_iterate_phdr(
		segments_find, &(struct finding){ .base = map->l_addr, .process = process });
	process->stack = mmap(NULL, STACK_BYTES + 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (process->stack == MAP_FAILED || mprotect(process->stack, 4096, PROT_NONE) != 0)
		refuse("stack", strerror(errno));
}

void processes_load(const char *sos)
{
	for (uint32_t n = 1; n <= INSTANCES_MAX; n++)
		for (size_t i = 0; i < SERVICES_N; i++)
			slot_load(&processes[processes_n++], sos, SERVICES[i], n);
}

/* ---- the world's view --------------------------------------------------------------------------
 */

struct sim_process *sim_current(void)
{
	return current;
}

const char *sim_process_name(const struct sim_process *process)
{
	return process->name;
}

const char *sim_process_service(const struct sim_process *process)
{
	return process->service;
}

uint32_t sim_process_pid(const struct sim_process *process)
{
	return process->pid;
}

bool sim_process_alive(const struct sim_process *process)
{
	return process->state == PROCESS_UP;
}

struct sim_process *process_at(uint32_t slot)
{
	return slot < instances * SERVICES_N ? &processes[slot] : NULL;
}

struct sim_process *sim_process_find(const char *name)
{
	for (uint32_t i = 0; process_at(i) != NULL; i++)
		if (strcmp(processes[i].name, name) == 0)
			return &processes[i];
	return NULL;
}

size_t sim_processes(struct sim_process **list, size_t max)
{
	size_t n = 0;
	for (uint32_t i = 0; process_at(i) != NULL && n < max; i++)
		list[n++] = &processes[i];
	return n;
}

bool process_frozen(const struct sim_process *process)
{
	return process->frozen_until > sim_now_us();
}

/* ---- switching ---------------------------------------------------------------------------------
 */

static void life(void)
{
	static char name[] = "sim";
	char *argv[] = { name, NULL };
	int status = current->main(1, argv);
	(void)status;
	sim_die("ended in order");
}

static void died(struct sim_process *process);

static void resume(struct sim_process *process)
{
	current = process;
	kernel_counts.switches++;
	if (_setjmp(scheduler) == 0) {
		if (!process->fresh)
			_longjmp(process->here, 1);
		process->fresh = false;
		(void)setcontext(&process->context);
	}
	current = NULL;
	if (process->dying)
		died(process);
}

static void wake(void *context, uint64_t token)
{
	struct sim_process *process = context;
	if (process->state != PROCESS_UP || process->token != token)
		return;
	if (process_frozen(process)) {
		process_wake(process, process->frozen_until);
		return;
	}
	process->frozen_until = 0;
	process->in_epoll = false;
	resume(process);
}

void process_wake(struct sim_process *process, uint64_t at_us)
{
	event_at(at_us, wake, process, ++process->token);
}

void process_wait_until(uint64_t at_us)
{
	struct sim_process *process = current;
	process_wake(process, at_us);
	if (_setjmp(process->here) == 0)
		_longjmp(scheduler, 1);
}

void sim_wait_us(uint64_t us)
{
	if (current != NULL)
		process_wait_until(sim_now_us() + us);
}

/* ---- life and death ----------------------------------------------------------------------------
 */

static void environment(const struct sim_process *process)
{
	static char text[ENV_MAX][ENV_BYTES];
	static char *list[ENV_MAX + 1];
	int n = 0;
	const char *name = process->name;
	(void)snprintf(text[n++], ENV_BYTES, "CARILLON_PG_DSN=sim");
	(void)snprintf(text[n++], ENV_BYTES, "CARILLON_PG_RO_DSN=sim");
	(void)snprintf(text[n++], ENV_BYTES, "CARILLON_REDIS=sim:6379");
	(void)snprintf(text[n++], ENV_BYTES, "CARILLON_KAFKA=sim:9092");
	(void)snprintf(text[n++], ENV_BYTES, "CARILLON_INSTANCE=%s", name);
	(void)snprintf(text[n++], ENV_BYTES, "CARILLON_SHARDS=%u", sim_world.shards);
	(void)snprintf(text[n++], ENV_BYTES, "CARILLON_GAMES=%s", sim_world.games);
	(void)snprintf(text[n++], ENV_BYTES, "CARILLON_KEYS=%s", sim_world.keys);
	(void)snprintf(text[n++], ENV_BYTES, "CARILLON_KIND=test");
	(void)snprintf(text[n++], ENV_BYTES, "SPIN_ENGINE_CARD_SETS=%s", sim_world.card_sets);
	(void)snprintf(text[n++], ENV_BYTES, "SPIN_ENGINE_RESOLVE_EVERY_S=2");
	(void)snprintf(text[n++], ENV_BYTES, "SPIN_ENGINE_PART_PLAYERS=1");
	(void)snprintf(text[n++], ENV_BYTES, "JACKPOT_CARDS_SETS=%s", sim_world.card_sets);
	(void)snprintf(text[n++], ENV_BYTES, "JACKPOT_CARDS_EXPIRE_S=20");
	(void)snprintf(text[n++], ENV_BYTES, "WALLET_LIMIT_RAISE_S=%d", LIMIT_RAISE_S);
	(void)snprintf(text[n++], ENV_BYTES, "PAYMENTS_URL=http://provider");
	(void)snprintf(text[n++], ENV_BYTES, "PAYMENTS_TIMEOUT_MS=1000");
	(void)snprintf(text[n++], ENV_BYTES, "PAYMENTS_AGAIN_MS=100");
	(void)snprintf(text[n++], ENV_BYTES, "PAYMENTS_AGAIN_MAX_MS=1000");
	(void)snprintf(text[n++], ENV_BYTES, "PAYMENTS_PENDING_MS=2000");
	(void)snprintf(text[n++], ENV_BYTES, "PAYMENTS_CONFIRM_MS=1000");
	(void)snprintf(
		text[n++], ENV_BYTES, "WALLET_HEADS="); /* files of this world, not of ours */
	for (int i = 0; i < n; i++)
		list[i] = text[i];
	list[n] = NULL;
	environ = list;
}

static void fresh_image(struct sim_process *process)
{
	for (size_t i = 0; i < process->segments_n; i++) {
		struct segment *segment = &process->segments[i];
		memcpy(segment->at, segment->saved, segment->length);
		memset(segment->at + segment->length, 0, segment->zeros);
	}
	(void)getcontext(&process->context);
	process->context.uc_stack.ss_sp = process->stack + 4096;
	process->context.uc_stack.ss_size = STACK_BYTES;
	process->context.uc_link = &scheduler_context;
	makecontext(&process->context, life, 0);
	process->fresh = true;
}

static void begin(void *context, uint64_t token)
{
	struct sim_process *process = context;
	if (process->state != PROCESS_UP || process->token != token)
		return;
	if (process_frozen(process)) {
		event_at(process->frozen_until, begin, process, ++process->token);
		return;
	}
	environment(process);
	resume(process);
}

void process_start(struct sim_process *process)
{
	fresh_image(process);
	process->state = PROCESS_UP;
	process->dying = false;
	process->pid = next_pid++;
	process->lives++;
	process->in_epoll = false;
	process->frozen_until = 0;
	process->watched_n = 0;
	process->signalled = false;
	process->signal_fd = -1;
	process->on_fatal = NULL;
	process->born_us = sim_now_us();
	process->mono_offset_us = (int64_t)stream_random(STREAM_CLOCKS, 1000000000);
	process->mono_last_us = 0;
	kernel_counts.starts++;
	sim_trace("%s starts, pid %u", process->name, process->pid);
	event_at(sim_now_us(), begin, process, ++process->token);
}

static void start_again(void *context, uint64_t token)
{
	struct sim_process *process = context;
	if (process->state == PROCESS_DOWN && process->token == token && process->supervised)
		process_start(process);
}

/* As the supervisor does: after 50 ms, and twice as long for each life that was short. */
static void supervise(struct sim_process *process)
{
	uint64_t pause = RESTART_US;
	if (sim_now_us() - process->born_us >= QUICK_US)
		process->quick_deaths = 0;
	for (unsigned i = 0; i < process->quick_deaths && pause < RESTART_MAX_US; i++)
		pause *= 2;
	process->quick_deaths++;
	if (!ending && process->supervised)
		event_at(sim_now_us() + (pause < RESTART_MAX_US ? pause : RESTART_MAX_US),
			start_again, process, ++process->token);
}

static void died(struct sim_process *process)
{
	process->state = PROCESS_DOWN;
	process->dying = false;
	process->token++;
	sim_trace("%s is dead: %s", process->name, process->death);
	kafka_process_died(process);
	bus_process_died(process);
	fake_pg_process_died(process);
	fds_died(process);
	slot_forget(process->slot);
	supervise(process);
}

void sim_die(const char *why)
{
	struct sim_process *process = current;
	if (process == NULL)
		sim_fail("sim_die outside of an instance: %s", why);
	(void)snprintf(process->death, sizeof(process->death), "%s", why);
	process->dying = true;
	_longjmp(scheduler, 1);
}

void sim_kill(struct sim_process *process, const char *why)
{
	if (process->state != PROCESS_UP)
		return;
	if (process == current)
		sim_die(why);
	kernel_counts.kills++;
	(void)snprintf(process->death, sizeof(process->death), "%s", why);
	died(process);
}

void sim_stop(struct sim_process *process)
{
	if (process->state != PROCESS_UP || process->signal_fd < 0)
		return;
	sim_trace("%s is told to end", process->name);
	process->signalled = true;
	sim_fd_set(process->signal_fd, true);
}

void sim_freeze(struct sim_process *process, uint64_t us)
{
	if (process->state != PROCESS_UP)
		return;
	kernel_counts.freezes++;
	sim_trace("%s stands still for %" PRIu64 " us", process->name, us);
	process->frozen_until = sim_now_us() + us;
	if (process == current)
		process_wait_until(process->frozen_until);
}

void sim_supervise(struct sim_process *process, bool on)
{
	process->supervised = on;
	if (on && process->state == PROCESS_DOWN)
		event_at(sim_now_us() + RESTART_US, start_again, process, ++process->token);
}

void sim_skew(struct sim_process *process, int64_t us)
{
	process->skew_us = us;
}

void processes_begin(uint32_t of_each)
{
	instances = of_each;
	next_pid = 100;
	ending = false;
	effect_hook = NULL;
	for (uint32_t i = 0; process_at(i) != NULL; i++) {
		struct sim_process *process = &processes[i];
		process->supervised = true;
		process->quick_deaths = 0;
		process->lives = 0;
		process->skew_us = 0;
		process->death[0] = '\0';
		event_at(sim_now_us() + stream_random(STREAM_TIMES, 100000), start_again, process,
			++process->token);
	}
}

void processes_end(void)
{
	ending = true;
	for (uint32_t i = 0; process_at(i) != NULL; i++)
		if (processes[i].state == PROCESS_UP)
			died(&processes[i]);
}

/* ---- effects -----------------------------------------------------------------------------------
 */

void sim_effect_hook(sim_hook *hook)
{
	effect_hook = hook;
}

static void run_effect_hook(const char *what)
{
	switch (effect_hook(current, what)) {
	case SIM_GO_ON:
		return;
	case SIM_KILL:
		kernel_counts.kills++;
		sim_die(what);
	case SIM_FREEZE_3S:
		sim_freeze(current, 3000000);
		return;
	}
}

void sim_effect(const char *what)
{
	struct sim_process *process = current;
	if (process == NULL)
		return;
	kernel_counts.effects++;
	if (effect_hook != NULL)
		run_effect_hook(what);
	if (stream_chance(STREAM_KILL, sim_faults.kill_ppm)) {
		kernel_counts.kills++;
		sim_trace("killed at: %s", what);
		sim_die(what);
	}
	if (stream_chance(STREAM_FREEZE, sim_faults.freeze_ppm)) {
		sim_trace("stands still at: %s", what);
		sim_freeze(process, stream_us(STREAM_FREEZE, 100000, 8000000));
	}
	if (stream_chance(STREAM_DELAY, sim_faults.delay_ppm))
		process_wait_until(sim_now_us() + stream_us(STREAM_DELAY, 10, 100000));
}
