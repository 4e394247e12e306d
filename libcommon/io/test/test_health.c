/* The health thread beside a loop that ticks, changes its readiness and counts, while several
 * clients scrape: every answer is whole, and TSan sees no race. */
#include "libcommon/io/health.h"

#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SCRAPERS 3
#define WRITERS 2
#define SCRAPES 40
#define UPDATES 20000u
#define ANSWER_MAX 262144

struct scraper {
	pthread_t thread;
	const char *address;
	unsigned wrong; /* unexpected answers; asserts belong to the main thread */
};

struct writer {
	pthread_t thread;
	unsigned number;
};

static atomic_bool done;

/* Sends one request and reads the whole answer, NUL after it. False: no connection. */
static bool get(const char *address, const char *path, char *out, size_t room)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct timeval wait = { .tv_sec = 10 };
	char request[128];
	size_t length = 0;
	ssize_t more;
	to.sin_port = htons((uint16_t)atoi(strrchr(address, ':') + 1));
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	int n = snprintf(request, sizeof(request),
		"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path);
	bool sent = connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
		    write(fd, request, (size_t)n) == n;
	while (sent && length < room - 1 && (more = read(fd, out + length, room - 1 - length)) > 0)
		length += (size_t)more;
	out[length] = '\0';
	(void)close(fd);
	return sent;
}

/* The value of a series, 0 if there is none. */
static uint64_t series(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	return at == NULL ? 0 : strtoull(at + strlen(name), NULL, 10);
}

static void *scrape(void *context)
{
	struct scraper *scraper = context;
	char *answer = malloc(ANSWER_MAX);
	uint64_t before = 0;
	for (int i = 0; i < SCRAPES && answer != NULL; i++) {
		bool good = get(scraper->address, "/metrics", answer, ANSWER_MAX);
		uint64_t now = series(answer, "\nthreads_total ");
		/* A counter never decreases from one scrape to the next. */
		good = good && strstr(answer, " 200 ") != NULL && now >= before &&
		       answer[strlen(answer) - 1] == '\n';
		before = now;
		good = good && get(scraper->address, "/readyz", answer, ANSWER_MAX) &&
		       (strstr(answer, "\r\n\r\nok\n") != NULL ||
			       strstr(answer, "\r\n\r\nwaiting for shard ") != NULL ||
			       strstr(answer, "\r\n\r\nstarting\n") != NULL);
		good = good && get(scraper->address, "/healthz", answer, ANSWER_MAX) &&
		       strstr(answer, "\r\n\r\nok\n") != NULL;
		scraper->wrong += good ? 0 : 1;
	}
	free(answer);
	return NULL;
}

/* New series appear while others are read: the first use of a label comes late. */
static void *update(void *context)
{
	const struct writer *writer = context;
	struct metric *total = metric_counter("threads_total", NULL, "Updates.");
	struct metric *gauge = metric_gauge("threads_level", NULL, "The last writer.");
	struct metric *times = metric_histogram_us("threads_us", NULL, "Times.");
	char labels[64];
	for (unsigned i = 0; i < UPDATES; i++) {
		metric_add(total, 1);
		metric_set(gauge, (int64_t)writer->number);
		metric_observe_us(times, i);
		if (i % 500 != 0)
			continue;
		(void)snprintf(labels, sizeof(labels), "i=\"%u\"", i);
		metric_add(metric_counter("threads_labelled_total", labels, "By label."), 1);
	}
	return NULL;
}

/* Acts as the service's loop. */
static void *loop(void *context)
{
	const struct timespec pause = { .tv_nsec = 200000 };
	char why[64];
	for (unsigned i = 0; !atomic_load(&done); i++) {
		health_tick(context);
		(void)snprintf(why, sizeof(why), "waiting for shard %u", i);
		health_ready(context, i % 3 == 0, i % 3 == 1 ? why : "waiting for shard 0");
		(void)nanosleep(&pause, NULL);
	}
	return NULL;
}

