/*~ bus-bench: how many rounds a second the bus, the engine, the wallet and the pools settle,
 * without HTTP in between.
 *
 * It takes the gateway's place: commands to the owners of the shards, replies on a nanomsg socket
 * of its own. Each player has one move on its way at a time, follows the stages of his round and
 * bets again. Players are opened and given money first; they are kept apart from others by numbers
 * from
 * --first-player on. Prints one JSON object. */
#include "libcommon/base/ids.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/instance.h"
#include "libcommon/io/log.h"
#include "libcommon/io/nn_bus.h"
#include "libcommon/io/owners.h"
#include "libcommon/io/pg.h"
#include "libcommon/service/direct.h"
#include "libcommon/service/permit.h"

#include "bus.pb-c.h"
#include "spin.pb-c.h"
#include "wallet.pb-c.h"

#include <sodium.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_BYTES_MAX 1024
#define LATENCIES_MAX 4000000
#define REPEAT_US UINT64_C(3000000)
#define OPERATOR 1u
#define OWNERS_US 200000
#define FUNDS_MINOR INT64_C(100000000)

enum stage { STAGE_OPEN, STAGE_FUND, STAGE_PLAY };

struct player {
	player_id id;
	enum stage stage;
	uint64_t expect, round;
	uint64_t sent_us;
	uint32_t cursor, picks_left;
	bool picking, watching;
	uint64_t request; /* rises with each new command; its key */
};

/* What may be played in: the smallest coin value of the game. */
static struct money_of {
	char code[4];
	uint32_t number;
	int64_t coin_minor;
} CURRENCIES[] = { { "EUR", 978, 1 }, { "SEK", 752, 10 } };

struct bench {
	PGconn *pg;
	struct owners *owners;
	uint64_t owners_us;
	struct nn_bus *bus;
	char url[256], name[32];
	uint32_t shards;
	struct player *players;
	uint32_t players_n;
	uint32_t ready; /* players who play */
	uint64_t settled, refused, errors, repeats;
	uint32_t *latencies_us;
	size_t latencies_n;
	bool measuring;
	uint8_t run[16];
	struct money_of *money;
};

/* The generated code wants texts that may be written. */
static char NAME[] = "bus-bench", GAME[] = "bewitched", PICK[] = "pick", NEXT[] = "next";

static void key_of(const struct bench *bench, const struct player *player, uint8_t *key_r)
{
	uint8_t text[32];
	memcpy(text, bench->run, 16);
	memcpy(text + 16, &player->id, 8);
	memcpy(text + 24, &player->request, 8);
	crypto_generichash(key_r, 16, text, sizeof(text), NULL, 0);
}

static void envelope_fill(Carillon__Envelope *envelope)
{
	carillon__envelope__init(envelope);
	envelope->schema = 1;
	envelope->time_us = clock_wall_us();
	envelope->source = NAME;
}

static void produce(struct bench *bench, enum topic topic, const struct player *player,
	const ProtobufCMessage *message)
{
	uint8_t bytes[COMMAND_BYTES_MAX];
	uint8_t packed[COMMAND_BYTES_MAX + DIRECT_HEAD_MAX];
	uint32_t shard = shard_of_player(player->id, bench->shards);
	const char *server = topic == TOPIC_SPIN_COMMANDS ? "spin-engine" : "wallet";
	size_t length = protobuf_c_message_get_packed_size(message);
	if (length > sizeof(bytes))
		fatal("a command of %zu bytes, expected at most %zu", length, sizeof(bytes));
	protobuf_c_message_pack(message, bytes);
	length = direct_pack(topic, shard, bytes, length, packed);
	nn_bus_gather(bench->bus, owners_of(bench->owners, server, shard)->url, packed, length);
}

static void send_fund(struct bench *bench, struct player *player)
{
	Carillon__Envelope envelope;
	Carillon__Outside outside;
	Carillon__WalletCommand command;
	uint8_t key[16];
	envelope_fill(&envelope);
	carillon__outside__init(&outside);
	carillon__wallet_command__init(&command);
	key_of(bench, player, key);
	outside.kind = CARILLON__MOVE_KIND__MOVE_DEPOSIT;
	outside.id = (ProtobufCBinaryData){ sizeof(key), key };
	outside.content_hash = outside.id;
	outside.amount_minor = FUNDS_MINOR;
	outside.currency = bench->money->number;
	outside.actor = NAME;
	command.envelope = &envelope;
	command.player = player->id;
	command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
	command.outside = &outside;
	command.reply_to = bench->url;
	command.correlation = (uint64_t)(player - bench->players);
	produce(bench, TOPIC_WALLET_COMMANDS, player, &command.base);
}

