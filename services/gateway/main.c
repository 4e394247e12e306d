/*~ The gateway: HTTP and JSON for players' pages, operators' back ends and the operator's console.
 * It owns nothing but sessions, request limits and the audit log, keeps no money and no game, and
 * may be killed at any moment: whoever asked asks again with the same `expect` and Idempotency-Key.
 * One loop, one thread.
 *
 * A tour, in the order of a request:
 *
 *  1. libcommon/edge/edge.h accepts connections, reads requests strictly and finds their route in
 * the table below.
 *  2. adapters/auth.c: the player's token or the operator's key, and the limits of requests;
 * adapters/presence.c: a session that rested too long, a game whose connection was just lost.
 *  3. core/requests.c says in tables what a body may hold, core/fields.c checks it,
 * adapters/parse.c walks the JSON.
 *  4. adapters/play.c makes a SpinCommand of it, adapters/money.c a WalletCommand; adapters/asks.c
 * sends it to the player's shard of spin.commands or wallet.commands and remembers who waits
 * (core/inflight.c). The answer comes back over nanomsg; if none comes the question is asked again,
 * twice, and after 8 s the client hears 504.
 *  5. adapters/answers.c turns the reply into JSON by the names of its fields.
 *  6. What only reads never disturbs a writer: adapters/history.c asks the read-only role,
 * adapters/counters.c (jackpots, winners), adapters/games.c and adapters/status.c (shards, pools,
 * reconciliation) are read in the background and answered from memory.
 *
 * This file only wires: settings, sources, timers, the table of routes. */
#include "services/gateway/adapters/gateway.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REDIS_MS 50
#define RO_CONNECTIONS 4
#define READY_AFTER_US                                                                             \
	(1 * SECOND_US) /* others need so long to have connected to us over nanomsg */

static struct gateway gateway;

static const struct setting settings[] = {
	{ "GATEWAY_LISTEN", SETTING_TEXT, "127.0.0.1:8080", 0, 0, gateway.settings.listen,
		"address:port for players and operators; several gateways of one machine may share "
		"it" },
	{ "GATEWAY_EVENTS_URL", SETTING_TEXT, "ws://127.0.0.1:8081/v1/events", 0, 0,
		gateway.settings.events_url,
		"where browsers reach notifications, as told by GET /v1/config" },
	{ "GATEWAY_WEB", SETTING_TEXT, "", 0, 0, gateway.settings.web,
		"folder with the pages; empty: none are served" },
	{ "GATEWAY_CARD_SETS", SETTING_TEXT, "", 0, 0, gateway.settings.card_sets,
		"folder with the sets of Jackpot Cards, whose odds players are told; empty: they are "
		"not" },
	{ "GATEWAY_RATE_PER_S", SETTING_INT, "50", 0, 1000000, &gateway.settings.rate_per_s,
		"requests a second of one player, lastingly; 0: no limit" },
	{ "GATEWAY_BURST", SETTING_INT, "500", 1, 1000000, &gateway.settings.burst,
		"requests of one player that may come at once before that limit holds" },
	{ "GATEWAY_SESSIONS_PER_S", SETTING_INT, "200", 0, 1000000,
		&gateway.settings.sessions_per_s,
		"demo sessions, and wrong operator keys, a second from one address, ten times that "
		"at once; 0: no limit" },
	{ "GATEWAY_WAIT_MS", SETTING_INT, "8000", 100, 25000, &gateway.settings.wait_ms,
		"until a request without an answer gets 504" },
	{ "GATEWAY_SESSION_S", SETTING_INT, "43200", 60, 2592000, &gateway.settings.session_s,
		"life of a player's token" },
	{ "GATEWAY_IDLE", SETTING_TEXT, "0", 0, 0, gateway.settings.idle,
		"time without an action after which a session ends, and OPERATOR=time where "
		"another one holds: 15m,7=90s,9=0; 0: never" },
	{ "GATEWAY_RECONNECT", SETTING_TEXT, "bewitched=30s,mona-lisa=30s", 0, 0,
		gateway.settings.reconnect,
		"time for which a game takes a player not back whose connection was lost, by "
		"GAME=time; 0: none" },
	{ "GATEWAY_POOL_OPERATORS", SETTING_TEXT, "1", 0, 0, gateway.settings.pool_operators,
		"operators who may change pools and sets of cards, by number, with commas; others "
		"decide only whether they take part" },
	{ "GATEWAY_FX_OPERATOR", SETTING_INT, "1", 0, OPERATOR_MAX, &gateway.settings.fx_operator,
		"operator who sets the exchange rates, which all share; 0: any" },
	{ "GATEWAY_FX_JUMP_PERCENT", SETTING_INT, "20", 0, 1000000,
		&gateway.settings.fx_jump_percent,
		"a rate that differs by more from any that holds within a day of it, and a "
		"currency's first, waits for a second key; 0: none waits" },
	{ "GATEWAY_DECIDE_AFTER_S", SETTING_INT, "300", 0, 31536000,
		&gateway.settings.decide_after_s,
		"age from which a withdrawal may be decided by hand" },
	{ "GATEWAY_CONNECTIONS_MAX", SETTING_INT, "10000", 10, 60000,
		&gateway.settings.connections_max, "connections at once" },
	{ NULL, SETTING_TEXT, NULL, 0, 0, NULL, NULL },
};

