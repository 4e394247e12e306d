/* The echo service and the tools around it. */
#include "libcommon/service/test/echo_service.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "libcommon/io/redis_link.h"
#include "libcommon/service/service.h"

#include "jackpot.pb-c.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PENDING_MAX 100000
#define TEXT_MAX 64
#define WAIT_US 500000u

static struct {
	struct {
		uint32_t shard;
		int64_t offset;
		char text[TEXT_MAX];
	} rows[PENDING_MAX];
	size_t n;
	uint64_t facts[SHARDS_MAX]; /* applied since the start, by shard */
	bool commanded[SHARDS_MAX];
	int64_t waiting_offset;
	uint64_t waiting_since_us;
} echo = { .waiting_offset = -1 };

static int64_t open_ms;

static const struct setting SETTINGS[] = {
	{ "ECHO_OPEN_MS", SETTING_INT, "0", 0, 60000, &open_ms,
		"how long the loading of a shard takes" },
	{ NULL, SETTING_TEXT, NULL, 0, 0, NULL, NULL },
};

static void on_open(struct service *service, struct service_shard *shard)
{
	(void)service;
	(void)shard;
	(void)usleep((useconds_t)open_ms * 1000u);
}

static void on_close(struct service *service, struct service_shard *shard)
{
	(void)service;
	(void)shard;
}

static bool with_facts;

/* Facts are rows of shard + 1000, commands of echo-two rows of shard + 2000, beside the rows of
 * echo. With two topics each shard logs once how many facts it had seen when its first command
 * came. */