static void spin_of(const struct bench *bench, struct player *player,
	Carillon__SpinCommand *command, Carillon__Bet *bet)
{
	if (player->stage == STAGE_OPEN) {
		command->kind = CARILLON__SPIN_KIND__SPIN_OPEN;
		command->currency = bench->money->code;
		return;
	}
	command->game = GAME;
	command->expect = player->expect;
	if (player->watching) {
		command->kind = CARILLON__SPIN_KIND__SPIN_STEP;
		command->action = player->picking ? PICK : NEXT;
		command->round = player->round;
		command->cursor = player->cursor;
		/* another vial each time: one that is taken already is a repeated request */
		command->choice = player->picks_left > 0 ? player->picks_left - 1 : 0;
		return;
	}
	command->kind = CARILLON__SPIN_KIND__SPIN_BET;
	bet->coin_minor = bench->money->coin_minor;
	bet->lines = 15;
	bet->coins = 1;
	command->bet = bet;
}

static void send_command(struct bench *bench, struct player *player)
{
	player->sent_us = clock_mono_us();
	if (player->stage == STAGE_FUND) {
		send_fund(bench, player);
		return;
	}
	Carillon__Envelope envelope;
	Carillon__Bet bet;
	Carillon__SpinCommand command;
	uint8_t key[16];
	envelope_fill(&envelope);
	carillon__bet__init(&bet);
	carillon__spin_command__init(&command);
	key_of(bench, player, key);
	command.envelope = &envelope;
	command.player = player->id;
	command.request_id = (ProtobufCBinaryData){ sizeof(key), key };
	command.content_hash = command.request_id;
	command.client_nonce = command.request_id;
	/* with the request's number: a second answer to an earlier command is no answer to this one
	 */
	command.correlation = player->request << 24 | (uint64_t)(player - bench->players);
	command.reply_to = bench->url;
	command.not_after_us = clock_wall_us() + UINT64_C(10000000);
	spin_of(bench, player, &command, &bet);
	produce(bench, TOPIC_SPIN_COMMANDS, player, &command.base);
}

static void next_command(struct bench *bench, struct player *player)
{
	player->request++;
	send_command(bench, player);
}

static void on_verdict(struct bench *bench, const Carillon__WalletFact *fact)
{
	if (fact->correlation >= bench->players_n)
		return;
	struct player *player = &bench->players[fact->correlation];
	if (player->stage != STAGE_FUND || fact->player != player->id)
		return;
	if (fact->refusal != CARILLON__REFUSAL__REFUSAL_NONE)
		fatal("a deposit was refused: %d", (int)fact->refusal);
	player->stage = STAGE_PLAY;
	bench->ready++;
	next_command(bench, player);
}

static void note_latency(struct bench *bench, const struct player *player)
{
	if (bench->measuring && bench->latencies_n < LATENCIES_MAX)
		bench->latencies_us[bench->latencies_n++] =
			(uint32_t)(clock_mono_us() - player->sent_us);
}

static void follow(struct player *player, const Carillon__SpinReply *reply)
{
	const Carillon__RoundView *round = reply->round;
	player->expect = reply->expect;
	player->picking = round && strcmp(round->next, "pick") == 0;
	player->watching = player->picking || (round && strcmp(round->next, "next") == 0);
	if (round) {
		player->round = round->round;
		player->cursor = round->cursor;
		player->picks_left = round->picks_left;
	}
}

static void on_reply(struct bench *bench, const Carillon__SpinReply *reply)
{
	uint64_t at = reply->correlation & 0xffffff;
	if (at >= bench->players_n)
		return;
	struct player *player = &bench->players[at];
	if (reply->player != player->id || reply->correlation >> 24 != player->request ||
		player->stage == STAGE_FUND)
		return;
	if (player->stage == STAGE_OPEN) {
		if (reply->http_status != 200)
			fatal("an account could not be opened: %u %s: %s", reply->http_status,
				reply->error, reply->message);
		player->expect = reply->expect;
		player->stage = STAGE_FUND;
		next_command(bench, player);
		return;
	}
	bool bet = !player->watching;
	if (reply->http_status == 200) {
		if (bet) {
			note_latency(bench, player);
			bench->settled += bench->measuring;
		}
	} else if (reply->http_status == 402 || reply->http_status == 409) {
		bench->refused += bench->measuring;
	} else {
		if (bench->errors == 0 && bench->measuring)
			log_warn("a bet was answered with %u %s: %s", reply->http_status,
				reply->error, reply->message);
		bench->errors += bench->measuring;
	}
	follow(player, reply);
	next_command(bench, player);
}

