/* What operators' actions on pools and their lists share. */
#ifndef CARILLON_GATEWAY_ADAPTERS_POOL_ACTIONS_H
#define CARILLON_GATEWAY_ADAPTERS_POOL_ACTIONS_H

#include "services/gateway/adapters/gateway.h"

/* "pause" of ACTION_PAUSE, and so on; "unknown". */
const char *pool_action_text(uint32_t action);
/* {op} with its key, and {pool}; false when answered. */
bool pool_path(struct gateway *gateway, struct edge_request *request, uint32_t *operator_r,
	uint32_t *pool_r);
/* Answers for a pool (or set, where it need not be a progressive) that no service has made: 404, or
 * 503 where a definition that is announced names it, for then it will be. */
void pool_unknown(
	struct gateway *gateway, struct edge_request *request, int64_t pool, bool progressive);
/* Figures as JSON; "null" where there are none. */
const char *pool_figures(const char *json);

#endif
