#include "services/notifications/adapters/clients_private.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_BURST 32 /* times the queue, for a client that takes frames */
#define STALLED_US 2000000

static void *need(void *memory)
{
	if (!memory)
		fatal("out of memory");
	return memory;
}

struct clients *clients_new(const struct clients_config *config)
{
	struct clients *clients = need(calloc(1, sizeof(*clients)));
	clients->config = *config;
	clients->metric.websockets = metric_gauge(
		"carillon_notifications_connections", "kind=\"websocket\"", "Clients connected.");
	clients->metric.streams = metric_gauge(
		"carillon_notifications_connections", "kind=\"stream\"", "Clients connected.");
	clients->metric.privates = metric_gauge("carillon_notifications_private_channels", NULL,
		"Clients subscribed to a player's own channel.");
	clients->metric.queued = metric_gauge(
		"carillon_notifications_queued_frames", NULL, "Frames waiting for all clients.");
	clients->metric.queued_bytes = metric_gauge("carillon_notifications_queued_bytes", NULL,
		"Bytes waiting for all clients; a frame counts once for each client.");
	clients->metric.conflated = metric_counter("carillon_notifications_conflated_total", NULL,
		"Counters dropped because newer ones came before the client took them.");
	clients->metric.fan_first =
		metric_histogram_us("carillon_notifications_fanout_us", "to=\"first\"",
			"Time from a broadcast until its first, median and last client have "
			"it.");
	clients->metric.fan_median =
		metric_histogram_us("carillon_notifications_fanout_us", "to=\"median\"",
			"Time from a broadcast until its first, median and last client have "
			"it.");
	clients->metric.fan_last =
		metric_histogram_us("carillon_notifications_fanout_us", "to=\"last\"",
			"Time from a broadcast until its first, median and last client have "
			"it.");
	clients->metric.slow = metric_counter("carillon_notifications_closed_total", "why=\"slow\"",
		"Connections of clients that the service closed.");
	clients->metric.closed_token = metric_counter("carillon_notifications_closed_total",
		"why=\"token\"", "Connections of clients that the service closed.");
	clients->metric.closed_idle = metric_counter("carillon_notifications_closed_total",
		"why=\"idle\"", "Connections of clients that the service closed.");
	clients->metric.half_open = metric_counter("carillon_notifications_closed_total",
		"why=\"half_open\"", "Connections of clients that the service closed.");
	clients->metric.refused = metric_counter("carillon_notifications_refused_total", NULL,
		"Clients refused because of their origin, and invalid subscriptions.");
	clients->metric.frames =
		metric_counter("carillon_notifications_frames_total", NULL, "Frames written.");
	clients->metric.bytes =
		metric_counter("carillon_notifications_bytes_total", NULL, "Bytes written.");
	return clients;
}

void clients_free(struct clients **clients)
{
	ws_deflate_free(&(*clients)->deflate);
	free(*clients);
	*clients = NULL;
}

void clients_attach(struct clients *clients, struct edge *edge)
{
	clients->edge = edge;
}

size_t clients_count(const struct clients *clients)
{
	return clients->n;
}

/* ---- a client ---- */

struct client *client_new(struct clients *clients)
{
	struct client *client = need(calloc(1, sizeof(*client)));
	client->clients = clients;
	client->since_us = client->heard_us = client->wrote_us = clock_mono_us();
	client->next = clients->first;
	if (client->next)
		client->next->previous = client;
	clients->first = client;
	clients->n++;
	return client;
}

/* Sets the channels of a client, and counts them. */
static void channels_set(struct client *client, unsigned channels)
{
	for (unsigned i = 0; i < CHANNELS; i++) {
		unsigned bit = 1u << i;
		client->clients->subscribed[i] += (channels & bit) != 0;
		client->clients->subscribed[i] -= (client->channels & bit) != 0;
	}
	client->channels = channels;
}

struct client **clients_chain(struct clients *clients, player_id player)
{
	return &clients->players[((uint64_t)player * UINT64_C(0x9e3779b97f4a7c15) >> 32) %
				 PLAYER_CHAINS];
}

void client_unlist_player(struct client *client)
{
	if (!client->player)
		return;
	struct client **link = clients_chain(client->clients, client->player);
	while (*link != client)
		link = &(*link)->same;
	*link = client->same;
	client->same = NULL;
	client->player = 0;
	client->own = (struct own_position){ 0 };
	client->game[0] = 0;
	channels_set(client, client->channels & ~(unsigned)CHANNEL_PLAYER);
	client->clients->privates--;
}

