/*~ The simulator's main: options, worlds one after the other, the summary. */
#include "tools/sim/sim.h"

int main(void)
{
	return 0;
}
