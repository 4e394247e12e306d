/* A game for its operators: its definitions with their exact figures, and what it has returned
 * beside them (migrations/0027_par.sql). */
#include "services/gateway/adapters/reports.h"

#include "libcommon/io/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_NUMBER 24
#define TIME_MOST INT64_C(250000000000000000) /* the year 9892 */
#define BACK_US ((int64_t)(30 * 86400 * SECOND_US))

static void on_view(void *context, PGresult *result, const char *error)
{
	struct waiter *waiting = context;
	struct edge_request *request = waiter_rows(waiting, result, error);

	if (request != NULL)
		answer_text(request, PQgetvalue(result, 0, 0), (size_t)PQgetlength(result, 0, 0),
			false);
	free(waiting);
}

void on_game_view(struct edge_request *request, void *context)
{
	static const char *const names[] = { "from_us", "to_us", NULL };
	struct gateway *gateway = context;
	const char *slug = edge_parameter(request, 1);
	uint32_t operator_id;
	int64_t to_us, from_us, back_us;
	char number[TEXT_NUMBER], game[TEXT_NUMBER], from[TEXT_NUMBER], to[TEXT_NUMBER];

	if (!auth_operator_path(gateway, request, &operator_id) || !answer_query(request, names) ||
		!game_served(gateway, request, slug) ||
		!answer_number(request, "to_us", (int64_t)clock_wall_us(), 0, TIME_MOST, &to_us))
		return;
	back_us = BACK_US < to_us ? BACK_US : to_us;
	if (!answer_number(request, "from_us", to_us - back_us, 0, to_us, &from_us))
		return;
	(void)snprintf(number, sizeof(number), "%" PRIu32, operator_id);
	(void)snprintf(game, sizeof(game), "%" PRIu32, game_number(slug));
	(void)snprintf(from, sizeof(from), "%" PRId64, from_us);
	(void)snprintf(to, sizeof(to), "%" PRId64, to_us);
	const char *parameters[] = { number, game, gateway->demo ? "true" : "false", from, to,
		rollups_currencies() };
	pg_pool_query(rollups_pool(),
		"select gateway.game_view($1::integer, $2::integer, $3::boolean, timestamptz "
		"'epoch' + $4::bigint * interval '1 microsecond', timestamptz 'epoch' + "
		"$5::bigint * interval '1 microsecond', $6::json)",
		6, parameters, REPORT_MS, on_view,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}
