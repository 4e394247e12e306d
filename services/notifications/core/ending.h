/* How a client's connection ended: did he leave, did we send him away, or was the connection lost
 * to a server that goes on? Pure. */
#ifndef CARILLON_NOTIFICATIONS_CORE_ENDING_H
#define CARILLON_NOTIFICATIONS_CORE_ENDING_H

#include <stdbool.h>

struct ending {
	bool plays;	  /* he had said which game he plays, with a valid token */
	bool peer_closed; /* a close frame of his came: whatever its code, he left on purpose */
	bool we_closed;	  /* we had told him to go, or are about to */
	bool unanswered;  /* we closed because a ping had no answer: nobody was there */
	bool draining;	  /* this server goes away */
	bool another;	  /* another connection of the same player to the same game stands */
};

/* Is it a lost connection after which the game waits? */
bool ending_is_loss(const struct ending *ending);

#endif
