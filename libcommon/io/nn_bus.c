/* nanomsg: one PULL socket of our own, one PUSH socket per destination. PUSH balances over its
 * peers, so each must have only one. */
#include "libcommon/io/nn_bus.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/event_mac.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/nn_parcel.h"
#include "libcommon/io/seal_box.h"

#include <nanomsg/nn.h>
#include <nanomsg/pipeline.h>

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PEERS_MAX 256
#define URL_MAX_BYTES 256
#define BUFFER_BYTES (4 << 20)
#define MESSAGE_BYTES_MAX (4 << 20)
#define CONTENT_BYTES_MAX ((size_t)MESSAGE_BYTES_MAX - SEAL_MORE_BYTES)
#define PARCEL_BYTES ((size_t)32 << 10) /* a parcel of this size leaves at once */
/* A peer may restart within 50 ms; reconnect as fast. */
#define RECONNECT_MS 20
#define RECONNECT_MAX_MS 200
#define KEYS_AGAIN_US 1000000u
#define STRANGER_US 50000u
#define LOG_PAUSE_US 1000000u
/* Parcels and messages refused until nn_bus_receive returns: opening a large one takes its time. */
#define REFUSALS_MAX 64

struct peer {
	char url[URL_MAX_BYTES];
	int socket;
	uint64_t used; /* counter of uses, to find the peer unused for longest */
	uint64_t boot; /* of the instance that was last named at this address; 0: none */
	uint8_t *parcel;
	size_t length, room;
	uint64_t messages; /* in the parcel */
};

struct nn_bus {
	int pull;
	int fd;
	struct peer peers[PEERS_MAX];
	size_t peers_n;
	uint64_t uses;
	/* The last parcel received: not all of its messages have been returned yet. */
	uint8_t *received_parcel; /* sealed; NULL: none */
	struct seal_opened open;
	size_t open_at;
	bool open_gave;	   /* a message of it has been returned */
	unsigned refusals; /* since nn_bus_receive has returned NULL */
	struct seal_box box;
	nn_bus_permit *permit;
	const char *keys;
	struct timespec keys_changed;
	uint64_t keys_us, keys_warned_us, stranger_us, logged_us;
	bool stranger;
	struct metric *sent, *dropped, *received, *parcels, *refused[SEAL_STATUS_N];
};

static void option_set(int socket, int option, int value)
{
	if (nn_setsockopt(socket, NN_SOL_SOCKET, option, &value, sizeof(value)) != 0)
		fatal("nanomsg: cannot set option %d: %s", option, nn_strerror(nn_errno()));
}

/* NULL: not an address of this machine's files. */
static const char *ipc_path(const char *url)
{
	return strncmp(url, "ipc://", 6) == 0 ? url + 6 : NULL;
}

/* ipc://nn/wallet/wallet-1 needs the folders nn and nn/wallet. */
static void folders_make(const char *url)
{
	char path[URL_MAX_BYTES];
	if (ipc_path(url) == NULL)
		return;
	(void)snprintf(path, sizeof(path), "%s", ipc_path(url));
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			fatal("nanomsg: cannot make the folder %s: %s", path, strerror(errno));
		*slash = '/';
	}
}

/* The socket is open to the group of its folder: to those that may send to this service. */
static int bind_for_group(int socket, const char *url)
{
	mode_t before = umask(0117);
	int endpoint = nn_bind(socket, url);
	(void)umask(before);
	return endpoint;
}

static void keys_warn(struct nn_bus *bus, const char *error)
{
	if (bus->keys_us < bus->keys_warned_us + LOG_PAUSE_US)
		return;
	bus->keys_warned_us = bus->keys_us;
	log_warn_as("bus.keys.unreadable",
		"keys of the bus: %s; the keys that were read before stay in force", error);
}

/* Reads the keys if their file has changed. Keys that were read stay in force when a later file
 * cannot be read. True: others are in force now. */
