/* A set of Jackpot Cards in memory and in Postgres (schema `cards`). A failed statement ends the
 * process. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_SET_STORE_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_SET_STORE_H

#include "libcommon/jackpot/io/asked_totals.h"
#include "libcommon/jackpot/io/card_sets.h"
#include "libcommon/jackpot/io/jackpot_action.h"
#include "libcommon/jackpot/io/jackpot_list.h"
#include "libcommon/jackpot/io/pool_feed.h"
#include "services/jackpot-cards/adapters/round_store.h"

#include <libpq-fe.h>

struct waiting_pick;

#define SET_WEIGHTS_MAX 128
#define SET_CHANGES_MAX 16

/* Weights for the players of an operator (0: all) in a game (0: all). */
struct set_weights {
	uint32_t operator_id, game;
	uint32_t weight[CARD_LEVELS];
};

/* A setting that an operator has changed and that must be written. */
struct set_change {
	uint32_t action; /* WEIGHTS, ODDS or TAKE_PART */
	uint32_t operator_id, game, currency;
	int64_t odds_in, odds_of;
	uint32_t weight[CARD_LEVELS];
	bool takes_part;
	uint8_t id[ACTION_ID_BYTES];
};

struct set_instance {
	struct jackpot_link link; /* first */
	char id[CARD_SET_ID_MAX];
	struct card_set set;
	struct pool_source source;
	uint64_t version;  /* of the last durable state */
	uint64_t fact_seq; /* of the last message on jackpot.facts */

	bool paused;
	bool defined_known; /* `defined` is the levels' configuration as last read */
	struct card_terms defined;

	/* set_operator.c */
	uint32_t weights_n;
	struct set_weights weights[SET_WEIGHTS_MAX];
	struct action_list actions; /* not written yet, like the changes */
	uint32_t change_n;
	struct set_change change[SET_CHANGES_MAX];

	/* rounds.c */
	uint32_t weight[CARD_LEVELS]; /* from the configuration */
	uint64_t expire_us;	      /* of a card round, from its opening */
	struct card_play
		*plays; /* open card rounds, and won ones until they are durable; newest first */
	uint64_t next_number;
	struct asked_totals asked; /* before a level is priced */
	struct waiting_pick *waiting;
	size_t waiting_count;
	bool awards_due;    /* the wallet may not have booked some awards yet */
	uint64_t awards_us; /* monotonic; when the awards were last checked */

	/* not durable yet; written and emptied by the next commit */
	bool dirty;
	bool levels_dirty; /* changed by more than contributions */

	/* shown */
	bool unshown, show, show_now;
	uint64_t shown_us;    /* monotonic */
	uint64_t counters_us; /* monotonic; of the last counters that reached Redis */
};

/* "live" or "paused". */
const char *set_state_text(const struct set_instance *instance);
/* Loads into a zeroed instance that has its set number. False when the set does not exist yet; then
 * only the tallies are loaded. Levels or books that cannot be right: stored_wrong (stored.h). */
bool set_store_load(struct set_instance *instance, PGconn *conn);
/* Inside the transaction: writes all that is not durable yet. */
void set_store_save(struct set_instance *instance, PGconn *conn);

#endif
