/* Schedules in which messages come twice, late, changed or in another order. */
#include "tests/sim/world/scenario.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	scenario_sign(command->envelope);
	scenario_send(command);
	happened++;
}

/* The other build's proposal comes first, or second: whichever comes first is booked, and both
 * engines go on from it. Its record is the same: what a round shows is the game's own affair. */
static enum sim_fate two_builds(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command = scenario_command(topic, bytes, n);
	enum sim_fate fate = SIM_PASS;

	(void)partition;
	if (scenario_is_bet(command) && command->proposal->win_pending == 0 &&
		command->proposal->n_claims == 0 && happened < 1000 && sim_random(3) == 0) {
		propose_another(command);
		/* late: the other one is taken. The engine sends its own again soon. */
		if (sim_random(4) == 0)
			fate = SIM_LATE_3S;
	}
	scenario_command_free(command);
	return fate;
}

void run_two_builds(void)
{
	uint64_t first = 0, second = 0;

	scenario_begin();
	book.forged = true;
	sim_filter(two_builds, NULL);
	scenario_play(1500);
	scenario_end();
	scenario_rest(5 * S);
	scenario_need(happened, 200, "two builds proposed one move");
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
	scenario_need(first, 20, "the first build's win was booked");
	scenario_need(second, 20, "the second build's win was booked");
}

/* ---- a claim delivered five times and its award twice (vector V9: it pays once) -----------------
 */

static enum sim_fate five_times(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command = scenario_command(topic, bytes, n);
	Carillon__JackpotFeed *feed = scenario_feed(topic, bytes, n);
	enum sim_fate fate = SIM_PASS;

	(void)partition;
	if (command != NULL && command->body_case == CARILLON__WALLET_COMMAND__BODY_AWARD) {
		fate = SIM_TWICE;
		also++;
	}
	if (feed != NULL && sim_random(5) > 0) {
		for (int i = 0; i < 4; i++)
			scenario_send_feed(feed);
		happened++;
	}
	if (feed != NULL)
		carillon__jackpot_feed__free_unpacked(feed, NULL);
	scenario_command_free(command);
	return fate;
}

void run_five_times(void)
{
	scenario_begin();
	sim_filter(five_times, NULL);
	scenario_play(2500);
	scenario_end();
	scenario_need(happened, 20, "a claim was delivered five times");
	scenario_need(also, 20, "an award was delivered twice");
	scenario_need(book.hits_n, 10, "a hit was priced");
}

/* ---- a grant booked between proposal and acceptance ---------------------------------------------
 */

static void send_grant(const Carillon__WalletCommand *at)
{
	Carillon__WalletCommand command;
	Carillon__Envelope envelope;
	Carillon__Outside outside;
	char actor[] = "operator", reason[] = "simulated", key[32];
	uint8_t id[REQUEST_ID_BYTES];
	const struct book_account *account = book_account(at->player);

	if (account == NULL)
		return;
	carillon__wallet_command__init(&command);
	carillon__envelope__init(&envelope);
	carillon__outside__init(&outside);
	envelope.schema = 1;
	envelope.time_us = sim_now_us();
	envelope.source = scenario_source;
	(void)snprintf(key, sizeof(key), "between-%" PRIu64, ++happened);
	requests_id(key, "grant", id);
	outside.kind = CARILLON__MOVE_KIND__MOVE_GRANT;
	outside.id = outside.content_hash = (ProtobufCBinaryData){ REQUEST_ID_BYTES, id };
	outside.amount_minor = 100;
	outside.currency = account->currency;
	outside.actor = actor;
	outside.reason = reason;
	command.envelope = &envelope;
	command.player = at->player;
	command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
	command.outside = &outside;
	scenario_send(&command);
}

/* The proposal is held up by a second, so that the grant is booked before it. */
static enum sim_fate grant_between(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command = scenario_command(topic, bytes, n);
	enum sim_fate fate = SIM_PASS;

	(void)partition;
	if (scenario_is_bet(command) && sim_random(4) == 0 && happened < 300) {
		send_grant(command);
		fate = SIM_LATE_3S;
	}
	scenario_command_free(command);
	return fate;
}

void run_grant_between(void)
{
	scenario_begin();
	sim_filter(grant_between, NULL);
	scenario_play(900);
	scenario_end();
	scenario_rest(5 * S);
	scenario_need(happened, 100, "a grant came between");
}

/* ---- expect + 1 arrives before the fact ---------------------------------------------------------
 */

/* Verdicts are lost, so that the engine hears of a move by Kafka alone, 20 ms and more later; the
 * next request is there before. */
static enum sim_fate drop_verdicts(const char *url, const uint8_t *bytes, size_t n)
{
	return scenario_is_verdict(url, bytes, n) ? SIM_DROP : SIM_PASS;
}

