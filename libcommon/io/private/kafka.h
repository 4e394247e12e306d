/* Shared by the producer and the consumer. Private to libcommon/io. */
#ifndef CARILLON_IO_PRIVATE_KAFKA_H
#define CARILLON_IO_PRIVATE_KAFKA_H

#include "libcommon/io/event_mac.h"

#include <librdkafka/rdkafka.h>

/* The configuration that both need: addresses, log-in, quick reconnects, and librdkafka's log lines
 * and errors in our log. Fatal when librdkafka rejects a value. */
rd_kafka_conf_t *kafka_conf_new(const char *brokers, const char *what);
void kafka_conf_set(rd_kafka_conf_t *conf, const char *name, const char *value);
/* An error that librdkafka itself gets over. */
void kafka_error_log(int error, const char *reason);
rd_kafka_t *kafka_handle_new(rd_kafka_type_t type, rd_kafka_conf_t *conf);
/* The topic's handle, created at first use and kept in topics[TOPICS_N]. */
rd_kafka_topic_t *kafka_topic(rd_kafka_t *rk, rd_kafka_topic_t **topics, enum topic topic);

/* kafka_signed.c: kafka_put hands a message to librdkafka with its MAC. kafka_signed is true if the
 * MAC of a message is right; it counts the others and logs at most one a second. Without keys
 * (event_mac_use), messages leave without a MAC and every message is accepted. *sender_r is the
 * service that sent the message; NULL if the MAC is not right, or was not checked. */
rd_kafka_resp_err_t kafka_put(rd_kafka_t *rk, rd_kafka_topic_t *rkt, const struct event *event);
bool kafka_signed(const rd_kafka_message_t *message, enum topic topic, const char **sender_r);

#endif