static void receive(struct bench *bench)
{
	size_t length;
	void *message;
	while ((message = nn_bus_receive(bench->bus, &length)) != NULL) {
		Carillon__Bus *bus = carillon__bus__unpack(NULL, length, message);
		if (bus && bus->body_case == CARILLON__BUS__BODY_REPLY)
			on_reply(bench, bus->reply);
		else if (bus && bus->body_case == CARILLON__BUS__BODY_VERDICT)
			on_verdict(bench, bus->verdict);
		if (bus)
			carillon__bus__free_unpacked(bus, NULL);
		nn_bus_message_free(message);
	}
}

/* Asks again what was not answered: replies may be lost, the same key never counts twice. */
static void repeat(struct bench *bench)
{
	uint64_t now = clock_mono_us();
	for (uint32_t i = 0; i < bench->players_n; i++)
		if (now - bench->players[i].sent_us > REPEAT_US) {
			bench->repeats++;
			send_command(bench, &bench->players[i]);
		}
}

static void list(void *context, const struct nn_bus_instance *instance)
{
	struct bench *bench = context;
	nn_bus_list(bench->bus, instance);
}

/* While Postgres is away, the owners stay those of the last answer. */
static void owners_read(struct bench *bench)
{
	const char *parameters[] = { bench->name };
	if (clock_mono_us() < bench->owners_us + OWNERS_US)
		return;
	bench->owners_us = clock_mono_us();
	if (PQstatus(bench->pg) != CONNECTION_OK)
		PQreset(bench->pg);
	PGresult *rows = pg_try(bench->pg, OWNERS_SQL, 1, parameters);
	if (PQresultStatus(rows) == PGRES_TUPLES_OK) {
		instance_put(
			bench->pg, bench->name, "gateway", bench->url, nn_bus_boot(bench->bus));
		owners_take(bench->owners, rows, list, bench);
	}
	PQclear(rows);
}

static void turn_until(struct bench *bench, uint64_t end_us, bool until_ready)
{
	uint64_t checked = clock_mono_us();
	struct pollfd readable = { .fd = nn_bus_fd(bench->bus), .events = POLLIN };
	while (clock_mono_us() < end_us && !(until_ready && bench->ready == bench->players_n)) {
		(void)poll(&readable, 1, 10);
		receive(bench);
		owners_read(bench);
		nn_bus_flush(bench->bus);
		if (clock_mono_us() - checked > 500000) {
			checked = clock_mono_us();
			repeat(bench);
		}
	}
}

