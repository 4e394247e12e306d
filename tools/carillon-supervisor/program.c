/* Starting and ending processes. */
#include "tools/carillon-supervisor/program.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/carillon-supervisor/log.h"

enum { HELD_LOOK_MS = 50 };

static void say(const struct sup_program *program, const char *text)
{
	(void)fprintf(stderr, "%s: %s\n", program->spec.name, text);
}

/* What the change of the user has left of them. */
static bool drop_capabilities(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return syscall(SYS_capset, &head, none) == 0;
}

/* Becomes the user of the set-up, for good: without a capability, and unable to gain one. */
static bool become_user(const struct sup_spec *spec)
{
	gid_t groups[SUP_GROUPS_MAX];

	if (spec->user == 0)
		return true;
	for (unsigned i = 0; i < spec->group_count; i++)
		groups[i] = spec->group[i];
	for (unsigned long number = 0; prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; number++)
		if (prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0)
			return false;
	(void)umask(077);
	return setgroups(spec->group_count, groups) == 0 &&
	       setresgid(spec->user, spec->user, spec->user) == 0 &&
	       setresuid(spec->user, spec->user, spec->user) == 0 && drop_capabilities();
}

/* The child's side of a start. Does not return. */
static void become(const struct sup_spec *spec, pid_t parent)
{
	char text[SUP_LINE_MAX];
	char *argv[SUP_ARGS_MAX + 1];
	sigset_t none;
	int log = sup_log_open(spec->name);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (!become_user(spec)) {
		(void)dprintf(STDERR_FILENO, "%s: cannot become the user %u: %s\n", spec->name,
			spec->user, strerror(errno));
		_exit(127);
	}
	/* The children go when the supervisor goes, however it went. A change of the user would
	 * undo it. */
	(void)prctl(PR_SET_PDEATHSIG, spec->stop_signal);
	if (getppid() != parent)
		_exit(127);
	/* No program that it starts has more power than it has; and what it holds, keys among it,
	 * is never written to a core file. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }) != 0)
		_exit(127);
	(void)setpgid(0, 0);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		_exit(127);
	if (log >= 0 && (dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0))
		_exit(127);
	memcpy(text, spec->text, sizeof(text));
	for (unsigned i = 0; i < spec->env_count; i++)
		if (putenv(text + spec->env[i]) != 0)
			_exit(127);
	for (unsigned i = 0; i < spec->arg_count; i++)
		argv[i] = text + spec->arg[i];
	argv[spec->arg_count] = NULL;
	assert(argv[0] != NULL);
	(void)execvp(argv[0], argv);
	(void)dprintf(
		STDERR_FILENO, "%s: cannot start '%s': %s\n", spec->name, argv[0], strerror(errno));
	_exit(127);
}

unsigned sup_pause_ms(unsigned quick_deaths, unsigned longest_ms)
{
	unsigned pause = SUP_FIRST_PAUSE_MS;

	if (quick_deaths == 0)
		return 0;
	for (unsigned i = 1; i < quick_deaths && pause < longest_ms; i++)
		pause *= 2;
	return pause < longest_ms ? pause : longest_ms;
}

static void wait_for_restart(struct sup_program *program, int64_t now_ms)
{
	char text[128];
	unsigned pause = sup_pause_ms(program->quick_deaths, program->spec.backoff_ms);

	program->state = SUP_WAITING;
	program->start_at_ms = now_ms + pause;
	(void)snprintf(text, sizeof(text), "%s; starts again in %u ms", program->last_end, pause);
	say(program, text);
}

void sup_program_start(struct sup_program *program, int64_t now_ms)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	program->started_ms = now_ms;
	program->stopping = false;
	program->killed = false;
	if (pid == 0)
		become(&program->spec, parent);
	if (pid < 0) {
		(void)snprintf(program->last_end, sizeof(program->last_end),
			"could not be started: %s", strerror(errno));
		program->quick_deaths++;
		wait_for_restart(program, now_ms);
		return;
	}
	program->pid = pid;
	program->state = SUP_RUNNING;
}

static void describe_end(struct sup_program *program, int wait_status, int64_t lived_ms)
{
	bool by_signal = WIFSIGNALED(wait_status);

	(void)snprintf(program->last_end, sizeof(program->last_end), "%s %d after %.1f s",
		by_signal ? "ended by signal" : "ended with status",
		by_signal ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status),
		(double)lived_ms / 1000.0);
}

void sup_program_ended(struct sup_program *program, int wait_status, int64_t now_ms)
{
	int64_t lived_ms = now_ms - program->started_ms;

	program->pid = 0;
	describe_end(program, wait_status, lived_ms);
	if (program->stopping || program->leaving) {
		program->state = SUP_STOPPED;
		say(program, program->last_end);
		return;
	}
	/* The first restart is at once: only a program that dies young again and again is slowed
	 * down. */
	program->restarts++;
	wait_for_restart(program, now_ms);
	program->quick_deaths = lived_ms < SUP_QUICK_MS ? program->quick_deaths + 1 : 0;
}

void sup_program_stop(struct sup_program *program, int64_t now_ms)
{
	if (program->state != SUP_RUNNING) {
		program->state = SUP_STOPPED;
		return;
	}
	if (program->stopping)
		return;
	program->stopping = true;
	program->kill_at_ms = now_ms + program->spec.grace_ms;
	(void)kill(program->pid, program->spec.stop_signal);
}

static bool is_held(const struct sup_program *program)
{
	char path[SUP_NAME_MAX + 16];

	(void)snprintf(path, sizeof(path), "run/hold/%s", program->spec.name);
	return access(path, F_OK) == 0;
}

int64_t sup_program_tick(struct sup_program *program, int64_t now_ms)
{
	if (program->state == SUP_RUNNING && program->stopping && !program->killed) {
		if (now_ms < program->kill_at_ms)
			return program->kill_at_ms;
		say(program, "did not stop within its grace period: sent SIGKILL");
		program->killed = true;
		(void)kill(program->pid, SIGKILL);
	}
	if (program->state == SUP_WAITING || program->state == SUP_HELD) {
		if (is_held(program)) {
			program->state = SUP_HELD;
			return now_ms + HELD_LOOK_MS;
		}
		if (program->state == SUP_WAITING && now_ms < program->start_at_ms)
			return program->start_at_ms;
		sup_program_start(program, now_ms);
	}
	return program->state == SUP_WAITING ? program->start_at_ms : INT64_MAX;
}

const char *sup_state_name(enum sup_state state)
{
	static const char *const names[] = { "running", "waiting", "held", "stopped" };

	assert((size_t)state < sizeof(names) / sizeof(names[0]));
	return names[state];
}
