/* Schedules in which services die or sleep, and servers or players are away. */
#include "tests/sim/world/scenario.h"
#include "tests/sim/fake_pg.h"
#include "tests/sim/sim.h"
#include "tests/sim/world/kernel.h"

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

/* ---- Kafka is away all the while, and comes back empty
 * ----------------------------------------------- */

/* Instances die and start anew meanwhile; hits are priced and paid, also of those who died. */
void run_no_kafka(void)
{
	static const char *const ALL[] = { "wallet-1", "wallet-2", "spin-engine-1",
		"progressive-pool-1", "progressive-pool-2", "jackpot-cards-1" };

	scenario_begin();
	sim_kafka_up(false);
	/* How many hits there are is chance. */
	for (int i = 0; i < 10 || (i < 50 && book.awards_n < 20); i++) {
		struct sim_process *victim = sim_process_find(ALL[sim_random(6)]);
		scenario_play(150);
		if (victim != NULL && sim_random(2) == 0)
			sim_kill(victim, "while Kafka is away");
	}
	scenario_run(5 * S);
	scenario_need(book.awards_n, 20, "a hit was paid without Kafka");
	sim_kafka_lose_tail(0);
	sim_kafka_up(true);
	scenario_end();
}

/* ---- a booked row whose record cannot be read --------------------------------------------------
 */

static struct {
	int64_t player;
	uint64_t move; /* of the bet whose row is spoiled; 0: none yet */
	bool by_kind;  /* its record is good, but its kind is that of a newer build */
} spoiled;

static Carillon__WalletFact *bet_fact(enum topic topic, const uint8_t *bytes, size_t n)
{
	Carillon__WalletFact *fact;

	if (topic != TOPIC_WALLET_FACTS)
		return NULL;
	fact = carillon__wallet_fact__unpack(NULL, n, bytes);
	if (fact != NULL && (spoiled.move == 0 || fact->player == spoiled.player) &&
		fact->record.len > 0 && fact->kind == CARILLON__MOVE_KIND__MOVE_BET &&
		fact->refusal == 0)
		return fact;
	if (fact != NULL)
		carillon__wallet_fact__free_unpacked(fact, NULL);
	return NULL;
}

#define NEWER_KIND 99

static void spoil(Carillon__WalletFact *fact)
{
	if (spoiled.by_kind)
		fact->kind = (Carillon__MoveKind)NEWER_KIND; /* no bet_fact() any more */
	else
		memset(fact->record.data, 0xff, fact->record.len);
}

/* The next bet comes by Kafka with a record that nobody can read; the journal is in order.
 * Its verdict is lost, so that the engine learns of it by Kafka alone. */
static enum sim_fate spoil_row(enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__WalletFact *fact = bet_fact(topic, bytes, n);
	enum sim_fate fate = SIM_PASS;
	uint8_t out[8192];

	if (fact == NULL)
		return SIM_PASS;
	if (spoiled.move == 0) {
		spoiled.move = fact->move;
		spoiled.player = fact->player;
	}
	if (fact->move == spoiled.move && fact->record.data[0] != 0xff) {
		spoil(fact);
		n = carillon__wallet_fact__get_packed_size(fact);
		if (n > sizeof(out))
			sim_fail("a fact of %zu bytes", n);
		(void)carillon__wallet_fact__pack(fact, out);
		sim_kafka_produce(topic, partition, NULL, 0, out, n);
		happened++;
		fate = SIM_DROP;
	}
	carillon__wallet_fact__free_unpacked(fact, NULL);
	return fate;
}

static enum sim_fate drop_all_verdicts(const char *url, const uint8_t *bytes, size_t n)
{
	return scenario_is_verdict(url, bytes, n) ? SIM_DROP : SIM_PASS;
}

static size_t set_aside(void)
{
	return fake_pg_count(fake_pg_table("engine.quarantine"));
}

static void kill_engines(void)
{
	struct sim_process *list[64];
	size_t n = sim_processes(list, 64);

	for (size_t i = 0; i < n; i++)
		if (strcmp(sim_process_service(list[i]), "spin-engine") == 0)
			sim_kill(list[i], "a schedule");
}

