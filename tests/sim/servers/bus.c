/* nanomsg: parcels from an instance or a client to an address. They may be lost, come twice or
 * late; between two the order is kept, as a connection keeps it. An address nobody listens at keeps
 * a parcel for a moment, as a socket that connects again does.
 *
 * Parcels are sealed and opened by the instances' own code, with real keys, but with a quick cipher
 * that keeps nothing secret (cipher.c). Somebody without keys changes parcels, and sends those of
 * before again, also to an instance that has started since; a service that keeps to nothing says
 * with its own keys what others say. None of it may be taken: the parcel itself knows what it is.
 */
#include "tests/sim/servers/kafka.h"
#include "tests/sim/world/kernel.h"
#include "tests/sim/fake.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/nn_bus.h"

#include "libcommon/io/seal_box.h"
#include "libcommon/service/permit.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

FAKE(nn_bus_new);
FAKE(nn_bus_fd);
FAKE(nn_bus_boot);
FAKE(nn_bus_list);
FAKE(nn_bus_stranger);
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
#define SERVICES_N 7

#define RECORDED 16 /* parcels to an address that are kept, to be sent again */
#define RECORDED_BYTES 512

/* What nobody may take. */
enum honest { HONEST = 0, CHANGED, REPLAYED, FORBIDDEN };
static const char *const DISHONEST[] = { "", "changed", "sent again", "of a sender who may not" };

struct parcel {
	struct parcel *next;
	uint32_t listener, tries;
	enum honest honest;
	size_t length; /* sealed */
	uint8_t bytes[];
};

/* The box of an instance is its own code's: so a mistake in it is found. */
struct seal_code {
	__typeof__(&seal_box_begin) begin;
	__typeof__(&seal_box_list) list;
	__typeof__(&seal_box_close) close;
	__typeof__(&seal_box_open) open;
};
static const struct seal_code OURS = { seal_box_begin, seal_box_list, seal_box_close,
	seal_box_open };

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
	bool opened;		     /* the first one: */
	struct seal_opened open;
	size_t at; /* in it */
	bool stranger;
	nn_bus_permit *permit;
	struct seal_code code;
	struct seal_box box;
};

/* Addresses, known for the length of a world. */
static struct listener {
	char url[URL_BYTES];
	struct nn_bus *bus; /* NULL: nobody, or a client */
	void (*take)(const uint8_t *bytes, size_t n);
	struct seal_box *box; /* a client's */
	uint64_t last_us;     /* of what clients send here */
	struct recorded {
		size_t length;
		uint8_t bytes[RECORDED_BYTES];
	} recorded[RECORDED];
	uint32_t recorded_n; /* ever */
} listeners[LISTENERS_MAX];
static uint32_t listeners_n;

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

static void messages_trace(uint32_t listener, const struct seal_opened *open)
{
	for (size_t at = 0; at < open->n; at += 4 + length_get(open->content + at))
		sim_trace("to %s%s", listeners[listener].url,
			trace_bus(open->content + at + 4, length_get(open->content + at)));
}

/* A parcel that was taken is kept, so that somebody may send it again. */
static void record(const struct parcel *parcel, const uint8_t *sealed)
{
	struct listener *listener = &listeners[parcel->listener];
	struct recorded *recorded = &listener->recorded[listener->recorded_n % RECORDED];
	if (parcel->length > RECORDED_BYTES)
		return;
	memcpy(recorded->bytes, sealed, parcel->length);
	recorded->length = parcel->length;
	listener->recorded_n++;
}

/* Opens a parcel in place. */
static bool parcel_open(const struct seal_code *code, struct seal_box *box, struct parcel *parcel,
	struct seal_opened *open, bool *stranger)
{
	uint8_t sealed[RECORDED_BYTES];
	memcpy(sealed, parcel->bytes,
		parcel->length < RECORDED_BYTES ? parcel->length : RECORDED_BYTES);
	enum seal_status status =
		code->open(box, parcel->bytes, parcel->length, clock_wall_us(), open);
	*stranger = *stranger || status == SEAL_UNLISTED;
	if (status != SEAL_OK)
		return false;
	if (parcel->honest == CHANGED || parcel->honest == REPLAYED)
		sim_fail("nanomsg: %s takes a parcel that was %s", listeners[parcel->listener].url,
			DISHONEST[parcel->honest]);
	record(parcel, sealed);
	if (sim_tracing())
		messages_trace(parcel->listener, open);
	return true;
}

