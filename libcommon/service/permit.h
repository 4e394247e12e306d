/* The permits: which service may send which kind of message to which other service over nanomsg.
 * The bus checks each message after it has opened the parcel, so an attacker who steals a service's
 * keys can do no more than that service may. Pure. */
#ifndef CARILLON_SERVICE_PERMIT_H
#define CARILLON_SERVICE_PERMIT_H

#include "libcommon/io/nn_bus.h"

/* The maximum age of a command: the receiver's time minus the sender's time of sealing. */
#define PERMIT_AGE_MAX_US INT64_C(10000000)

/* An nn_bus_permit: NULL if `from` may send this message to `to`; else what was sent and refused,
 * in words for people ("a spin command that it may not send").
 *
 * Looks only at the outer fields. If these do not show what a command does (it is malformed), it
 * passes here only if its sender may send every command of that kind. The receiving service
 * reads the whole command and rejects it. A command is also refused if it was sealed more than
 * PERMIT_AGE_MAX_US ago or, by the receiver's clock, more than that in the future. A command or a
 * request for totals is refused if it names an address for the reply other than its sender's. If
 * that address is repeated, the last one counts, as in the receiver's decoder. A message that
 * repeats any other field on which the decision depends is refused, unless every occurrence but
 * the last is 0. */
const char *permit_refusal(const struct nn_bus_instance *from, const char *to,
	const uint8_t *message, size_t n, int64_t age_us);

#endif
