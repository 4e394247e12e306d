#include "libcommon/io/kafka_wire.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LATE_BYTES = 10000 };

/* Announces an answer, and sends of it a byte at a time until the other side has gone. */
static void *drip(void *context)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	const uint8_t head[4] = { 0, 0, LATE_BYTES >> 8, LATE_BYTES & 255 };
	int fd = *(int *)context;
	(void)send(fd, head, sizeof(head), MSG_NOSIGNAL);
	for (size_t i = 0; i < LATE_BYTES && send(fd, "x", 1, MSG_NOSIGNAL) == 1; i++)
		(void)nanosleep(&pause, NULL);
	return NULL;
}

static void test_kafka_wire_waits_for_a_whole_answer_and_no_longer(void **state)
{
	static struct kafka_wire wire;
	pthread_t thread;
	char why[100] = "";
	int ends[2];
	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(pthread_create(&thread, NULL, drip, &ends[1]), 0);
	kafka_wire_begin(&wire, 18, 0, false);
	assert_false(kafka_wire_ask(ends[0], &wire, false, why, sizeof(why)));
	assert_string_equal(why, "the connection ended without an answer");
	(void)close(ends[0]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	(void)close(ends[1]);
}

static void test_kafka_wire_takes_an_answer_in_pieces(void **state)
{
	static struct kafka_wire wire;
	char why[100] = "";
	int ends[2];
	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(send(ends[1], "\0\0\0", 3, 0), 3);
	assert_int_equal(send(ends[1], "\6\0\0\0\1\0", 6, 0), 6);
	assert_int_equal(send(ends[1], "\7", 1, 0), 1);
	kafka_wire_begin(&wire, 18, 0, false);
	assert_true(kafka_wire_ask(ends[0], &wire, false, why, sizeof(why)));
	assert_int_equal(kafka_wire_take(&wire, 2), 7);
	assert_false(wire.bad);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kafka_wire_waits_for_a_whole_answer_and_no_longer),
		cmocka_unit_test(test_kafka_wire_takes_an_answer_in_pieces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
