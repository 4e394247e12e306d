/* A set of Jackpot Cards as the service holds it, and in Postgres, schema `cards`. Errors there end
 * the process. */
#ifndef CARILLON_JACKPOT_CARDS_SET_STORE_H
#define CARILLON_JACKPOT_CARDS_SET_STORE_H

#include "libcommon/io/card_sets.h"
#include "libcommon/io/jackpot_list.h"
#include "libcommon/io/pool_feed.h"
#include "services/jackpot-cards/adapters/round_store.h"

#include <libpq-fe.h>

struct waiting_pick;

struct set_instance {
	struct jackpot_link link; /* first */
	char id[CARD_SET_ID_MAX];
	struct card_set set;
	struct pool_source source;
	uint64_t version;  /* of the state that was made durable last */
	uint64_t fact_seq; /* of the last message on jackpot.facts */

	/* rounds.c */
	uint32_t weight[CARD_LEVELS];
	uint64_t expire_us;	 /* of a round, from its opening */
	struct card_play *plays; /* open, and won ones until they are durable; newest first */
	uint64_t next_number;
	struct waiting_pick *waiting;
	size_t waiting_count;
	bool awards_due;    /* some may not be booked yet */
	uint64_t awards_us; /* monotonic; when they were looked at last */

	/* not durable yet; written and emptied by the next commit */
	bool dirty;
	bool levels_dirty; /* by more than contributions */

	/* shown */
	bool unshown, show, show_now;
	uint64_t shown_us;    /* monotonic */
	uint64_t counters_us; /* monotonic; of the last counters that reached Redis */
};

/* Loads into a zeroed instance whose set number is set. False when there is no such set yet; then
 * only the tallies are loaded. Fatal when what is stored does not satisfy the identities. */
bool set_store_load(struct set_instance *instance, PGconn *conn);
/* Inside the transaction: all that is not durable yet. */
void set_store_save(struct set_instance *instance, PGconn *conn);

#endif
