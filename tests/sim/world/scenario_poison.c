/* Commands that kill their service, each time it decides them or commits them: after three deaths
 * each is refused, and everybody else plays on; released, they take effect. */
#include "tests/sim/fake_pg.h"
#include "tests/sim/world/scenario.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <string.h>

/* Every so many commands a new one is bad. */
#define EVERY 300
#define BAD_MAX 6
#define DEATHS_MAX 3
/* In a commit the first death cannot be told from those of the commands beside it, and the second
 * one not always. */
#define DEATHS_IN_COMMIT_MAX 4

static struct bad {
	const char *service;
	bool in_commit;
	uint8_t id[SIM_ID_BYTES];
	uint64_t deaths;
} bad[BAD_MAX];
static size_t bad_n;
static uint64_t decided, saved;

static struct bad *bad_of(const uint8_t id[SIM_ID_BYTES])
{
	for (size_t i = 0; i < bad_n; i++)
		if (memcmp(bad[i].id, id, SIM_ID_BYTES) == 0)
			return &bad[i];
	return NULL;
}

static bool takes_commands(const char *service)
{
	return strcmp(service, "wallet") == 0 || strcmp(service, "spin-engine") == 0;
}

static bool kills_deciding(struct sim_process *process, const uint8_t id[SIM_ID_BYTES])
{
	const char *service = sim_process_service(process);
	struct bad *known = bad_of(id);

	if (known == NULL && takes_commands(service) && ++decided % EVERY == 0 && bad_n < BAD_MAX) {
		known = &bad[bad_n];
		*known = (struct bad){ .service = service, .in_commit = bad_n++ % 3 == 2 };
		memcpy(known->id, id, SIM_ID_BYTES);
	}
	if (known == NULL || known->in_commit)
		return false;
	known->deaths++;
	return true;
}

static enum sim_action kills_committing(struct sim_process *process, const char *what)
{
	if (strcmp(what, "postgres: commit") != 0)
		return SIM_GO_ON;
	for (size_t i = 0; i < bad_n; i++)
		if (bad[i].in_commit && strcmp(bad[i].service, sim_process_service(process)) == 0 &&
			sim_in_hand(process, bad[i].id)) {
			bad[i].deaths++;
			return SIM_KILL;
		}
	return SIM_GO_ON;
}

static void look(void)
{
	const struct fake_pg_table *deaths = fake_pg_table("carillon.command_death");
	const struct fake_pg_row *row = NULL;
	int quarantined = fake_pg_column(deaths, "quarantined");
	uint64_t n = 0;

	while ((row = fake_pg_next(deaths, row)) != NULL) {
		size_t length;
		const uint8_t *id = fake_pg_bytes(row, fake_pg_column(deaths, "id"), &length);
		if (fake_pg_null(row, quarantined))
			continue;
		n++;
		if (length != SIM_ID_BYTES || bad_of(id) == NULL)
			sim_fail("a command is quarantined that has killed nobody");
	}
	for (size_t i = 0; i < bad_n; i++)
		if (bad[i].deaths > (bad[i].in_commit ? DEATHS_IN_COMMIT_MAX : DEATHS_MAX))
			sim_fail("a command has killed %s %" PRIu64 " times", bad[i].service,
				bad[i].deaths);
	saved = n;
}

void run_poison(void)
{
	scenario_begin();
	bad_n = 0;
	decided = saved = 0;
	sim_poison_hook(kills_deciding);
	sim_effect_hook(kills_committing);
	for (int i = 0; i < 20; i++) {
		scenario_play(100);
		look();
	}
	scenario_need(bad_n, BAD_MAX, "a command was bad");
	scenario_run(20 * S); /* the last of them come again */
	look();
	/* Those that kill when they are committed may have taken effect by another way before. */
	scenario_need(saved, BAD_MAX * 2 / 3, "a command was quarantined");
	/* Mended, and released by an operator. */
	sim_poison_hook(NULL);
	sim_effect_hook(NULL);
	(void)fake_pg_run(
		"delete from carillon.command_death where quarantined is not null", 0, NULL);
	scenario_end();
}
