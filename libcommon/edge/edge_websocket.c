/* WebSocket by libwebsockets. A connection whose first bytes request the WebSocket's path is passed
 * on unread. libwebsockets and the service do the rest, handshake included */
#include "libcommon/edge/private/server.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool edge_websocket_take(struct edge_connection *connection)
{
	struct edge *edge = connection->listener->edge;
	char start[EDGE_PATH_MAX];
	if (edge->config.websocket == NULL || edge->draining || connection->listener->health_only)
		return false;
	size_t length = strlen(edge->config.websocket_path);
	ssize_t n = recv(connection->fd, start, sizeof(start) - 1, MSG_PEEK | MSG_DONTWAIT);
	if (n < 0 || (size_t)n < 4 + length + 1 || strncmp(start, "GET ", 4) != 0 ||
		strncmp(start + 4, edge->config.websocket_path, length) != 0 ||
		(start[4 + length] != ' ' && start[4 + length] != '?'))
		return false;
	lws_sock_file_fd_type copy = { .sockfd = dup(connection->fd) };
	if (copy.sockfd < 0)
		return false;
	(void)lws_adopt_descriptor_vhost(
		edge->vhost, LWS_ADOPT_SOCKET | LWS_ADOPT_HTTP, copy, NULL, NULL);
	return true;
}

/* libwebsockets also reports the end of connections whose upgrade was rejected. Only counted
 * connections are subtracted. */
static void count_connection(struct edge *edge, struct lws *wsi)
{
	edge->connections++;
	lws_set_opaque_user_data(wsi, edge);
}

static void uncount_connection(struct edge *edge, struct lws *wsi)
{
	if (lws_get_opaque_user_data(wsi) == NULL)
		return;
	edge->connections--;
	lws_set_opaque_user_data(wsi, NULL);
}

/* A request for the path without an upgrade. */
static int not_upgraded(struct lws *wsi)
{
	static const char answer[] = "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\n"
				     "Connection: close\r\nContent-Length: 0\r\n\r\n";
	unsigned char out[LWS_PRE + sizeof(answer)];
	memcpy(out + LWS_PRE, answer, sizeof(answer));
	(void)lws_write(wsi, out + LWS_PRE, sizeof(answer) - 1, LWS_WRITE_HTTP);
	return -1;
}

/* libwebsockets keeps adding reasons; most do not concern us. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wswitch-enum"
int edge_websocket_callback(
	struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
	struct edge *edge = wsi == NULL ? NULL : lws_context_user(lws_get_context(wsi));
	const struct lws_protocols *protocol = wsi == NULL ? NULL : lws_get_protocol(wsi);
	/* Adopted descriptors arrive here too, with data of another protocol. */
	if (edge == NULL || protocol == NULL || protocol->callback != edge_websocket_callback)
		return 0;
	switch (reason) {
	case LWS_CALLBACK_HTTP:
		return not_upgraded(wsi);
	case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
		return strcasecmp(in, "websocket") == 0 ? 0 : -1; /* no HTTP/2 by upgrade */
	case LWS_CALLBACK_ESTABLISHED:
		memset(user, 0, edge->config.websocket_session_bytes);
		count_connection(edge, wsi);
		break;
	case LWS_CALLBACK_CLOSED:
		uncount_connection(edge, wsi);
		break;
	case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
	case LWS_CALLBACK_RECEIVE:
	case LWS_CALLBACK_RECEIVE_PONG:
	case LWS_CALLBACK_SERVER_WRITEABLE:
	case LWS_CALLBACK_TIMER:
	case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
		break;
	default:
		return 0;
	}
	if (edge->config.websocket == NULL)
		return 0;
	edge->now_us = clock_mono_us();
	return edge->config.websocket(edge, wsi, reason, user, in, length);
}
#pragma GCC diagnostic pop
