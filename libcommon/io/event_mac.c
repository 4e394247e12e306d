#include "libcommon/io/event_mac.h"

#include <sodium.h>
#include <string.h>

#define FORMAT 1
#define MAC_BYTES 16
#define ENTRY_BYTES (2 + MAC_BYTES)
#define READERS_MAX 4

/* Who writes to a topic, and who reads it. */
static const struct route {
	enum topic topic;
	const char *sender, *readers[READERS_MAX];
} ROUTES[] = {
	{ TOPIC_WALLET_FACTS, "wallet", { "spin-engine", "notifications", "wallet" } },
	{ TOPIC_JACKPOT_FEED, "wallet", { "progressive-pool", "jackpot-cards" } },
	{ TOPIC_JACKPOT_FACTS, "progressive-pool", { "notifications" } },
	{ TOPIC_JACKPOT_FACTS, "jackpot-cards", { "notifications" } },
	{ TOPIC_DEAD_LETTERS, "wallet", { "gateway" } },
	{ TOPIC_DEAD_LETTERS, "spin-engine", { "gateway" } },
	{ TOPIC_DEAD_LETTERS, "progressive-pool", { "gateway" } },
	{ TOPIC_DEAD_LETTERS, "jackpot-cards", { "gateway" } },
	{ TOPIC_DEAD_LETTERS, "payments", { "gateway" } },
};

static const struct seal_keys *own_keys;
static const char *own_service;

void event_mac_use(const struct seal_keys *keys, const char *service)
{
	bool known = false;
	for (size_t i = 0; service != NULL && i < sizeof(ROUTES) / sizeof(ROUTES[0]); i++) {
		known = known || strcmp(ROUTES[i].sender, service) == 0;
		for (size_t r = 0; r < READERS_MAX && ROUTES[i].readers[r] != NULL; r++)
			known = known || strcmp(ROUTES[i].readers[r], service) == 0;
	}
	own_keys = known ? keys : NULL;
	own_service = known ? service : NULL;
}

static event_mac_again *look;
static void *look_context;

void event_mac_look(event_mac_again *again, void *context)
{
	look = again;
	look_context = context;
}

void event_mac_unlook(const void *context)
{
	if (look_context == context)
		event_mac_look(NULL, NULL);
}

bool event_mac_keys_again(void)
{
	return look != NULL && look(look_context);
}

const struct seal_keys *event_mac_keys(void)
{
	return own_keys;
}

const char *event_mac_service(void)
{
	return own_service;
}

const char *event_mac_status_name(enum event_mac_status status)
{
	static const char *const NAMES[EVENT_MAC_STATUS_N] = {
		[EVENT_MAC_OK] = "ok",
		[EVENT_MAC_NONE] = "unsigned",
		[EVENT_MAC_MALFORMED] = "malformed",
		[EVENT_MAC_SENDER] = "sender",
		[EVENT_MAC_NO_KEY] = "no_key",
		[EVENT_MAC_FORGED] = "forged",
	};
	return NAMES[status];
}

static const struct route *route_find(enum topic topic, const char *sender, size_t length)
{
	for (size_t i = 0; i < sizeof(ROUTES) / sizeof(ROUTES[0]); i++)
		if (ROUTES[i].topic == topic && strlen(ROUTES[i].sender) == length &&
			memcmp(ROUTES[i].sender, sender, length) == 0)
			return &ROUTES[i];
	return NULL;
}

static void hash_number(crypto_generichash_state *state, uint64_t value)
{
	uint8_t bytes[8];
	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	(void)crypto_generichash_update(state, bytes, sizeof(bytes));
}

