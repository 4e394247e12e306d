/* A player's past for the player's operator: the history and the replays that the player has, and
 * nothing that the player has not seen. */
#include "services/gateway/adapters/history_read.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/staff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_NUMBER 24

struct look {
	struct waiter waiter; /* first */
	bool round;	      /* a past round; else the history */
};

static void on_account(void *context, PGresult *result, const char *error)
{
	struct look *look = context;
	struct edge_request *request = waiter_rows(&look->waiter, result, error);

	if (request == NULL)
		;
	else if (PQntuples(result) == 0)
		player_unknown(request);
	else if (look->round)
		history_round(look->waiter.gateway, request, look->waiter.player,
			edge_parameter(request, 2));
	else
		history_list(look->waiter.gateway, request, look->waiter.player);
	free(look);
}

/* The engine is asked only about an account that is there. */
static void look_begin(struct gateway *gateway, struct edge_request *request, bool round)
{
	char number[TEXT_NUMBER];
	const char *parameters[] = { number };
	struct look *look;
	uint32_t operator_id;
	player_id player;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &player))
		return;
	look = waiter_new(sizeof(*look), gateway, request, player);
	look->round = round;
	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	pg_pool_query(gateway->pg_ro, "select 1 from wallet.account where player = $1::bigint", 1,
		parameters, QUERY_MS, on_account, look);
}

void on_player_history(struct edge_request *request, void *context)
{
	look_begin(context, request, false);
}

void on_player_round(struct edge_request *request, void *context)
{
	look_begin(context, request, true);
}