/* The last move that the engine has written down. */
static uint64_t stored_move(void)
{
	const struct fake_pg_table *table = fake_pg_table("engine.player");
	const struct fake_pg_row *row = fake_pg_find(table, &spoiled.player, 1);

	return row == NULL ? 0 : (uint64_t)fake_pg_int(row, fake_pg_column(table, "last_move"));
}

static bool is_behind(void *context)
{
	(void)context;
	return stored_move() != book_account(spoiled.player)->last_move;
}

/* Checkpoints come every three seconds, and operators void rounds meanwhile. */
static void stored_to_the_end(void)
{
	scenario_rest(5 * S);
	if (is_behind(NULL) && !sim_run_while(is_behind, NULL, 15 * S))
		sim_fail("the engine has missed moves of a player who was taken back: found "
			 "move %" PRIu64 ", expected %" PRIu64,
			stored_move(), book_account(spoiled.player)->last_move);
}

static bool stays_aside(void *context)
{
	(void)context;
	return set_aside() > 0;
}

/* One player is quarantined, also for engines that start anew; everybody else plays; no process
 * dies of it. At the release the engine reads what it has missed, and the player goes on. */
void run_poison_row(void)
{
	uint64_t fatals = kernel_counts.fatals;

	scenario_begin();
	memset(&spoiled, 0, sizeof(spoiled));
	sim_filter(NULL, drop_all_verdicts);
	scenario_run(2 * S); /* by then the earlier verdicts are known */
	sim_filter(spoil_row, drop_all_verdicts);
	for (int i = 0; i < 40 && set_aside() == 0; i++)
		scenario_play(50);
	scenario_need(happened, 1, "a row was spoiled");
	scenario_need(set_aside(), 1, "a player was quarantined");
	sim_filter(NULL, NULL);
	scenario_play(300);
	kill_engines();
	scenario_play(300);
	scenario_need(set_aside(), 1, "the player stayed in quarantine");
	if (book_account(spoiled.player)->last_move != spoiled.move)
		sim_fail("a quarantined player has made a move");
	if (kernel_counts.fatals != fatals)
		sim_fail("%" PRIu64 " processes died of a row", kernel_counts.fatals - fatals);
	(void)fake_pg_run("update engine.quarantine set released = now()", 0, NULL);
	if (!sim_run_while(stays_aside, NULL, 30 * S))
		sim_fail("a released player stays in quarantine");
	scenario_end();
	stored_to_the_end();
}

static bool waits_for_a_build(void)
{
	const struct fake_pg_table *table = fake_pg_table("engine.quarantine");
	const struct fake_pg_row *row = fake_pg_find(table, &spoiled.player, 1);

	return row != NULL && fake_pg_int(row, fake_pg_column(table, "waits")) != 0;
}

/* A row of a kind that the engines do not know, as a newer build would write it: its player waits,
 * everybody else plays. Engines that know the kind (they find it in the journal) take the player
 * back by themselves. */
void run_unknown_kind(void)
{
	uint64_t fatals = kernel_counts.fatals;

	scenario_begin();
	memset(&spoiled, 0, sizeof(spoiled));
	spoiled.by_kind = true;
	book.newer_kind = NEWER_KIND;
	sim_filter(NULL, drop_all_verdicts);
	scenario_run(2 * S); /* by then the earlier verdicts are known */
	sim_filter(spoil_row, drop_all_verdicts);
	for (int i = 0; i < 40 && set_aside() == 0; i++)
		scenario_play(50);
	scenario_need(happened, 1, "a row was of an unknown kind");
	scenario_need(set_aside(), 1, "a player was quarantined");
	if (!waits_for_a_build())
		sim_fail("a player with a row of an unknown kind waits for an operator");
	sim_filter(NULL, NULL);
	scenario_play(300);
	scenario_need(set_aside(), 1, "the player stayed in quarantine");
	if (book_account(spoiled.player)->last_move != spoiled.move)
		sim_fail("a quarantined player has made a move");
	kill_engines();
	if (!sim_run_while(stays_aside, NULL, 60 * S))
		sim_fail("a build that knows the kind has not taken the player back");
	if (kernel_counts.fatals != fatals)
		sim_fail("%" PRIu64 " processes died of a row", kernel_counts.fatals - fatals);
	scenario_end();
	stored_to_the_end();
}