static bool permitted(nn_bus_permit *permit, const char *to, const struct parcel *parcel,
	const struct seal_opened *open, const uint8_t *message, size_t n)
{
	const struct nn_bus_instance from = { .service = open->from, .url = open->from_url };
	if (permit(&from, to, message, n, open->age_us) != NULL)
		return false;
	if (parcel->honest == FORBIDDEN)
		sim_fail("nanomsg: %s takes from %s what it may not say%s",
			listeners[parcel->listener].url, open->from, trace_bus(message, n));
	return true;
}

static void client_takes(struct parcel *parcel)
{
	struct listener *listener = &listeners[parcel->listener];
	struct seal_opened open;
	bool stranger = false;
	if (!parcel_open(&OURS, listener->box, parcel, &open, &stranger))
		return;
	for (size_t at = 0; at < open.n;) {
		size_t length = length_get(open.content + at);
		if (permitted(permit_refusal, listener->box->service, parcel, &open,
			    open.content + at + 4, length))
			listener->take(open.content + at + 4, length);
		at += 4 + length;
	}
}

static void arrives(void *context, uint64_t number)
{
	struct parcel *parcel = context;
	struct nn_bus *bus = listeners[parcel->listener].bus;
	(void)number;
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

/* Who seals. */
struct sender {
	struct seal_box *box;
	const struct seal_code *code;
};

/* As the directory names them: a client knows who listens where, and an instance the client. */
static void introduce(struct sender sender, uint32_t listener)
{
	const struct listener *to = &listeners[listener];
	const struct seal_peer *own = &sender.box->peers[0];
	if (to->bus != NULL && sender.code == &OURS)
		OURS.list(
			sender.box, to->bus->box.service, to->url, to->bus->box.boot, sim_now_us());
	if (to->box != NULL)
		OURS.list(to->box, own->service, own->url, own->boot, sim_now_us());
}

/* NULL: nobody is listed there. */
static struct parcel *sealed(
	struct sender sender, uint32_t listener, const uint8_t *bytes, size_t length)
{
	struct parcel *parcel = world_alloc(sizeof(*parcel) + length + SEAL_MORE_BYTES);
	introduce(sender, listener);
	*parcel = (struct parcel){ .listener = listener };
	parcel->length = sender.code->close(
		sender.box, listeners[listener].url, bytes, length, clock_wall_us(), parcel->bytes);
	return parcel->length == 0 ? NULL : parcel;
}

static struct parcel *copied(
	uint32_t listener, const uint8_t *bytes, size_t length, enum honest honest)
{
	struct parcel *parcel = world_alloc(sizeof(*parcel) + length);
	*parcel = (struct parcel){ .listener = listener, .honest = honest, .length = length };
	memcpy(parcel->bytes, bytes, length);
	return parcel;
}

/* Some instance seals what is not its own to say: the first message of a parcel. */
static struct parcel *forbidden(uint32_t listener, const uint8_t *bytes)
{
	struct nn_bus *to = listeners[listener].bus;
	struct nn_bus *from = listeners[stream_random(STREAM_BUS, listeners_n)].bus;
	size_t length = length_get(bytes);
	if (to == NULL || from == NULL)
		return NULL;
	const struct nn_bus_instance who = { .service = from->box.service,
		.url = from->box.peers[0].url };
	if (permit_refusal(&who, to->box.service, bytes + 4, length, 0) == NULL)
		return NULL;
	struct parcel *parcel =
		sealed((struct sender){ &from->box, &from->code }, listener, bytes, 4 + length);
	if (parcel != NULL)
		parcel->honest = FORBIDDEN;
	return parcel;
}

/* Beside an honest parcel. */
static void forge(uint32_t listener, const uint8_t *bytes, const struct parcel *honest)
{
	const struct listener *to = &listeners[listener];
	struct parcel *parcel = NULL;
	uint64_t which = stream_random(STREAM_BUS, 3);
	if (which == 0) {
		parcel = copied(listener, honest->bytes, honest->length, CHANGED);
		parcel->bytes[stream_random(STREAM_BUS, honest->length)] ^=
			(uint8_t)(1 + stream_random(STREAM_BUS, 255));
	} else if (which == 1 && to->recorded_n > 0) {
		uint64_t n = to->recorded_n < RECORDED ? to->recorded_n : RECORDED;
		const struct recorded *recorded = &to->recorded[stream_random(STREAM_BUS, n)];
		parcel = copied(listener, recorded->bytes, recorded->length, REPLAYED);
	} else if (which == 2) {
		parcel = forbidden(listener, bytes);
	}
	if (parcel != NULL)
		event_at(sim_now_us() + stream_us(STREAM_BUS, 20, 1000000), arrives, parcel, 0);
}

static uint64_t arrival_us(int copy, enum sim_fate fate, uint64_t *last_us)
{
	uint64_t at_us = sim_now_us() + stream_us(STREAM_TIMES, 20, 300);
	if (copy > 0)
		at_us += stream_us(STREAM_BUS, 100, 2000000);
	else if (stream_chance(STREAM_BUS, sim_faults.bus_late_ppm))
		at_us += stream_us(STREAM_BUS, 1000, 2000000);
	if (copy == 0 && at_us < *last_us)
		at_us = *last_us;
	if (copy == 0)
		*last_us = at_us;
	/* By a filter: this one alone, overtaken by those behind it. */
	return fate == SIM_LATE_3S ? at_us + 3000000 : at_us;
}

/* What comes twice is sealed twice, as an asker does who asks again, or comes twice as it is: then
 * the second is lost. */
static void parcel_leave(struct sender sender, uint32_t listener, const uint8_t *bytes,
	size_t length, uint64_t *last_us)
{
	enum sim_fate fate = draw_fate(listener, bytes, length);
	int copies = fate == SIM_TWICE ? 2 : 1;
	struct parcel *parcel = NULL;
	if (fate == SIM_DROP)
		return;
	if (stream_chance(STREAM_BUS, sim_faults.bus_repeat_ppm))
		copies = 2;
	for (int i = 0; i < copies; i++) {
		bool as_it_is =
			parcel != NULL && fate != SIM_TWICE && stream_random(STREAM_BUS, 2) > 0;
		parcel = as_it_is ? copied(listener, parcel->bytes, parcel->length, HONEST)
				  : sealed(sender, listener, bytes, length);
		if (parcel == NULL)
			return;
		event_at(arrival_us(i, fate, last_us), arrives, parcel, 0);
	}
	if (stream_chance(STREAM_BUS, sim_faults.bus_forge_ppm))
		forge(listener, bytes, parcel);
}

/* ---- what instances call ------------------------------------------------------------------------
 */

/* Keys of all pairs, for a service; made once. */
static void keys_of(struct seal_box *box)
{
	static const char *const NAMES[SERVICES_N] = { "wallet", "spin-engine", "progressive-pool",
		"jackpot-cards", "payments", "gateway", "notifications" };
	static struct seal_keys keys[SERVICES_N];
	char text[SERVICES_N * 2 * 160], error[SEAL_ERROR_MAX];
	size_t own = 0, n = 0;
	while (own < SERVICES_N && strcmp(NAMES[own], box->service) != 0)
		own++;
	if (own == SERVICES_N)
		sim_fail("nanomsg: %s is no service of the simulator", box->service);
	for (size_t i = 0; keys[own].n == 0 && i < 2 * SERVICES_N; i++) {
		size_t from = i % 2 == 0 ? own : i / 2, to = i % 2 == 0 ? i / 2 : own;
		if (i % 2 == 1 && from == to)
			continue;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s 1 %064zx 0\n", NAMES[from],
			NAMES[to], 1 + from * SERVICES_N + to);
	}
	if (n > 0 && !seal_keys_parse(text, n, box->service, &keys[own], error))
		sim_fail("nanomsg: keys: %s", error);
	box->keys = keys[own];
}

