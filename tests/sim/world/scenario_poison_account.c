/* What the wallet has stored about one player, or one claim of theirs, is spoiled: nothing is
 * booked for them, everybody else plays on, and no process dies of it. Put right and released, they
 * go on from the newest row of the journal, and their jackpot is paid. */
#include "tests/sim/fake_pg.h"
#include "tests/sim/sim.h"
#include "tests/sim/world/kernel.h"
#include "tests/sim/world/scenario.h"

#include "wallet.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 1024

static const struct datum {
	const char *table, *column, *type, *spoiled;
} DATA[] = {
	{ "wallet.account", "pendings", "bigint[]", "{7}" },
	{ "wallet.account", "last_move", "bigint", "-1" },
	{ "wallet.account", "last_seq", "bigint", "9000000" },
	{ "wallet.account", "currency", "integer", "-5" },
	{ "wallet.account", "shard", "integer", "77" },
};
static const struct datum BALANCE = { "wallet.account", "balance", "bigint", "" },
			  LAST_MOVE = { "wallet.account", "last_move", "bigint", "" },
			  LAST_SEQ = { "wallet.account", "last_seq", "bigint", "9000000" },
			  PENDINGS = { "wallet.account", "pendings", "bigint[]", "" };

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

static bool is_released(void *context)
{
	const struct fake_pg_table *table = fake_pg_table("wallet.quarantine");
	const struct fake_pg_row *row = NULL;

	(void)context;
	while ((row = fake_pg_next(table, row)) != NULL)
		if (!fake_pg_null(row, COLUMN(table, "released")))
			return true;
	return false;
}

/* The wallet has tried it when this returns. */
static void release_in_vain(void)
{
	release();
	if (!sim_run_while(is_released, NULL, 30 * S))
		sim_fail("a release is not tried");
	scenario_play(100);
}