static const struct edge_route routes[] = {
	{ EDGE_GET, "/v1/state", on_state, false },
	{ EDGE_POST, "/v1/rounds", on_round, true },
	{ EDGE_POST, "/v1/rounds/{}/actions", on_action, true },
	{ EDGE_POST, "/v1/settings", on_settings, true },
	{ EDGE_GET, "/v1/rounds", on_rounds, false },
	{ EDGE_GET, "/v1/rounds/{}", on_replay, false },
	{ EDGE_GET, "/v1/journal", on_journal, false },
	{ EDGE_GET, "/v1/jackpots", on_jackpots, false },
	{ EDGE_GET, "/v1/cards", on_cards, false },
	{ EDGE_GET, "/v1/cards/{}", on_card, false },
	{ EDGE_POST, "/v1/cards/{}/picks", on_card_pick, true },
	{ EDGE_GET, "/v1/winners", on_winners, false },
	{ EDGE_GET, "/v1/games", on_games, false },
	{ EDGE_GET, "/v1/games/{}", on_game, false },
	{ EDGE_GET, "/v1/config", on_config, false },
	{ EDGE_POST, "/v1/demo/sessions", on_demo_session, true },
	{ EDGE_POST, "/v1/operators/{}/players", on_open_player, true },
	{ EDGE_POST, "/v1/operators/{}/sessions", on_session, true },
	{ EDGE_POST, "/v1/operators/{}/players/{}/deposits", on_deposit, true },
	{ EDGE_POST, "/v1/operators/{}/players/{}/withdrawals", on_withdrawal, true },
	{ EDGE_GET, "/v1/operators/{}/players/{}/withdrawals", on_withdrawals, false },
	{ EDGE_GET, "/v1/operators/{}/players/{}/withdrawals/{}", on_withdrawal_look, false },
	{ EDGE_POST, "/v1/operators/{}/players/{}/withdrawals/{}/decisions", on_withdrawal_decide,
		true },
	{ EDGE_POST, "/v1/operators/{}/players/{}/grants/{}/back", on_grant_back, true },
	{ EDGE_POST, "/v1/operators/{}/players/{}/limits", on_limit, true },
	{ EDGE_GET, "/v1/operators/{}/players/{}/limits", on_limits, false },
	{ EDGE_POST, "/v1/operators/{}/players/{}/voids", on_void, true },
	{ EDGE_GET, "/v1/operators/{}/players/{}/voids", on_voids, false },
	{ EDGE_GET, "/v1/operators/{}/voids", on_void_report, false },
	{ EDGE_POST, "/v1/operators/{}/games/{}/start", on_game_start, true },
	{ EDGE_POST, "/v1/payments/calls", on_payment_call, true },
	{ EDGE_POST, "/v1/operators/{}/players/{}/corrections", on_correction, true },
	{ EDGE_POST, "/v1/operators/{}/players/{}/grants", on_grant, true },
	{ EDGE_POST, "/v1/operators/{}/players/{}/block", on_block, true },
	{ EDGE_POST, "/v1/operators/{}/players/{}/bonus-spins", on_bonus_spins, true },
	{ EDGE_GET, "/v1/operators/{}/players/{}/bonus-spins", on_bonus_spins_list, false },
	{ EDGE_POST, "/v1/operators/{}/players/{}/bonus-spins/{}/end", on_bonus_spins_end, true },
	{ EDGE_POST, "/v1/operators/{}/pools/{}/actions", on_pool_action, true },
	{ EDGE_POST, "/v1/operators/{}/pools/{}/actions/{}/approve", on_pool_approve, false },
	{ EDGE_GET, "/v1/operators/{}/pools/{}/actions", on_pool_actions, false },
	{ EDGE_GET, "/v1/operators/{}/pools/{}/transfers", on_pool_transfers, false },
	{ EDGE_POST, "/v1/operators/{}/fx-rates", on_fx_set, true },
	{ EDGE_GET, "/v1/operators/{}/fx-rates", on_fx_list, false },
	{ EDGE_POST, "/v1/operators/{}/fx-rates/{}/approve", on_fx_approve, false },
	{ EDGE_GET, "/v1/operators/{}/pools/{}", on_pool_view, false },
	{ EDGE_GET, "/v1/operator/status", on_status, false },
	{ EDGE_GET, NULL, NULL, false },
};

