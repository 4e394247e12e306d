/*~ Notifications: what happens, told to whoever listens.
 *
 * It owns nothing. Facts come from Kafka, counters from Redis (adapters/feeds.c); what is shown and
 * when is decided without I/O (core/); clients are WebSockets and server-sent events on one loop
 * (adapters/clients.c). Every instance reads everything, so a client may come to any of them, and
 * come back to another: positions in the stream of winners mean the same everywhere.
 *
 * In reading order: the settings; the room (struct hub); a client subscribes; news goes out; the
 * timers; main. */
#include "libcommon/io/clock.h"
#include "libcommon/edge/edge.h"
#include "libcommon/io/instance.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/settings.h"
#include "services/notifications/adapters/clients.h"
#include "services/notifications/adapters/feeds.h"
#include "services/notifications/adapters/presence.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char listen_address[SETTING_TEXT_MAX], origins[SETTING_TEXT_MAX];
static int64_t connections_max, queue_max, per_player_max, ping_s, subscribe_s, retry_ms, replay,
	send_bytes;

static const struct setting settings[] = {
	{ "NOTIFICATIONS_LISTEN", SETTING_TEXT, "127.0.0.1:0", 0, 0, listen_address,
		"address:port for clients; port 0 takes a free one" },
	{ "NOTIFICATIONS_ORIGINS", SETTING_TEXT, "same-host", 0, 0, origins,
		"pages that may connect: same-host (any port of the host asked), * or origins "
		"separated by spaces" },
	{ "NOTIFICATIONS_CONNECTIONS_MAX", SETTING_INT, "0", 0, 1000000, &connections_max,
		"clients at once; 0: 20,000, or what the limit of descriptors leaves" },
	{ "NOTIFICATIONS_QUEUE_MAX", SETTING_INT, "64", 4, 4096, &queue_max,
		"frames that may wait for a client that takes none for 2 s; above it close 4002" },
	{ "NOTIFICATIONS_PER_PLAYER_MAX", SETTING_INT, "8", 1, 1000, &per_player_max,
		"private channels of one player at once" },
	{ "NOTIFICATIONS_PING_S", SETTING_INT, "20", 1, 3600, &ping_s,
		"silence of a client after which it is asked; after as long again it is closed" },
	{ "NOTIFICATIONS_SUBSCRIBE_S", SETTING_INT, "10", 1, 3600, &subscribe_s,
		"time a client has to subscribe" },
	{ "NOTIFICATIONS_RETRY_MS", SETTING_INT, "3000", 100, 600000, &retry_ms,
		"span over which clients are spread that are sent away at draining" },
	{ "NOTIFICATIONS_REPLAY", SETTING_INT, "50000", 0, 100000000, &replay,
		"messages of each partition of jackpot.facts read back at the start, for the "
		"winners kept" },
	{ "NOTIFICATIONS_SEND_BYTES", SETTING_INT, "65536", 4096, 16777216, &send_bytes,
		"SO_SNDBUF of a client: what a stuck one may cost" },
	{ NULL, SETTING_TEXT, NULL, 0, 0, NULL, NULL },
};

/*~ Everything there is in one process. Static: the tables of the core are its largest part. */
static struct hub {
	struct clients *clients; /* first: the edge's context is a pointer to it */
	struct edge *edge;
	struct feeds *feeds;
	struct presence *presence;
	struct pg_pool *pg, *pg_ro;
	struct nn_bus *bus;
	struct instance *instance;
	struct token_key *key;
	struct counters counters;
	struct winners winners;
	struct holdback holdback;
	char epoch[FRAME_EPOCH_MAX];	     /* of the stream of winners */
	char process_epoch[FRAME_EPOCH_MAX]; /* of the counters: this process */
	uint64_t pushes;
	struct metric *age, *recovered, *lost, *winners_told, *counters_told;
	char text[FRAME_MAX];
} hub;

static struct frame *frame_of(size_t length, const char *event, const char *id)
{
	if (length == 0)
		fatal("a frame is larger than its bound");
	return frame_new(hub.text, length, event, id);
}

