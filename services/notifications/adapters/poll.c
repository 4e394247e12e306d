#include "services/notifications/adapters/poll.h"

#include "libcommon/io/log.h"
#include "services/notifications/adapters/news.h"
#include "services/notifications/adapters/subscribers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* {"frames":[..]}, growing. */
struct body {
	char *bytes;
	size_t length, room;
};

static void put(struct body *body, const char *bytes, size_t length)
{
	if (body->room - body->length < length) {
		body->room = 2 * (body->room + length);
		body->bytes = realloc(body->bytes, body->room);
		if (!body->bytes)
			fatal("out of memory");
	}
	memcpy(body->bytes + body->length, bytes, length);
	body->length += length;
}

static void put_frame(void *context, struct frame *frame)
{
	struct body *body = context;
	size_t length;
	const char *json = frame_json(frame, &length);
	if (body->bytes[body->length - 1] != '[')
		put(body, ",", 1);
	put(body, json, length);
}

void poll_latest(struct edge_request *request, void *context)
{
	struct hub *hub = context;
	struct subscription subscription;
	struct body body = { NULL, 0, 0 };
	char etag[128];
	if (!clients_admit(hub->clients, request, &subscription))
		return;
	if (subscription.channels & CHANNEL_PLAYER) {
		edge_answer_error(request, 400, "unknown_channel",
			"The player's own events cannot be polled; GET /v1/state has them.",
			"channels", "player", "jackpots or winners");
		return;
	}
	const struct frame_ages ages = news_ages(hub);
	(void)snprintf(etag, sizeof(etag), "\"%s-%" PRIu64 "-%" PRIu64 "%s\"", hub->process_epoch,
		hub->counters.revision, hub->winners_taken, frame_late(&ages) ? "-late" : "");
	if (edge_answer_etag(request, etag))
		return;
	put(&body, "{\"frames\":[", 11);
	subscribers_frames(hub, &subscription, put_frame, &body);
	put(&body, "]}", 2);
	edge_answer_json(request, 200, body.bytes, body.length);
	free(body.bytes);
}
