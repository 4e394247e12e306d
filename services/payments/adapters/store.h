/* Payments in Postgres: reads and writes payments.payout and payments.alarm; only reads the
 * wallet's wallet.hold. */
#ifndef CARILLON_PAYMENTS_ADAPTERS_STORE_H
#define CARILLON_PAYMENTS_ADAPTERS_STORE_H

#include "services/payments/adapters/payments_service.h"

#include <libpq-fe.h>

/* Loads the payments of a shard that are not DONE, and the newest payment of all as the shard's
 * cursor. */
void store_load(PGconn *conn, struct payments_shard *shard);
/* Loads a payment that is DONE and not in memory; NULL: no payment has this id. */
struct payments_entry *store_load_missing(
	PGconn *conn, struct payments_shard *shard, const uint8_t id[PAYOUT_ID_BYTES]);
enum store_verdict {
	STORE_REQUEST = 0, /* recorded durably that the provider may have been asked to pay */
	STORE_SETTLED,	   /* the hold is settled */
	STORE_DECIDED, /* an operator has decided: send no request; store_settlements delivers the
			  decision */
	STORE_BUSY,    /* an operator is deciding now: try again soon */
};
/* Whether the provider may be asked without an operator's approval, or with one that was given.
 * False: the withdrawal waits for it, which is recorded. Outside the transaction. */
bool store_reviewed(PGconn *conn, const uint8_t id[PAYOUT_ID_BYTES], int64_t most);
#define STORE_COMMAND_MAX 1024
/* Checks whether the provider may be asked to pay now. Call it outside the transaction, for a
 * written payment, just before the request. */
enum store_verdict store_may_request(PGconn *conn, const uint8_t id[PAYOUT_ID_BYTES],
	enum payout_settled *settled_r /* SETTLED: how */);
/* Inside the transaction. */
bool store_write(PGconn *conn, uint32_t shard, const struct payments_entry *entry);
void store_alarm(PGconn *conn, const struct payments_alarm *alarm);
/* Adds the withdrawals that the wallet has booked since the shards' cursors, by one query, and
 * moves the cursors. True: there may be more. */
bool store_new_holds(PGconn *conn, struct payments_shard *const *shards, size_t n);
/* For each unsettled payment: calls `settled` if its hold is settled; otherwise, if an operator has
 * decided, calls `decided` with the command for the wallet, an Outside of wallet.proto. */
typedef void store_settled(
	struct payments_shard *shard, struct payments_entry *entry, enum payout_settled settled);
typedef void store_decided(struct service *service, struct payments_shard *shard,
	struct payments_entry *entry, const uint8_t *command, size_t command_n);
void store_settlements(struct service *service, struct payments_shard *shard,
	store_settled *settled, store_decided *decided);

#endif