/* ---- a client subscribes: first what it missed or the present state, then the stream ---- */

static void push_jackpots(struct client *client, bool asked_resume)
{
	char offset[24];
	(void)snprintf(offset, sizeof(offset), "%" PRIu64, hub.pushes);
	struct frame_head head = { hub.process_epoch, offset, clock_wall_us() };
	if (asked_resume) {
		/* The newest counters replace all that was missed. */
		struct frame *frame = frame_of(
			frame_recovered(hub.text, sizeof(hub.text), &head, "jackpots", true),
			"recovered", NULL);
		client_push(client, frame, false);
		frame_release(&frame);
	}
	struct frame *frame =
		frame_of(frame_counters(hub.text, sizeof(hub.text), &head, &hub.counters, true),
			"snapshot", NULL);
	client_push(client, frame, false);
	frame_release(&frame);
}

static struct frame *winner_frame(
	const struct winner *winner, const struct winners_position *position)
{
	char offset[WINNERS_POSITION_TEXT_MAX], id[FRAME_EPOCH_MAX + WINNERS_POSITION_TEXT_MAX];
	winners_position_format(position, offset);
	(void)snprintf(id, sizeof(id), "%s/%s", hub.epoch, offset);
	struct frame_head head = { hub.epoch, offset, winner->time_us };
	return frame_of(frame_winner(hub.text, sizeof(hub.text), &head, winner), "winner", id);
}

static void push_missed(struct client *client, struct winners_position position)
{
	for (size_t i = 0; i < hub.winners.n; i++) {
		const struct winner *winner = winners_at(&hub.winners, i);
		if (!winners_is_after(winner, &position))
			continue;
		winners_position_pass(&position, winner);
		struct frame *frame = winner_frame(winner, &position);
		client_push(client, frame, true);
		frame_release(&frame);
	}
}

static void push_winners(struct client *client, const struct subscription *subscription)
{
	char offset[WINNERS_POSITION_TEXT_MAX], id[FRAME_EPOCH_MAX + WINNERS_POSITION_TEXT_MAX];
	bool asked = (subscription->resume & CHANNEL_WINNERS) != 0;
	bool recovered = asked && subscription->position_known &&
			 strcmp(subscription->epoch, hub.epoch) == 0 &&
			 winners_can_resume(&hub.winners, &subscription->position);
	winners_position_format(
		recovered ? &subscription->position : &hub.winners.position, offset);
	(void)snprintf(id, sizeof(id), "%s/%s", hub.epoch, offset);
	struct frame_head head = { hub.epoch, offset, clock_wall_us() };
	struct frame *frame;
	if (asked) {
		metric_add(hub.recovered, recovered);
		metric_add(hub.lost, !recovered);
		frame = frame_of(
			frame_recovered(hub.text, sizeof(hub.text), &head, "winners", recovered),
			"recovered", id);
		client_push(client, frame, false);
		frame_release(&frame);
	}
	if (recovered) {
		push_missed(client, subscription->position);
		return;
	}
	frame = frame_of(
		frame_winners(hub.text, sizeof(hub.text), &head, &hub.winners), "snapshot", id);
	client_push(client, frame, false);
	frame_release(&frame);
}

/* A snapshot before all was read back would be older than what clients have seen elsewhere. */
static bool is_open(void *context)
{
	(void)context;
	return feeds_caught_up(hub.feeds);
}

static void on_subscribed(
	void *context, struct client *client, const struct subscription *subscription)
{
	(void)context;
	if (subscription->channels & CHANNEL_JACKPOTS)
		push_jackpots(client, (subscription->resume & CHANNEL_JACKPOTS) != 0);
	if (subscription->channels & CHANNEL_WINNERS)
		push_winners(client, subscription);
	if (subscription->resume & CHANNEL_PLAYER) {
		/* What was missed on the own channel is in the state that the gateway answers. */
		struct frame_head head = { hub.process_epoch, "0", clock_wall_us() };
		struct frame *frame = frame_of(
			frame_recovered(hub.text, sizeof(hub.text), &head, "player", false),
			"recovered", NULL);
		client_push(client, frame, false);
		frame_release(&frame);
	}
}