void client_free(struct client **client)
{
	struct client *gone = *client;
	struct clients *clients = gone->clients;
	client_unlist_player(gone);
	channels_set(gone, 0);
	if (gone->previous)
		gone->previous->next = gone->next;
	else
		clients->first = gone->next;
	if (gone->next)
		gone->next->previous = gone->previous;
	for (; gone->n; gone->n--, gone->head = (gone->head + 1) % gone->room)
		frame_release(&gone->queue[gone->head]);
	frame_release(&gone->conflated);
	clients->n--;
	clients->streams -= gone->stream != NULL && !gone->websocket;
	free(gone->queue);
	free(gone);
	*client = NULL;
}

void client_close(struct client *client, uint16_t code, const char *text)
{
	if (client->close_code)
		return;
	client->close_code = code;
	if (client->websocket)
		edge_websocket_close(client->stream, code, text);
	else
		edge_stream_close(client->stream);
}

/* ---- queue ---- */

static void grow(struct client *client)
{
	size_t room = client->room ? 2 * client->room : 8;
	struct frame **queue = need(malloc(room * sizeof(struct frame *)));
	for (size_t i = 0; i < client->n; i++)
		queue[i] = client->queue[(client->head + i) % client->room];
	free(client->queue);
	client->queue = queue;
	client->head = 0;
	client->room = room;
}

/* A burst is not slowness: a client that takes frames may have many waiting for a moment. */
static bool too_slow(const struct client *client, uint64_t now_us)
{
	size_t most = (size_t)client->clients->config.queue_max;
	if (client->n < most + client->backlog)
		return false;
	return client->n >= QUEUE_BURST * most + client->backlog ||
	       now_us - client->wrote_us > STALLED_US;
}

/* Progress of the broadcast that this frame belongs to. */
static void fanout_count(struct clients *clients, const struct frame *frame, uint64_t now_us)
{
	struct fanout *fanout = &clients->fanout;
	if (!frame->broadcast || frame->broadcast != fanout->number)
		return;
	fanout->written++;
	uint64_t passed = now_us - fanout->start_us;
	if (fanout->written == 1)
		metric_observe_us(clients->metric.fan_first, passed);
	if (fanout->written == (fanout->targets + 1) / 2)
		metric_observe_us(clients->metric.fan_median, passed);
	if (fanout->written == fanout->targets)
		metric_observe_us(clients->metric.fan_last, passed);
}

static void write_frame(struct client *client, struct frame *frame)
{
	struct clients *clients = client->clients;
	struct wire wire = frame_wire(frame, client);
	(void)edge_stream_write(client->stream, wire.bytes, wire.length);
	client->wrote_us = clock_mono_us();
	metric_add(clients->metric.frames, 1);
	metric_add(clients->metric.bytes, wire.length);
	fanout_count(clients, frame, client->wrote_us);
}

/* The next frame to write, or NULL; the caller releases it. */
static struct frame *take(struct client *client)
{
	if (client->n) {
		struct frame *frame = client->queue[client->head];
		client->head = (client->head + 1) % client->room;
		client->n--;
		if (client->backlog > client->n)
			client->backlog = client->n;
		return frame;
	}
	struct frame *frame = client->conflated;
	client->conflated = NULL;
	return frame;
}

void client_flush(struct client *client)
{
	struct frame *frame;
	while (!client->close_code && edge_stream_ready(client->stream) &&
		(frame = take(client)) != NULL) {
		write_frame(client, frame);
		frame_release(&frame);
	}
	if (client->n == 0) { /* most clients never have a queue again */
		free(client->queue);
		client->queue = NULL;
		client->room = client->head = 0;
	}
	if (client->n || client->conflated)
		edge_stream_wake(client->stream);
}

/* Nothing waits: the frame may be written at once, without the queue. */
static bool at_once(const struct client *client)
{
	return client->n == 0 && !client->conflated && edge_stream_ready(client->stream);
}

void client_push(struct client *client, struct frame *frame, bool backlog)
{
	uint64_t now_us = clock_mono_us();
	if (client->close_code)
		return;
	if (at_once(client)) {
		write_frame(client, frame);
		return;
	}
	client->backlog += backlog;
	if (client->n == 0)
		client->wrote_us = now_us;
	if (too_slow(client, now_us)) {
		metric_add(client->clients->metric.slow, 1);
		client_close(client, CLOSE_SLOW, "too slow: too many frames are waiting");
		return;
	}
	if (client->n == client->room)
		grow(client);
	frame->refs++;
	client->queue[(client->head + client->n++) % client->room] = frame;
	edge_stream_wake(client->stream);
}

