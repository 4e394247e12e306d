#include "tests/sim/clients/requests.h"

#include "libcommon/base/ask_again.h"
#include "services/gateway/core/inflight.h"
#include "tests/sim/judge/book.h"
#include "tests/sim/sim.h"

#include "bus.pb-c.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GATEWAYS 2
#define WAIT_US UINT64_C(8000000) /* GATEWAY_WAIT_MS */
#define TICK_US 50000
#define ARENA_BYTES (1024 * 1024)
#define COMMAND_MAX 8192
#define OWNERS_US 200000
#define TOLD_LEAST_US 200 /* from a notification of Postgres to the owners' rows */
#define TOLD_MOST_US 5000
#define SKEW_US 20000

struct open_request {
	struct requester *requester;
	enum topic topic; /* the kind of command */
	uint32_t shard;
	player_id player;
	uint8_t *bytes;
	size_t length;
	uint32_t times;
	uint64_t again_us, epochs;
};

struct gateway {
	char url[32];
	struct inflight inflight;
	struct open_request ask[INFLIGHT_MAX];
};

static struct gateway gateways[GATEWAYS];
static int64_t skew_us;
static uint64_t life; /* of the world: a tick of the last one does nothing */

/* ---- protobuf without malloc ---------------------------------------------------------------- */

static struct {
	_Alignas(16) uint8_t bytes[ARENA_BYTES];
	size_t used;
} arena;

static void *arena_alloc(void *data, size_t size)
{
	size_t need = (size + 15) & ~(size_t)15;
	void *out = arena.bytes + arena.used;

	(void)data;
	if (need > ARENA_BYTES - arena.used)
		return NULL;
	arena.used += need;
	return out;
}

static void arena_free(void *data, void *pointer)
{
	(void)data;
	(void)pointer;
}

static ProtobufCAllocator arena_allocator = { arena_alloc, arena_free, NULL };

/* ---- answers -------------------------------------------------------------------------------- */

static void finish(struct gateway *gateway, size_t slot, const struct answer *answer)
{
	struct open_request *ask = &gateway->ask[slot];
	struct requester *requester = ask->requester;

	free(ask->bytes);
	ask->bytes = NULL;
	ask->requester = NULL;
	requester->waiting = false;
	requester->answered(requester, answer);
}

static void on_answer(struct gateway *gateway, uint64_t correlation, player_id player,
	const struct answer *answer)
{
	size_t slot;

	if (!inflight_take(&gateway->inflight, correlation, &slot))
		return; /* late, or the second one */
	if (gateway->ask[slot].player != player)
		sim_fail("an answer for player %" PRId64 " came to a question of player %" PRId64,
			player, gateway->ask[slot].player);
	finish(gateway, slot, answer);
}

/* Nobody says what became of the request, as after a time-out. */
static void on_quarantined(struct gateway *gateway, uint64_t correlation)
{
	size_t slot;

	if (inflight_take(&gateway->inflight, correlation, &slot))
		finish(gateway, slot, &(struct answer){ 0 });
}

static void on_message(struct gateway *gateway, const uint8_t *bytes, size_t n)
{
	Carillon__Bus *bus;

	arena.used = 0;
	bus = carillon__bus__unpack(&arena_allocator, n, bytes);
	if (bus == NULL || bus->envelope == NULL || bus->envelope->schema != 1)
		sim_fail("a gateway got %zu bytes on nanomsg that are none of ours", n);
	if (bus->body_case == CARILLON__BUS__BODY_REPLY)
		on_answer(gateway, bus->reply->correlation, bus->reply->player,
			&(struct answer){ .reply = bus->reply });
	else if (bus->body_case == CARILLON__BUS__BODY_VERDICT)
		on_answer(gateway, bus->verdict->correlation, bus->verdict->player,
			&(struct answer){ .fact = bus->verdict });
	else if (bus->body_case == CARILLON__BUS__BODY_CARD)
		on_answer(gateway, bus->card->correlation, bus->card->player,
			&(struct answer){ .card = bus->card });
	else if (bus->body_case == CARILLON__BUS__BODY_QUARANTINED)
		on_quarantined(gateway, bus->quarantined->correlation);
}

static void on_first(const uint8_t *bytes, size_t n)
{
	on_message(&gateways[0], bytes, n);
}

static void on_second(const uint8_t *bytes, size_t n)
{
	on_message(&gateways[1], bytes, n);
}

/* ---- questions ------------------------------------------------------------------------------ */

uint64_t requests_wall_us(void)
{
	return (uint64_t)((int64_t)sim_now_us() + skew_us);
}

/* ---- owners, by the tables ---- */

