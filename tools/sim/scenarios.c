/* Named schedules: docs/simulator.md says what each one is about. */
#include "tools/sim/sim.h"

#include <stddef.h>

const struct scenario sim_scenarios[] = {
	{ NULL, NULL },
};
