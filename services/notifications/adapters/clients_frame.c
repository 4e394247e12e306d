/* Frames: the JSON of a message, and the bytes of it that each kind of client gets. */
#include "services/notifications/adapters/clients_private.h"

#include "libcommon/edge/ws_frame.h"
#include "libcommon/io/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACKED_LEAST 256 /* bytes below which compressing gains nothing */

static void *need(void *memory)
{
	if (!memory)
		fatal("out of memory");
	return memory;
}

struct frame *frame_new(const char *json, size_t length, const char *event, const char *id)
{
	size_t id_length = id ? strlen(id) : 0;
	struct frame *frame = need(malloc(sizeof(*frame) + id_length + length));
	*frame = (struct frame){
		.refs = 1, .event = event, .id_length = id_length, .json_length = length
	};
	if (id_length)
		memcpy(frame->id_json, id, id_length);
	memcpy(frame->id_json + id_length, json, length);
	return frame;
}

void frame_release(struct frame **frame)
{
	if (*frame && --(*frame)->refs == 0) {
		if ((*frame)->packed.bytes != (*frame)->text.bytes)
			free((void *)(uintptr_t)(*frame)->packed.bytes);
		free((void *)(uintptr_t)(*frame)->text.bytes);
		free((void *)(uintptr_t)(*frame)->stream.bytes);
		free(*frame);
	}
	*frame = NULL;
}

const char *frame_json(const struct frame *frame, size_t *length_r)
{
	*length_r = frame->json_length;
	return frame->id_json + frame->id_length;
}

static struct wire make_text(const struct frame *frame)
{
	uint8_t *out = need(malloc(WS_OUT_HEAD_MAX + frame->json_length));
	size_t at = ws_head_write(out, WS_TEXT, false, frame->json_length);
	memcpy(out + at, frame->id_json + frame->id_length, frame->json_length);
	return (struct wire){ out, at + frame->json_length };
}

/* Where compressing gains nothing, the frame goes as it is: each frame says whether it is
 * compressed. */
static struct wire make_packed(struct frame *frame, struct clients *clients)
{
	struct wire packed = { NULL, 0 };
	if (!frame->text.bytes)
		frame->text = make_text(frame);
	if (frame->json_length < PACKED_LEAST)
		return frame->text;
	if (!clients->deflate)
		clients->deflate = ws_deflate_new();
	uint8_t *out = need(malloc(WS_OUT_HEAD_MAX + frame->json_length));
	uint8_t *body = out + WS_OUT_HEAD_MAX;
	size_t length = ws_deflate_pack(clients->deflate,
		(const uint8_t *)frame->id_json + frame->id_length, frame->json_length, body,
		frame->json_length);
	if (length == 0) {
		free(out);
		return frame->text;
	}
	size_t at = ws_head_write(out, WS_TEXT, true, length);
	memmove(out + at, body, length);
	packed.bytes = out;
	packed.length = at + length;
	return packed;
}

static struct wire make_stream(const struct frame *frame)
{
	size_t room = frame->json_length + frame->id_length + strlen(frame->event) + 64;
	char *out = need(malloc(room));
	const char *json = frame->id_json + frame->id_length;
	int n = snprintf(out, room, "event: %s\n%s%.*s%sdata: %.*s\n\n", frame->event,
		frame->id_length ? "id: " : "", (int)frame->id_length, frame->id_json,
		frame->id_length ? "\n" : "", (int)frame->json_length, json);
	return (struct wire){ (const uint8_t *)out, (size_t)n };
}

struct wire frame_wire(struct frame *frame, const struct client *client)
{
	if (!client->websocket) {
		if (!frame->stream.bytes)
			frame->stream = make_stream(frame);
		return frame->stream;
	}
	if (edge_websocket_deflates(client->stream)) {
		if (!frame->packed.bytes)
			frame->packed = make_packed(frame, client->clients);
		return frame->packed;
	}
	if (!frame->text.bytes)
		frame->text = make_text(frame);
	return frame->text;
}
