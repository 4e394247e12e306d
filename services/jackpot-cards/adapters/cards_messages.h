/* The messages of a set of Jackpot Cards: state to jackpot.facts, refusals to operators, counters
 * to Redis, card rounds and awards. Unless stated otherwise they leave after the commit of the
 * current transaction. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_CARDS_MESSAGES_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_CARDS_MESSAGES_H

#include "jackpot.pb-c.h"
#include "libcommon/io/redis_link.h"
#include "libcommon/service/service.h"
#include "services/jackpot-cards/adapters/set_store.h"

#define CARD_REPLY_TO_MAX 120

/* The requester of a pick, who waits for its reply. */
struct card_requester {
	player_id player;
	uint64_t correlation;
	char reply_to[CARD_REPLY_TO_MAX]; /* empty: no reply */
};

/* Sends the award to the wallet. `now`: at once. The wallet ignores an award that is already booked
 * and repeats the claim until then. */
void cards_send_award(struct service *service, const struct set_instance *instance,
	const struct card_play *play, bool now);
/* Sends the set's next fact: an event of a card round. */
void cards_send_round(struct service *service, struct set_instance *instance,
	const struct card_play *play, Carillon__CardEvent event);
/* Sends the public fact of a win, with its hit number. */
void cards_send_hit(
	struct service *service, const struct set_instance *instance, const struct card_play *play);
/* Replies to a pick with the round, and with an error if the pick was refused. `now`: at once, if
 * the reply shows only durable state. */
void cards_reply(struct service *service, const struct set_instance *instance,
	const struct card_play *play, const struct card_requester *requester,
	enum card_pick_status status, uint32_t pick, uint32_t position, bool now);
/* Replies at once with an error and no round. */
void cards_reply_fault(struct service *service, const struct card_requester *requester,
	uint32_t http, const char *code, const char *message);
void cards_send_state(struct service *service, const struct set_instance *instance);
/* False when Redis did not get them. */
bool cards_show_counters(struct redis_link *link, const struct set_instance *instance);

#endif