static void test_health_is_served_while_everything_changes(void **state)
{
	struct scraper scrapers[SCRAPERS];
	struct writer writers[WRITERS];
	pthread_t looping;
	char *answer = malloc(ANSWER_MAX);
	(void)state;
	assert_non_null(answer);
	log_open("test", "test-1", LOG_ERROR);
	struct health *health = health_start("127.0.0.1:0");
	assert_int_equal(pthread_create(&looping, NULL, loop, health), 0);
	for (unsigned i = 0; i < WRITERS; i++) {
		writers[i].number = i;
		assert_int_equal(pthread_create(&writers[i].thread, NULL, update, &writers[i]), 0);
	}
	for (unsigned i = 0; i < SCRAPERS; i++) {
		scrapers[i] = (struct scraper){ .address = health_address(health) };
		assert_int_equal(
			pthread_create(&scrapers[i].thread, NULL, scrape, &scrapers[i]), 0);
	}
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
	for (unsigned i = 0; i < SCRAPERS; i++) {
		assert_int_equal(pthread_join(scrapers[i].thread, NULL), 0);
		assert_int_equal(scrapers[i].wrong, 0);
	}
	atomic_store(&done, true);
	assert_int_equal(pthread_join(looping, NULL), 0);

	/* No update was lost. */
	assert_true(get(health_address(health), "/metrics", answer, ANSWER_MAX));
	assert_int_equal(series(answer, "\nthreads_total "), WRITERS * UPDATES);
	assert_int_equal(series(answer, "\nthreads_us_count "), WRITERS * UPDATES);
	assert_int_equal(series(answer, "\nthreads_labelled_total{i=\"19500\"} "), WRITERS);
	free(answer);
	health_stop(&health);
	assert_null(health);
}

static void test_health_stops_with_clients_connected(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		struct health *health = health_start("127.0.0.1:0");
		struct sockaddr_in to = { .sin_family = AF_INET };
		to.sin_port = htons((uint16_t)atoi(strrchr(health_address(health), ':') + 1));
		to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
		assert_int_equal(
			write(fd, "GET /met", 8), 8); /* and never the rest of the request */
		health_stop(&health);
		assert_null(health);
		(void)close(fd);
	}
}

/* Who only reads the metrics sees the same. */
static void test_metrics_tell_health(void **state)
{
	char *answer = malloc(ANSWER_MAX);
	struct health *health = health_start("127.0.0.1:0");
	(void)state;
	assert_non_null(answer);
	assert_true(get(health_address(health), "/metrics", answer, ANSWER_MAX));
	assert_non_null(strstr(answer, "\ncarillon_healthy 1\n"));
	assert_non_null(strstr(answer, "\ncarillon_ready 0\n"));
	health_ready(health, true, NULL);
	assert_true(get(health_address(health), "/metrics", answer, ANSWER_MAX));
	assert_non_null(strstr(answer, "\ncarillon_ready 1\n"));
	health_fail(health, "test");
	assert_true(get(health_address(health), "/metrics", answer, ANSWER_MAX));
	assert_non_null(strstr(answer, "\ncarillon_healthy 0\n"));
	free(answer);
	health_stop(&health);
}

/* A failure stays, however often the loop turns. */
static void test_health_reports_failure(void **state)
{
	char answer[ANSWER_MAX / 64];
	struct health *health = health_start("127.0.0.1:0");
	(void)state;
	health_tick(health);
	assert_true(get(health_address(health), "/healthz", answer, sizeof(answer)));
	assert_non_null(strstr(answer, " 200 "));
	health_fail(health, "random numbers: salts: repeated");
	health_tick(health);
	(void)get(health_address(health), "/healthz", answer, sizeof(answer));
	assert_non_null(strstr(answer, " 503 "));
	assert_non_null(strstr(answer, "random numbers: salts: repeated"));
	health_stop(&health);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_health_is_served_while_everything_changes),
		cmocka_unit_test(test_metrics_tell_health),
		cmocka_unit_test(test_health_reports_failure),
		cmocka_unit_test(test_health_stops_with_clients_connected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
