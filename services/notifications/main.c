/*~ Notifications: pushes live events to clients.
 *
 * It owns no data. Facts come from Kafka, counters from Redis (adapters/feeds.c). The core (core/)
 * decides without I/O what to show and when. Clients are WebSockets and server-sent events on one
 * loop (adapters/clients.c). Every instance reads everything, so a client can connect to any of
 * them and resume at another: positions in the stream of winners mean the same everywhere.
 *
 * A tour in reading order:
 *
 *  1. adapters/feeds.h keeps incoming messages in order and passes them on as plain values
 *  2. adapters/news.c: core/counters.h, core/winners.h and core/holdback.h decide what is new;
 * core/frames.h makes its JSON, once for all receivers
 *  3. adapters/clients.h: connections, and the bounded queue of each
 *  4. adapters/subscribers.c: who a client is, what it missed, what it gets first
 *  5. adapters/presence.h: shares lost connections and idle sessions with the gateways
 *  6. adapters/hub.h: the state that these share
 *
 * This file only wires the settings, the timers, the edge and the connections. */
#include "libcommon/edge/door_settings.h"
#include "libcommon/edge/edge.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/kafka.h"
#include "libcommon/io/key_files.h"
#include "libcommon/io/log.h"
#include "libcommon/io/settings.h"
#include "libcommon/service/permit.h"
#include "services/notifications/adapters/hub.h"
#include "services/notifications/adapters/news.h"
#include "services/notifications/adapters/poll.h"
#include "services/notifications/adapters/subscribers.h"

#include <sodium.h>

static struct hub hub; /* static because of the large tables of the core */
static char listen_address[SETTING_TEXT_MAX], origins[SETTING_TEXT_MAX];
static struct door_settings doors;
static int64_t connections_max, queue_max, per_player_max, ping_s, subscribe_s, retry_ms, replay,
	send_bytes, wrong_per_min;

static const struct setting settings[] = {
	{ "NOTIFICATIONS_LISTEN", SETTING_TEXT, "127.0.0.1:0", 0, 0, listen_address,
		"address:port for clients; port 0 takes a free one" },
	{ "NOTIFICATIONS_ORIGINS", SETTING_TEXT, "same-host", 0, 0, origins,
		"pages that may connect: same-host (any port of the requested host), * or origins "
		"separated by spaces" },
	{ "NOTIFICATIONS_CONNECTIONS_MAX", SETTING_INT, "0", 0, 1000000, &connections_max,
		"largest number of clients; 0: 20,000, or fewer if the limit of descriptors is lower" },
	{ "NOTIFICATIONS_QUEUE_MAX", SETTING_INT, "64", 4, 4096, &queue_max,
		"frames that may wait for a client that has taken none for 2 s; if more wait, "
		"it is closed with 4002" },
	{ "NOTIFICATIONS_PER_PLAYER_MAX", SETTING_INT, "8", 1, 1000, &per_player_max,
		"largest number of private channels of one player" },
	{ "NOTIFICATIONS_PING_S", SETTING_INT, "20", 1, 3600, &ping_s,
		"silence after which a client gets a ping; after the same time without an "
		"answer it is closed" },
	{ "NOTIFICATIONS_SUBSCRIBE_S", SETTING_INT, "10", 1, 3600, &subscribe_s,
		"time in which a client must subscribe" },
	{ "NOTIFICATIONS_WRONG_PER_MIN", SETTING_INT, "10", 0, 1000000, &wrong_per_min,
		"how many wrong tokens within a minute make an address wait: 10 s, each further "
		"time twice as long; 0: no address waits" },
	{ "NOTIFICATIONS_RETRY_MS", SETTING_INT, "3000", 100, 600000, &retry_ms,
		"when the service drains, clients spread their reconnects over this time" },
	{ "NOTIFICATIONS_REPLAY", SETTING_INT, "50000", 0, 100000000, &replay,
		"number of the newest messages in each partition of jackpot.facts that are "
		"read at the start to find the recent winners" },
	{ "NOTIFICATIONS_SEND_BYTES", SETTING_INT, "65536", 4096, 16777216, &send_bytes,
		"SO_SNDBUF of a client's socket: bounds the memory that a stuck client can use" },
	DOOR_SETTINGS("NOTIFICATIONS_", doors),
	{ NULL, SETTING_TEXT, NULL, 0, 0, NULL, NULL },
};

/* ---- timers ---- */

static void on_facts(void *context)
{
	(void)context;
	feeds_poll(hub.feeds);
}

static void on_tenth(void *context)
{
	(void)context;
	pg_pool_poll(hub.pg);
	pg_pool_poll(hub.pg_ro);
	/* This service only sends on nanomsg; drop what comes in. */
	size_t length;
	void *message;
	while ((message = nn_bus_receive(hub.bus, &length)) != NULL)
		nn_bus_message_free(message);
	nn_bus_flush(hub.bus);
	presence_flush(hub.presence);
	news_push_counters(&hub);
	bool ready = feeds_caught_up(hub.feeds);
	edge_ready(hub.edge, ready, ready ? "" : "still reading the recent winners");
	edge_note(hub.edge, kafka_login_refusal());
}

