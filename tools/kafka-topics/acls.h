/* Who may do what in Kafka: the table of topics.h, and nothing else. */
#ifndef CARILLON_KAFKA_TOPICS_ACLS_H
#define CARILLON_KAFKA_TOPICS_ACLS_H

#include <stdbool.h>

#include <librdkafka/rdkafka.h>

/* Of a service's user: "carillon_spin_engine". */
enum { ACL_USER_MAX = 64 };
void acl_user(const char *service, char out[ACL_USER_MAX]);

/* Makes the grants that are missing and takes away those that the table does not have. Says on
 * stderr what went wrong. */
bool acls_settle(rd_kafka_t *kafka);

#endif
