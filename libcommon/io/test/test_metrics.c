/* Metrics in the text format of Prometheus, and the health thread that serves them. */
#include "libcommon/io/metrics.h"

#include "libcommon/io/health.h"
#include "libcommon/io/metrics_sweep.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char *text(void)
{
	size_t length;
	char *out = metrics_text(&length);
	assert_int_equal(length, strlen(out));
	return out;
}

static void assert_has(const char *part)
{
	char *all = text();
	if (strstr(all, part) == NULL)
		fail_msg("expected\n%s\nin\n%s", part, all);
	free(all);
}

static void test_counter_and_gauge(void **state)
{
	(void)state;
	struct metric *counter = metric_counter("a_total", NULL, "Things \\ so far.\nReally.");
	struct metric *gauge = metric_gauge("b", NULL, "A level.");
	metric_add(counter, 2);
	metric_add(counter, 3);
	metric_set(gauge, -7);
	assert_has("# HELP a_total Things \\\\ so far.\\nReally.\n# TYPE a_total counter\na_total "
		   "5\n");
	assert_has("# TYPE b gauge\nb -7\n");
}

static void assert_lacks(const char *part)
{
	char *all = text();
	if (strstr(all, part) != NULL)
		fail_msg("found\n%s\nin\n%s", part, all);
	free(all);
}

/* A row that is gone, and one that comes back. */
static void test_swept_series_are_not_told(void **state)
{
	(void)state;
	metric_set(metric_gauge("swept", "pool=\"a\"", "Rows."), 1);
	metric_set(metric_gauge("swept", "pool=\"b\"", "Rows."), 2);
	metrics_sweep_begin("swept");
	assert_has("swept{pool=\"a\"} 1\nswept{pool=\"b\"} 2\n"); /* until the end */
	metric_set(metric_gauge("swept", "pool=\"b\"", "Rows."), 3);
	metrics_sweep_end("swept");
	assert_has("# TYPE swept gauge\nswept{pool=\"b\"} 3\n");
	assert_lacks("swept{pool=\"a\"}");
	metrics_sweep_begin("swept");
	metrics_sweep_end("swept");
	assert_lacks("swept");
	metric_set(metric_gauge("swept", "pool=\"a\"", "Rows."), 4);
	assert_has("# TYPE swept gauge\nswept{pool=\"a\"} 4\n");
}

static void test_series_of_one_name_stand_together(void **state)
{
	(void)state;
	struct metric *first = metric_counter("c_total", "kind=\"bet\"", "Moves.");
	(void)metric_counter("d_total", NULL, "Between.");
	struct metric *second = metric_counter("c_total", "kind=\"collect\"", "Moves.");
	assert_ptr_not_equal(first, second);
	assert_ptr_equal(first, metric_counter("c_total", "kind=\"bet\"", "Moves."));
	metric_add(first, 1);
	metric_add(second, 9);
	char *all = text();
	const char *help = strstr(all, "# HELP c_total");
	assert_non_null(help);
	assert_null(strstr(help + 1, "# HELP c_total"));
	assert_non_null(strstr(all, "c_total{kind=\"bet\"} 1\n"));
	assert_non_null(strstr(all, "c_total{kind=\"collect\"} 9\n"));
	assert_true(strstr(all, "kind=\"collect\"") < strstr(all, "d_total 0"));
	free(all);
}

static void test_histogram_buckets_are_cumulative(void **state)
{
	(void)state;
	struct metric *h = metric_histogram_us("e_us", "x=\"1\"", "Times.");
	metric_observe_us(h, 0);
	metric_observe_us(h, 1);
	metric_observe_us(h, 2);
	metric_observe_us(h, 100);
	metric_observe_us(h, 10000001);
	assert_has("# TYPE e_us histogram\ne_us_bucket{x=\"1\",le=\"1\"} "
		   "2\ne_us_bucket{x=\"1\",le=\"2\"} 3\n");
	assert_has("e_us_bucket{x=\"1\",le=\"50\"} 3\ne_us_bucket{x=\"1\",le=\"100\"} 4\n");
	assert_has("e_us_bucket{x=\"1\",le=\"10000000\"} 4\ne_us_bucket{x=\"1\",le=\"+Inf\"} 5\n");
	assert_has("e_us_sum{x=\"1\"} 10000104\ne_us_count{x=\"1\"} 5\n");
}

/* Sends one request over a plain socket and reads the whole answer. */
static void get(const char *address, const char *path, char *answer, size_t room)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	const char *colon = strrchr(address, ':');
	char request[256];
	assert_non_null(colon);
	to.sin_port = htons((uint16_t)atoi(colon + 1));
	assert_int_equal(inet_pton(AF_INET, "127.0.0.1", &to.sin_addr), 1);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	int n = snprintf(request, sizeof(request),
		"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path);
	assert_int_equal(write(fd, request, (size_t)n), n);
	size_t length = 0;
	ssize_t more;
	while (length < room - 1 && (more = read(fd, answer + length, room - 1 - length)) > 0)
		length += (size_t)more;
	answer[length] = '\0';
	(void)close(fd);
}

static void test_health_serves_over_http(void **state)
{
	static char answer[65536];
	(void)state;
	struct health *health = health_start("127.0.0.1:0");
	health_tick(health);
	get(health_address(health), "/healthz", answer, sizeof(answer));
	assert_non_null(strstr(answer, "200"));
	get(health_address(health), "/readyz", answer, sizeof(answer));
	assert_non_null(strstr(answer, "503"));
	assert_non_null(strstr(answer, "starting"));
	health_ready(health, false, "waiting for Kafka");
	get(health_address(health), "/readyz", answer, sizeof(answer));
	assert_non_null(strstr(answer, "waiting for Kafka"));
	health_ready(health, true, NULL);
	get(health_address(health), "/readyz", answer, sizeof(answer));
	assert_non_null(strstr(answer, "200"));
	/* Too long for one packet. */
	for (int i = 0; i < 300; i++) {
		char labels[32];
		(void)snprintf(labels, sizeof(labels), "i=\"%d\"", i);
		(void)metric_counter("many_total", labels, "Many.");
	}
	get(health_address(health), "/metrics", answer, sizeof(answer));
	assert_non_null(strstr(answer, "many_total{i=\"299\"} 0\n"));
	get(health_address(health), "/other", answer, sizeof(answer));
	assert_non_null(strstr(answer, "404"));
	health_stop(&health);
	assert_null(health);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counter_and_gauge),
		cmocka_unit_test(test_swept_series_are_not_told),
		cmocka_unit_test(test_series_of_one_name_stand_together),
		cmocka_unit_test(test_histogram_buckets_are_cumulative),
		cmocka_unit_test(test_health_serves_over_http),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
