/* kafka-try: what Kafka lets a user do. Each verb is tried on each topic given: a message is
 * written (nobody takes it, because it has no MAC), one is read, and a topic of a name of its own
 * is created or deleted. Prints a line for each: topic, verb, and yes, no, or what else Kafka
 * answers. */
#include "libcommon/io/kafka_login.h"

#include <librdkafka/rdkafka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_MS = 60000, TURN_MS = 100 };

static const char usage[] =
	"usage: kafka-try TOPIC..\n"
	"As the user of the file CARILLON_KAFKA_LOGIN, on the Kafka of CARILLON_KAFKA.\n";

static rd_kafka_resp_err_t written;

static void on_delivery(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque)
{
	(void)rk;
	(void)opaque;
	written = message->err;
}

static void on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
	(void)rk;
	(void)level;
	(void)facility;
	(void)text;
}

static rd_kafka_t *handle_new(rd_kafka_type_t type)
{
	const char *const settings[][2] = { { "bootstrap.servers", getenv("CARILLON_KAFKA") },
		{ "enable.partition.eof", "true" }, { "reconnect.backoff.max.ms", "200" },
		{ "message.timeout.ms", "60000" } };
	char why[256] = "";
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		(void)rd_kafka_conf_set(conf, settings[i][0], settings[i][1], why, sizeof(why));
	kafka_login_from(getenv("CARILLON_KAFKA_LOGIN"));
	kafka_login_configure(conf);
	rd_kafka_conf_set_log_cb(conf, on_log);
	rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
	rd_kafka_t *rk = rd_kafka_new(type, conf, why, sizeof(why));
	if (rk == NULL) {
		(void)fprintf(stderr, "kafka-try: %s\n", why);
		exit(1);
	}
	return rk;
}

static void tell(const char *topic, const char *verb, rd_kafka_resp_err_t error)
{
	const char *answer = rd_kafka_err2name(error);
	if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR__PARTITION_EOF)
		answer = "yes";
	else if (error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
		 error == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED)
		answer = "no";
	printf("%s %s %s\n", topic, verb, answer);
	(void)fflush(stdout);
}

static rd_kafka_resp_err_t try_write(rd_kafka_t *rk, const char *topic)
{
	static char text[] = "tried";
	written = RD_KAFKA_RESP_ERR__TIMED_OUT;
	rd_kafka_resp_err_t error = rd_kafka_producev(rk, RD_KAFKA_V_TOPIC(topic),
		RD_KAFKA_V_PARTITION(0), RD_KAFKA_V_VALUE(text, sizeof(text)), RD_KAFKA_V_END);
	if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
		return error;
	(void)rd_kafka_flush(rk, WAIT_MS);
	return written;
}

/* Is it told that there is such a topic? */
static rd_kafka_resp_err_t seen(rd_kafka_t *rk, rd_kafka_topic_t *topic)
{
	const struct rd_kafka_metadata *metadata;
	rd_kafka_resp_err_t error = rd_kafka_metadata(rk, 0, topic, &metadata, WAIT_MS);
	if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
		return error;
	error = metadata->topic_cnt == 1 ? metadata->topics[0].err : RD_KAFKA_RESP_ERR__FAIL;
	rd_kafka_metadata_destroy(metadata);
	return error;
}

/* The first message or the end of the partition, or why there is neither. */
static rd_kafka_resp_err_t try_read(rd_kafka_t *rk, const char *name)
{
	rd_kafka_topic_t *topic = rd_kafka_topic_new(rk, name, NULL);
	rd_kafka_resp_err_t error = seen(rk, topic);
	if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
		rd_kafka_topic_destroy(topic);
		return error;
	}
	error = RD_KAFKA_RESP_ERR__TIMED_OUT;
	(void)rd_kafka_consume_start(topic, 0, RD_KAFKA_OFFSET_BEGINNING);
	for (int waited = 0; waited < WAIT_MS; waited += TURN_MS) {
		rd_kafka_message_t *message = rd_kafka_consume(topic, 0, TURN_MS);
		if (message == NULL)
			continue;
		error = message->err;
		rd_kafka_message_destroy(message);
		break;
	}
	(void)rd_kafka_consume_stop(topic, 0);
	rd_kafka_topic_destroy(topic);
	return error;
}

static rd_kafka_resp_err_t first_of(rd_kafka_queue_t *queue)
{
	size_t n = 0;
	rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR__TIMED_OUT;
	rd_kafka_event_t *event = rd_kafka_queue_poll(queue, WAIT_MS);
	if (event == NULL)
		return error;
	error = rd_kafka_event_error(event);
	const rd_kafka_topic_result_t **results =
		rd_kafka_event_type(event) == RD_KAFKA_EVENT_CREATETOPICS_RESULT
			? rd_kafka_CreateTopics_result_topics(
				  rd_kafka_event_CreateTopics_result(event), &n)
			: rd_kafka_DeleteTopics_result_topics(
				  rd_kafka_event_DeleteTopics_result(event), &n);
	if (error == RD_KAFKA_RESP_ERR_NO_ERROR && n > 0)
		error = rd_kafka_topic_result_error(results[0]);
	rd_kafka_event_destroy(event);
	return error;
}

static rd_kafka_resp_err_t try_create(rd_kafka_t *rk, rd_kafka_queue_t *queue, const char *name)
{
	char why[256];
	rd_kafka_NewTopic_t *topic = rd_kafka_NewTopic_new(name, 1, 1, why, sizeof(why));
	rd_kafka_CreateTopics(rk, &topic, 1, NULL, queue);
	rd_kafka_NewTopic_destroy(topic);
	return first_of(queue);
}

static rd_kafka_resp_err_t try_delete(rd_kafka_t *rk, rd_kafka_queue_t *queue, const char *name)
{
	rd_kafka_DeleteTopic_t *topic = rd_kafka_DeleteTopic_new(name);
	rd_kafka_DeleteTopics(rk, &topic, 1, NULL, queue);
	rd_kafka_DeleteTopic_destroy(topic);
	return first_of(queue);
}

int main(int argc, char **argv)
{
	if (argc < 2 || getenv("CARILLON_KAFKA") == NULL ||
		getenv("CARILLON_KAFKA_LOGIN") == NULL) {
		(void)fputs(usage, stderr);
		return 2;
	}
	rd_kafka_t *producer = handle_new(RD_KAFKA_PRODUCER);
	rd_kafka_t *consumer = handle_new(RD_KAFKA_CONSUMER);
	rd_kafka_queue_t *queue = rd_kafka_queue_new(producer);
	for (int i = 1; i < argc; i++) {
		tell(argv[i], "write", try_write(producer, argv[i]));
		tell(argv[i], "read", try_read(consumer, argv[i]));
		/* Whoever may delete does so to the topic itself. */
		char name[128];
		(void)snprintf(name, sizeof(name), "tried.%.100s", argv[i]);
		tell(argv[i], "create", try_create(producer, queue, name));
		tell(argv[i], "delete", try_delete(producer, queue, argv[i]));
	}
	rd_kafka_queue_destroy(queue);
	kafka_login_end(consumer);
	kafka_login_end(producer);
	return 0;
}
