/* The way of a sampled command in the log (docs/tracing.md). */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_TRACED_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_TRACED_H

#include "libcommon/io/log.h"
#include "services/spin-engine/adapters/command.h"

_Static_assert(COMMAND_TRACE_MAX == LOG_TRACE_BYTES, "traces");

static inline bool traced(const struct spin_command *command)
{
	return log_sampled(command->trace, command->trace_length);
}
/* Of a sampled command: a line with its trace and player, and the rest of the hop. */
void traced_hop(const struct spin_command *command, struct log_hop hop);

#endif
