/* Operators' back ends: money in and out, bonus funds, corrections, blocks, bonus spins. One
 * request at a time for a player, asked until it is answered, now and then once more, or with
 * other content under the same key. */
#include "tests/sim/clients/clients.h"
#include "tests/sim/fake_pg.h"
#include "tests/sim/judge/judge.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_US 400000
#define DECIDE_US UINT64_C(1500000) /* GATEWAY_DECIDE_AFTER_S: the provider may still be at it */
#define FUNDS INT64_C(20000)

static void wake(void *context);

/* ---- what it asks for ----------------------------------------------------------------------- */

static int64_t amount_of(const struct backend *backend, int64_t eur)
{
	return eur * (backend->client->currency == EUR ? 1 : 10);
}

/* The provider has paid, or has not; or both are said, of which one is too late. */
static void settle_hold(struct backend *backend, bool paid)
{
	backend->kind =
		paid ? CARILLON__MOVE_KIND__MOVE_CAPTURE : CARILLON__MOVE_KIND__MOVE_HOLD_RELEASE;
	backend->amount = backend->hold.amount;
	backend->of = backend->hold.id;
}

static void take_back(struct backend *backend)
{
	backend->kind = CARILLON__MOVE_KIND__MOVE_GRANT_BACK;
	backend->amount = 1 + (int64_t)sim_random((uint64_t)backend->funds.amount);
	backend->of = backend->funds.id;
}

/* What gateway.decide (services/gateway/migrations/0006_decision.sql) lets through: what the
 * provider has said, or may have been asked, is not decided otherwise, but the latter by force. */
static bool may_decide(const uint8_t id[REQUEST_ID_BYTES], bool paid)
{
	int64_t kind =
		paid ? CARILLON__MOVE_KIND__MOVE_CAPTURE : CARILLON__MOVE_KIND__MOVE_HOLD_RELEASE;
	int64_t outcome = judge_payout_outcome(id);

	if (!judge_hold_open(id))
		return true; /* the wallet will refuse it */
	if (judge_decision(id) != 0)
		return judge_decision(id) == kind;
	if (outcome != 0)
		return outcome == (paid ? 1 : 2);
	return !judge_payout_asked(id) || sim_random(2) == 0;
}

/* People decide what is stuck. What is settled is at times settled once more. */
static bool choose_hold(struct backend *backend)
{
	bool open = judge_hold_open(backend->hold.id), paid = sim_random(2) == 0;

	if (!open && sim_random(4) > 0)
		backend->hold.amount = 0;
	if (backend->hold.amount == 0 || sim_now_us() < backend->hold.since_us + DECIDE_US ||
		(open && !sim_chance(crowd.by_hand_ppm)) || !may_decide(backend->hold.id, paid))
		return false;
	settle_hold(backend, paid);
	return true;
}

/* What was begun is gone on with first, mostly. */
static bool choose_open(struct backend *backend)
{
	if (backend->hold.amount > 0 && choose_hold(backend))
		return true;
	if (backend->funds.amount == 0 || sim_random(4) > 0)
		return false;
	take_back(backend);
	return true;
}

static void begin(struct backend *backend)
{
	backend->key = ++backend->keys;
	backend->busy = true;
	backend->again = backend->other = false;
	backend->of = NULL;
}

/* So low that they are met, and at times none, or less than was used already. */
static void choose_limit(struct backend *backend)
{
	uint64_t dice = sim_random(100);

	backend->kind = CARILLON__MOVE_KIND__MOVE_LIMIT;
	backend->limit = (Carillon__Limit)(1 + sim_random(CARILLON__LIMIT__LIMIT_TIME));
	if (dice < 15)
		backend->limit = CARILLON__LIMIT__LIMIT_EXCLUSION;
	if (backend->limit == CARILLON__LIMIT__LIMIT_EXCLUSION)
		backend->amount = (int64_t)(requests_wall_us() / 1000000 + 1 + sim_random(6));
	else if (dice < 40)
		backend->amount = -1;
	else if (backend->limit == CARILLON__LIMIT__LIMIT_TIME)
		backend->amount = 1 + (int64_t)sim_random(20);
	else if (backend->limit >= CARILLON__LIMIT__LIMIT_DEPOSIT_DAY)
		backend->amount = amount_of(backend, (int64_t)sim_random(8 * FUNDS));
	else
		backend->amount = amount_of(backend, (int64_t)sim_random_us(50, FUNDS));
}

