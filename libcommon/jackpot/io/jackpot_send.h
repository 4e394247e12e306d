/* Messages that both jackpot services send: awards to the wallet; hits, states and other facts to
 * jackpot.facts. Messages wait for the commit of the present transaction, or leave at once (`now`)
 * when the caller knows that their content is durable. */
#ifndef CARILLON_JACKPOT_IO_JACKPOT_SEND_H
#define CARILLON_JACKPOT_IO_JACKPOT_SEND_H

#include "jackpot.pb-c.h"
#include "libcommon/jackpot/pool_books.h"
#include "libcommon/service/service.h"

/* The sender of a message: a pool or set, with its shard and the number of the fact. */
struct jackpot_source {
	uint32_t pool, shard;
	uint64_t seq; /* of the fact; 0 when none is sent */
};

struct jackpot_award {
	struct claim_id claim;
	int64_t paid_minor;
	uint32_t currency; /* ISO 4217 */
	uint64_t hit;	   /* 1, 2, .. of the pool or set */
};

/* A hit for the public. The message names the player and says that the receiver must mask the name.
 */
struct jackpot_hit {
	struct claim_id claim;
	Carillon__ClaimKind kind;
	uint32_t currency; /* currency of the payment */
	int64_t stake_minor, paid_minor;
	uint64_t hit, claimed_us;
	/* the row or level after the hit */
	uint32_t row_currency, level; /* level 0: a progressive's row */
	int64_t coin_minor;	      /* 0: a level */
	int64_t next_value_minor, next_seed_minor;
	uint64_t version, row_hits;
};

struct jackpot_state {
	const char *status;
	int128 t_e18;
	const struct pool_books *books;
	size_t rows_n;
	const struct pool_row *rows;
	const int64_t *values_minor; /* of each row */
	uint64_t version;
	bool identities_hold;
};

/* Packed bytes of a message, allocated with malloc; fatal when memory runs out. */
uint8_t *jackpot_pack(const ProtobufCMessage *message, size_t *length_r);
/* Casts for protobuf-c, whose fields are not const although packing never writes to them. */
char *jackpot_text(const char *text);
ProtobufCBinaryData jackpot_data(const uint8_t *bytes, size_t length);

/* Sends to a partition; the key is a number (a player, a pool). */
void jackpot_send(struct service *service, enum topic topic, uint32_t partition, uint64_t number,
	const ProtobufCMessage *message, bool now);
/* The incarnation of a shard of this service; 1 when the shard is no longer held. */
uint32_t jackpot_incarnation(struct service *service, uint32_t shard);

void jackpot_send_award(struct service *service, const struct jackpot_source *source,
	const struct jackpot_award *award, bool now);
/* Sends a fact; fills its envelope and pool. */
void jackpot_send_fact(struct service *service, const struct jackpot_source *source,
	Carillon__JackpotFact *fact, bool now);
void jackpot_send_hit(struct service *service, const struct jackpot_source *source,
	const struct jackpot_hit *hit, bool now);
void jackpot_send_state(struct service *service, const struct jackpot_source *source,
	const struct jackpot_state *state);

#endif
