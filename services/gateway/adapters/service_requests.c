/* Requests to other services over nanomsg, and their replies. A request goes to the instance that
 * owns its shard. Every message may be lost: an open request is sent again. That is safe because
 * the request has an id, and the service then replies from its record. */
#include "services/gateway/adapters/traced.h"

#include "bus.pb-c.h"
#include "libcommon/base/ask_again.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/service/direct.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_MAX 16384
#define AGAINS_MAX 256 /* requests sent again in one tick: the others wait for the next */
#define SILENCE_US (10 * SECOND_US)
/* After more expired requests in a row than this, and no reply for SILENCE_US, the services count
 * as silent. */
#define SILENCE_REQUESTS 256

static struct arena arena; /* for the message in hand */

/* ---- requests
 * --------------------------------------------------------------------------------------------------------------------
 */

uint32_t unanswered_status(const struct service_request *sent)
{
	return sent->handed && !sent->quarantined ? 504 : 503;
}

void answer_timed_out(struct edge_request *request, const struct service_request *sent)
{
	if (sent->quarantined && sent->account) {
		edge_answer_error(request, 503, "account_quarantined",
			"This account is quarantined: a record of it cannot be read. The operator "
			"has been alerted.",
			NULL, NULL, NULL);
		return;
	}
	if (sent->quarantined) {
		edge_answer_error(request, 503, "quarantined",
			"This request has stopped a service several times, so it is no longer "
			"carried out. It may have taken effect: load the state to see.",
			NULL, NULL, NULL);
		return;
	}
	if (!sent->handed) {
		edge_answer_header(request, "Retry-After", "1");
		edge_answer_error(request, 503, "no_owner",
			"No service is responsible for this player or pool at the moment, so "
			"this request had no effect. If an earlier request with the same key "
			"was answered 504, it may have taken effect. Try again with the same "
			"key.",
			NULL, NULL, NULL);
		return;
	}
	edge_answer_error(request, 504, "no_answer",
		"No answer came in time. The request may have taken effect. Retry with the "
		"same Idempotency-Key, and with the same \"expect\" if the request has one.",
		NULL, NULL, NULL);
}

/* While the services are silent, more requests would only wait in vain. */
static bool services_silent(const struct gateway *gateway, uint64_t now_us)
{
	return gateway->expired_in_row > SILENCE_REQUESTS &&
	       now_us - gateway->last_reply_us > SILENCE_US &&
	       gateway->inflight.open > SILENCE_REQUESTS;
}

/* The services that a request goes to. A pool's number does not say whether it is a progressive or
 * a set of Jackpot Cards: the service that does not own it ignores the command. */
static const char *const *servers_of(const struct service_request *sent)
{
	static const char *const ENGINE[] = { "spin-engine", NULL };
	static const char *const WALLET[] = { "wallet", NULL };
	static const char *const JACKPOT[] = { "progressive-pool", "jackpot-cards", NULL };
	static const char *only[2];
	only[0] = sent->only;
	return sent->only != NULL		      ? only
	       : sent->topic == TOPIC_SPIN_COMMANDS   ? ENGINE
	       : sent->topic == TOPIC_WALLET_COMMANDS ? WALLET
						      : JACKPOT;
}

static uint64_t epochs_of(const struct gateway *gateway, const struct service_request *sent)
{
	uint64_t epochs = 0;
	for (const char *const *server = servers_of(sent); *server != NULL; server++)
		epochs += owners_of(gateway->owners, *server, sent->shard)->epoch;
	return epochs;
}

/* It leaves at the end of this turn of the loop. */
static void ask(struct gateway *gateway, struct service_request *sent, uint64_t now_us)
{
	for (const char *const *server = servers_of(sent); *server != NULL; server++) {
		const struct owner *owner = owners_of(gateway->owners, *server, sent->shard);
		nn_bus_gather(gateway->bus, owner->url, sent->bytes, sent->length);
		sent->handed = sent->handed || owner->url[0] != '\0';
	}
	sent->epochs = epochs_of(gateway, sent);
	sent->times++;
	sent->again_us = now_us + ask_again_us(sent->times, sent->ticket);
}

/* A request that is recorded is carried out even if no service hears of it here. */
static bool refused_busy(struct edge_request *request, const struct service_request *sent)
{
	if (request == NULL)
		return false;
	if (sent->handed) {
		answer_timed_out(request, sent);
		return false;
	}
	answer_busy(request);
	return false;
}

