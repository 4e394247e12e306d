#include "tools/jackpotctl/verify_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUEUE_BYTES (1u << 18) /* sent when so much waits */
#define LINE_MAX_BYTES 1024
#define PARTS_MAX 6
#define PATH_ROOM 4096
#define NAME_ROOM 64

struct engine {
	const struct engine_subject *subject;
	struct verify_report *report;
	pid_t pid;
	int to, from; /* to: -1 once the engine takes no more */
	uint8_t *queue;
	size_t queued, room;
	char line[LINE_MAX_BYTES];
	size_t line_length;
	uint64_t judged;
	bool ended; /* its last line was read */
};

static _Noreturn void child(
	const char *path, const char *definitions, const int to[2], const int from[2])
{
	if (dup2(to[0], STDIN_FILENO) < 0 || dup2(from[1], STDOUT_FILENO) < 0)
		_exit(127);
	if (definitions != NULL)
		execl(path, path, "--verify", "--definitions", definitions, (char *)NULL);
	else
		execl(path, path, "--verify", (char *)NULL);
	fprintf(stderr, "jackpotctl: %s: %s\n", path, strerror(errno));
	_exit(127);
}

const char *engine_path(const char *given, const char *name)
{
	static char path[PATH_ROOM];
	ssize_t length;
	char *slash;

	if (given != NULL)
		return given;
	length = readlink("/proc/self/exe", path, sizeof(path) - NAME_ROOM);
	path[length < 0 ? 0 : length] = '\0';
	slash = strrchr(path, '/');
	(void)snprintf(slash == NULL ? path : slash + 1, NAME_ROOM, "%s", name);
	return path;
}

struct engine *engine_start(const char *path, const char *definitions,
	const struct engine_subject *subject, struct verify_report *report)
{
	struct engine *engine;
	int to[2], from[2];

	if (access(path, X_OK) != 0 || pipe2(to, O_CLOEXEC) != 0)
		return NULL;
	engine = calloc(1, sizeof(*engine));
	if (engine == NULL || pipe2(from, O_CLOEXEC) != 0) {
		fprintf(stderr, "jackpotctl: %s\n", strerror(errno));
		exit(2);
	}
	(void)signal(SIGPIPE, SIG_IGN);
	engine->report = report;
	engine->subject = subject;
	engine->pid = fork();
	if (engine->pid == 0)
		child(path, definitions, to, from);
	close(to[0]);
	close(from[1]);
	engine->to = to[1];
	engine->from = from[0];
	(void)fcntl(engine->to, F_SETFL, O_NONBLOCK);
	(void)fcntl(engine->from, F_SETFL, O_NONBLOCK);
	return engine;
}

/* ---- verdicts ---- */

static size_t split(char *line, char *parts[PARTS_MAX])
{
	size_t n = 0;

	while (n < PARTS_MAX) {
		parts[n++] = line;
		line = strchr(line, '\t');
		if (line == NULL)
			break;
		*line++ = '\0';
	}
	return n;
}

static void breach_add(struct engine *engine, char *parts[PARTS_MAX])
{
	char where[80], found[LINE_MAX_BYTES], expected[LINE_MAX_BYTES];

	(void)snprintf(where, sizeof(where), "%s %.20s, %s %.20s", engine->subject->whole, parts[1],
		engine->subject->part, parts[2]);
	(void)snprintf(found, sizeof(found), "%.60s %s", parts[3], parts[4]);
	(void)snprintf(expected, sizeof(expected), "%.60s %s", parts[3], parts[5]);
	verify_breach_add(engine->report, engine->subject->point, where, found, expected);
}

