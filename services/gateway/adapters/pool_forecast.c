/* When the rows of a pool, or the levels of a set, may be won next, and at which value
 * (migrations/0028_forecast.sql, docs/reports.md): the exact chances of the definitions and what
 * was bet lately. For operators that take part, because it follows from everybody's play. */
#include "services/gateway/adapters/pool_actions.h"
#include "services/gateway/adapters/reports.h"

#include "libcommon/base/currency.h"

#include <inttypes.h>
#include <stdio.h>

#define HOURS_DEFAULT 24
#define HOURS_MAX 168
#define TEXT_NUMBER 24
#define EXPONENTS_MAX 4096

/* The decimals of all currencies by their number, as JSON. */
static void exponents(char text[EXPONENTS_MAX])
{
	const struct currency *currency;
	size_t length = 0;

	for (size_t i = 0; (currency = currency_at(i)) != NULL && length < EXPONENTS_MAX - 32; i++)
		length += (size_t)snprintf(text + length, EXPONENTS_MAX - length,
			"%c\"%" PRIu32 "\":%" PRIu32, i == 0 ? '{' : ',', currency->number,
			currency->exponent);
	(void)snprintf(text + length, EXPONENTS_MAX - length, "}");
}

void on_pool_forecast(struct edge_request *request, void *context)
{
	static const char *const names[] = { "hours", NULL };
	struct gateway *gateway = context;
	uint32_t operator_id, pool;
	int64_t hours;
	char number[TEXT_NUMBER], back[TEXT_NUMBER], decimals[EXPONENTS_MAX];

	if (!pool_path(gateway, request, &operator_id, &pool) || !answer_query(request, names) ||
		!answer_number(request, "hours", HOURS_DEFAULT, 1, HOURS_MAX, &hours) ||
		!pool_part_needed(request, operator_id, pool))
		return;
	(void)snprintf(number, sizeof(number), "%" PRIu32, pool);
	(void)snprintf(back, sizeof(back), "%" PRId64, hours);
	exponents(decimals);
	const char *parameters[] = { number, back, gateway->demo ? "true" : "false",
		rollups_currencies(), decimals };
	pool_json_ask(gateway, request, pool,
		"select gateway.forecast($1::integer, $2::integer, $3::boolean, $4::json, "
		"$5::json)",
		5, parameters);
}