/* Keeps the packed command in its slot and sends it. */
static void go_packed(struct gateway *gateway, struct edge_request *request,
	struct service_request *sent, size_t slot, const uint8_t *command, size_t length)
{
	sent->ticket = request == NULL ? 0 : edge_ticket(request);
	sent->shard = sent->pool > 0 ? shard_of_pool(sent->pool, gateway->shards)
				     : shard_of_player(sent->player, gateway->shards);
	sent->bytes = malloc(length + DIRECT_HEAD_MAX);
	if (sent->bytes == NULL)
		fatal("out of memory");
	sent->length = direct_pack(sent->topic, sent->shard, command, length, sent->bytes);
	gateway->requests[slot] = *sent;
	ask(gateway, &gateway->requests[slot], edge_now_us(gateway->edge));
}

static uint8_t packed[COMMAND_MAX];

static void go(struct gateway *gateway, struct edge_request *request, struct service_request *sent,
	size_t slot, const ProtobufCMessage *command)
{
	size_t length = protobuf_c_message_get_packed_size(command);
	if (length > COMMAND_MAX)
		fatal("a command has %zu bytes, expected at most %d: the tables of request "
		      "fields allow values that are too long",
			length, COMMAND_MAX);
	(void)protobuf_c_message_pack(command, packed);
	go_packed(gateway, request, sent, slot, packed, length);
}

static void envelope_fill(Carillon__Envelope *envelope, struct service_request *sent)
{
	carillon__envelope__init(envelope);
	envelope->schema = 1;
	envelope->time_us = clock_wall_us();
	envelope->source = common.instance;
	envelope->trace.data = sent->trace;
	envelope->trace.len = EDGE_TRACE_BYTES;
}

/* Takes a slot and fills the common fields of commands; the correlation must be in the message
 * before it is packed. */
static bool begin(struct gateway *gateway, struct edge_request *request,
	struct service_request *sent, Carillon__Envelope *envelope, uint64_t *correlation_r,
	size_t *slot_r)
{
	uint64_t now_us = edge_now_us(gateway->edge);
	if (services_silent(gateway, now_us) ||
		!admit_allows(&gateway->admit, gateway->inflight.open) ||
		!inflight_add(&gateway->inflight, now_us, correlation_r, slot_r))
		return refused_busy(request, sent);
	if (request != NULL)
		memcpy(sent->trace, edge_trace(request), EDGE_TRACE_BYTES);
	if (request != NULL && traced(sent))
		traced_begin(gateway, request, sent);
	envelope_fill(envelope, sent);
	if (request == NULL)
		envelope->trace.len = 0;
	return true;
}

bool request_spin(struct gateway *gateway, struct edge_request *request,
	struct service_request sent, Carillon__SpinCommand *command)
{
	Carillon__Envelope envelope;
	size_t slot;
	sent.topic = TOPIC_SPIN_COMMANDS;
	if (!begin(gateway, request, &sent, &envelope, &command->correlation, &slot))
		return false;
	command->envelope = &envelope;
	command->player = sent.player;
	command->reply_to = common.nn_url;
	go(gateway, request, &sent, slot, &command->base);
	return true;
}

bool request_wallet(struct gateway *gateway, struct edge_request *request,
	struct service_request sent, Carillon__WalletCommand *command)
{
	Carillon__Envelope envelope;
	size_t slot;
	sent.topic = TOPIC_WALLET_COMMANDS;
	if (!begin(gateway, request, &sent, &envelope, &command->correlation, &slot))
		return false;
	command->envelope = &envelope;
	command->player = sent.player;
	command->reply_to = common.nn_url;
	go(gateway, request, &sent, slot, &command->base);
	return true;
}

bool request_cards(struct gateway *gateway, struct edge_request *request,
	struct service_request sent, Carillon__JackpotCommand *command)
{
	Carillon__Envelope envelope;
	size_t slot;
	sent.topic = TOPIC_JACKPOT_COMMANDS;
	sent.pool = command->pool;
	if (!begin(gateway, request, &sent, &envelope, &command->correlation, &slot))
		return false;
	command->envelope = &envelope;
	command->reply_to = common.nn_url;
	go(gateway, request, &sent, slot, &command->base);
	return true;
}

