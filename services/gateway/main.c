/*~ The gateway: HTTP and JSON for players' pages, operators' back ends and the operator's console.
 * It owns only sessions, request limits and the audit log. It keeps no money and no game and may be
 * killed at any moment: clients retry with the same `expect` and Idempotency-Key. One loop, one
 * thread.
 *
 * A tour, in the order of a request:
 *
 *  1. libcommon/edge/edge.h accepts connections, reads requests strictly and finds their route in
 * the table of adapters/routes.c, once adapters/readiness.c says that the gateway is ready.
 *  2. adapters/auth.c checks the player's token or the operator's key, and the request limits;
 * adapters/presence.c checks for idle sessions and lost connections.
 *  3. core/requests.c has a table of fields for each body, core/fields.c checks values against it,
 * adapters/parse.c walks the JSON.
 *  4. adapters/play.c makes a SpinCommand, adapters/money.c a WalletCommand;
 * adapters/service_requests.c sends it by nanomsg to the instance that owns the player's shard and
 * remembers the request (core/inflight.c). The reply comes back over nanomsg. Without a reply the
 * command is sent again: after 250 ms and then less often, and at once when the shard has a new
 * owner. After 8 s the client gets 504, or 503 if there was no owner to send it to.
 *  5. adapters/answers.c turns the reply into JSON with the names of its fields.
 *  6. Reads never disturb a writer: adapters/history.c queries with the read-only role;
 * adapters/counters.c (jackpots, winners), adapters/games.c and adapters/status.c (shards, pools,
 * reconciliation) read in the background and answer from memory.
 *  7. adapters/rollups.c lets the database add up the journal over time and seals the reports;
 * adapters/reports.c reads them.
 *  8. adapters/webhooks.c lets the database notice what operators want to be told, and
 * adapters/webhook_send.c sends it to their addresses.
 *  9. adapters/letters.c keeps the dead letters of the services in a table, and sends those again
 * that a user wants sent.
 *
 * This file only wires the settings, the timers, the edge and the connections. adapters/gateway.c
 * sets up what must exist before them and frees everything at the end. */
#include "services/gateway/adapters/amounts.h"
#include "services/gateway/adapters/export.h"
#include "services/gateway/adapters/journal_rows.h"
#include "services/gateway/adapters/letters.h"
#include "services/gateway/adapters/offers.h"
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/own_limits.h"
#include "services/gateway/adapters/reports.h"
#include "services/gateway/adapters/staff.h"
#include "services/gateway/adapters/voids.h"
#include "services/gateway/adapters/webhooks.h"

#include "libcommon/io/key_files.h"
#include "libcommon/io/log.h"
#include "libcommon/service/permit.h"

#include <sodium.h>

#define REDIS_MS 50
#define RO_CONNECTIONS 4

static struct gateway gateway;

