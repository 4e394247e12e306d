/*
 * carillon-supervisor: runs the programs of one machine. Starts what its set-up names, restarts
 * what dies within 50 ms (later and later if it keeps dying at once), and at SIGTERM or SIGINT
 * stops all in order. SIGHUP reads the set-up again: new programs are started, missing ones
 * stopped, changed ones replaced, the others left alone.
 *
 * It works in the installation's data folder: log/<name>.log, run/<set-up>.pid,
 * run/<set-up>.status, and run/hold/<name>, a file whose presence keeps a dead program from being
 * started again (used by crash tests and for maintenance). Logs, its own among them, are kept
 * within a bound.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/carillon-supervisor/config.h"
#include "tools/carillon-supervisor/log.h"
#include "tools/carillon-supervisor/program.h"

enum { CONFIG_BYTES_MAX = SUP_PROGRAMS_MAX * SUP_LINE_MAX, LOG_LOOK_MS = 2000 };

struct supervisor {
	const char *config_path;
	char name[33]; /* of the set-up, and of the supervisor's own log */
	int64_t log_bytes;
	int64_t logs_at_ms;    /* when the logs are looked at next */
	bool logs_not_bounded; /* it was said already */
	char pid_path[96];
	char status_path[96];
	bool stopping;
	unsigned count;
	struct sup_program
		program[2 * SUP_PROGRAMS_MAX]; /* the present ones, and those still leaving */
};

static int64_t clock_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Reads and parses the set-up; says what is wrong with it. */
static bool load_config(const char *path, struct sup_config *config)
{
	static char text[CONFIG_BYTES_MAX];
	struct sup_config_error error;
	FILE *file = fopen(path, "re");
	size_t len;

	if (file == NULL) {
		(void)fprintf(stderr, "%s: cannot be read: %s\n", path, strerror(errno));
		return false;
	}
	len = fread(text, 1, sizeof(text), file);
	(void)fclose(file);
	if (len == sizeof(text)) {
		(void)fprintf(stderr, "%s: found %zu bytes or more, expected fewer\n", path, len);
		return false;
	}
	if (sup_config_parse(text, len, config, &error) == SUP_CONFIG_OK)
		return true;
	if (error.line == 0)
		(void)fprintf(stderr, "%s: %s\n", path, error.text);
	else
		(void)fprintf(stderr, "%s: line %u: %s\n", path, error.line, error.text);
	return false;
}

/* One line a program: name, state, pid, restarts, how it ended last; separated by tabs. Renamed
 * into place. */
static void write_status(const struct supervisor *sup)
{
	char path[128];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s.new", sup->status_path);
	file = fopen(path, "we");
	if (file == NULL)
		return;
	for (unsigned i = 0; i < sup->count; i++) {
		const struct sup_program *p = &sup->program[i];

		(void)fprintf(file, "%s\t%s\t%d\t%u\t%s\n", p->spec.name, sup_state_name(p->state),
			(int)p->pid, p->restarts, p->last_end);
	}
	if (fclose(file) == 0)
		(void)rename(path, sup->status_path);
}

static void add_program(struct supervisor *sup, const struct sup_spec *spec, int64_t now_ms)
{
	struct sup_program *p;

	if (sup->count == sizeof(sup->program) / sizeof(sup->program[0]))
		return; /* cannot be: twice the largest set-up; the next SIGHUP adds it */
	p = &sup->program[sup->count++];
	memset(p, 0, sizeof(*p));
	p->spec = *spec;
	p->state = SUP_WAITING;
	p->start_at_ms = now_ms;
}

/* Makes the programs those of the set-up: at the start and at SIGHUP. */
static void apply_config(struct supervisor *sup, const struct sup_config *config, int64_t now_ms)
{
	bool known[SUP_PROGRAMS_MAX] = { false };

	for (unsigned i = 0; i < sup->count; i++) {
		struct sup_program *p = &sup->program[i];
		bool stays = false;

		for (unsigned j = 0; j < config->count && !p->leaving; j++)
			if (memcmp(&p->spec, &config->program[j], sizeof(p->spec)) == 0)
				stays = known[j] = true;
		if (!stays && !p->leaving) {
			p->leaving = true;
			sup_program_stop(p, now_ms);
		}
	}
	for (unsigned j = 0; j < config->count; j++)
		if (!known[j])
			add_program(sup, &config->program[j], now_ms);
}