static enum token_status on_identify(
	void *context, const char *token, player_id *player_r, uint64_t *expires_s_r)
{
	(void)context;
	return token_check(hub.key, token, clock_wall_us() / 1000000, player_r, expires_s_r);
}

static void on_lost(void *context, player_id player, const char *game)
{
	(void)context;
	presence_lost(hub.presence, player, game);
}

static void on_look(void *context, const char *const *names, size_t n, struct session_seen *seen_r)
{
	(void)context;
	presence_look(hub.presence, names, n, seen_r);
}

/* ---- news ---- */

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define POOLS_FULL                                                                                 \
	"found more pools or rows than are shown, expected at most " TEXT(                         \
		COUNTERS_POOLS_MAX) " pools and sets, " TEXT(COUNTERS_ROWS_MAX) " rows of each"
_Static_assert(COUNTERS_POOLS_MAX == WINNERS_POOLS_MAX, "the same pools");

static void on_counter(void *context, uint32_t pool, const struct counter *row,
	uint32_t incarnation, uint64_t time_us)
{
	(void)context;
	enum counters_status status =
		counters_offer(&hub.counters, pool, row, incarnation, time_us);
	if (status == COUNTERS_BAD || status == COUNTERS_FULL)
		log_warn("pool %" PRIu32 " currency %" PRIu32 " coin %" PRId64 " level %" PRIu32
			 ": %s",
			pool, row->currency, row->coin_minor, row->level,
			status == COUNTERS_FULL ? POOLS_FULL : "found a value that no counter has");
}

static void on_status(void *context, uint32_t pool, const char *status)
{
	(void)context;
	if (!counters_offer_status(&hub.counters, pool, status))
		log_warn("pool %" PRIu32
			 ": found status '%.20s', expected live, pausing, paused or retired",
			pool, status);
}

/* RULE mystic-gem 6.16: a level won is told to everybody, masked. */
static void on_winner(void *context, const struct winner *winner)
{
	(void)context;
	enum winners_status status = winners_offer(&hub.winners, winner);
	if (status == WINNERS_GAP)
		log_warn("pool %" PRIu32 ": hit %" PRIu64 " came without the one before it",
			winner->pool, winner->hit);
	if (status == WINNERS_FULL)
		log_error("pool %" PRIu32 ", hit %" PRIu64 ": its winner is not told: " POOLS_FULL,
			winner->pool, winner->hit);
	if (status == WINNERS_SEEN || status == WINNERS_FULL || !feeds_caught_up(hub.feeds))
		return;
	struct frame *frame = winner_frame(winner, &hub.winners.position);
	clients_broadcast(hub.clients, CHANNEL_WINNERS, frame, false);
	frame_release(&frame);
	metric_add(hub.winners_told, 1);
}

static void on_own(void *context, const struct holdback_fact *fact, uint32_t incarnation)
{
	struct holdback_event events[HOLDBACK_EVENTS_MAX];
	size_t n = holdback_offer(&hub.holdback, fact, events);
	struct own_position row = { incarnation, fact->seq };
	(void)context;
	if (n == 0 || !clients_has_player(hub.clients, fact->player))
		return;
	for (size_t i = 0; i < n; i++) {
		char epoch[16], offset[24];
		(void)snprintf(epoch, sizeof(epoch), "%" PRIu32, incarnation);
		(void)snprintf(offset, sizeof(offset), "%" PRIu64, fact->seq);
		struct frame_head head = { epoch, offset, clock_wall_us() };
		struct frame *frame =
			frame_of(frame_own(hub.text, sizeof(hub.text), &head, &events[i]),
				events[i].award ? "award" : "balance", NULL);
		clients_push_player(hub.clients, fact->player, &row, frame);
		frame_release(&frame);
	}
}