void on_config(struct edge_request *request, void *context)
{
	static const char *const names[] = { NULL };
	struct json_out *out = &gateway.out;
	(void)context;
	if (!answer_query(request, names))
		return;
	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "kind", common.kind);
	out_string(out, "events_url", gateway.settings.events_url);
	out_open(out, "operators", '[');
	for (size_t i = 0; i < gateway.operators_n; i++) {
		bool again = false;
		for (size_t k = 0; k < i; k++)
			again = again || gateway.operators[k].id == gateway.operators[i].id;
		if (!again)
			out_uint(out, NULL, gateway.operators[i].id);
	}
	out_close(out, ']');
	out_uint(out, "shards", gateway.shards);
	out_close(out, '}');
	answer_sent(&gateway, request, 200);
}

/* ---- readiness
 * ----------------------------------------------------------------------------------------------------------------------
 */

static struct {
	bool installation, ready;
	uint64_t alive_since_us, owned_since_us;
} start;

static void on_installation(void *context, PGresult *result, const char *error)
{
	(void)context;
	if (error != NULL || PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1)
		return; /* not written yet, or Postgres is away: asked again */
	const char *kind = PQgetvalue(result, 0, 0);
	int64_t shards = pg_number(result, 0, 1);
	if (strcmp(kind, common.kind) != 0)
		fatal("CARILLON_KIND: found %s, expected %s, as the installation was made",
			common.kind, kind);
	if (shards != common.shards)
		fatal("CARILLON_SHARDS: found %" PRId64 ", expected %" PRId64
		      ", as the installation was made",
			common.shards, shards);
	start.installation = true;
}

/* Once ready, a shard that changes hands is no reason to send players elsewhere: all gateways see
 * the same. */
