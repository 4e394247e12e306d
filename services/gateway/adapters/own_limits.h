/* Players' own limits in answers to bets. The routes are in gateway.h. */
#ifndef CARILLON_GATEWAY_ADAPTERS_OWN_LIMITS_H
#define CARILLON_GATEWAY_ADAPTERS_OWN_LIMITS_H

#include "services/gateway/adapters/gateway.h"

/* True if the reply refuses a bet because of a limit of the player: then the request is answered
 * with the refusal and the limit: its name, what is left and when it renews. */
bool own_limits_refused(struct gateway *gateway, struct edge_request *request, player_id player,
	const Carillon__SpinReply *reply);
void own_limits_tick(void); /* every 20 ms: reads again what was not there yet */

#endif