static const struct setting settings[] = {
	{ "GATEWAY_LISTEN", SETTING_TEXT, "127.0.0.1:8080", 0, 0, gateway.settings.listen,
		"address:port for players and operators; several gateways of one machine may share "
		"it" },
	{ "GATEWAY_EVENTS_URL", SETTING_TEXT, "ws://127.0.0.1:8081/v1/events", 0, 0,
		gateway.settings.events_url,
		"URL of notifications for browsers, which GET /v1/config returns" },
	{ "GATEWAY_WEB", SETTING_TEXT, "", 0, 0, gateway.settings.web,
		"folder with the pages; empty: the gateway serves no pages" },
	{ "GATEWAY_FRAMES", SETTING_TEXT, "", 0, 0, gateway.settings.frames,
		"sites that may show the games in a frame, as OPERATOR=ORIGIN separated by "
		"commas, such as 1=https://casino.example,2=https://other.example; empty: none" },
	{ "GATEWAY_CARD_SETS", SETTING_TEXT, "", 0, 0, gateway.settings.card_sets,
		"folder with the Jackpot Cards sets, to show players their odds; empty: no odds" },
	{ "GATEWAY_DEFINITIONS", SETTING_BOOL, "1", 0, 1, &gateway.settings.definitions,
		"1: publish definitions with their strips and weights, so that players can "
		"prove their rounds; 0: do not" },
	{ "GATEWAY_RATE_PER_S", SETTING_INT, "50", 0, 1000000, &gateway.settings.rate_per_s,
		"requests a second that one player may keep sending; 0: no limit" },
	{ "GATEWAY_BURST", SETTING_INT, "500", 1, 1000000, &gateway.settings.burst,
		"requests that one player may send at once before that limit applies" },
	{ "GATEWAY_SESSIONS_PER_S", SETTING_INT, "200", 0, 1000000,
		&gateway.settings.sessions_per_s,
		"demo sessions and wrong operator keys a second from one address; ten times "
		"as many may come at once; 0: no limit" },
	{ "GATEWAY_WRONG_PER_MIN", SETTING_INT, "10", 0, 1000000, &gateway.settings.wrong_per_min,
		"how many wrong tokens, keys and passwords within a minute make an address wait: "
		"10 s, each further time twice as long; 0: no address waits" },
	{ "GATEWAY_TRACES_PER_S", SETTING_INT, "1", 0, 1000, &gateway.settings.traces_per_s,
		"requests a second whose way through all services is logged, of those whose "
		"traceparent has the flag `sampled`; 0: none" },
	{ "GATEWAY_WAIT_MS", SETTING_INT, "8000", 100, 25000, &gateway.settings.wait_ms,
		"how long a request may wait for an answer before it gets 504" },
	{ "GATEWAY_SESSION_S", SETTING_INT, "43200", 60, 2592000, &gateway.settings.session_s,
		"lifetime of a player's token" },
	{ "GATEWAY_REALITY_CHECK_S", SETTING_INT, "3600", 0, 86400,
		&gateway.settings.reality_check_s,
		"seconds of play after which the page reminds a player of time and result, "
		"unless the player has chosen another interval; 0: never" },
	{ "GATEWAY_TURBO", SETTING_BOOL, "1", 0, 1, &gateway.settings.turbo,
		"1: players may choose Turbo, which shortens the reels' turn; 0: the page does "
		"not offer it" },
	{ "GATEWAY_STAFF_IDLE_S", SETTING_INT, "1800", 60, 86400, &gateway.settings.staff_idle_s,
		"seconds without a request after which a session of the console ends" },
	{ "GATEWAY_STAFF_SESSION_S", SETTING_INT, "43200", 300, 604800,
		&gateway.settings.staff_session_s,
		"time after which a session of the console ends, even if it is in use" },
	{ "GATEWAY_STAFF_CONFIRM_S", SETTING_INT, "600", 10, 86400,
		&gateway.settings.staff_confirm_s,
		"how long a user may act on money, jackpots, rates and users after entering "
		"their password" },
	{ "GATEWAY_STAFF_LOCK_S", SETTING_INT, "900", 1, 86400, &gateway.settings.staff_lock_s,
		"how long a user is locked after three wrong passwords or codes" },
	{ "GATEWAY_STAFF_SECOND_FACTOR", SETTING_BOOL, "0", 0, 1,
		&gateway.settings.staff_second_factor,
		"1: a user without a second factor may do nothing but set one; 0: it is each "
		"user's choice" },
	{ "GATEWAY_PROOF_AGE_S", SETTING_INT, "93600", 60, 31536000, &gateway.settings.proof_age_s,
		"age of the last whole proof of the ledger from which the console warns on every "
		"screen" },
	{ "GATEWAY_IDLE", SETTING_TEXT, "15m", 0, 0, gateway.settings.idle,
		"time without an action after which a session ends, and OPERATOR=time for single "
		"operators: 15m,7=90s,9=0; 0: never" },
	{ "GATEWAY_RECONNECT", SETTING_TEXT, "bewitched=30s,mona-lisa=30s", 0, 0,
		gateway.settings.reconnect,
		"how long a game refuses a player after a lost connection, as GAME=time; 0: not at "
		"all" },
	{ "GATEWAY_POOL_OPERATORS", SETTING_TEXT, "1", 0, 0, gateway.settings.pool_operators,
		"numbers of the operators that may act on what all share (pools, sets of cards, "
		"stopped games) and see the figures of all, separated by commas; others only "
		"choose whether to take part in pools and sets" },
	{ "GATEWAY_FX_OPERATOR", SETTING_INT, "1", 0, OPERATOR_MAX, &gateway.settings.fx_operator,
		"number of the operator that sets the FX rates, which all share; 0: any operator" },
	{ "GATEWAY_FX_JUMP_PERCENT", SETTING_INT, "20", 0, 1000000,
		&gateway.settings.fx_jump_percent,
		"an FX rate waits for another key or user if it is the currency's first, or "
		"differs from a rate in force within a day of its start by more than this "
		"percentage of the smaller of the two; 0: no rate waits" },
	{ "GATEWAY_APPROVE_ABOVE", SETTING_TEXT, "*=1000000", 0, 0, gateway.settings.approve_above,
		"largest deposit, withdrawal, correction, grant or bonus spins, in minor units, that "
		"a user, or a key without amounts of its own, books alone, and largest withdrawal "
		"that they settle by hand alone, as CURRENCY=AMOUNT; what is larger "
		"waits for another user or key; 0: any amount; *: euro cents, for about as much "
		"in each currency that is not named, without it none; empty: nothing waits" },
	{ "GATEWAY_APPROVE_SUM", SETTING_TEXT, "*=10000000", 0, 0, gateway.settings.approve_sum,
		"largest sum of such amounts, whatever their sign, that one user books alone within "
		"24 hours, as in GATEWAY_APPROVE_ABOVE; the amount that would exceed it waits for "
		"another user or key" },
	{ "GATEWAY_APPROVE_WITHIN_S", SETTING_INT, "86400", 1, 31536000,
		&gateway.settings.approve_within_s,
		"how long such a request waits for another user or key; then it has to be made "
		"again" },
	{ "GATEWAY_DECIDE_AFTER_S", SETTING_INT, "300", 0, 31536000,
		&gateway.settings.decide_after_s,
		"age after which a withdrawal may be decided by hand" },
	{ "GATEWAY_REPORT_GRACE_S", SETTING_INT, "60", 1, 3600, &gateway.settings.report_grace_s,
		"seconds after the end of a gaming day until its report is sealed" },
	{ "GATEWAY_LARGE_WINS", SETTING_TEXT, "*=100000", 0, 0, gateway.settings.large_wins,
		"smallest win of a bet or gamble, in minor units, that webhooks report as large, "
		"as CURRENCY=AMOUNT; *: euro cents, for about as much in each currency that is "
		"not named, without it wins in those are not reported" },
	{ "GATEWAY_WEBHOOK_TIMEOUT_MS", SETTING_INT, "10000", 100, 60000,
		&gateway.settings.webhook_timeout_ms,
		"how long an operator's address may take to accept an event" },
	{ "GATEWAY_WEBHOOK_RETRY_MS", SETTING_INT, "5000", 10, 600000,
		&gateway.settings.webhook_retry_ms,
		"pause before an event is sent again for the first time; it doubles up to an hour" },
	{ "GATEWAY_WEBHOOK_GIVE_UP_S", SETTING_INT, "259200", 0, 2592000,
		&gateway.settings.webhook_give_up_s,
		"age at which an event that is not accepted is dead: it is then sent again only "
		"on request" },
	{ "GATEWAY_WEBHOOK_INTERNAL", SETTING_BOOL, "0", 0, 1, &gateway.settings.webhook_internal,
		"1: webhooks may go to internal addresses, and to this machine without TLS; 0: only "
		"to public addresses" },
	{ "GATEWAY_CONNECTIONS_MAX", SETTING_INT, "10000", 10, 60000,
		&gateway.settings.connections_max, "largest number of connections" },
	DOOR_SETTINGS("GATEWAY_", gateway.settings.doors),
	{ NULL, SETTING_TEXT, NULL, 0, 0, NULL, NULL },
};

