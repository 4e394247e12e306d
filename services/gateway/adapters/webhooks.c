/* Asks the database, again and again, to notice events for webhooks; takes deliveries that are due,
 * gives them to the sender and marks what came of them. */
#include "services/gateway/adapters/webhooks.h"

#include "libcommon/base/alone.h"
#include "libcommon/io/chain_head.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "services/gateway/adapters/reports.h"

#include <sodium.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STEP_ROWS 4000 /* of each shard, in one transaction */
#define STEP_TEXT "4000"
#define STEP_US SECOND_US
#define TAKE_US (SECOND_US / 2)
#define STATE_US (5 * SECOND_US)
#define TROUBLE_US (10 * SECOND_US)
#define STEP_MS 20000
#define QUICK_MS 5000
#define LARGE_MAX 8192

static struct {
	struct pg_pool *pool;
	struct webhook_sender *sender;
	struct chain_key key;
	const struct gateway_settings *settings;
	char large[LARGE_MAX], hold[24], give_up[24];
	bool stepping, taking;
	uint64_t asked_us, step_us, take_us, state_us; /* by the monotonic clock */
	struct {
		struct metric *sent, *failed, *waiting, *oldest, *dead;
	} metric;
} webhooks;

static void on_pool(void *pool)
{
	pg_pool_poll(pool);
}

static bool good(const PGresult *result, const char *error, const char *what)
{
	if (result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK)
		return true;
	log_warn_as("gateway.webhooks.failed", "webhooks: %s: %s", what,
		error != NULL ? error : PQresultErrorMessage(result));
	return false;
}

/* ---- noticing ---- */

/* While there is more to read, the connection rests as long as it has worked. */
static void on_step(void *context, PGresult *result, const char *error)
{
	uint64_t now_us = clock_mono_us();

	(void)context;
	webhooks.stepping = false;
	webhooks.step_us = now_us + TROUBLE_US;
	if (!good(result, error, "the search for new events failed"))
		return;
	if (!PQgetisnull(result, 0, 1)) {
		log_warn_as("gateway.webhooks.search_failed",
			"webhooks: the search for some new events failed: %s",
			PQgetvalue(result, 0, 1));
		return;
	}
	webhooks.step_us = pg_number(result, 0, 0) >= STEP_ROWS ? 2 * now_us - webhooks.asked_us
								: now_us + STEP_US;
	if (pg_number(result, 0, 0) > 0)
		webhooks.take_us = 0;
}

static void step(uint64_t now_us)
{
	const char *parameters[] = { rollups_currencies(), webhooks.large, STEP_TEXT };

	webhooks.stepping = true;
	webhooks.asked_us = now_us;
	pg_pool_query(webhooks.pool,
		"select rows, trouble from gateway.webhook_step($1::json, $2::jsonb, $3::bigint)",
		3, parameters, STEP_MS, on_step, NULL);
}

/* ---- sending ---- */

static void on_marked(void *context, PGresult *result, const char *error)
{
	(void)context;
	/* A delivery that is not marked is sent again when its time in hand is over. */
	if (good(result, error, "an outcome could not be written"))
		webhooks.take_us = 0;
}

static void on_outcome(void *context, const struct webhook_outcome *outcome)
{
	char delivery[24], delay[24], rest[24];
	const char *parameters[] = { delivery, common.instance, outcome->good ? "t" : "f",
		outcome->answer, delay, webhooks.give_up, rest };
	int64_t delay_ms, rest_ms = webhook_rest_ms(outcome->retry_after_s);
	uint64_t random;

	(void)context;
	metric_add(outcome->good ? webhooks.metric.sent : webhooks.metric.failed, 1);
	randombytes_buf(&random, sizeof(random));
	(void)snprintf(delivery, sizeof(delivery), "%" PRId64, outcome->delivery);
	delay_ms = webhook_delay_ms(outcome->attempt, webhooks.settings->webhook_retry_ms, random);
	(void)snprintf(delay, sizeof(delay), "%" PRId64, delay_ms > rest_ms ? delay_ms : rest_ms);
	(void)snprintf(rest, sizeof(rest), "%" PRId64, rest_ms);
	pg_pool_query(webhooks.pool,
		"select gateway.webhook_outcome($1::bigint, $2, $3::boolean, $4, $5::bigint, "
		"$6::bigint, $7::bigint)",
		7, parameters, QUICK_MS, on_marked, NULL);
}

static void on_taken(void *context, PGresult *result, const char *error)
{
	uint64_t now_us = clock_mono_us();

	(void)context;
	webhooks.taking = false;
	webhooks.take_us = now_us + TAKE_US;
	if (!good(result, error, "deliveries could not be taken")) {
		webhooks.take_us = now_us + TROUBLE_US;
		return;
	}
	for (int i = 0; i < PQntuples(result); i++) {
		const struct webhook_request request = {
			.delivery = pg_number(result, i, 0),
			.webhook = (uint32_t)pg_number(result, i, 1),
			.url = PQgetvalue(result, i, 2),
			.salt = PQgetvalue(result, i, 3),
			.version = (uint32_t)pg_number(result, i, 4),
			.old_version = (uint32_t)pg_number(result, i, 5),
			.body = PQgetvalue(result, i, 6),
			.attempt = (uint32_t)pg_number(result, i, 7),
			.event = PQgetvalue(result, i, 8),
		};
		webhook_sender_send(webhooks.sender, &request, clock_wall_us() / SECOND_US);
	}
}

