/* Schedules in which services die or sleep, and servers or players are away. */
#include "tests/sim/world/scenario.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Kafka loses its last k messages on every topic at once ------------------------------------
 */

void run_kafka_tail(void)
{
	scenario_begin();
	for (int i = 0; i < 12; i++) {
		uint64_t lost_us = sim_random_us(1000, 2 * S);
		scenario_play(60);
		sim_kafka_up(false);
		scenario_run(sim_random_us(100000, 2 * S));
		sim_kafka_lose_tail(sim_now_us() - lost_us);
		sim_kafka_up(true);
	}
	scenario_end();
}

/* ---- rows of the journal reach the engine neither by nanomsg nor by Kafka -----------------------
 */

#define BUS_COMMAND ((11 << 3) | 2) /* the tag of Bus.command in bus.proto */

static enum sim_fate drop_verdicts(const char *url, const uint8_t *bytes, size_t n)
{
	bool command = n > 0 && bytes[0] == BUS_COMMAND;
	return strstr(url, "spin-engine") != NULL && !command && sim_random(2) == 0 ? SIM_DROP
										    : SIM_PASS;
}

static enum sim_fate drop_facts(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	(void)partition;
	(void)bytes;
	(void)n;
	if (topic != TOPIC_WALLET_FACTS || sim_random(16) > 0)
		return SIM_PASS;
	happened++;
	return SIM_DROP;
}

/* The engine finds each gap by the number of the next row, and asks for what is missing. */
void run_facts_lost(void)
{
	scenario_begin();
	sim_filter(drop_facts, drop_verdicts);
	scenario_play(1500);
	scenario_end();
	scenario_need(happened, 100, "a row was lost on both ways");
}

/* ---- the wallet dies between commit and publish, the verdict already delivered ------------------
 */

static enum sim_action dies_before_publish(struct sim_process *process, const char *what)
{
	if (strcmp(sim_process_service(process), "wallet") != 0 || happened >= 40 ||
		strcmp(what, "nanomsg: a parcel has left") != 0 || sim_random(20) > 0)
		return SIM_GO_ON;
	happened++;
	return SIM_KILL;
}

void run_commit_publish(void)
{
	scenario_begin();
	sim_effect_hook(dies_before_publish);
	while (happened < 40)
		scenario_play(50);
	scenario_end();
	scenario_need(happened, 40, "a wallet died behind its verdict");
}

/* ---- a zombie wallet publishes after takeover ---------------------------------------------------
 */

static enum sim_action freezes_before_publish(struct sim_process *process, const char *what)
{
	if (strcmp(sim_process_service(process), "wallet") != 0 || happened >= 10 ||
		strcmp(what, "kafka: a message leaves") != 0 || sim_random(60) > 0)
		return SIM_GO_ON;
	happened++;
	return SIM_FREEZE_3S;
}

/* Any service, with a transaction in mind that it has not begun. */
static enum sim_action freezes_before_writing(struct sim_process *process, const char *what)
{
	(void)process;
	if (strncmp(what, "postgres: ", 10) != 0 || also >= 20 || sim_random(150) > 0)
		return SIM_GO_ON;
	also++;
	return SIM_FREEZE_3S;
}

/* A pool, one at a time while play goes on, mostly before a transaction: what it has in mind is old
 * when it wakes, and another has taken over. */
static enum sim_action freezes_pool(struct sim_process *process, const char *what)
{
	static uint64_t awake_us;

	if (strcmp(sim_process_service(process), "progressive-pool") != 0 || also >= 30 ||
		strcmp(what, "postgres: query") != 0 || sim_random(4) > 0)
		return SIM_GO_ON;
	if (also > 20 && sim_now_us() < awake_us)
		return SIM_GO_ON;
	awake_us = sim_now_us() + 5 * S;
	also++;
	return SIM_FREEZE_3S;
}

/* Schedules that take long need not see many rounds. */
static void think_for(uint64_t us)
{
	for (size_t i = 0; i < crowd.clients_n; i++)
		for (uint32_t j = 0; j < crowd.client[i].windows_n; j++)
			crowd.client[i].window[j].think_us = us;
}

void run_zombie(void)
{
	scenario_begin();
	sim_effect_hook(freezes_before_publish);
	while (happened < 10)
		scenario_play(30);
	sim_effect_hook(freezes_before_writing);
	while (also < 20)
		scenario_play(30);
	think_for(150000);
	sim_effect_hook(freezes_pool);
	while (also < 30)
		scenario_play(30);
	scenario_end();
	scenario_need(happened, 10, "a wallet slept over its lease with facts to publish");
	scenario_need(also, 30, "a service slept over its lease with something to write");
}

/* ---- Postgres is down longer than not_after
 * ------------------------------------------------------ */

/* (player, move): the latest not_after that any proposal of it carried. */
static struct map promised;

static enum sim_fate note_not_after(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command = scenario_command(topic, bytes, n);

	(void)partition;
	if (scenario_is_bet(command)) {
		void **at = map_at(&promised, (uint64_t)command->player, command->proposal->move);
		if (*at == NULL)
			*at = judge_alloc(sizeof(uint64_t));
		if (command->proposal->not_after_us > *(uint64_t *)*at)
			*(uint64_t *)*at = command->proposal->not_after_us;
	}
	scenario_command_free(command);
	return SIM_PASS;
}