static uint32_t row_shard(const struct service_shard *shard, const struct kafka_message *message)
{
	if (message->topic == TOPIC_WALLET_FACTS) {
		echo.facts[shard->shard]++;
		return shard->shard + 1000;
	}
	if (!echo.commanded[shard->shard])
		log_info("shard %u: first command after %" PRIu64 " facts", shard->shard,
			echo.facts[shard->shard]);
	echo.commanded[shard->shard] = true;
	return shard->shard + (with_facts ? 2000 : 0);
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool must_wait(const char *text, int64_t offset)
{
	if (!begins(text, "wait"))
		return false;
	if (echo.waiting_offset != offset) {
		echo.waiting_offset = offset;
		echo.waiting_since_us = clock_mono_us();
	}
	return clock_mono_us() < echo.waiting_since_us + WAIT_US;
}

static enum service_message_status on_message(struct service *service, struct service_shard *shard,
	const struct kafka_message *message, uint64_t *seq_r)
{
	char text[TEXT_MAX];
	char fact[TEXT_MAX];
	(void)seq_r;
	(void)snprintf(
		text, sizeof(text), "%.*s", (int)message->length, (const char *)message->bytes);
	if (begins(text, "kill"))
		(void)raise(SIGKILL);
	if (begins(text, "bad")) {
		service_reason(service, "text: found '%s', expected something good", text);
		return SERVICE_UNREADABLE;
	}
	if (must_wait(text, message->offset) || echo.n == PENDING_MAX) {
		service_commit_soon(service);
		return SERVICE_WAIT;
	}
	echo.rows[echo.n].shard = row_shard(shard, message);
	echo.rows[echo.n].offset = message->offset;
	memcpy(echo.rows[echo.n].text, text, sizeof(text));
	echo.n++;
	int length = snprintf(fact, sizeof(fact), "%u %" PRId64, shard->shard, message->offset);
	service_send(service, TOPIC_JACKPOT_FACTS, shard->shard, NULL, 0, fact, (size_t)length);
	service_commit_soon(service);
	return SERVICE_TAKEN;
}

static void on_write(struct service *service)
{
	if (echo.n == 0)
		return;
	struct pg_copy *copy = pg_copy_begin(service_pg(service), "echo.row (shard, at, text)");
	for (size_t i = 0; i < echo.n; i++) {
		pg_copy_row(copy, 3);
		pg_copy_int32(copy, (int32_t)echo.rows[i].shard);
		pg_copy_int64(copy, echo.rows[i].offset);
		pg_copy_bytes(copy, echo.rows[i].text, strlen(echo.rows[i].text));
	}
	(void)pg_copy_end(copy);
	echo.n = 0;
}

int echo_service_run(int argc, char **argv, bool two)
{
	static struct service_ops ops = {
		.name = "echo",
		.prefix = "ECHO_",
		.settings = SETTINGS,
		.topics = { { TOPIC_JACKPOT_FEED, KAFKA_FAST, false, false } },
		.topics_n = 1,
		.open = on_open,
		.close = on_close,
		.message = on_message,
		.write = on_write,
	};
	with_facts = two;
	if (two) {
		ops.name = "echo-two";
		ops.topics[1] = ops.topics[0];
		ops.topics[0].topic = TOPIC_WALLET_FACTS;
		ops.topics[0].pace = KAFKA_SLOW;
		ops.topics[0].to_end_first = true;
		ops.topics_n = 2;
	}
	return service_main(argc, argv, &ops);
}

int echo_produce(int shard_first, int shard_last, int count, const char *text)
{
	enum topic topic = begins(text, "fact") ? TOPIC_WALLET_FACTS : TOPIC_JACKPOT_FEED;
	struct kafka_producer *producer = kafka_producer_new(getenv("CARILLON_KAFKA"), KAFKA_FAST);
	for (int i = 0; i < count; i++) {
		char line[TEXT_MAX];
		int n = snprintf(line, sizeof(line), "%s %d", text, i);
		for (int shard = shard_first; shard <= shard_last; shard++)
			kafka_produce(producer, topic, (uint32_t)shard, NULL, 0, line, (size_t)n);
		kafka_producer_poll(producer);
	}
	bool all = kafka_producer_flush(producer, 30000);
	kafka_producer_free(&producer);
	return all ? 0 : 1;
}

static void letter_print(const struct kafka_message *message)
{
	Carillon__DeadLetter *letter =
		carillon__dead_letter__unpack(NULL, message->length, message->bytes);
	if (letter == NULL)
		printf("letter unreadable\n");
	else
		printf("letter %s %u %" PRId64 " %s\n", letter->topic, letter->partition,
			letter->offset, letter->reason);
	carillon__dead_letter__free_unpacked(letter, NULL);
}

static void partition_print(struct kafka_consumer *consumer, enum topic topic, uint32_t partition)
{
	int64_t first = 0;
	int64_t next = 0;
	if (!kafka_bounds(consumer, topic, partition, &first, &next))
		fatal("%s, partition %u: no answer", topic_name(topic), partition);
	printf("%s %u %" PRId64 "\n", topic_name(topic), partition, next);
	if (topic != TOPIC_DEAD_LETTERS)
		return;
	kafka_consume(consumer, topic, partition, first);
	while (first < next) {
		struct kafka_batch batch = kafka_poll(consumer, 100);
		for (size_t i = 0; i < batch.n; i++) {
			letter_print(&batch.messages[i]);
			first = batch.messages[i].offset + 1;
		}
		kafka_batch_free(&batch);
		(void)usleep(1000);
	}
}

int echo_inspect(void)
{
	struct kafka_consumer *consumer = kafka_consumer_new(getenv("CARILLON_KAFKA"), KAFKA_FAST);
	uint32_t shards = (uint32_t)atoi(getenv("CARILLON_SHARDS"));
	partition_print(consumer, TOPIC_DEAD_LETTERS, 0);
	for (uint32_t i = 0; i < shards; i++)
		partition_print(consumer, TOPIC_JACKPOT_FACTS, i);
	kafka_consumer_free(&consumer);
	return 0;
}

struct links {
	int pg_good, pg_failed, redis_good, redis_failed;
};

static void on_answer(void *context, PGresult *result, const char *error)
{
	struct links *links = context;
	if (error == NULL && PQntuples(result) == 1 && strcmp(PQgetvalue(result, 0, 0), "42") == 0)
		links->pg_good++;
	else
		links->pg_failed++;
}

int echo_links(int seconds)
{
	static const char *const PARAMETERS[] = { "40" };
	struct links links = { 0 };
	int asked = 0;
	struct pg_pool *pool = pg_pool_new(getenv("CARILLON_PG_RO_DSN"), "links", 2);
	struct redis_link *redis = redis_link_new(getenv("CARILLON_REDIS"), 200);
	uint64_t until = clock_mono_us() + (uint64_t)seconds * 1000000u;
	while (clock_mono_us() < until || links.pg_good + links.pg_failed < asked) {
		if (clock_mono_us() < until) {
			asked++;
			pg_pool_query(
				pool, "select 2 + $1::int", 1, PARAMETERS, 1000, on_answer, &links);
			bool good = redis_link_command(redis, "SET links %d", asked) &&
				    redis_link_flush(redis, NULL, NULL);
			*(good ? &links.redis_good : &links.redis_failed) += 1;
		}
		(void)usleep(50000);
		pg_pool_poll(pool);
	}
	printf("asked %d pg_good %d pg_failed %d redis_good %d redis_failed %d\n", asked,
		links.pg_good, links.pg_failed, links.redis_good, links.redis_failed);
	redis_link_free(&redis);
	pg_pool_free(&pool);
	return 0;
}
