/* Users of Kafka with their passwords (SCRAM-SHA-256). The librdkafka of Debian 12 cannot set them,
 * and a JVM for Kafka's own tool takes seconds. */
#ifndef CARILLON_KAFKA_TOPICS_USERS_H
#define CARILLON_KAFKA_TOPICS_USERS_H

#include "libcommon/io/kafka_login.h"
#include "libcommon/io/kafka_wire.h"

#include <stdbool.h>
#include <stddef.h>

enum { USERS_MAX = 16 };

/* Says on stderr what is wrong with the file. */
bool user_read(const char *path, struct kafka_user *user_r);
/* The same, of a file that is neither a link nor a pipe. */
bool user_read_plain(const char *path, struct kafka_user *user_r);

/* Sets the passwords, and makes users that are missing: through the first address of the list
 * host:port[,host:port..] that can be reached, as `as`. Tries again for wait_s seconds, then says
 * on stderr why. */
bool users_set(const char *addresses, enum kafka_login_by how, const struct kafka_user *as,
	const struct kafka_user *users, size_t n, long wait_s);

#endif
