/*~ broadcast-bench ROLE: a winner's event to ten thousand clients.
 *
 *     server   the edge, the clients and the core of notifications; winners come by POST /publish
 *              instead of from Kafka (server.c)
 *     plain    an epoll loop that sends one buffer to every client: what the kernel alone costs
 *              (plain.c)
 *     swarm PORT PATH PUBLISH_PATH CLIENTS SILENT ROUNDS ours|bare
 *              the clients, in one epoll loop (swarm.c)
 *
 * tests/bench/broadcast.py runs them, and nginx with nchan beside them. */
#include "tests/bench/broadcast-bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2

_Noreturn void bench_die(const char *what)
{
	perror(what);
	exit(1);
}

void bench_port_print(unsigned port)
{
	printf("{\"port\":%u}\n", port);
	(void)fflush(stdout);
}

static size_t number_of(const char *what, const char *text, size_t most)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);
	if (end == text || *end != '\0' || value > most) {
		fprintf(stderr, "broadcast-bench: %s: found '%s', expected a whole number to %zu\n",
			what, text, most);
		exit(EXIT_USAGE);
	}
	return (size_t)value;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "server") == 0)
		return bench_server();
	if (argc == 2 && strcmp(argv[1], "plain") == 0)
		return bench_plain();
	if (argc == 9 && strcmp(argv[1], "swarm") == 0) {
		const struct bench_swarm_config config = {
			.port = (uint16_t)number_of("port", argv[2], 65535),
			.path = argv[3],
			.publish_path = argv[4],
			.clients = number_of("clients", argv[5], 100000),
			.silent = number_of("silent clients", argv[6], 100000),
			.rounds = number_of("rounds", argv[7], 10000),
			.ours = strcmp(argv[8], "ours") == 0,
		};
		return bench_swarm(&config);
	}
	fprintf(stderr, "broadcast-bench: expected server, plain, or swarm PORT PATH PUBLISH_PATH "
			"CLIENTS SILENT ROUNDS ours|bare\n");
	return EXIT_USAGE;
}
