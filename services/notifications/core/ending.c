/* RULE bewitched 7.3, RULE mona-lisa 6.3: after a lost connection the game refuses the player for
 * some time, but only if a running server saw the client drop. A page that is closed or reloaded
 * sends close code 1001, which is not a loss. Nor is it a loss while the player has another window
 * open. */
#include "services/notifications/core/ending.h"

bool ending_is_loss(const struct ending *ending)
{
	if (!ending->plays || ending->draining || ending->another || ending->peer_closed)
		return false;
	return ending->unanswered || !ending->we_closed;
}
