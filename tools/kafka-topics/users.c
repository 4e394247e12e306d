#include "tools/kafka-topics/users.h"

#include "libcommon/io/kafka_scram.h"
#include "libcommon/io/kafka_wire.h"

#include <openssl/rand.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SALT_BYTES = 24, ADDRESSES_MAX = 1024 };
/* Numbers of Kafka's protocol: the request, and the mechanism. */
enum { ALTER_USER_SCRAM = 51, SCRAM_SHA_256 = 1 };

static bool unreadable(const char *path)
{
	(void)fprintf(stderr,
		"kafka-topics: %s: found no readable user and password, expected a file "
		"with both (scripts/roles.sh keys makes it)\n",
		path);
	return false;
}

bool user_read(const char *path, struct kafka_user *user_r)
{
	return kafka_user_read(path, user_r) || unreadable(path);
}

/* A service may put anything into its own folder. */
bool user_read_plain(const char *path, struct kafka_user *user_r)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat about;
	bool plain = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
	bool good = plain && kafka_user_take(fdopen(fd, "r"), user_r);

	if (fd >= 0 && !plain)
		(void)close(fd);
	return good || unreadable(path);
}

/* One attempt; why: what went wrong in it. */
struct talk {
	int fd;
	struct kafka_wire wire;
	char why[256];
};

static bool put_user(struct kafka_wire *wire, const struct kafka_user *user)
{
	uint8_t salt[SALT_BYTES], key[KAFKA_SCRAM_KEY_BYTES];

	if (RAND_bytes(salt, sizeof(salt)) != 1 ||
		!kafka_scram_key(user->password, salt, sizeof(salt), KAFKA_SCRAM_ITERATIONS, key))
		return false;
	kafka_wire_compact(wire, user->name, strlen(user->name));
	kafka_wire_number(wire, SCRAM_SHA_256, 1);
	kafka_wire_number(wire, KAFKA_SCRAM_ITERATIONS, 4);
	kafka_wire_compact(wire, salt, sizeof(salt));
	kafka_wire_compact(wire, key, sizeof(key));
	kafka_wire_no_tags(wire);
	return true;
}

/* Each user has a result of its own. */
static bool accepted(struct talk *talk)
{
	struct kafka_wire *wire = &talk->wire;

	(void)kafka_wire_take(wire, 4); /* how long it has throttled us */
	for (long left = kafka_wire_take_compact_length(wire); left > 0 && !wire->bad; left--) {
		long n = kafka_wire_take_compact_length(wire);
		const uint8_t *name = n > 0 ? kafka_wire_take_bytes(wire, (size_t)n) : NULL;
		uint32_t error = kafka_wire_take(wire, 2);
		long length = kafka_wire_take_compact_length(wire);
		const uint8_t *text =
			length > 0 ? kafka_wire_take_bytes(wire, (size_t)length) : NULL;

		(void)kafka_wire_take(wire, 1);
		if (error != 0 && name != NULL) {
			(void)snprintf(talk->why, sizeof(talk->why), "user %.*s: error %u, %.*s",
				(int)n, (const char *)name, error, text == NULL ? 0 : (int)length,
				text == NULL ? "" : (const char *)text);
			return false;
		}
	}
	(void)snprintf(talk->why, sizeof(talk->why), "its answer cannot be read");
	return !wire->bad;
}

static bool set(struct talk *talk, const struct kafka_user *users, size_t n)
{
	kafka_wire_begin(&talk->wire, ALTER_USER_SCRAM, 0, true);
	kafka_wire_compact_length(&talk->wire, 0); /* none is deleted */
	kafka_wire_compact_length(&talk->wire, n);
	for (size_t i = 0; i < n; i++)
		if (!put_user(&talk->wire, &users[i]))
			return false;
	kafka_wire_no_tags(&talk->wire);
	return kafka_wire_ask(talk->fd, &talk->wire, true, talk->why, sizeof(talk->why)) &&
	       accepted(talk);
}

static bool attempt(struct talk *talk, const char *address, enum kafka_login_by how,
	const struct kafka_user *as, const struct kafka_user *users, size_t n)
{
	bool good;

	talk->fd = kafka_wire_connect(address, talk->why, sizeof(talk->why));
	if (talk->fd < 0)
		return false;
	good = kafka_wire_log_in(talk->fd, how, as->name, as->password, talk->why,
		       sizeof(talk->why)) == KAFKA_WIRE_OK &&
	       set(talk, users, n);
	(void)close(talk->fd);
	return good;
}

bool users_set(const char *addresses, enum kafka_login_by how, const struct kafka_user *as,
	const struct kafka_user *users, size_t n, long wait_s)
{
	const struct timespec pause = { .tv_nsec = 30000000 };
	static struct talk talk;
	char list[ADDRESSES_MAX];
	time_t end = time(NULL) + wait_s;

	do {
		(void)snprintf(list, sizeof(list), "%s", addresses);
		for (char *rest, *at = strtok_r(list, ",", &rest); at != NULL;
			at = strtok_r(NULL, ",", &rest))
			if (attempt(&talk, at, how, as, users, n)) {
				explicit_bzero(&talk.wire, sizeof(talk.wire));
				return true;
			}
		(void)nanosleep(&pause, NULL);
	} while (time(NULL) <= end);
	(void)fprintf(stderr,
		"kafka-topics: %s: passwords could not be set as %s within %ld s; %s\n", addresses,
		as->name, wait_s, talk.why);
	return false;
}
