/* What a set of Jackpot Cards says: its state to jackpot.facts, refusals to operators, counters to
 * Redis. Queued behind the transaction under way. */
#ifndef CARILLON_JACKPOT_CARDS_CARDS_MESSAGES_H
#define CARILLON_JACKPOT_CARDS_CARDS_MESSAGES_H

#include "jackpot.pb-c.h"
#include "libcommon/io/redis_link.h"
#include "libcommon/io/service.h"
#include "services/jackpot-cards/adapters/set_store.h"

void cards_send_state(struct service *service, const struct set_instance *instance);
void cards_send_refusal(struct service *service, const struct set_instance *instance,
	Carillon__OperatorCommand *command, const char *refusal);
/* False when they did not get there. */
bool cards_show_counters(struct redis_link *link, const struct set_instance *instance);

#endif
