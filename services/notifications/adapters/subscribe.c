#include "services/notifications/adapters/subscribe.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned channel_parse(const char *name)
{
	if (strcmp(name, "jackpots") == 0)
		return CHANNEL_JACKPOTS;
	if (strcmp(name, "winners") == 0)
		return CHANNEL_WINNERS;
	return strcmp(name, "player") == 0 ? CHANNEL_PLAYER : 0;
}

/* Describes a value for an error, in at most 60 characters. */
static const char *describe(const json_t *value, char *out, size_t room)
{
	static const char *const types[] = { [JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "an array",
		[JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number",
		[JSON_REAL] = "a number",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null" };
	if (!value)
		return "nothing";
	if (!json_is_string(value))
		return types[json_typeof(value)];
	(void)snprintf(out, room, "%s", json_string_value(value));
	/* If the cut is inside a character, drop the rest of it. */
	size_t n = strlen(out);
	if (n == room - 1) {
		while (n && ((unsigned char)out[n - 1] & 0xc0) == 0x80)
			out[--n] = 0;
		if (n && (unsigned char)out[n - 1] >= 0xc0)
			out[n - 1] = 0;
	}
	return out;
}

static bool refuse(char *error, const char *where, const char *found, const char *expected)
{
	json_t *json = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "type", "error", "code",
		"bad_subscription", "message", "The subscription is not valid.", "where", where,
		"found", found, "expected", expected);
	size_t n = json ? json_dumpb(json, error, SUBSCRIBE_ERROR_MAX - 1, JSON_COMPACT) : 0;
	if (n == 0 || n >= SUBSCRIBE_ERROR_MAX)
		n = (size_t)snprintf(error, SUBSCRIBE_ERROR_MAX,
			"{\"type\":\"error\",\"code\":\"bad_subscription\"}");
	error[n] = 0;
	json_decref(json);
	return false;
}

static bool read_channels(const json_t *list, struct subscription *subscription, char *error)
{
	char text[61];
	if (!json_is_array(list) || json_array_size(list) == 0 || json_array_size(list) > 3)
		return refuse(error, "subscribe", describe(list, text, sizeof(text)),
			"an array of 1 to 3 of \"jackpots\", \"winners\", \"player\"");
	const json_t *name;
	size_t i;
	json_array_foreach(list, i, name)
	{
		unsigned channel =
			json_is_string(name) ? channel_parse(json_string_value(name)) : 0;
		if (!channel || json_string_length(name) != strlen(json_string_value(name)))
			return refuse(error, "subscribe", describe(name, text, sizeof(text)),
				"\"jackpots\", \"winners\" or \"player\"");
		subscription->channels |= channel;
	}
	return true;
}

static bool read_token(const json_t *token, struct subscription *subscription, char *error)
{
	char text[61];
	if (!token || json_is_null(token))
		return true;
	if (!json_is_string(token) || json_string_length(token) >= TOKEN_MAX ||
		json_string_length(token) != strlen(json_string_value(token)))
		return refuse(error, "token",
			json_is_string(token) ? "a string that is not a token"
					      : describe(token, text, sizeof(text)),
			"a token of at most 511 characters");
	memcpy(subscription->token, json_string_value(token), json_string_length(token) + 1);
	return true;
}

static bool read_game(const json_t *game, struct subscription *subscription, char *error)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
	const char *name = json_string_value(game);
	char text[61];
	if (!game || json_is_null(game))
		return true;
	if (!name || !*name || json_string_length(game) >= sizeof(subscription->game) ||
		strspn(name, allowed) != json_string_length(game))
		return refuse(error, "game", describe(game, text, sizeof(text)),
			"the id of the game played over this connection");
	memcpy(subscription->game, name, json_string_length(game) + 1);
	return true;
}

static bool read_number(const char *text, uint64_t most, uint64_t *number_r)
{
	size_t digits = strspn(text, "0123456789");
	if (digits == 0 || digits > 19 || text[digits])
		return false;
	*number_r = strtoull(text, NULL, 10);
	return *number_r <= most;
}

/* Any other position counts as none: the player may then be told known events again. */
static void read_own(const char *epoch, const char *offset, struct own_position *own_r)
{
	uint64_t incarnation, seq;
	if (read_number(epoch, UINT32_MAX, &incarnation) && read_number(offset, INT64_MAX, &seq))
		*own_r = (struct own_position){ (uint32_t)incarnation, seq };
}

static bool read_resume(const json_t *resume, struct subscription *subscription, char *error)
{
	char text[61];
	if (!resume || json_is_null(resume))
		return true;
	if (!json_is_object(resume))
		return refuse(error, "resume", describe(resume, text, sizeof(text)), "an object");
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)(uintptr_t)resume, name, value)
	{
		unsigned channel = channel_parse(name);
		const char *epoch = json_string_value(json_object_get(value, "epoch"));
		const char *offset = json_string_value(json_object_get(value, "offset"));
		if (!channel)
			return refuse(error, "resume", "an unknown channel", "names of channels");
		if (!epoch || !offset)
			return refuse(error, "resume", describe(value, text, sizeof(text)),
				"{\"epoch\":\"..\",\"offset\":\"..\"} as it was received");
		subscription->resume |= channel;
		if (channel == CHANNEL_PLAYER)
			read_own(epoch, offset, &subscription->own);
		if (channel != CHANNEL_WINNERS)
			continue;
		(void)snprintf(subscription->epoch, sizeof(subscription->epoch), "%s", epoch);
		subscription->position_known =
			winners_position_parse(offset, &subscription->position);
	}
	return true;
}

bool subscribe_parse(
	const char *bytes, size_t length, struct subscription *subscription_r, char *error)
{
	json_error_t where;
	memset(subscription_r, 0, sizeof(*subscription_r));
	if (length > SUBSCRIBE_BYTES_MAX)
		return refuse(error, "message", "a longer message", "at most 4096 bytes");
	json_t *json = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &where);
	bool ok = json_is_object(json);
	if (!ok)
		refuse(error, "message", "not a JSON object", "{\"subscribe\":[..]}");
	const char *name;
	json_t *value;
	if (ok)
		json_object_foreach(json, name, value)
		{
			if (strcmp(name, "subscribe") != 0 && strcmp(name, "token") != 0 &&
				strcmp(name, "resume") != 0 && strcmp(name, "game") != 0)
				ok = refuse(error, "message", "an unknown field",
					"subscribe, token, game, resume");
		}
	ok = ok && read_channels(json_object_get(json, "subscribe"), subscription_r, error) &&
	     read_token(json_object_get(json, "token"), subscription_r, error) &&
	     read_game(json_object_get(json, "game"), subscription_r, error) &&
	     read_resume(json_object_get(json, "resume"), subscription_r, error);
	json_decref(json);
	return ok;
}
