/* The way of sampled requests in the log (docs/tracing.md). A request that is not sampled, or whose
 * mark was taken away here, pays one branch in each service. */
#ifndef CARILLON_GATEWAY_ADAPTERS_TRACED_H
#define CARILLON_GATEWAY_ADAPTERS_TRACED_H

#include "libcommon/io/log.h"
#include "services/gateway/adapters/gateway.h"

_Static_assert(EDGE_TRACE_BYTES == LOG_TRACE_BYTES, "traces");

static inline bool traced(const struct service_request *sent)
{
	return log_sampled(sent->trace, sizeof(sent->trace));
}
/* A sampled request is about to be sent: takes its mark away if GATEWAY_TRACES_PER_S were already
 * logged in this second, so that no service logs its way. Otherwise logs its first hop. */
void traced_begin(
	struct gateway *gateway, const struct edge_request *request, struct service_request *sent);
/* It was sent again: no answer came in time, or its shard has a new owner. */
void traced_again(const struct service_request *sent);
/* It was answered, or given up (reply and fact NULL). began_us: of the client's request; 0: the
 * client has gone. */
void traced_end(const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact, uint64_t began_us);

#endif
