/* Named schedules, each seeded and with demands of its own: that what it is about has happened, and
 * often enough, and that the judge found nothing (docs/simulator.md). Players play as in any world;
 * filters and hooks see to the accident. */
#include "tools/sim/judge_book.h"
#include "tools/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_US 10000
#define LIMIT_US UINT64_C(240000000)
#define S UINT64_C(1000000)

/* ---- what all of them need ------------------------------------------------------------------- */

static uint64_t happened, also;	     /* of what a schedule is about; counted by filters and hooks */
static char FORGED[] = "a schedule"; /* the source of messages that a filter has made */

static void run_us(uint64_t us)
{
	uint64_t until = sim_now_us() + us;

	while (sim_now_us() < until) {
		sim_run_until(sim_now_us() + STEP_US);
		judge_step();
	}
}

/* So many rounds more; a world that stands still fails. */
static void play(uint64_t rounds)
{
	uint64_t until = judge_rounds() + rounds, limit = sim_now_us() + LIMIT_US;
	char what[256] = "nobody asks for anything";

	while (judge_rounds() < until) {
		run_us(STEP_US);
		if (sim_now_us() <= limit)
			continue;
		(void)crowd_waits(what, sizeof(what));
		sim_fail("play does not go on: %" PRIu64 " rounds are missing; %s",
			until - judge_rounds(), what);
	}
}

static void begin(void)
{
	happened = also = 0;
	play(100); /* accounts are open, money is there */
}

static void need(uint64_t count, uint64_t least, const char *what)
{
	if (count < least)
		sim_fail("the schedule did not come to its point: %s %" PRIu64
			 " times, expected at least %" PRIu64,
			what, count, least);
}

/* Nobody asks for anything: what is under way comes to its end. */
static void rest_us(uint64_t us)
{
	crowd.gone = true;
	run_us(us);
}

static void end(void)
{
	sim_filter(NULL, NULL);
	sim_effect_hook(NULL);
	play(100);
}

static void produce(
	enum topic topic, uint32_t partition, int64_t key, const uint8_t *bytes, size_t n)
{
	uint8_t key_bytes[8];

	for (int i = 0; i < 8; i++)
		key_bytes[i] = (uint8_t)((uint64_t)key >> (56 - 8 * i));
	sim_kafka_produce(topic, partition, key_bytes, sizeof(key_bytes), bytes, n);
}

static void command_free(Carillon__WalletCommand *command);

static bool is_forged(const Carillon__Envelope *envelope)
{
	return envelope != NULL && strcmp(envelope->source, FORGED) == 0;
}

/* A command to the wallet on its way; NULL: none, or one that a filter has made itself. */
static Carillon__WalletCommand *command_of(enum topic topic, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command;

	if (topic != TOPIC_WALLET_COMMANDS)
		return NULL;
	command = carillon__wallet_command__unpack(NULL, n, bytes);
	if (command == NULL || !is_forged(command->envelope))
		return command;
	command_free(command);
	return NULL;
}

/* The same of a feed's message. */
static Carillon__JackpotFeed *feed_of(enum topic topic, const uint8_t *bytes, size_t n)
{
	Carillon__JackpotFeed *feed;

	if (topic != TOPIC_JACKPOT_FEED)
		return NULL;
	feed = carillon__jackpot_feed__unpack(NULL, n, bytes);
	if (feed == NULL || (feed->claim != NULL && !is_forged(feed->envelope)))
		return feed;
	carillon__jackpot_feed__free_unpacked(feed, NULL);
	return NULL;
}

static void command_free(Carillon__WalletCommand *command)
{
	if (command != NULL)
		carillon__wallet_command__free_unpacked(command, NULL);
}

static bool is_bet(const Carillon__WalletCommand *command)
{
	return command != NULL && command->body_case == CARILLON__WALLET_COMMAND__BODY_PROPOSAL &&
	       command->proposal->kind == CARILLON__MOVE_KIND__MOVE_BET;
}

static void sign(Carillon__Envelope *envelope)
{
	free(envelope->source); /* of the unpacked message */
	envelope->source = strdup(FORGED);
	if (envelope->source == NULL)
		sim_fail("no memory for a source");
}