static bool keys_read(struct nn_bus *bus, bool first)
{
	char error[SEAL_ERROR_MAX];
	struct seal_keys keys;
	bool changed = false;
	bus->keys_us = clock_mono_us();
	if (!seal_keys_load(
		    bus->keys, bus->box.service, &bus->keys_changed, &keys, &changed, error)) {
		if (first)
			fatal("keys of the bus: %s", error);
		keys_warn(bus, error);
		return false;
	}
	if (changed) {
		bus->box.keys = keys;
		sodium_memzero(&keys, sizeof(keys));
		event_mac_use(&bus->box.keys, bus->box.service);
		if (!first)
			log_info("the keys of the bus have changed: the new ones are in force");
	}
	return changed;
}

/* A sender may use a key as soon as it stands in our file, too. */
static bool keys_again(void *context)
{
	return keys_read(context, false);
}

static void box_begin(struct nn_bus *bus, const char *own_url, const char *service)
{
	uint8_t salt[SEAL_SALT_BYTES];
	if (sodium_init() < 0)
		fatal("libsodium cannot be initialised");
	randombytes_buf(salt, sizeof(salt));
	(void)sodium_mlock(&bus->box.keys, sizeof(bus->box.keys));
	seal_box_begin(&bus->box, service, own_url,
		seal_boot(clock_wall_us(), randombytes_random()), salt);
	(void)keys_read(bus, true);
	event_mac_look(keys_again, bus);
}

static void metrics_make(struct nn_bus *bus)
{
	bus->sent = metric_counter("carillon_bus_sent_total", NULL, "Messages given to nanomsg.");
	bus->dropped = metric_counter("carillon_bus_dropped_total", NULL,
		"Messages dropped because the instance did not take them, or is not listed.");
	bus->received = metric_counter(
		"carillon_bus_received_total", NULL, "Messages received by nanomsg.");
	bus->parcels = metric_counter("carillon_bus_parcels_total", NULL,
		"Parcels given to nanomsg; each holds one or more messages.");
	for (int status = SEAL_OK + 1; status < SEAL_STATUS_N; status++) {
		char label[64];
		(void)snprintf(label, sizeof(label), "reason=\"%s\"",
			seal_status_name((enum seal_status)status));
		bus->refused[status] = metric_counter("carillon_bus_refused_total", label,
			"Parcels from nanomsg that could not be opened, and messages that "
			"their sender may not send.");
	}
}

struct nn_bus *nn_bus_new(
	const char *own_url, const char *service, const char *keys, nn_bus_permit *permit)
{
	struct nn_bus *bus = calloc(1, sizeof(*bus));
	size_t size = sizeof(bus->fd);
	if (bus == NULL)
		fatal("nanomsg: out of memory");
	bus->keys = keys;
	bus->permit = permit;
	box_begin(bus, own_url, service);
	folders_make(own_url);
	bus->pull = nn_socket(AF_SP, NN_PULL);
	if (bus->pull < 0)
		fatal("nanomsg: cannot open a socket: %s", nn_strerror(nn_errno()));
	option_set(bus->pull, NN_RCVBUF, BUFFER_BYTES);
	option_set(bus->pull, NN_RCVMAXSIZE, MESSAGE_BYTES_MAX);
	if (bind_for_group(bus->pull, own_url) < 0)
		fatal("nanomsg: listening on %s: %s; expected an address that no other instance "
		      "uses",
			own_url, nn_strerror(nn_errno()));
	if (nn_getsockopt(bus->pull, NN_SOL_SOCKET, NN_RCVFD, &bus->fd, &size) != 0)
		fatal("nanomsg: cannot read the descriptor of the socket: %s",
			nn_strerror(nn_errno()));
	metrics_make(bus);
	return bus;
}

uint64_t nn_bus_boot(const struct nn_bus *bus)
{
	return bus->box.boot;
}

