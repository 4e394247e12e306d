/* What is stored about one payment is spoiled: nothing is done for it, all others are paid, and no
 * process dies of it. Put right, and read again by a service that starts, it is settled too. */
#include "tests/sim/fake_pg.h"
#include "tests/sim/judge/judge.h"
#include "tests/sim/sim.h"
#include "tests/sim/world/kernel.h"
#include "tests/sim/world/scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SPOILED 6

static void kill_payments(void)
{
	struct sim_process *list[64];
	size_t n = sim_processes(list, 64);

	for (size_t i = 0; i < n; i++)
		if (strcmp(sim_process_service(list[i]), "payments") == 0)
			sim_kill(list[i], "a schedule");
}

static uint64_t alarms(void)
{
	return fake_pg_count(fake_pg_table("payments.alarm"));
}

/* The amount of a payment: one more, or one less. */
static void turn(const char *id, const char *sql)
{
	const char *const parameters[] = { id };

	judge_look_away(true);
	if (fake_pg_run(sql, 1, parameters) != 1)
		sim_fail("a payment that was spoiled is gone");
	judge_look_away(false);
}

/* One whose outcome is not known: it will be written once more. False: there is none. */
static bool find_open(char id_r[2 * SIM_ID_BYTES + 3])
{
	const struct fake_pg_table *table = fake_pg_table("payments.payout");
	const struct fake_pg_row *row = NULL;
	size_t n = 0;
	const uint8_t *bytes;

	while ((row = fake_pg_next(table, row)) != NULL)
		if (fake_pg_int(row, fake_pg_column(table, "state")) == 0)
			break;
	if (row == NULL)
		return false;
	bytes = fake_pg_bytes(row, fake_pg_column(table, "id"), &n);
	memcpy(id_r, "\\x", 3);
	for (size_t i = 0; i < n && i < SIM_ID_BYTES; i++)
		(void)snprintf(id_r + 2 + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

static bool waits(void *context)
{
	return alarms() == *(const uint64_t *)context;
}

void run_poison_payout(void)
{
	uint64_t fatals = kernel_counts.fatals, before;
	char id[2 * SIM_ID_BYTES + 3];

	scenario_begin();
	judge_payout_spoiled(true);
	for (int i = 0; i < 2000 && happened < SPOILED; i++) {
		scenario_run(50000);
		before = alarms();
		if (!find_open(id))
			continue;
		turn(id, "update payments.payout set amount = amount + 1 where id = $1::bytea");
		happened += sim_run_while(waits, &before, 5 * S);
		scenario_run(S);
		turn(id, "update payments.payout set amount = amount - 1 where id = $1::bytea");
		kill_payments();
	}
	scenario_need(happened, SPOILED, "a payment was put out of work");
	if (kernel_counts.fatals != fatals)
		sim_fail("%" PRIu64 " processes died of a payment", kernel_counts.fatals - fatals);
	scenario_end();
	judge_payout_spoiled(false);
}
