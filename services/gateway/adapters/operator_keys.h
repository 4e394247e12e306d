/* Keys of operators' back ends: the rows of gateway.operator_key, and what a key that is limited
 * may not do (core/scope.h).
 *
 * Each check is false when 403 scope_exceeded was answered: nothing may be done then. It has a line
 * in the audit log, too. A user's session passes them all. */
#ifndef CARILLON_GATEWAY_ADAPTERS_OPERATOR_KEYS_H
#define CARILLON_GATEWAY_ADAPTERS_OPERATOR_KEYS_H

#include "services/gateway/adapters/gateway.h"
#include "services/gateway/core/permits.h"

#include "libcommon/base/currency.h"

#include <jansson.h>

void operator_keys_tick(struct gateway *gateway); /* once a second: reads the rows */
/* The key with this text; NULL: unknown, or it has ended. Valid until the loop turns. */
const struct operator_key *operator_key_of(const struct gateway *gateway, const char *text);

/* So many of gateway->operators, the first ones, are from files. */
size_t operator_keys_files(void);
/* Notes for the list that the key was used just now. */
void operator_key_used(const struct operator_key *key);

/* The route at all; for auth_operator. */
bool key_may_use(struct gateway *gateway, struct edge_request *request, uint32_t operator_id,
	enum permission permission);
/* True if the asker could POST to routes of this permission: such lists show them what they may
 * change whole. Answers and audits nothing. */
bool asker_may_change(
	struct gateway *gateway, const struct edge_request *request, enum permission permission);
/* Money of a player; `minor` below 0 takes it away. */
bool key_may_move(struct gateway *gateway, struct edge_request *request, player_id player,
	const struct currency *currency, int64_t minor);
/* The approval of what another one asked for, whose amount the request does not name. */
bool key_may_approve(struct gateway *gateway, struct edge_request *request, uint32_t operator_id);
/* False: 403 was answered, because the key is limited to pools, and a stop concerns every pool. */
bool key_may_stop(struct gateway *gateway, struct edge_request *request, uint32_t operator_id);
/* True for a key that is limited to amounts: up to these it books alone. */
bool key_has_amounts(const struct gateway *gateway, const struct edge_request *request);
/* A pool or set. */
bool key_may_pool(
	struct gateway *gateway, struct edge_request *request, uint32_t operator_id, uint32_t pool);
/* The same for lists, which leave out what a key may not read: answers and audits nothing. */
bool key_sees_pool(
	const struct gateway *gateway, const struct edge_request *request, uint32_t pool);

/* What an action on a pool moves: nothing, `delta_minor` of its parameters, or what no request
 * names. */
enum pool_moves { POOL_MOVES_NOTHING, POOL_MOVES_DELTA, POOL_MOVES_UNKNOWN };
struct pool_asked {
	uint32_t pool;
	enum pool_moves moves;
	const char *name;	/* of the action */
	const char *parameters; /* JSON, or "" */
};
bool key_may_act(struct gateway *gateway, struct edge_request *request, uint32_t operator_id,
	const struct pool_asked *asked);

/* key_routes.c */
edge_handler on_keys, on_key_new, on_key_action;

#endif
