/* Which operators may see the figures of a pool or set: those that take part in it, and those that
 * act on pools (GATEWAY_POOL_OPERATORS). Who has opted out is read in the background, so it may be
 * a second or two old. */
#include "services/gateway/adapters/pool_actions.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdlib.h>

#define READ_MS 4000
#define OUT_SQL                                                                                    \
	"select operator, pool from pool.participation where not takes_part union "                \
	"select operator, pool from cards.participation where not takes_part and game = 0"

static struct {
	struct opted_out {
		uint32_t operator_id, pool; /* operator 0: all */
	} * out;
	size_t n;
	bool known, waiting;
} part;

static void on_out(void *context, PGresult *result, const char *error)
{
	int n = result == NULL ? 0 : PQntuples(result);
	(void)context;
	part.waiting = false;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK) {
		log_warn_as("gateway.opt_outs.unreadable",
			"cannot read who has opted out of pools: %s",
			error != NULL ? error : PQresultErrorMessage(result));
		return;
	}
	free(part.out);
	part.out = calloc((size_t)n + 1, sizeof(*part.out));
	if (part.out == NULL)
		fatal("out of memory");
	for (int i = 0; i < n; i++)
		part.out[i] = (struct opted_out){ (uint32_t)pg_number(result, i, 0),
			(uint32_t)pg_number(result, i, 1) };
	part.n = (size_t)n;
	part.known = true;
}

void pool_part_tick(struct gateway *gateway)
{
	if (part.waiting)
		return;
	part.waiting = true;
	pg_pool_query(gateway->pg_ro, OUT_SQL, 0, NULL, READ_MS, on_out, NULL);
}

bool pool_part_known(void)
{
	return part.known;
}

bool pool_part(uint32_t operator_id, uint32_t pool)
{
	bool takes = part.known;
	if (pool_operator(operator_id))
		return true;
	for (size_t i = 0; i < part.n; i++)
		if (part.out[i].pool == pool &&
			(part.out[i].operator_id == 0 || part.out[i].operator_id == operator_id))
			takes = false;
	return takes;
}

bool pool_part_needed(struct edge_request *request, uint32_t operator_id, uint32_t pool)
{
	if (pool_part(operator_id, pool))
		return true;
	if (!part.known) {
		answer_unavailable(request, "the operators that have opted out of pools have not "
					    "been read yet");
		return false;
	}
	wrong_denied(request, "no_part");
	edge_answer_error(request, 403, "no_part",
		"This operator takes no part in this pool or set, so it may not see the pool's "
		"books. GET /v1/jackpots has the figures that every operator may see.",
		"pool", edge_parameter(request, 1),
		"a pool or set in which the operator takes part");
	return false;
}
