/* nanomsg: parcels from an instance or a client to an address. They may be lost, come twice or
 * late; between two the order is kept, as a connection keeps it. An address nobody listens at keeps
 * a parcel for a moment, as a socket that connects again does. */
#include "tests/sim/world/kernel.h"
#include "tests/sim/fake.h"

#include "libcommon/io/nn_bus.h"

#include <stdlib.h>
#include <string.h>

FAKE(nn_bus_new);
FAKE(nn_bus_fd);
FAKE(nn_bus_connect);
FAKE(nn_bus_gather);
FAKE(nn_bus_send);
FAKE(nn_bus_flush);
FAKE(nn_bus_receive);
FAKE(nn_bus_message_free);
FAKE(nn_bus_free);

#define PEERS_MAX 64
#define PARCEL_BYTES 32768
#define URL_BYTES 96
#define LISTENERS_MAX 64
#define AGAIN_US 20000
#define AGAIN_MAX 15

struct parcel {
	struct parcel *next;
	uint32_t listener, tries;
	size_t length; /* messages, each behind its length in four bytes */
	uint8_t bytes[];
};

struct peer {
	uint32_t listener;
	uint64_t last_us; /* the parcel before arrives then */
	uint8_t *bytes;
	size_t length, room;
};

struct nn_bus {
	struct sim_process *process;
	uint32_t listener;
	int fd;
	struct peer peers[PEERS_MAX];
	size_t peers_n;
	struct parcel *first, *last; /* arrived */
	size_t at;		     /* in the first one */
};

/* Addresses, known for the length of a world. */
static struct {
	char url[URL_BYTES];
	struct nn_bus *bus; /* NULL: nobody, or a client */
	void (*take)(const uint8_t *bytes, size_t n);
	uint64_t last_us; /* of what clients send here */
} listeners[LISTENERS_MAX];
static uint32_t listeners_n;

sim_bus_filter *bus_filter(void);
sim_kafka_filter *kafka_filter(void);

static uint32_t listener_of(const char *url)
{
	for (uint32_t i = 0; i < listeners_n; i++)
		if (strcmp(listeners[i].url, url) == 0)
			return i;
	if (listeners_n == LISTENERS_MAX || strlen(url) >= URL_BYTES)
		sim_fail("nanomsg: too many addresses, or too long: %s", url);
	memset(&listeners[listeners_n], 0, sizeof(listeners[0]));
	memcpy(listeners[listeners_n].url, url, strlen(url) + 1);
	return listeners_n++;
}

static void length_put(uint8_t *at, size_t length)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(length >> (8 * i));
}

static size_t length_get(const uint8_t *at)
{
	size_t length = 0;
	for (int i = 0; i < 4; i++)
		length |= (size_t)at[i] << (8 * i);
	return length;
}

/* ---- on the way --------------------------------------------------------------------------------
 */

static void client_takes(const struct parcel *parcel)
{
	void (*take)(const uint8_t *, size_t) = listeners[parcel->listener].take;
	for (size_t at = 0; at < parcel->length;) {
		size_t length = length_get(parcel->bytes + at);
		take(parcel->bytes + at + 4, length);
		at += 4 + length;
	}
}

static void parcel_trace(const struct parcel *parcel)
{
	for (size_t at = 0; at < parcel->length; at += 4 + length_get(parcel->bytes + at))
		sim_trace("to %s%s", listeners[parcel->listener].url,
			trace_bus(parcel->bytes + at + 4, length_get(parcel->bytes + at)));
}

static void arrives(void *context, uint64_t number)
{
	struct parcel *parcel = context;
	struct nn_bus *bus = listeners[parcel->listener].bus;
	(void)number;
	if (sim_tracing())
		parcel_trace(parcel);
	if (bus != NULL) {
		parcel->next = NULL;
		if (bus->last != NULL)
			bus->last->next = parcel;
		else
			bus->first = parcel;
		bus->last = parcel;
		sim_fd_set(bus->fd, true);
		return;
	}
	if (listeners[parcel->listener].take != NULL)
		client_takes(parcel);
	else if (parcel->tries++ < AGAIN_MAX && stream_random(STREAM_BUS, 8) > 0)
		event_at(sim_now_us() + AGAIN_US, arrives, parcel, 0);
}

