/* nanomsg between instances: one PULL socket of our own, one PUSH socket per destination, never
 * waiting. What does not fit is dropped and counted; the protocol repairs it. */
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
/* The next message or NULL; free with nn_bus_message_free. */
void *nn_bus_receive(struct nn_bus *bus, size_t *length_r);
void nn_bus_message_free(void *message);
void nn_bus_free(struct nn_bus **bus);

#endif
