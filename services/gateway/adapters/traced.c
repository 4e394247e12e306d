#include "services/gateway/adapters/traced.h"

#include "libcommon/io/clock.h"

static void hop(const struct service_request *sent, struct log_hop at)
{
	at.trace = sent->trace;
	at.player = sent->player;
	log_hop(&at);
}

void traced_begin(
	struct gateway *gateway, const struct edge_request *request, struct service_request *sent)
{
	uint64_t now_us = clock_mono_us();

	if (!per_second_take(&gateway->traces, now_us, (uint64_t)gateway->settings.traces_per_s)) {
		sent->trace[EDGE_TRACE_BYTES - 1] = 0;
		metric_add(gateway->metric.untraced, 1);
		return;
	}
	hop(sent, (struct log_hop){ .event = "gateway.command.sent",
			  .message = "the request is checked; its command is sent",
			  .us = now_us - edge_began_us(request) });
}

void traced_again(const struct service_request *sent)
{
	hop(sent, (struct log_hop){ .event = "gateway.command.repeated",
			  .message = "no answer yet: the command is sent again" });
}

void traced_end(const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact, uint64_t began_us)
{
	struct log_hop end = { .event = "gateway.request.answered",
		.message = "the client is answered",
		.us = began_us == 0 ? 0 : clock_mono_us() - began_us };

	if (reply != NULL && reply->round != NULL)
		end.round = reply->round->round;
	if (fact != NULL && fact->envelope != NULL)
		end.seq = fact->envelope->seq;
	if (reply == NULL && fact == NULL && sent->card == NULL && sent->action == NULL)
		end.message =
			"the client is told: no reply has come, or the bus has refused the command";
	else if (began_us == 0)
		end.message = "a reply has come, but the client has gone";
	hop(sent, end);
}
