/* Messages of pools and sets. */
#include "libcommon/jackpot/io/jackpot_send.h"

#include "libcommon/io/log.h"
#include "wallet.pb-c.h"

#include <stdlib.h>

#define KEY_BYTES 8
#define AMOUNTS 6 /* of a PoolState */

uint8_t *jackpot_pack(const ProtobufCMessage *message, size_t *length_r)
{
	*length_r = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = malloc(*length_r > 0 ? *length_r : 1);
	if (bytes == NULL)
		fatal("out of memory");
	(void)protobuf_c_message_pack(message, bytes);
	return bytes;
}

char *jackpot_text(const char *text)
{
	union {
		const char *in;
		char *out;
	} both = { .in = text };
	return both.out;
}

ProtobufCBinaryData jackpot_data(const uint8_t *bytes, size_t length)
{
	union {
		const uint8_t *in;
		uint8_t *out;
	} both = { .in = bytes };
	return (ProtobufCBinaryData){ length, both.out };
}

void jackpot_send(struct service *service, enum topic topic, uint32_t partition, uint64_t number,
	const ProtobufCMessage *message, bool now)
{
	uint8_t key[KEY_BYTES];
	size_t length;
	uint8_t *bytes = jackpot_pack(message, &length);
	for (int i = 0; i < KEY_BYTES; i++)
		key[i] = (uint8_t)(number >> (8 * (KEY_BYTES - 1 - i)));
	if (now)
		service_send_now(service, topic, partition, key, sizeof(key), bytes, length);
	else
		service_send(service, topic, partition, key, sizeof(key), bytes, length);
	free(bytes);
}

uint32_t jackpot_incarnation(struct service *service, uint32_t shard)
{
	const struct service_shard *held = service_shard(service, shard);
	return held != NULL ? held->incarnation : 1;
}

void jackpot_send_award(struct service *service, const struct jackpot_source *source,
	const struct jackpot_award *award, bool now)
{
	Carillon__Envelope envelope;
	Carillon__Award message;
	Carillon__WalletCommand command;
	carillon__envelope__init(&envelope);
	carillon__award__init(&message);
	carillon__wallet_command__init(&command);
	service_envelope(service, &envelope, jackpot_incarnation(service, source->shard), 0);
	message.move = award->claim.move;
	message.index = award->claim.index;
	message.pool = source->pool;
	message.paid_minor = award->paid_minor;
	message.currency = award->currency;
	message.hit = award->hit;
	command.envelope = &envelope;
	command.player = award->claim.player;
	command.body_case = CARILLON__WALLET_COMMAND__BODY_AWARD;
	command.award = &message;
	jackpot_send(service, TOPIC_WALLET_COMMANDS,
		shard_of_player(award->claim.player, service_shards(service)),
		(uint64_t)award->claim.player, &command.base, now);
}

void jackpot_send_fact(struct service *service, const struct jackpot_source *source,
	Carillon__JackpotFact *fact, bool now)
{
	Carillon__Envelope envelope;
	carillon__envelope__init(&envelope);
	service_envelope(
		service, &envelope, jackpot_incarnation(service, source->shard), source->seq);
	fact->envelope = &envelope;
	fact->pool = source->pool;
	jackpot_send(service, TOPIC_JACKPOT_FACTS, source->shard, source->pool, &fact->base, now);
	fact->envelope = NULL; /* the envelope lives only in this function */
}

void jackpot_send_hit(struct service *service, const struct jackpot_source *source,
	const struct jackpot_hit *hit, bool now)
{
	Carillon__Claim claim;
	Carillon__RowState row;
	Carillon__HitFact message;
	Carillon__JackpotFact fact;
	carillon__claim__init(&claim);
	carillon__row_state__init(&row);
	carillon__hit_fact__init(&message);
	carillon__jackpot_fact__init(&fact);
	claim.index = hit->claim.index;
	claim.pool = source->pool;
	claim.kind = hit->kind;
	claim.coin_minor = hit->coin_minor;
	claim.currency = hit->currency;
	claim.stake_minor = hit->stake_minor;
	claim.player = hit->claim.player;
	claim.move = hit->claim.move;
	claim.time_us = hit->claimed_us;
	row.pool = source->pool;
	row.currency = hit->row_currency;
	row.coin_minor = hit->coin_minor;
	row.level = hit->level;
	row.value_minor = hit->next_value_minor;
	row.seed_minor = hit->next_seed_minor;
	row.version = hit->version;
	row.hits = hit->row_hits;
	message.hit = hit->hit;
	message.claim = &claim;
	message.paid_minor = hit->paid_minor;
	message.row_after = &row;
	message.masked = true;
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_HIT;
	fact.hit = &message;
	jackpot_send_fact(service, source, &fact, now);
}

static void rows_fill(uint32_t pool, const struct jackpot_state *state, Carillon__RowState *rows,
	Carillon__RowState **pointers)
{
	for (size_t i = 0; i < state->rows_n; i++) {
		const struct pool_row *row = &state->rows[i];
		carillon__row_state__init(&rows[i]);
		rows[i].pool = pool;
		rows[i].currency = row->currency;
		rows[i].coin_minor = row->coin_minor;
		rows[i].level = row->level;
		rows[i].value_minor = state->values_minor[i];
		rows[i].seed_minor = row->terms.seed_minor;
		rows[i].version = state->version;
		rows[i].hits = row->hits;
		pointers[i] = &rows[i];
	}
}

void jackpot_send_state(struct service *service, const struct jackpot_source *source,
	const struct jackpot_state *state)
{
	Carillon__PoolState message;
	Carillon__JackpotFact fact;
	const struct pool_books *books = state->books;
	const int128 amounts[AMOUNTS] = { state->t_e18, books->jp_reserve.e27, books->jp_seed.e27,
		books->jp_pool.e27, books->house_seed.e27, books->paid.e27 };
	char texts[AMOUNTS][AMOUNT_TEXT_MAX];
	size_t room = state->rows_n > 0 ? state->rows_n : 1;
	Carillon__RowState *rows = calloc(room, sizeof(*rows));
	Carillon__RowState **pointers = calloc(room, sizeof(Carillon__RowState *));
	if (rows == NULL || pointers == NULL)
		fatal("out of memory");
	carillon__pool_state__init(&message);
	carillon__jackpot_fact__init(&fact);
	for (size_t i = 0; i < AMOUNTS; i++)
		(void)int128_format(amounts[i], texts[i]);
	rows_fill(source->pool, state, rows, pointers);
	message.n_rows = state->rows_n;
	message.rows = pointers;
	message.status = jackpot_text(state->status);
	message.contributions = texts[0];
	message.reserve = texts[1];
	message.seed = texts[2];
	message.pool = texts[3];
	message.house_seed = texts[4];
	message.paid = texts[5];
	message.identities_hold = state->identities_hold;
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_STATE;
	fact.state = &message;
	jackpot_send_fact(service, source, &fact, false);
	free(pointers);
	free(rows);
}
