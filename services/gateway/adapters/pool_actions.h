/* Shared by operators' actions on pools and by their lists. */
#ifndef CARILLON_GATEWAY_ADAPTERS_POOL_ACTIONS_H
#define CARILLON_GATEWAY_ADAPTERS_POOL_ACTIONS_H

#include "services/gateway/adapters/gateway.h"

/* "pause" for ACTION_PAUSE, and so on; "unknown" for other numbers. */
const char *pool_action_text(uint32_t action);
/* Reads {op}, checks its key and reads {pool}; false when an error was answered. */
bool pool_path(struct gateway *gateway, struct edge_request *request, uint32_t *operator_r,
	uint32_t *pool_r);
/* Answers for a pool (or, without `progressive`, a set) that does not exist: 404, or 503 if an
 * announced definition names it, because a service will then create it soon. */
void pool_unknown(
	struct gateway *gateway, struct edge_request *request, int64_t pool, bool progressive);
/* pool_view.c: answers with the JSON that a function of the database makes of a pool; with null,
 * that there is no such pool. */
void pool_json_ask(struct gateway *gateway, struct edge_request *request, uint32_t pool,
	const char *sql, int n, const char *const *parameters);
/* 403: whoever requested an action may not approve it. */
void answer_same_approver(struct edge_request *request);
/* True for an operator of GATEWAY_POOL_OPERATORS: it acts on what all operators share. */
bool pool_operator(uint32_t operator_id);
/* Figures as JSON; "null" if there are none. */
const char *pool_figures(const char *json);

/* ---- pool_part.c ---- */

/* Once a second: reads who has opted out of which pool or set. */
void pool_part_tick(struct gateway *gateway);
/* False until it was read for the first time. */
bool pool_part_known(void);
/* True: the operator may see the figures of the pool or set, because it takes part or acts on
 * pools. */
bool pool_part(uint32_t operator_id, uint32_t pool);
/* The same; when false, 403 or 503 was answered. */
bool pool_part_needed(struct edge_request *request, uint32_t operator_id, uint32_t pool);

#endif