static void line_take(struct engine *engine)
{
	char *parts[PARTS_MAX];
	size_t n = split(engine->line, parts);
	struct verify_replay *replay = engine->subject->replay;

	if (strcmp(parts[0], "ok") == 0 && n == 3) {
		engine->judged++;
	} else if (strcmp(parts[0], "differs") == 0 && n == PARTS_MAX) {
		engine->judged++;
		breach_add(engine, parts);
	} else if (strcmp(parts[0], "skipped") == 0) {
		engine->judged++;
		replay->skipped++;
	} else if (strcmp(parts[0], "end") == 0 && n == PARTS_MAX) {
		engine->ended = true;
		replay->moves = strtoull(parts[1], NULL, 10) + strtoull(parts[2], NULL, 10);
		replay->rounds = strtoull(parts[4], NULL, 10);
		replay->scripted = strtoull(parts[5], NULL, 10);
	} else {
		verify_breach_add(engine->report, engine->subject->point, "the verdicts", parts[0],
			"ok, differs, skipped or end");
	}
}

/* False: the end of its output. */
static bool verdicts_read(struct engine *engine)
{
	char bytes[65536];
	ssize_t got = read(engine->from, bytes, sizeof(bytes));

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (got <= 0)
		return false;
	for (ssize_t i = 0; i < got; i++) {
		if (bytes[i] != '\n') {
			if (engine->line_length < LINE_MAX_BYTES - 1)
				engine->line[engine->line_length++] = bytes[i];
			continue;
		}
		engine->line[engine->line_length] = '\0';
		line_take(engine);
		engine->line_length = 0;
	}
	return true;
}

/* ---- moves ---- */

static void no_more(struct engine *engine)
{
	if (engine->to >= 0)
		close(engine->to);
	engine->to = -1;
	engine->queued = 0;
}

/* Until the queue is sent; verdicts are taken meanwhile, or both sides would wait for each other.
 */
static void pump(struct engine *engine)
{
	size_t sent = 0;

	while (engine->to >= 0 && sent < engine->queued) {
		struct pollfd polled[2] = { { .fd = engine->to, .events = POLLOUT },
			{ .fd = engine->from, .events = POLLIN } };

		if (poll(polled, 2, -1) < 0 && errno != EINTR)
			break;
		if (polled[1].revents != 0 && !verdicts_read(engine))
			break;
		if (polled[0].revents == 0)
			continue;
		ssize_t n = write(engine->to, engine->queue + sent, engine->queued - sent);
		if (n > 0)
			sent += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			break;
	}
	if (sent < engine->queued)
		no_more(engine);
	engine->queued = 0;
}

static void queue_room(struct engine *engine, size_t more)
{
	if (engine->room - engine->queued >= more)
		return;
	engine->room = 2 * (engine->queued + more);
	engine->queue = realloc(engine->queue, engine->room);
	if (engine->queue == NULL) {
		fprintf(stderr, "jackpotctl: out of memory\n");
		exit(2);
	}
}

bool engine_send(struct engine *engine, const uint8_t *bytes, size_t length)
{
	const uint8_t head[4] = { (uint8_t)(length >> 24), (uint8_t)(length >> 16),
		(uint8_t)(length >> 8), (uint8_t)length };

	if (engine->to < 0)
		return false;
	queue_room(engine, sizeof(head) + length);
	memcpy(engine->queue + engine->queued, head, sizeof(head));
	memcpy(engine->queue + engine->queued + sizeof(head), bytes, length);
	engine->queued += sizeof(head) + length;
	if (engine->queued >= QUEUE_BYTES)
		pump(engine);
	return engine->to >= 0;
}

uint64_t engine_judged(const struct engine *engine)
{
	return engine->judged;
}

int engine_end(struct engine **engine)
{
	struct engine *e = *engine;
	struct pollfd polled = { .fd = e->from, .events = POLLIN };
	int status = 0;
	bool ended;

	pump(e);
	no_more(e);
	while (poll(&polled, 1, -1) >= 0 || errno == EINTR)
		if (!verdicts_read(e))
			break;
	while (waitpid(e->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	ended = e->ended;
	close(e->from);
	free(e->queue);
	free(e);
	*engine = NULL;
	if (!WIFEXITED(status))
		return -1;
	return ended || WEXITSTATUS(status) > 1 ? WEXITSTATUS(status) : -1;
}
