/* A set of Jackpot Cards as the service holds it, and in Postgres, schema `cards`. Errors there end
 * the process. */
#ifndef CARILLON_JACKPOT_CARDS_SET_STORE_H
#define CARILLON_JACKPOT_CARDS_SET_STORE_H

#include "libcommon/io/pool_feed.h"
#include "services/jackpot-cards/adapters/sets_load.h"

#include <libpq-fe.h>

/* A trigger that waits to be played. */
struct waiting_claim {
	struct claim_id id;
	uint32_t currency;
	int64_t stake_minor;
	uint32_t wallet_shard;
	uint64_t wallet_seq;
	uint64_t claimed_us;
};

struct set_instance {
	struct set_instance *next;
	char id[CARD_SET_ID_MAX];
	uint32_t shard;
	struct card_set set;
	struct pool_source source;
	uint64_t version;  /* of the state that was made durable last */
	uint64_t fact_seq; /* of the last message on jackpot.facts */

	/* not durable yet; written and emptied by the next commit */
	bool dirty;
	bool levels_dirty; /* by more than contributions */
	struct waiting_claim *claims;
	size_t claim_count, claim_room;

	/* shown */
	bool unshown, show;
	uint64_t shown_us;    /* monotonic */
	uint64_t counters_us; /* monotonic; of the last counters that reached Redis */
};

/* Loads into a zeroed instance whose set number is set. False when there is no such set yet; then
 * only the tallies are loaded. Fatal when what is stored does not satisfy the identities. */
bool set_store_load(struct set_instance *instance, PGconn *conn);
/* Inside the transaction: all that is not durable yet. */
void set_store_save(struct set_instance *instance, PGconn *conn);
/* Triggers that wait, of a set. */
int64_t set_store_waiting(PGconn *conn, uint32_t set);

#endif
