/* nanomsg between two instances in one process, sealed; a Redis that is down, an outbox of every
 * size. */
#include "libcommon/io/clock.h"
#include "libcommon/io/nn_bus.h"
#include "libcommon/io/redis_link.h"
#include "libcommon/service/loop.h"

#include <nanomsg/nn.h>
#include <nanomsg/pipeline.h>

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char url_a[64], url_b[64], keys[64];

/* One key a direction, of this number. */
static void keys_put(const char *service, int number)
{
	char path[128];
	(void)snprintf(path, sizeof(path), "%s/%s/bus.keys", keys, service);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	FILE *file = fdopen(fd, "w");
	assert_non_null(file);
	(void)fprintf(
		file, "a b %d %064d 0\nb a %d %064d 0\n", number, number, number, 1000 + number);
	assert_int_equal(fclose(file), 0);
}

/* Services a and b, each with a folder of keys. */
static void keys_write(const char *service)
{
	char path[128];
	(void)snprintf(path, sizeof(path), "%s/%s", keys, service);
	assert_int_equal(mkdir(path, 0700), 0);
	keys_put(service, 1);
}

static const char *permit_all(const struct nn_bus_instance *from, const char *to,
	const uint8_t *message, size_t n, int64_t age_us)
{
	assert_string_equal(from->service, to[0] == 'a' ? "b" : "a");
	assert_true(age_us > -5000000 && age_us < 5000000);
	return n == 9 && memcmp(message, "forbidden", 9) == 0 ? "what is forbidden" : NULL;
}

static struct nn_bus *bus_a(void)
{
	return nn_bus_new(url_a, "a", keys, permit_all);
}

static struct nn_bus *bus_b(void)
{
	return nn_bus_new(url_b, "b", keys, permit_all);
}

/* Each is named to the other, as the directory does. */
static void introduce(struct nn_bus *a, struct nn_bus *b)
{
	nn_bus_list(a, &(struct nn_bus_instance){ "b", url_b, nn_bus_boot(b) });
	nn_bus_list(b, &(struct nn_bus_instance){ "a", url_a, nn_bus_boot(a) });
}

static int urls_make(void **state)
{
	(void)state;
	(void)snprintf(keys, sizeof(keys), "/tmp/carillon-nn-keys-XXXXXX");
	assert_non_null(mkdtemp(keys));
	keys_write("a");
	keys_write("b");
	(void)snprintf(url_a, sizeof(url_a), "ipc:///tmp/carillon-nn-%d-a", (int)getpid());
	(void)snprintf(url_b, sizeof(url_b), "ipc:///tmp/carillon-nn-%d-b", (int)getpid());
	return 0;
}

static int urls_remove(void **state)
{
	static const char *const LEFT[] = { "a/bus.keys", "b/bus.keys" };
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char path[128];
		(void)snprintf(path, sizeof(path), "%s/%s", keys, LEFT[i]);
		(void)unlink(path);
		*strrchr(path, '/') = '\0';
		(void)rmdir(path);
	}
	(void)rmdir(keys);
	(void)unlink(url_a + strlen("ipc://"));
	(void)unlink(url_b + strlen("ipc://"));
	return 0;
}

/* The next message within a second, or NULL. */
static char *receive(struct nn_bus *bus, size_t *length_r)
{
	uint64_t until = clock_mono_us() + 1000000u;
	char *message;
	while ((message = nn_bus_receive(bus, length_r)) == NULL && clock_mono_us() < until)
		(void)usleep(1000);
	return message;
}

static bool send_within_a_second(struct nn_bus *bus, const char *url, const char *text)
{
	uint64_t until = clock_mono_us() + 1000000u;
	bool sent;
	while (!(sent = nn_bus_send(bus, url, text, strlen(text))) && clock_mono_us() < until)
		(void)usleep(1000);
	return sent;
}