/* A filter's own messages go to the same partition, as if another instance had sent them. */
static void send_command(const Carillon__WalletCommand *command)
{
	uint8_t bytes[8192];
	size_t n = carillon__wallet_command__get_packed_size(command);

	if (n > sizeof(bytes))
		sim_fail("a command of %zu bytes", n);
	(void)carillon__wallet_command__pack(command, bytes);
	produce(TOPIC_WALLET_COMMANDS, shard_of_player(command->player, sim_world.shards),
		command->player, bytes, n);
}

static void send_feed(Carillon__JackpotFeed *feed)
{
	uint8_t bytes[8192];
	size_t n;

	if (!is_forged(feed->envelope))
		sign(feed->envelope);
	n = carillon__jackpot_feed__get_packed_size(feed);
	if (n > sizeof(bytes))
		sim_fail("a message of %zu bytes to a pool", n);
	(void)carillon__jackpot_feed__pack(feed, bytes);
	produce(TOPIC_JACKPOT_FEED, shard_of_pool(feed->pool, sim_world.shards), feed->pool, bytes,
		n);
}

/* ---- two engine builds propose different wins for one move ------------------------------------
 */

/* Moves that were proposed with two wins. */
static struct {
	int64_t player;
	uint64_t move;
	int64_t wins[2];
} twofold[1024];

static void propose_another(Carillon__WalletCommand *command)
{
	Carillon__Proposal *proposal = command->proposal;
	size_t at = happened % 1024;

	twofold[at].player = command->player;
	twofold[at].move = proposal->move;
	twofold[at].wins[0] = proposal->win_balance;
	proposal->win_balance += 100 + (int64_t)sim_random(900);
	twofold[at].wins[1] = proposal->win_balance;
	sign(command->envelope);
	send_command(command);
	happened++;
}

/* The other build's proposal comes first, or second: whichever comes first is booked, and both
 * engines go on from it. Its record is the same: what a round shows is the game's own affair. */
static enum sim_fate two_builds(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command = command_of(topic, bytes, n);
	enum sim_fate fate = SIM_PASS;

	(void)partition;
	if (is_bet(command) && command->proposal->win_pending == 0 &&
		command->proposal->n_claims == 0 && happened < 1000 && sim_random(3) == 0) {
		propose_another(command);
		/* late: the other one is taken. The engine sends its own again each second. */
		if (sim_random(2) == 0)
			fate = SIM_LATE_3S;
	}
	command_free(command);
	return fate;
}

static void run_two_builds(void)
{
	uint64_t first = 0, second = 0;

	begin();
	book.forged = true;
	sim_filter(two_builds, NULL);
	play(1500);
	end();
	rest_us(5 * S);
	need(happened, 200, "two builds proposed one move");
	for (size_t i = 0; i < happened && i < 1024; i++) {
		const struct book_account *account = book_account(twofold[i].player);
		const struct book_row *row = book_row_of_move(account, twofold[i].move);
		if (row == NULL || row->refusal != 0)
			continue; /* long ago, or refused: then both are */
		first += row->win_balance == twofold[i].wins[0];
		second += row->win_balance == twofold[i].wins[1];
		if (row->win_balance != twofold[i].wins[0] &&
			row->win_balance != twofold[i].wins[1])
			sim_fail("player %" PRId64 ", move %" PRIu64 ": a win that nobody proposed",
				twofold[i].player, twofold[i].move);
	}
	need(first, 20, "the first build's win was booked");
	need(second, 20, "the second build's win was booked");
}

/* ---- Kafka loses its last k messages on every topic at once ------------------------------------
 */

