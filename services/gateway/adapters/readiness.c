/* The gateway is ready when the installation matches the settings, the other services have had time
 * to connect, every shard has an owner, and games and pools are loaded. */
#include "services/gateway/adapters/offers.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READY_AFTER_US (1 * SECOND_US) /* time for other services to connect over nanomsg */

static struct {
	bool installation, ready;
	uint64_t alive_since_us, owned_since_us;
} start;

static void on_installation(void *context, PGresult *result, const char *error)
{
	(void)context;
	if (error != NULL || PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1)
		return; /* not written yet, or Postgres is away: try again */
	const char *kind = PQgetvalue(result, 0, 0);
	int64_t shards = pg_number(result, 0, 1);
	if (strcmp(kind, common.kind) != 0)
		fatal("CARILLON_KIND: found %s, expected %s, the installation's value", common.kind,
			kind);
	if (shards != common.shards)
		fatal("CARILLON_SHARDS: found %" PRId64 ", expected %" PRId64
		      ", the installation's value",
			common.shards, shards);
	start.installation = true;
}

void readiness_tick(struct gateway *gateway)
{
	uint64_t now_us = edge_now_us(gateway->edge);
	if (start.ready)
		return;
	if (!start.installation)
		pg_pool_query(gateway->pg_ro, "select kind, shards from carillon.installation", 0,
			NULL, QUERY_MS, on_installation, NULL);
	if (instance_alive(gateway->instance) && start.alive_since_us == 0)
		start.alive_since_us = now_us;
	if (status_owned() && start.owned_since_us == 0)
		start.owned_since_us = now_us;
	const char *why_not = NULL;
	if (!start.installation)
		why_not = "the installation could not be read from Postgres yet";
	else if (start.alive_since_us == 0)
		why_not = "not registered in carillon.instance yet";
	else if (now_us - start.alive_since_us < READY_AFTER_US)
		why_not = "registered; waits for other instances to connect";
	else if (!revoked_known(gateway->revoked))
		why_not = "the sessions that were ended have not been read yet";
	else if (!offers_known())
		why_not = "what operators offer has not been read yet";
	else if (!status_owned())
		why_not = "a shard of wallet or spin-engine has no owner";
	/* The engine registers its games before it takes a shard; the jackpot services register
	 * their pools before that. */
	if (why_not == NULL && !games_read_since(start.owned_since_us))
		why_not = "the games have not been read yet";
	else if (why_not == NULL && !counters_read_since(start.owned_since_us))
		why_not = "the pools have not been read yet";
	start.ready = why_not == NULL;
	edge_ready(gateway->edge, start.ready, why_not);
	if (start.ready)
		log_info("ready at %s", edge_address(gateway->edge));
}

bool readiness_reached(void)
{
	return start.ready;
}
