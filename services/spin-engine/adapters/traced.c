#include "services/spin-engine/adapters/traced.h"

void traced_hop(const struct spin_command *command, struct log_hop hop)
{
	hop.trace = command->trace;
	hop.player = command->player;
	log_hop(&hop);
}
