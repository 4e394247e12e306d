/* nanomsg between instances: one PULL socket of our own, one PUSH socket per destination. Nothing
 * here waits: a message that does not fit is dropped and counted, and the services' protocol
 * recovers it.
 *
 * On the wire a nanomsg message is a parcel of one or more of our messages (nn_parcel.h). A parcel
 * of many messages costs no more system calls and wake-ups than a single message. */
#ifndef CARILLON_IO_NN_BUS_H
#define CARILLON_IO_NN_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nn_bus;

struct nn_bus *nn_bus_new(const char *own_url); /* binds; fatal on failure */
int nn_bus_fd(const struct nn_bus *bus);	/* readable when a message waits */
/* Connects ahead, so the first message is not lost while the connection opens. */
void nn_bus_connect(struct nn_bus *bus, const char *url);
/* False: dropped. */
bool nn_bus_send(struct nn_bus *bus, const char *url, const void *bytes, size_t length);
/* Collects messages to this url, in order. Sends them when a parcel is full, else in
 * nn_bus_flush. */
void nn_bus_gather(struct nn_bus *bus, const char *url, const void *bytes, size_t length);
void nn_bus_flush(struct nn_bus *bus); /* sends all collected messages */
/* The next message or NULL; free with nn_bus_message_free. */
void *nn_bus_receive(struct nn_bus *bus, size_t *length_r);
void nn_bus_message_free(void *message);
void nn_bus_free(struct nn_bus **bus);

#endif