static bool name_is_leaving(const struct supervisor *sup, const char *name)
{
	for (unsigned i = 0; i < sup->count; i++)
		if (sup->program[i].leaving && strcmp(sup->program[i].spec.name, name) == 0)
			return true;
	return false;
}

static void drop_stopped(struct supervisor *sup)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < sup->count; i++) {
		if (sup->program[i].leaving && sup->program[i].state == SUP_STOPPED)
			continue;
		if (kept != i)
			sup->program[kept] = sup->program[i];
		kept++;
	}
	sup->count = kept;
}

static bool reap(struct supervisor *sup, int64_t now_ms)
{
	bool any = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (unsigned i = 0; i < sup->count; i++)
			if (sup->program[i].pid == pid) {
				sup_program_ended(&sup->program[i], status, now_ms);
				any = true;
			}
	return any;
}

/* While stopping: sends the stop signal to the lowest order that still runs. True when nothing runs
 * any more. */
static bool stop_next(struct supervisor *sup, int64_t now_ms)
{
	unsigned lowest = SUP_ORDER_MAX + 1;

	for (unsigned i = 0; i < sup->count; i++) {
		struct sup_program *p = &sup->program[i];

		if (p->state != SUP_RUNNING)
			p->state = SUP_STOPPED;
		else if (p->spec.order < lowest)
			lowest = p->spec.order;
	}
	for (unsigned i = 0; i < sup->count; i++)
		if (sup->program[i].spec.order == lowest)
			sup_program_stop(&sup->program[i], now_ms);
	return lowest > SUP_ORDER_MAX;
}

/* A second request to stop: nobody gets more time. */
static void hurry(struct supervisor *sup, int64_t now_ms)
{
	for (unsigned i = 0; i < sup->count; i++) {
		sup_program_stop(&sup->program[i], now_ms);
		sup->program[i].kill_at_ms = now_ms;
	}
}

static void on_signal(struct supervisor *sup, uint32_t number, int64_t now_ms)
{
	static struct sup_config config;

	if (number == SIGHUP && !sup->stopping) {
		if (load_config(sup->config_path, &config))
			apply_config(sup, &config, now_ms);
		else
			(void)fprintf(stderr, "the former set-up stays in force\n");
	} else if (number == SIGTERM || number == SIGINT) {
		if (sup->stopping)
			hurry(sup, now_ms);
		sup->stopping = true;
	}
}

/* A full disk may keep a log from being copied: that is said once, and tried again. */
static void bound_log(struct supervisor *sup, const char *name, bool *failed)
{
	if (sup_log_bound(name, sup->log_bytes) != SUP_LOG_NOT_COPIED)
		return;
	*failed = true;
	if (!sup->logs_not_bounded)
		(void)fprintf(stderr, "log/%s.log: too large, and cannot be copied: %s\n", name,
			strerror(errno));
}

static void bound_logs(struct supervisor *sup, int64_t now_ms)
{
	bool failed = false;

	if (now_ms < sup->logs_at_ms)
		return;
	for (unsigned i = 0; i < sup->count; i++)
		bound_log(sup, sup->program[i].spec.name, &failed);
	bound_log(sup, sup->name, &failed);
	sup->logs_not_bounded = failed;
	sup->logs_at_ms = now_ms + LOG_LOOK_MS;
}

static int64_t tick(struct supervisor *sup, int64_t now_ms)
{
	int64_t next = sup->logs_at_ms;

	for (unsigned i = 0; i < sup->count; i++) {
		struct sup_program *p = &sup->program[i];
		int64_t at;

		/* A replacement waits until the one that it replaces has ended. */
		if (p->state == SUP_WAITING && !p->leaving && name_is_leaving(sup, p->spec.name))
			continue;
		at = sup_program_tick(p, now_ms);
		if (at < next)
			next = at;
	}
	return next;
}

static void run(struct supervisor *sup, int signals)
{
	for (;;) {
		struct pollfd poll_signals = { .fd = signals, .events = POLLIN };
		struct signalfd_siginfo info;
		int64_t now = clock_ms();
		int64_t next;

		(void)reap(sup, now);
		drop_stopped(sup);
		if (sup->stopping && stop_next(sup, now))
			break;
		bound_logs(sup, now);
		next = tick(sup, now);
		write_status(sup);
		next = next > now ? next - now : 0;
		(void)poll(&poll_signals, 1, next > 60000 ? 60000 : (int)next);
		while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
			on_signal(sup, info.ssi_signo, clock_ms());
	}
	write_status(sup);
}

