/* Keeps facts in order: a consumer applies the facts of a shard in the order of their seq. It takes
 * only the fact with seq = last + 1, drops facts it has already seen, and notices gaps. */
#ifndef CARILLON_BASE_SEQ_GATE_H
#define CARILLON_BASE_SEQ_GATE_H

#include <stdint.h>

enum seq_gate_status {
	SEQ_GATE_TAKE = 0, /* the next one: apply it */
	SEQ_GATE_SEEN,	   /* already applied, or from before a restore: drop it */
	SEQ_GATE_GAP,	   /* an earlier fact is missing: drop this one (seq_gate_should_request) */
	SEQ_GATE_INCARNATION, /* the shard was restored: reload; the fact is not applied */
};

struct seq_gate {
	uint32_t incarnation;
	uint64_t last;	       /* highest seq applied; 0 before the first */
	uint64_t gap_since_us; /* when the present gap was first seen; 0: no gap */
	uint64_t asked_us;     /* when the missing fact was last requested */
};

/* Checks one fact at the time now_us. Only TAKE advances the gate. */
enum seq_gate_status seq_gate_offer(
	struct seq_gate *gate, uint32_t incarnation, uint64_t seq, uint64_t now_us);

/* True when the caller should request last + 1 now: the gap is at least ask_after_us old, and so is
 * the last request for it, if there was one. Records the request's time. */
_Bool seq_gate_should_request(struct seq_gate *gate, uint64_t ask_after_us, uint64_t now_us);

#endif