static void run_kafka_tail(void)
{
	begin();
	for (int i = 0; i < 12; i++) {
		uint64_t lost_us = sim_random_us(1000, 2 * S);
		play(60);
		sim_kafka_up(false);
		run_us(sim_random_us(100000, 2 * S));
		sim_kafka_lose_tail(sim_now_us() - lost_us);
		sim_kafka_up(true);
	}
	end();
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

static void run_commit_publish(void)
{
	begin();
	sim_effect_hook(dies_before_publish);
	while (happened < 40)
		play(50);
	end();
	need(happened, 40, "a wallet died behind its verdict");
}

/* ---- a claim delivered five times and its award twice (vector V9: it pays once) -----------------
 */

static enum sim_fate five_times(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command = command_of(topic, bytes, n);
	Carillon__JackpotFeed *feed = feed_of(topic, bytes, n);
	enum sim_fate fate = SIM_PASS;

	(void)partition;
	if (command != NULL && command->body_case == CARILLON__WALLET_COMMAND__BODY_AWARD) {
		fate = SIM_TWICE;
		also++;
	}
	if (feed != NULL && sim_random(5) > 0) {
		for (int i = 0; i < 4; i++)
			send_feed(feed);
		happened++;
	}
	if (feed != NULL)
		carillon__jackpot_feed__free_unpacked(feed, NULL);
	command_free(command);
	return fate;
}

static void run_five_times(void)
{
	begin();
	sim_filter(five_times, NULL);
	play(2500);
	end();
	need(happened, 20, "a claim was delivered five times");
	need(also, 20, "an award was delivered twice");
	need(book.hits_n, 10, "a hit was priced");
}

/* ---- a grant booked between proposal and acceptance ---------------------------------------------
 */

static void send_grant(const Carillon__WalletCommand *at)
{
	Carillon__WalletCommand command;
	Carillon__Envelope envelope;
	Carillon__Outside outside;
	char actor[] = "operator", reason[] = "simulated", key[32];
	uint8_t id[ASK_ID_BYTES];
	const struct book_account *account = book_account(at->player);

	if (account == NULL)
		return;
	carillon__wallet_command__init(&command);
	carillon__envelope__init(&envelope);
	carillon__outside__init(&outside);
	envelope.schema = 1;
	envelope.time_us = sim_now_us();
	envelope.source = FORGED;
	(void)snprintf(key, sizeof(key), "between-%" PRIu64, ++happened);
	asks_id(key, "grant", id);
	outside.kind = CARILLON__MOVE_KIND__MOVE_GRANT;
	outside.id = outside.content_hash = (ProtobufCBinaryData){ ASK_ID_BYTES, id };
	outside.amount_minor = 100;
	outside.currency = account->currency;
	outside.actor = actor;
	outside.reason = reason;
	command.envelope = &envelope;
	command.player = at->player;
	command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
	command.outside = &outside;
	send_command(&command);
}

/* The proposal is held up by a second, so that the grant is booked before it. */
static enum sim_fate grant_between(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command = command_of(topic, bytes, n);
	enum sim_fate fate = SIM_PASS;

	(void)partition;
	if (is_bet(command) && sim_random(4) == 0 && happened < 300) {
		send_grant(command);
		fate = SIM_LATE_3S;
	}
	command_free(command);
	return fate;
}

static void run_grant_between(void)
{
	begin();
	sim_filter(grant_between, NULL);
	play(900);
	end();
	rest_us(5 * S);
	need(happened, 100, "a grant came between");
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

static void run_zombie(void)
{
	begin();
	sim_effect_hook(freezes_before_publish);
	while (happened < 10)
		play(30);
	sim_effect_hook(freezes_before_writing);
	while (also < 20)
		play(30);
	think_for(150000);
	sim_effect_hook(freezes_pool);
	while (also < 30)
		play(30);
	end();
	need(happened, 10, "a wallet slept over its lease with facts to publish");
	need(also, 30, "a service slept over its lease with something to write");
}

/* ---- expect + 1 arrives before the fact ---------------------------------------------------------
 */

/* Verdicts are lost, so that the engine hears of a move by Kafka alone, 20 ms and more later; the
 * next request is there before. */
static enum sim_fate no_verdicts(const char *url, const uint8_t *bytes, size_t n)
{
	(void)bytes;
	(void)n;
	return strstr(url, "spin-engine") != NULL ? SIM_DROP : SIM_PASS;
}

/* A player's two requests, one right behind the other. */
struct pair {
	struct window window[2];
	uint32_t answers;
	uint64_t rounds[2];
};

static void pair_answered(struct asker *asker, const struct answer *answer)
{
	struct window *window = (struct window *)asker;
	struct pair *pair = window->pair;

	pair->answers++;
	if (answer->reply == NULL)
		return;
	judge_told_reply(window, answer->reply);
	if (answer->reply->http_status == 200 && answer->reply->round != NULL)
		pair->rounds[window == &pair->window[1]] = answer->reply->round->round;
}

static bool pair_answering(void *context)
{
	return ((struct pair *)context)->answers < 2;
}

static struct request bet_of(const struct client *client, uint64_t expect, uint64_t number)
{
	struct request request = { .kind = CARILLON__SPIN_KIND__SPIN_BET,
		.game = &sim_games[2],
		.number = UINT64_C(1) << 40 | number,
		.expect = expect,
		.coin_minor = client->currency == EUR ? 1 : 10,
		.lines = 15,
		.coins = 1 };

	memcpy(request.nonce, &number, sizeof(number));
	return request;
}

/* Both asked at once: the second waits for the first one's fact, and is then played. */
static void ask_pair(struct pair *pair, uint64_t number)
{
	const struct client *client = pair->window[0].client;
	const struct book_account *account = book_account(client->id);
	uint64_t next = account->last_move + 1;

	pair->answers = 0;
	pair->rounds[0] = pair->rounds[1] = 0;
	for (uint64_t i = 0; i < 2; i++) {
		struct window *window = &pair->window[i];
		window->request = bet_of(client, next + i, 2 * number + i);
		if (!command_ask(window, &window->request))
			sim_fail("a gateway takes no question");
	}
	if (!sim_run_while(pair_answering, pair, 30 * S))
		sim_fail("two requests of one player were not answered");
	judge_step();
	if (pair->rounds[0] == next && pair->rounds[1] == next + 1)
		happened++;
	/* what the rounds have left open is finished */
	pair->window[0].client->window[0].finished = 0;
	window_wake_soon(&pair->window[0].client->window[0], 0);
	crowd_rest();
}

static void run_expect_ahead(void)
{
	static struct pair pair;
	struct client *client;

	begin();
	client = &crowd.client[0];
	crowd_rest(); /* nobody else moves this player */
	memset(&pair, 0, sizeof(pair));
	for (int i = 0; i < 2; i++) {
		pair.window[i] = client->window[0];
		pair.window[i].asker =
			(struct asker){ .player = client->id, .answered = pair_answered };
		pair.window[i].pair = &pair;
	}
	sim_filter(NULL, no_verdicts);
	for (uint64_t i = 0; i < 60; i++)
		ask_pair(&pair, i);
	sim_filter(NULL, NULL);
	need(happened, 20, "expect + 1 came before the fact and was played");
}

/* ---- a pick arrives before its trigger ----------------------------------------------------------
 */

static void let_go(void *context)
{
	Carillon__JackpotFeed *feed = context;

	send_feed(feed);
	carillon__jackpot_feed__free_unpacked(feed, NULL);
}

/* A trigger is held up, for less than a pick may wait. */
static enum sim_fate hold_trigger(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__JackpotFeed *feed = feed_of(topic, bytes, n);

	(void)partition;
	if (feed == NULL)
		return SIM_PASS;
	if (feed->pool != CARDS_POOL || sim_random(2) == 0 || also >= 200) {
		carillon__jackpot_feed__free_unpacked(feed, NULL);
		return SIM_PASS;
	}
	crowd_at(200000 + sim_random(1500000), let_go, feed);
	also++;
	return SIM_DROP;
}

static void run_pick_early(void)
{
	begin();
	crowd.picks_waited = 0;
	sim_filter(hold_trigger, NULL);
	/* How many triggers there are is chance. */
	for (int i = 0; i < 8 && (also < 20 || crowd.picks_waited < 10); i++)
		play(2500);
	end();
	need(also, 20, "a trigger was held up");
	need(crowd.picks_waited, 10, "a pick waited for its trigger and was made");
}

/* ---- Postgres is down longer than not_after
 * ------------------------------------------------------ */

/* (player, move): the latest not_after that any proposal of it carried. */
static struct map promised;

static enum sim_fate note_not_after(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command = command_of(topic, bytes, n);

	(void)partition;
	if (is_bet(command)) {
		void **at = map_at(&promised, (uint64_t)command->player, command->proposal->move);
		if (*at == NULL)
			*at = judge_alloc(sizeof(uint64_t));
		if (command->proposal->not_after_us > *(uint64_t *)*at)
			*(uint64_t *)*at = command->proposal->not_after_us;
	}
	command_free(command);
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

static void run_postgres_away(void)
{
	begin();
	sim_filter(note_not_after, NULL);
	for (int i = 0; i < 5; i++) {
		play(100);
		fake_pg_server(false);
		run_us(11 * S + sim_random(6 * S));
		fake_pg_server(true);
	}
	end();
	rest_us(5 * S);
	check_times();
	map_clear(&promised);
}

/* ---- permuting the win never changes acceptance
 * -------------------------------------------------- */

/* Wins are exchanged for others between engine and wallet, also for none; the judge demands of
 * every row that the stake alone decided. Stakes are raised to about what the players have. */
static enum sim_fate permute(enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command = command_of(topic, bytes, n);
	enum sim_fate fate = SIM_PASS;

	(void)partition;
	if (is_bet(command) && command->proposal->win_pending == 0 &&
		command->proposal->n_claims == 0 && command->proposal->bonus_spin.len == 0) {
		static const int64_t times[] = { 0, 0, 1, 3, 100 };
		Carillon__Proposal *proposal = command->proposal;
		const struct book_account *account = book_account(command->player);
		if (account != NULL && sim_random(2) == 0)
			proposal->stake =
				1 + (int64_t)sim_random(2 * (uint64_t)account->balance + 10);
		proposal->win_balance = proposal->stake * times[sim_random(5)];
		sign(command->envelope);
		send_command(command);
		happened++;
		fate = SIM_DROP;
	}
	command_free(command);
	return fate;
}

static void count_refusals(void)
{
	const struct fake_pg_table *table = fake_pg_table("wallet.journal");
	const struct fake_pg_row *at = NULL;

	also = 0;
	while ((at = fake_pg_next(table, at)) != NULL) {
		struct fake_journal row;
		fake_journal_read(at, &row);
		also += row.refusal == CARILLON__REFUSAL__REFUSAL_FUNDS && row.win_balance > 0;
	}
}

static void run_permute(void)
{
	begin();
	book.forged = true;
	sim_filter(permute, NULL);
	play(1500);
	sim_filter(NULL, NULL);
	count_refusals();
	need(happened, 500, "a win was permuted");
	need(also, 20, "a winning round was refused for its stake");
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
static void run_abandoned(void)
{
	uint64_t until;

	begin();
	crowd.untouched = true;
	play(400);
	for (int i = 0; i < 1000 && (pendings() < 3 || card_rounds() < 3); i++)
		play(3);
	rest_us(15 * S);
	need(pendings(), 1, "a round was left with money pending");
	need(card_rounds(), 2, "a card round was left");
	sim_leap(121 * 3600 * S);
	until = sim_now_us() + LIMIT_US;
	while ((pendings() > 0 || book.claims_open > 0) && sim_now_us() < until)
		run_us(S);
	if (pendings() > 0 || book.claims_open > 0)
		sim_fail("%" PRIu64 " rounds and %" PRIu64
			 " card rounds that were abandoned are still open",
			pendings(), book.claims_open);
}

const struct scenario sim_scenarios[] = {
	{ "two-builds", run_two_builds },
	{ "kafka-tail", run_kafka_tail },
	{ "commit-publish", run_commit_publish },
	{ "five-times", run_five_times },
	{ "grant-between", run_grant_between },
	{ "zombie", run_zombie },
	{ "expect-ahead", run_expect_ahead },
	{ "pick-early", run_pick_early },
	{ "postgres-away", run_postgres_away },
	{ "permute", run_permute },
	{ "abandoned", run_abandoned },
	{ NULL, NULL },
};
