#include "services/wallet/core/outflow.h"

static uint64_t waiting(const struct wallet_outflow_kafka *kafka)
{
	return kafka->given - kafka->acknowledged;
}

void wallet_outflow_begin(struct wallet_outflow *flow, uint64_t acked, uint64_t last,
	const struct wallet_outflow_kafka *kafka)
{
	/* Readers that miss older rows ask for them. */
	if (acked == 0 && last > WALLET_OUTFLOW_NEWEST)
		acked = last - WALLET_OUTFLOW_NEWEST;
	if (acked > last)
		acked = last; /* the journal was restored */
	*flow = (struct wallet_outflow){
		.handed = acked, .acked = acked, .behind = acked < last, .lost = kafka->lost
	};
}

/* Rows on the way may be lost: all that are not acknowledged are given again. */
static void start_again(struct wallet_outflow *flow, uint64_t lost)
{
	flow->lost = lost;
	flow->handed = flow->acked;
	flow->mark_given = flow->mark_seq = 0;
	flow->behind = true;
}

static void mark(struct wallet_outflow *flow, const struct wallet_outflow_kafka *kafka)
{
	if (flow->mark_seq != 0 && kafka->acknowledged >= flow->mark_given) {
		flow->acked = flow->mark_seq;
		flow->mark_seq = 0;
	}
	if (flow->mark_seq == 0 && flow->handed > flow->acked) {
		flow->mark_given = kafka->given;
		flow->mark_seq = flow->handed;
	}
}

void wallet_outflow_committed(
	struct wallet_outflow *flow, uint64_t last, const struct wallet_outflow_kafka *kafka)
{
	if (kafka->lost != flow->lost) {
		start_again(flow, kafka->lost);
		return;
	}
	mark(flow, kafka);
	if (flow->behind)
		return;
	flow->handed = last;
	flow->behind = waiting(kafka) > WALLET_OUTFLOW_WAITING_MAX;
}

size_t wallet_outflow_missing(const struct wallet_outflow *flow, uint64_t committed,
	const struct wallet_outflow_kafka *kafka)
{
	uint64_t rows = committed > flow->handed ? committed - flow->handed : 0;

	if (!flow->behind || kafka->lost != flow->lost ||
		waiting(kafka) > WALLET_OUTFLOW_WAITING_MAX / 2)
		return 0;
	return (size_t)(rows < WALLET_OUTFLOW_CHUNK ? rows : WALLET_OUTFLOW_CHUNK);
}

void wallet_outflow_given(
	struct wallet_outflow *flow, uint64_t next, uint64_t committed, bool settled)
{
	flow->handed = next - 1;
	if (settled && flow->handed >= committed)
		flow->behind = false;
}
