/* Services that end in order while everybody plays. Postgres says that owners have changed: another
 * instance then takes the shards, and whoever waits for an answer asks that instance, at once. */
#include "tests/sim/clients/clients.h"
#include "tests/sim/clients/requests.h"
#include "tests/sim/fake_pg.h"
#include "tests/sim/sim.h"
#include "tests/sim/world/scenario.h"

#include <inttypes.h>
#include <string.h>

#define DRAINS 24
#define QUICK_LEAST 20 /* a commit or a hit may be in the way of one */
#define STEP_US 5000
#define WATCHED_US 500000
/* Without being told, the others look 200 ms after they last did, and the askers 200 ms after that.
 */
#define TAKEN_US 80000
#define WAITED_US 120000
#define THINK_US 50000

static struct sim_process *owner_of(const char *service, uint32_t shard)
{
	const struct fake_pg_table *table = fake_pg_table("carillon.shard");
	const struct fake_pg_row *row = NULL;
	size_t n;

	while ((row = fake_pg_next(table, row)) != NULL) {
		const char *of = fake_pg_bytes(row, fake_pg_column(table, "service"), &n);
		const char *name = fake_pg_bytes(row, fake_pg_column(table, "owner"), &n);
		if (name != NULL && strcmp(of, service) == 0 &&
			fake_pg_int(row, fake_pg_column(table, "shard")) == (int64_t)shard)
			return sim_process_find(name);
	}
	return NULL;
}

/* The owner of the shard ends. Counted if another soon owned the shard and nobody waited long. */
static void drain(const char *service, uint32_t shard)
{
	struct sim_process *first = owner_of(service, shard), *now;
	uint64_t began_us = sim_now_us(), taken_us = WATCHED_US, waited_us = 0;

	sim_supervise(first, false);
	sim_stop(first);
	also++;
	while (sim_now_us() < began_us + WATCHED_US) {
		scenario_run(STEP_US);
		now = owner_of(service, shard);
		if (taken_us == WATCHED_US && now != NULL && now != first)
			taken_us = sim_now_us() - began_us;
		if (requests_oldest_us() > waited_us)
			waited_us = requests_oldest_us();
	}
	sim_trace("shard %" PRIu32 " of %s was taken after %" PRIu64
		  " us; the longest wait was %" PRIu64 " us",
		shard, service, taken_us, waited_us);
	happened += taken_us <= TAKEN_US && waited_us <= WAITED_US;
	sim_supervise(first, true);
}

void run_drained(void)
{
	static const char *const SERVICES[] = { "wallet", "spin-engine" };

	scenario_begin();
	fake_pg_telling(true);
	for (size_t i = 0; i < crowd.clients_n; i++)
		for (uint32_t j = 0; j < crowd.client[i].windows_n; j++)
			crowd.client[i].window[j].think_us = THINK_US;
	for (uint64_t i = 0; also < DRAINS; i++) {
		const char *service = SERVICES[i % 2];
		uint32_t shard = (uint32_t)sim_random(sim_world.shards);
		scenario_run(S); /* who ended is there again, and has its share */
		scenario_play(20);
		if (owner_of(service, shard) != NULL)
			drain(service, shard);
	}
	scenario_end();
	scenario_need(happened, QUICK_LEAST, "a shard had its next owner at once");
}
