/* Withdrawals as the lists show them: of one player (payouts.c), and of all (payout_queue.c). */
#ifndef CARILLON_GATEWAY_ADAPTERS_PAYOUTS_H
#define CARILLON_GATEWAY_ADAPTERS_PAYOUTS_H

#include "services/gateway/adapters/gateway.h"

/* Columns 0 to 14 of a query on HOLD_FROM; the last one is the player. */
#define HOLD_COLUMNS                                                                               \
	"encode(h.id, 'hex'), h.currency, h.amount, h.settled_kind, h.booked_seq, "                \
	"coalesce(h.settled_seq, 0), (extract(epoch from h.booked) * 1000000)::bigint, "           \
	"coalesce((extract(epoch from h.settled_at) * 1000000)::bigint, 0), coalesce(p.state, "    \
	"-1), coalesce(p.outcome, 0), coalesce(p.asks, 0), coalesce(p.reference, ''), (select "    \
	"coalesce(json_agg(json_build_object('kind', a.kind, 'found', a.found, 'expected', "       \
	"a.expected, 'time_us', (extract(epoch from a.time) * 1000000)::bigint) order by a.id), "  \
	"'[]') from payments.alarm a where a.payout = h.id)::text, " HOLD_REVIEW ", h.player"
#define HOLD_COLUMNS_N 15
#define HOLD_REVIEW                                                                                \
	"case when v.hold is null then 'none' when v.approved is null then 'waiting' else "        \
	"'approved' end"
#define HOLD_FROM                                                                                  \
	"from wallet.hold h left join payments.payout p on p.id = h.id left join payments.review " \
	"v on v.hold = h.id "

/* Writes the members of a withdrawal. */
void hold_members(struct json_out *out, const PGresult *result, int row);

#endif
