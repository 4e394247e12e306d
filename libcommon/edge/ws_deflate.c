/* zlib, raw, reset before each message. */
#include "libcommon/edge/ws_deflate.h"

#include "libcommon/edge/ws_frame.h"
#include "libcommon/io/log.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LEVEL 6
#define MEMORY 8

/* What a sender cuts off the end of a message, and a receiver puts back. */
static const uint8_t TAIL[4] = { 0x00, 0x00, 0xff, 0xff };

struct ws_deflate {
	z_stream out, in;
};

struct ws_deflate *ws_deflate_new(void)
{
	struct ws_deflate *codec = calloc(1, sizeof(*codec));
	if (codec == NULL ||
		deflateInit2(&codec->out, LEVEL, Z_DEFLATED, -MAX_WBITS, MEMORY,
			Z_DEFAULT_STRATEGY) != Z_OK ||
		inflateInit2(&codec->in, -MAX_WBITS) != Z_OK)
		fatal("edge: out of memory");
	return codec;
}

void ws_deflate_free(struct ws_deflate **codec)
{
	if (*codec == NULL)
		return;
	(void)deflateEnd(&(*codec)->out);
	(void)inflateEnd(&(*codec)->in);
	free(*codec);
	*codec = NULL;
}

size_t ws_deflate_pack(
	struct ws_deflate *codec, const uint8_t *bytes, size_t length, uint8_t *out, size_t room)
{
	z_stream *z = &codec->out;
	if (deflateReset(z) != Z_OK || length > UINT32_MAX || room > UINT32_MAX)
		return 0;
	z->next_in = (uint8_t *)(uintptr_t)bytes; /* zlib does not write there */
	z->avail_in = (uInt)length;
	z->next_out = out;
	z->avail_out = (uInt)room;
	/* Room left over proves that the flush is complete. */
	if (deflate(z, Z_SYNC_FLUSH) != Z_OK || z->avail_in > 0 || z->avail_out == 0)
		return 0;
	size_t made = room - z->avail_out;
	bool whole =
		made > sizeof(TAIL) && memcmp(out + made - sizeof(TAIL), TAIL, sizeof(TAIL)) == 0;
	return whole ? made - sizeof(TAIL) : 0;
}

uint16_t ws_deflate_unpack(struct ws_deflate *codec, const uint8_t *bytes, size_t length,
	uint8_t *out, size_t room, size_t *length_r)
{
	z_stream *z = &codec->in;
	int status = inflateReset(z);
	z->next_out = out;
	z->avail_out = (uInt)room;
	for (int part = 0; part < 2 && status == Z_OK; part++) {
		z->next_in = (uint8_t *)(uintptr_t)(part == 0 ? bytes : TAIL);
		z->avail_in = (uInt)(part == 0 ? length : sizeof(TAIL));
		if (z->avail_in > 0)
			status = inflate(z, Z_SYNC_FLUSH);
		if (z->avail_out == 0)
			return WS_CLOSE_TOO_LARGE;
		if (status == Z_BUF_ERROR)
			status = Z_OK;
	}
	/* A sender may also end its stream, instead of flushing it. */
	if (status != Z_OK && status != Z_STREAM_END)
		return WS_CLOSE_NOT_TEXT;
	*length_r = room - z->avail_out;
	return 0;
}