/* RULE mystic-gem 6.15: every window of the player sees the same cards. */
static void on_card(void *context, const struct card_news *news, uint32_t incarnation)
{
	char epoch[32], offset[24];
	(void)context;
	if (!clients_has_player(hub.clients, news->player))
		return;
	(void)snprintf(epoch, sizeof(epoch), "cards-%" PRIu32, incarnation);
	(void)snprintf(offset, sizeof(offset), "%" PRIu64, news->seq);
	struct frame_head head = { epoch, offset, clock_wall_us() };
	struct frame *frame =
		frame_of(frame_card(hub.text, sizeof(hub.text), &head, news), "cards", NULL);
	clients_push_player(hub.clients, news->player, NULL, frame);
	frame_release(&frame);
}

static void on_facts(void *context)
{
	(void)context;
	feeds_poll(hub.feeds);
}

static void on_unseen(void *context, const struct holdback_fact *award)
{
	(void)context;
	holdback_remember(&hub.holdback, award);
}

/* ---- timers ---- */

static void push_counters(void)
{
	char offset[24];
	uint64_t now = clock_mono_us();
	counters_drop_gone(&hub.counters);
	if (!counters_due(&hub.counters, now))
		return;
	(void)snprintf(offset, sizeof(offset), "%" PRIu64, ++hub.pushes);
	struct frame_head head = { hub.process_epoch, offset, clock_wall_us() };
	struct frame *frame =
		frame_of(frame_counters(hub.text, sizeof(hub.text), &head, &hub.counters, false),
			"counters", NULL);
	clients_broadcast(hub.clients, CHANNEL_JACKPOTS, frame, true);
	frame_release(&frame);
	counters_pushed(&hub.counters, now);
	metric_add(hub.counters_told, 1);
}

static void on_tenth(void *context)
{
	(void)context;
	pg_pool_poll(hub.pg);
	pg_pool_poll(hub.pg_ro);
	/* nanomsg only asks here; what comes in is nothing we wait for. */
	size_t length;
	void *message;
	while ((message = nn_bus_receive(hub.bus, &length)) != NULL)
		nn_bus_message_free(message);
	presence_flush(hub.presence);
	push_counters();
	bool ready = feeds_caught_up(hub.feeds);
	edge_ready(hub.edge, ready,
		ready ? "" : "the winners kept on jackpot.facts are still being read");
}

static void on_half(void *context)
{
	(void)context;
	instance_beat(hub.instance);
}

