/* Any bytes as what a client sends on a WebSocket: heads, close frames, compressed messages, and
 * the offer of compression. Results stay inside the buffer, and what is written is read again. */
#include "libcommon/edge/ws_deflate.h"
#include "libcommon/edge/ws_frame.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_head(const uint8_t *data, size_t size, bool deflate)
{
	struct ws_head head, again;
	uint8_t out[WS_OUT_HEAD_MAX + 4];
	if (ws_head_read(data, size, deflate, &head) != WS_OK)
		return;
	if (head.size > size || head.size > WS_HEAD_MAX || head.length > INT64_MAX ||
		(head.opcode >= WS_CLOSE && head.length > WS_CONTROL_MAX) ||
		(head.compressed && !deflate))
		abort();
	for (size_t n = 0; n < head.size; n++)
		if (ws_head_read(data, n, deflate, &again) == WS_OK)
			abort();
	/* The same length is written in the same bytes. */
	size_t n = ws_head_write(out, head.opcode, head.compressed, head.length);
	out[1] |= 0x80;
	memset(out + n, 0, 4);
	if (n + 4 != head.size || ws_head_read(out, n + 4, deflate, &again) != WS_OK ||
		again.length != head.length)
		abort();
}

static void try_deflate(const uint8_t *data, size_t size)
{
	static struct ws_deflate *codec;
	uint8_t plain[4097], packed[8192], again[4097];
	size_t length = 0, back = 0;
	if (codec == NULL)
		codec = ws_deflate_new();
	if (ws_deflate_unpack(codec, data, size, plain, sizeof(plain), &length) != 0)
		return;
	if (length >= sizeof(plain))
		abort();
	size_t n = ws_deflate_pack(codec, plain, length, packed, sizeof(packed));
	if (n > 0 && (ws_deflate_unpack(codec, packed, n, again, sizeof(again), &back) != 0 ||
			     back != length || memcmp(again, plain, length) != 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t out[WS_OUT_HEAD_MAX + WS_CONTROL_MAX];
	char text[512];
	if (size > 4096)
		return 0;
	try_head(data, size, false);
	try_head(data, size, true);
	try_deflate(data, size);
	(void)ws_close_read(data, size);
	size_t length = size < sizeof(text) ? size : sizeof(text) - 1;
	if (length > 0)
		memcpy(text, data, length);
	text[length] = '\0';
	(void)ws_deflate_offered(text);
	size_t n = ws_close_write(out, 1000, text);
	if (ws_utf8((const uint8_t *)text, strlen(text)) && ws_close_read(out + 2, n - 2) != 1000)
		abort();
	return 0;
}