/* POSIX gives functions as objects. Without a library, as in tests, the code is ours. */
#define CODE(of, name)                                                                             \
	do {                                                                                       \
		void *at = (of) == NULL ? NULL : dlsym((of), "seal_box_" #name);                   \
		if (at != NULL)                                                                    \
			memcpy(&code.name, &at, sizeof(at));                                       \
	} while (0)

static struct seal_code code_of(const struct sim_process *process)
{
	struct seal_code code = OURS;
	void *library = process == NULL ? NULL : process->library;
	CODE(library, begin);
	CODE(library, list);
	CODE(library, close);
	CODE(library, open);
	return code;
}

static bool boot_known(uint64_t boot)
{
	for (uint32_t i = 0; i < listeners_n; i++)
		if ((listeners[i].box != NULL && listeners[i].box->boot == boot) ||
			(listeners[i].bus != NULL && listeners[i].bus->box.boot == boot))
			return true;
	return false;
}

/* Everybody starts in the same microsecond here, so that two would get the same boot now and then.
 * Outside it takes the same microsecond and the same ten random bits. */
static uint64_t boot_now(void)
{
	uint64_t boot;
	do
		boot = seal_boot(clock_wall_us(), (uint32_t)stream_random(STREAM_OS, UINT32_MAX));
	while (boot_known(boot));
	return boot;
}

struct nn_bus *__wrap_nn_bus_new(
	const char *own_url, const char *service, const char *keys, nn_bus_permit *permit)
{
	static const uint8_t SALT[SEAL_SALT_BYTES];
	struct nn_bus *bus = sim_alloc(sizeof(*bus));
	(void)keys;
	bus->process = sim_current();
	bus->permit = permit;
	bus->code = code_of(bus->process);
	bus->code.begin(&bus->box, service, own_url, boot_now(), SALT);
	keys_of(&bus->box);
	/* Gateways and notifications have no row in carillon.instance here. */
	for (uint32_t i = 0; i < listeners_n; i++)
		if (listeners[i].box != NULL)
			bus->code.list(&bus->box, listeners[i].box->service, listeners[i].url,
				listeners[i].box->boot, sim_now_us());
	bus->listener = listener_of(own_url);
	if (listeners[bus->listener].bus != NULL)
		sim_fail("nanomsg: %s is listened at twice", own_url);
	bus->fd = sim_fd_open();
	listeners[bus->listener].bus = bus;
	return bus;
}

uint64_t __wrap_nn_bus_boot(const struct nn_bus *bus)
{
	return bus->box.boot;
}

bool __wrap_nn_bus_stranger(struct nn_bus *bus)
{
	bool was = bus->stranger;
	bus->stranger = false;
	return was;
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

void __wrap_nn_bus_list(struct nn_bus *bus, const struct nn_bus_instance *instance)
{
	bus->code.list(&bus->box, instance->service, instance->url, instance->boot, sim_now_us());
	if (instance->url[0] != '\0')
		(void)peer_of(bus, instance->url);
}

/* A filter decides on each message: then each has a parcel of its own. */
static void parcels_leave(struct nn_bus *bus, struct peer *peer)
{
	const struct sender sender = { &bus->box, &bus->code };
	if (bus_filter() == NULL && kafka_filter() == NULL) {
		parcel_leave(sender, peer->listener, peer->bytes, peer->length, &peer->last_us);
		return;
	}
	for (size_t at = 0; at < peer->length; at += 4 + length_get(peer->bytes + at))
		parcel_leave(sender, peer->listener, peer->bytes + at,
			4 + length_get(peer->bytes + at), &peer->last_us);
}

static void peer_flush(struct nn_bus *bus, struct peer *peer)
{
	if (peer->length == 0)
		return;
	sim_effect("nanomsg: a parcel leaves");
	parcels_leave(bus, peer);
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
		peer_flush(bus, peer);
}

bool __wrap_nn_bus_send(struct nn_bus *bus, const char *url, const void *bytes, size_t length)
{
	nn_bus_gather(bus, url, bytes, length);
	if (url[0] != '\0')
		peer_flush(bus, peer_of(bus, url));
	return true;
}

void __wrap_nn_bus_flush(struct nn_bus *bus)
{
	for (size_t i = 0; i < bus->peers_n; i++)
		peer_flush(bus, &bus->peers[i]);
}

static void parcel_done(struct nn_bus *bus)
{
	bus->at = 0;
	bus->opened = false;
	bus->first = bus->first->next;
	if (bus->first == NULL) {
		bus->last = NULL;
		sim_fd_set(bus->fd, false);
	}
}

/* The next message that its sender may send. */
void *__wrap_nn_bus_receive(struct nn_bus *bus, size_t *length_r)
{
	while (bus->first != NULL) {
		struct parcel *parcel = bus->first;
		if (!bus->opened &&
			!parcel_open(&bus->code, &bus->box, parcel, &bus->open, &bus->stranger)) {
			parcel_done(bus);
			continue;
		}
		bus->opened = true;
		const uint8_t *at = bus->open.content + bus->at;
		*length_r = length_get(at);
		void *message = NULL;
		if (permitted(
			    bus->permit, bus->box.service, parcel, &bus->open, at + 4, *length_r)) {
			message = sim_alloc(*length_r + 1);
			memcpy(message, at + 4, *length_r);
		}
		bus->at += 4 + *length_r;
		if (bus->at == bus->open.n)
			parcel_done(bus);
		if (message != NULL)
			return message;
	}
	return NULL;
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

void sim_bus_listen(
	const char *service, const char *url, void (*take)(const uint8_t *bytes, size_t n))
{
	static const uint8_t SALT[SEAL_SALT_BYTES] = { 1 };
	struct listener *listener = &listeners[listener_of(url)];
	listener->take = take;
	listener->box = world_alloc(sizeof(*listener->box));
	OURS.begin(listener->box, service, url, boot_now(), SALT);
	keys_of(listener->box);
	for (uint32_t i = 0; i < listeners_n; i++)
		if (listeners[i].bus != NULL)
			listeners[i].bus->code.list(&listeners[i].bus->box, service, url,
				listener->box->boot, sim_now_us());
}

/* Whoever may say this there: a client, else an instance. A scenario speaks for others. */
static bool sender_of(uint32_t listener, const void *bytes, size_t n, struct sender *sender_r)
{
	const struct nn_bus *to = listeners[listener].bus;
	for (uint32_t i = 0; to != NULL && i < 2 * listeners_n; i++) {
		struct listener *from = &listeners[i % listeners_n];
		struct nn_bus *bus = i < listeners_n ? NULL : from->bus;
		*sender_r = bus == NULL ? (struct sender){ from->box, &OURS }
					: (struct sender){ &bus->box, &bus->code };
		if (sender_r->box == NULL || (bus == NULL && i >= listeners_n))
			continue;
		const struct nn_bus_instance who = { .service = sender_r->box->service,
			.url = from->url };
		if (permit_refusal(&who, to->box.service, bytes, n, 0) == NULL)
			return true;
	}
	return false;
}

void sim_bus_send(const char *url, const void *bytes, size_t n)
{
	uint8_t *parcel = world_alloc(4 + n);
	uint32_t listener = listener_of(url);
	struct sender sender;
	length_put(parcel, n);
	memcpy(parcel + 4, bytes, n);
	if (sender_of(listener, bytes, n, &sender))
		parcel_leave(sender, listener, parcel, 4 + n, &listeners[listener].last_us);
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
