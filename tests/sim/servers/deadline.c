/* In the simulator nothing hangs: what waits has an end in the world's time. */
#include "tests/sim/fake.h"

#include "libcommon/io/deadline.h"

FAKE(deadline_set);
FAKE(deadline_clear);

void __wrap_deadline_set(int seconds, const char *doing)
{
	(void)seconds;
	(void)doing;
}

void __wrap_deadline_clear(void)
{
}
