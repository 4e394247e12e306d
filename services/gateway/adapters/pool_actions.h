/* What operators' actions on pools and their lists share. */
#ifndef CARILLON_GATEWAY_ADAPTERS_POOL_ACTIONS_H
#define CARILLON_GATEWAY_ADAPTERS_POOL_ACTIONS_H

#include "services/gateway/adapters/gateway.h"

/* "pause" of ACTION_PAUSE, and so on; "unknown". */
const char *pool_action_text(uint32_t action);
/* {op} with its key, and {pool}; false when answered. */
bool pool_path(struct gateway *gateway, struct edge_request *request, uint32_t *operator_r,
	uint32_t *pool_r);
/* Figures as JSON; "null" where there are none. */
const char *pool_figures(const char *json);

#endif