static void readiness(void)
{
	uint64_t now_us = edge_now_us(gateway.edge);
	if (start.ready)
		return;
	if (!start.installation)
		pg_pool_query(gateway.pg_ro, "select kind, shards from carillon.installation", 0,
			NULL, QUERY_MS, on_installation, NULL);
	if (instance_alive(gateway.instance) && start.alive_since_us == 0)
		start.alive_since_us = now_us;
	const char *why_not = NULL;
	if (!start.installation)
		why_not = "the installation could not be read from Postgres yet";
	else if (start.alive_since_us == 0)
		why_not = "not registered in carillon.instance yet";
	else if (now_us - start.alive_since_us < READY_AFTER_US)
		why_not = "registered; others connect";
	else if (!status_owned())
		why_not = "a shard of wallet or spin-engine has no owner";
	if (why_not == NULL && start.owned_since_us == 0)
		start.owned_since_us = now_us;
	/* The engine registers its games before it takes a shard; pools register theirs before it.
	 */
	if (why_not == NULL && !games_read_since(start.owned_since_us))
		why_not = "the games have not been read yet";
	start.ready = why_not == NULL;
	edge_ready(gateway.edge, start.ready, why_not);
	if (start.ready)
		log_info("ready at %s", edge_address(gateway.edge));
}

/* ---- wiring
 * --------------------------------------------------------------------------------------------------------------------------
 */

static void on_pool(void *pool)
{
	pg_pool_poll(pool);
}

static void on_turn(void *context)
{
	(void)context;
	kafka_producer_poll(gateway.producer);
}

static void on_tick(void *context)
{
	(void)context;
	asks_tick(&gateway, edge_now_us(gateway.edge));
	asks_on_bus(&gateway);
	pg_pool_poll(gateway.pg);
	pg_pool_poll(gateway.pg_ro);
	readiness();
}

static void on_moment(void *context)
{
	(void)context;
	sessions_tick(&gateway);
	presence_flush(&gateway);
}

static void on_quarter(void *context)
{
	(void)context;
	presence_read(&gateway);
}

static void on_half(void *context)
{
	(void)context;
	instance_beat(gateway.instance);
	games_load(&gateway, !start.ready);
}

static void on_second(void *context)
{
	(void)context;
	counters_tick(&gateway);
	status_tick(&gateway);
	payouts_tick(&gateway);
}

static void on_draining(void *context)
{
	(void)context;
	instance_leave(gateway.instance);
}

/* Answers are written when the last one has come; what was produced must have arrived too. */
static bool on_drained(void *context)
{
	(void)context;
	return gateway.inflight.open == 0;
}

static void metrics(void)
{
	gateway.metric.expired = metric_counter(
		"carillon_gateway_unanswered_total", NULL, "Questions that got no answer in time");
	gateway.metric.again = metric_counter(
		"carillon_gateway_again_total", NULL, "Questions that were asked again");
	gateway.metric.late = metric_counter("carillon_gateway_late_total", NULL,
		"Answers nobody waited for: late, or the second one");
	gateway.metric.unreadable = metric_counter("carillon_gateway_unreadable_total", NULL,
		"Messages on nanomsg that could not be read");
	gateway.metric.refused_rate = metric_counter("carillon_gateway_rate_refused_total", NULL,
		"Requests refused by a limit of requests");
	gateway.metric.idle = metric_counter("carillon_gateway_idle_refused_total", NULL,
		"Requests of sessions that had ended by inactivity");
	gateway.metric.reconnects = metric_counter("carillon_gateway_reconnect_refused_total", NULL,
		"Requests in a game that came too soon after a lost connection");
	gateway.metric.open = metric_gauge("carillon_gateway_open", NULL, "Questions on their way");
}

/* "ws://host:port/path" to "ws://host:port": what the pages may speak to. */
static void origin_of(const char *url, char *out, size_t room)
{
	const char *host = strstr(url, "://");
	size_t length = host == NULL ? 0 : (size_t)(host + 3 - url) + strcspn(host + 3, "/");
	(void)snprintf(out, room, "%.*s", (int)length, url);
}