/* The fields of a command that say where its reply goes, and nothing else. */
static size_t reply_fields(enum topic kind, uint64_t correlation, uint8_t *out)
{
	Carillon__WalletCommand wallet;
	Carillon__JackpotCommand jackpot;
	carillon__wallet_command__init(&wallet);
	carillon__jackpot_command__init(&jackpot);
	wallet.reply_to = jackpot.reply_to = common.nn_url;
	wallet.correlation = jackpot.correlation = correlation;
	return kind == TOPIC_WALLET_COMMANDS ? carillon__wallet_command__pack(&wallet, out)
					     : carillon__jackpot_command__pack(&jackpot, out);
}

bool request_again(
	struct gateway *gateway, struct service_request sent, const uint8_t *bytes, size_t length)
{
	Carillon__Envelope unused;
	uint64_t correlation;
	size_t slot;
	if (!begin(gateway, NULL, &sent, &unused, &correlation, &slot))
		return false;
	memcpy(packed, bytes, length);
	length += reply_fields(sent.topic, correlation, packed + length);
	go_packed(gateway, NULL, &sent, slot, packed, length);
	return true;
}

/* ---- answers
 * --------------------------------------------------------------------------------------------------------------------
 */

/* A reply of a jackpot service. */
struct answer {
	const Carillon__CardReply *card;
	const Carillon__OperatorReply *action;
};

static void finish(struct gateway *gateway, size_t slot, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact, const struct answer *answer)
{
	struct service_request sent = gateway->requests[slot];
	free(sent.bytes);
	gateway->requests[slot].bytes = NULL;
	sent.bytes = NULL;
	sent.card = answer == NULL ? NULL : answer->card;
	sent.action = answer == NULL ? NULL : answer->action;
	struct edge_request *request = edge_find(gateway->edge, sent.ticket);
	uint64_t began_us = request == NULL ? 0 : edge_began_us(request);
	log_trace(sent.trace, sent.ticket == 0 ? 0 : sizeof(sent.trace));
	sent.done(gateway, request, &sent, reply, fact);
	log_trace(NULL, 0);
	if (traced(&sent))
		traced_end(&sent, reply, fact, began_us);
}

static void on_answer(struct gateway *gateway, uint64_t correlation, player_id player,
	const Carillon__SpinReply *reply, const Carillon__WalletFact *fact,
	const struct answer *answer)
{
	size_t slot;
	if (!inflight_take(&gateway->inflight, correlation, &slot)) {
		metric_add(gateway->metric.late, 1);
		return;
	}
	admit_answered(&gateway->admit);
	gateway->last_reply_us = edge_now_us(gateway->edge);
	gateway->expired_in_row = 0;
	if (gateway->requests[slot].player != player) {
		log_error_as("gateway.reply.wrong_player",
			"ALARM a request of player %" PRId64 " got a reply for player %" PRId64,
			gateway->requests[slot].player, player);
		reply = NULL;
		fact = NULL;
		answer = NULL;
	}
	finish(gateway, slot, reply, fact, answer);
}

/* Of a pool's command the owner knows no player. */
static bool quarantined_is(
	const Carillon__Quarantined *quarantined, const struct service_request *sent)
{
	return direct_kind_is((uint32_t)quarantined->kind, sent->topic) &&
	       (quarantined->player == 0 || quarantined->player == sent->player);
}

static void on_quarantined(struct gateway *gateway, const Carillon__Quarantined *quarantined)
{
	size_t slot;
	if (!inflight_find(&gateway->inflight, quarantined->correlation, &slot) ||
		!quarantined_is(quarantined, &gateway->requests[slot]) ||
		!inflight_take(&gateway->inflight, quarantined->correlation, &slot)) {
		metric_add(gateway->metric.late, 1);
		return;
	}
	gateway->last_reply_us = edge_now_us(gateway->edge);
	gateway->expired_in_row = 0;
	gateway->requests[slot].quarantined = true;
	gateway->requests[slot].account = quarantined->account;
	finish(gateway, slot, NULL, NULL, NULL);
}

