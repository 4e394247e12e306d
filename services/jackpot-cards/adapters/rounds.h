/* The rounds of a set that are being played: a claim opens one, picks turn up its cards, the third
 * card of a suit prices its level, all of a turn in one commit; whatever is said of it leaves when
 * that commit has returned. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_ROUNDS_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_ROUNDS_H

#include "jackpot.pb-c.h"
#include "libcommon/service/service.h"
#include "services/jackpot-cards/adapters/set_store.h"

/* Metrics and keys, once. */
void rounds_start(struct card_keys *keys_r);
/* The set was taken: its open rounds, and the news of its last wins once more, for a death between
 * a commit and what it says leaves them untold. Readers know a hit by its number. */
void rounds_load(struct service *service, struct set_instance *instance);
/* A claim of the wallet: opens its round; one that comes again sends the award again, where the
 * round is won, and changes nothing. */
void rounds_claim(
	struct service *service, struct set_instance *instance, const Carillon__JackpotFeed *feed);
/* A pick: answered now or, where the round is not known yet, within 2 s. */
void rounds_pick(struct service *service, struct set_instance *instance,
	const Carillon__JackpotCommand *command);
/* Abandoned rounds are picked and paid; picks that have waited long enough are answered. */
void rounds_tick(struct service *service, struct set_instance *instance, uint64_t mono_us);
/* In the transaction, and after it. */
void rounds_write(struct service *service, struct set_instance *instance);
void rounds_committed(struct set_instance *instance);
int64_t rounds_open(const struct set_instance *instance);
void rounds_free(struct set_instance *instance);

#endif
