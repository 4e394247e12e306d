/* Answers without an end. Reading of the connection stays off between two writes: libwebsockets 4.1 neither reads nor ignores what a client sends
 * (or that it has hung up) while an answer is on its way, and poll() would report it for ever. That a client has gone shows at the next
 * write: write something every few seconds. */
#include "libcommon/io/edge_private.h"

#include <stdlib.h>
#include <string.h>

void edge_stream_wake(struct edge_stream *stream)
{
	(void)lws_rx_flow_control(stream->wsi, 1);
	(void)lws_callback_on_writable(stream->wsi);
}

bool edge_stream_write(struct edge_stream *stream, const uint8_t *bytes, size_t length)
{
	if (stream->wrote || stream->closing)
		return false;
	stream->wrote = true;
	/* The library's parameter is not const, but HTTP writes nothing into the buffer. */
	unsigned char *writable;
	memcpy(&writable, &bytes, sizeof(writable));
	if (lws_write(stream->wsi, writable, length, LWS_WRITE_HTTP) < 0) {
		stream->closing = true;
		return false;
	}
	return true;
}

void edge_stream_close(struct edge_stream *stream)
{
	stream->closing = true;
	edge_stream_wake(stream);
}

int edge_stream_writable(struct edge_stream *stream)
{
	stream->wrote = false;
	if (!stream->closing) {
		struct lws *wsi = stream->wsi;
		(void)lws_rx_flow_control(wsi, 0);
		stream->ops->writable(stream, stream->context);
	}
	return stream->closing ? -1 : 0;
}

void edge_stream_gone(struct edge_stream *stream)
{
	stream->closing = true;
	if (stream->ops->closed != NULL)
		stream->ops->closed(stream, stream->context);
	free(stream);
}