static void test_bus_delivers_in_order_and_over_a_restart(void **state)
{
	struct nn_bus *a = bus_a();
	struct nn_bus *b = bus_b();
	size_t length;
	(void)state;
	introduce(a, b);
	assert_true(send_within_a_second(a, url_b, "one"));
	assert_true(send_within_a_second(a, url_b, "two"));
	for (int i = 0; i < 2; i++) {
		char *message = receive(b, &length);
		assert_non_null(message);
		assert_int_equal(length, 3);
		assert_memory_equal(message, i == 0 ? "one" : "two", 3);
		nn_bus_message_free(message);
	}
	assert_null(nn_bus_receive(b, &length));
	nn_bus_free(&b);
	assert_null(b);
	b = bus_b();
	introduce(a, b);
	/* Naming the new start connects anew. Messages sent meanwhile may be lost, so send until
	 * one arrives. */
	char *message = NULL;
	for (int i = 0; i < 50 && message == NULL; i++) {
		(void)nn_bus_send(a, url_b, "again", 5);
		(void)usleep(20000);
		message = nn_bus_receive(b, &length);
	}
	assert_non_null(message);
	assert_memory_equal(message, "again", 5);
	nn_bus_message_free(message);
	nn_bus_free(&a);
	nn_bus_free(&b);
}

static void test_bus_gathers_messages_until_flushed(void **state)
{
	static const size_t LENGTHS[] = { 0, 1, 3, 500, 70000, 40000, 2 };
	static char text[70000];
	struct nn_bus *a = bus_a();
	struct nn_bus *b = bus_b();
	size_t length;
	(void)state;
	introduce(a, b);
	memset(text, 'x', sizeof(text));
	assert_true(send_within_a_second(a, url_b, "hello"));
	nn_bus_message_free(receive(b, &length));
	nn_bus_gather(a, url_b, text, 9);
	nn_bus_gather(a, url_b, "", 0);
	(void)usleep(20000);
	assert_null(nn_bus_receive(b, &length)); /* not before the flush */
	nn_bus_flush(a);
	nn_bus_message_free(receive(b, &length));
	assert_int_equal(length, 9);
	nn_bus_message_free(receive(b, &length));
	assert_int_equal(length, 0);
	/* Large parcels leave by themselves; the order stays, also with a message that is sent
	 * alone. */
	for (size_t i = 0; i < sizeof(LENGTHS) / sizeof(LENGTHS[0]); i++)
		nn_bus_gather(a, url_b, text, LENGTHS[i]);
	assert_true(nn_bus_send(a, url_b, text, 77));
	for (size_t i = 0; i <= sizeof(LENGTHS) / sizeof(LENGTHS[0]); i++) {
		char *message = receive(b, &length);
		assert_non_null(message);
		assert_int_equal(
			length, i < sizeof(LENGTHS) / sizeof(LENGTHS[0]) ? LENGTHS[i] : 77);
		assert_memory_equal(message, text, length);
		nn_bus_message_free(message);
	}
	nn_bus_free(&a);
	nn_bus_free(&b);
}

/* Malformed parcels are dropped, and later ones are read. */
static void test_bus_ignores_non_parcels(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
	} BAD[] = { { "", 0 }, { "x", 1 }, { "\1\0\0", 3 }, { "\2\0\0\0x", 5 },
		{ "\xff\xff\xff\xff....", 8 } };
	struct nn_bus *a = bus_a();
	struct nn_bus *b = bus_b();
	int socket = nn_socket(AF_SP, NN_PUSH);
	size_t length;
	(void)state;
	introduce(a, b);
	assert_true(socket >= 0 && nn_connect(socket, url_b) >= 0);
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++)
		assert_int_equal(nn_send(socket, BAD[i].bytes, BAD[i].length, 0), BAD[i].length);
	(void)usleep(20000);
	assert_null(nn_bus_receive(b, &length));
	assert_true(send_within_a_second(a, url_b, "good"));
	char *message = receive(b, &length);
	assert_non_null(message);
	assert_memory_equal(message, "good", 4);
	nn_bus_message_free(message);
	(void)nn_close(socket);
	nn_bus_free(&a);
	nn_bus_free(&b);
}

