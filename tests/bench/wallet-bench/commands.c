/* The commands: openings, deposits and bets as the engine and the gateway send them, with records
 * of the size that play gives (docs/performance.md): 190 to 230 bytes, of one bet in five a win
 * that stays pending until the next bet, of one in nine a win that is credited at once. */
#include "tests/bench/wallet-bench/bench.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include "wallet.pb-c.h"

#include <string.h>

#define OPERATOR 1u
#define COMMAND_BYTES 512
#define RECORD_LEAST 190u
#define RECORD_SPREAD 41u
#define NOISE_BYTES 65536u
#define CURRENCY 978u
#define GAME 1u
#define STAKE_MINOR 15
#define FUNDS_MINOR INT64_C(1000000000)
#define NOT_AFTER_US UINT64_C(10000000)

static char SOURCE[] = "wallet-bench";
static char REPLY_TO[] = "ipc://nn/wallet-bench";
static uint8_t bytes[BENCH_BATCH_MAX][COMMAND_BYTES];
static struct kafka_message messages[BENCH_BATCH_MAX];
static uint8_t noise[NOISE_BYTES];

static uint64_t random_next(void)
{
	static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void noise_make(void)
{
	for (size_t i = 0; noise[NOISE_BYTES - 1] == 0 && i < NOISE_BYTES; i++)
		noise[i] = (uint8_t)(random_next() >> 24 | 1);
}

player_id bench_player_id(size_t at)
{
	player_id id;

	if (!player_id_make(OPERATOR, (uint64_t)at + 1, &id))
		fatal("player %zu: no such number", at + 1);
	return id;
}

/* Bytes that are another's in the next command. */
static ProtobufCBinaryData noise_bytes(size_t length)
{
	return (ProtobufCBinaryData){ length, noise + random_next() % (NOISE_BYTES - length) };
}

static void deposit_fill(Carillon__Outside *outside, uint64_t id[2], size_t at)
{
	carillon__outside__init(outside);
	id[0] = (uint64_t)at * UINT64_C(0xd1342543de82ef95); /* in no order, as hashes are */
	id[1] = (uint64_t)at;
	outside->kind = CARILLON__MOVE_KIND__MOVE_DEPOSIT;
	outside->id = (ProtobufCBinaryData){ 2 * sizeof(*id), (uint8_t *)id };
	outside->content_hash = outside->id;
	outside->amount_minor = FUNDS_MINOR;
	outside->currency = CURRENCY;
	outside->actor = SOURCE;
}

static void bet_fill(
	struct bench_players *players, Carillon__Proposal *bet, struct bench_player *player)
{
	static uint32_t pools[] = { 1, 2 };
	uint64_t luck = random_next() % 45;

	carillon__proposal__init(bet);
	bet->kind = CARILLON__MOVE_KIND__MOVE_BET;
	bet->move = bet->round = ++player->move;
	bet->game = GAME;
	bet->pending_before = bet->release = player->pending;
	bet->stake = STAKE_MINOR;
	bet->win_pending = luck < 9 ? 30 : 0;
	bet->win_balance = luck >= 40 ? 45 : 0;
	bet->pools = pools;
	bet->n_pools = 2;
	bet->not_after_us = clock_wall_us() + NOT_AFTER_US;
	bet->request_id = noise_bytes(16);
	bet->record = noise_bytes(RECORD_LEAST + random_next() % RECORD_SPREAD);
	player->pending = (uint32_t)bet->win_pending;
	players->records_n++;
	players->records_bytes += bet->record.len;
}

static void command_make(struct bench_players *players, enum bench_command what, size_t at,
	uint8_t *to, struct kafka_message *message_r)
{
	Carillon__Envelope envelope;
	Carillon__WalletCommand command;
	Carillon__Proposal proposal;
	Carillon__Outside outside;
	uint64_t id[2];

	carillon__envelope__init(&envelope);
	carillon__wallet_command__init(&command);
	envelope.schema = 1;
	envelope.time_us = clock_wall_us();
	envelope.source = SOURCE;
	command.envelope = &envelope;
	command.player = bench_player_id(at);
	command.reply_to = REPLY_TO;
	command.correlation = at;
	if (what == BENCH_DEPOSIT) {
		deposit_fill(&outside, id, at);
		command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
		command.outside = &outside;
	} else {
		command.body_case = CARILLON__WALLET_COMMAND__BODY_PROPOSAL;
		command.proposal = &proposal;
		carillon__proposal__init(&proposal);
		proposal.kind = CARILLON__MOVE_KIND__MOVE_OPEN;
		proposal.currency = CURRENCY;
		if (what == BENCH_BET)
			bet_fill(players, &proposal, &players->player[at]);
	}
	size_t length = carillon__wallet_command__get_packed_size(&command);
	if (length > COMMAND_BYTES)
		fatal("a command of %zu bytes, expected at most %d", length, COMMAND_BYTES);
	(void)carillon__wallet_command__pack(&command, to);
	*message_r = (struct kafka_message){ .topic = TOPIC_WALLET_COMMANDS,
		.partition = shard_of_player(command.player, players->shards),
		.bytes = to,
		.length = length };
}

const struct kafka_message *bench_commands(
	struct bench_players *players, enum bench_command what, size_t n)
{
	noise_make();
	if (n > BENCH_BATCH_MAX || n > players->ours_n)
		fatal("a batch of %zu commands, expected at most %d and one a player (%zu)", n,
			BENCH_BATCH_MAX, players->ours_n);
	for (size_t i = 0; i < n; i++) {
		command_make(players, what, players->ours[players->next], bytes[i], &messages[i]);
		players->next = players->next + 1 == players->ours_n ? 0 : players->next + 1;
	}
	return messages;
}