static const char *requests_owner(const char *service, uint32_t shard, uint64_t *epoch_r)
{
	const struct fake_pg_table *shards = fake_pg_table("carillon.shard");
	const struct fake_pg_table *instances = fake_pg_table("carillon.instance");
	const struct fake_pg_row *row = NULL, *instance = NULL;
	const char *owner = NULL;
	size_t n;

	*epoch_r = 0;
	while (owner == NULL && (row = fake_pg_next(shards, row)) != NULL)
		if (strcmp(fake_pg_bytes(row, COLUMN(shards, "service"), &n), service) == 0 &&
			fake_pg_int(row, COLUMN(shards, "shard")) == (int64_t)shard) {
			owner = fake_pg_bytes(row, COLUMN(shards, "owner"), &n);
			*epoch_r = (uint64_t)fake_pg_int(row, COLUMN(shards, "epoch"));
		}
	while (owner != NULL && (instance = fake_pg_next(instances, instance)) != NULL)
		if (strcmp(fake_pg_bytes(instance, COLUMN(instances, "name"), &n), owner) == 0)
			return fake_pg_bytes(instance, COLUMN(instances, "nn_url"), &n);
	return NULL;
}

const char *requests_owner_url(const char *service, uint32_t shard)
{
	uint64_t epoch;

	return requests_owner(service, shard, &epoch);
}

/* ---- owners, as old as a gateway's knowledge of them ---- */

enum server { ENGINE, WALLET, POOL, CARDS, SERVERS_N };

static const char *const SERVERS[SERVERS_N] = { "spin-engine", "wallet", "progressive-pool",
	"jackpot-cards" };

static struct owner {
	char url[96];
	uint64_t epoch;
} owners[SERVERS_N][SHARDS_MAX];
static uint64_t owners_us;

static void owners_read(void)
{
	for (enum server i = ENGINE; i < SERVERS_N; i++)
		for (uint32_t shard = 0; shard < sim_world.shards; shard++) {
			struct owner *owner = &owners[i][shard];
			const char *url = requests_owner(SERVERS[i], shard, &owner->epoch);
			(void)snprintf(
				owner->url, sizeof(owner->url), "%s", url == NULL ? "" : url);
		}
	owners_us = sim_now_us();
}

static void servers_of(enum topic kind, enum server *first_r, enum server *last_r)
{
	*first_r = kind == TOPIC_SPIN_COMMANDS	   ? ENGINE
		   : kind == TOPIC_WALLET_COMMANDS ? WALLET
						   : POOL;
	*last_r = *first_r == POOL ? CARDS : *first_r;
}

static uint64_t epochs_of(enum topic kind, uint32_t shard)
{
	enum server first, last;
	uint64_t epochs = 0;

	servers_of(kind, &first, &last);
	for (enum server i = first; i <= last; i++)
		epochs += owners[i][shard].epoch;
	return epochs;
}

void requests_send(enum topic kind, uint32_t shard, const uint8_t *bytes, size_t n)
{
	static const Carillon__CommandKind KINDS[TOPICS_N] = {
		[TOPIC_SPIN_COMMANDS] = CARILLON__COMMAND_KIND__COMMAND_SPIN,
		[TOPIC_WALLET_COMMANDS] = CARILLON__COMMAND_KIND__COMMAND_WALLET,
		[TOPIC_JACKPOT_COMMANDS] = CARILLON__COMMAND_KIND__COMMAND_JACKPOT,
	};
	uint8_t packed[2 * COMMAND_MAX];
	enum server first, last;
	Carillon__Bus bus;
	Carillon__Command command;

	carillon__bus__init(&bus);
	carillon__command__init(&command);
	command.kind = KINDS[kind];
	command.shard = shard;
	command.body = (ProtobufCBinaryData){ n, (uint8_t *)(uintptr_t)bytes };
	bus.body_case = CARILLON__BUS__BODY_COMMAND;
	bus.command = &command;
	if (carillon__bus__get_packed_size(&bus) > sizeof(packed))
		sim_fail("a command of %zu bytes", n);
	size_t length = carillon__bus__pack(&bus, packed);
	if (sim_now_us() >= owners_us + OWNERS_US)
		owners_read();
	servers_of(kind, &first, &last);
	for (enum server i = first; i <= last; i++)
		if (owners[i][shard].url[0] != '\0')
			sim_bus_send(owners[i][shard].url, packed, length);
}

static void ask_owner(struct open_request *ask)
{
	requests_send(ask->topic, ask->shard, ask->bytes, ask->length);
	ask->epochs = epochs_of(ask->topic, ask->shard);
	ask->times++;
	ask->again_us = sim_now_us() + ask_again_us(ask->times, (uint64_t)ask->player);
}

static struct gateway *gateway_of(player_id player)
{
	return &gateways[(uint64_t)player % GATEWAYS];
}

static void envelope_fill(const struct gateway *gateway, Carillon__Envelope *envelope)
{
	carillon__envelope__init(envelope);
	envelope->schema = 1;
	envelope->time_us = requests_wall_us();
	envelope->source = (char *)(uintptr_t)gateway->url;
}