int nn_bus_fd(const struct nn_bus *bus)
{
	return bus->fd;
}

static struct peer *peer_find(struct nn_bus *bus, const char *url)
{
	for (size_t i = 0; i < bus->peers_n; i++)
		if (strcmp(bus->peers[i].url, url) == 0)
			return &bus->peers[i];
	return NULL;
}

/* A free place, or the place of the peer unused for longest. */
static struct peer *peer_place(struct nn_bus *bus)
{
	if (bus->peers_n < PEERS_MAX)
		return &bus->peers[bus->peers_n++];
	struct peer *oldest = &bus->peers[0];
	for (size_t i = 1; i < PEERS_MAX; i++)
		if (bus->peers[i].used < oldest->used)
			oldest = &bus->peers[i];
	(void)nn_close(oldest->socket);
	metric_add(bus->dropped, oldest->messages);
	free(oldest->parcel);
	return oldest;
}

/* -1: not possible. Addresses come in messages: a bad one is dropped and must not end the process.
 */
static int peer_connect(const char *url)
{
	/* Who may not send to an instance would be told so several times a second. */
	const char *path = ipc_path(url);
	if (path != NULL && access(path, W_OK) != 0 && errno == EACCES)
		return -1;
	int fd = strlen(url) < URL_MAX_BYTES ? nn_socket(AF_SP, NN_PUSH) : -1;
	if (fd < 0)
		return -1;
	option_set(fd, NN_SNDBUF, BUFFER_BYTES);
	option_set(fd, NN_RECONNECT_IVL, RECONNECT_MS);
	option_set(fd, NN_RECONNECT_IVL_MAX, RECONNECT_MAX_MS);
	if (nn_connect(fd, url) >= 0)
		return fd;
	log_warn_as("bus.address.bad",
		"nanomsg: found the address '%.200s', expected ipc:// or tcp://: %s", url,
		nn_strerror(nn_errno()));
	(void)nn_close(fd);
	return -1;
}

static struct peer *peer_get(struct nn_bus *bus, const char *url)
{
	struct peer *peer = peer_find(bus, url);
	if (peer == NULL) {
		int fd = peer_connect(url);
		if (fd < 0)
			return NULL;
		peer = peer_place(bus);
		*peer = (struct peer){ .socket = fd };
		(void)snprintf(peer->url, sizeof(peer->url), "%s", url);
	}
	peer->used = ++bus->uses;
	return peer;
}

/* The peer has started again: the old connection would wait up to RECONNECT_MAX_MS before it is
 * tried again. What it still holds was sealed for the former start. */
static void peer_again(struct peer *peer)
{
	int fd = peer_connect(peer->url);
	if (fd < 0)
		return;
	(void)nn_close(peer->socket);
	peer->socket = fd;
}

void nn_bus_list(struct nn_bus *bus, const struct nn_bus_instance *instance)
{
	seal_box_list(&bus->box, instance->service, instance->url, instance->boot, clock_mono_us());
	if (instance->url[0] == '\0')
		return;
	struct peer *peer = peer_get(bus, instance->url);
	if (peer == NULL)
		return;
	if (instance->boot <= peer->boot)
		return;
	if (peer->boot != 0) /* boots rise with each start */
		peer_again(peer);
	peer->boot = instance->boot;
}

bool nn_bus_stranger(struct nn_bus *bus)
{
	uint64_t now_us = bus->stranger ? clock_mono_us() : 0;
	if (!bus->stranger || now_us < bus->stranger_us + STRANGER_US)
		return false;
	bus->stranger = false;
	bus->stranger_us = now_us;
	return true;
}

