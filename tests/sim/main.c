/*~ The simulator's main: options, worlds one after the other in several worker processes, the
 * summary. Read on in this order:
 *
 *   sim.h           what its parts agree on
 *   process.c       how the real services live, die and are frozen here
 *   world.c         one clock, one source of chance, one queue of events
 *   fake_*.c        Kafka, nanomsg, Redis, the system; pg_*.c Postgres
 *   faults.c        what goes wrong
 *   clients.c       players and operators
 *   judge.c         what must always be true */
#include "tests/sim/fake_pg.h"
#include "tests/sim/world/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKERS_MAX 16
#define STEP_US 10000
#define WORLD_MAX_US (UINT64_C(30) * 1000000)
#define RELEASE_US (UINT64_C(5) * 1000000)
#define SETTLE_MAX_US (UINT64_C(1200) * 1000000) /* the clients say what is stuck long before */
#define TAIL_LINES 80
#define BEGIN_S UINT64_C(1767225600) /* 2026-01-01 */
#define STILL_S 60		     /* of CPU without the end of a world */

struct sim_world sim_world;

/* What a worker tells the others. */
struct tally {
	uint64_t worlds, rounds, faulty_rounds, scenarios, events, simulated_us, cpu_us;
	struct kernel_counts kernel;
	uint64_t seed; /* of the world that failed */
	char scenario[64];
	char text[400];
	bool failed;
};

static struct {
	const char *sos, *scenario, *first;
	uint64_t seconds, seed, schedules, rounds, workers, worlds, tail;
	bool one, trace, chance, quiet, faultless;
} options = { .sos = "build/sim", .seconds = 60 };

static struct tally *tally; /* of this worker, shared */

static uint64_t real_us(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static uint64_t cpu_us(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* ---- failing ------------------------------------------------------------------------------------
 */

void world_fail_exit(const char *text)
{
	uint64_t us = sim_now_us() - sim_world.begin_us;
	fflush(stdout);
	trace_print();
	printf("sim: FOUND with seed %" PRIu64 "%s%s, %" PRIu64 ".%06" PRIu64
	       " s into the world: %s\n",
		sim_world.seed, sim_world.scenario != NULL ? ", scenario " : "",
		sim_world.scenario != NULL ? sim_world.scenario : "", us / 1000000, us % 1000000,
		text);
	(void)fflush(stdout);
	if (tally != NULL) {
		tally->seed = sim_world.seed;
		(void)snprintf(tally->scenario, sizeof(tally->scenario), "%s",
			sim_world.scenario != NULL ? sim_world.scenario : "");
		(void)snprintf(tally->text, sizeof(tally->text), "%s", text);
		tally->failed = true;
	}
	_exit(1);
}

static void on_crash(int number)
{
	const struct sim_process *process = sim_current();
	static char text[200];
	(void)snprintf(text, sizeof(text), "%s: signal %d",
		process != NULL ? process->name : "the world", number);
	(void)signal(number, SIG_DFL);
	if (number == SIGVTALRM)
		(void)strcat(text, ": stands still, nothing is waited for");
	world_fail_exit(text);
}

static void crashes_watch(void)
{
	static uint8_t stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK };
	static const int SIGNALS[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM };
	(void)sigaltstack(&alternate, NULL);
	for (size_t i = 0; i < sizeof(SIGNALS) / sizeof(SIGNALS[0]); i++)
		(void)sigaction(SIGNALS[i], &action, NULL);
}

/* ---- keys: the same ones for ever, or no seed would ever give the same world
 * --------------------- */

static void key_make(const char *service, const char *name)
{
	char path[1200];
	char other[1300];
	char line[80] = "1 ";
	(void)snprintf(path, sizeof(path), "%s/%s", sim_world.keys, service);
	(void)mkdir(path, 0700);
	(void)snprintf(path, sizeof(path), "%s/%s/%s", sim_world.keys, service, name);
	(void)snprintf(other, sizeof(other), "%s.%ld", path, (long)getpid());
	for (int i = 0; i < 32; i++)
		(void)sprintf(line + 2 + 2 * i, "%02x", (unsigned)(i * 7 + name[0]) & 0xff);
	(void)strcat(line, "\n");
	int fd = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, line, strlen(line)) != (ssize_t)strlen(line) || close(fd) != 0 ||
		rename(other, path) != 0) {
		(void)fprintf(stderr, "sim: %s: %s\n", path, strerror(errno));
		exit(2);
	}
}