static void take(size_t room)
{
	char most[24];
	const char *parameters[] = { common.instance, webhooks.hold, most };

	webhooks.taking = true;
	(void)snprintf(most, sizeof(most), "%zu", room);
	pg_pool_query(webhooks.pool,
		"select delivery, webhook, url, salt, version, old_version, body, attempts, event "
		"from gateway.webhook_take($1, $2::integer, $3::integer)",
		3, parameters, QUICK_MS, on_taken, NULL);
}

/* ---- metrics ---- */

static void on_measured(void *context, PGresult *result, const char *error)
{
	(void)context;
	if (!good(result, error, "their state could not be read"))
		return;
	metric_set(webhooks.metric.waiting, pg_number(result, 0, 0));
	metric_set(webhooks.metric.oldest, pg_number(result, 0, 1));
	metric_set(webhooks.metric.dead, pg_number(result, 0, 2));
}

void webhooks_tick(void)
{
	uint64_t now_us = clock_mono_us();
	size_t room = webhook_sender_room(webhooks.sender);

	pg_pool_poll(webhooks.pool);
	webhook_sender_tick(webhooks.sender);
	if (!webhooks.stepping && now_us >= webhooks.step_us)
		step(now_us);
	if (!webhooks.taking && room > 0 && now_us >= webhooks.take_us)
		take(room);
	if (now_us >= webhooks.state_us) {
		webhooks.state_us = now_us + STATE_US;
		pg_pool_query(webhooks.pool,
			"select waiting, oldest_s, dead from gateway.webhook_state()", 0, NULL,
			QUICK_MS, on_measured, NULL);
	}
}

void webhooks_wake(void)
{
	webhooks.take_us = 0;
}

/* ---- begin and end ---- */

const uint8_t *webhooks_key(void)
{
	return webhooks.key.secret; /* its first 32 bytes: the seed in the file */
}

static void key_take(void)
{
	char path[SETTING_TEXT_MAX + 64];
	char error[CHAIN_ERROR_MAX];

	(void)snprintf(path, sizeof(path), "%s/gateway/webhook.key", common.keys);
	(void)sodium_mlock(&webhooks.key, sizeof(webhooks.key)); /* where the system lets us */
	if (!chain_key_load(path, &webhooks.key, error))
		fatal("CARILLON_KEYS: %s", error);
}

static void metrics_begin(void)
{
	webhooks.metric.sent = metric_counter("carillon_webhook_sent_total", NULL,
		"Events that an operator's address has accepted");
	webhooks.metric.failed = metric_counter("carillon_webhook_failed_total", NULL,
		"Attempts to send an event that were not accepted");
	webhooks.metric.waiting = metric_gauge("carillon_webhook_waiting", NULL,
		"Events of the installation that wait to be sent or accepted");
	webhooks.metric.oldest = metric_gauge("carillon_webhook_oldest_seconds", NULL,
		"Age of the oldest event of the installation that waits");
	webhooks.metric.dead = metric_gauge(
		"carillon_webhook_dead", NULL, "Events of the installation that were given up");
}

void webhooks_begin(struct gateway *gateway)
{
	char error[ALONE_ERROR_MAX];

	webhooks.settings = &gateway->settings;
	if (!webhook_large_read(gateway->settings.large_wins, webhooks.large, LARGE_MAX, error))
		fatal("GATEWAY_LARGE_WINS: %s", error);
	/* Longer than any request takes: while a gateway lives, nobody else sends what it sends. */
	(void)snprintf(webhooks.hold, sizeof(webhooks.hold), "%" PRId64,
		2 + 2 * gateway->settings.webhook_timeout_ms / 1000);
	(void)snprintf(webhooks.give_up, sizeof(webhooks.give_up), "%" PRId64,
		gateway->settings.webhook_give_up_s);
	key_take();
	metrics_begin();
	webhooks.pool = pg_pool_new_writing(common.pg_dsn, common.instance, 1);
	webhooks.sender = webhook_sender_new(gateway->edge, webhooks_key(),
		gateway->settings.webhook_internal, gateway->settings.webhook_timeout_ms,
		on_outcome, NULL);
	edge_adopt(gateway->edge, pg_pool_fd(webhooks.pool), on_pool, webhooks.pool);
}

void webhooks_end(void)
{
	webhook_sender_free(&webhooks.sender);
	pg_pool_free(&webhooks.pool);
	sodium_memzero(&webhooks.key, sizeof(webhooks.key));
}