static void conflate(struct client *client, struct frame *frame)
{
	if (at_once(client)) {
		write_frame(client, frame);
		return;
	}
	metric_add(client->clients->metric.conflated, client->conflated != NULL);
	frame_release(&client->conflated);
	frame->refs++;
	client->conflated = frame;
	edge_stream_wake(client->stream);
}

static size_t subscribed(const struct clients *clients, unsigned channel)
{
	for (unsigned i = 0; i < CHANNELS; i++)
		if (channel == 1u << i)
			return clients->subscribed[i];
	return 0;
}

void clients_broadcast(
	struct clients *clients, unsigned channel, struct frame *frame, bool conflated)
{
	clients->fanout = (struct fanout){ .number = clients->fanout.number + 1,
		.start_us = clock_mono_us(),
		.targets = subscribed(clients, channel) };
	frame->broadcast = clients->fanout.number;
	for (struct client *client = clients->first; client; client = client->next) {
		if (!(client->channels & channel) || client->close_code)
			continue;
		if (conflated)
			conflate(client, frame);
		else
			client_push(client, frame, false);
	}
}

bool clients_has_player(const struct clients *clients, player_id player)
{
	const struct client *client =
		clients->players[((uint64_t)player * UINT64_C(0x9e3779b97f4a7c15) >> 32) %
				 PLAYER_CHAINS];
	while (client && client->player != player)
		client = client->same;
	return client != NULL;
}

static bool was_sent(const struct client *client, const struct own_position *row)
{
	return row->incarnation < client->own.incarnation ||
	       (row->incarnation == client->own.incarnation && row->seq <= client->own.seq);
}

void clients_push_player(struct clients *clients, player_id player, const struct own_position *row,
	struct frame *frame)
{
	struct client *next;
	for (struct client *client = *clients_chain(clients, player); client; client = next) {
		next = client->same;
		if (client->player == player && !(row && was_sent(client, row)))
			client_push(client, frame, false);
	}
}

/* ---- subscription ---- */

/* A token that has expired or was ended was right once, and a missing one is no guess. */
uint32_t clients_wrong(struct clients *clients, enum token_status status, const char *token,
	const struct sender *sender)
{
	if (*token == '\0' || (status != TOKEN_MALFORMED && status != TOKEN_FORGED))
		return 0;
	return clients->config.wrong(clients->config.context, sender);
}

static void refuse_token(struct client *client, enum token_status status, const char *token)
{
	struct clients *clients = client->clients;
	uint32_t wait_s = clients_wrong(clients, status, token, &client->sender);
	char text[96];
	metric_add(clients->metric.closed_token, 1);
	if (wait_s == 0) {
		client_close(client, status == TOKEN_REVOKED ? CLOSE_LOGOUT : CLOSE_TOKEN,
			token_status_text(status));
		return;
	}
	(void)snprintf(text, sizeof(text),
		"too many wrong tokens came from this address: wait %" PRIu32 " s", wait_s);
	client_close(client, CLOSE_POLICY, text);
}

static bool take_player(struct client *client, const char *token)
{
	struct clients *clients = client->clients;
	player_id player = 0;
	struct token_life life = { 0 };
	enum token_status status =
		clients->config.identify(clients->config.context, token, &player, &life);
	if (status != TOKEN_OK) {
		refuse_token(client, status, token);
		return false;
	}
	int64_t others = 0;
	for (const struct client *other = *clients_chain(clients, player); other;
		other = other->same)
		others += other->player == player && other != client;
	if (others >= clients->config.per_player_max) {
		client_close(client, CLOSE_POLICY, "too many connections of this player");
		return false;
	}
	if (client->player != player) {
		client_unlist_player(client);
		struct client **chain = clients_chain(clients, player);
		client->player = player;
		client->same = *chain;
		*chain = client;
		clients->privates++;
	}
	client->life = life;
	client->look_ms = 0;
	session_name(token, client->session);
	return true;
}

void client_subscribe(struct client *client, const struct subscription *subscription)
{
	size_t most = QUEUE_BURST * (size_t)client->clients->config.queue_max;
	if (client->backlog > most) { /* a greeting itself may be as long as it is */
		metric_add(client->clients->metric.slow, 1);
		client_close(client, CLOSE_SLOW,
			"too slow: the first frames of earlier "
			"subscriptions are still waiting");
		return;
	}
	if ((subscription->channels & CHANNEL_PLAYER) && !take_player(client, subscription->token))
		return;
	if (subscription->channels & subscription->resume & CHANNEL_PLAYER)
		client->own = subscription->own;
	/* Queue the snapshots before the client counts as subscribed, so that no frame overtakes
	 * them. */
	client->clients->config.subscribed(client->clients->config.context, client, subscription);
	channels_set(client, client->channels | subscription->channels);
	if (client->player && subscription->game[0])
		memcpy(client->game, subscription->game, sizeof(client->game));
}