static void choose(struct backend *backend)
{
	uint64_t dice = sim_random(100);

	begin(backend);
	if (choose_open(backend))
		return;
	if (sim_chance(crowd.void_ppm)) {
		backend->round = judge_a_round(backend->client->id, &backend->game);
		backend->kind = CARILLON__MOVE_KIND__MOVE_VOID;
		if (backend->round != 0)
			return;
	}
	if (backend->client->limited && sim_random(5) == 0) {
		choose_limit(backend);
		return;
	}
	if (backend->keys == 1 || backend->client->wants_money || dice < 40) {
		backend->kind = CARILLON__MOVE_KIND__MOVE_DEPOSIT;
		backend->amount = amount_of(backend, FUNDS / 4 + (int64_t)sim_random(FUNDS));
	} else if (dice < 65) { /* sometimes more than there is */
		backend->kind = sim_random(2) == 0 && backend->hold.amount == 0
					? CARILLON__MOVE_KIND__MOVE_HOLD
					: CARILLON__MOVE_KIND__MOVE_WITHDRAWAL;
		backend->amount = amount_of(backend, 1 + (int64_t)sim_random(2 * FUNDS));
	} else if (dice < 75) {
		backend->kind = CARILLON__MOVE_KIND__MOVE_CORRECTION;
		backend->amount = (int64_t)sim_random(FUNDS) - FUNDS / 2;
		backend->amount += backend->amount == 0;
	} else if (dice < 85) {
		backend->kind = CARILLON__MOVE_KIND__MOVE_GRANT;
		backend->amount = amount_of(backend, 1 + (int64_t)sim_random(FUNDS / 4));
	} else if (dice < 90 || backend->blocked) {
		backend->kind = CARILLON__MOVE_KIND__MOVE_BLOCK;
		backend->amount = !backend->blocked;
	} else if (backend->has_grant && dice < 93) {
		backend->kind = CARILLON__MOVE_KIND__MOVE_SPINS_END;
		backend->amount = 0;
	} else {
		backend->kind = CARILLON__MOVE_KIND__MOVE_SPINS;
		backend->amount = 0;
		backend->spins = 1 + (uint32_t)sim_random(10);
		backend->spins_until_us = sim_now_us() + 1000000 + sim_random(60000000);
	}
	backend->client->wants_money = false;
}

/* ---- the command, as services/gateway/adapters/money.c and bonus_spins.c make it ---------------
 */

static char *writable(const char *constant)
{
	return (char *)(uintptr_t)constant;
}

static void fill_spins(const struct backend *backend, Carillon__SpinGrant *spins)
{
	if (backend->kind == CARILLON__MOVE_KIND__MOVE_SPINS_END) {
		spins->grant = (ProtobufCBinaryData){ REQUEST_ID_BYTES,
			(uint8_t *)(uintptr_t)backend->grant };
		return;
	}
	spins->game = sim_games[backend->key % SIM_GAMES].number;
	spins->coin_minor = backend->client->currency == EUR ? 1 : 10;
	spins->lines = 15;
	spins->coins = 1;
	spins->spins = backend->spins;
	spins->expires_us = backend->spins_until_us;
}

static bool has_spins(const struct backend *backend)
{
	return backend->kind == CARILLON__MOVE_KIND__MOVE_SPINS ||
	       backend->kind == CARILLON__MOVE_KIND__MOVE_SPINS_END;
}

static void content_hash(const struct backend *backend, const Carillon__Outside *outside,
	uint8_t hash_r[REQUEST_ID_BYTES])
{
	uint8_t packed[512];
	size_t n = carillon__outside__get_packed_size(outside);

	if (n > sizeof(packed) - 8)
		sim_fail("a booking of %zu bytes", n);
	(void)carillon__outside__pack(outside, packed);
	memcpy(packed + n, &backend->client->id, 8);
	requests_hash(packed, n + 8, hash_r);
}

void backend_id(const struct backend *backend, uint8_t id_r[REQUEST_ID_BYTES])
{
	char key[64], operator_text[16];

	(void)snprintf(
		key, sizeof(key), "pay-%" PRId64 "-%" PRIu64, backend->client->id, backend->key);
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32,
		player_operator(backend->client->id));
	requests_id(key, operator_text, id_r);
}

