/* Sets up and frees the shared state (hub.h). */
#include "services/notifications/adapters/hub.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void metrics(struct hub *hub)
{
	hub->age = metric_gauge("carillon_notifications_counters_age_us", NULL,
		"Age of the oldest pool's counters.");
	hub->recovered = metric_counter("carillon_notifications_resumes_total",
		"recovered=\"true\"", "Clients that resumed at a position.");
	hub->lost = metric_counter("carillon_notifications_resumes_total", "recovered=\"false\"",
		"Clients that resumed at a position.");
	hub->winners_told = metric_counter(
		"carillon_notifications_broadcasts_total", "type=\"winner\"", "Broadcasts.");
	hub->counters_told = metric_counter(
		"carillon_notifications_broadcasts_total", "type=\"counters\"", "Broadcasts.");
}

static void on_logout(void *context, const struct revocation *revocation)
{
	struct hub *hub = context;
	if (hub->clients == NULL)
		return;
	if (revocation->session != NULL)
		clients_logged_out(hub->clients, revocation->session);
	else
		clients_all_logged_out(hub->clients, revocation->player, revocation->before_s);
}

void hub_begin(struct hub *hub)
{
	char error[TOKEN_ERROR_MAX];
	char folder[SETTING_TEXT_MAX + 16];
	(void)snprintf(folder, sizeof(folder), "%s/notifications", common.keys);
	if (token_key_read(folder, TOKEN_CHECKS, &hub->key, error) != TOKEN_OK)
		fatal("token key: %s", error);
	hub->revoked = revoked_new(on_logout, hub);
	(void)snprintf(hub->epoch, sizeof(hub->epoch), "0");
	(void)snprintf(
		hub->process_epoch, sizeof(hub->process_epoch), "%" PRIu64, clock_wall_us() / 1000);
	metrics(hub);
}

static void on_installation(void *context, PGresult *result, const char *error)
{
	struct hub *hub = context;
	if (error || PQntuples(result) != 1)
		log_warn_as("notifications.installation.unreadable",
			"cannot read the installation's creation time, so clients cannot resume: %s",
			error ? error : "no row");
	else {
		(void)snprintf(hub->epoch, sizeof(hub->epoch), "%.20s", PQgetvalue(result, 0, 0));
		frame_release(&hub->winners_snapshot); /* which names it */
	}
}

void hub_query_epoch(struct hub *hub)
{
	pg_pool_query(hub->pg_ro,
		"select to_char(floor(extract(epoch from created) * 1000), 'FM99999999999999') "
		"from carillon.installation",
		0, NULL, 30000, on_installation, hub);
}

struct frame *hub_frame(const struct hub *hub, size_t length, const char *event, const char *id)
{
	if (length == 0)
		fatal("a frame is larger than its bound");
	return frame_new(hub->text, length, event, id);
}

void hub_end(struct hub *hub)
{
	pg_pool_poll(hub->pg);
	pg_pool_free(&hub->pg_ro); /* its queries belong to the feeds */
	feeds_free(&hub->feeds);
	nn_bus_free(&hub->bus);
	edge_free(&hub->edge);
	frame_release(&hub->counters_snapshot);
	frame_release(&hub->winners_snapshot);
	pg_pool_free(&hub->pg); /* ends the queries of the instance */
	instance_free(&hub->instance);
	clients_free(&hub->clients);
	presence_free(&hub->presence);
	revoked_free(&hub->revoked);
	wrong_free(&hub->wrong);
	token_key_free(&hub->key);
}
