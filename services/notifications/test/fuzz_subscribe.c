/* Any bytes from a client: accepted, or rejected with an answer in JSON. */
#include "services/notifications/adapters/subscribe.h"

#include <jansson.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try(const char *bytes, size_t length)
{
	struct subscription subscription;
	char error[SUBSCRIBE_ERROR_MAX], text[WINNERS_POSITION_TEXT_MAX];
	if (subscribe_parse(bytes, length, &subscription, error)) {
		if (!subscription.channels)
			abort();
		winners_position_format(&subscription.position, text);
		return;
	}
	json_t *json = json_loads(error, 0, NULL);
	if (!json)
		abort();
	json_decref(json);
}

/* The JSON parser is not instrumented, so random bytes would seldom pass it: the test also puts
 * them into the strings of a valid message. */
static void try_in_place(const char *bytes, size_t length)
{
	static const char *const shapes[] = { "{s:[s%]}", "{s:[s],s:s%}",
		"{s:[s],s:{s:{s:s%,s:s}}}", "{s:[s],s:{s:{s:s,s:s%}}}", "{s:[s],s:s%}" };
	json_t *messages[] = {
		json_pack(shapes[0], "subscribe", bytes, length),
		json_pack(shapes[1], "subscribe", "player", "token", bytes, length),
		json_pack(shapes[2], "subscribe", "winners", "resume", "winners", "epoch", bytes,
			length, "offset", "1:1"),
		json_pack(shapes[3], "subscribe", "winners", "resume", "winners", "epoch", "e",
			"offset", bytes, length),
		json_pack(shapes[4], "subscribe", "player", "game", bytes, length),
	};
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		char *text = messages[i] ? json_dumps(messages[i], JSON_COMPACT) : NULL;
		if (text)
			try(text, strlen(text));
		free(text);
		json_decref(messages[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try((const char *)data, size);
	try_in_place((const char *)data, size);
	return 0;
}
