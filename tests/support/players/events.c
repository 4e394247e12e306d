#include "tests/support/players/events.h"

#include "libcommon/io/clock.h"
#include "tests/support/players/stats.h"
#include "tests/support/players/watch.h"

#include <libwebsockets.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MAX (256 * 1024)
#define TOKEN_MAX 1024
#define TICK_US 100000
#define TOKEN_FRESH_US 60000000u
#define BACKOFF_FIRST_US 50000u
#define BACKOFF_MAX_US 500000u

struct client {
	struct lws *wsi;
	size_t number;
	/* Under the lock, for the players' thread reads and writes them too. */
	struct watch watch;
	char token[TOKEN_MAX];
	uint64_t token_us; /* when it was given */
	bool subscribe;	   /* something is to be sent */
	/* Of the WebSocket thread alone. */
	uint32_t hint_ms; /* of a server that drains */
	bool tried;
	uint64_t again_us;
	unsigned tries;
	char *frame;
	size_t length;
	size_t told; /* faults noted; the rest would only repeat them */
};

static struct {
	struct lws_context *context;
	struct client *clients;
	size_t n;
	char address[256], path[256];
	int port;
	bool tls;
	lws_sorted_usec_list_t timer;
	pthread_t thread;
	pthread_mutex_t lock;
	uint32_t random;
	atomic_bool stop;
	bool running;
} events = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void fault(void *context, const char *text)
{
	struct client *client = context;
	if (client->told++ < 5)
		stats_mismatch("subscriber %zu: %s", client->number, text);
}

static uint32_t next_random(void)
{
	events.random = events.random * 1664525u + 1013904223u;
	return events.random >> 8;
}

static void closed(struct client *client)
{
	pthread_mutex_lock(&events.lock);
	watch_closed(&client->watch);
	pthread_mutex_unlock(&events.lock);
	client->wsi = NULL;
	uint64_t wait = (uint64_t)BACKOFF_FIRST_US << (client->tries > 5 ? 5 : client->tries);
	if (wait > BACKOFF_MAX_US)
		wait = BACKOFF_MAX_US;
	client->tries++;
	if (client->hint_ms)
		wait = (uint64_t)client->hint_ms * 1000;
	client->hint_ms = 0;
	client->again_us = clock_mono_us() + wait / 2 + next_random() % wait;
}

/* Where each channel was left. */
static json_t *positions(const struct watch *watch)
{
	json_t *json = json_object();
	char seq[24];
	snprintf(seq, sizeof(seq), "%" PRIu64, watch->own_seq);
	if (watch->winners_epoch[0])
		json_object_set_new(json, "winners",
			json_pack("{s:s,s:s}", "epoch", watch->winners_epoch, "offset",
				watch->winners_offset));
	if (watch->own_seq)
		json_object_set_new(json, "player",
			json_pack("{s:s,s:s}", "epoch", watch->own_epoch, "offset", seq));
	return json;
}

static void write_subscription(struct client *client)
{
	unsigned char buffer[LWS_PRE + 2 * TOKEN_MAX];
	pthread_mutex_lock(&events.lock);
	bool wanted = client->subscribe;
	client->subscribe = false;
	if (!wanted) {
		pthread_mutex_unlock(&events.lock);
		return;
	}
	json_t *json = json_object();
	json_t *channels = json_pack("[ss]", "jackpots", "winners");
	if (client->token[0]) {
		json_array_append_new(channels, json_string("player"));
		json_object_set_new(json, "token", json_string(client->token));
	}
	pthread_mutex_unlock(&events.lock);
	json_object_set_new(json, "subscribe", channels);
	json_object_set_new(json, "resume", positions(&client->watch));
	size_t length =
		json_dumpb(json, (char *)buffer + LWS_PRE, sizeof(buffer) - LWS_PRE, JSON_COMPACT);
	json_decref(json);
	if (length && length <= sizeof(buffer) - LWS_PRE)
		lws_write(client->wsi, buffer + LWS_PRE, length, LWS_WRITE_TEXT);
}

static void note(const struct client *client, size_t winners_before)
{
	const struct watch *watch = &client->watch;
	stats_lock();
	if (watch->max_gap_us / 1000 > stats.events_max_gap_ms)
		stats.events_max_gap_ms = watch->max_gap_us / 1000;
	if (watch->winners.n > winners_before) {
		const struct watch_winner *winner = &watch->winners.at[watch->winners.n - 1];
		if (client->number == 0) {
			stats.events_winners = watch->winners.n;
			snprintf(stats.winner, sizeof(stats.winner),
				"{\"player\":\"%.20s\",\"paid_minor\":%lld,\"coin_minor\":%lld,"
				"\"currency\":\"%.7s\",\"pool\":%u}",
				winner->player, (long long)winner->paid_minor,
				(long long)winner->coin_minor, winner->currency, winner->pool);
		}
		if (winner->late_us / 1000 > stats.events_winner_ms)
			stats.events_winner_ms = winner->late_us / 1000;
	}
	stats.events_snapshots = stats.events_counters = 0;
	for (size_t i = 0; i < events.n; i++) {
		stats.events_snapshots += events.clients[i].watch.snapshots;
		stats.events_counters += events.clients[i].watch.counters;
	}
	stats_unlock();
}

