/* Shared by the producer and the consumer. Private to libcommon/io. */
#ifndef CARILLON_IO_PRIVATE_KAFKA_H
#define CARILLON_IO_PRIVATE_KAFKA_H

#include "libcommon/io/kafka.h"

#include <librdkafka/rdkafka.h>

/* The configuration that both need: addresses, quick reconnects, and librdkafka's log lines and
 * errors in our log. Fatal when librdkafka rejects a value. */
rd_kafka_conf_t *kafka_conf_new(const char *brokers, const char *what);
void kafka_conf_set(rd_kafka_conf_t *conf, const char *name, const char *value);
rd_kafka_t *kafka_handle_new(rd_kafka_type_t type, rd_kafka_conf_t *conf);
/* The topic's handle, created at first use and kept in topics[TOPICS_N]. */
rd_kafka_topic_t *kafka_topic(rd_kafka_t *rk, rd_kafka_topic_t **topics, enum topic topic);

#endif