/* ---- an award whose row cannot be read ----------------------------------------------------------
 */

/* The next award comes by Kafka with a record that nobody can read. */
static enum sim_fate spoil_award(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	static uint8_t record[] = { 0xff, 0xff };
	Carillon__WalletFact *fact;
	uint8_t out[8192];
	bool spoils;

	if (topic != TOPIC_WALLET_FACTS ||
		(fact = carillon__wallet_fact__unpack(NULL, n, bytes)) == NULL)
		return SIM_PASS;
	spoils = fact->award != NULL && fact->refusal == 0 &&
		 (spoiled.move == 0 || fact->envelope->seq == spoiled.move) &&
		 (spoiled.move == 0 || fact->player == spoiled.player);
	if (spoils) {
		Carillon__Award *award = fact->award;
		const ProtobufCBinaryData before = fact->record;
		spoiled.move = fact->envelope->seq;
		spoiled.player = fact->player;
		fact->award = NULL;
		fact->record = (ProtobufCBinaryData){ sizeof(record), record };
		n = carillon__wallet_fact__pack(fact, out);
		sim_kafka_produce(topic, partition, NULL, 0, out, n);
		fact->award = award;
		fact->record = before;
		happened++;
	}
	carillon__wallet_fact__free_unpacked(fact, NULL);
	return spoils ? SIM_DROP : SIM_PASS;
}

void run_poison_award(void)
{
	uint64_t fatals = kernel_counts.fatals;

	scenario_begin();
	memset(&spoiled, 0, sizeof(spoiled));
	sim_filter(NULL, drop_all_verdicts);
	scenario_run(2 * S); /* by then the earlier verdicts are known */
	sim_filter(spoil_award, drop_all_verdicts);
	for (int i = 0; i < 60 && set_aside() == 0; i++)
		scenario_play(50);
	scenario_need(happened, 1, "an award was spoiled");
	scenario_need(set_aside(), 1, "a player was quarantined");
	sim_filter(NULL, NULL);
	scenario_play(300);
	if (kernel_counts.fatals != fatals)
		sim_fail("%" PRIu64 " processes died of an award", kernel_counts.fatals - fatals);
	(void)fake_pg_run("update engine.quarantine set released = now()", 0, NULL);
	if (!sim_run_while(stays_aside, NULL, 30 * S))
		sim_fail("a released player stays in quarantine");
	scenario_end();
	stored_to_the_end();
}

/* ---- a stored state that cannot be read ---------------------------------------------------------
 */

static void put_state(const char *state)
{
	char player[24];
	const char *const parameters[] = { player, state };

	(void)snprintf(player, sizeof(player), "%" PRId64, spoiled.player);
	(void)fake_pg_run(
		"update engine.player set state = $2::bytea where player = $1", 2, parameters);
}

/* The state of the spoiled player, as text. */
static void get_state(char *out, size_t room)
{
	const struct fake_pg_table *table = fake_pg_table("engine.player");
	const struct fake_pg_row *row = fake_pg_find(table, &spoiled.player, 1);
	size_t n, at = 2;

	if (row == NULL)
		sim_fail("a player has no stored state");
	const uint8_t *bytes = fake_pg_bytes(row, fake_pg_column(table, "state"), &n);
	if (2 * n + 3 > room)
		sim_fail("a state of %zu bytes", n);
	memcpy(out, "\\x", 3);
	for (size_t i = 0; i < n; i++, at += 2)
		(void)snprintf(out + at, 3, "%02x", bytes[i]);
}

/* The engines die, and what they left of one player is spoiled. The player is quarantined; put
 * right and released, the player goes on. */
