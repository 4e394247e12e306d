/* Amounts that need two: what a user or key may not book alone waits until another user or key of
 * the operator has approved it. */
#ifndef CARILLON_GATEWAY_ADAPTERS_AMOUNTS_H
#define CARILLON_GATEWAY_ADAPTERS_AMOUNTS_H

#include "services/gateway/adapters/gateway.h"

#include "libcommon/base/currency.h"

/* What is asked for. */
struct amount {
	const struct currency *currency;
	int64_t minor;
	const char *key;  /* the client's Idempotency-Key */
	const char *game; /* that bonus spins are for; NULL: none */
	bool forced;	  /* of a decision by hand: even though the provider may still pay */
};

/* Reads GATEWAY_APPROVE_ABOVE and GATEWAY_APPROVE_SUM; fatal when one is not a list of amounts. */
void amounts_begin(struct gateway *gateway);
/* Whether one user or key books this amount alone, if its sum permits. */
bool amounts_alone(const struct currency *currency, int64_t minor);
/* Once a second: tells the wallet of approved amounts of which it has not decided yet, because the
 * wallet did not answer, or a gateway ended before it could tell. */
void amounts_tick(struct gateway *gateway);

/* Sends a booking to the wallet, as outside_ask, or keeps it and answers 202 if another one must
 * approve it. What was kept before is not booked past its approval or its refusal. A decision by
 * hand about a withdrawal (the kind captures or releases `outside.of`) is stored before the wallet
 * is told, and only if the provider cannot be about to pay. `sent.text` names it for the audit
 * log. */
void amounts_book(struct gateway *gateway, struct edge_request *request,
	struct service_request sent, Carillon__Outside *outside, const struct amount *amount);

#endif
