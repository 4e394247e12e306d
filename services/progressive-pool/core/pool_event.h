/* What happens to a pool, as events: each is an input of the core at a T, so that whoever applies
 * all of them in order to an empty pool has its state at any point. The service writes them down
 * (adapters/pool_log.h), `jackpotctl pool replay` applies them again and compares. Pure. */
#ifndef CARILLON_PROGRESSIVE_POOL_CORE_POOL_EVENT_H
#define CARILLON_PROGRESSIVE_POOL_CORE_POOL_EVENT_H

#include "services/progressive-pool/core/pool.h"

/* One action of an operator may be several: each row once, the reserve, the state. */
#define POOL_EVENTS_MAX (2 * POOL_ROWS_MAX + 4)

enum pool_event_kind {
	POOL_EVENT_TOTALS = 0, /* T has grown to t_e18, nothing else */
	POOL_EVENT_LAUNCH,     /* a row of terms */
	POOL_EVENT_HIT,	       /* claim */
	POOL_EVENT_TERMS,      /* terms that wait; those in force end the waiting */
	POOL_EVENT_ADJUST,     /* amount onto the row's carry */
	POOL_EVENT_REMOVE,     /* the row, into the reserve */
	POOL_EVENT_SEND,       /* the row leaves for another pool */
	POOL_EVENT_SEND_RESERVE,
	POOL_EVENT_RECEIVE, /* amount of another pool, into the row; currency 0: the reserve */
	POOL_EVENT_STATE,   /* state */
	POOL_EVENT_KINDS,
};

struct pool_event {
	enum pool_event_kind kind;
	int128 t_e18; /* when it happened: contributions up to there come first */
	uint32_t currency, exponent;
	int64_t coin_minor;
	struct pool_terms terms;
	struct amount amount;
	struct pool_claim claim;
	enum pool_state state;
};

/* "totals", "launch", ..; and back (false when it is none). */
const char *pool_event_text(enum pool_event_kind kind);
bool pool_event_parse(const char *text, enum pool_event_kind *kind_r);

/* Contributes up to its T, then does it. *hit_r: of a HIT, which is taken as a new one. POOL_TERMS
 * also where a state cannot follow the present one. */
CARILLON_MUST_CHECK enum pool_status pool_event_apply(
	struct pool *pool, const struct pool_event *event, struct pool_hit *hit_r);

/* The events that lead from one state to a later one, hits excepted: first what changed at the T of
 * `before` (one action, or one transfer), then T. At most POOL_EVENTS_MAX. They are a guess until
 * they have been applied: pool_same tells whether they lead there. */
size_t pool_event_between(
	const struct pool *before, const struct pool *after, struct pool_event *events_r);
/* The same but for the order of rows. where_r (POOL_WHERE_MAX bytes): what differs first ("t_e18",
 * "jp_pool", "row 978:20 r", ..); "" when nothing does. */
#define POOL_WHERE_MAX 80
bool pool_same(const struct pool *a, const struct pool *b, char *where_r);

#endif