/* Makes the folders, and takes the lock that allows one supervisor for one set-up. */
static bool settle_in(struct supervisor *sup)
{
	const char *base = strrchr(sup->config_path, '/');
	int len;
	int fd;

	base = base == NULL ? sup->config_path : base + 1;
	len = (int)strcspn(base, ".");
	if (len > 32)
		len = 32;
	(void)snprintf(sup->name, sizeof(sup->name), "%.*s", len, base);
	(void)snprintf(sup->pid_path, sizeof(sup->pid_path), "run/%s.pid", sup->name);
	(void)snprintf(sup->status_path, sizeof(sup->status_path), "run/%s.status", sup->name);
	(void)mkdir("run", 0755);
	(void)mkdir("log", 0755);
	fd = open(sup->pid_path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0) {
		(void)fprintf(
			stderr, "%s: cannot be written: %s\n", sup->pid_path, strerror(errno));
		return false;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		(void)fprintf(
			stderr, "%s: another supervisor runs this set-up already\n", sup->pid_path);
		return false;
	}
	/* Kept open, for the lock, until the process ends. */
	return ftruncate(fd, 0) == 0 && dprintf(fd, "%d\n", (int)getpid()) > 0;
}

static int usage(FILE *out)
{
	(void)fprintf(out,
		"carillon-supervisor [--dir=FOLDER] [--log-bytes=N] SET-UP: runs the programs that "
		"the file SET-UP lists\n"
		"carillon-supervisor --check SET-UP: only checks the file\n\n"
		"SET-UP has one program per line:\n"
		"  NAME [order=N] [signal=TERM|INT|QUIT] [grace_ms=N] [backoff_ms=N] "
		"[user=UID] [group=GID]... [VARIABLE=value]... : COMMAND [ARGUMENT]...\n"
		"user and group are numbers; only root can start a program as another user.\n"
		"Programs with a lower order (0 to %d, default 50) are stopped first. log/ and "
		"run/ are made in FOLDER (default: the current folder).\n"
		"A log larger than N bytes (default %d) is moved to log/NAME.log.1.\n"
		"SIGTERM stops all programs, SIGHUP reads SET-UP again.\n",
		SUP_ORDER_MAX, SUP_LOG_BYTES_DEFAULT);
	return out == stdout ? EXIT_SUCCESS : 2;
}

/* "--log-bytes=N" */
static bool log_bytes_read(const char *text, int64_t *bytes_r)
{
	char *end;

	errno = 0;
	*bytes_r = strtoll(text, &end, 10);
	if (errno == 0 && end != text && *end == '\0' && *bytes_r >= SUP_LOG_BYTES_MIN)
		return true;
	(void)fprintf(stderr, "--log-bytes: found '%s', expected a number from %d\n", text,
		SUP_LOG_BYTES_MIN);
	return false;
}

int main(int argc, char **argv)
{
	static struct supervisor sup = { .log_bytes = SUP_LOG_BYTES_DEFAULT };
	static struct sup_config config;
	bool check = false;
	sigset_t mask;
	int signals;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0)
			return usage(stdout);
		if (strcmp(argv[i], "--check") == 0) {
			check = true;
		} else if (strncmp(argv[i], "--dir=", 6) == 0) {
			if (chdir(argv[i] + 6) != 0) {
				(void)fprintf(stderr, "%s: %s\n", argv[i] + 6, strerror(errno));
				return 2;
			}
		} else if (strncmp(argv[i], "--log-bytes=", 12) == 0) {
			if (!log_bytes_read(argv[i] + 12, &sup.log_bytes))
				return 2;
		} else if (argv[i][0] == '-' || sup.config_path != NULL) {
			(void)fprintf(stderr, "found '%s', expected one set-up file\n", argv[i]);
			return usage(stderr);
		} else {
			sup.config_path = argv[i];
		}
	}
	if (sup.config_path == NULL)
		return usage(stderr);
	if (!load_config(sup.config_path, &config))
		return EXIT_FAILURE;
	if (check)
		return EXIT_SUCCESS;
	if (!settle_in(&sup))
		return EXIT_FAILURE;
	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGCHLD);
	(void)sigaddset(&mask, SIGTERM);
	(void)sigaddset(&mask, SIGINT);
	(void)sigaddset(&mask, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &mask, NULL);
	signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0) {
		perror("signalfd");
		return EXIT_FAILURE;
	}
	apply_config(&sup, &config, clock_ms());
	run(&sup, signals);
	(void)unlink(sup.pid_path);
	return EXIT_SUCCESS;
}