/* A bus that was not named gets and gives nothing; one that may not say something is heard in all
 * else. */
static void test_bus_takes_what_is_permitted_from_who_is_listed(void **state)
{
	struct nn_bus *a = bus_a();
	struct nn_bus *b = bus_b();
	size_t length;
	(void)state;
	assert_false(nn_bus_send(a, url_b, "early", 5));
	nn_bus_list(a, &(struct nn_bus_instance){ "b", url_b, nn_bus_boot(b) });
	assert_true(send_within_a_second(a, url_b, "stranger"));
	(void)usleep(50000);
	assert_false(nn_bus_stranger(b));
	assert_null(nn_bus_receive(b, &length));
	assert_true(nn_bus_stranger(b));
	assert_false(nn_bus_stranger(b));
	introduce(a, b);
	nn_bus_gather(a, url_b, "one", 3);
	nn_bus_gather(a, url_b, "forbidden", 9);
	nn_bus_gather(a, url_b, "two", 3);
	nn_bus_flush(a);
	for (int i = 0; i < 2; i++) {
		char *message = receive(b, &length);
		assert_non_null(message);
		assert_memory_equal(message, i == 0 ? "one" : "two", 3);
		nn_bus_message_free(message);
	}
	assert_null(nn_bus_receive(b, &length));
	nn_bus_free(&a);
	nn_bus_free(&b);
}

static bool waits(const struct nn_bus *bus)
{
	struct pollfd poll_fd = { .fd = nn_bus_fd(bus), .events = POLLIN };
	return poll(&poll_fd, 1, 0) == 1;
}

/* What is refused is bounded a turn, in a parcel and in parcels; then others are heard. */
static void test_bus_hears_others_behind_what_is_refused(void **state)
{
	struct nn_bus *a = bus_a();
	struct nn_bus *b = bus_b();
	int socket = nn_socket(AF_SP, NN_PUSH);
	size_t length;
	unsigned turns = 0;
	char *message;
	(void)state;
	introduce(a, b);
	assert_true(send_within_a_second(a, url_b, "hello"));
	nn_bus_message_free(receive(b, &length));
	for (int i = 0; i < 2000; i++)
		nn_bus_gather(a, url_b, "forbidden", 9);
	nn_bus_gather(a, url_b, "lost", 4);
	nn_bus_flush(a);
	assert_true(nn_bus_send(a, url_b, "two", 3));
	(void)usleep(50000);
	assert_null(nn_bus_receive(b, &length)); /* the turn goes on */
	message = receive(b, &length);
	assert_non_null(message);
	assert_int_equal(length, 3);
	nn_bus_message_free(message);
	assert_true(socket >= 0 && nn_connect(socket, url_b) >= 0);
	for (int i = 0; i < 200; i++)
		assert_int_equal(nn_send(socket, "junk", 4, 0), 4);
	uint64_t until_us = clock_mono_us() + 2000000u;
	(void)usleep(100000);
	while (turns < 4 && clock_mono_us() < until_us)
		if (waits(b)) {
			assert_null(nn_bus_receive(b, &length));
			turns++;
		}
	assert_int_equal(turns, 4);
	(void)nn_close(socket);
	nn_bus_free(&a);
	nn_bus_free(&b);
}

/* A sender may have read a new key before us. */
static void test_bus_reads_a_missing_key_at_once(void **state)
{
	struct nn_bus *b = bus_b();
	size_t length;
	(void)state;
	(void)usleep(20000); /* the file's time of change differs */
	keys_put("b", 2);
	keys_put("a", 2);
	struct nn_bus *a = bus_a();
	introduce(a, b);
	assert_true(send_within_a_second(a, url_b, "new"));
	char *message = receive(b, &length);
	assert_non_null(message);
	assert_memory_equal(message, "new", 3);
	nn_bus_message_free(message);
	nn_bus_free(&a);
	nn_bus_free(&b);
}

