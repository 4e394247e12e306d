/* kafka-raw: one message, byte by byte as it is given, to a partition of a topic, or as a command
 * to the owners of a shard; many unsigned ones; and the dead letters, one a line. For tests of what
 * a service does with bytes that it cannot read, and for an operator who looks at a dead letter and
 * puts it back. */
#include "libcommon/io/event_mac.h"
#include "libcommon/io/instance.h"
#include "libcommon/io/kafka.h"
#include "libcommon/io/kafka_login.h"
#include "libcommon/io/nn_bus.h"
#include "libcommon/io/owners.h"
#include "libcommon/io/pg.h"
#include "libcommon/service/direct.h"
#include "libcommon/service/permit.h"

#include "envelope.pb-c.h"
#include "jackpot.pb-c.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define FLUSH_MS 60000	  /* a Kafka that starts on a busy machine takes longer than 10 s */
#define BYTES_MAX 900000u /* a broker takes 1 MiB by default, with its own overhead */
#define PARTITION_MAX 255
#define FLOOD_MAX 100000
#define KEYS "keys"

static const char usage[] =
	"usage: kafka-raw send TOPIC PARTITION [SERVICE]   sends the bytes that stand on stdin as hex digits (blanks and line ends are skipped)\n"
	"                                        as one message with an empty key; a command (spin.commands, wallet.commands,\n"
	"                                        jackpot.commands) goes by nanomsg to who owns the shard PARTITION, twice;\n"
	"                                        with the keys of SERVICE (keys/SERVICE/ of this folder), which seal a command (default:\n"
	"                                        gateway) and sign an event (default: not signed)\n"
	"       kafka-raw flood TOPIC PARTITION N  sends N messages of one byte, not signed\n"
	"       kafka-raw letters                prints dead.letters: topic, partition, offset, reason and the bytes in hex, by tabs\n"
	"The Kafka is that of CARILLON_KAFKA, the Postgres that of CARILLON_PG_DSN. To be run in the data folder. With SERVICE an event is sent as\n"
	"its user of Kafka (keys/SERVICE/kafka), else as that of CARILLON_KAFKA_LOGIN.\n";

static _Noreturn void wrong(const char *what, const char *found, const char *expected)
{
	(void)fprintf(
		stderr, "kafka-raw: %s: found %s, expected %s\n%s", what, found, expected, usage);
	exit(EXIT_USAGE);
}

static enum topic topic_of(const char *name)
{
	for (int topic = 0; topic < TOPICS_N; topic++)
		if (strcmp(topic_name((enum topic)topic), name) == 0)
			return (enum topic)topic;
	wrong("TOPIC", name, "a topic of proto/README.md, \"spin.commands\" and so on");
}

static uint32_t number_of(const char *what, const char *text, uint32_t most, const char *expected)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (end == text || *end != '\0' || number < 0 || number > (long)most)
		wrong(what, text, expected);
	return (uint32_t)number;
}

static uint32_t partition_of(const char *text)
{
	return number_of("PARTITION", text, PARTITION_MAX, "a whole number from 0 to 255");
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
	if (sodium_hex2bin(bytes, BYTES_MAX, text, read, " \t\r\n", length_r, &end) != 0 ||
		end != text + read)
		wrong("stdin", "something else", "hex digits, two a byte");
	free(text);
	return bytes;
}

/* Signed by a service's keys; without one, as somebody who has none. */
static void sign_as(const char *sender)
{
	static struct seal_keys keys;
	static char login[256];
	struct timespec changed = { 0 };
	char error[SEAL_ERROR_MAX];
	bool read;

	if (!seal_keys_load(KEYS, sender, &changed, &keys, &read, error)) {
		(void)fprintf(stderr, "kafka-raw: %s\n", error);
		exit(1);
	}
	event_mac_use(&keys, sender);
	(void)snprintf(login, sizeof(login), KEYS "/%s/kafka", sender);
	if (access(login, R_OK) == 0)
		kafka_login_from(login);
}

static int send_times(const char *brokers, enum topic topic, uint32_t partition,
	const uint8_t *bytes, size_t length, uint32_t times)
{
	struct kafka_producer *producer = kafka_producer_new(brokers, KAFKA_FAST);
	bool sent;

	for (uint32_t i = 0; i < times; i++) {
		kafka_produce(producer, topic, partition, "", 0, bytes, length);
		kafka_producer_poll(producer);
	}
	sent = kafka_producer_flush(producer, FLUSH_MS);
	kafka_producer_free(&producer);
	if (sent)
		return 0;
	(void)fprintf(
		stderr, "kafka-raw: %s: not acknowledged within %d s\n", brokers, FLUSH_MS / 1000);
	return 1;
}

static int send_one(const char *brokers, enum topic topic, uint32_t partition)
{
	size_t length = 0;
	uint8_t *bytes = read_message(&length);
	int status = send_times(brokers, topic, partition, bytes, length, 1);

	free(bytes);
	return status;
}

/* What a service must read past, and may fall behind with. */
static int flood(const char *brokers, enum topic topic, uint32_t partition, uint32_t times)
{
	static const uint8_t byte[] = { 0 };

	if (direct_kind(topic))
		wrong("TOPIC", topic_name(topic), "a topic of Kafka");
	return send_times(brokers, topic, partition, byte, sizeof(byte), times);
}

static void list(void *bus, const struct nn_bus_instance *instance)
{
	nn_bus_list(bus, instance);
}