static void frame_whole(struct client *client)
{
	json_error_t where;
	json_t *json = json_loadb(client->frame, client->length, 0, &where);
	client->length = 0;
	if (!json_is_object(json)) {
		fault(client, "a frame is no JSON object");
	} else {
		pthread_mutex_lock(&events.lock);
		size_t winners = client->watch.winners.n;
		watch_frame(&client->watch, json, clock_mono_us(), clock_wall_us(), fault, client);
		note(client, winners);
		pthread_mutex_unlock(&events.lock);
	}
	json_decref(json);
}

static int received(struct client *client, struct lws *wsi, const void *bytes, size_t length)
{
	if (client->length + length > FRAME_MAX) {
		fault(client, "a frame is larger than 256 KiB");
		return -1;
	}
	memcpy(client->frame + client->length, bytes, length);
	client->length += length;
	if (lws_is_final_fragment(wsi) && !lws_remaining_packet_payload(wsi))
		frame_whole(client);
	return 0;
}

/* The server says why: 4001 the token, 4002 too slow, 4003 it drains and hints when to come back.
 */
static void peer_closes(struct client *client, const uint8_t *in, size_t length)
{
	unsigned code = length >= 2 ? (unsigned)in[0] << 8 | in[1] : 0;
	char text[128];
	if (code == 4001) {
		pthread_mutex_lock(&events.lock);
		if (clock_mono_us() - client->token_us < TOKEN_FRESH_US)
			fault(client, "a fresh token was refused");
		client->token[0] = 0;
		pthread_mutex_unlock(&events.lock);
	} else if (code == 4002) {
		fault(client, "closed as too slow");
	} else if (code == 4003) {
		int n = length - 2 < sizeof(text) ? (int)(length - 2) : 0;
		snprintf(text, sizeof(text), "%.*s", n, (const char *)in + 2);
		json_t *hint = json_loads(text, 0, NULL);
		int64_t ms = json_integer_value(json_object_get(hint, "retry_ms"));
		if (ms < 1 || ms > 60000)
			fault(client, "closed for draining without a usable hint");
		else
			client->hint_ms = (uint32_t)ms;
		json_decref(hint);
	}
}

static int callback(
	struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
	struct client *client = user;
	/* Only what concerns a client; the rest of the callbacks has defaults. */
	if (reason == LWS_CALLBACK_CLIENT_ESTABLISHED) {
		client->tries = 0;
		client->length = 0;
		pthread_mutex_lock(&events.lock);
		client->subscribe = true;
		watch_connected(&client->watch, clock_mono_us());
		pthread_mutex_unlock(&events.lock);
		lws_callback_on_writable(wsi);
	} else if (reason == LWS_CALLBACK_CLIENT_WRITEABLE) {
		write_subscription(client);
	} else if (reason == LWS_CALLBACK_CLIENT_RECEIVE) {
		return received(client, wsi, in, length);
	} else if (reason == LWS_CALLBACK_WS_PEER_INITIATED_CLOSE) {
		peer_closes(client, in, length);
	} else if (reason == LWS_CALLBACK_CLIENT_CONNECTION_ERROR ||
		   reason == LWS_CALLBACK_CLIENT_CLOSED) {
		if (client)
			closed(client);
	} else if (reason == LWS_CALLBACK_WSI_DESTROY) {
		/* All that is told of a handshake that was never answered. */
		if (client && client->wsi == wsi)
			closed(client);
	}
	return 0;
}

static const struct lws_protocols protocols[] = {
	{ .name = "carillon", .callback = callback, .rx_buffer_size = 16384 }, { 0 }
};

static void connect_client(struct client *client)
{
	struct lws_client_connect_info info = { .context = events.context,
		.address = events.address,
		.port = events.port,
		.path = events.path,
		.host = events.address,
		.origin = NULL,
		.ssl_connection = events.tls ? LCCSCF_USE_SSL : 0,
		.local_protocol_name = "carillon",
		.userdata = client,
		.pwsi = &client->wsi };
	if (client->tried) {
		stats_lock();
		stats.events_reconnects++;
		stats_unlock();
	}
	client->tried = true;
	if (!lws_client_connect_via_info(&info) && !client->wsi && !client->again_us)
		closed(client);
}

