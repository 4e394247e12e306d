/*
 * kafka-embedded: librdkafka's mock broker in a process of its own, for a look at Carillon where
 * Apache Kafka cannot be had. It keeps everything in memory and loses it when it ends: no
 * installation with money in it may use it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include "tools/kafka-topics/topics.h"

static int usage(FILE *out)
{
	(void)fprintf(out,
		"kafka-embedded --address-file=FILE [--partitions=N]: a broker that keeps nothing\n"
		"Writes its address (it chooses a free port of 127.0.0.1) to FILE once it answers, "
		"and runs until SIGTERM.\n");
	return out == stdout ? EXIT_SUCCESS : 2;
}

static int write_address(const char *path, const char *address)
{
	char beside[4096];
	FILE *file;

	if ((size_t)snprintf(beside, sizeof(beside), "%s.new", path) >= sizeof(beside))
		return -1;
	file = fopen(beside, "we");
	if (file == NULL)
		return -1;
	(void)fprintf(file, "%s\n", address);
	if (fclose(file) != 0)
		return -1;
	return rename(beside, path);
}

static int serve(rd_kafka_mock_cluster_t *cluster, const char *path, int partitions)
{
	sigset_t mask;
	int number;

	for (int i = 0; i < TOPIC_COUNT; i++) {
		rd_kafka_resp_err_t err =
			rd_kafka_mock_topic_create(cluster, topic_specs[i].name, partitions, 1);

		if (err != RD_KAFKA_RESP_ERR_NO_ERROR) {
			(void)fprintf(stderr, "kafka-embedded: %s: %s\n", topic_specs[i].name,
				rd_kafka_err2str(err));
			return EXIT_FAILURE;
		}
	}
	if (write_address(path, rd_kafka_mock_cluster_bootstraps(cluster)) != 0) {
		perror(path);
		return EXIT_FAILURE;
	}
	(void)printf("kafka-embedded: %s: a broker in memory, NOTHING IS KEPT\n",
		rd_kafka_mock_cluster_bootstraps(cluster));
	(void)fflush(stdout);
	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGTERM);
	(void)sigaddset(&mask, SIGINT);
	(void)sigwait(&mask, &number);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	const char *path = NULL;
	long partitions = 4;
	char why[512];
	sigset_t mask;
	rd_kafka_t *kafka;
	rd_kafka_mock_cluster_t *cluster;
	int status = EXIT_FAILURE;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0)
			return usage(stdout);
		if (strncmp(argv[i], "--address-file=", 15) == 0) {
			path = argv[i] + 15;
		} else if (strncmp(argv[i], "--partitions=", 13) == 0) {
			char *end;

			partitions = strtol(argv[i] + 13, &end, 10);
			if (*end != '\0' || partitions < 1 || partitions > TOPIC_PARTITIONS_MAX) {
				(void)fprintf(stderr,
					"--partitions: found '%s', expected 1 to %d\n",
					argv[i] + 13, TOPIC_PARTITIONS_MAX);
				return usage(stderr);
			}
		} else {
			(void)fprintf(stderr, "found '%s', expected an option\n", argv[i]);
			return usage(stderr);
		}
	}
	if (path == NULL)
		return usage(stderr);
	/* Before the first thread, so that all inherit it: the signals are for sigwait alone. */
	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGTERM);
	(void)sigaddset(&mask, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &mask, NULL);
	kafka = rd_kafka_new(RD_KAFKA_PRODUCER, NULL, why, sizeof(why));
	if (kafka == NULL) {
		(void)fprintf(stderr, "kafka-embedded: %s\n", why);
		return EXIT_FAILURE;
	}
	cluster = rd_kafka_mock_cluster_new(kafka, 1);
	if (cluster != NULL) {
		status = serve(cluster, path, (int)partitions);
		rd_kafka_mock_cluster_destroy(cluster);
	} else {
		(void)fprintf(stderr, "kafka-embedded: the broker did not start\n");
	}
	rd_kafka_destroy(kafka);
	return status;
}
