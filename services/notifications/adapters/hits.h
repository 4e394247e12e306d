/* Winners of each pool in the order of their numbers, without a hole. jackpot.facts may lose its
 * tail, and a pool publishes again only at a takeover; but hits are numbered and kept for ever, and
 * a fact leaves after the commit of its hit. So what is missing before a fact is read from
 * Postgres, and told before it. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_HITS_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_HITS_H

#include "libcommon/io/pg.h"
#include "services/notifications/core/winners.h"

struct hits;
typedef void hits_tell(void *context, const struct winner *winner);

struct hits *hits_new(struct pg_pool *pg, hits_tell *tell, void *context); /* pg is borrowed */
/* Tells it now, or behind those that are missing. One that Postgres does not have is no hit, and is
 * forgotten after some seconds. */
void hits_offer(struct hits *hits, const struct winner *winner, uint64_t mono_us);
/* Once a second: asks again where Postgres was away. */
void hits_tick(struct hits *hits, uint64_t mono_us);
/* After pg has been freed: no answer may come any more. */
void hits_free(struct hits **hits);

#endif
