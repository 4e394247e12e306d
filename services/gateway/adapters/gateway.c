/* The gateway's state: created from the settings before any connection is made, and freed with the
 * connections when the process ends. */
#include "services/gateway/adapters/amounts.h"
#include "services/gateway/adapters/letters.h"
#include "services/gateway/adapters/reports.h"
#include "services/gateway/adapters/staff.h"
#include "services/gateway/adapters/webhooks.h"

#include "libcommon/io/log.h"

#include <sodium.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void metrics_begin(struct gateway *gateway)
{
	gateway->metric.expired = metric_counter("carillon_gateway_unanswered_total", NULL,
		"Requests to services that got no answer in time");
	gateway->metric.again = metric_counter(
		"carillon_gateway_again_total", NULL, "Requests to services that were retried");
	gateway->metric.told = metric_counter("carillon_owners_told_total", NULL,
		"Times that Postgres said that owners of shards have changed.");
	gateway->metric.untraced = metric_counter("carillon_gateway_untraced_total", NULL,
		"Sampled requests beyond GATEWAY_TRACES_PER_S, whose way is not logged");
	gateway->metric.late = metric_counter("carillon_gateway_late_total", NULL,
		"Answers that no request waited for: late or repeated");
	gateway->metric.unreadable = metric_counter("carillon_gateway_unreadable_total", NULL,
		"Messages on nanomsg that could not be read");
	gateway->metric.refused_rate = metric_counter(
		"carillon_gateway_rate_refused_total", NULL, "Requests refused by a request limit");
	gateway->metric.idle = metric_counter("carillon_gateway_idle_refused_total", NULL,
		"Requests refused because the session had ended by inactivity");
	gateway->metric.reconnects = metric_counter("carillon_gateway_reconnect_refused_total",
		NULL, "Requests refused because they came too soon after a lost connection");
	gateway->metric.open =
		metric_gauge("carillon_gateway_open", NULL, "Open requests to services");
}

void gateway_begin(struct gateway *gateway)
{
	char error[TOKEN_ERROR_MAX];
	char wrong[FRAMES_ERROR_MAX];
	uint64_t random;
	char folder[SETTING_TEXT_MAX + 16];
	(void)snprintf(folder, sizeof(folder), "%s/gateway", common.keys);
	if (token_key_read(folder, TOKEN_MAKES, &gateway->token_key, error) != TOKEN_OK)
		fatal("%s", error);
	gateway->revoked = revoked_new(NULL, NULL);
	auth_load(gateway);
	games_card_sets(gateway->settings.card_sets);
	presence_begin(gateway);
	if (!frames_parse(gateway->settings.frames, &gateway->frames, wrong))
		fatal("GATEWAY_FRAMES: %s", wrong);
	pool_actions_begin(gateway);
	amounts_begin(gateway);
	gateway->demo = strcmp(common.kind, "live") != 0;
	gateway->shards = (uint32_t)common.shards;
	randombytes_buf(&random, sizeof(random));
	inflight_init(&gateway->inflight, random, (uint64_t)gateway->settings.wait_ms * 1000);
	limit_init(&gateway->by_player, (uint32_t)gateway->settings.rate_per_s,
		(uint32_t)gateway->settings.burst);
	limit_init(&gateway->by_address, (uint32_t)gateway->settings.sessions_per_s,
		(uint32_t)gateway->settings.sessions_per_s * 10);
	wrong_begin(gateway);
	crashes_begin();
	metrics_begin(gateway);
}

void gateway_end(struct gateway *gateway)
{
	pg_pool_poll(gateway->pg);
	staff_end();
	webhooks_end();
	rollups_end();
	letters_end();
	edge_free(&gateway->edge);
	nn_bus_free(&gateway->bus);
	pg_pool_free(&gateway->pg); /* ends the queries of owners, of the instance and of revoked */
	pg_pool_free(&gateway->pg_ro);
	owners_free(&gateway->owners);
	instance_free(&gateway->instance);
	redis_link_free(&gateway->redis);
	redis_link_free(&gateway->sessions);
	revoked_free(&gateway->revoked);
	token_key_free(&gateway->token_key);
	tries_free(&gateway->tries);
	out_free(&gateway->out);
}
