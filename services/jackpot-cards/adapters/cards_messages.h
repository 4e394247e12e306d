/* What a set of Jackpot Cards says: its state to jackpot.facts, refusals to operators, counters to
 * Redis, rounds and awards. Queued behind the transaction under way, where not said otherwise. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_CARDS_MESSAGES_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_CARDS_MESSAGES_H

#include "jackpot.pb-c.h"
#include "libcommon/io/redis_link.h"
#include "libcommon/service/service.h"
#include "services/jackpot-cards/adapters/set_store.h"

#define CARD_REPLY_TO_MAX 120

/* Who waits for the answer to a pick. */
struct card_requester {
	player_id player;
	uint64_t correlation;
	char reply_to[CARD_REPLY_TO_MAX]; /* empty: nobody */
};

/* To the wallet; now: what is booked may be sent twice, and the claim is repeated until it is. */
void cards_send_award(struct service *service, const struct set_instance *instance,
	const struct card_play *play, bool now);
/* The next fact of the set: a step of a round. */
void cards_send_round(struct service *service, struct set_instance *instance,
	const struct card_play *play, Carillon__CardEvent event);
/* The public's news of a win, under the number it has. */
void cards_send_hit(
	struct service *service, const struct set_instance *instance, const struct card_play *play);
/* The answer to a pick: the round, with an error where it was refused. now: it shows nothing that
 * is not durable. */
void cards_reply(struct service *service, const struct set_instance *instance,
	const struct card_play *play, const struct card_requester *requester,
	enum card_pick_status status, uint32_t pick, uint32_t position, bool now);
/* The same without a round, at once. */
void cards_reply_fault(struct service *service, const struct card_requester *requester,
	uint32_t http, const char *code, const char *message);
void cards_send_state(struct service *service, const struct set_instance *instance);
/* False when they did not get there. */
bool cards_show_counters(struct redis_link *link, const struct set_instance *instance);

#endif
