/* permessage-deflate (RFC 7692) without context takeover: each message is compressed by itself, so
 * that one compressed frame serves every client, and no client has a window of its own. */
#ifndef CARILLON_EDGE_WS_DEFLATE_H
#define CARILLON_EDGE_WS_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

struct ws_deflate;

/* Never NULL: fatal without memory. About 300 kB; a process needs only one. */
struct ws_deflate *ws_deflate_new(void);
void ws_deflate_free(struct ws_deflate **codec);
/* Compresses a message. Returns the compressed length; 0: it would not fit in `room`. */
size_t ws_deflate_pack(
	struct ws_deflate *codec, const uint8_t *bytes, size_t length, uint8_t *out, size_t room);
/* Decompresses a message. *length_r is the decompressed length. Returns 0, or the close code of the
 * error: 1007 when the input is not valid, 1009 when the message is not shorter than `room`. */
uint16_t ws_deflate_unpack(struct ws_deflate *codec, const uint8_t *bytes, size_t length,
	uint8_t *out, size_t room, size_t *length_r);

#endif