static void tick(lws_sorted_usec_list_t *timer)
{
	uint64_t now = clock_mono_us();
	for (size_t i = 0; i < events.n; i++) {
		struct client *client = &events.clients[i];
		pthread_mutex_lock(&events.lock);
		watch_tick(&client->watch, now, fault, client);
		bool subscribe = client->subscribe;
		pthread_mutex_unlock(&events.lock);
		if (!client->wsi && now >= client->again_us) {
			client->again_us = 0;
			connect_client(client);
		} else if (client->wsi && subscribe) {
			lws_callback_on_writable(client->wsi);
		}
	}
	lws_sul_schedule(events.context, 0, timer, tick, TICK_US);
}

static void *run(void *unused)
{
	lws_sul_schedule(events.context, 0, &events.timer, tick, 1);
	while (!atomic_load(&events.stop) && lws_service(events.context, 0) >= 0)
		;
	return unused;
}

bool events_start(const char *url, size_t n, uint32_t seed)
{
	char copy[512];
	const char *scheme, *address, *path;
	snprintf(copy, sizeof(copy), "%s", url);
	if (strstr(url, "://") == NULL ||
		lws_parse_uri(copy, &scheme, &address, &events.port, &path) || !*address) {
		fprintf(stderr, "players: events: found '%s', expected ws://HOST:PORT/PATH\n", url);
		return false;
	}
	events.tls = strcmp(scheme, "wss") == 0 || strcmp(scheme, "https") == 0;
	snprintf(events.address, sizeof(events.address), "%s", address);
	snprintf(events.path, sizeof(events.path), "/%s", path);
	lws_set_log_level(LLL_ERR, NULL);
	struct lws_context_creation_info info = { .port = CONTEXT_PORT_NO_LISTEN,
		.protocols = protocols,
		.gid = -1,
		.uid = -1,
		.options = events.tls ? LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT : 0 };
	events.context = lws_create_context(&info);
	events.clients = calloc(n, sizeof(*events.clients));
	if (!events.context || !events.clients) {
		fprintf(stderr, "players: events: no libwebsockets context\n");
		return false;
	}
	events.n = n;
	events.random = seed;
	for (size_t i = 0; i < n; i++) {
		events.clients[i].number = i;
		events.clients[i].frame = malloc(FRAME_MAX);
		if (!events.clients[i].frame)
			return false;
	}
	events.running = pthread_create(&events.thread, NULL, run, NULL) == 0;
	return events.running;
}

void events_set_token(size_t client, const char *token)
{
	if (!events.running || client >= events.n)
		return;
	pthread_mutex_lock(&events.lock);
	snprintf(events.clients[client].token, TOKEN_MAX, "%s", token);
	events.clients[client].token_us = clock_mono_us();
	events.clients[client].subscribe = true;
	pthread_mutex_unlock(&events.lock);
}

bool events_saw_winner(uint32_t pool, int64_t coin_minor, int64_t paid_minor)
{
	bool found = !events.running;
	pthread_mutex_lock(&events.lock);
	for (size_t c = 0; c < events.n && !found; c++) {
		const struct watch *watch = &events.clients[c].watch;
		for (size_t i = watch->winners.n; i-- > 0 && !found;) {
			const struct watch_winner *winner = &watch->winners.at[i];
			found = (!pool || winner->pool == pool) &&
				(!coin_minor || winner->coin_minor == coin_minor) &&
				winner->paid_minor == paid_minor;
		}
	}
	pthread_mutex_unlock(&events.lock);
	return found;
}

bool events_settled(uint64_t ms)
{
	bool settled = false;
	uint64_t now = clock_mono_us();
	pthread_mutex_lock(&events.lock);
	for (size_t c = 0; c < events.n; c++)
		settled = settled ||
			  (events.clients[c].watch.snapshot && events.clients[c].watch.connected &&
				  now - events.clients[c].watch.connected_us > ms * 1000);
	pthread_mutex_unlock(&events.lock);
	return settled;
}

void events_stop(void)
{
	if (!events.running)
		return;
	atomic_store(&events.stop, true);
	lws_cancel_service(events.context);
	pthread_join(events.thread, NULL);
	events.running = false;
	/* The clients' closing is no news any more. */
	lws_context_destroy(events.context);
	for (size_t i = 0; i < events.n; i++) {
		watch_free(&events.clients[i].watch);
		free(events.clients[i].frame);
	}
	free(events.clients);
	events.clients = NULL;
	events.n = 0;
}
