/* Decodes facts from Kafka into plain values. Pure; feeds.c orders and uses them. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_FACTS_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_FACTS_H

#include "services/notifications/core/counters.h"
#include "services/notifications/core/frames.h"
#include "services/notifications/core/holdback.h"
#include "services/notifications/core/winners.h"

#include "jackpot.pb-c.h"
#include "wallet.pb-c.h"

#define FACTS_REASON_MAX 256

/* NULL for a bad message; `reason` (FACTS_REASON_MAX bytes) then says what was found and expected.
 * The caller frees the fact with carillon__..__free_unpacked(fact, NULL). */
Carillon__JackpotFact *facts_jackpot_read(const uint8_t *bytes, size_t length, char *reason);
Carillon__WalletFact *facts_wallet_read(
	const uint8_t *bytes, size_t length, uint32_t shards, char *reason);

/* The facts below come from the functions above. */
void facts_counter(const Carillon__RowState *state, struct counter *row_r);
/* False: the hit has no claim and so no winner. */
bool facts_winner(const Carillon__JackpotFact *fact, struct winner *winner_r);
/* False: no round, or an event that clients do not get. */
bool facts_card(const Carillon__JackpotFact *fact, struct card_news *news_r);
/* Leaves award_seen false. False: the row has no player, or amounts that the wallet never books;
 * the row still counts in the order of facts. */
bool facts_own(const Carillon__WalletFact *fact, struct holdback_fact *own_r);

#endif
