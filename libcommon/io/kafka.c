/* Topic names, configuration and errors that producers and consumers of Kafka share. */
#include "libcommon/io/private/kafka.h"

#include "libcommon/io/kafka_login.h"
#include "libcommon/io/log.h"

#include <assert.h>
#include <string.h>

static const char *const TOPIC_NAMES[TOPICS_N] = {
	[TOPIC_SPIN_COMMANDS] = "spin.commands",
	[TOPIC_WALLET_COMMANDS] = "wallet.commands",
	[TOPIC_WALLET_FACTS] = "wallet.facts",
	[TOPIC_JACKPOT_FEED] = "jackpot.feed",
	[TOPIC_JACKPOT_COMMANDS] = "jackpot.commands",
	[TOPIC_JACKPOT_FACTS] = "jackpot.facts",
	[TOPIC_DEAD_LETTERS] = "dead.letters",
};

const char *topic_name(enum topic topic)
{
	assert(topic < TOPICS_N);
	return TOPIC_NAMES[topic];
}

bool kafka_is_none(const char *brokers)
{
	return strcmp(brokers, KAFKA_NONE) == 0;
}

void kafka_error_log(int error, const char *reason)
{
	log_info("kafka: %s: %s", rd_kafka_err2name((rd_kafka_resp_err_t)error), reason);
}

/* librdkafka's log. Its warnings of lost connections are logged as info, because a restarting
 * broker causes dozens of them. */
static void on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
	(void)rk;
	enum log_level ours = level <= 3 ? LOG_WARN : level <= 5 ? LOG_INFO : LOG_DEBUG;
	if (strcmp(facility, "FAIL") == 0 || strcmp(facility, "ERROR") == 0)
		ours = LOG_INFO;
	log_line(ours, LOG_EVENT("kafka.library.message") "kafka %s: %s", facility, text);
}

static void on_error(rd_kafka_t *rk, int error, const char *reason, void *opaque)
{
	char text[512];
	(void)opaque;
	if (error == RD_KAFKA_RESP_ERR__FATAL) {
		rd_kafka_resp_err_t cause = rd_kafka_fatal_error(rk, text, sizeof(text));
		fatal("kafka: %s: %s; the order of sent messages is in doubt",
			rd_kafka_err2name(cause), text);
	}
	kafka_error_log(error, reason);
}

void kafka_conf_set(rd_kafka_conf_t *conf, const char *name, const char *value)
{
	char text[512];
	if (rd_kafka_conf_set(conf, name, value, text, sizeof(text)) != RD_KAFKA_CONF_OK)
		fatal("kafka: cannot set %s=%s: %s", name, value, text);
}

rd_kafka_conf_t *kafka_conf_new(const char *brokers, const char *what)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	if (brokers[0] == '\0')
		fatal("kafka: found no address, expected host:port, or " KAFKA_NONE
		      " (CARILLON_KAFKA)");
	kafka_conf_set(conf, "bootstrap.servers", brokers);
	kafka_conf_set(conf, "client.id", what);
	kafka_login_configure(conf);
	kafka_conf_set(conf, "socket.nagle.disable", "true");
	kafka_conf_set(conf, "socket.keepalive.enable", "true");
	kafka_conf_set(conf, "reconnect.backoff.ms", "50");
	kafka_conf_set(conf, "reconnect.backoff.max.ms", "200");
	/* Look at once for a leader that moved or a broker that returned. */
	kafka_conf_set(conf, "topic.metadata.refresh.fast.interval.ms", "50");
	kafka_conf_set(conf, "log.connection.close", "false");
	rd_kafka_conf_set_log_cb(conf, on_log);
	rd_kafka_conf_set_error_cb(conf, on_error);
	return conf;
}

rd_kafka_t *kafka_handle_new(rd_kafka_type_t type, rd_kafka_conf_t *conf)
{
	char text[512];
	rd_kafka_t *rk = rd_kafka_new(type, conf, text, sizeof(text));
	if (rk == NULL)
		fatal("kafka: %s", text);
	return rk;
}

rd_kafka_topic_t *kafka_topic(rd_kafka_t *rk, rd_kafka_topic_t **topics, enum topic topic)
{
	assert(topic < TOPICS_N);
	if (topics[topic] == NULL) {
		topics[topic] = rd_kafka_topic_new(rk, topic_name(topic), NULL);
		if (topics[topic] == NULL)
			fatal("kafka: cannot open topic %s: %s", topic_name(topic),
				rd_kafka_err2str(rd_kafka_last_error()));
	}
	return topics[topic];
}