static void edge_begin(void)
{
	const struct edge_config config = {
		.service = "gateway",
		.listen = gateway.settings.listen,
		.health_listen = common.health,
		.routes = routes,
		.context = &gateway,
		.connections_max = (uint32_t)gateway.settings.connections_max,
		.turn = on_turn,
		.draining = on_draining,
		.drained = on_drained,
	};
	char origin[SETTING_TEXT_MAX];
	gateway.edge = edge_new(&config);
	origin_of(gateway.settings.events_url, origin, sizeof(origin));
	if (gateway.settings.web[0] != '\0')
		(void)edge_pages(gateway.edge, gateway.settings.web, origin);
}

static void sources_begin(void)
{
	gateway.producer = kafka_producer_new(common.kafka, KAFKA_FAST);
	gateway.bus = nn_bus_new(common.nn_url);
	gateway.pg_ro = pg_pool_new(common.pg_ro_dsn, common.instance, RO_CONNECTIONS);
	gateway.pg = pg_pool_new_writing(common.pg_dsn, common.instance, 1);
	gateway.redis = redis_link_new(common.redis, REDIS_MS);
	gateway.sessions = redis_link_new(common.redis, REDIS_MS);
	gateway.instance = instance_new(gateway.pg, common.instance, "gateway", common.nn_url,
		edge_health_address(gateway.edge));
	edge_adopt(gateway.edge, nn_bus_fd(gateway.bus), asks_on_bus, &gateway);
	edge_adopt(gateway.edge, pg_pool_fd(gateway.pg_ro), on_pool, gateway.pg_ro);
	edge_adopt(gateway.edge, pg_pool_fd(gateway.pg), on_pool, gateway.pg);
	edge_every(gateway.edge, 20, on_moment, NULL);
	edge_every(gateway.edge, 50, on_tick, NULL);
	edge_every(gateway.edge, 250, on_quarter, NULL);
	edge_every(gateway.edge, 500, on_half, NULL);
	edge_every(gateway.edge, 1000, on_second, NULL);
	on_half(NULL);
	on_second(NULL);
}

static void gateway_begin(void)
{
	char error[TOKEN_ERROR_MAX];
	uint64_t random;
	if (token_key_read(common.keys, &gateway.token_key, error) != TOKEN_OK)
		fatal("%s", error);
	auth_load(&gateway);
	games_card_sets(gateway.settings.card_sets);
	presence_begin(&gateway);
	pool_actions_begin(&gateway);
	gateway.demo = strcmp(common.kind, "live") != 0;
	gateway.shards = (uint32_t)common.shards;
	randombytes_buf(&random, sizeof(random));
	inflight_init(&gateway.inflight, random, (uint64_t)gateway.settings.wait_ms * 1000);
	limit_init(&gateway.by_player, (uint32_t)gateway.settings.rate_per_s,
		(uint32_t)gateway.settings.burst);
	limit_init(&gateway.by_address, (uint32_t)gateway.settings.sessions_per_s,
		(uint32_t)gateway.settings.sessions_per_s * 10);
	metrics();
}

static void gateway_end(void)
{
	(void)kafka_producer_flush(gateway.producer, 1000);
	pg_pool_poll(gateway.pg);
	edge_free(&gateway.edge);
	kafka_producer_free(&gateway.producer);
	nn_bus_free(&gateway.bus);
	instance_free(&gateway.instance);
	pg_pool_free(&gateway.pg);
	pg_pool_free(&gateway.pg_ro);
	redis_link_free(&gateway.redis);
	redis_link_free(&gateway.sessions);
	token_key_free(&gateway.token_key);
	out_free(&gateway.out);
}

int main(int argc, char **argv)
{
	enum log_level level = LOG_INFO;
	settings_load(argc, argv, "gateway", "GATEWAY_", settings);
	(void)log_level_parse(common.log, &level);
	log_open("gateway", common.instance, level);
	if (sodium_init() < 0)
		fatal("libsodium does not start");
	gateway_begin();
	edge_begin();
	sources_begin();
	int status = edge_run(gateway.edge);
	gateway_end();
	return status;
}