/* wallet.account lacks a row of the player. */
static bool not_checkpointed(void *context)
{
	const int64_t *player = context;
	char seq[TEXT_MAX];

	return !value_get(&LAST_SEQ, *player, seq) ||
	       strtoull(seq, NULL, 10) != book_account(*player)->last_seq;
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
	release_in_vain();
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

/* A start would read the player's newest row. */
static bool is_before_checkpoint(void *context)
{
	const int64_t *player = context;
	const struct fake_pg_table *table = fake_pg_table("wallet.batch");
	const struct book_account *account = book_account(*player);
	const struct fake_pg_row *row = NULL;

	while ((row = fake_pg_next(table, row)) != NULL)
		if (fake_pg_int(row, COLUMN(table, "shard")) == (int64_t)account->shard &&
			fake_pg_int(row, COLUMN(table, "checkpoint")) >= (int64_t)account->last_seq)
			return false;
	return true;
}

/* Put right as an older row says: what was booked after it is not forgotten. */
static void spoil_backwards(void)
{
	const struct datum *const data[] = { &BALANCE, &LAST_MOVE, &LAST_SEQ, &PENDINGS };
	char before[4][TEXT_MAX], last[TEXT_MAX];
	int64_t player = player_of(&LAST_SEQ, last);
	uint64_t old;

	(void)sim_run_while(not_checkpointed, &player, 30 * S);
	old = book_account(player)->last_seq;
	for (int i = 0; i < 4; i++)
		(void)value_get(data[i], player, before[i]);
	for (int i = 0; i < 100 && book_account(player)->last_seq < old + 2; i++)
		scenario_play(50);
	(void)sim_run_while(not_checkpointed, &player, 30 * S);
	kill_wallets();
	value_put(&LAST_SEQ, player, LAST_SEQ.spoiled);
	for (int i = 0; i < 60 && !is_out(NULL); i++)
		scenario_play(50);
	scenario_need(out(), 1, "a player whose account is ahead was quarantined");
	(void)sim_run_while(is_before_checkpoint, &player, 30 * S);
	kill_wallets(); /* its start finds no row of the player */
	(void)fake_pg_run("update wallet.quarantine set seq = 0", 0, NULL);
	for (int i = 0; i < 4; i++)
		value_put(data[i], player, before[i]);
	release();
	if (!sim_run_while(is_out, NULL, 30 * S))
		sim_fail("put right as row %" PRIu64 " says, and player %" PRId64
			 " stays in quarantine",
			old, player);
	scenario_play(100);
}

/* A player of whom this is stored, too; 0: nobody. */
static int64_t player_with(const char *table)
{
	for (size_t i = 0; i < crowd.clients_n; i++)
		if (fake_pg_find(fake_pg_table(table), &crowd.client[i].id, 1) != NULL)
			return crowd.client[i].id;
	return 0;
}

static void store(const char *sql, int64_t player)
{
	char number[24];
	const char *const parameters[] = { number };

	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	judge_look_away(true);
	if (fake_pg_run(sql, 1, parameters) != 1)
		sim_fail("not stored for player %" PRId64 ": %s", player, sql);
	judge_look_away(false);
}

/* Put right, and something else that can be read is made wrong. */
static void mend_wrong(const char *table, const char *wrong, const char *right)
{
	int64_t player = player_with(table);
	char before[TEXT_MAX];

	if (player == 0)
		return;
	(void)sim_run_while(not_checkpointed, &player, 30 * S);
	kill_wallets();
	(void)value_get(&PENDINGS, player, before);
	value_put(&PENDINGS, player, "{7}");
	for (int i = 0; i < 60 && !is_out(NULL); i++)
		scenario_play(50);
	value_put(&PENDINGS, player, before);
	store(wrong, player);
	release_in_vain();
	scenario_need(out(), 1, wrong);
	store(right, player);
	release();
	if (!sim_run_while(is_out, NULL, 30 * S))
		sim_fail(
			"put right, and player %" PRId64 " stays in quarantine: %s", player, right);
	scenario_play(100);
}

void run_poison_account(void)
{
	uint64_t fatals = kernel_counts.fatals;

	scenario_begin();
	scenario_run(3 * S); /* a checkpoint */
	for (size_t i = 0; i < sizeof(DATA) / sizeof(DATA[0]); i++)
		spoil(&DATA[i]);
	spoil_backwards();
	mend_wrong("wallet.account",
		"update wallet.account set currency = 1730 - currency where player = $1",
		"update wallet.account set currency = 1730 - currency where player = $1");
	mend_wrong("wallet.account",
		"update wallet.account set last_day = last_day - 1 where player = $1",
		"update wallet.account set last_day = last_day + 1 where player = $1");
	mend_wrong("wallet.player_limit",
		"update wallet.player_limit set player = -player where player = $1",
		"update wallet.player_limit set player = -player where player = -$1::bigint");
	scenario_need(also, 4, "what is stored was spoiled");
	scenario_need(happened, 2 * also, "a value was changed");
	if (kernel_counts.fatals != fatals)
		sim_fail("%" PRIu64 " processes died of what is stored about a player",
			kernel_counts.fatals - fatals);
	scenario_end();
}

/* ---- a claim ----------------------------------------------------------------------------------
 */

/* Claims stay open. */
static enum sim_fate drop_awards(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command = scenario_command(topic, bytes, n);
	bool award = command != NULL && command->body_case == CARILLON__WALLET_COMMAND__BODY_AWARD;

	(void)partition;
	scenario_command_free(command);
	return award ? SIM_DROP : SIM_PASS;
}

struct key {
	int64_t player, move, index;
};

/* A claim on a progressive that is open; false: there is none. */
static bool open_claim(struct key *key_r)
{
	const struct fake_pg_table *table = fake_pg_table("wallet.claim");
	const struct fake_pg_row *row = NULL;

	while ((row = fake_pg_next(table, row)) != NULL) {
		if (!fake_pg_null(row, COLUMN(table, "closed_seq")) ||
			fake_pg_int(row, COLUMN(table, "kind")) != 1)
			continue;
		*key_r = (struct key){ fake_pg_int(row, COLUMN(table, "player")),
			fake_pg_int(row, COLUMN(table, "move")),
			fake_pg_int(row, COLUMN(table, "index")) };
		return true;
	}
	return false;
}

static bool is_open(void *context)
{
	const struct key *key = context;
	const struct book_claim *claim =
		book_claim(key->player, (uint64_t)key->move, (uint32_t)key->index);

	return claim->closed_seq == 0;
}

static void claim_set(const struct key *key, const char *set)
{
	char sql[160], numbers[3][24];
	const char *const parameters[] = { numbers[0], numbers[1], numbers[2] };

	(void)snprintf(numbers[0], sizeof(numbers[0]), "%" PRId64, key->player);
	(void)snprintf(numbers[1], sizeof(numbers[1]), "%" PRId64, key->move);
	(void)snprintf(numbers[2], sizeof(numbers[2]), "%" PRId64, key->index);
	(void)snprintf(sql, sizeof(sql),
		"update wallet.claim set %s where player = $1 and move = $2 and index = $3", set);
	judge_look_away(true);
	if (fake_pg_run(sql, 3, parameters) != 1)
		sim_fail("a claim that was spoiled is gone");
	judge_look_away(false);
	happened++;
}

/* Another player of the shard. */
static int64_t neighbour_of(int64_t player)
{
	for (size_t i = 0; i < crowd.clients_n; i++) {
		const struct book_account *account = book_account(crowd.client[i].id);
		if (account != NULL && account->player != player &&
			account->shard == book_account(player)->shard)
			return account->player;
	}
	sim_fail("player %" PRId64 " is alone in their shard", player);
}

/* Of a wallet that starts, or of one that has it in memory. NULL: another player gets it. */
static void spoil_claim(const char *spoilt, const char *mended, bool restart)
{
	char given[40], back[40];
	struct key key, there;

	sim_filter(drop_awards, NULL);
	for (int i = 0; i < 200 && !open_claim(&key); i++)
		scenario_play(20);
	if (!open_claim(&key))
		sim_fail("no jackpot was won");
	if (restart)
		kill_wallets();
	there = key;
	if (spoilt == NULL) {
		there.player = neighbour_of(key.player);
		(void)snprintf(given, sizeof(given), "player = %" PRId64, there.player);
		(void)snprintf(back, sizeof(back), "player = %" PRId64, key.player);
		spoilt = given;
		mended = back;
	}
	claim_set(&key, spoilt);
	sim_filter(NULL, NULL);
	for (int i = 0; i < 60 && !is_out(NULL); i++)
		scenario_play(50);
	scenario_need(out(), 1, "the player of a claim was quarantined");
	uint64_t seq = book_account(key.player)->last_seq;
	release_in_vain();
	scenario_play(100);
	scenario_need(out(), 1, "the player of a claim stayed in quarantine");
	if (book_account(key.player)->last_seq != seq)
		sim_fail("player %" PRId64 ": a row was booked in quarantine", key.player);
	claim_set(&there, mended);
	release();
	if (!sim_run_while(is_out, NULL, 30 * S))
		sim_fail("a claim was put right, and player %" PRId64 " stays in quarantine",
			key.player);
	if (!sim_run_while(is_open, &key, 60 * S))
		sim_fail("the claim of player %" PRId64 " is not paid", key.player);
}

void run_poison_claim(void)
{
	uint64_t fatals = kernel_counts.fatals;

	scenario_begin();
	for (int i = 0; i < 3; i++) {
		spoil_claim("kind = -1 - kind", "kind = -1 - kind", true);
		spoil_claim("closed_seq = 1", "closed_seq = null", false);
		spoil_claim("currency = 1730 - currency", "currency = 1730 - currency", true);
		spoil_claim(NULL, NULL, i % 2 == 0);
	}
	if (kernel_counts.fatals != fatals)
		sim_fail("%" PRIu64 " processes died of a claim", kernel_counts.fatals - fatals);
	scenario_end();
}
