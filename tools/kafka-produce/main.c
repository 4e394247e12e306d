/* kafka-produce: one message, byte by byte as it is given, to a partition of a topic. For tests of what a service does with
 * bytes that it cannot read, and for an operator who puts a dead letter back. */
#include "libcommon/io/kafka.h"

#include <sodium.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define FLUSH_MS 10000
#define BYTES_MAX 900000u /* a broker takes 1 MiB by default, with its own overhead */
#define PARTITION_MAX 255

static const char usage[] = "usage: kafka-produce TOPIC PARTITION\n"
			    "Sends the bytes that stand on stdin as hex digits (blanks and line ends are skipped) as one message,\n"
			    "with an empty key, to the Kafka of CARILLON_KAFKA.\n";

static _Noreturn void wrong(const char *what, const char *found, const char *expected)
{
	(void)fprintf(stderr, "kafka-produce: %s: found %s, expected %s\n%s", what, found, expected, usage);
	exit(EXIT_USAGE);
}

static enum topic topic_of(const char *name)
{
	for (int topic = 0; topic < TOPICS_N; topic++)
		if (strcmp(topic_name((enum topic)topic), name) == 0)
			return (enum topic)topic;
	wrong("TOPIC", name, "a topic of proto/README.md, \"spin.commands\" and so on");
}

static uint32_t partition_of(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (end == text || *end != '\0' || number < 0 || number > PARTITION_MAX)
		wrong("PARTITION", text, "a whole number from 0 to 255");
	return (uint32_t)number;
}

/* The message, on the heap; it may be empty. */
static uint8_t *read_message(size_t *length_r)
{
	size_t room = 2 * BYTES_MAX + 2, read;
	char *text = malloc(room);
	uint8_t *bytes = malloc(BYTES_MAX);
	const char *end;

	if (text == NULL || bytes == NULL)
		wrong("stdin", "more than fits into memory", "less");
	read = fread(text, 1, room, stdin);
	if (read == room)
		wrong("stdin", "more hex digits", "at most 900000 bytes");
	if (sodium_hex2bin(bytes, BYTES_MAX, text, read, " \t\r\n", length_r, &end) != 0 || end != text + read)
		wrong("stdin", "something else", "hex digits, two a byte");
	free(text);
	return bytes;
}

int main(int argc, char **argv)
{
	const char *brokers = getenv("CARILLON_KAFKA");
	struct kafka_producer *producer;
	enum topic topic;
	uint32_t partition;
	uint8_t *bytes;
	size_t length = 0;
	bool sent;

	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		(void)fputs(usage, stdout);
		return 0;
	}
	if (argc != 3)
		wrong("arguments", argc < 3 ? "too few" : "too many", "TOPIC PARTITION");
	topic = topic_of(argv[1]);
	partition = partition_of(argv[2]);
	if (brokers == NULL || brokers[0] == '\0')
		wrong("CARILLON_KAFKA", "nothing", "host:port of Kafka");
	bytes = read_message(&length);
	producer = kafka_producer_new(brokers, KAFKA_FAST);
	kafka_produce(producer, topic, partition, "", 0, bytes, length);
	sent = kafka_producer_flush(producer, FLUSH_MS);
	kafka_producer_free(&producer);
	free(bytes);
	if (sent)
		return 0;
	(void)fprintf(stderr, "kafka-produce: %s: not acknowledged within %d s\n", brokers, FLUSH_MS / 1000);
	return 1;
}
