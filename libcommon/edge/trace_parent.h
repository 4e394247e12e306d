/* The header traceparent of the W3C recommendation "Trace Context", version 00 and later ones:
 * "00-<32 hex>-<16 hex>-<2 hex>". No I/O, no allocation. */
#ifndef CARILLON_EDGE_TRACE_PARENT_H
#define CARILLON_EDGE_TRACE_PARENT_H

#include <stdbool.h>
#include <stdint.h>

/* 16 bytes trace id, 8 bytes parent id, 1 byte flags, as in Envelope.trace. */
#define TRACE_PARENT_BYTES 25

/* False: the value is not valid, and the receiver begins a trace of its own. Of the flags only
 * "sampled" (01) is kept: the recommendation gives no other a meaning. Of a version that is not
 * known yet, only the parts of version 00 are read. */
bool trace_parent_read(const char *text, uint8_t trace_r[TRACE_PARENT_BYTES]);

#endif
