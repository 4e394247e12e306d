#include "services/wallet/adapters/fact.h"

#include "libcommon/io/log.h"

#include "bus.pb-c.h"
#include "wallet.pb-c.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define VARINT_MAX ((size_t)10)
#define LENGTH_DELIMITED 2u
#define VERDICT_FIELD 2u      /* of Bus */
#define CORRELATION_FIELD 22u /* of WalletFact */

/* A fact and all it points to. Static because it is large; there is only one at a time. */
static struct {
	Carillon__WalletFact fact;
	Carillon__Envelope envelope;
	Carillon__Award award;
	Carillon__Claim claims[WALLET_CLAIMS_MAX];
	Carillon__Claim *claim_pointers[WALLET_CLAIMS_MAX];
	uint8_t *bytes, *bus_bytes;
	size_t room, bus_room;
} build;

void fact_player_key(player_id player, uint8_t key_r[PLAYER_KEY_BYTES])
{
	uint64_t big = htobe64((uint64_t)player);

	memcpy(key_r, &big, sizeof(big));
}

void fact_pool_key(uint32_t pool, uint8_t key_r[POOL_KEY_BYTES])
{
	uint32_t big = htobe32(pool);

	memcpy(key_r, &big, sizeof(big));
}

static uint8_t *room_for(uint8_t **bytes, size_t *room, size_t size)
{
	if (*room < size) {
		*room = size * 2;
		*bytes = realloc(*bytes, *room);
		if (*bytes == NULL)
			fatal("out of memory: a fact of %zu bytes", size);
	}
	return *bytes;
}

/* protobuf-c takes non-const pointers but only reads what it packs. */
static ProtobufCBinaryData borrowed(const uint8_t *bytes, size_t length)
{
	union {
		const uint8_t *from;
		uint8_t *to;
	} cast = { .from = bytes };

	return (ProtobufCBinaryData){ length, cast.to };
}

static void award_fill(Carillon__Award *to, const struct wallet_award *award)
{
	carillon__award__init(to);
	to->move = award->move;
	to->index = award->index;
	to->pool = award->pool;
	to->paid_minor = award->paid;
	to->currency = award->currency;
	to->hit = award->hit;
}

static void claims_fill(Carillon__WalletFact *fact, const struct wallet_row *row)
{
	for (uint32_t i = 0; i < row->claims_n; i++) {
		Carillon__Claim *to = &build.claims[i];
		const struct wallet_claim *from = &row->claims[i];
		carillon__claim__init(to);
		to->index = from->index;
		to->pool = from->pool;
		to->kind = (Carillon__ClaimKind)from->kind;
		to->coin_minor = from->coin_minor;
		to->currency = row->currency;
		to->stake_minor = from->stake_minor;
		to->player = row->player;
		to->move = row->move;
		to->time_us = row->time_us;
		build.claim_pointers[i] = to;
	}
	fact->n_claims = row->claims_n;
	fact->claims = build.claim_pointers;
}

static void fact_fill(Carillon__WalletFact *fact, uint32_t shard, const struct wallet_row *row)
{
	carillon__wallet_fact__init(fact);
	fact->shard = shard;
	fact->player = row->player;
	fact->kind = (Carillon__MoveKind)row->kind;
	fact->move = row->move;
	fact->round = row->round;
	fact->game = row->game;
	fact->refusal = (Carillon__Refusal)row->refusal;
	fact->currency = row->currency;
	fact->release = row->release;
	fact->stake = row->stake;
	fact->win_balance = row->win_balance;
	fact->win_pending = row->win_pending;
	fact->forfeit = row->forfeit;
	fact->amount = row->amount;
	fact->balance_after = row->balance_after;
	fact->pending_after = row->pending_after;
	fact->last_move = row->last_move;
	fact->mode = row->mode;
	fact->request_id = borrowed(row->request_id, row->request_id_length);
	fact->outside_id = borrowed(row->outside_id, row->outside_id_length);
	if (row->kind == WALLET_KIND_AWARD && row->move == 0 && !row->award_lost) {
		award_fill(&build.award, &row->award);
		fact->award = &build.award;
	} else {
		fact->record = borrowed(row->record, row->record_length);
	}
	claims_fill(fact, row);
}

const uint8_t *fact_pack(struct service *service, const struct service_shard *shard,
	const struct wallet_row *row, const Carillon__Envelope *asked, size_t *length_r)
{
	fact_fill(&build.fact, shard->shard, row);
	carillon__envelope__init(&build.envelope);
	service_envelope(service, &build.envelope, shard->incarnation, row->seq);
	build.envelope.time_us =
		row->time_us; /* the time of booking, even when it is published again */
	if (asked != NULL && log_sampled(asked->trace.data, asked->trace.len))
		build.envelope.trace = asked->trace;
	build.fact.envelope = &build.envelope;
	size_t size = carillon__wallet_fact__get_packed_size(&build.fact);
	uint8_t *bytes = room_for(&build.bytes, &build.room, size);
	*length_r = carillon__wallet_fact__pack(&build.fact, bytes);
	return bytes;
}

static size_t varint_put(uint8_t *to, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		to[n++] = (uint8_t)(value | 0x80);
	to[n++] = (uint8_t)value;
	return n;
}

/* A verdict is a fact plus the correlation, and a message may have its fields in any order. So the
 * fact's bytes are copied and the correlation appended. Packing the fact a second time would cost
 * as much as applying the command. */
const uint8_t *fact_verdict(struct service *service, const struct service_shard *shard,
	const uint8_t *fact, size_t fact_length, uint64_t correlation, size_t *length_r)
{
	Carillon__Bus bus;
	Carillon__Envelope envelope;
	uint8_t behind[2 * VARINT_MAX];
	size_t behind_n = varint_put(behind, CORRELATION_FIELD << 3);

	behind_n += varint_put(behind + behind_n, correlation);
	if (correlation == 0)
		behind_n = 0; /* as protobuf-c packs it */
	carillon__bus__init(&bus);
	carillon__envelope__init(&envelope);
	service_envelope(service, &envelope, shard->incarnation, 0);
	bus.envelope = &envelope;
	uint8_t *bytes = room_for(&build.bus_bytes, &build.bus_room,
		carillon__bus__get_packed_size(&bus) + 2 * VARINT_MAX + fact_length + behind_n);
	size_t n = carillon__bus__pack(&bus, bytes);
	n += varint_put(bytes + n, VERDICT_FIELD << 3 | LENGTH_DELIMITED);
	n += varint_put(bytes + n, fact_length + behind_n);
	memcpy(bytes + n, fact, fact_length);
	memcpy(bytes + n + fact_length, behind, behind_n);
	*length_r = n + fact_length + behind_n;
	return bytes;
}

size_t fact_award_pack(const struct wallet_award *award, uint8_t *bytes_r, size_t size)
{
	Carillon__Award message;

	award_fill(&message, award);
	if (carillon__award__get_packed_size(&message) > size)
		fatal("an award needs more than %zu bytes", size);
	return carillon__award__pack(&message, bytes_r);
}

bool fact_award_unpack(const uint8_t *bytes, size_t length, struct wallet_award *award_r)
{
	Carillon__Award *message = carillon__award__unpack(NULL, length, bytes);

	if (message == NULL)
		return false;
	*award_r = (struct wallet_award){ message->move, message->index, message->pool,
		message->currency, message->paid_minor, message->hit };
	carillon__award__free_unpacked(message, NULL);
	return true;
}