void run_poison_state(void)
{
	static char state[8192];
	uint64_t fatals = kernel_counts.fatals;

	scenario_begin();
	scenario_run(3 * S); /* a checkpoint */
	memset(&spoiled, 0, sizeof(spoiled));
	spoiled.player = crowd.client[0].id;
	kill_engines();
	get_state(state, sizeof(state));
	put_state("\\xffff");
	for (int i = 0; i < 40 && set_aside() == 0; i++)
		scenario_play(50);
	scenario_need(set_aside(), 1, "a player was quarantined");
	(void)fake_pg_run("update engine.quarantine set released = now()", 0, NULL);
	scenario_play(300); /* in vain: nothing is put right */
	scenario_need(set_aside(), 1, "the player stayed in quarantine");
	if (kernel_counts.fatals != fatals)
		sim_fail("%" PRIu64 " processes died of a state", kernel_counts.fatals - fatals);
	put_state(state);
	(void)fake_pg_run("update engine.quarantine set released = now()", 0, NULL);
	if (!sim_run_while(stays_aside, NULL, 30 * S))
		sim_fail("a released player stays in quarantine");
	scenario_end();
	stored_to_the_end();
}

/* ---- rows of the journal reach the engine neither by nanomsg nor by Kafka -----------------------
 */

static enum sim_fate drop_some_verdicts(const char *url, const uint8_t *bytes, size_t n)
{
	return scenario_is_verdict(url, bytes, n) && sim_random(2) == 0 ? SIM_DROP : SIM_PASS;
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

/* The engine finds each gap by the number of the next row, and reads what is missing. */
void run_facts_lost(void)
{
	scenario_begin();
	sim_filter(drop_facts, drop_some_verdicts);
	scenario_play(1500);
	scenario_end();
	scenario_need(happened, 100, "a row was lost on both ways");
}

/* ---- a jackpot holds every bet answered before the winning one was sent -------------------------
 */

static enum sim_fate drop_totals(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__JackpotFeed *feed = scenario_totals(topic, bytes, n);

	(void)partition;
	if (feed == NULL)
		return SIM_PASS;
	carillon__jackpot_feed__free_unpacked(feed, NULL);
	return SIM_DROP;
}

static enum sim_fate hold_answers(const char *url, const uint8_t *bytes, size_t n)
{
	static const enum sim_fate FATES[] = { SIM_DROP, SIM_TWICE, SIM_LATE_3S, SIM_LATE_3S,
		SIM_LATE_3S, SIM_PASS, SIM_PASS, SIM_PASS };
	enum sim_fate fate = SIM_PASS;

	if (!scenario_is_answer(url, bytes, n))
		return SIM_PASS;
	also++;
	fate = FATES[sim_random(sizeof(FATES) / sizeof(FATES[0]))];
	happened += fate == SIM_DROP || fate == SIM_LATE_3S;
	return fate;
}

/* Pools hear of stakes only when they ask, or with a claim of the same shard. Answers are lost,
 * doubled and late, and wallets are killed or sleep longer than their leases. */
void run_stakes_before(void)
{
	static const char *const WALLETS[] = { "wallet-1", "wallet-2" };

	scenario_begin();
	sim_filter(drop_totals, hold_answers);
	/* How many hits there are is chance. */
	for (int i = 0; i < 12 || (i < 60 && (book.hits_n < 30 || also < 30)); i++) {
		struct sim_process *wallet = sim_process_find(WALLETS[sim_random(2)]);
		scenario_play(150);
		if (wallet == NULL)
			continue;
		if (sim_random(4) == 0)
			sim_kill(wallet, "between a bet and a jackpot");
		else /* wakes about when another has taken over */
			sim_freeze(wallet, 1700000 + sim_random(700000));
	}
	scenario_end();
	scenario_need(book.hits_n, 30, "a hit was priced");
	scenario_need(also, 30, "a wallet answered a pool");
	scenario_need(happened, 5, "an answer was lost or late");
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
	if (command != NULL &&
		(command->body_case == CARILLON__JACKPOT_COMMAND__BODY_TRANSFER ||
			command->body_case == CARILLON__JACKPOT_COMMAND__BODY_TRANSFER_BOOKED)) {
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