/* A player's two requests, one right behind the other. */
struct pair {
	struct window window[2];
	uint32_t answers;
	uint64_t rounds[2];
};

static void pair_answered(struct requester *requester, const struct answer *answer)
{
	struct window *window = (struct window *)requester;
	struct pair *pair = window->pair;

	pair->answers++;
	if (answer->reply == NULL)
		return;
	judge_reply_spin(window, answer->reply);
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
static void request_pair(struct pair *pair, uint64_t number)
{
	const struct client *client = pair->window[0].client;
	const struct book_account *account = book_account(client->id);
	uint64_t next = account->last_move + 1;

	pair->answers = 0;
	pair->rounds[0] = pair->rounds[1] = 0;
	for (uint64_t i = 0; i < 2; i++) {
		struct window *window = &pair->window[i];
		window->request = bet_of(client, next + i, 2 * number + i);
		if (!command_request(window, &window->request))
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

void run_expect_ahead(void)
{
	static struct pair pair;
	struct client *client;

	scenario_begin();
	client = &crowd.client[0];
	crowd_rest(); /* nobody else moves this player */
	memset(&pair, 0, sizeof(pair));
	for (int i = 0; i < 2; i++) {
		pair.window[i] = client->window[0];
		pair.window[i].requester =
			(struct requester){ .player = client->id, .answered = pair_answered };
		pair.window[i].pair = &pair;
	}
	sim_filter(NULL, drop_verdicts);
	for (uint64_t i = 0; i < 60; i++)
		request_pair(&pair, i);
	sim_filter(NULL, NULL);
	scenario_need(happened, 20, "expect + 1 came before the fact and was played");
}

/* ---- a pick arrives before its trigger ----------------------------------------------------------
 */

/* Triggers that are on their way. */
static struct {
	size_t n;
	struct {
		int64_t player;
		uint64_t move, until_us;
	} of[1024];
} held;

/* A trigger is held up; the service finds the claim in the wallet's books when its player picks. */
static enum sim_fate hold_trigger(
	enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__JackpotFeed *feed = scenario_feed(topic, bytes, n);
	uint64_t us = 200000 + sim_random(1500000);

	(void)partition;
	if (feed == NULL)
		return SIM_PASS;
	if (feed->pool != CARDS_POOL || sim_random(2) == 0 || held.n == 1024) {
		carillon__jackpot_feed__free_unpacked(feed, NULL);
		return SIM_PASS;
	}
	held.of[held.n].player = feed->claim->player;
	held.of[held.n].move = feed->claim->move;
	held.of[held.n++].until_us = sim_now_us() + us;
	scenario_feed_later(feed, us);
	also++;
	return SIM_DROP;
}

static void picked(const Carillon__CardRound *round)
{
	for (size_t i = 0; i < held.n; i++)
		happened += held.of[i].player == round->player && held.of[i].move == round->move &&
			    sim_now_us() < held.of[i].until_us;
}

void run_pick_early(void)
{
	scenario_begin();
	held.n = 0;
	crowd.picked = picked;
	sim_filter(hold_trigger, NULL);
	/* How many triggers there are is chance. */
	for (int i = 0; i < 8 && (also < 20 || happened < 10); i++)
		scenario_play(2500);
	crowd.picked = NULL;
	scenario_end();
	scenario_need(also, 20, "a trigger was held up");
	scenario_need(happened, 10, "a pick was made before its trigger came");
}

/* ---- permuting the win never changes acceptance
 * -------------------------------------------------- */

/* Wins are exchanged for others between engine and wallet, also for none; the judge demands of
 * every row that the stake alone decided. Stakes are raised to about what the players have. */
static enum sim_fate permute(enum topic topic, uint32_t partition, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command = scenario_command(topic, bytes, n);
	enum sim_fate fate = SIM_PASS;

	(void)partition;
	if (scenario_is_bet(command) && command->proposal->win_pending == 0 &&
		command->proposal->n_claims == 0 && command->proposal->bonus_spin.len == 0) {
		static const int64_t times[] = { 0, 0, 1, 3, 100 };
		Carillon__Proposal *proposal = command->proposal;
		const struct book_account *account = book_account(command->player);
		if (account != NULL && sim_random(2) == 0)
			proposal->stake =
				1 + (int64_t)sim_random(2 * (uint64_t)account->balance + 10);
		proposal->win_balance = proposal->stake * times[sim_random(5)];
		scenario_sign(command->envelope);
		scenario_send(command);
		happened++;
		fate = SIM_DROP;
	}
	scenario_command_free(command);
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

void run_permute(void)
{
	scenario_begin();
	book.forged = true;
	sim_filter(permute, NULL);
	scenario_play(1500);
	sim_filter(NULL, NULL);
	count_refusals();
	scenario_need(happened, 500, "a win was permuted");
	scenario_need(also, 20, "a winning round was refused for its stake");
}
