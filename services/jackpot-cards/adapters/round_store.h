/* Rounds of Jackpot Cards as the service holds them, and in Postgres: cards.round, cards.hit.
 * Errors there end the process. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_ROUND_STORE_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_ROUND_STORE_H

#include "services/jackpot-cards/adapters/card_keys.h"
#include "services/jackpot-cards/core/card_round.h"

#include <libpq-fe.h>

struct card_play {
	struct card_play *next;
	struct claim_id id;
	uint64_t number; /* 1, 2, .. of the set */
	uint32_t currency;
	int64_t stake_minor;
	uint32_t wallet_shard;
	uint64_t wallet_seq;
	uint64_t claimed_us, opened_us, expires_us;
	uint32_t key;
	uint8_t salt[CARD_SALT_BYTES];
	uint8_t secret[CARD_SECRET_BYTES], secret_hash[CARD_SECRET_BYTES];
	uint32_t weight[CARD_LEVELS];
	struct card_round round;
	bool by_house;

	/* once won */
	uint64_t hit; /* 1, 2, .. of the set */
	int64_t paid_minor;
	/* of this process only: how it was priced, and what its news says of the level then */
	struct card_hit price;
	uint64_t fact_seq, version;
	int64_t next_value_minor, next_seed_minor;

	bool fresh, dirty; /* not durable yet: the row; a pick of it */
	bool priced;	   /* not durable yet: the hit */
};

/* The game of the wallet's row that opened a claim; 0: it is not there. The row that the claim's
 * message names is another one where the claim is told again. */
uint32_t round_store_game(PGconn *conn, const struct claim_id *id);
/* The next number of a round of the set. */
uint64_t round_store_next(PGconn *conn, uint32_t set);
/* Rounds that are not won, oldest last; each is malloc'ed. */
struct card_play *round_store_open(PGconn *conn, uint32_t set, const struct card_keys *keys);
/* One round, won or not. False when there is none of that set. */
bool round_store_find(PGconn *conn, uint32_t set, const struct claim_id *id,
	const struct card_keys *keys, struct card_play *play_r);
/* The newest hits of the set, oldest first, with what their news says; at most max. */
size_t round_store_newest(PGconn *conn, uint32_t set, const struct card_keys *keys,
	struct card_play *plays, size_t max);
/* Rounds that are won and whose award the wallet has not booked (wallet.claim); at most max. */
size_t round_store_unpaid(PGconn *conn, uint32_t set, const struct card_keys *keys,
	struct card_play *plays, size_t max);
/* Inside the transaction: what is not durable yet. */
void round_store_save(PGconn *conn, uint32_t set, struct card_play *play);

#endif