/* A command is for the filter of topics, as if it had one; anything else for that of the bus. */
static enum sim_fate filtered(uint32_t listener, const uint8_t *bytes, size_t length)
{
	sim_bus_filter *bus = bus_filter();
	sim_kafka_filter *kafka = kafka_filter();
	struct kafka_message command;
	enum sim_fate fate = SIM_PASS;
	if (!trace_command(bytes, length, &command))
		return bus == NULL ? SIM_PASS : bus(listeners[listener].url, bytes, length);
	if (kafka != NULL)
		fate = kafka(command.topic, command.partition, command.bytes, command.length);
	trace_command_free(&command);
	return fate;
}

/* A parcel with one message, if there is a filter. */
static enum sim_fate draw_fate(uint32_t listener, const uint8_t *bytes, size_t length)
{
	if (stream_chance(STREAM_BUS, sim_faults.bus_drop_ppm))
		return SIM_DROP;
	if (bus_filter() == NULL && kafka_filter() == NULL)
		return SIM_PASS;
	return filtered(listener, bytes + 4, length - 4);
}

static void parcel_leave(uint32_t listener, const uint8_t *bytes, size_t length, uint64_t *last_us)
{
	enum sim_fate fate = draw_fate(listener, bytes, length);
	int copies = fate == SIM_TWICE ? 2 : 1;
	if (fate == SIM_DROP)
		return;
	if (stream_chance(STREAM_BUS, sim_faults.bus_repeat_ppm))
		copies = 2;
	for (int i = 0; i < copies; i++) {
		struct parcel *parcel = world_alloc(sizeof(*parcel) + length);
		*parcel = (struct parcel){ .listener = listener, .length = length };
		memcpy(parcel->bytes, bytes, length);
		uint64_t at_us = sim_now_us() + stream_us(STREAM_TIMES, 20, 300);
		if (i > 0)
			at_us += stream_us(STREAM_BUS, 100, 2000000);
		else if (stream_chance(STREAM_BUS, sim_faults.bus_late_ppm))
			at_us += stream_us(STREAM_BUS, 1000, 2000000);
		if (i == 0 && at_us < *last_us)
			at_us = *last_us;
		if (i == 0)
			*last_us = at_us;
		/* By a filter: this one alone, overtaken by those behind it. */
		if (fate == SIM_LATE_3S)
			at_us += 3000000;
		event_at(at_us, arrives, parcel, 0);
	}
}

/* ---- what instances call ------------------------------------------------------------------------
 */

struct nn_bus *__wrap_nn_bus_new(const char *own_url)
{
	struct nn_bus *bus = sim_alloc(sizeof(*bus));
	bus->process = sim_current();
	bus->listener = listener_of(own_url);
	if (listeners[bus->listener].bus != NULL)
		sim_fail("nanomsg: %s is listened at twice", own_url);
	bus->fd = sim_fd_open();
	listeners[bus->listener].bus = bus;
	return bus;
}

int __wrap_nn_bus_fd(const struct nn_bus *bus)
{
	return bus->fd;
}

static struct peer *peer_of(struct nn_bus *bus, const char *url)
{
	uint32_t listener = listener_of(url);
	for (size_t i = 0; i < bus->peers_n; i++)
		if (bus->peers[i].listener == listener)
			return &bus->peers[i];
	if (bus->peers_n == PEERS_MAX)
		sim_fail("nanomsg: more than %d peers", PEERS_MAX);
	bus->peers[bus->peers_n] = (struct peer){ .listener = listener };
	return &bus->peers[bus->peers_n++];
}

void __wrap_nn_bus_connect(struct nn_bus *bus, const char *url)
{
	if (url[0] != '\0')
		(void)peer_of(bus, url);
}