/* ---- timers ---- */

static void on_pool(void *pool)
{
	pg_pool_poll(pool);
}

static void on_turn(void *context)
{
	(void)context;
	service_requests_flush(&gateway);
}

static void on_tick(void *context)
{
	(void)context;
	service_requests_on_bus(&gateway); /* first: what is answered is not asked again */
	service_requests_tick(&gateway, edge_now_us(gateway.edge));
	pg_pool_poll(gateway.pg);
	pg_pool_poll(gateway.pg_ro);
	rollups_tick();
	webhooks_tick();
	journal_rows_tick();
	letters_tick();
	readiness_tick(&gateway);
}

static void on_moment(void *context)
{
	(void)context;
	sessions_tick(&gateway);
	own_limits_tick();
	presence_flush(&gateway);
	/* A service that has just started answers already: its row is there. */
	if (nn_bus_stranger(gateway.bus))
		service_requests_owners(&gateway);
	service_requests_owners_soon(&gateway);
}

static void on_fifth(void *context)
{
	(void)context;
	service_requests_owners(&gateway);
}

static void on_quarter(void *context)
{
	(void)context;
	presence_read(&gateway);
	revoked_read(gateway.revoked, gateway.pg_ro);
	staff_read(&gateway);
	if (!readiness_reached()) { /* players wait for what these read */
		counters_tick(&gateway);
		status_tick(&gateway);
	}
}

