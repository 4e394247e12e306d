/* What the rows of a pool, or the levels of a set, showed over time, and its hits
 * (migrations/0026_jackpot_shown.sql). It has only what every operator may see anyway: values that
 * were shown, and hits without their winners. */
#include "services/gateway/adapters/pool_actions.h"
#include "services/gateway/adapters/reports.h"

#include "libcommon/io/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STEPS_DEFAULT 1500
#define STEPS_MAX 2000
#define TEXT_NUMBER 24
#define TIME_MOST INT64_C(250000000000000000) /* the year 9892 */
#define DAY_US ((int64_t)(86400 * SECOND_US))

/* How far back a step looks unless from_us says so. */
static int64_t back_of(const char *step)
{
	if (strcmp(step, "minute") == 0)
		return DAY_US;
	if (strcmp(step, "quarter") == 0)
		return 7 * DAY_US;
	return strcmp(step, "hour") == 0 ? 31 * DAY_US : 365 * DAY_US;
}

void on_pool_history(struct edge_request *request, void *context)
{
	static const char *const names[] = { "step", "from_us", "to_us", "limit", NULL };
	static const char *const words[] = { "minute", "quarter", "hour", "day", NULL };
	struct gateway *gateway = context;
	uint32_t operator_id, pool;
	int64_t to_us, from_us, back_us, limit;
	const char *step;
	char number[TEXT_NUMBER], from[TEXT_NUMBER], to[TEXT_NUMBER], most[TEXT_NUMBER];

	if (!pool_path(gateway, request, &operator_id, &pool) || !answer_query(request, names) ||
		(step = answer_word(request, "step", words)) == NULL ||
		!answer_limit(request, STEPS_DEFAULT, STEPS_MAX, &limit) ||
		!answer_number(request, "to_us", (int64_t)clock_wall_us(), 0, TIME_MOST, &to_us))
		return;
	back_us = back_of(step) < to_us ? back_of(step) : to_us;
	if (!answer_number(request, "from_us", to_us - back_us, 0, to_us, &from_us))
		return;
	(void)snprintf(number, sizeof(number), "%" PRIu32, pool);
	(void)snprintf(from, sizeof(from), "%" PRId64, from_us);
	(void)snprintf(to, sizeof(to), "%" PRId64, to_us);
	(void)snprintf(most, sizeof(most), "%" PRId64, limit);
	const char *parameters[] = { number, step, from, to, most, rollups_currencies() };
	pool_json_ask(gateway, request, pool,
		"select gateway.jackpot_history($1::integer, $2, timestamptz 'epoch' + $3::bigint "
		"* interval '1 microsecond', timestamptz 'epoch' + $4::bigint * interval "
		"'1 microsecond', $5::integer, $6::json)",
		6, parameters);
}
