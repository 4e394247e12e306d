/* Facts from Kafka as plain values. Pure: what is done with them, and in which order, is feeds.c's.
 */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_FACTS_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_FACTS_H

#include "services/notifications/core/counters.h"
#include "services/notifications/core/frames.h"
#include "services/notifications/core/holdback.h"
#include "services/notifications/core/winners.h"

#include "jackpot.pb-c.h"
#include "wallet.pb-c.h"

#define FACTS_REASON_MAX 256

/* NULL with what, found and expected in reason (FACTS_REASON_MAX bytes). The caller frees with
 * carillon__..__free_unpacked(fact, NULL). */
Carillon__JackpotFact *facts_jackpot_read(const uint8_t *bytes, size_t length, char *reason);
Carillon__WalletFact *facts_wallet_read(
	const uint8_t *bytes, size_t length, uint32_t shards, char *reason);

/* Of facts that were read by the above. */
void facts_counter(const Carillon__RowState *state, struct counter *row_r);
/* False: the hit says no claim, there is nobody to tell of. */
bool facts_winner(const Carillon__JackpotFact *fact, struct winner *winner_r);
/* False: no round, or an event that is not told. */
bool facts_card(const Carillon__JackpotFact *fact, struct card_news *news_r);
/* award_seen is left false. False: the row is no player's, or its amounts are none that the wallet
 * books; it counts in the order of facts all the same. */
bool facts_own(const Carillon__WalletFact *fact, struct holdback_fact *own_r);

#endif
