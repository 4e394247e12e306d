/* notifications without its sources: the edge, the clients, the ring of winners and the frames are
 * the service's own. feeds_* are defined here, so that the linker does not take the service's. */
#include "tests/bench/broadcast-bench/bench.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "services/notifications/adapters/hub.h"
#include "services/notifications/adapters/news.h"
#include "services/notifications/adapters/subscribers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONNECTIONS 19000 /* those who come back arrive before those who left are gone */
#define EURO 978

static struct hub hub;
static uint64_t hits;
static pid_t parent;

bool feeds_caught_up(const struct feeds *feeds)
{
	(void)feeds;
	return true;
}

struct frame_ages feeds_ages(const struct feeds *feeds, uint64_t jackpots_us)
{
	(void)feeds;
	return (struct frame_ages){ .jackpots_us = jackpots_us };
}

void feeds_free(struct feeds **feeds)
{
	*feeds = NULL;
}

static void on_publish(struct edge_request *request, void *context)
{
	const struct winner winner = { .pool = 1,
		.hit = ++hits,
		.currency = EURO,
		.coin_minor = 100,
		.paid_minor = 1234500,
		.player = 1,
		.time_us = clock_wall_us() };
	(void)context;
	news_winner(&hub, &winner);
	edge_answer(request, 204, NULL, NULL, 0);
}

static enum token_status identify(
	void *context, const char *token, player_id *player_r, struct token_life *life_r)
{
	(void)context;
	(void)token;
	*player_r = 0;
	*life_r = (struct token_life){ 0 };
	return TOKEN_MALFORMED;
}

static void lost(void *context, player_id player, const char *game)
{
	(void)context;
	(void)player;
	(void)game;
}

static void look(void *context, const char *const *names, size_t n, struct session_seen *seen_r)
{
	(void)context;
	(void)names;
	memset(seen_r, 0, n * sizeof(*seen_r));
}

static void on_second(void *context)
{
	(void)context;
	clients_sweep(hub.clients);
	if (getppid() != parent) /* whoever started the bench has ended */
		_exit(1);
}

/* Without a database nobody has logged out. */
static bool always_open(void *context)
{
	(void)context;
	return true;
}

static void begin(void)
{
	static const struct edge_route routes[] = {
		{ EDGE_POST, "/publish", on_publish, false },
		{ EDGE_GET, NULL, NULL, false },
	};
	const struct clients_config clients = { .queue_max = 64,
		.ping_s = 3600, /* the swarm answers none */
		.subscribe_s = 60,
		.per_player_max = 8,
		.retry_ms = 3000,
		.origins = "same-host",
		.open = always_open,
		.subscribed = subscribers_greet,
		.identify = identify,
		.lost = lost,
		.look = look,
		.context = &hub };
	const struct edge_config config = { .service = "bench",
		.listen = "127.0.0.1:0",
		.routes = routes,
		.context = &hub,
		.connections_max = CONNECTIONS,
		.websocket_path = "/v1/events",
		.websocket = clients_websocket,
		.socket_send_bytes = 65536 };
	(void)snprintf(hub.epoch, sizeof(hub.epoch), "1");
	(void)snprintf(hub.process_epoch, sizeof(hub.process_epoch), "1");
	hub.recovered = metric_counter("recovered_total", NULL, "Resumes.");
	hub.lost = metric_counter("lost_total", NULL, "Resumes.");
	hub.winners_told = metric_counter("winners_total", NULL, "Broadcasts.");
	hub.revoked = revoked_new(NULL, NULL);
	hub.clients = clients_new(&clients);
	hub.edge = edge_new(&config);
	clients_attach(hub.clients, hub.edge);
}

int bench_server(void)
{
	log_open("bench", "bench-1", LOG_WARN);
	parent = getppid();
	begin();
	edge_every(hub.edge, 1000, on_second, NULL);
	bench_port_print((unsigned)atoi(strrchr(edge_address(hub.edge), ':') + 1));
	return edge_run(hub.edge);
}
