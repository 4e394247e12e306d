#include "libcommon/io/kafka_wire.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/kafka_scram.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define LENGTH_BYTES 4
#define CORRELATION 1u
#define CLIENT "carillon"
#define SASL_HANDSHAKE 17 /* numbers of requests */
#define SASL_AUTHENTICATE 36

void kafka_wire_bytes(struct kafka_wire *wire, const void *bytes, size_t n)
{
	if (n > KAFKA_WIRE_BYTES_MAX - wire->length) {
		wire->bad = true;
		return;
	}
	if (n > 0)
		memcpy(wire->bytes + wire->length, bytes, n);
	wire->length += n;
}

void kafka_wire_number(struct kafka_wire *wire, uint32_t value, size_t bytes)
{
	uint8_t out[4];

	for (size_t i = 0; i < bytes; i++)
		out[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
	kafka_wire_bytes(wire, out, bytes);
}

void kafka_wire_text(struct kafka_wire *wire, const char *text)
{
	kafka_wire_number(wire, (uint32_t)strlen(text), 2);
	kafka_wire_bytes(wire, text, strlen(text));
}

void kafka_wire_compact_length(struct kafka_wire *wire, size_t n)
{
	for (n++; n > 127; n >>= 7)
		kafka_wire_number(wire, (uint32_t)(n & 127) | 128, 1);
	kafka_wire_number(wire, (uint32_t)n, 1);
}

void kafka_wire_compact(struct kafka_wire *wire, const void *bytes, size_t n)
{
	kafka_wire_compact_length(wire, n);
	kafka_wire_bytes(wire, bytes, n);
}

void kafka_wire_no_tags(struct kafka_wire *wire)
{
	kafka_wire_number(wire, 0, 1);
}

void kafka_wire_begin(struct kafka_wire *wire, int16_t kind, int16_t version, bool compact)
{
	wire->length = wire->at = 0;
	wire->bad = false;
	kafka_wire_number(wire, 0, LENGTH_BYTES); /* kafka_wire_ask knows it */
	kafka_wire_number(wire, (uint16_t)kind, 2);
	kafka_wire_number(wire, (uint16_t)version, 2);
	kafka_wire_number(wire, CORRELATION, 4);
	kafka_wire_text(wire, CLIENT);
	if (compact)
		kafka_wire_no_tags(wire);
}

const uint8_t *kafka_wire_take_bytes(struct kafka_wire *wire, size_t n)
{
	if (n > wire->length - wire->at) {
		wire->bad = true;
		return NULL;
	}
	wire->at += n;
	return wire->bytes + wire->at - n;
}

uint32_t kafka_wire_take(struct kafka_wire *wire, size_t bytes)
{
	const uint8_t *from = kafka_wire_take_bytes(wire, bytes);
	uint32_t value = 0;

	for (size_t i = 0; from != NULL && i < bytes; i++)
		value = value << 8 | from[i];
	return value;
}

long kafka_wire_take_compact_length(struct kafka_wire *wire)
{
	uint32_t value = 0;

	for (unsigned shift = 0; shift < 28; shift += 7) {
		uint32_t byte = kafka_wire_take(wire, 1);

		value |= (byte & 127u) << shift;
		if (byte < 128)
			break;
	}
	return (long)value - 1;
}

int kafka_wire_socket(const struct sockaddr *address)
{
	const struct timeval wait = { .tv_sec = KAFKA_WIRE_WAIT_MS / 1000 };
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	return fd;
}

bool kafka_wire_connect_to(int fd, const struct sockaddr *address, socklen_t length)
{
	if (connect(fd, address, length) == 0)
		return true;
	/* So the kernel says that SO_SNDTIMEO is over. */
	if (errno == EINPROGRESS)
		errno = ETIMEDOUT;
	return false;
}

int kafka_wire_connect(const char *address, char *why, size_t size)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	const char *colon = strrchr(address, ':');
	struct addrinfo *found = NULL;
	char host[256];
	int fd = -1;
	(void)snprintf(
		host, sizeof(host), "%.*s", colon == NULL ? 0 : (int)(colon - address), address);
	if (colon == NULL || getaddrinfo(host, colon + 1, &hints, &found) != 0) {
		(void)snprintf(why, size, "found the address '%s', expected host:port", address);
		return -1;
	}
	for (const struct addrinfo *at = found; at != NULL && fd < 0; at = at->ai_next) {
		fd = kafka_wire_socket(at->ai_addr);
		if (fd >= 0 && kafka_wire_connect_to(fd, at->ai_addr, at->ai_addrlen))
			break;
		(void)snprintf(why, size, "%s", strerror(errno));
		if (fd >= 0)
			(void)close(fd);
		fd = -1;
	}
	freeaddrinfo(found);
	return fd;
}

/* Until end_us, however little comes at a time. */
static bool receive(int fd, uint8_t *to, size_t n, uint64_t end_us)
{
	for (size_t had = 0; had < n;) {
		uint64_t now_us = clock_mono_us(), left_us = now_us < end_us ? end_us - now_us : 0;
		const struct timeval wait = { .tv_sec = (time_t)(left_us / 1000000),
			.tv_usec = (suseconds_t)(left_us % 1000000) };

		if (left_us == 0)
			return false;
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
		ssize_t more = recv(fd, to + had, n - had, 0);
		if (more <= 0)
			return false;
		had += (size_t)more;
	}
	return true;
}