static void on_message(struct gateway *gateway, const uint8_t *bytes, size_t length)
{
	ProtobufCAllocator allocator = arena_allocator(&arena);
	const Carillon__Bus *bus = carillon__bus__unpack(&allocator, length, bytes);
	if (bus == NULL || bus->envelope == NULL || bus->envelope->schema != 1) {
		metric_add(gateway->metric.unreadable, 1);
		log_warn_as("bus.message.unreadable",
			"a message of %zu bytes on nanomsg that cannot be read", length);
	} else if (bus->body_case == CARILLON__BUS__BODY_REPLY && bus->reply != NULL) {
		on_answer(gateway, bus->reply->correlation, bus->reply->player, bus->reply, NULL,
			NULL);
	} else if (bus->body_case == CARILLON__BUS__BODY_VERDICT && bus->verdict != NULL) {
		on_answer(gateway, bus->verdict->correlation, bus->verdict->player, NULL,
			bus->verdict, NULL);
	} else if (bus->body_case == CARILLON__BUS__BODY_CARD && bus->card != NULL) {
		on_answer(gateway, bus->card->correlation, bus->card->player, NULL, NULL,
			&(struct answer){ .card = bus->card });
	} else if (bus->body_case == CARILLON__BUS__BODY_OPERATOR && bus->operator_ != NULL &&
		   bus->operator_->fact != NULL) {
		on_answer(gateway, bus->operator_->correlation, 0, NULL, NULL,
			&(struct answer){ .action = bus->operator_ });
	} else if (bus->body_case == CARILLON__BUS__BODY_QUARANTINED && bus->quarantined != NULL) {
		on_quarantined(gateway, bus->quarantined);
	}
	arena_reset(&arena);
}

void service_requests_on_bus(void *context)
{
	struct gateway *gateway = context;
	size_t length;
	void *message;
	while ((message = nn_bus_receive(gateway->bus, &length)) != NULL) {
		on_message(gateway, message, length);
		nn_bus_message_free(message);
	}
}

/* Unanswered for a while; or a shard has a new owner, which knows nothing of the request. */
static void ask_again(struct gateway *gateway, uint64_t now_us)
{
	uint64_t at = 0;
	size_t slot;
	for (int n = 0; n < AGAINS_MAX && inflight_next(&gateway->inflight, &at, &slot);) {
		struct service_request *sent = &gateway->requests[slot];
		bool moved = epochs_of(gateway, sent) != sent->epochs;
		if (now_us < sent->again_us && !moved)
			continue;
		if (moved) /* the new owner has as long for its answer as the first one had */
			sent->times = 0;
		metric_add(gateway->metric.again, 1);
		if (traced(sent))
			traced_again(sent);
		ask(gateway, sent, now_us);
		n++;
	}
}

void service_requests_tick(struct gateway *gateway, uint64_t now_us)
{
	size_t slot;
	admit_tick(&gateway->admit, now_us);
	ask_again(gateway, now_us);
	while (inflight_expire(&gateway->inflight, now_us, &slot)) {
		metric_add(gateway->metric.expired, 1);
		gateway->expired_in_row++;
		finish(gateway, slot, NULL, NULL, NULL);
	}
	metric_set(gateway->metric.open, (int64_t)gateway->inflight.open);
}

/* ---- owners
 * --------------------------------------------------------------------------------------------------------------------
 */

static void list(void *context, const struct nn_bus_instance *instance)
{
	struct gateway *gateway = context;
	nn_bus_list(gateway->bus, instance);
}

/* Without an answer from Postgres the owners stay those of the last one. */
static void on_owners(void *context, PGresult *result, const char *error)
{
	struct gateway *gateway = context;
	gateway->owners_waiting = false;
	if (error != NULL || PQresultStatus(result) != PGRES_TUPLES_OK)
		return;
	owners_take(gateway->owners, result, list, gateway);
	ask_again(gateway, edge_now_us(gateway->edge));
}

void service_requests_owners(struct gateway *gateway)
{
	const char *parameters[] = { common.instance };
	if (gateway->owners_waiting)
		return;
	gateway->owners_waiting = true;
	gateway->owners_told = false;
	gateway->owners_asked_us = edge_now_us(gateway->edge);
	pg_pool_query(gateway->pg, OWNERS_SQL, 1, parameters, QUERY_MS, on_owners, gateway);
}

void service_requests_owners_soon(struct gateway *gateway)
{
	if (gateway->owners_told &&
		edge_now_us(gateway->edge) >= gateway->owners_asked_us + OWNERS_TOLD_US)
		service_requests_owners(gateway);
}

void service_requests_owners_told(void *context)
{
	struct gateway *gateway = context;
	metric_add(gateway->metric.told, 1);
	gateway->owners_told = true;
	service_requests_owners_soon(gateway);
}

void service_requests_flush(struct gateway *gateway)
{
	nn_bus_flush(gateway->bus);
}
