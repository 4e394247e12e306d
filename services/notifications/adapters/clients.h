/* The clients: WebSockets and server-sent events on one edge. Each has a bounded queue of shared,
 * prebuilt frames. Counters are not queued: only the newest frame is kept. One thread. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_CLIENTS_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_CLIENTS_H

#include "libcommon/edge/address.h"
#include "libcommon/edge/edge.h"
#include "libcommon/base/session.h"
#include "services/notifications/adapters/subscribe.h"

#define CLOSE_TOKEN 4001
#define CLOSE_SLOW 4002
#define CLOSE_DRAINING 4003
#define CLOSE_IDLE 4004
#define CLOSE_LOGOUT 4005
#define CLOSE_POLICY 1008

struct clients;
struct client;
struct frame;

/* Who sends a token. */
struct sender {
	struct address address;
	bool limited;	   /* false: in a network without limits */
	const char *route; /* static */
};

struct clients_config {
	int64_t queue_max;	/* frames waiting for one client */
	int64_t ping_s;		/* silence of a client after which it gets a ping */
	int64_t subscribe_s;	/* time to subscribe */
	int64_t per_player_max; /* private channels of one player */
	int64_t retry_ms;	/* span of the random delay that clients get on draining */
	const char *origins;	/* "same-host", "*", or a list separated by spaces */
	/* True when clients may connect. Until then they are refused and try again. */
	bool (*open)(void *context);
	/* Called when a client has subscribed: queues its snapshots. */
	void (*subscribed)(
		void *context, struct client *client, const struct subscription *subscription);
	/* Identifies the player of a token: TOKEN_OK sets *player_r and *life_r. */
	enum token_status (*identify)(
		void *context, const char *token, player_id *player_r, struct token_life *life_r);
	/* A token is malformed or forged. Counts it and returns 0, or returns the seconds that its
	 * sender must still wait. */
	uint32_t (*wrong)(void *context, const struct sender *sender);
	/* A player's connection to a game was lost. */
	void (*lost)(void *context, player_id player, const char *game);
	/* Fills n entries about sessions; acted_ms is 0 for an unknown session. */
	void (*look)(
		void *context, const char *const *names, size_t n, struct session_seen *seen_r);
	void *context;
};

struct clients *clients_new(const struct clients_config *config);
void clients_free(struct clients **clients);
/* Call after creating the edge. */
void clients_attach(struct clients *clients, struct edge *edge);

/* For edge_config.websocket; `context` is a struct clients **. */
edge_handler clients_websocket;
/* Handles GET /v1/events/stream; `context` is a struct clients ** too. */
edge_handler clients_stream;

/* Reads what a stream or a poll asks for. False: it may not, and was answered. */
bool clients_admit(
	struct clients *clients, struct edge_request *request, struct subscription *subscription_r);

/* Makes a frame from JSON text; `id` ("epoch/offset", or NULL) goes into the stream's id field. The
 * caller holds one reference. */
struct frame *frame_new(const char *json, size_t length, const char *event, const char *id);
void frame_release(struct frame **frame);
/* Its JSON text, without a NUL. */
const char *frame_json(const struct frame *frame, size_t *length_r);

/* Queues a frame for one client; closes the client with 4002 when its queue is full. `backlog`: a
 * frame of a resume, which does not count towards the full queue. */
void client_push(struct client *client, struct frame *frame, bool backlog);
/* Queues a frame for every client of the channel. `conflated`: replaces an earlier unsent frame. */
void clients_broadcast(
	struct clients *clients, unsigned channel, struct frame *frame, bool conflated);
/* clients_has_player is true when the player has a private channel here. clients_push_player pushes
 * to all of them; an event of a row (`row` not NULL) skips clients that resumed at that row or
 * later. */
bool clients_has_player(const struct clients *clients, player_id player);
void clients_push_player(struct clients *clients, player_id player, const struct own_position *row,
	struct frame *frame);

/* The player has ended the session: closes its connections with 4005. */
void clients_logged_out(struct clients *clients, const char *session);
/* The same for all connections of a player whose tokens were issued up to before_s. */
void clients_all_logged_out(struct clients *clients, player_id player, uint64_t before_s);
/* Once a second: pings, closes half-open connections, expired and idle sessions and clients that
 * have not subscribed in time; updates gauges. */
void clients_sweep(struct clients *clients);
/* Closes all clients with 4003 and a delay for the reconnect. */
void clients_drain(struct clients *clients);
size_t clients_count(const struct clients *clients);

#endif
