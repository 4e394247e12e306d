/* Frames of a WebSocket (RFC 6455), as a server reads and writes them. Pure: no I/O, no
 * allocation. */
#ifndef CARILLON_EDGE_WS_FRAME_H
#define CARILLON_EDGE_WS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_HEAD_MAX 14	   /* bytes before the payload of a frame that is read */
#define WS_OUT_HEAD_MAX 10 /* bytes before the payload of a frame that is written (no mask) */
#define WS_CONTROL_MAX 125 /* bytes of the payload of a close, ping or pong */
#define WS_REASON_MAX (WS_CONTROL_MAX - 2)

enum ws_opcode {
	WS_CONTINUATION = 0,
	WS_TEXT = 1,
	WS_BINARY = 2,
	WS_CLOSE = 8,
	WS_PING = 9,
	WS_PONG = 10,
};

/* Close codes of the protocol itself; a service adds codes from 4000. */
#define WS_CLOSE_NORMAL 1000
#define WS_CLOSE_PROTOCOL 1002
#define WS_CLOSE_BINARY 1003
#define WS_CLOSE_NO_CODE 1005 /* never written: the received close frame has no code */
#define WS_CLOSE_NOT_TEXT 1007
#define WS_CLOSE_TOO_LARGE 1009

struct ws_head {
	enum ws_opcode opcode;
	bool final;	 /* the last or only frame of its message */
	bool compressed; /* by permessage-deflate */
	uint8_t mask[4];
	size_t size;	 /* bytes of the head */
	uint64_t length; /* bytes of the payload */
};

enum ws_status {
	WS_OK = 0,
	WS_MORE, /* the head has not arrived in full */
	WS_BAD,	 /* a head that no client may send; the connection cannot continue */
};

/* Reads the head of a client's frame. deflate: permessage-deflate was agreed on. */
enum ws_status ws_head_read(
	const uint8_t *bytes, size_t length, bool deflate, struct ws_head *head_r);
/* Unmasks a payload in place. */
void ws_unmask(uint8_t *bytes, size_t length, const uint8_t mask[4]);
/* Writes the head of a whole message from the server; returns its length. */
size_t ws_head_write(
	uint8_t out[WS_OUT_HEAD_MAX], enum ws_opcode opcode, bool compressed, uint64_t length);
/* Writes a whole close frame and returns its length. The text is cut at WS_REASON_MAX. */
size_t ws_close_write(
	uint8_t out[WS_OUT_HEAD_MAX + WS_CONTROL_MAX], uint16_t code, const char *text);
/* The code of a received close frame; 0 when the payload is not valid. */
uint16_t ws_close_read(const uint8_t *payload, size_t length);
/* True for valid UTF-8. */
bool ws_utf8(const uint8_t *bytes, size_t length);
/* Reads Sec-WebSocket-Extensions. True when one of its offers can be accepted with
 * WS_DEFLATE_ANSWER: neither side keeps its compression window from message to message. */
bool ws_deflate_offered(const char *extensions);
#define WS_DEFLATE_ANSWER                                                                          \
	"permessage-deflate; server_no_context_takeover; client_no_context_takeover"

#endif
