/* The audit log: each action in an operator's name, who requested it, and its outcome. A line is
 * written when the outcome is known; if Postgres does not take it, it goes to the process's log. */
#include "services/gateway/adapters/gateway.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AUDIT_MS 4000

static void on_written(void *context, PGresult *result, const char *error)
{
	char *line = context;
	if (result == NULL || PQresultStatus(result) != PGRES_COMMAND_OK)
		log_error("audit log: could not write the line %s (%s)", line,
			error == NULL ? PQresultErrorMessage(result) : error);
	free(line);
}

void audit_write(struct gateway *gateway, struct edge_request *request, uint32_t operator_id,
	const char *action, player_id player, const char *content, uint32_t status)
{
	char subject[PLAYER_TEXT_MAX];
	player_id_format(player, subject);
	audit_write_of(gateway, request, operator_id, action, subject, content, status);
}

void audit_write_of(struct gateway *gateway, struct edge_request *request, uint32_t operator_id,
	const char *action, const char *subject, const char *content, uint32_t status)
{
	char operator_text[16], actor[96], status_text[16], line[1024];
	const char *id = request == NULL ? "" : edge_request_id(request);
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	(void)snprintf(actor, sizeof(actor), "operator-%" PRIu32 " from %.64s", operator_id,
		request == NULL ? "?" : edge_peer(request));
	(void)snprintf(status_text, sizeof(status_text), "%" PRIu32, status);
	(void)snprintf(line, sizeof(line), "%s, %s of %s, %.600s, status %s, request %s", actor,
		action, subject, content, status_text, id);
	log_info("audit: %s", line);
	const char *parameters[] = { operator_text, actor, action, subject, id, content,
		status_text };
	pg_pool_query(gateway->pg,
		"insert into gateway.audit (operator, actor, action, subject, request_id, content, "
		"status) "
		"values ($1::integer, $2, $3, $4, $5, $6::jsonb, $7::integer)",
		7, parameters, AUDIT_MS, on_written, strdup(line));
}
