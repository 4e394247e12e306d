/* What we say to Kafka ourselves, and not by librdkafka: the log-in of a connection, and what sets
 * passwords. Requests and answers over one connection, which waits: big-endian numbers; texts and
 * bytes with their length before them, and in the "compact" form that newer requests have, with the
 * length plus one as a varint. */
#ifndef CARILLON_IO_KAFKA_WIRE_H
#define CARILLON_IO_KAFKA_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum { KAFKA_WIRE_BYTES_MAX = 16384, KAFKA_WIRE_WAIT_MS = 3000 };

/* A message that is written, or read; bad: it did not fit, or ended too soon. */
struct kafka_wire {
	uint8_t bytes[KAFKA_WIRE_BYTES_MAX];
	size_t length, at;
	bool bad;
};

/* An empty request: put its body, then send it. compact: of the newer form. */
void kafka_wire_begin(struct kafka_wire *wire, int16_t kind, int16_t version, bool compact);
void kafka_wire_number(struct kafka_wire *wire, uint32_t value, size_t bytes);
void kafka_wire_bytes(struct kafka_wire *wire, const void *bytes, size_t n);
void kafka_wire_text(struct kafka_wire *wire, const char *text);
void kafka_wire_compact_length(struct kafka_wire *wire, size_t n); /* of an array, too */
void kafka_wire_compact(struct kafka_wire *wire, const void *bytes, size_t n);
void kafka_wire_no_tags(struct kafka_wire *wire);

uint32_t kafka_wire_take(struct kafka_wire *wire, size_t bytes);
/* -1: null. */
long kafka_wire_take_compact_length(struct kafka_wire *wire);
/* n bytes of the message, or NULL if it has fewer. */
const uint8_t *kafka_wire_take_bytes(struct kafka_wire *wire, size_t n);

/* How a client logs in. PLAIN shows its password to whoever listens. */
enum kafka_login_by { KAFKA_LOGIN_SCRAM, KAFKA_LOGIN_PLAIN };
enum kafka_wire_status {
	KAFKA_WIRE_OK = 0,
	KAFKA_WIRE_LOST,    /* no answer, or none of Kafka's: try again */
	KAFKA_WIRE_REFUSED, /* user and password are wrong, or the other side does not know them */
};
enum kafka_wire_status kafka_wire_log_in(int fd, enum kafka_login_by how, const char *user,
	const char *password, char *why, size_t size);

/* A connection to host:port; -1 with the reason. */
int kafka_wire_connect(const char *address, char *why, size_t size);
/* The same in two steps, to an address that is known: a socket, or -1, then its connection. Both
 * with errno. */
int kafka_wire_socket(const struct sockaddr *address);
bool kafka_wire_connect_to(int fd, const struct sockaddr *address, socklen_t length);
/* Sends the request and reads its answer into the same wire, up to after the header. An answer that
 * is not there as a whole after KAFKA_WIRE_WAIT_MS is none. */
bool kafka_wire_ask(int fd, struct kafka_wire *wire, bool compact, char *why, size_t size);

#endif
