/* nanomsg: one PULL socket of our own, one PUSH socket per destination. PUSH balances over its
 * peers, so each must have only one. */
#include "libcommon/io/nn_bus.h"

#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/nn_parcel.h"

#include <nanomsg/nn.h>
#include <nanomsg/pipeline.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PEERS_MAX 256
#define URL_MAX_BYTES 256
#define BUFFER_BYTES (4 << 20)
#define MESSAGE_BYTES_MAX (4 << 20)
#define PARCEL_BYTES ((size_t)32 << 10) /* a parcel of this size leaves at once */
/* A peer may restart within 50 ms; reconnect as fast. */
#define RECONNECT_MS 20
#define RECONNECT_MAX_MS 200

struct peer {
	char url[URL_MAX_BYTES];
	int socket;
	uint64_t used; /* counter of uses, to find the peer unused for longest */
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
	uint8_t *
		open; /* the last parcel received; not all of its messages have been returned yet */
	size_t open_at, open_length;
	struct metric *sent, *dropped, *received, *parcels;
};

static void option_set(int socket, int option, int value)
{
	if (nn_setsockopt(socket, NN_SOL_SOCKET, option, &value, sizeof(value)) != 0)
		fatal("nanomsg: option %d: %s", option, nn_strerror(nn_errno()));
}

/* ipc://nn/wallet-1 needs the folder nn. */
static void folder_make(const char *url)
{
	char path[URL_MAX_BYTES];
	if (strncmp(url, "ipc://", 6) != 0)
		return;
	(void)snprintf(path, sizeof(path), "%s", url + 6);
	char *slash = strrchr(path, '/');
	if (slash == NULL || slash == path)
		return;
	*slash = '\0';
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		fatal("nanomsg: folder %s: %s", path, strerror(errno));
}

struct nn_bus *nn_bus_new(const char *own_url)
{
	struct nn_bus *bus = calloc(1, sizeof(*bus));
	size_t size = sizeof(bus->fd);
	if (bus == NULL)
		fatal("nanomsg: out of memory");
	folder_make(own_url);
	bus->pull = nn_socket(AF_SP, NN_PULL);
	if (bus->pull < 0)
		fatal("nanomsg: socket: %s", nn_strerror(nn_errno()));
	option_set(bus->pull, NN_RCVBUF, BUFFER_BYTES);
	option_set(bus->pull, NN_RCVMAXSIZE, MESSAGE_BYTES_MAX);
	if (nn_bind(bus->pull, own_url) < 0)
		fatal("nanomsg: listening on %s: %s; expected an address that no other instance "
		      "uses",
			own_url, nn_strerror(nn_errno()));
	if (nn_getsockopt(bus->pull, NN_SOL_SOCKET, NN_RCVFD, &bus->fd, &size) != 0)
		fatal("nanomsg: descriptor: %s", nn_strerror(nn_errno()));
	bus->sent = metric_counter("carillon_bus_sent_total", NULL, "Messages given to nanomsg.");
	bus->dropped = metric_counter("carillon_bus_dropped_total", NULL,
		"Messages dropped because the instance did not take them.");
	bus->received = metric_counter(
		"carillon_bus_received_total", NULL, "Messages received by nanomsg.");
	bus->parcels = metric_counter("carillon_bus_parcels_total", NULL,
		"Parcels in which the sent messages were given to nanomsg.");
	return bus;
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

static struct peer *peer_get(struct nn_bus *bus, const char *url)
{
	struct peer *peer = peer_find(bus, url);
	if (peer == NULL) {
		/* Addresses come in messages: a bad one is dropped and must not end the process. */
		int fd = strlen(url) < URL_MAX_BYTES ? nn_socket(AF_SP, NN_PUSH) : -1;
		if (fd < 0)
			return NULL;
		option_set(fd, NN_SNDBUF, BUFFER_BYTES);
		option_set(fd, NN_RECONNECT_IVL, RECONNECT_MS);
		option_set(fd, NN_RECONNECT_IVL_MAX, RECONNECT_MAX_MS);
		if (nn_connect(fd, url) < 0) {
			log_warn("nanomsg: found the address '%.200s', expected ipc:// or tcp://: "
				 "%s",
				url, nn_strerror(nn_errno()));
			(void)nn_close(fd);
			return NULL;
		}
		peer = peer_place(bus);
		*peer = (struct peer){ .socket = fd };
		(void)snprintf(peer->url, sizeof(peer->url), "%s", url);
	}
	peer->used = ++bus->uses;
	return peer;
}

void nn_bus_connect(struct nn_bus *bus, const char *url)
{
	if (url[0] != '\0')
		(void)peer_get(bus, url);
}

/* False: the peer did not take the parcel, and all its messages are dropped. */
static bool parcel_send(struct nn_bus *bus, struct peer *peer)
{
	bool taken = true;
	if (peer->messages == 0)
		return true;
	if (nn_send(peer->socket, peer->parcel, peer->length, NN_DONTWAIT) < 0)
		taken = false;
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
		length <= MESSAGE_BYTES_MAX - NN_PARCEL_HEAD ? peer_get(bus, url) : NULL;
	if (peer == NULL) {
		metric_add(bus->dropped, 1);
		return NULL;
	}
	if (peer->length + NN_PARCEL_HEAD + length > MESSAGE_BYTES_MAX)
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
	for (size_t i = 0; i < bus->peers_n; i++)
		(void)parcel_send(bus, &bus->peers[i]);
}

static bool parcel_receive(struct nn_bus *bus)
{
	void *parcel = NULL;
	int n = nn_recv(bus->pull, &parcel, NN_MSG, NN_DONTWAIT);
	if (n < 0)
		return false;
	bus->open = parcel;
	bus->open_at = 0;
	bus->open_length = (size_t)n;
	return true;
}

static void parcel_close(struct nn_bus *bus)
{
	(void)nn_freemsg(bus->open);
	bus->open = NULL;
}

/* The next message of the open parcel; NULL at its end or when the rest is malformed. */
static const uint8_t *parcel_next(struct nn_bus *bus, size_t *length_r)
{
	const uint8_t *message = NULL;
	size_t left = bus->open_length - bus->open_at;
	if (nn_parcel_next(bus->open, bus->open_length, &bus->open_at, &message, length_r) ==
		NN_PARCEL_BAD)
		log_warn(
			"nanomsg: found %zu bytes that are not a message after its length; dropped",
			left);
	return message;
}

void *nn_bus_receive(struct nn_bus *bus, size_t *length_r)
{
	for (;;) {
		if (bus->open == NULL && !parcel_receive(bus))
			return NULL;
		const uint8_t *bytes = parcel_next(bus, length_r);
		if (bytes == NULL) {
			parcel_close(bus);
			continue;
		}
		void *message = malloc(*length_r + 1);
		if (message == NULL)
			fatal("nanomsg: out of memory at %zu bytes", *length_r);
		memcpy(message, bytes, *length_r);
		metric_add(bus->received, 1);
		return message;
	}
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
	if (b->open != NULL)
		parcel_close(b);
	for (size_t i = 0; i < b->peers_n; i++) {
		(void)nn_close(b->peers[i].socket);
		free(b->peers[i].parcel);
	}
	(void)nn_close(b->pull);
	free(b);
	*bus = NULL;
}
