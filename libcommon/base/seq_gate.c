/* The order of facts. */
#include "libcommon/base/seq_gate.h"

enum seq_gate_status seq_gate_offer(
	struct seq_gate *gate, uint32_t incarnation, uint64_t seq, uint64_t now_us)
{
	if (incarnation > gate->incarnation)
		return SEQ_GATE_INCARNATION;
	if (incarnation < gate->incarnation || seq <= gate->last)
		return SEQ_GATE_SEEN;
	if (seq != gate->last + 1) {
		if (gate->gap_since_us == 0)
			gate->gap_since_us = now_us;
		return SEQ_GATE_GAP;
	}
	gate->last = seq;
	gate->gap_since_us = 0;
	gate->asked_us = 0;
	return SEQ_GATE_TAKE;
}

_Bool seq_gate_should_request(struct seq_gate *gate, uint64_t ask_after_us, uint64_t now_us)
{
	if (gate->gap_since_us == 0)
		return 0;
	uint64_t since = gate->asked_us > gate->gap_since_us ? gate->asked_us : gate->gap_since_us;
	if (now_us < since + ask_after_us)
		return 0;
	gate->asked_us = now_us;
	return 1;
}
