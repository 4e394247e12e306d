/* The two kinds of connection: libwebsockets' callbacks, and the edge's streams. */
#include "services/notifications/adapters/clients_private.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES_MAX 60 /* a minute */

static struct clients *clients_of(const struct edge *edge)
{
	return *(struct clients **)edge_context(edge);
}

static bool origin_ok(struct clients *clients, struct lws *wsi)
{
	char origin[EDGE_HEADER_MAX] = "", host[256] = "";
	if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) >= (int)sizeof(origin))
		return false;
	(void)lws_hdr_copy(wsi, origin, sizeof(origin), WSI_TOKEN_ORIGIN);
	(void)lws_hdr_copy(wsi, host, sizeof(host), WSI_TOKEN_HOST);
	return clients_origin_allowed(clients, origin, host);
}

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

/* Messages may come in pieces; a whole message is not copied. */
static int receive(struct client *client, struct lws *wsi, const char *bytes, size_t length)
{
	bool whole = lws_is_final_fragment(wsi) && !lws_remaining_packet_payload(wsi);
	client->heard_us = clock_mono_us();
	client->asked = false;
	if (client->partial_n + length > SUBSCRIBE_BYTES_MAX) {
		client_close(client, CLOSE_POLICY, "a message of more than 4096 bytes");
		client->partial_n = 0;
		return 0;
	}
	if (whole && !client->partial_n) {
		message(client, bytes, length);
		return 0;
	}
	if (!client->partial)
		client->partial = malloc(SUBSCRIBE_BYTES_MAX);
	if (!client->partial)
		return -1;
	memcpy(client->partial + client->partial_n, bytes, length);
	client->partial_n += length;
	if (whole) {
		message(client, client->partial, client->partial_n);
		client->partial_n = 0;
	}
	return 0;
}

static int writable(struct client *client)
{
	if (client->close_code) {
		lws_close_reason(client->wsi, client->close_code,
			(unsigned char *)client->close_text, strlen(client->close_text));
		return -1;
	}
	if (client->ping) {
		/* With a payload: the library does not report a pong without one. */
		unsigned char ping[LWS_PRE + 1] = { 0 };
		client->ping = false;
		if (lws_write(client->wsi, ping + LWS_PRE, 1, LWS_WRITE_PING) < 0)
			return -1;
		client_wake(client);
		return 0;
	}
	struct frame *frame = client_take(client);
	if (!frame)
		return 0;
	/* Writes the frame's header before the shared bytes; it is the same for all clients. */
	int written = lws_write(client->wsi, frame->ws, frame->ws_length, LWS_WRITE_TEXT);
	client_wrote(client, frame, frame->ws_length);
	frame_release(&frame);
	if (written < 0)
		return -1;
	if (client->n || client->conflated)
		client_wake(client);
	return 0;
}

int clients_websocket(struct edge *edge, struct lws *wsi, enum lws_callback_reasons reason,
	void *session, void *in, size_t length)
{
	struct clients *clients = clients_of(edge);
	struct client **client = session;
	if (reason == LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION) {
		if (!clients->config.open(clients->config.context))
			return -1;
		if (!clients->draining && origin_ok(clients, wsi))
			return 0;
		metric_add(clients->metric.refused, 1);
		return -1;
	}
	if (reason == LWS_CALLBACK_ESTABLISHED) {
		*client = client_new(clients);
		(*client)->wsi = wsi;
		return 0;
	}
	if (!client || !*client)
		return 0;
	if (reason == LWS_CALLBACK_RECEIVE)
		return receive(*client, wsi, in, length);
	if (reason == LWS_CALLBACK_SERVER_WRITEABLE)
		return writable(*client);
	if (reason == LWS_CALLBACK_RECEIVE_PONG) {
		(*client)->heard_us = clock_mono_us();
		(*client)->asked = false;
	} else if (reason == LWS_CALLBACK_WS_PEER_INITIATED_CLOSE) {
		(*client)->peer_closed = true;
	} else if (reason == LWS_CALLBACK_CLOSED) {
		client_ended(*client);
		client_free(client);
	}
	return 0;
}

/* ---- server-sent events ---- */

static void stream_writable(struct edge_stream *stream, void *context)
{
	struct client *client = context;
	struct frame *frame = client_take(client);
	if (!frame)
		return;
	(void)edge_stream_write(stream, frame->sse, frame->sse_length);
	client_wrote(client, frame, frame->sse_length);
	frame_release(&frame);
	if (client->n || client->conflated)
		client_wake(client);
}

static void stream_closed(struct edge_stream *stream, void *context)
{
	struct client *client = context;
	(void)stream;
	client_free(&client);
}

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

void clients_stream(struct edge_request *request, void *context)
{
	static const struct edge_stream_ops ops = { .writable = stream_writable,
		.closed = stream_closed };
	struct clients *clients = *(struct clients **)context;
	struct subscription subscription;
	player_id player;
	uint64_t expires_s;
	if (!clients->config.open(clients->config.context)) {
		edge_answer_error(request, 503, "starting",
			"The server is still loading events. Try again.", NULL, NULL, NULL);
		return;
	}
	if (!stream_wish(request, &subscription))
		return;
	const char *origin = edge_header(request, EDGE_ORIGIN);
	/* Streams are for programs and for pages of listed origins: without an upgrade request the
	 * host's name proves nothing. */
	if (origin && strcmp(clients->config.origins, "same-host") != 0 &&
		!clients_origin_allowed(clients, origin, "")) {
		edge_answer_error(request, 403, "origin",
			"Pages of this origin may not receive events.", "Origin", origin,
			"one of NOTIFICATIONS_ORIGINS");
		return;
	}
	if ((subscription.channels & CHANNEL_PLAYER) &&
		clients->config.identify(clients->config.context, subscription.token, &player,
			&expires_s) != TOKEN_OK) {
		edge_answer_error(request, 401, "token", "The token is missing or not valid.",
			"Authorization", "no valid token", "Bearer and the token of a session");
		return;
	}
	if (origin && strcmp(clients->config.origins, "same-host") != 0)
		edge_answer_header(request, "Access-Control-Allow-Origin", origin);
	struct client *client = client_new(clients);
	client->stream = edge_answer_stream(request, "text/event-stream", &ops, client);
	if (!client->stream) {
		client_free(&client);
		return;
	}
	clients->streams++;
	client_subscribe(client, &subscription);
}
