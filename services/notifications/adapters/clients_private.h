/* Shared by the clients_*.c files. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_CLIENTS_PRIVATE_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_CLIENTS_PRIVATE_H

#include "services/notifications/adapters/clients.h"

#include "libcommon/edge/ws_deflate.h"
#include "libcommon/io/metrics.h"

#define PLAYER_CHAINS 4096
#define CHANNELS 3

/* The bytes of a frame in one form. */
struct wire {
	const uint8_t *bytes; /* NULL: not made yet */
	size_t length;
};

/* Its forms are made when the first client needs them, once for all. */
struct frame {
	uint32_t refs;
	uint64_t broadcast; /* number of its broadcast; 0: none */
	const char *event;  /* static */
	struct wire text, packed, stream;
	size_t id_length, json_length;
	char id_json[]; /* the id, then the JSON */
};

struct client {
	struct clients *clients;
	struct client *previous, *next;
	struct client *same; /* next with the same player chain */
	struct edge_stream *stream;
	bool websocket; /* false: server-sent events */
	struct sender sender;
	unsigned channels;
	player_id player; /* 0: none */
	struct own_position
		own; /* newest row that the client already had; only newer rows are sent */
	struct token_life life;
	char game[SUBSCRIBE_GAME_MAX]; /* the game played over this connection; "": none */
	char session[SESSION_NAME_MAX];
	uint64_t look_ms; /* when to check the session next */

	struct frame **queue; /* ring */
	size_t head, n, room, backlog;
	uint64_t wrote_us; /* when it last took a frame or had an empty queue */
	struct frame *conflated;

	uint64_t since_us, heard_us;
	bool asked;	  /* a ping waits for its pong */
	bool peer_closed; /* the client sent a close frame */
	bool unanswered;  /* a ping got no answer */
	uint16_t close_code;
	uint32_t messages; /* received in this minute */
};

/* Progress of the last broadcast. */
struct fanout {
	uint64_t number, start_us;
	size_t targets, written;
};

struct clients {
	struct clients_config config;
	struct edge *edge;
	struct client *first;
	size_t n, streams, privates;
	size_t subscribed[CHANNELS]; /* by bit of enum channel */
	struct ws_deflate *deflate;  /* NULL until a client wants it */
	struct client *players[PLAYER_CHAINS];
	struct fanout fanout;
	bool draining;
	struct {
		struct metric *websockets, *streams, *privates, *queued, *queued_bytes;
		struct metric *fan_first, *fan_median, *fan_last;
		struct metric *slow, *refused, *closed_token, *closed_idle, *half_open, *frames,
			*bytes, *conflated;
	} metric;
};

/* clients_frame.c: the frame as this client gets it. */
struct wire frame_wire(struct frame *frame, const struct client *client);

struct client *client_new(struct clients *clients);
void client_free(struct client **client);
/* Writes what waits, while the connection takes it. */
void client_flush(struct client *client);
void client_close(struct client *client, uint16_t code, const char *text);
/* Call with a token that was not accepted. 0: its connection gets the reason (if the token is
 * wrong, it is counted); else the seconds that the sender must still wait. */
uint32_t clients_wrong(struct clients *clients, enum token_status status, const char *token,
	const struct sender *sender);
/* Applies a subscription: token, channels, snapshots. */
void client_subscribe(struct client *client, const struct subscription *subscription);
/* Head of the chain in the player table that holds the player's clients; continue with `same`. */
struct client **clients_chain(struct clients *clients, player_id player);
void client_unlist_player(struct client *client);
/* The connection has ended; reports a lost connection. The caller frees the client after it. */
void client_ended(struct client *client);
/* Closes the clients whose session has ended by inactivity; checks the sessions that are due. */
void clients_look_idle(struct clients *clients, uint64_t now_ms);
bool clients_origin_allowed(const struct clients *clients, const char *origin, const char *host);

#endif
