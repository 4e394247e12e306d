/* Payments in Postgres: payments.payout and payments.alarm of our own, wallet.hold of the wallet's,
 * which is read and never written. */
#ifndef CARILLON_PAYMENTS_ADAPTERS_STORE_H
#define CARILLON_PAYMENTS_ADAPTERS_STORE_H

#include "services/payments/adapters/payments_service.h"

#include <libpq-fe.h>

/* Payments of a shard that are not DONE, with the newest of all of them as the shard's cursor. */
void store_load(PGconn *conn, struct payments_shard *shard);
/* One that is DONE and not in memory; NULL: there is none of this id. */
struct payments_entry *store_load_missing(
	PGconn *conn, struct payments_shard *shard, const uint8_t id[PAYOUT_ID_BYTES]);
enum store_verdict {
	STORE_REQUEST = 0, /* it is noted for good that the provider may have been asked */
	STORE_SETTLED,	   /* the hold is settled */
	STORE_DECIDED, /* an operator has decided: nothing is asked, store_settlements brings it */
	STORE_BUSY,    /* an operator is about to decide, or has this moment: asked again soon */
};
#define STORE_COMMAND_MAX 1024
/* May the provider be asked to pay now? Outside the transaction, of a payment that is written, just
 * before the question. */
enum store_verdict store_may_request(PGconn *conn, const uint8_t id[PAYOUT_ID_BYTES],
	enum payout_settled *settled_r /* SETTLED: how */);
/* Inside the transaction. */
void store_write(PGconn *conn, uint32_t shard, const struct payments_entry *entry);
void store_alarm(PGconn *conn, const struct payments_alarm *alarm);
/* Withdrawals that the wallet has booked since the shards' cursors, by one query; adds and moves
 * them. True: there may be more. */
bool store_new_holds(PGconn *conn, struct payments_shard *const *shards, size_t n);
/* For each payment that is not settled: `settled` is called where its hold is; else `decided` where
 * an operator has decided, with what the wallet is to be told, an Outside of wallet.proto. */
typedef void store_settled(
	struct payments_shard *shard, struct payments_entry *entry, enum payout_settled settled);
typedef void store_decided(struct service *service, struct payments_shard *shard,
	struct payments_entry *entry, const uint8_t *command, size_t command_n);
void store_settlements(struct service *service, struct payments_shard *shard,
	store_settled *settled, store_decided *decided);

#endif
