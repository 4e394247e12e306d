/* What is stored about one pool or set is spoiled: it alone is put out of work, and no process dies
 * of it. Put right and released, it goes on with every stake and every claim that came meanwhile.
 */
#include "tests/sim/fake_pg.h"
#include "tests/sim/sim.h"
#include "tests/sim/world/kernel.h"
#include "tests/sim/world/scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One stored figure. -1 - x is never what it must be, and twice it is x again. */
static const struct datum {
	const char *service, *quarantine, *table, *column;
} DATA[] = {
	{ "progressive-pool", "pool.quarantine", "pool.pool", "version" },
	{ "progressive-pool", "pool.quarantine", "pool.pool", "fact_seq" },
	{ "progressive-pool", "pool.quarantine", "pool.pool", "hits" },
	{ "progressive-pool", "pool.quarantine", "pool.pool", "jp_pool_e27" },
	{ "progressive-pool", "pool.quarantine", "pool.row", "hits" },
	{ "progressive-pool", "pool.quarantine", "pool.row", "exponent" },
	{ "progressive-pool", "pool.quarantine", "pool.row", "r_e27" },
	{ "progressive-pool", "pool.quarantine", "pool.vector", "seq" },
	{ "progressive-pool", "pool.quarantine", "pool.hit", "row_hits" },
	{ "jackpot-cards", "cards.quarantine", "cards.card_set", "version" },
	{ "jackpot-cards", "cards.quarantine", "cards.level", "r_e27" },
	{ "jackpot-cards", "cards.quarantine", "cards.vector", "seq" },
	{ "jackpot-cards", "cards.quarantine", "cards.round", "key" },
};

static void kill_service(const char *service)
{
	struct sim_process *list[64];
	size_t n = sim_processes(list, 64);

	for (size_t i = 0; i < n; i++)
		if (strcmp(sim_process_service(list[i]), service) == 0)
			sim_kill(list[i], "a schedule");
}

static void turn_round(const struct datum *datum, int64_t pool)
{
	char sql[160], number[24];
	const char *const parameters[] = { number };

	(void)snprintf(number, sizeof(number), "%" PRId64, pool);
	(void)snprintf(sql, sizeof(sql), "update %s set %s = -1 - %s where pool = $1", datum->table,
		datum->column, datum->column);
	judge_look_away(true);
	if (fake_pg_run(sql, 1, parameters) > 0)
		happened++;
	judge_look_away(false);
}

/* The pool or set of the first row; 0: there is none. */
static int64_t first_pool(const struct datum *datum)
{
	const struct fake_pg_table *table = fake_pg_table(datum->table);
	const struct fake_pg_row *row = fake_pg_next(table, NULL);

	return row == NULL ? 0 : fake_pg_int(row, fake_pg_column(table, "pool"));
}

static size_t out(const struct datum *datum)
{
	return fake_pg_count(fake_pg_table(datum->quarantine));
}

static bool is_out(void *context)
{
	return out(context) > 0;
}

static bool is_not_out(void *context)
{
	return out(context) == 0;
}

static void release(const struct datum *datum)
{
	char sql[80];

	(void)snprintf(sql, sizeof(sql), "update %s set released = now()", datum->quarantine);
	(void)fake_pg_run(sql, 0, NULL);
}

static void spoil(struct datum datum)
{
	int64_t pool = first_pool(&datum);

	if (pool == 0)
		return;
	kill_service(datum.service);
	judge_pool_spoiled((uint32_t)pool);
	turn_round(&datum, pool);
	if (!sim_run_while(is_not_out, &datum, 30 * S))
		sim_fail("pool %" PRId64 " works, though %s.%s is spoiled", pool, datum.table,
			datum.column);
	scenario_play(60);
	if (out(&datum) != 1)
		sim_fail("%s: %zu are quarantined, expected 1", datum.table, out(&datum));
	release(&datum); /* in vain */
	scenario_play(60);
	if (out(&datum) != 1)
		sim_fail("%s.%s: released in vain, and it works", datum.table, datum.column);
	turn_round(&datum, pool);
	judge_pool_spoiled(0);
	release(&datum);
	if (!sim_run_while(is_out, &datum, 30 * S))
		sim_fail("%s.%s: put right, and pool %" PRId64 " stays in quarantine", datum.table,
			datum.column, pool);
}

void run_poison_pool(void)
{
	uint64_t fatals = kernel_counts.fatals;

	scenario_begin();
	for (int i = 0; i < 30 && (book.hits_n < 4 || book.awards_n < 4); i++)
		scenario_play(50);
	for (size_t i = 0; i < sizeof(DATA) / sizeof(DATA[0]); i++)
		spoil(DATA[i]);
	scenario_need(happened, 2 * (sizeof(DATA) / sizeof(DATA[0])), "a figure was spoiled");
	if (kernel_counts.fatals != fatals)
		sim_fail("%" PRIu64 " processes died of what is stored about a pool",
			kernel_counts.fatals - fatals);
	scenario_end();
}
