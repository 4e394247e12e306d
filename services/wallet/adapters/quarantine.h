/* Players who are quarantined: something stored about them cannot be read. Nothing is booked for
 * them: their commands get 503 `account_quarantined`, and an award waits with its claim. Everybody
 * else plays on. A release loads the account again, and applies the rows that wallet.account does
 * not include. */
#ifndef CARILLON_WALLET_ADAPTERS_QUARANTINE_H
#define CARILLON_WALLET_ADAPTERS_QUARANTINE_H

#include "services/wallet/adapters/app.h"

/* Quarantines a player, and raises an alarm. The next transaction writes it. seq: a row of the
 * journal that the account includes, or is to include at the release; 0: none is known. */
void quarantine_put(
	struct wallet *wallet, struct account_entry *entry, uint64_t seq, const char *found);
/* Does so if the account names a row behind the end of its shard's journal: rows would be left out
 * of it as if it included them. */
void quarantine_ahead(struct wallet *wallet, struct account_entry *entry, uint64_t shard_last_seq);
/* The account is to include this row at the release. */
void quarantine_missed(struct account_entry *entry, uint64_t seq);
/* When a shard is opened, before its accounts: loads its quarantined players. */
void quarantine_open(struct wallet *wallet, PGconn *conn, uint32_t shard);
/* Once a second: tries the players that an operator has released. */
void quarantine_tick(struct wallet *wallet, struct service *service, uint64_t mono_us);
/* Must a transaction write something? */
bool quarantine_dirty(const struct wallet *wallet);
/* Inside the transaction, after the checkpoint: writes new quarantines and deletes those that have
 * ended. */
void quarantine_save(struct wallet *wallet, PGconn *conn);

#endif