static void hex(const uint8_t *bytes, size_t n, char *text_r)
{
	text_r += sprintf(text_r, "\\x");
	for (size_t i = 0; i < n; i++)
		text_r += sprintf(text_r, "%02x", bytes[i]);
}

/* A decision by hand is kept before the wallet is told, with what it is told: payments tells it
 * again. */
static void decision_keep(const struct backend *backend, const Carillon__Outside *outside)
{
	uint8_t packed[512];
	char texts[2][2 * REQUEST_ID_BYTES + 3], command[2 * sizeof(packed) + 3], kind[16];
	const char *parameters[] = { texts[0], texts[1], kind, command };

	if (backend->of != backend->hold.id || backend->other ||
		!judge_hold_open(backend->hold.id) || judge_decision(backend->hold.id) != 0)
		return;
	hex(backend->hold.id, REQUEST_ID_BYTES, texts[0]);
	hex(outside->id.data, REQUEST_ID_BYTES, texts[1]);
	hex(packed, carillon__outside__pack(outside, packed), command);
	(void)snprintf(kind, sizeof(kind), "%d", (int)backend->kind);
	(void)fake_pg_run("insert into gateway.decision (hold, id, kind, forced, command, actor, "
			  "request_id) values ($1::bytea, $2::bytea, $3::integer, true, $4::bytea, "
			  "'ada', '1')",
		4, parameters);
}

/* As services/gateway/adapters/voids.c makes it. */
static bool ask_void(struct backend *backend)
{
	Carillon__SpinCommand command;
	char key[64], content[64];
	uint8_t id[REQUEST_ID_BYTES], hash[REQUEST_ID_BYTES];

	carillon__spin_command__init(&command);
	(void)snprintf(
		key, sizeof(key), "void-%" PRId64 "-%" PRIu64, backend->client->id, backend->key);
	(void)snprintf(content, sizeof(content), "void %" PRIu32 " %" PRIu64, backend->game,
		backend->round);
	requests_id(key, "void", id);
	requests_id(content, "simulated", hash);
	command.kind = CARILLON__SPIN_KIND__SPIN_VOID;
	command.game = writable(sim_games[backend->game - 1].id);
	command.round = backend->round;
	command.reason = writable("simulated");
	command.request_id = (ProtobufCBinaryData){ REQUEST_ID_BYTES, id };
	command.content_hash = (ProtobufCBinaryData){ REQUEST_ID_BYTES, hash };
	return request_spin(&backend->requester, &command);
}

static bool ask(struct backend *backend)
{
	Carillon__WalletCommand command;
	Carillon__Outside outside;
	Carillon__SpinGrant spins;
	uint8_t id[REQUEST_ID_BYTES], hash[REQUEST_ID_BYTES];

	if (backend->kind == CARILLON__MOVE_KIND__MOVE_VOID)
		return ask_void(backend);
	carillon__wallet_command__init(&command);
	carillon__outside__init(&outside);
	carillon__spin_grant__init(&spins);
	outside.kind = backend->kind;
	outside.amount_minor = backend->amount + (backend->other ? 1 : 0);
	if (backend->kind != CARILLON__MOVE_KIND__MOVE_BLOCK)
		outside.currency = backend->client->currency;
	outside.reason = writable("simulated");
	outside.actor = writable("operator");
	if (backend->kind == CARILLON__MOVE_KIND__MOVE_LIMIT)
		outside.limit = backend->limit;
	if (has_spins(backend)) {
		fill_spins(backend, &spins);
		outside.spins = &spins;
	}
	if (backend->of != NULL)
		outside.of = (ProtobufCBinaryData){ REQUEST_ID_BYTES,
			(uint8_t *)(uintptr_t)backend->of };
	content_hash(backend, &outside, hash);
	backend_id(backend, id);
	outside.id = (ProtobufCBinaryData){ REQUEST_ID_BYTES, id };
	outside.content_hash = (ProtobufCBinaryData){ REQUEST_ID_BYTES, hash };
	decision_keep(backend, &outside);
	command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
	command.outside = &outside;
	return request_wallet(&backend->requester, &command);
}

/* ---- its answers ---------------------------------------------------------------------------- */

