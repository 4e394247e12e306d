/* The two kinds of connection: WebSockets, and server-sent events. */
#include "services/notifications/adapters/clients_private.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES_MAX 60 /* a minute */

static void message(struct client *client, const char *bytes, size_t length)
{
	struct subscription subscription;
	char error[SUBSCRIBE_ERROR_MAX];
	if (++client->messages > MESSAGES_MAX) {
		client_close(client, CLOSE_POLICY, "more than 60 messages a minute");
		return;
	}
	if (subscribe_parse(bytes, length, &subscription, error)) {
		client_subscribe(client, &subscription);
		return;
	}
	metric_add(client->clients->metric.refused, 1);
	struct frame *frame = frame_new(error, strlen(error), "error", NULL);
	client_push(client, frame, false);
	frame_release(&frame);
}

static void on_message(struct edge_stream *stream, void *context, const char *text, size_t length)
{
	(void)stream;
	message(context, text, length);
}

static void on_heard(struct edge_stream *stream, void *context)
{
	struct client *client = context;
	client->heard_us = edge_now_us(client->clients->edge);
	client->asked = false;
	(void)stream;
}

static void on_left(struct edge_stream *stream, void *context)
{
	struct client *client = context;
	client->peer_closed = true;
	(void)stream;
}

static void on_writable(struct edge_stream *stream, void *context)
{
	(void)stream;
	client_flush(context);
}

static void on_closed(struct edge_stream *stream, void *context)
{
	struct client *client = context;
	(void)stream;
	client_ended(client);
	client_free(&client);
}

/* While the service starts or ends, clients are refused and try again. */
static bool refused_for_now(struct clients *clients, struct edge_request *request)
{
	if (!clients->draining && clients->config.open(clients->config.context))
		return false;
	edge_answer_header(request, "Retry-After", "1");
	edge_answer_error(request, 503, clients->draining ? "draining" : "starting",
		clients->draining ? "The server is about to stop. Try again."
				  : "The server is still loading events. Try again.",
		NULL, NULL, NULL);
	return true;
}

static void refuse_origin(struct clients *clients, struct edge_request *request, const char *origin)
{
	metric_add(clients->metric.refused, 1);
	edge_answer_error(request, 403, "origin", "Pages of this origin may not receive events.",
		"Origin", origin, "one of NOTIFICATIONS_ORIGINS");
}

static struct sender sender_of(const struct edge_request *request)
{
	const struct edge_route *route = edge_route_of(request); /* NULL: a WebSocket */
	struct sender sender = { .limited = edge_limited(request) != NULL,
		.route = route != NULL ? route->pattern : "/v1/events" };
	if (!address_parse(edge_peer(request), &sender.address))
		memset(&sender.address, 0, sizeof(sender.address));
	return sender;
}

void clients_websocket(struct edge_request *request, void *context)
{
	static const struct edge_websocket_ops ops = {
		.stream = { .writable = on_writable, .closed = on_closed },
		.message = on_message,
		.heard = on_heard,
		.left = on_left,
	};
	struct clients *clients = *(struct clients **)context;
	const char *origin = edge_header(request, EDGE_ORIGIN);
	const char *host = edge_header(request, EDGE_HOST);
	if (refused_for_now(clients, request))
		return;
	if (!clients_origin_allowed(clients, origin, host ? host : "")) {
		refuse_origin(clients, request, origin);
		return;
	}
	struct client *client = client_new(clients);
	client->websocket = true;
	client->sender = sender_of(request);
	client->stream = edge_answer_websocket(request, &ops, client);
}

/* ---- server-sent events ---- */

/* channels=jackpots,winners[,player]; the token in the header Authorization; Last-Event-ID is
 * "epoch/offset" of the winners, which the browser sends by itself. */