static void on_second(void *context)
{
	(void)context;
	feeds_tick(hub.feeds);
	clients_sweep(hub.clients);
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

/* ---- what Postgres knows, asked once ---- */

static void on_installation(void *context, PGresult *result, const char *error)
{
	(void)context;
	if (error || PQntuples(result) != 1)
		log_warn("the installation's age is not known, clients cannot resume: %s",
			error ? error : "no row");
	else
		(void)snprintf(hub.epoch, sizeof(hub.epoch), "%.20s", PQgetvalue(result, 0, 0));
}

static void ask_postgres(void)
{
	pg_pool_query(hub.pg_ro,
		"select to_char(floor(extract(epoch from created) * 1000), 'FM99999999999999') "
		"from carillon.installation",
		0, NULL, 30000, on_installation, NULL);
}

/* ---- wiring ---- */

static void metrics(void)
{
	hub.age = metric_gauge("carillon_notifications_counters_age_us", NULL,
		"Age of the oldest pool's counters.");
	hub.recovered = metric_counter("carillon_notifications_resumes_total", "recovered=\"true\"",
		"Clients that came back with a position.");
	hub.lost = metric_counter("carillon_notifications_resumes_total", "recovered=\"false\"",
		"Clients that came back with a position.");
	hub.winners_told = metric_counter(
		"carillon_notifications_broadcasts_total", "type=\"winner\"", "Broadcasts.");
	hub.counters_told = metric_counter(
		"carillon_notifications_broadcasts_total", "type=\"counters\"", "Broadcasts.");
}

static void begin_edge(void)
{
	static const struct edge_route routes[] = { { EDGE_GET, "/v1/events/stream", clients_stream,
							    false },
		{ EDGE_GET, NULL, NULL, false } };
	struct edge_config config = { .service = "notifications",
		.listen = listen_address,
		.health_listen = common.health,
		.routes = routes,
		.context = &hub,
		.connections_max = (uint32_t)connections_max,
		.websocket_path = "/v1/events",
		.websocket = clients_websocket,
		.websocket_session_bytes = sizeof(struct client *),
		.socket_send_bytes = (int)send_bytes,
		.draining = on_draining,
		.drained = on_drained };
	struct clients_config clients = { .queue_max = queue_max,
		.ping_s = ping_s,
		.subscribe_s = subscribe_s,
		.per_player_max = per_player_max,
		.retry_ms = retry_ms,
		.origins = origins,
		.open = is_open,
		.subscribed = on_subscribed,
		.identify = on_identify,
		.lost = on_lost,
		.look = on_look };
	hub.presence = presence_new(common.redis);
	hub.clients = clients_new(&clients);
	hub.edge = edge_new(&config);
	clients_attach(hub.clients, hub.edge);
}

static void begin_sources(void)
{
	hub.pg = pg_pool_new_writing(common.pg_dsn, common.instance, 1);
	hub.pg_ro = pg_pool_new(common.pg_ro_dsn, common.instance, 1);
	hub.bus = nn_bus_new(common.nn_url);
	hub.instance = instance_new(hub.pg, common.instance, "notifications", common.nn_url,
		edge_health_address(hub.edge));
	ask_postgres();
	struct feeds_config config = { .kafka = common.kafka,
		.redis = common.redis,
		.instance = common.instance,
		.shards = (uint32_t)common.shards,
		.replay = replay,
		.pg = hub.pg_ro,
		.bus = hub.bus,
		.counter = on_counter,
		.status = on_status,
		.winner = on_winner,
		.card = on_card,
		.own = on_own,
		.unseen = on_unseen };
	hub.feeds = feeds_new(&config);
	/* Redis is ahead of the facts: who comes back after a restart must not see older values. */
	feeds_tick(hub.feeds);
	edge_adopt(hub.edge, feeds_fd(hub.feeds), on_facts, NULL);
	edge_adopt(hub.edge, pg_pool_fd(hub.pg), on_pg, hub.pg);
	edge_adopt(hub.edge, pg_pool_fd(hub.pg_ro), on_pg, hub.pg_ro);
	edge_every(hub.edge, 100, on_tenth, NULL);
	edge_every(hub.edge, 500, on_half, NULL);
	edge_every(hub.edge, 1000, on_second, NULL);
}

int main(int argc, char **argv)
{
	char error[TOKEN_ERROR_MAX];
	enum log_level level = LOG_INFO;
	settings_load(argc, argv, "notifications", "NOTIFICATIONS_", settings);
	(void)log_level_parse(common.log, &level);
	log_open("notifications", common.instance, level);
	if (sodium_init() < 0)
		fatal("libsodium does not start");
	if (token_key_read(common.keys, &hub.key, error) != TOKEN_OK)
		fatal("token key: %s", error);
	(void)snprintf(hub.epoch, sizeof(hub.epoch), "0");
	(void)snprintf(
		hub.process_epoch, sizeof(hub.process_epoch), "%" PRIu64, clock_wall_us() / 1000);
	metrics();
	begin_edge();
	begin_sources();
	log_info("clients at %s, health at %s", edge_address(hub.edge),
		edge_health_address(hub.edge));
	int status = edge_run(hub.edge);
	pg_pool_poll(hub.pg);
	pg_pool_free(&hub.pg_ro); /* its questions are the feeds' */
	feeds_free(&hub.feeds);
	nn_bus_free(&hub.bus);
	instance_free(&hub.instance);
	edge_free(&hub.edge);
	pg_pool_free(&hub.pg);
	clients_free(&hub.clients);
	presence_free(&hub.presence);
	token_key_free(&hub.key);
	return status;
}
