/* Weak stand-ins for the parts of the simulator that are linked in beside this one. */
#include "tools/sim/sim.h"

#define WEAK __attribute__((weak))

WEAK void fake_pg_world_begin(void)
{
}
WEAK void fake_pg_world_end(void)
{
}
WEAK void fake_pg_process_died(struct sim_process *process)
{
	(void)process;
}
WEAK void fake_pg_server(bool up)
{
	(void)up;
}
WEAK void workload_world_begin(void)
{
}
WEAK void workload_world_end(void)
{
}
WEAK bool workload_done(void)
{
	return true;
}
WEAK void workload_drain(void)
{
}
WEAK bool workload_settled(void)
{
	return true;
}
WEAK uint64_t workload_rounds(void)
{
	return 0;
}
WEAK void judge_step(void)
{
}
WEAK void judge_final(void)
{
}
WEAK const struct scenario sim_scenarios[] = { { NULL, NULL } };
