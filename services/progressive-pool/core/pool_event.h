/* What happens to a pool, as events. Each is an input of the core at a T: applying them in order to
 * an empty pool gives its state at any point. The service records them (adapters/pool_log.h);
 * `jackpotctl pool replay` applies them again and compares. Pure. */
#ifndef CARILLON_PROGRESSIVE_POOL_CORE_POOL_EVENT_H
#define CARILLON_PROGRESSIVE_POOL_CORE_POOL_EVENT_H

#include "services/progressive-pool/core/pool.h"

/* One action of an operator may need several events: each row once, the reserve, the state. */
#define POOL_EVENTS_MAX (2 * POOL_ROWS_MAX + 4)

enum pool_event_kind {
	POOL_EVENT_TOTALS = 0, /* T has grown to t_e18; nothing else has changed */
	POOL_EVENT_LAUNCH,     /* a new row with `terms` */
	POOL_EVENT_HIT,	       /* `claim` is priced */
	POOL_EVENT_TERMS,      /* pending `terms` of a row; those in force cancel pending ones */
	POOL_EVENT_ADJUST,     /* adds `amount` to the row's carry */
	POOL_EVENT_REMOVE,     /* the row goes, its value into the reserve */
	POOL_EVENT_SEND,       /* the row goes, its value to another pool */
	POOL_EVENT_SEND_RESERVE,
	POOL_EVENT_RECEIVE, /* `amount` from another pool, into the row; currency 0: the reserve */
	POOL_EVENT_STATE,   /* the new `state` */
	POOL_EVENT_KINDS,
};

struct pool_event {
	enum pool_event_kind kind;
	int128 t_e18; /* T at the event: contributions up to it come first */
	uint32_t currency, exponent;
	int64_t coin_minor;
	struct pool_terms terms;
	struct amount amount;
	struct pool_claim claim;
	enum pool_state state;
};

/* "totals", "launch", ..; and back (false: not the name of a kind). */
const char *pool_event_text(enum pool_event_kind kind);
bool pool_event_parse(const char *text, enum pool_event_kind *kind_r);

/* Contributes up to the event's T, then applies the event. *hit_r: the hit of a HIT, always priced
 * as a new one. Also POOL_TERMS if the new state cannot follow the present one. */
CARILLON_MUST_CHECK enum pool_status pool_event_apply(
	struct pool *pool, const struct pool_event *event, struct pool_hit *hit_r);

/* The events, except hits, that lead from one state to a later one: first what changed at the T of
 * `before` (one action or one transfer), then T. At most POOL_EVENTS_MAX. They are a guess: apply
 * them and check the result with pool_same. */
size_t pool_event_between(
	const struct pool *before, const struct pool *after, struct pool_event *events_r);
/* True if the pools are equal, in any order of rows. where_r (POOL_WHERE_MAX bytes): the first
 * difference ("t_e18", "jp_pool", "row 978:20 r", ..), or "". */
bool pool_same(const struct pool *a, const struct pool *b, char *where_r);

#endif