static bool begin(struct requester *requester, uint64_t *correlation_r, size_t *slot_r)
{
	struct gateway *gateway = gateway_of(requester->player);

	if (requester->waiting)
		sim_fail("the clients' own mistake: player %" PRId64 " asks twice",
			requester->player);
	if (!inflight_add(&gateway->inflight, sim_now_us(), correlation_r, slot_r))
		return false;
	requester->waiting = true;
	requester->asked_us = sim_now_us();
	return true;
}

static void go(struct requester *requester, size_t slot, struct open_request ask,
	const ProtobufCMessage *command)
{
	struct gateway *gateway = gateway_of(requester->player);

	ask.requester = requester;
	ask.player = requester->player;
	ask.length = protobuf_c_message_get_packed_size(command);
	ask.bytes = malloc(ask.length);
	if (ask.bytes == NULL || ask.length > COMMAND_MAX)
		sim_fail("a command of %zu bytes", ask.length);
	(void)protobuf_c_message_pack(command, ask.bytes);
	gateway->ask[slot] = ask;
	ask_owner(&gateway->ask[slot]);
}

static struct open_request of_player(enum topic topic, player_id player)
{
	return (struct open_request){ .topic = topic,
		.shard = shard_of_player(player, sim_world.shards) };
}

static struct open_request of_pool(uint32_t pool)
{
	return (struct open_request){ .topic = TOPIC_JACKPOT_COMMANDS,
		.shard = shard_of_pool(pool, sim_world.shards) };
}

/* The members that all commands have, and each in a place of its own. */
struct head {
	Carillon__Envelope **envelope;
	char **reply_to;
	uint64_t *correlation;
};

static bool send(struct requester *requester, struct open_request ask,
	const ProtobufCMessage *command, struct head head)
{
	struct gateway *gateway = gateway_of(requester->player);
	Carillon__Envelope envelope;
	size_t slot;

	if (!begin(requester, head.correlation, &slot))
		return false;
	envelope_fill(gateway, &envelope);
	*head.envelope = &envelope;
	*head.reply_to = gateway->url;
	go(requester, slot, ask, command);
	return true;
}

#define HEAD(command)                                                                              \
	((struct head){ &(command)->envelope, &(command)->reply_to, &(command)->correlation })

bool request_spin(struct requester *requester, Carillon__SpinCommand *command)
{
	command->player = requester->player;
	return send(requester, of_player(TOPIC_SPIN_COMMANDS, requester->player), &command->base,
		HEAD(command));
}

bool request_wallet(struct requester *requester, Carillon__WalletCommand *command)
{
	command->player = requester->player;
	return send(requester, of_player(TOPIC_WALLET_COMMANDS, requester->player), &command->base,
		HEAD(command));
}

bool request_cards(struct requester *requester, Carillon__JackpotCommand *command)
{
	return send(requester, of_pool(command->pool), &command->base, HEAD(command));
}

void request_pool(Carillon__JackpotCommand *command)
{
	Carillon__Envelope envelope;
	struct open_request ask = of_pool(command->pool);

	envelope_fill(&gateways[0], &envelope);
	command->envelope = &envelope;
	ask.length = carillon__jackpot_command__get_packed_size(command);
	ask.bytes = malloc(ask.length);
	if (ask.bytes == NULL)
		sim_fail("no memory for a command");
	(void)carillon__jackpot_command__pack(command, ask.bytes);
	ask_owner(&ask);
	free(ask.bytes);
}

/* ---- by nanomsg ----------------------------------------------------------------------------- */

void request_payments(player_id player, const uint8_t hold[REQUEST_ID_BYTES])
{
	const char *url = requests_owner_url("payments", shard_of_player(player, sim_world.shards));
	Carillon__Envelope envelope;
	Carillon__PaymentHint hint;
	Carillon__Bus bus;
	uint8_t bytes[256];

	if (url == NULL)
		return;
	envelope_fill(&gateways[0], &envelope);
	carillon__payment_hint__init(&hint);
	carillon__bus__init(&bus);
	hint.player = player;
	hint.id = (ProtobufCBinaryData){ REQUEST_ID_BYTES, (uint8_t *)(uintptr_t)hold };
	bus.envelope = &envelope;
	bus.body_case = CARILLON__BUS__BODY_HINT;
	bus.hint = &hint;
	sim_bus_send(url, bytes, carillon__bus__pack(&bus, bytes));
}

/* ---- time ----------------------------------------------------------------------------------- */

