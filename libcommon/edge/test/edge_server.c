#include "libcommon/edge/test/edge_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *run(void *context)
{
	(void)edge_run(context);
	return NULL;
}

uint16_t edge_server_port(const char *address)
{
	return (uint16_t)atoi(strrchr(address, ':') + 1);
}

pthread_t edge_server_run(struct edge *edge)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, run, edge), 0);
	return thread;
}

void edge_server_end(pthread_t thread)
{
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}
