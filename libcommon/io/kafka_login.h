/* How producers and consumers log in to Kafka: by SCRAM-SHA-256, with the user and password of a
 * file. Each connection reads the file again, so a new password needs no restart, and connections
 * that are open stay. */
#ifndef CARILLON_IO_KAFKA_LOGIN_H
#define CARILLON_IO_KAFKA_LOGIN_H

#include "libcommon/io/kafka.h" /* kafka_login_refusal */

#include <librdkafka/rdkafka.h>

#include <stdbool.h>
#include <stdio.h>

enum { KAFKA_USER_MAX = 64, KAFKA_PASSWORD_MAX = 128 };
struct kafka_user {
	char name[KAFKA_USER_MAX], password[KAFKA_PASSWORD_MAX];
};
/* From a file with both, parted by a blank. False: it cannot be read, or has not both. */
bool kafka_user_read(const char *path, struct kafka_user *user_r);
/* The same from an open file, which it closes; NULL: false. */
bool kafka_user_take(FILE *file, struct kafka_user *user_r);

/* Connections log in before librdkafka has them. Without a file (CARILLON_KAFKA_LOGIN, or what
 * kafka_login_from was given) they do not. A log-in that fails is logged and tried again like a
 * broker that cannot be reached. */
void kafka_login_configure(rd_kafka_conf_t *conf);
/* rd_kafka_destroy, and waits for the log-ins that it has given up: nothing of the handle works on
 * when the program ends. */
void kafka_login_end(rd_kafka_t *rk);
/* Another file than that of the settings: of a tool. Before the first connection. Borrowed. */
void kafka_login_from(const char *path);
#endif
