/* Card rounds in memory and in Postgres (cards.round, cards.hit). An error of Postgres ends the
 * process. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_ROUND_STORE_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_ROUND_STORE_H

#include "services/jackpot-cards/adapters/card_keys.h"
#include "services/jackpot-cards/core/card_round.h"

#include <libpq-fe.h>

struct card_play {
	struct card_play *next;
	struct claim_id id;
	uint64_t number; /* 1, 2, .. per set */
	uint32_t currency;
	int64_t stake_minor;
	uint32_t wallet_shard;
	uint64_t wallet_seq;
	uint64_t claimed_us, opened_us, expires_us;
	uint32_t key;
	uint8_t salt[CARD_SALT_BYTES];
	uint8_t secret[CARD_SECRET_BYTES], secret_hash[CARD_SECRET_BYTES];
	uint32_t weight[CARD_LEVELS];
	/* Until it is durable: the version of the odds that began it; length 0: not known. */
	uint8_t odds[CARD_SECRET_BYTES];
	size_t odds_length;
	struct card_round round;
	bool by_house;

	/* after the win */
	uint64_t hit; /* 1, 2, .. per set */
	int64_t paid_minor;
	/* in this process only: the price, and the level's figures for the public fact */
	struct card_hit price;
	uint64_t fact_seq, version;
	int64_t next_value_minor, next_seed_minor;

	uint64_t question; /* asked_totals_want, when the house plays it out; 0: not asked */
	char *left_out;	   /* "{2}": priced without these wallet shards; NULL: none */
	bool fresh, dirty; /* not durable yet: the row (fresh); a pick (dirty) */
	bool priced;	   /* not durable yet: the hit is new */
};

/* A trigger: what opens a card round. */
struct card_claim {
	struct claim_id id;
	uint32_t currency;
	int64_t stake_minor;
	uint32_t wallet_shard;
	uint64_t wallet_seq, claimed_us;
};

/* An open claim on the set, from the wallet's own books. False: there is none. */
bool round_store_claim(
	PGconn *conn, uint32_t set, const struct claim_id *id, struct card_claim *claim_r);
/* The game of the wallet's row that opened a claim; 0: not found. Do not use the row that the
 * claim's message names: a repeated claim names a later row. */
uint32_t round_store_game(PGconn *conn, const struct claim_id *id);
/* The number of the set's next card round. */
uint64_t round_store_next(PGconn *conn, uint32_t set);
/* Card rounds that are not won, oldest last; each is malloc'ed. */
struct card_play *round_store_open(PGconn *conn, uint32_t set, const struct numbered_keys *keys);
/* Sets the version of the odds that were in force when the card round's claim was booked. */
void round_store_odds(PGconn *conn, uint32_t set, uint32_t operator_id, struct card_play *play);
/* One card round, won or not. False when the set has no such round. */
bool round_store_find(PGconn *conn, uint32_t set, const struct claim_id *id,
	const struct numbered_keys *keys, struct card_play *play_r);
/* The newest hits of the set, oldest first, with the figures of their public facts; at most max. */
size_t round_store_newest(PGconn *conn, uint32_t set, const struct numbered_keys *keys,
	struct card_play *plays, size_t max);
/* Won card rounds whose award the wallet has not booked (wallet.claim); at most max. */
size_t round_store_unpaid(PGconn *conn, uint32_t set, const struct numbered_keys *keys,
	struct card_play *plays, size_t max);
/* Inside the transaction: writes what is not durable yet. */
void round_store_save(PGconn *conn, uint32_t set, struct card_play *play);

#endif
