/* Requests to other services over Kafka, and their replies over nanomsg. Every message may be lost:
 * an open request is sent again. That is safe because the request has an id, and the service then
 * replies from its record. */
#include "services/gateway/adapters/gateway.h"

#include "bus.pb-c.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_MAX 16384
#define AGAIN_FIRST_US UINT64_C(1000000)
#define AGAIN_SECOND_US UINT64_C(3500000)
#define SILENCE_US (10 * SECOND_US)
/* After more expired requests in a row than this, and no reply for SILENCE_US, the services count
 * as silent. */
#define SILENCE_REQUESTS 256
#define ARENA_BYTES ((size_t)4 << 20)

/* ---- protobuf without malloc: one message at a time
 * --------------------------------------------------------------------------- */

static struct {
	_Alignas(16) uint8_t bytes[ARENA_BYTES];
	size_t used;
} arena;

static void *arena_alloc(void *data, size_t size)
{
	(void)data;
	size_t need = (size + 15) & ~(size_t)15;
	if (need > ARENA_BYTES - arena.used)
		return NULL;
	void *out = arena.bytes + arena.used;
	arena.used += need;
	return out;
}

static void arena_free(void *data, void *pointer)
{
	(void)data;
	(void)pointer;
}

static ProtobufCAllocator arena_allocator = { arena_alloc, arena_free, NULL };

/* ---- requests
 * --------------------------------------------------------------------------------------------------------------------
 */

void answer_timed_out(struct edge_request *request)
{
	edge_answer_error(request, 504, "no_answer",
		"No answer came in time. The request may have taken effect. Retry with the "
		"same Idempotency-Key, and with the same \"expect\" if the request has one.",
		NULL, NULL, NULL);
}

/* Kafka keeps every command: while the services are silent, more commands would only lengthen the
 * queue. */
static bool services_silent(const struct gateway *gateway, uint64_t now_us)
{
	return gateway->expired_in_row > SILENCE_REQUESTS &&
	       now_us - gateway->last_reply_us > SILENCE_US &&
	       gateway->inflight.open > SILENCE_REQUESTS;
}

static void produce(struct gateway *gateway, const struct service_request *sent)
{
	uint8_t key[8];
	uint64_t number = sent->pool > 0 ? sent->pool : (uint64_t)sent->player;
	uint32_t partition = sent->pool > 0 ? shard_of_pool(sent->pool, gateway->shards)
					    : shard_of_player(sent->player, gateway->shards);
	for (int i = 0; i < 8; i++)
		key[i] = (uint8_t)(number >> (56 - 8 * i));
	kafka_produce(gateway->producer, sent->topic, partition, key, sizeof(key), sent->bytes,
		sent->length);
}

static bool refused_busy(struct edge_request *request)
{
	edge_answer_header(request, "Retry-After", "1");
	edge_answer_error(request, 503, "busy",
		"Too many requests are waiting for an answer. Nothing was done. Try again.", NULL,
		NULL, NULL);
	return false;
}

static void go(struct gateway *gateway, struct edge_request *request, struct service_request *sent,
	size_t slot, const ProtobufCMessage *command)
{
	sent->ticket = edge_ticket(request);
	sent->length = protobuf_c_message_get_packed_size(command);
	if (sent->length > COMMAND_MAX)
		fatal("a command has %zu bytes, expected at most %d: the tables of request "
		      "fields allow values that are too long",
			sent->length, COMMAND_MAX);
	sent->bytes = malloc(sent->length);
	if (sent->bytes == NULL)
		fatal("out of memory");
	(void)protobuf_c_message_pack(command, sent->bytes);
	gateway->requests[slot] = *sent;
	produce(gateway, sent);
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
		!inflight_add(&gateway->inflight, now_us, correlation_r, slot_r))
		return refused_busy(request);
	memcpy(sent->trace, edge_trace(request), EDGE_TRACE_BYTES);
	envelope_fill(envelope, sent);
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
	sent.done(gateway, edge_find(gateway->edge, sent.ticket), &sent, reply, fact);
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
	gateway->last_reply_us = edge_now_us(gateway->edge);
	gateway->expired_in_row = 0;
	if (gateway->requests[slot].player != player) {
		log_error("ALARM a request of player %" PRId64 " got a reply for player %" PRId64,
			gateway->requests[slot].player, player);
		reply = NULL;
		fact = NULL;
		answer = NULL;
	}
	finish(gateway, slot, reply, fact, answer);
}

static void on_message(struct gateway *gateway, const uint8_t *bytes, size_t length)
{
	arena.used = 0;
	Carillon__Bus *bus = carillon__bus__unpack(&arena_allocator, length, bytes);
	if (bus == NULL || bus->envelope == NULL || bus->envelope->schema != 1) {
		metric_add(gateway->metric.unreadable, 1);
		log_warn("a message of %zu bytes on nanomsg that cannot be read", length);
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
	}
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

void service_requests_tick(struct gateway *gateway, uint64_t now_us)
{
	static const uint64_t after_us[INFLIGHT_AGAINS] = { AGAIN_FIRST_US, AGAIN_SECOND_US };
	size_t slot;
	for (size_t i = 0; i < INFLIGHT_AGAINS; i++)
		while (inflight_again(&gateway->inflight, i, after_us[i], now_us, &slot)) {
			metric_add(gateway->metric.again, 1);
			produce(gateway, &gateway->requests[slot]);
		}
	while (inflight_expire(&gateway->inflight, now_us, &slot)) {
		metric_add(gateway->metric.expired, 1);
		gateway->expired_in_row++;
		finish(gateway, slot, NULL, NULL, NULL);
	}
	metric_set(gateway->metric.open, (int64_t)gateway->inflight.open);
}
