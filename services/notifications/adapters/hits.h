/* Winners of each pool in the order of their hit numbers, without gaps. Kafka may be away, and
 * jackpot.facts may lose its tail. But hits are numbered, are kept for ever, and are committed
 * before their fact is published. So the hits missing before a fact are read from Postgres and told
 * first, and once a second those that no fact has brought. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_HITS_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_HITS_H

#include "libcommon/io/pg.h"
#include "services/notifications/core/winners.h"

struct hits;
typedef void hits_tell(void *context, const struct winner *winner);

struct hits *hits_new(struct pg_pool *pg, hits_tell *tell, void *context); /* pg is borrowed */
/* Tells the winner now, or after the missing hits. A winner that Postgres does not have is not a
 * hit and is dropped after some seconds. */
void hits_offer(struct hits *hits, const struct winner *winner, uint64_t mono_us);
/* Once a second: repeats queries that failed. */
void hits_tick(struct hits *hits, uint64_t mono_us);
/* Once a second, and at the start: reads the hits that are not told yet from Postgres, of each pool
 * the newest `most`. */
void hits_look(struct hits *hits, int64_t most);
/* Has a look ever come back? */
bool hits_known(const struct hits *hits);
/* How long ago all hits were known last. */
uint64_t hits_age_us(const struct hits *hits, uint64_t mono_us);
/* Call after freeing pg, when no result can come any more. */
void hits_free(struct hits **hits);

#endif
