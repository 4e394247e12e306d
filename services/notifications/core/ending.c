/* RULE bewitched 7.3, RULE mona-lisa 6.3: after a lost connection no new one for a while, and only
 * where a living server saw the client drop. A page that is closed or loaded anew says goodbye (a
 * browser sends close code 1001): that is no loss. Neither is the second window of one who still
 * has the first. */
#include "services/notifications/core/ending.h"

bool ending_is_loss(const struct ending *ending)
{
	if (!ending->plays || ending->draining || ending->another || ending->peer_closed)
		return false;
	return ending->unanswered || !ending->we_closed;
}
