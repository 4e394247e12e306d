/* broadcast-bench: ten thousand clients of a WebSocket, and what they are sent from. Read main.c
 * first. */
#ifndef CARILLON_BENCH_BROADCAST_BENCH_BENCH_H
#define CARILLON_BENCH_BROADCAST_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_EVENT_BYTES 200

struct bench_swarm_config {
	uint16_t port;
	const char *path;	  /* of the WebSocket */
	const char *publish_path; /* POST there causes an event; on the same port */
	size_t clients;
	size_t silent; /* of them, who never read after the first frame */
	size_t rounds;
	bool ours; /* the server is notifications: subscribe, check every winner's number, and come
		      back at the position of the last one */
};

/* The servers run until SIGTERM or the end of whoever started them, and print {"port":N}; the swarm
 * prints a line of JSON a step and waits for a line before the next one. */
int bench_server(void);
int bench_plain(void);
int bench_swarm(const struct bench_swarm_config *config);
/* Ends the process with a message. */
_Noreturn void bench_die(const char *what);
/* Prints {"port":N} of a listening socket. */
void bench_port_print(unsigned port);

#endif