/* Seals the parcel straight into nanomsg's own buffer. False: it was not taken. */
static bool sealed_send(struct nn_bus *bus, const struct peer *peer)
{
	void *sealed = nn_allocmsg(peer->length + SEAL_MORE_BYTES, 0);
	if (sealed == NULL)
		fatal("nanomsg: out of memory at %zu bytes", peer->length);
	bool taken = seal_box_close(&bus->box, peer->url, peer->parcel, peer->length,
			     clock_wall_us(), sealed) > 0 &&
		     nn_send(peer->socket, &sealed, NN_MSG, NN_DONTWAIT) >= 0;
	if (!taken)
		(void)nn_freemsg(sealed);
	return taken;
}

/* False: the peer did not take the parcel, and all its messages are dropped. */
static bool parcel_send(struct nn_bus *bus, struct peer *peer)
{
	if (peer->messages == 0)
		return true;
	bool taken = sealed_send(bus, peer);
	metric_add(taken ? bus->sent : bus->dropped, peer->messages);
	metric_add(bus->parcels, taken);
	peer->length = 0;
	peer->messages = 0;
	return taken;
}

static void parcel_add(struct peer *peer, const void *bytes, size_t length)
{
	size_t needed = peer->length + NN_PARCEL_HEAD + length;
	if (needed > peer->room) {
		size_t room = needed < 2 * PARCEL_BYTES ? 2 * PARCEL_BYTES : needed;
		uint8_t *larger = realloc(peer->parcel, room);
		if (larger == NULL)
			fatal("nanomsg: out of memory at %zu bytes", room);
		peer->parcel = larger;
		peer->room = room;
	}
	uint8_t *at = peer->parcel + peer->length;
	nn_parcel_head(length, at);
	if (length > 0)
		memcpy(at + NN_PARCEL_HEAD, bytes, length);
	peer->length = needed;
	peer->messages++;
}

/* The peer whose parcel got the message; NULL when the message was dropped. */
static struct peer *gather(struct nn_bus *bus, const char *url, const void *bytes, size_t length)
{
	struct peer *peer =
		length <= CONTENT_BYTES_MAX - NN_PARCEL_HEAD ? peer_get(bus, url) : NULL;
	if (peer == NULL) {
		metric_add(bus->dropped, 1);
		return NULL;
	}
	if (peer->length + NN_PARCEL_HEAD + length > CONTENT_BYTES_MAX)
		(void)parcel_send(bus, peer);
	parcel_add(peer, bytes, length);
	return peer;
}

bool nn_bus_send(struct nn_bus *bus, const char *url, const void *bytes, size_t length)
{
	if (url[0] == '\0')
		return true;
	struct peer *peer = gather(bus, url, bytes, length);
	return peer != NULL && parcel_send(bus, peer);
}

void nn_bus_gather(struct nn_bus *bus, const char *url, const void *bytes, size_t length)
{
	if (url[0] == '\0')
		return;
	struct peer *peer = gather(bus, url, bytes, length);
	if (peer != NULL && peer->length >= PARCEL_BYTES)
		(void)parcel_send(bus, peer);
}

void nn_bus_flush(struct nn_bus *bus)
{
	if (clock_mono_us() >= bus->keys_us + KEYS_AGAIN_US)
		(void)keys_read(bus, false);
	for (size_t i = 0; i < bus->peers_n; i++)
		(void)parcel_send(bus, &bus->peers[i]);
}

/* Whoever may write to the socket may fill no log. */
static void refuse(struct nn_bus *bus, enum seal_status status, const char *why)
{
	uint64_t now_us = clock_mono_us();
	metric_add(bus->refused[status], 1);
	bus->refusals++;
	if (now_us < bus->logged_us + LOG_PAUSE_US)
		return;
	bus->logged_us = now_us;
	log_warn_as("bus.parcel.refused",
		"nanomsg: refused a parcel or message: %s%s%s (carillon_bus_refused_total "
		"counts all)",
		seal_status_name(status), why[0] == '\0' ? "" : ": ", why);
}