bool kafka_wire_ask(int fd, struct kafka_wire *wire, bool compact, char *why, size_t size)
{
	size_t length = wire->length;
	uint64_t end_us = clock_mono_us() + KAFKA_WIRE_WAIT_MS * 1000ull;

	wire->length = 0;
	kafka_wire_number(wire, (uint32_t)(length - LENGTH_BYTES), LENGTH_BYTES);
	if (wire->bad || send(fd, wire->bytes, length, MSG_NOSIGNAL) != (ssize_t)length) {
		(void)snprintf(why, size, "the request could not be sent");
		return false;
	}
	wire->length = LENGTH_BYTES;
	wire->at = 0;
	length = receive(fd, wire->bytes, LENGTH_BYTES, end_us)
			 ? kafka_wire_take(wire, LENGTH_BYTES)
			 : 0;
	wire->at = 0;
	wire->length = length;
	if (length == 0 || length > KAFKA_WIRE_BYTES_MAX ||
		!receive(fd, wire->bytes, length, end_us) ||
		kafka_wire_take(wire, 4) != CORRELATION) {
		(void)snprintf(why, size, "the connection ended without an answer");
		return false;
	}
	if (compact)
		(void)kafka_wire_take(wire, 1);
	return true;
}

/* ---- log-in ---- */

static enum kafka_wire_status handshake(
	int fd, struct kafka_wire *wire, const char *mechanism, char *why, size_t size)
{
	kafka_wire_begin(wire, SASL_HANDSHAKE, 1, false);
	kafka_wire_text(wire, mechanism);
	if (!kafka_wire_ask(fd, wire, false, why, size))
		return KAFKA_WIRE_LOST;
	if (kafka_wire_take(wire, 2) == 0 && !wire->bad)
		return KAFKA_WIRE_OK;
	(void)snprintf(why, size, "it takes no log-in by %s", mechanism);
	return KAFKA_WIRE_REFUSED;
}

/* Sends a message of the mechanism; its answer is text. */
static enum kafka_wire_status authenticate(int fd, struct kafka_wire *wire, const char *message,
	size_t n, char answer[KAFKA_SCRAM_TEXT_MAX], char *why, size_t size)
{
	kafka_wire_begin(wire, SASL_AUTHENTICATE, 0, false);
	kafka_wire_number(wire, (uint32_t)n, 4);
	kafka_wire_bytes(wire, message, n);
	if (!kafka_wire_ask(fd, wire, false, why, size))
		return KAFKA_WIRE_LOST;
	uint32_t error = kafka_wire_take(wire, 2);
	uint32_t length = kafka_wire_take(wire, 2);
	const uint8_t *text = length == UINT16_MAX ? NULL : kafka_wire_take_bytes(wire, length);
	if (error != 0 || wire->bad) {
		(void)snprintf(why, size, "%.*s", text == NULL ? 0 : (int)length,
			text == NULL ? "" : (const char *)text);
		return KAFKA_WIRE_REFUSED;
	}
	length = kafka_wire_take(wire, 4);
	text = kafka_wire_take_bytes(wire, length);
	(void)snprintf(answer, KAFKA_SCRAM_TEXT_MAX, "%.*s", text == NULL ? 0 : (int)length,
		text == NULL ? "" : (const char *)text);
	(void)snprintf(why, size, "its answer is none of SCRAM");
	return wire->bad ? KAFKA_WIRE_LOST : KAFKA_WIRE_OK;
}

static enum kafka_wire_status log_in_plain(int fd, struct kafka_wire *wire, const char *user,
	const char *password, char *why, size_t size)
{
	char message[KAFKA_SCRAM_TEXT_MAX], answer[KAFKA_SCRAM_TEXT_MAX];
	int n = snprintf(message, sizeof(message), "%c%s%c%s", '\0', user, '\0', password);
	enum kafka_wire_status status = handshake(fd, wire, "PLAIN", why, size);
	if (status == KAFKA_WIRE_OK)
		status = authenticate(fd, wire, message, (size_t)n, answer, why, size);
	explicit_bzero(message, sizeof(message));
	return status;
}

static enum kafka_wire_status log_in_scram(int fd, struct kafka_wire *wire, const char *user,
	const char *password, char *why, size_t size)
{
	struct kafka_scram scram;
	char answer[KAFKA_SCRAM_TEXT_MAX];
	enum kafka_wire_status status = handshake(fd, wire, "SCRAM-SHA-256", why, size);
	if (status != KAFKA_WIRE_OK)
		return status;
	if (!kafka_scram_begin(&scram, user, NULL)) {
		(void)snprintf(why, size, "the user's name has a comma or an equal sign");
		return KAFKA_WIRE_REFUSED;
	}
	status = authenticate(fd, wire, scram.first, strlen(scram.first), answer, why, size);
	if (status != KAFKA_WIRE_OK)
		return status;
	if (!kafka_scram_prove(&scram, password, answer))
		return KAFKA_WIRE_LOST;
	status = authenticate(fd, wire, scram.final, strlen(scram.final), answer, why, size);
	if (status != KAFKA_WIRE_OK || kafka_scram_check(&scram, answer))
		return status;
	(void)snprintf(why, size, "the other side does not know the password: it is not Kafka");
	return KAFKA_WIRE_REFUSED;
}

enum kafka_wire_status kafka_wire_log_in(int fd, enum kafka_login_by how, const char *user,
	const char *password, char *why, size_t size)
{
	struct kafka_wire wire;
	enum kafka_wire_status status =
		how == KAFKA_LOGIN_PLAIN ? log_in_plain(fd, &wire, user, password, why, size)
					 : log_in_scram(fd, &wire, user, password, why, size);
	explicit_bzero(&wire, sizeof(wire));
	return status;
}
