/* nanomsg between instances: one PULL socket of our own, one PUSH socket per destination. No
 * function waits: the bus drops and counts a message that the socket does not take at once. The
 * message's sender repeats it, or the receiver gets its content another way.
 *
 * One nanomsg message is a parcel of one or more of our messages (nn_parcel.h), sealed for the
 * receiving instance (seal_box.h). A parcel of many messages costs no more system calls, wake-ups
 * and seals than a single message.
 *
 * The bus drops parcels that it cannot open and messages that their sender may not send. It counts
 * them by reason (carillon_bus_refused_total) and logs at most one a second. After dozens of
 * refusals it also drops the rest of the parcel that it is reading. */
#ifndef CARILLON_IO_NN_BUS_H
#define CARILLON_IO_NN_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nn_bus;

/* Another instance, as carillon.instance lists it. */
struct nn_bus_instance {
	const char *service, *url;
	uint64_t boot; /* identifies its start (seal.h) */
};

/* May this sender send this message to us? NULL: yes; else the reason why not, in words for people.
 * age_us: the time since the message was sealed. */
typedef const char *nn_bus_permit(const struct nn_bus_instance *from, const char *to,
	const uint8_t *message, size_t n, int64_t age_us);

/* Opens the bus at own_url for our own `service`. Reads <service>/bus.keys in the folder `keys`.
 * Reads it again when it changes, and does so at once when a parcel needs a key that is missing.
 * From now on this process also signs and checks events with these keys (event_mac.h). Fatal if
 * it cannot listen at the address or read the keys. */
struct nn_bus *nn_bus_new(
	const char *own_url, const char *service, const char *keys, nn_bus_permit *permit);
/* Our boot, which identifies this start of the instance. The caller writes it to
 * carillon.instance.boot; until then other instances refuse what this bus sends. */
uint64_t nn_bus_boot(const struct nn_bus *bus);
int nn_bus_fd(const struct nn_bus *bus); /* readable when a message waits */
/* Names a live instance. Call it for every live instance, at each reading of carillon.instance: the
 * bus sends only to named instances and accepts only their messages. Connects ahead, so the first
 * message is not lost while the connection opens. */
void nn_bus_list(struct nn_bus *bus, const struct nn_bus_instance *instance);
/* True if a parcel has come from an instance that nn_bus_list has not named yet, and none of the
 * earlier calls has reported it: the caller should read carillon.instance and name the instances
 * again. True at most 20 times a second. */
bool nn_bus_stranger(struct nn_bus *bus);
/* False: dropped. */
bool nn_bus_send(struct nn_bus *bus, const char *url, const void *bytes, size_t length);
/* Collects messages to this url, in order. Sends them when a parcel is full, else in
 * nn_bus_flush. */
void nn_bus_gather(struct nn_bus *bus, const char *url, const void *bytes, size_t length);
void nn_bus_flush(struct nn_bus *bus); /* sends all collected messages */
/* The next message; free it with nn_bus_message_free. NULL: none waits, or dozens were refused. In
 * the second case more may wait, but the caller does its other work first. */
void *nn_bus_receive(struct nn_bus *bus, size_t *length_r);
void nn_bus_message_free(void *message);
void nn_bus_free(struct nn_bus **bus);

#endif