static enum seal_status parcel_open(struct nn_bus *bus, void *parcel, size_t n)
{
	enum seal_status status = seal_box_open(&bus->box, parcel, n, clock_wall_us(), &bus->open);
	if (status == SEAL_NO_KEY && keys_again(bus))
		status = seal_box_open(&bus->box, parcel, n, clock_wall_us(), &bus->open);
	return status;
}

static bool parcel_receive(struct nn_bus *bus)
{
	void *parcel = NULL;
	while (bus->refusals < REFUSALS_MAX) {
		int n = nn_recv(bus->pull, &parcel, NN_MSG, NN_DONTWAIT);
		if (n < 0)
			return false;
		enum seal_status status = parcel_open(bus, parcel, (size_t)n);
		if (status == SEAL_OK) {
			bus->received_parcel = parcel;
			bus->open_at = 0;
			bus->open_gave = false;
			return true;
		}
		bus->stranger = bus->stranger || status == SEAL_UNLISTED;
		refuse(bus, status, "");
		(void)nn_freemsg(parcel);
	}
	return false;
}

static void parcel_close(struct nn_bus *bus)
{
	bus->refusals += !bus->open_gave;
	(void)nn_freemsg(bus->received_parcel);
	bus->received_parcel = NULL;
}

/* The next message of the open parcel; NULL at its end or when the rest is malformed. */
static const uint8_t *parcel_next(struct nn_bus *bus, size_t *length_r)
{
	const uint8_t *message = NULL;
	size_t left = bus->open.n - bus->open_at;
	if (nn_parcel_next(bus->open.content, bus->open.n, &bus->open_at, &message, length_r) ==
		NN_PARCEL_BAD)
		log_warn_as("bus.parcel.cut",
			"nanomsg: a parcel ends with %zu bytes that are not a whole message: "
			"dropped",
			left);
	return message;
}

static bool permitted(struct nn_bus *bus, const uint8_t *message, size_t n)
{
	const struct nn_bus_instance from = { .service = bus->open.from,
		.url = bus->open.from_url };
	const char *why = bus->permit(&from, bus->box.service, message, n, bus->open.age_us);
	if (why != NULL) {
		char text[256];
		(void)snprintf(text, sizeof(text), "%.60s at %.100s sent %.80s", from.service,
			from.url, why);
		refuse(bus, SEAL_FORBIDDEN, text);
	}
	return why == NULL;
}

void *nn_bus_receive(struct nn_bus *bus, size_t *length_r)
{
	while (bus->refusals < REFUSALS_MAX) {
		if (bus->received_parcel == NULL && !parcel_receive(bus))
			break;
		const uint8_t *bytes = parcel_next(bus, length_r);
		if (bytes == NULL) {
			parcel_close(bus);
			continue;
		}
		if (!permitted(bus, bytes, *length_r))
			continue;
		void *message = malloc(*length_r + 1);
		if (message == NULL)
			fatal("nanomsg: out of memory at %zu bytes", *length_r);
		memcpy(message, bytes, *length_r);
		metric_add(bus->received, 1);
		bus->open_gave = true;
		return message;
	}
	/* Whose messages are refused one after the other holds up nobody else: its rest is lost. */
	if (bus->received_parcel != NULL)
		parcel_close(bus);
	bus->refusals = 0;
	return NULL;
}

void nn_bus_message_free(void *message)
{
	free(message);
}

void nn_bus_free(struct nn_bus **bus)
{
	struct nn_bus *b = *bus;
	if (b == NULL)
		return;
	nn_bus_flush(b);
	if (b->received_parcel != NULL)
		parcel_close(b);
	for (size_t i = 0; i < b->peers_n; i++) {
		(void)nn_close(b->peers[i].socket);
		free(b->peers[i].parcel);
	}
	(void)nn_close(b->pull);
	if (event_mac_keys() == &b->box.keys)
		event_mac_use(NULL, NULL);
	event_mac_unlook(b);
	(void)sodium_munlock(&b->box.keys, sizeof(b->box.keys));
	free(b);
	*bus = NULL;
}
