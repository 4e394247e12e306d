/* bus-try: says on the bus whatever a service's keys let it seal, as somebody does who holds them.
 * Unlike a service it asks no permit table first. Each line of stdin is the address of an instance,
 * a message (proto/bus.proto) in hex digits and, if more than once, how often it is sent; each
 * message travels in a parcel of its own. The first line of stdout is our own address, which
 * refusals name; then comes "sent" for each line. It stays in carillon.instance until stdin ends.
 */
#include "libcommon/io/instance.h"
#include "libcommon/io/nn_bus.h"
#include "libcommon/io/owners.h"
#include "libcommon/io/pg.h"
#include "libcommon/service/permit.h"

#include <sodium.h>

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define PG_MS 10000
#define BEAT_MS 500
#define LINE_MAX_BYTES 1048576u
#define TIMES_MAX 10000
#define LISTED_AGAIN 50 /* messages */
#define ROOM (4 * LINE_MAX_BYTES)
#define AGAIN_NS 5000000 /* a connection opens, or a queue is full */
#define KEYS "keys"

static const char usage[] =
	"usage: bus-try SERVICE <LINES   with the keys of SERVICE (keys/SERVICE/ of this folder) and the Postgres of CARILLON_PG_DSN\n"
	"Each line of stdin: ADDRESS HEX [TIMES], such as ipc://nn/wallet/wallet-1 22060803. To be run in the data folder.\n";

static struct {
	const char *service;
	char url[64];
	PGconn *pg;
	struct owners *owners;
	struct nn_bus *bus;
} self;

static void list(void *bus, const struct nn_bus_instance *instance)
{
	nn_bus_list(bus, instance);
}

/* Our row, and the rows of all others. */
static void beat(void)
{
	const char *parameters[] = { self.url };
	instance_put(self.pg, self.url, self.service, self.url, nn_bus_boot(self.bus));
	PGresult *rows = pg_query(self.pg, OWNERS_SQL, 1, parameters);
	owners_take(self.owners, rows, list, self.bus);
	PQclear(rows);
}

/* What others answer is not read: only that nothing waits for us. */
static void drop_answers(void)
{
	size_t length;
	void *message;
	while ((message = nn_bus_receive(self.bus, &length)) != NULL)
		nn_bus_message_free(message);
}

static int wrong(const char *found)
{
	(void)fprintf(stderr,
		"bus-try: stdin: found '%.80s', expected an address, hex digits and how often\n%s",
		found, usage);
	return EXIT_USAGE;
}

/* Behind the hex digits; 0: something else. */
static long times_of(const char *text)
{
	char *end;
	long times = *text == '\0' ? 1 : strtol(text, &end, 10);

	if (*text != '\0' && (*text != ' ' || *end != '\0'))
		return 0;
	return times > TIMES_MAX ? 0 : times;
}

static void send_once(const char *address, const uint8_t *bytes, size_t length)
{
	const struct timespec again = { .tv_nsec = AGAIN_NS };

	for (int tries = 1; !nn_bus_send(self.bus, address, bytes, length); tries++) {
		(void)nanosleep(&again, NULL);
		if (tries % 20 == 0)
			beat(); /* one that has started again has another boot */
	}
}

static int send_line(char *line)
{
	static uint8_t bytes[LINE_MAX_BYTES / 2];
	size_t length = 0;
	char *space = strchr(line, ' ');
	const char *end = NULL;

	if (space == NULL ||
		sodium_hex2bin(bytes, sizeof(bytes), space + 1, strlen(space + 1), NULL, &length,
			&end) != 0 ||
		times_of(end) <= 0)
		return wrong(line);
	*space = '\0';
	for (long times = times_of(end); times > 0; times--) {
		send_once(line, bytes, length);
		if (times % LISTED_AGAIN == 0)
			beat(); /* or the receivers would forget us meanwhile */
	}
	printf("sent\n");
	return 0;
}

/* Whole lines are sent; what is left of the last one moves to the front. */
static int send_lines(char *text, size_t *n)
{
	char *at = text, *end;
	int status = 0;
	while (status == 0 && (end = memchr(at, '\n', *n - (size_t)(at - text))) != NULL) {
		*end = '\0';
		status = send_line(at);
		at = end + 1;
	}
	*n -= (size_t)(at - text);
	memmove(text, at, *n);
	(void)fflush(stdout);
	return status == 0 && *n >= LINE_MAX_BYTES ? wrong("a longer line") : status;
}

static int serve(void)
{
	static char text[ROOM];
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	size_t n = 0;
	int status = 0;

	while (status == 0) {
		beat();
		drop_answers();
		if (poll(&in, 1, BEAT_MS) <= 0)
			continue;
		ssize_t more = read(STDIN_FILENO, text + n, LINE_MAX_BYTES);
		if (more <= 0)
			break;
		n += (size_t)more;
		status = send_lines(text, &n);
	}
	return status;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		(void)fputs(usage, stdout);
		return 0;
	}
	if (argc != 2 || getenv("CARILLON_PG_DSN") == NULL) {
		(void)fprintf(stderr, "bus-try: found %s, expected SERVICE and CARILLON_PG_DSN\n%s",
			argc != 2 ? "other arguments" : "no address of Postgres", usage);
		return EXIT_USAGE;
	}
	self.service = argv[1];
	(void)snprintf(self.url, sizeof(self.url), "ipc://nn/try-%d", (int)getpid());
	self.pg = pg_connect(getenv("CARILLON_PG_DSN"), "bus-try", PG_MS);
	self.owners = owners_new();
	self.bus = nn_bus_new(self.url, self.service, KEYS, permit_refusal);
	printf("%s\n", self.url);
	(void)fflush(stdout);
	int status = serve();
	nn_bus_free(&self.bus);
	owners_free(&self.owners);
	instance_take_out(self.pg, self.url);
	PQfinish(self.pg);
	(void)unlink(self.url + strlen("ipc://"));
	return status;
}
