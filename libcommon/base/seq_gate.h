/* The order of facts: a consumer takes exactly the last seq + 1 of a shard, drops what it has seen,
 * and notices what is missing. */
#ifndef CARILLON_BASE_SEQ_GATE_H
#define CARILLON_BASE_SEQ_GATE_H

#include <stdint.h>

enum seq_gate_verdict {
	SEQ_GATE_TAKE = 0, /* the next one: apply it */
	SEQ_GATE_SEEN,	   /* applied before: drop it */
	SEQ_GATE_GAP,	   /* something is missing before it: drop it, and ask for last + 1 after a
			      second */
	SEQ_GATE_INCARNATION, /* the shard was restored: reload, nothing was applied */
};

struct seq_gate {
	uint32_t incarnation;
	uint64_t last;	       /* highest seq applied; 0 before the first */
	uint64_t gap_since_us; /* when the present gap was first seen; 0: none */
	uint64_t asked_us;     /* when it was last asked for */
};

/* Applies the rule to one message at the time now_us. TAKE advances the gate. */
enum seq_gate_verdict seq_gate_offer(
	struct seq_gate *gate, uint32_t incarnation, uint64_t seq, uint64_t now_us);

/* Whether to ask for last + 1 again: a gap stands for ask_after_us, and the last asking is as old.
 * Notes the asking. */
_Bool seq_gate_should_request(struct seq_gate *gate, uint64_t ask_after_us, uint64_t now_us);

#endif
