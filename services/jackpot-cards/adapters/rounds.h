/* The open card rounds of a set: a claim opens one, picks turn up its cards, the third card of a
 * suit prices its level. One commit covers all of a turn of the loop; messages leave after it. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_ROUNDS_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_ROUNDS_H

#include "jackpot.pb-c.h"
#include "libcommon/service/service.h"
#include "services/jackpot-cards/adapters/set_store.h"

/* Sets up metrics and loads the keys; call once. */
void rounds_start(struct numbered_keys *keys_r);
/* Call once a second: takes the keys of a file that was replaced, if it has every known key. */
void rounds_refresh_keys(void);
/* Call after taking a set: loads its open rounds and sends the facts of its last wins again,
 * because a crash after a commit may have lost them. Readers recognise a hit by its number. */
void rounds_load(struct service *service, struct set_instance *instance);
/* A claim of the wallet: opens its card round. A repeated claim changes nothing; if the round is
 * won, its award is sent again. */
void rounds_claim(
	struct service *service, struct set_instance *instance, const Carillon__JackpotFeed *feed);
/* A pick: replies now or, if it wins the level, when the totals of all wallet shards are there. A
 * round that the feed has not told of yet is opened from the wallet's open claim. */
void rounds_pick(struct service *service, struct set_instance *instance,
	const Carillon__JackpotCommand *command);
/* A pick for a set that is quarantined: the player is told to try again later. */
void rounds_refuse(struct service *service, const Carillon__JackpotCommand *command);
/* Plays and pays abandoned rounds; answers winning picks whose totals are there. */
void rounds_tick(struct service *service, struct set_instance *instance, uint64_t mono_us);
/* Call rounds_write inside the transaction and rounds_committed after it. */
void rounds_write(struct service *service, struct set_instance *instance);
void rounds_committed(struct set_instance *instance);
int64_t rounds_open(const struct set_instance *instance);
void rounds_free(struct set_instance *instance);

#endif