static void tick(struct gateway *gateway)
{
	uint64_t now_us = sim_now_us(), at = 0;
	size_t slot;

	while (inflight_next(&gateway->inflight, &at, &slot)) {
		struct open_request *ask = &gateway->ask[slot];
		bool moved = epochs_of(ask->topic, ask->shard) != ask->epochs;
		if (moved)
			ask->times = 0;
		if (moved || now_us >= ask->again_us)
			ask_owner(ask);
	}
	while (inflight_expire(&gateway->inflight, now_us, &slot))
		finish(gateway, slot, &(struct answer){ 0 });
}

static void on_tick(void *context)
{
	if ((uint64_t)(uintptr_t)context != life)
		return;
	if (sim_now_us() >= owners_us + OWNERS_US)
		owners_read();
	for (size_t i = 0; i < GATEWAYS; i++)
		tick(&gateways[i]);
	sim_at(sim_now_us() + TICK_US, on_tick, context);
}

static void on_owners(void *context)
{
	if ((uint64_t)(uintptr_t)context != life)
		return;
	owners_read();
	for (size_t i = 0; i < GATEWAYS; i++)
		tick(&gateways[i]);
}

static void on_told(void)
{
	sim_at(sim_now_us() + sim_random_us(TOLD_LEAST_US, TOLD_MOST_US), on_owners,
		(void *)(uintptr_t)life);
}

static void ring_begin(struct gateway *gateway)
{
	inflight_init(&gateway->inflight, sim_random(UINT64_MAX), WAIT_US);
}

void requests_gateway_dies(void)
{
	struct gateway *gateway = &gateways[sim_random(GATEWAYS)];
	struct open_request *lost = calloc(INFLIGHT_MAX, sizeof(*lost));
	size_t slot, n = 0;

	if (lost == NULL)
		sim_fail("no memory for the questions of a gateway");
	while (inflight_expire(&gateway->inflight, UINT64_MAX, &slot)) {
		lost[n++] = gateway->ask[slot];
		gateway->ask[slot] = (struct open_request){ 0 };
	}
	sim_trace("%s dies with %zu questions on their way", gateway->url, n);
	ring_begin(gateway);
	for (size_t i = 0; i < n; i++) {
		free(lost[i].bytes);
		lost[i].requester->waiting = false;
		lost[i].requester->answered(lost[i].requester, &(struct answer){ 0 });
	}
	free(lost);
}

void requests_begin(void)
{
	static void (*const take[GATEWAYS])(const uint8_t *, size_t) = { on_first, on_second };

	skew_us = (int64_t)sim_random(2 * SKEW_US) - SKEW_US;
	for (size_t i = 0; i < GATEWAYS; i++) {
		(void)snprintf(
			gateways[i].url, sizeof(gateways[i].url), "sim://gateway-%zu", i + 1);
		ring_begin(&gateways[i]);
		sim_bus_listen("gateway", gateways[i].url, take[i]);
	}
	memset(owners, 0, sizeof(owners)); /* those of the last world */
	owners_us = sim_now_us();
	sim_at(sim_now_us() + TICK_US, on_tick, (void *)(uintptr_t)++life);
	fake_pg_listen(on_told);
}

void requests_end(void)
{
	size_t slot;

	life++;
	for (size_t i = 0; i < GATEWAYS; i++)
		while (inflight_expire(&gateways[i].inflight, UINT64_MAX, &slot)) {
			free(gateways[i].ask[slot].bytes);
			gateways[i].ask[slot] = (struct open_request){ 0 };
		}
}

uint64_t requests_oldest_us(void)
{
	uint64_t oldest_us = 0;
	size_t slot;

	for (size_t i = 0; i < GATEWAYS; i++) {
		uint64_t at = 0;
		while (inflight_next(&gateways[i].inflight, &at, &slot)) {
			uint64_t us = sim_now_us() - gateways[i].ask[slot].requester->asked_us;
			if (us > oldest_us)
				oldest_us = us;
		}
	}
	return oldest_us;
}

size_t requests_open(void)
{
	return gateways[0].inflight.open + gateways[1].inflight.open;
}

/* ---- ids ------------------------------------------------------------------------------------ */

void requests_id(const char *first, const char *second, uint8_t id_r[REQUEST_ID_BYTES])
{
	crypto_hash_sha256_state state;
	uint8_t digest[crypto_hash_sha256_BYTES];

	(void)crypto_hash_sha256_init(&state);
	(void)crypto_hash_sha256_update(&state, (const unsigned char *)first, strlen(first) + 1);
	(void)crypto_hash_sha256_update(&state, (const unsigned char *)second, strlen(second));
	(void)crypto_hash_sha256_final(&state, digest);
	memcpy(id_r, digest, REQUEST_ID_BYTES);
}

void requests_hash(const void *bytes, size_t n, uint8_t hash_r[REQUEST_ID_BYTES])
{
	uint8_t digest[crypto_hash_sha256_BYTES];

	(void)crypto_hash_sha256(digest, bytes, n);
	memcpy(hash_r, digest, REQUEST_ID_BYTES);
}