static void keys_make(void)
{
	(void)mkdir(sim_world.keys, 0700);
	key_make("spin-engine", "spin-engine.key");
	key_make("jackpot-cards", "jackpot-cards.key");
	key_make("payments", "payment-provider.key");
}

/* Of CPU, for others may need the machine too. */
static void start_watchdog(time_t seconds)
{
	struct itimerval timer = { .it_value.tv_sec = seconds };
	(void)setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

/* ---- one world ----------------------------------------------------------------------------------
 */

static void world_draw(uint64_t seed, const char *scenario)
{
	sim_world.seed = seed;
	sim_world.scenario = scenario;
	world_time_begin(seed, BEGIN_S * 1000000);
	sim_world.begin_us = BEGIN_S * 1000000 + stream_random(STREAM_TIMES, 86400) * 1000000;
	world_time_begin(seed, sim_world.begin_us);
	sim_world.shards = 1 + (uint32_t)stream_random(STREAM_TIMES, 4);
	sim_world.faulty =
		scenario == NULL && !options.faultless && stream_random(STREAM_TIMES, 25) > 0;
	sim_world.rounds = 4000 + stream_random(STREAM_TIMES, 16000);
	if (options.rounds > 0)
		sim_world.rounds = options.rounds;
	faults_draw(sim_world.faulty);
}

static void world_begin(uint64_t seed, const char *scenario)
{
	world_draw(seed, scenario);
	/* Schedules have takeovers. */
	uint32_t of_each = scenario != NULL ? 2 : 1 + (uint32_t)stream_random(STREAM_TIMES, 2);
	sim_trace("seed %" PRIu64 ": %u shards, %u instances a service, %s", seed, sim_world.shards,
		of_each, sim_world.faulty ? "with faults" : "without faults");
	kafka_world_begin();
	bus_world_begin();
	in_hand_world_begin();
	redis_world_begin();
	fake_pg_world_begin();
	processes_begin(of_each);
	workload_world_begin();
}

static void world_play(void)
{
	uint64_t until = sim_now_us() + WORLD_MAX_US;
	faults_begin();
	while (!workload_done() && sim_now_us() < until) {
		sim_run_until(sim_now_us() + STEP_US);
		judge_step();
	}
}

/* Kills by chance may have met one command three times, so that it is quarantined though nothing is
 * wrong with it. An operator releases it; one that does kill is quarantined again. */
static void release_commands(uint64_t *due_us)
{
	if (sim_world.scenario != NULL || sim_now_us() < *due_us)
		return;
	*due_us = sim_now_us() + RELEASE_US;
	(void)fake_pg_run(
		"delete from carillon.command_death where quarantined is not null", 0, NULL);
}

static void world_settle(void)
{
	uint64_t until = sim_now_us() + SETTLE_MAX_US, release_us = 0;
	sim_faults_end();
	workload_drain();
	while (!workload_settled()) {
		release_commands(&release_us);
		if (sim_now_us() >= until)
			sim_fail("not settled %" PRIu64 " s after the last fault",
				SETTLE_MAX_US / 1000000);
		sim_run_until(sim_now_us() + STEP_US);
		judge_step();
	}
	judge_final();
}

static void world_end(void)
{
	tally->worlds++;
	tally->rounds += workload_rounds();
	if (sim_world.faulty || sim_world.scenario != NULL)
		tally->faulty_rounds += workload_rounds();
	tally->simulated_us += sim_now_us() - sim_world.begin_us;
	tally->kernel = kernel_counts;
	tally->cpu_us = cpu_us();
	tally->events = world_events();
	workload_world_end();
	processes_end();
	fake_pg_world_end();
	kafka_world_end();
	bus_world_end();
	redis_world_end();
	world_time_end();
	world_forget();
}

static void world_run(uint64_t seed, const struct scenario *scenario)
{
	start_watchdog(STILL_S);
	world_begin(seed, scenario != NULL ? scenario->name : NULL);
	if (scenario != NULL)
		scenario->run();
	else
		world_play();
	world_settle();
	world_end();
	start_watchdog(0);
}

/* ---- many
 * ---------------------------------------------------------------------------------------- */

static size_t scenarios_count(void)
{
	size_t n = 0;
	while (sim_scenarios[n].name != NULL)
		n++;
	return n;
}

/* The named schedules come first, each worker some; then worlds of chance until the time is over.
 */
static void worker(uint64_t index, uint64_t until_cpu_us)
{
	for (size_t i = index; !options.chance && i < scenarios_count(); i += options.workers) {
		world_run(options.schedules + i, &sim_scenarios[i]);
		tally->scenarios++;
	}
	for (uint64_t i = index; cpu_us() < until_cpu_us; i += options.workers) {
		if (options.worlds > 0 && i >= options.worlds)
			break;
		world_run(options.seed + i, NULL);
	}
}

static void sum_up(const struct tally *tallies, uint64_t us)
{
	struct tally sum = { 0 };
	for (uint64_t i = 0; i < options.workers; i++) {
		sum.worlds += tallies[i].worlds;
		sum.rounds += tallies[i].rounds;
		sum.faulty_rounds += tallies[i].faulty_rounds;
		sum.scenarios += tallies[i].scenarios;
		sum.events += tallies[i].events;
		sum.simulated_us += tallies[i].simulated_us;
		sum.cpu_us += tallies[i].cpu_us;
		sum.kernel.kills += tallies[i].kernel.kills;
		sum.kernel.fatals += tallies[i].kernel.fatals;
		sum.kernel.freezes += tallies[i].kernel.freezes;
		sum.kernel.starts += tallies[i].kernel.starts;
		sum.kernel.effects += tallies[i].kernel.effects;
		sum.kernel.switches += tallies[i].kernel.switches;
	}
	printf("sim: seed %" PRIu64 ", %" PRIu64 " worlds and %" PRIu64 " scenarios in %" PRIu64
	       ".%" PRIu64 " s (%" PRIu64 ".%" PRIu64 " of CPU): %" PRIu64 " rounds (%" PRIu64
	       " with faults), %" PRIu64 " s of their time, %" PRIu64 " effects, %" PRIu64
	       " switches, %" PRIu64 " kills, %" PRIu64 " deaths of their own, %" PRIu64
	       " freezes\n",
		options.seed, sum.worlds - sum.scenarios, sum.scenarios, us / 1000000,
		us / 100000 % 10, sum.cpu_us / 1000000, sum.cpu_us / 100000 % 10, sum.rounds,
		sum.faulty_rounds, sum.simulated_us / 1000000, sum.kernel.effects,
		sum.kernel.switches, sum.kernel.kills, sum.kernel.fatals, sum.kernel.freezes);
}

/* ---- a failure made small
 * ------------------------------------------------------------------------ */

/* One world in a process of its own; true when it fails as `text` did. */
static bool fails(uint64_t seed, const struct scenario *scenario, const char *text, bool print)
{
	struct tally *one =
		mmap(NULL, sizeof(*one), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		tally = one;
		if (print)
			trace_open(false, TAIL_LINES);
		else if (freopen("/dev/null", "w", stdout) == NULL)
			_exit(2);
		processes_load(options.sos);
		world_run(seed, scenario);
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
	bool same = one->failed && strncmp(one->text, text, strcspn(text, "0123456789")) == 0;
	(void)munmap(one, sizeof(*one));
	return same;
}

static const struct scenario *scenario_of(const char *name)
{
	for (size_t i = 0; sim_scenarios[i].name != NULL; i++)
		if (strcmp(sim_scenarios[i].name, name) == 0)
			return &sim_scenarios[i];
	return NULL;
}

/* The world that failed once more, without each kind of fault that is not needed for it, then its
 * last lines. */
static void replay(const struct tally *failed)
{
	const struct scenario *scenario = scenario_of(failed->scenario);
	char without[600] = "";
	printf("sim: making it small ..\n");
	for (int i = 0; scenario == NULL && faults_name(i) != NULL; i++) {
		faults_switch(i, false);
		if (!fails(failed->seed, scenario, failed->text, false)) {
			faults_switch(i, true);
			continue;
		}
		size_t n = strlen(without);
		(void)snprintf(without + n, sizeof(without) - n, " --without=%s", faults_name(i));
	}
	if (!fails(failed->seed, scenario, failed->text, true))
		printf("sim: it does not fail again: something in it depends on more than the seed\n");
	printf("sim: once more: %s --sos=%s --seed=%" PRIu64 " --trace%s%s%s\n", "build/bin/sim",
		options.sos, failed->seed, without, scenario != NULL ? " --scenario=" : "",
		failed->scenario);
}

static int run_workers(void)
{
	uint64_t from = real_us();
	/* Of its own processor time, which begins anew in a child: on a busy machine it tries as
	 * much as on one that is idle. */
	uint64_t until = options.seconds * 1000000;
	pid_t pids[WORKERS_MAX];
	int status;
	int worst = 0;
	struct tally *tallies = mmap(NULL, WORKERS_MAX * sizeof(*tallies), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	(void)fflush(stdout);
	for (uint64_t i = 0; i < options.workers; i++) {
		pids[i] = fork();
		if (pids[i] != 0)
			continue;
		tally = &tallies[i];
		processes_load(options.sos);
		worker(i, until);
		_exit(0);
	}
	for (uint64_t left = options.workers; left > 0; left--) {
		pid_t pid = wait(&status);
		if (pid > 0 && status != 0 && worst == 0) {
			worst = 1;
			for (uint64_t i = 0; i < options.workers; i++)
				if (pids[i] != pid)
					(void)kill(pids[i], SIGKILL);
		}
	}
	sum_up(tallies, real_us() - from);
	for (uint64_t i = 0; i < options.workers; i++) {
		if (!tallies[i].failed)
			continue;
		replay(&tallies[i]);
		break;
	}
	return worst;
}

static int run_one(void)
{
	static struct tally own;
	const struct scenario *scenario = NULL;
	uint64_t from = real_us();
	tally = &own;
	if (options.scenario != NULL)
		scenario = scenario_of(options.scenario);
	if (options.scenario != NULL && scenario == NULL) {
		(void)fprintf(stderr, "sim: found the scenario '%s', expected one of:\n",
			options.scenario);
		for (size_t i = 0; i < scenarios_count(); i++)
			(void)fprintf(stderr, "  %s\n", sim_scenarios[i].name);
		return 2;
	}
	processes_load(options.sos);
	/* A world must not know what was before it: same seed, same run. */
	if (options.first != NULL)
		world_run(options.seed - 2, scenario_of(options.first));
	if (options.trace || options.tail > 0)
		trace_open(options.trace, options.tail);
	world_run(options.seed, scenario);
	options.workers = 1;
	sum_up(&own, real_us() - from);
	return 0;
}

/* ---- options
 * ------------------------------------------------------------------------------------- */

static const char HELP[] =
	"sim: the real services on fake servers, with faults, by a seed\n"
	"  --seconds=N      worlds for so many seconds of processor time each worker (60)\n"
	"  --seed=N         of the first world (by the clock); with --one, of the only one\n"
	"  --schedules=N    seed of the first named schedule (that of the first world)\n"
	"  --one            one world, in this process\n"
	"  --trace          one world, and all it does is printed\n"
	"  --tail=N         one world, and its last lines are printed if it fails\n"
	"  --scenario=NAME  one world of a named schedule\n"
	"  --first=NAME     another world before it in the same process; NAME: of a schedule, or chance\n"
	"  --worlds=N       not more than so many worlds\n"
	"  --rounds=N       rounds of a world (4000 to 20000)\n"
	"  --workers=N      processes (as many as there are processors)\n"
	"  --chance         no named schedules, only worlds of chance\n"
	"  --faultless      nothing fails\n"
	"  --without=KIND   a kind of fault that never happens; may be repeated\n"
	"  --sos=FOLDER     of the services' libraries (build/sim)\n"
	"  --slots=FOLDER   keeps the instances' copies of them there, for profilers\n"
	"  --games=FOLDER --card-sets=FOLDER --keys=FOLDER\n";

static bool number_of(const char *argument, const char *name, uint64_t *value_r)
{
	size_t n = strlen(name);
	char *end;
	if (strncmp(argument, name, n) != 0)
		return false;
	errno = 0;
	*value_r = strtoull(argument + n, &end, 10);
	if (end == argument + n || *end != '\0' || errno != 0) {
		(void)fprintf(stderr, "sim: %s: expected a whole number\n", argument);
		exit(2);
	}
	return true;
}

static bool text_of(const char *argument, const char *name, const char **value_r)
{
	size_t n = strlen(name);
	if (strncmp(argument, name, n) != 0)
		return false;
	*value_r = argument + n;
	return true;
}

static bool flag_of(const char *argument, const char *name, bool *value_r)
{
	if (strcmp(argument, name) != 0)
		return false;
	*value_r = true;
	return true;
}

static bool option_read(const char *argument)
{
	const char *kind;
	if (text_of(argument, "--without=", &kind)) {
		if (faults_off(kind))
			return true;
		(void)fprintf(stderr, "sim: found the kind '%s', expected one of:\n", kind);
		for (int i = 0; faults_name(i) != NULL; i++)
			(void)fprintf(stderr, "  %s\n", faults_name(i));
		return false;
	}
	if (text_of(argument, "--scenario=", &options.scenario))
		return options.one = true;
	if (text_of(argument, "--first=", &options.first))
		return options.one = true;
	if (flag_of(argument, "--trace", &options.trace))
		return options.one = true;
	if (number_of(argument, "--tail=", &options.tail))
		return options.one = true;
	return number_of(argument, "--seconds=", &options.seconds) ||
	       number_of(argument, "--seed=", &options.seed) ||
	       number_of(argument, "--schedules=", &options.schedules) ||
	       number_of(argument, "--rounds=", &options.rounds) ||
	       number_of(argument, "--workers=", &options.workers) ||
	       number_of(argument, "--worlds=", &options.worlds) ||
	       text_of(argument, "--sos=", &options.sos) ||
	       text_of(argument, "--slots=", &slots_folder) ||
	       text_of(argument, "--games=", &sim_world.games) ||
	       text_of(argument, "--card-sets=", &sim_world.card_sets) ||
	       text_of(argument, "--keys=", &sim_world.keys) ||
	       flag_of(argument, "--one", &options.one) ||
	       flag_of(argument, "--chance", &options.chance) ||
	       flag_of(argument, "--faultless", &options.faultless);
}

static void options_read(int argc, char **argv)
{
	sim_world.games = "tests/sim/games";
	sim_world.card_sets = "tests/sim/sets";
	sim_world.keys = "build/sim/keys";
	for (int i = 1; i < argc; i++) {
		if (option_read(argv[i]))
			continue;
		bool help = strcmp(argv[i], "--help") == 0;
		(void)fprintf(help ? stdout : stderr, "%s", HELP);
		exit(help ? 0 : 2);
	}
	if (options.workers == 0)
		options.workers = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	if (options.workers > WORKERS_MAX)
		options.workers = WORKERS_MAX;
	if (options.seed == 0)
		options.seed = (uint64_t)time(NULL) * 1000;
	if (options.schedules == 0)
		options.schedules = options.seed;
}

int main(int argc, char **argv)
{
	options_read(argc, argv);
	if (sodium_init() < 0)
		return 2;
	keys_make();
	memory_begin();
	crashes_watch();
	return options.one ? run_one() : run_workers();
}
