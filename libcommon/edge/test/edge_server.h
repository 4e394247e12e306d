/* An edge that runs in a thread of its own, for the tests of the edge. A failed call fails the
 * test.
 */
#ifndef CARILLON_EDGE_TEST_EDGE_SERVER_H
#define CARILLON_EDGE_TEST_EDGE_SERVER_H

#include "libcommon/edge/edge.h"

#include <pthread.h>
#include <stdint.h>

/* Of "127.0.0.1:8080". */
uint16_t edge_server_port(const char *address);
pthread_t edge_server_run(struct edge *edge);
/* SIGTERM, as a process gets it; back when the loop has ended. The caller frees the edge. */
void edge_server_end(pthread_t thread);

#endif