/* No bet was accepted behind its time; and some were refused for it, or not even proposed. */
static void check_times(void)
{
	const struct fake_pg_table *table = fake_pg_table("wallet.journal");
	const struct fake_pg_row *at = NULL;

	while ((at = fake_pg_next(table, at)) != NULL) {
		struct fake_journal row;
		const uint64_t *not_after_us;
		fake_journal_read(at, &row);
		if (row.kind != KIND_BET)
			continue;
		not_after_us = map_get(&promised, (uint64_t)row.player, row.move);
		happened += row.refusal == CARILLON__REFUSAL__REFUSAL_LATE;
		if (row.refusal == 0 && not_after_us != NULL && row.time_us > *not_after_us)
			sim_fail("shard %" PRIu32 ", seq %" PRIu64 ": a bet accepted %" PRIu64
				 " us behind its time",
				row.shard, row.seq, row.time_us - *not_after_us);
	}
}

void run_postgres_away(void)
{
	scenario_begin();
	sim_filter(note_not_after, NULL);
	for (int i = 0; i < 5; i++) {
		scenario_play(100);
		fake_pg_server(false);
		scenario_run(11 * S + sim_random(6 * S));
		fake_pg_server(true);
	}
	/* The last proposals are noted too: the filter stays until nobody asks. */
	scenario_play(100);
	scenario_rest(5 * S);
	sim_filter(NULL, NULL);
	check_times();
	map_clear(&promised);
}

/* ---- all players leave, for five days
 * ------------------------------------------------------------- */

static uint64_t pendings(void)
{
	uint64_t n = 0;

	for (size_t i = 0; i < crowd.clients_n; i++) {
		const struct book_account *account = book_account(crowd.client[i].id);
		for (size_t j = 0; account != NULL && j < JUDGE_PENDINGS; j++)
			n += account->pending[j].amount != 0;
	}
	return n;
}

static uint64_t card_rounds(void)
{
	uint64_t n = 0;

	for (size_t i = 0; i < book.claims.room; i++) {
		const struct book_claim *claim = book.claims.entry[i].value;
		n += claim != NULL && claim->kind == 2 && claim->closed_seq == 0;
	}
	return n;
}

/* What they left open is played to its end and paid by the house. */
void run_abandoned(void)
{
	uint64_t until;

	scenario_begin();
	crowd.untouched = true;
	scenario_play(400);
	for (int i = 0; i < 1000 && (pendings() < 8 || card_rounds() < 4); i++)
		scenario_play(3);
	scenario_rest(15 * S);
	/* Of rounds with money pending those that were being answered have ended meanwhile. */
	scenario_need(pendings() + card_rounds(), 3, "a round was left");
	sim_leap(121 * 3600 * S);
	until = sim_now_us() + LIMIT_US;
	while ((pendings() > 0 || book.claims_open > 0) && sim_now_us() < until)
		scenario_run(S);
	if (pendings() > 0 || book.claims_open > 0)
		sim_fail("%" PRIu64 " rounds and %" PRIu64
			 " card rounds that were abandoned are still open",
			pendings(), book.claims_open);
}

/* ---- pools are retired into each other ----------------------------------------------------------
 */

/* What is staked for a pool that was made comes late, at times behind its end. */
static enum sim_fate stakes_late(enum topic topic, const uint8_t *bytes, size_t n)
{
	Carillon__JackpotFeed *feed = scenario_totals(topic, bytes, n);

	if (feed != NULL && feed->pool > SIM_GAMES) {
		scenario_feed_later(feed, sim_random(12 * S));
		return SIM_DROP;
	}
	if (feed != NULL)
		carillon__jackpot_feed__free_unpacked(feed, NULL);
	return SIM_PASS;
}

/* Each transfer is told twice, or late. */
static enum sim_fate transfer_again(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	static const enum sim_fate fates[] = { SIM_PASS, SIM_TWICE, SIM_TWICE, SIM_LATE_3S };
	Carillon__JackpotCommand *command;
	enum sim_fate fate = SIM_PASS;

	(void)partition;
	if (topic != TOPIC_JACKPOT_COMMANDS)
		return stakes_late(topic, bytes, n);
	command = carillon__jackpot_command__unpack(NULL, n, bytes);
	if (command != NULL && (command->transfer != NULL || command->transfer_booked != NULL)) {
		fate = fates[sim_random(4)];
		happened += fate == SIM_TWICE;
	}
	carillon__jackpot_command__free_unpacked(command, NULL);
	return fate;
}

static enum sim_action kills_pool(struct sim_process *process, const char *what)
{
	if (strcmp(sim_process_service(process), "progressive-pool") != 0 || also >= 30 ||
		strncmp(what, "postgres: commit", 16) != 0 || sim_random(30) > 0)
		return SIM_GO_ON;
	also++;
	return SIM_KILL;
}

/* Pools that operators make, fed and retired one into the other, by services that die over it and
 * are told everything twice. */
static void run_transfers(void)
{
	const struct fake_pg_table *in = fake_pg_table("pool.transfer_in");

	operators_make(200000);
	sim_filter(transfer_again, NULL);
	sim_effect_hook(kills_pool);
	for (int i = 0; i < 300 && (fake_pg_count(in) < 12 || also < 10); i++)
		scenario_run(S);
	scenario_need(fake_pg_count(in), 12, "money went from a pool to another");
}

void run_retired(void)
{
	scenario_begin();
	think_for(500000);
	run_transfers();
	scenario_end();
	scenario_need(happened, 10, "a transfer was told twice");
	scenario_need(also, 10, "a pool died over its commit");
}