static int by_size(const void *a, const void *b)
{
	uint32_t x, y;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static double percentile_ms(struct bench *bench, double q)
{
	if (bench->latencies_n == 0)
		return 0;
	return bench->latencies_us[(size_t)(q * (double)(bench->latencies_n - 1))] / 1000.0;
}

static uint64_t number(const char *name, const char *text, uint64_t min, uint64_t max)
{
	char *end;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (errno || *end || end == text || *text == '-' || value < min || value > max) {
		fprintf(stderr,
			"bus-bench: --%s: found '%s', expected a number from %" PRIu64
			" to %" PRIu64 "\n",
			name, text, min, max);
		exit(2);
	}
	return value;
}

static struct money_of *currency(const char *code)
{
	for (size_t i = 0; i < sizeof(CURRENCIES) / sizeof(CURRENCIES[0]); i++)
		if (strcmp(code, CURRENCIES[i].code) == 0)
			return &CURRENCIES[i];
	fprintf(stderr, "bus-bench: --currency: found '%s', expected EUR or SEK\n", code);
	exit(2);
}

struct options {
	const char *pg, *url, *keys;
	struct money_of *money;
	uint64_t players, first, seconds, warm_up, shards;
};

static struct options options_read(int argc, char **argv)
{
	static const struct option LONG[] = { { "pg", 1, 0, 'g' }, { "url", 1, 0, 'u' },
		{ "keys", 1, 0, 'k' }, { "players", 1, 0, 'p' }, { "first-player", 1, 0, 'f' },
		{ "seconds", 1, 0, 's' }, { "warm-up", 1, 0, 'w' }, { "shards", 1, 0, 'n' },
		{ "currency", 1, 0, 'c' }, { "help", 0, 0, 'h' }, { 0 } };
	struct options o = { NULL, "ipc://nn/gateway/bus-bench", "keys", &CURRENCIES[0], 2000,
		50000000, 10, 3, 4 };
	for (int c; (c = getopt_long(argc, argv, "", LONG, NULL)) != -1;) {
		switch (c) {
		case 'g':
			o.pg = optarg;
			break;
		case 'u':
			o.url = optarg;
			break;
		case 'k':
			o.keys = optarg;
			break;
		case 'p':
			o.players = number("players", optarg, 1, 1000000);
			break;
		case 'f':
			o.first = number("first-player", optarg, 1, PLAYER_NUMBER_MAX);
			break;
		case 's':
			o.seconds = number("seconds", optarg, 1, 3600);
			break;
		case 'w':
			o.warm_up = number("warm-up", optarg, 0, 3600);
			break;
		case 'c':
			o.money = currency(optarg);
			break;
		case 'n':
			o.shards = number("shards", optarg, 1, SHARDS_MAX);
			break;
		default:
			fprintf(stderr,
				"bus-bench --pg=DSN [--url=NANOMSG] [--keys=FOLDER] [--players=N] [--first-player=K] [--seconds=S] [--warm-up=S] [--shards=N] [--currency=EUR|SEK]\n");
			exit(c == 'h' ? 0 : 2);
		}
	}
	if (!o.pg || optind < argc) {
		fprintf(stderr, "bus-bench: %s, expected --pg=DSN; --help shows all\n",
			o.pg ? argv[optind] : "found no address of Postgres");
		exit(2);
	}
	return o;
}

static void players_make(struct bench *bench, const struct options *options)
{
	bench->players_n = (uint32_t)options->players;
	bench->players = calloc(bench->players_n, sizeof(*bench->players));
	bench->latencies_us = malloc(LATENCIES_MAX * sizeof(*bench->latencies_us));
	if (!bench->players || !bench->latencies_us)
		fatal("no memory for %u players", bench->players_n);
	/* Another run asks from the same address: its commands must not look like this one's. */
	uint32_t first = randombytes_random();
	for (uint32_t i = 0; i < bench->players_n; i++) {
		bench->players[i].request = first;
		if (!player_id_make(OPERATOR, options->first + i, &bench->players[i].id))
			fatal("player number %" PRIu64 " is too large", options->first + i);
	}
}

int main(int argc, char **argv)
{
	struct options options = options_read(argc, argv);
	static struct bench bench;
	if (sodium_init() < 0)
		return 1;
	log_open("bus-bench", "bus-bench", LOG_WARN);
	randombytes_buf(bench.run, sizeof(bench.run));
	(void)snprintf(bench.url, sizeof(bench.url), "%s", options.url);
	bench.shards = (uint32_t)options.shards;
	bench.money = options.money;
	(void)snprintf(bench.name, sizeof(bench.name), "%s-%d", NAME, (int)getpid());
	bench.bus = nn_bus_new(bench.url, "gateway", options.keys, permit_refusal);
	bench.owners = owners_new();
	bench.pg = pg_connect(options.pg, NAME, 10000);
	owners_read(&bench);
	players_make(&bench, &options);
	for (uint32_t i = 0; i < bench.players_n; i++)
		next_command(&bench, &bench.players[i]);
	turn_until(&bench, clock_mono_us() + UINT64_C(60000000), true);
	if (bench.ready < bench.players_n)
		fatal("only %u of %u players could be opened within 60 s", bench.ready,
			bench.players_n);
	turn_until(&bench, clock_mono_us() + options.warm_up * 1000000, false);
	/* The script that measures the processes' CPU waits for these two lines. */
	fprintf(stderr, "measuring\n");
	bench.measuring = true;
	uint64_t began = clock_mono_us();
	turn_until(&bench, began + options.seconds * 1000000, false);
	double seconds = (double)(clock_mono_us() - began) / 1e6;
	bench.measuring = false;
	fprintf(stderr, "measured\n");
	qsort(bench.latencies_us, bench.latencies_n, sizeof(*bench.latencies_us), by_size);
	printf("{\"rounds_per_s\":%.0f,\"settled\":%" PRIu64 ",\"refused\":%" PRIu64
	       ",\"errors\":%" PRIu64 ",\"repeats\":%" PRIu64
	       ",\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"players\":%u}\n",
		(double)bench.settled / seconds, bench.settled, bench.refused, bench.errors,
		bench.repeats, percentile_ms(&bench, 0.5), percentile_ms(&bench, 0.99),
		bench.players_n);
	/* What is on its way is left to the engine, which never gives up on a proposal. */
	instance_take_out(bench.pg, bench.name);
	PQfinish(bench.pg);
	owners_free(&bench.owners);
	nn_bus_free(&bench.bus);
	return 0;
}