static void taken_open(struct backend *backend, const Carillon__WalletFact *fact)
{
	if (backend->kind == CARILLON__MOVE_KIND__MOVE_HOLD) {
		backend_id(backend, backend->hold.id);
		backend->hold.amount = -fact->amount;
		backend->hold.since_us = sim_now_us();
	} else if (backend->kind == CARILLON__MOVE_KIND__MOVE_GRANT) {
		backend_id(backend, backend->funds.id);
		backend->funds.amount = fact->amount;
	}
}

static void taken(struct backend *backend, const Carillon__WalletFact *fact)
{
	if (fact->refusal != CARILLON__REFUSAL__REFUSAL_NONE)
		return;
	taken_open(backend, fact);
	if (backend->kind == CARILLON__MOVE_KIND__MOVE_BLOCK)
		backend->blocked = fact->amount != 0;
	backend->has_grant =
		backend->kind == CARILLON__MOVE_KIND__MOVE_SPINS ||
		(backend->has_grant && backend->kind != CARILLON__MOVE_KIND__MOVE_SPINS_END);
	if (backend->kind == CARILLON__MOVE_KIND__MOVE_SPINS)
		backend_id(backend, backend->grant);
}

static uint64_t on_fact(struct backend *backend, const Carillon__WalletFact *fact)
{
	uint8_t id[REQUEST_ID_BYTES];

	backend_id(backend, id);
	judge_reply_fact(backend, id, fact);
	if (!backend->again && !backend->other) {
		taken(backend, fact);
		backend->again = !crowd.draining && sim_chance(crowd.again_ppm);
		backend->other = backend->again && !has_spins(backend) && sim_random(2) == 0;
		if (backend->again)
			return AGAIN_US / 4;
	}
	backend->busy = backend->again = backend->other = false;
	return 1 + sim_random(2 * crowd.backend_us);
}

/* What cannot be done now is asked for again. */
static uint64_t on_void(struct backend *backend, const Carillon__SpinReply *reply)
{
	if (reply->http_status == 503)
		return AGAIN_US;
	if (reply->http_status == 200 || strcmp(reply->error, "already_done") == 0)
		judge_reply_void(backend->client->id, backend->round);
	backend->again = !backend->again && !crowd.draining && sim_chance(crowd.again_ppm);
	backend->busy = backend->again;
	return 1 + sim_random(2 * crowd.backend_us);
}

static void answered(struct requester *requester, const struct answer *answer)
{
	struct backend *backend = (struct backend *)requester;
	uint64_t after_us = AGAIN_US;

	if (answer->fact != NULL)
		after_us = on_fact(backend, answer->fact);
	else if (answer->reply != NULL)
		after_us = on_void(backend, answer->reply);
	else if (!sim_world.faulty && sim_world.scenario == NULL)
		sim_fail("player %" PRId64 ": a booking had no answer in a world without faults",
			requester->player);
	crowd_at(after_us, wake, backend);
}

static bool open_things(const struct backend *backend)
{
	return backend->blocked || (backend->hold.amount > 0 && judge_hold_open(backend->hold.id));
}

/* At the end nobody stays blocked. Withdrawals settle by themselves. */
static void finish(struct backend *backend)
{
	if (!backend->blocked)
		return;
	begin(backend);
	backend->kind = CARILLON__MOVE_KIND__MOVE_BLOCK;
	backend->amount = 0;
}

static void wake(void *context)
{
	struct backend *backend = context;

	if (backend->requester.waiting)
		return;
	if (!backend->client->opened) {
		crowd_at(AGAIN_US / 4, wake, backend);
		return;
	}
	if (!backend->busy) {
		if (crowd.draining && !open_things(backend)) {
			backend->asleep = true;
			return;
		}
		if (crowd.draining)
			finish(backend);
		else
			choose(backend);
	}
	if (!backend->busy || !ask(backend))
		crowd_at(AGAIN_US, wake, backend);
}

bool backend_settled(const struct backend *backend)
{
	return !backend->busy && !open_things(backend) && !backend->requester.waiting;
}

void backend_begin(struct backend *backend, struct client *client)
{
	*backend = (struct backend){ .requester = { .player = client->id, .answered = answered },
		.client = client };
	crowd_at(sim_random(100000), wake, backend);
}