static void on_quarter(void *context)
{
	(void)context;
	revoked_read(hub.revoked, hub.pg_ro);
}

static void on_half(void *context)
{
	(void)context;
	instance_beat(hub.instance);
}

static void reread_key(void)
{
	char error[TOKEN_ERROR_MAX];
	bool changed;
	if (!token_key_again(hub.key, &changed, error))
		log_error_as("notifications.keys.unreadable",
			"%s; the keys that were read before stay in force", error);
	else if (changed)
		log_info("the token keys have changed: the new ones are in force");
}

static void on_second(void *context)
{
	(void)context;
	feeds_tick(hub.feeds, counters_nameless(&hub.counters));
	clients_sweep(hub.clients);
	wrong_tick(hub.wrong);
	reread_key();
	metric_set(hub.age, (int64_t)counters_age_us(&hub.counters, clock_wall_us()));
}

static void on_pg(void *context)
{
	pg_pool_poll(context);
}

static void on_draining(void *context)
{
	(void)context;
	instance_leave(hub.instance);
	clients_drain(hub.clients);
}

static bool on_drained(void *context)
{
	(void)context;
	return clients_count(hub.clients) == 0;
}

/* ---- connections ---- */

static void begin_edge(void)
{
	static const struct edge_route routes[] = { { EDGE_GET, "/v1/events/stream", clients_stream,
							    false },
		{ EDGE_GET, "/v1/events/latest", poll_latest, false },
		{ EDGE_GET, NULL, NULL, false } };
	struct edge_config config = { .service = "notifications",
		.listen = listen_address,
		.health_listen = common.health,
		.routes = routes,
		.context = &hub,
		.connections_max = (uint32_t)connections_max,
		.doors = &doors,
		.websocket_path = "/v1/events",
		.websocket = clients_websocket,
		.socket_send_bytes = (int)send_bytes,
		.draining = on_draining,
		.drained = on_drained };
	struct clients_config clients = { .queue_max = queue_max,
		.ping_s = ping_s,
		.subscribe_s = subscribe_s,
		.per_player_max = per_player_max,
		.retry_ms = retry_ms,
		.origins = origins,
		.open = subscribers_open,
		.subscribed = subscribers_greet,
		.identify = subscribers_identify,
		.wrong = subscribers_wrong,
		.lost = subscribers_lost,
		.look = subscribers_look,
		.context = &hub };
	hub.wrong = wrong_new(wrong_per_min);
	hub.presence = presence_new(common.redis);
	hub.clients = clients_new(&clients);
	hub.edge = edge_new(&config);
	clients_attach(hub.clients, hub.edge);
}

static void begin_sources(void)
{
	hub.pg = pg_pool_new_writing(common.pg_dsn, common.instance, 1);
	hub.pg_ro = pg_pool_new(common.pg_ro_dsn, common.instance, 1);
	hub.bus = nn_bus_new(common.nn_url, "notifications", common.keys, permit_refusal);
	hub.instance = instance_new(hub.pg, common.instance, "notifications", common.nn_url,
		edge_health_address(hub.edge), nn_bus_boot(hub.bus));
	hub_query_epoch(&hub);
	struct feeds_config config = { .kafka = common.kafka,
		.redis = common.redis,
		.instance = common.instance,
		.shards = (uint32_t)common.shards,
		.replay = replay,
		.pg = hub.pg_ro,
		.bus = hub.bus,
		.counter = news_counter,
		.status = news_status,
		.id = news_id,
		.winner = news_winner,
		.card = news_card,
		.own = news_own,
		.unseen = news_unseen,
		.context = &hub };
	hub.feeds = feeds_new(&config);
	/* Redis is ahead of the facts: who comes back after a restart must not see older values. */
	feeds_tick(hub.feeds, counters_nameless(&hub.counters));
	edge_adopt(hub.edge, feeds_fd(hub.feeds), on_facts, NULL);
	edge_adopt(hub.edge, pg_pool_fd(hub.pg), on_pg, hub.pg);
	edge_adopt(hub.edge, pg_pool_fd(hub.pg_ro), on_pg, hub.pg_ro);
	edge_every(hub.edge, 100, on_tenth, NULL);
	edge_every(hub.edge, 250, on_quarter, NULL);
	edge_every(hub.edge, 500, on_half, NULL);
	edge_every(hub.edge, 1000, on_second, NULL);
}

int main(int argc, char **argv)
{
	enum log_level level = LOG_INFO;
	char error[KEY_FILES_ERROR_MAX];
	settings_load(argc, argv, "notifications", "NOTIFICATIONS_", settings);
	(void)log_level_parse(common.log, &level);
	log_open("notifications", common.instance, level);
	if (!key_files_begin(common.keys, "notifications", error, sizeof(error)))
		fatal("CARILLON_KEYS: %s", error);
	if (sodium_init() < 0)
		fatal("libsodium cannot be initialised");
	hub_begin(&hub);
	begin_edge();
	begin_sources();
	log_info("clients at %s, health at %s", edge_address(hub.edge),
		edge_health_address(hub.edge));
	int status = edge_run(hub.edge);
	hub_end(&hub);
	return status;
}
