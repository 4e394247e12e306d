/* nanomsg between instances: one PULL socket of our own, one PUSH socket per destination, never
 * waiting. What does not fit is dropped and counted; the protocol repairs it.
 *
 * On the wire a nanomsg message is a parcel of one or more of ours, each behind its length in four
 * bytes, lowest first: a parcel costs the same two system calls and wake-ups as a message alone. */
#ifndef CARILLON_IO_NN_BUS_H
#define CARILLON_IO_NN_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nn_bus;

struct nn_bus *nn_bus_new(const char *own_url); /* binds; fatal when it cannot */
int nn_bus_fd(const struct nn_bus *bus);	/* readable when a message waits */
/* Connects ahead, so that the first message is not lost to the handshake. */
void nn_bus_connect(struct nn_bus *bus, const char *url);
bool nn_bus_send(
	struct nn_bus *bus, const char *url, const void *bytes, size_t length); /* false: dropped */
/* The same with other messages to this url, in order: leaves with nn_bus_flush at the latest. */
void nn_bus_gather(struct nn_bus *bus, const char *url, const void *bytes, size_t length);
void nn_bus_flush(struct nn_bus *bus); /* what was gathered leaves */
/* The next message or NULL; free with nn_bus_message_free. */
void *nn_bus_receive(struct nn_bus *bus, size_t *length_r);
void nn_bus_message_free(void *message);
void nn_bus_free(struct nn_bus **bus);

#endif
