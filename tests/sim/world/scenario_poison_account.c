/* What the wallet has stored about one player is spoiled: nothing is booked for them, everybody
 * else plays on, and no process dies of it. Put right and released, they go on from the newest row
 * of the journal. */
#include "tests/sim/fake_pg.h"
#include "tests/sim/sim.h"
#include "tests/sim/world/kernel.h"
#include "tests/sim/world/scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 1024

static const struct datum {
	const char *table, *column, *type, *spoiled;
} DATA[] = {
	{ "wallet.account", "pendings", "bigint[]", "{7}" },
	{ "wallet.account", "last_move", "bigint", "-1" },
	{ "wallet.account", "currency", "integer", "-5" },
	{ "wallet.account", "shard", "integer", "77" },
};

static void kill_wallets(void)
{
	struct sim_process *list[64];
	size_t n = sim_processes(list, 64);

	for (size_t i = 0; i < n; i++)
		if (strcmp(sim_process_service(list[i]), "wallet") == 0)
			sim_kill(list[i], "a schedule");
}

static void value_put(const struct datum *datum, int64_t player, const char *value)
{
	char sql[160], number[24];
	const char *const parameters[] = { number, value };

	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	(void)snprintf(sql, sizeof(sql), "update %s set %s = $2::%s where player = $1",
		datum->table, datum->column, datum->type);
	judge_look_away(true);
	if (fake_pg_run(sql, 2, parameters) > 0)
		happened++;
	judge_look_away(false);
}

/* False: nothing is stored about the player. */
static bool value_get(const struct datum *datum, int64_t player, char out[TEXT_MAX])
{
	const struct fake_pg_table *table = fake_pg_table(datum->table);
	const struct fake_pg_row *row = fake_pg_find(table, &player, 1);
	int column = fake_pg_column(table, datum->column);
	size_t n = 0;

	if (row == NULL)
		return false;
	if (strchr(datum->type, '[') == NULL) {
		(void)snprintf(out, TEXT_MAX, "%" PRId64, fake_pg_int(row, column));
		return true;
	}
	out[n++] = '{';
	for (size_t i = 0; i < fake_pg_elements(row, column); i++)
		n += (size_t)snprintf(out + n, TEXT_MAX - n, "%s%" PRId64, i == 0 ? "" : ",",
			fake_pg_element(row, column, i));
	(void)snprintf(out + n, TEXT_MAX - n, "}");
	return true;
}

static size_t out(void)
{
	return fake_pg_count(fake_pg_table("wallet.quarantine"));
}

static bool is_out(void *context)
{
	(void)context;
	return out() > 0;
}

static void release(void)
{
	(void)fake_pg_run("update wallet.quarantine set released = now()", 0, NULL);
}

/* One who plays, and of whom that is stored. */
static int64_t player_of(const struct datum *datum, char value_r[TEXT_MAX])
{
	for (size_t i = 0; i < crowd.clients_n; i++)
		if (value_get(datum, crowd.client[i].id, value_r))
			return crowd.client[i].id;
	return 0;
}

static void spoil(const struct datum *datum)
{
	char value[TEXT_MAX];
	int64_t player = player_of(datum, value);
	uint64_t seq;

	if (player == 0)
		return;
	also++;
	kill_wallets();
	(void)value_get(datum, player, value);
	seq = book_account(player)->last_seq;
	value_put(datum, player, datum->spoiled);
	for (int i = 0; i < 60 && !is_out(NULL); i++)
		scenario_play(50);
	scenario_need(out(), 1, "a player was quarantined");
	release(); /* in vain */
	scenario_play(100);
	kill_wallets();
	scenario_play(100);
	scenario_need(out(), 1, "the player stayed in quarantine");
	if (book_account(player)->last_seq != seq)
		sim_fail("%s.%s of player %" PRId64 ": row %" PRIu64
			 " was booked in quarantine, expected none after row %" PRIu64,
			datum->table, datum->column, player, book_account(player)->last_seq, seq);
	value_put(datum, player, value);
	release();
	if (!sim_run_while(is_out, NULL, 30 * S))
		sim_fail("%s.%s: put right, and player %" PRId64 " stays in quarantine",
			datum->table, datum->column, player);
	scenario_play(100);
}

void run_poison_account(void)
{
	uint64_t fatals = kernel_counts.fatals;

	scenario_begin();
	scenario_run(3 * S); /* a checkpoint */
	for (size_t i = 0; i < sizeof(DATA) / sizeof(DATA[0]); i++)
		spoil(&DATA[i]);
	scenario_need(also, 4, "what is stored was spoiled");
	scenario_need(happened, 2 * also, "a value was changed");
	if (kernel_counts.fatals != fatals)
		sim_fail("%" PRIu64 " processes died of what is stored about a player",
			kernel_counts.fatals - fatals);
	scenario_end();
}