/* ---- once a second, and at the end ---- */

static void look_after(struct client *client, uint64_t now_us, uint64_t now_s)
{
	const struct clients *clients = client->clients;
	uint64_t ping_us = (uint64_t)clients->config.ping_s * 1000000;
	if (client->player && now_s >= client->life.expires_s) {
		metric_add(clients->metric.closed_token, 1);
		client_close(client, CLOSE_TOKEN, "token_expired");
	} else if (!client->channels &&
		   now_us - client->since_us > (uint64_t)clients->config.subscribe_s * 1000000) {
		client_close(client, CLOSE_POLICY, "no subscription came in time");
	} else if (client->websocket && client->asked && now_us - client->heard_us > 2 * ping_us) {
		metric_add(clients->metric.half_open, 1);
		client->unanswered = true;
		client_close(client, CLOSE_POLICY, "no answer to a ping");
	} else if (client->websocket && !client->asked && now_us - client->heard_us > ping_us &&
		   edge_stream_ready(client->stream)) { /* no ping goes where output waits */
		client->asked = true;
		edge_websocket_ping(client->stream);
	} else if (!client->websocket && now_us - client->wrote_us > ping_us && at_once(client)) {
		/* A comment, which finds a connection that is open on this side only. */
		(void)edge_stream_write(client->stream, (const uint8_t *)": ping\n\n", 8);
		client->wrote_us = now_us;
	}
	if ((now_us - client->since_us) / 1000000 % 60 == 0)
		client->messages = 0;
}

static size_t waiting_bytes(const struct client *client)
{
	size_t bytes = edge_stream_waiting(client->stream);
	for (size_t i = 0; i < client->n; i++)
		bytes += client->queue[(client->head + i) % client->room]->json_length;
	return bytes + (client->conflated ? client->conflated->json_length : 0);
}

void clients_sweep(struct clients *clients)
{
	uint64_t now_us = clock_mono_us(), now_s = clock_wall_us() / 1000000;
	size_t queued = 0, bytes = 0;
	for (struct client *client = clients->first, *next; client; client = next) {
		next = client->next;
		queued += client->n + (client->conflated != NULL);
		bytes += waiting_bytes(client);
		look_after(client, now_us, now_s);
	}
	clients_look_idle(clients, clock_wall_us() / 1000);
	metric_set(clients->metric.websockets, (int64_t)(clients->n - clients->streams));
	metric_set(clients->metric.streams, (int64_t)clients->streams);
	metric_set(clients->metric.privates, (int64_t)clients->privates);
	metric_set(clients->metric.queued, (int64_t)queued);
	metric_set(clients->metric.queued_bytes, (int64_t)bytes);
}

/* A random delay, or all clients would reconnect at the same moment. */
static void drain(struct client *client)
{
	char text[64];
	uint32_t retry_ms = 100 + randombytes_uniform((uint32_t)client->clients->config.retry_ms);
	int n = snprintf(text, sizeof(text),
		client->websocket ? "{\"retry_ms\":%" PRIu32 "}" : "retry: %" PRIu32 "\n\n",
		retry_ms);
	if (!client->websocket && edge_stream_ready(client->stream))
		(void)edge_stream_write(client->stream, (const uint8_t *)text, (size_t)n);
	client_close(client, CLOSE_DRAINING, text);
}

void clients_drain(struct clients *clients)
{
	clients->draining = true;
	for (struct client *client = clients->first, *next; client; client = next) {
		next = client->next;
		drain(client);
	}
}

/* scheme://host[:port]: the host without its port. */
static void host_of(const char *text, char *out, size_t room)
{
	const char *scheme = strstr(text, "://");
	const char *host = scheme ? scheme + 3 : text;
	size_t length = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");
	if (length >= room)
		length = 0;
	memcpy(out, host, length);
	out[length] = 0;
}

bool clients_origin_allowed(const struct clients *clients, const char *origin, const char *host)
{
	const char *allowed = clients->config.origins;
	/* Only browsers send an Origin; other programs need no protection from foreign pages. */
	if (!origin || !*origin || strcmp(allowed, "*") == 0)
		return true;
	if (strcmp(allowed, "same-host") == 0) {
		char ours[256], theirs[256];
		host_of(host, ours, sizeof(ours));
		host_of(origin, theirs, sizeof(theirs));
		return *ours && strcasecmp(ours, theirs) == 0;
	}
	size_t length = strlen(origin);
	for (const char *at = allowed; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");
		if (word == length && strncasecmp(at, origin, length) == 0)
			return true;
		at += word;
	}
	return false;
}