static bool stream_wish(struct edge_request *request, struct subscription *subscription_r)
{
	char channels[128], name[64], *save = NULL;
	memset(subscription_r, 0, sizeof(*subscription_r));
	for (size_t i = 0; *edge_query_name(request, i, name, sizeof(name)); i++)
		if (strcmp(name, "channels") != 0) {
			edge_answer_error(request, 400, "unknown_parameter",
				"This query parameter is unknown.", "query", name, "channels");
			return false;
		}
	if (!edge_query(request, "channels", channels, sizeof(channels)))
		(void)snprintf(channels, sizeof(channels), "jackpots,winners");
	for (char *word = strtok_r(channels, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		unsigned channel = channel_parse(word);
		if (!channel) {
			edge_answer_error(request, 400, "unknown_channel",
				"This channel does not exist.", "channels", word,
				"jackpots, winners or player");
			return false;
		}
		subscription_r->channels |= channel;
	}
	if (!subscription_r->channels) {
		edge_answer_error(request, 400, "unknown_channel", "The list of channels is empty.",
			"channels", "nothing", "jackpots, winners or player");
		return false;
	}
	const char *token = edge_header(request, EDGE_AUTHORIZATION);
	const char *last = edge_header(request, EDGE_LAST_EVENT_ID);
	if (token)
		(void)snprintf(subscription_r->token, sizeof(subscription_r->token), "%s", token);
	const char *slash = last ? strchr(last, '/') : NULL;
	if (slash && (size_t)(slash - last) < sizeof(subscription_r->epoch)) {
		subscription_r->resume = CHANNEL_WINNERS;
		memcpy(subscription_r->epoch, last, (size_t)(slash - last));
		subscription_r->position_known =
			winners_position_parse(slash + 1, &subscription_r->position);
	}
	return true;
}

/* The sender of too many wrong tokens must wait. */
static void refuse_token(struct clients *clients, struct edge_request *request,
	enum token_status status, const char *token)
{
	const struct sender sender = sender_of(request);
	uint32_t wait_s = clients_wrong(clients, status, token, &sender);
	char text[16];
	if (wait_s == 0) {
		edge_answer_error(request, 401, "token", "The token is missing or not valid.",
			"Authorization", "no valid token", "Bearer and the token of a session");
		return;
	}
	(void)snprintf(text, sizeof(text), "%" PRIu32, wait_s);
	edge_answer_header(request, "Retry-After", text);
	edge_answer_error(request, 429, "too_many_wrong",
		"Too many wrong tokens came from this address. Try again later.", NULL, NULL, NULL);
}

bool clients_admit(
	struct clients *clients, struct edge_request *request, struct subscription *subscription_r)
{
	const char *origin = edge_header(request, EDGE_ORIGIN);
	bool listed = origin && strcmp(clients->config.origins, "same-host") != 0;
	enum token_status status = TOKEN_OK;
	player_id player;
	struct token_life life;
	if (refused_for_now(clients, request) || !stream_wish(request, subscription_r))
		return false;
	/* For programs and for pages of listed origins: without an upgrade request the host's name
	 * proves nothing. */
	if (listed && !clients_origin_allowed(clients, origin, "")) {
		refuse_origin(clients, request, origin);
		return false;
	}
	if (subscription_r->channels & CHANNEL_PLAYER)
		status = clients->config.identify(
			clients->config.context, subscription_r->token, &player, &life);
	if (status != TOKEN_OK) {
		refuse_token(clients, request, status, subscription_r->token);
		return false;
	}
	if (listed)
		edge_answer_header(request, "Access-Control-Allow-Origin", origin);
	return true;
}

void clients_stream(struct edge_request *request, void *context)
{
	static const struct edge_stream_ops ops = { .writable = on_writable, .closed = on_closed };
	struct clients *clients = *(struct clients **)context;
	struct subscription subscription;
	if (!clients_admit(clients, request, &subscription))
		return;
	struct client *client = client_new(clients);
	client->sender = sender_of(request);
	client->stream = edge_answer_stream(request, "text/event-stream", &ops, client);
	clients->streams++;
	client_subscribe(client, &subscription);
}