static void digest(const struct event *event, uint8_t out[crypto_generichash_BYTES])
{
	crypto_generichash_state state;
	const char *topic = topic_name(event->topic);
	(void)crypto_generichash_init(&state, NULL, 0, crypto_generichash_BYTES);
	hash_number(&state, strlen(topic));
	(void)crypto_generichash_update(&state, (const unsigned char *)topic, strlen(topic));
	hash_number(&state, event->partition);
	hash_number(&state, event->key_length);
	if (event->key_length > 0)
		(void)crypto_generichash_update(&state, event->key, event->key_length);
	hash_number(&state, event->length);
	if (event->length > 0)
		(void)crypto_generichash_update(&state, event->bytes, event->length);
	(void)crypto_generichash_final(&state, out, crypto_generichash_BYTES);
}

static void mac_of(const struct seal_key *key, const uint8_t of[crypto_generichash_BYTES],
	uint8_t out[MAC_BYTES])
{
	(void)crypto_generichash(
		out, MAC_BYTES, of, crypto_generichash_BYTES, key->event, sizeof(key->event));
}

size_t event_mac_make(const struct seal_keys *keys, const char *service, const struct event *event,
	uint64_t now_s, uint8_t out[EVENT_MAC_MAX])
{
	uint8_t of[crypto_generichash_BYTES];
	size_t name = strlen(service);
	const struct route *route = route_find(event->topic, service, name);
	if (route == NULL)
		return 0;
	out[0] = FORMAT;
	out[1] = (uint8_t)name;
	memcpy(out + 2, service, name);
	size_t n = 2 + name;
	digest(event, of);
	for (size_t i = 0; i < READERS_MAX && route->readers[i] != NULL; i++) {
		const struct seal_key *key = seal_key_out(keys, route->readers[i], now_s);
		if (key == NULL)
			return 0;
		out[n] = (uint8_t)key->number;
		out[n + 1] = (uint8_t)(key->number >> 8);
		mac_of(key, of, out + n + 2);
		n += ENTRY_BYTES;
	}
	return n;
}

/* Our entry in the header. */
static enum event_mac_status entry_find(enum topic topic, const char *service,
	const uint8_t *header, size_t length, const struct route **route_r, const uint8_t **entry_r)
{
	size_t name = length >= 2 ? header[1] : 0;
	if (length < 2 + name || header[0] != FORMAT || name == 0)
		return EVENT_MAC_MALFORMED;
	const struct route *route = route_find(topic, (const char *)header + 2, name);
	if (route == NULL)
		return EVENT_MAC_SENDER;
	size_t readers = 0, own = READERS_MAX;
	for (; readers < READERS_MAX && route->readers[readers] != NULL; readers++)
		if (strcmp(route->readers[readers], service) == 0)
			own = readers;
	if (length != 2 + name + readers * ENTRY_BYTES)
		return EVENT_MAC_MALFORMED;
	if (own == READERS_MAX)
		return EVENT_MAC_SENDER;
	*route_r = route;
	*entry_r = header + 2 + name + own * ENTRY_BYTES;
	return EVENT_MAC_OK;
}

const char *event_mac_sender(enum topic topic, const uint8_t *header, size_t length)
{
	size_t name = header != NULL && length >= 2 ? header[1] : 0;
	if (name == 0 || length < 2 + name)
		return NULL;
	const struct route *route = route_find(topic, (const char *)header + 2, name);
	return route == NULL ? NULL : route->sender;
}

enum event_mac_status event_mac_check(const struct seal_keys *keys, const char *service,
	const struct event *event, const uint8_t *header, size_t length)
{
	uint8_t of[crypto_generichash_BYTES], mac[MAC_BYTES];
	const struct route *route;
	const uint8_t *entry;
	if (header == NULL)
		return EVENT_MAC_NONE;
	enum event_mac_status status =
		entry_find(event->topic, service, header, length, &route, &entry);
	if (status != EVENT_MAC_OK)
		return status;
	const struct seal_key *key =
		seal_key_in(keys, route->sender, (uint32_t)entry[0] | (uint32_t)entry[1] << 8);
	if (key == NULL)
		return EVENT_MAC_NO_KEY;
	digest(event, of);
	mac_of(key, of, mac);
	return sodium_memcmp(mac, entry + 2, MAC_BYTES) == 0 ? EVENT_MAC_OK : EVENT_MAC_FORGED;
}