static void on_half(void *context)
{
	(void)context;
	instance_beat(gateway.instance);
	games_load(&gateway, !readiness_reached());
}

static void on_second(void *context)
{
	(void)context;
	counters_tick(&gateway);
	status_tick(&gateway);
	operator_keys_tick(&gateway);
	offers_tick(&gateway);
	auth_tick(&gateway);
	wrong_tick(&gateway);
	crashes_tick();
	par_tick();
	bet_mix_tick();
	amounts_tick(&gateway);
	voids_tick(&gateway);
	pool_actions_tick(&gateway);
}

static void on_draining(void *context)
{
	(void)context;
	instance_leave(gateway.instance);
}

/* All replies have come, so all answers are written. */
static bool on_drained(void *context)
{
	(void)context;
	return gateway.inflight.open == 0 && !exports_open();
}

/* ---- connections ---- */

static void edge_begin(void)
{
	const struct edge_config config = {
		.service = "gateway",
		.listen = gateway.settings.listen,
		.health_listen = common.health,
		.routes = gateway_routes,
		.context = &gateway,
		.connections_max = (uint32_t)gateway.settings.connections_max,
		.doors = &gateway.settings.doors,
		.turn = on_turn,
		.draining = on_draining,
		.drained = on_drained,
	};
	char origin[SETTING_TEXT_MAX];
	gateway.edge = edge_new(&config);
	config_origin(gateway.settings.events_url, origin, sizeof(origin));
	if (gateway.settings.web[0] != '\0')
		(void)edge_pages(gateway.edge, gateway.settings.web, origin, "/fairness/");
	edge_pages_framed(gateway.edge, "/play/", config_framers);
}

static void sources_begin(void)
{
	gateway.bus = nn_bus_new(common.nn_url, "gateway", common.keys, permit_refusal);
	gateway.owners = owners_new();
	gateway.pg_ro = pg_pool_new(common.pg_ro_dsn, common.instance, RO_CONNECTIONS);
	gateway.pg = pg_pool_new_writing(common.pg_dsn, common.instance, 1);
	pg_pool_listen(gateway.pg, OWNERS_LISTEN_SQL, service_requests_owners_told, &gateway);
	gateway.redis = redis_link_new(common.redis, REDIS_MS);
	gateway.sessions = redis_link_new(common.redis, REDIS_MS);
	gateway.instance = instance_new(gateway.pg, common.instance, "gateway", common.nn_url,
		edge_health_address(gateway.edge), nn_bus_boot(gateway.bus));
	staff_begin(&gateway);
	rollups_begin(&gateway);
	webhooks_begin(&gateway);
	letters_begin(&gateway);
	edge_adopt(gateway.edge, pg_pool_fd(rollups_pool()), on_pool, rollups_pool());
	edge_adopt(gateway.edge, nn_bus_fd(gateway.bus), service_requests_on_bus, &gateway);
	edge_adopt(gateway.edge, pg_pool_fd(gateway.pg_ro), on_pool, gateway.pg_ro);
	edge_adopt(gateway.edge, pg_pool_fd(gateway.pg), on_pool, gateway.pg);
	edge_every(gateway.edge, 20, on_moment, NULL);
	edge_every(gateway.edge, 50, on_tick, NULL);
	edge_every(gateway.edge, 200, on_fifth, NULL);
	edge_every(gateway.edge, 250, on_quarter, NULL);
	edge_every(gateway.edge, 500, on_half, NULL);
	edge_every(gateway.edge, 1000, on_second, NULL);
	on_half(NULL);
	on_second(NULL);
}

int main(int argc, char **argv)
{
	enum log_level level = LOG_INFO;
	char error[KEY_FILES_ERROR_MAX];
	settings_load(argc, argv, "gateway", "GATEWAY_", settings);
	(void)log_level_parse(common.log, &level);
	log_open("gateway", common.instance, level);
	if (!key_files_begin(common.keys, "gateway", error, sizeof(error)))
		fatal("CARILLON_KEYS: %s", error);
	if (sodium_init() < 0)
		fatal("libsodium cannot be initialised");
	gateway_begin(&gateway);
	edge_begin();
	sources_begin();
	int status = edge_run(gateway.edge);
	gateway_end(&gateway);
	return status;
}