static void test_bus_never_waits_for_unknown_peers(void **state)
{
	static const char *const BAD[] = { "http://nowhere", "tcp://", "nothing",
		"ipc:///tmp/carillon-nn-nobody" };
	struct nn_bus *a = bus_a();
	uint64_t start_us = clock_mono_us();
	char huge[600];
	(void)state;
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++)
		assert_false(nn_bus_send(a, BAD[i], "x", 1));
	memset(huge, 'x', sizeof(huge));
	memcpy(huge, "ipc://", 6);
	huge[sizeof(huge) - 1] = '\0';
	assert_false(nn_bus_send(a, huge, "x", 1));
	assert_true(nn_bus_send(a, "", "x", 1)); /* no reply wanted: no error */
	/* More peers than the bus has sockets for. */
	for (int i = 0; i < 300; i++) {
		char url[64];
		(void)snprintf(url, sizeof(url), "ipc:///tmp/carillon-nn-nobody-%d", i);
		(void)nn_bus_send(a, url, "x", 1);
	}
	assert_true(clock_mono_us() - start_us < 5000000u);
	nn_bus_free(&a);
}

static void test_redis_outage_is_harmless(void **state)
{
	/* No server listens on port 1. */
	struct redis_link *link = redis_link_new("127.0.0.1:1", 100);
	(void)state;
	assert_false(redis_link_up(link));
	assert_false(redis_link_command(link, "SET %s %d", "key", 1));
	assert_false(redis_link_flush(link, NULL, NULL));
	redis_link_free(&link);
	assert_null(link);
}

static void test_outbox_of_many_sizes_reaches_the_bus_in_order(void **state)
{
	static struct service service;
	struct nn_bus *to = bus_b();
	static char bytes[4096];
	(void)state;
	memset(bytes, 'y', sizeof(bytes));
	service.bus = bus_a();
	introduce(service.bus, to);
	(void)usleep(200000);
	for (size_t i = 0; i < 300; i++)
		service_bus_send(&service, url_b, bytes, 1 + (i * 37) % sizeof(bytes));
	service_bus_send(&service, "", "x", 1);
	service_bus_send(&service, NULL, "x", 1);
	size_t length;
	(void)usleep(20000);
	assert_null(nn_bus_receive(to, &length)); /* nothing leaves before the commit */
	service_outbox_leave(&service);
	assert_int_equal(service.outbox.length, 0);
	for (size_t i = 0; i < 300; i++) {
		char *message = receive(to, &length);
		assert_non_null(message);
		assert_int_equal(length, 1 + (i * 37) % sizeof(bytes));
		nn_bus_message_free(message);
	}
	free(service.outbox.bytes);
	nn_bus_free(&service.bus);
	nn_bus_free(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_bus_delivers_in_order_and_over_a_restart, urls_make, urls_remove),
		cmocka_unit_test_setup_teardown(
			test_bus_gathers_messages_until_flushed, urls_make, urls_remove),
		cmocka_unit_test_setup_teardown(
			test_bus_ignores_non_parcels, urls_make, urls_remove),
		cmocka_unit_test_setup_teardown(
			test_bus_never_waits_for_unknown_peers, urls_make, urls_remove),
		cmocka_unit_test_setup_teardown(test_bus_takes_what_is_permitted_from_who_is_listed,
			urls_make, urls_remove),
		cmocka_unit_test_setup_teardown(
			test_bus_hears_others_behind_what_is_refused, urls_make, urls_remove),
		cmocka_unit_test_setup_teardown(
			test_bus_reads_a_missing_key_at_once, urls_make, urls_remove),
		cmocka_unit_test(test_redis_outage_is_harmless),
		cmocka_unit_test_setup_teardown(
			test_outbox_of_many_sizes_reaches_the_bus_in_order, urls_make, urls_remove),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