/* A filter decides on each message: then each has a parcel of its own. */
static void parcels_leave(struct peer *peer)
{
	if (bus_filter() == NULL && kafka_filter() == NULL) {
		parcel_leave(peer->listener, peer->bytes, peer->length, &peer->last_us);
		return;
	}
	for (size_t at = 0; at < peer->length; at += 4 + length_get(peer->bytes + at))
		parcel_leave(peer->listener, peer->bytes + at, 4 + length_get(peer->bytes + at),
			&peer->last_us);
}

static void peer_flush(struct peer *peer)
{
	if (peer->length == 0)
		return;
	sim_effect("nanomsg: a parcel leaves");
	parcels_leave(peer);
	peer->length = 0;
	sim_effect("nanomsg: a parcel has left");
}

void __wrap_nn_bus_gather(struct nn_bus *bus, const char *url, const void *bytes, size_t length)
{
	if (url[0] == '\0')
		return;
	struct peer *peer = peer_of(bus, url);
	if (peer->length + 4 + length > peer->room) {
		size_t room = peer->length + 4 + length + PARCEL_BYTES;
		uint8_t *larger = sim_alloc(room);
		if (peer->length > 0)
			memcpy(larger, peer->bytes, peer->length);
		sim_free(peer->bytes);
		peer->bytes = larger;
		peer->room = room;
	}
	length_put(peer->bytes + peer->length, length);
	if (length > 0)
		memcpy(peer->bytes + peer->length + 4, bytes, length);
	peer->length += 4 + length;
	if (peer->length >= PARCEL_BYTES)
		peer_flush(peer);
}

bool __wrap_nn_bus_send(struct nn_bus *bus, const char *url, const void *bytes, size_t length)
{
	nn_bus_gather(bus, url, bytes, length);
	if (url[0] != '\0')
		peer_flush(peer_of(bus, url));
	return true;
}

void __wrap_nn_bus_flush(struct nn_bus *bus)
{
	for (size_t i = 0; i < bus->peers_n; i++)
		peer_flush(&bus->peers[i]);
}

void *__wrap_nn_bus_receive(struct nn_bus *bus, size_t *length_r)
{
	struct parcel *parcel = bus->first;
	if (parcel == NULL)
		return NULL;
	const uint8_t *at = parcel->bytes + bus->at;
	*length_r = length_get(at);
	void *message = sim_alloc(*length_r + 1);
	memcpy(message, at + 4, *length_r);
	bus->at += 4 + *length_r;
	if (bus->at == parcel->length) {
		bus->at = 0;
		bus->first = parcel->next;
		if (bus->first == NULL) {
			bus->last = NULL;
			sim_fd_set(bus->fd, false);
		}
	}
	return message;
}

void __wrap_nn_bus_message_free(void *message)
{
	sim_free(message);
}

void __wrap_nn_bus_free(struct nn_bus **bus)
{
	if (*bus == NULL)
		return;
	nn_bus_flush(*bus);
	listeners[(*bus)->listener].bus = NULL;
	sim_fd_close((*bus)->fd);
	*bus = NULL;
}

/* ---- clients, the world
 * -------------------------------------------------------------------------- */

void sim_bus_listen(const char *url, void (*take)(const uint8_t *bytes, size_t n))
{
	listeners[listener_of(url)].take = take;
}

void sim_bus_send(const char *url, const void *bytes, size_t n)
{
	uint8_t *parcel = world_alloc(4 + n);
	uint32_t listener = listener_of(url);
	length_put(parcel, n);
	memcpy(parcel + 4, bytes, n);
	parcel_leave(listener, parcel, 4 + n, &listeners[listener].last_us);
}

void bus_process_died(struct sim_process *process)
{
	for (uint32_t i = 0; i < listeners_n; i++)
		if (listeners[i].bus != NULL && listeners[i].bus->process == process)
			listeners[i].bus = NULL;
}

void bus_world_begin(void)
{
	listeners_n = 0;
}

void bus_world_end(void)
{
	listeners_n = 0;
}
