/* Claims on a pool, and the hits that they become. A new claim first waits for the totals of every
 * wallet shard (libcommon/jackpot/io/asked_totals.h): the jackpot then holds every bet answered
 * before the winning one was sent. It waits beside its partition, in the pool: other messages and
 * other pools go on. A claim that waits is not durable; after a crash the wallet repeats it. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_CLAIMS_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_CLAIMS_H

#include "services/progressive-pool/adapters/pool_state.h"

void claims_start(void); /* metrics */
/* Takes a claim of the feed, whose totals are already counted: a new one waits, a priced one is
 * answered with its award again. */
void claims_take(
	struct service *service, struct pool_instance *instance, const Carillon__JackpotFeed *feed);
/* Lets all claims wait that are open in the wallet and have no hit, oldest first. The wallet
 * repeats a claim only after a growing time, so without this a later claim could come before it. */
void claims_load(struct service *service, struct pool_instance *instance);
/* Prices the claims whose totals are there, in order of arrival. Call it when T is up to date. */
void claims_price(struct service *service, struct pool_instance *instance);
void claims_free(struct pool_instance *instance);

#endif
