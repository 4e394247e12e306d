/* How a client's connection ended: the client left, this server closed it, or the connection was
 * lost. Pure. */
#ifndef CARILLON_NOTIFICATIONS_CORE_ENDING_H
#define CARILLON_NOTIFICATIONS_CORE_ENDING_H

#include <stdbool.h>

struct ending {
	bool plays;	  /* the client had a valid token and named its game */
	bool peer_closed; /* the client sent a close frame: it left on purpose, whatever the code */
	bool we_closed;	  /* this server has closed it, or is about to */
	bool unanswered;  /* this server closed it because a ping got no answer */
	bool draining;	  /* this server shuts down */
	bool another;	  /* the player has another open connection to the same game */
};

/* True for a lost connection after which the game must wait. */
bool ending_is_loss(const struct ending *ending);

#endif