/* As an asker does: again after a while, for the first one may be lost. */
static int send_command(enum topic kind, uint32_t shard, const char *sender)
{
	static const char *const SERVERS[] = { "spin-engine", "wallet", "progressive-pool",
		"jackpot-cards" };
	const size_t first = kind == TOPIC_SPIN_COMMANDS     ? 0
			     : kind == TOPIC_WALLET_COMMANDS ? 1
							     : 2;
	const size_t last = first == 2 ? 3 : first;
	const struct timespec pause = { .tv_nsec = 250000000 };
	char own[64];
	const char *parameters[] = { own };
	size_t length = 0;
	uint8_t *bytes = read_message(&length);
	uint8_t *packed = malloc(length + DIRECT_HEAD_MAX);
	if (getenv("CARILLON_PG_DSN") == NULL || packed == NULL)
		wrong("CARILLON_PG_DSN", "nothing", "the address of Postgres");
	(void)snprintf(own, sizeof(own), "ipc://nn/raw-%d", (int)getpid());
	PGconn *pg = pg_connect(getenv("CARILLON_PG_DSN"), "kafka-raw", FLUSH_MS);
	struct owners *owners = owners_new();
	struct nn_bus *bus = nn_bus_new(own, sender, KEYS, permit_refusal);
	instance_put(pg, own, sender, own, nn_bus_boot(bus));
	PGresult *rows = pg_query(pg, OWNERS_SQL, 1, parameters);
	owners_take(owners, rows, list, bus);
	length = direct_pack(kind, shard, bytes, length, packed);
	for (int times = 0; times < 2; times++) {
		(void)nanosleep(&pause, NULL); /* connections open meanwhile */
		for (size_t i = first; i <= last; i++)
			(void)nn_bus_send(
				bus, owners_of(owners, SERVERS[i], shard)->url, packed, length);
	}
	(void)nanosleep(&pause, NULL);
	nn_bus_free(&bus);
	owners_free(&owners);
	instance_take_out(pg, own);
	PQclear(rows);
	PQfinish(pg);
	(void)unlink(own + strlen("ipc://"));
	free(packed);
	free(bytes);
	return 0;
}

static void print_letter(const struct kafka_message *message)
{
	Carillon__DeadLetter *letter =
		carillon__dead_letter__unpack(NULL, message->length, message->bytes);

	if (letter == NULL) {
		printf("?\t0\t%" PRId64 "\tthis letter cannot be read itself\t\n", message->offset);
		return;
	}
	printf("%s\t%" PRIu32 "\t%" PRId64 "\t%s\t", letter->topic, letter->partition,
		letter->offset, letter->reason);
	for (size_t i = 0; i < letter->payload.len; i++)
		printf("%02x", letter->payload.data[i]);
	putchar('\n');
	carillon__dead_letter__free_unpacked(letter, NULL);
}

/* All letters that were there when it began. */
static int letters(const char *brokers)
{
	struct kafka_consumer *consumer = kafka_consumer_new(brokers, KAFKA_FAST);
	const struct timespec pause = { .tv_nsec = 5000000 };
	int64_t first = 0, next = 0, at = 0;
	int tries = 0;

	if (!kafka_bounds(consumer, TOPIC_DEAD_LETTERS, 0, &first, &next)) {
		(void)fprintf(stderr, "kafka-raw: %s: Kafka does not answer\n", brokers);
		return 1;
	}
	if (first < next)
		kafka_consume(consumer, TOPIC_DEAD_LETTERS, 0, first);
	for (at = first; at < next && tries < FLUSH_MS / 5; tries++) {
		struct kafka_batch batch = kafka_poll(consumer, 1000);

		for (size_t i = 0; i < batch.n && batch.messages[i].offset < next; i++) {
			print_letter(&batch.messages[i]);
			at = batch.messages[i].offset + 1;
			tries = 0;
		}
		if (batch.n == 0)
			(void)nanosleep(&pause, NULL);
		kafka_batch_free(&batch);
	}
	kafka_consumer_free(&consumer);
	return at < next ? 1 : 0;
}

/* The command's arguments, after its name. */
static void arguments_check(const char *command, int n)
{
	static const struct {
		const char *command, *arguments;
		int least, most;
	} COMMANDS[] = { { "send", "TOPIC PARTITION [SERVICE]", 2, 3 },
		{ "flood", "TOPIC PARTITION N", 3, 3 }, { "letters", "none", 0, 0 } };

	for (size_t i = 0; i < sizeof(COMMANDS) / sizeof(COMMANDS[0]); i++) {
		if (strcmp(command, COMMANDS[i].command) != 0)
			continue;
		if (n < COMMANDS[i].least || n > COMMANDS[i].most)
			wrong("arguments", n < COMMANDS[i].least ? "too few" : "too many",
				COMMANDS[i].arguments);
		return;
	}
	wrong("command", command, "send, flood or letters");
}

int main(int argc, char **argv)
{
	const char *brokers = getenv("CARILLON_KAFKA");
	enum topic topic = TOPIC_DEAD_LETTERS;
	uint32_t partition = 0;

	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		(void)fputs(usage, stdout);
		return 0;
	}
	if (argc < 2)
		wrong("command", "nothing", "send, flood or letters");
	arguments_check(argv[1], argc - 2);
	if (argc > 2) {
		topic = topic_of(argv[2]);
		partition = partition_of(argv[3]);
	}
	if (brokers == NULL || brokers[0] == '\0')
		wrong("CARILLON_KAFKA", "nothing", "host:port of Kafka");
	if (strcmp(argv[1], "letters") == 0)
		return letters(brokers);
	if (strcmp(argv[1], "flood") == 0)
		return flood(brokers, topic, partition,
			number_of("N", argv[4], FLOOD_MAX, "a whole number up to 100000"));
	if (direct_kind(topic))
		return send_command(topic, partition, argc == 5 ? argv[4] : "gateway");
	if (argc == 5)
		sign_as(argv[4]);
	return send_one(brokers, topic, partition);
}
