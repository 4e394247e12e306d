/* The audit log: each action in an operator's name, who requested it, and its outcome. A line is
 * written when the outcome is known; if Postgres does not take it, it goes to the process's log. */
#include "services/gateway/adapters/staff.h"

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
		log_error_as("gateway.audit.lost", "audit log: could not write the line %s (%s)",
			line, error == NULL ? PQresultErrorMessage(result) : error);
	free(line);
}

/* Who asked, kept from when the request was accepted: by the time of its line the client may have
 * gone and the session may have ended. */
#define ASKED_MAX 1024

static struct asked {
	uint64_t ticket;
	char actor[ASKER_FROM_MAX], request_id[EDGE_REQUEST_ID_MAX], reason[REASON_MAX + 1];
} asked[ASKED_MAX];
static size_t asked_next;

void audit_asked(const struct gateway *gateway, struct edge_request *request, uint32_t operator_id)
{
	struct asked *now = &asked[asked_next++ % ASKED_MAX];
	struct asker asker;

	now->ticket = edge_ticket(request);
	now->reason[0] = '\0';
	if (asker_of(gateway, request, &asker))
		asker_from(&asker, request, now->actor);
	else
		(void)snprintf(now->actor, sizeof(now->actor), "operator-%" PRIu32 " from %.64s",
			operator_id, edge_peer(request));
	(void)snprintf(now->request_id, sizeof(now->request_id), "%s", edge_request_id(request));
}

static struct asked *asked_known(uint64_t ticket)
{
	for (size_t i = 0; i < ASKED_MAX; i++)
		if (ticket != 0 && asked[i].ticket == ticket)
			return &asked[i];
	return NULL;
}

void audit_reason(struct edge_request *request, const char *reason)
{
	struct asked *one = asked_known(edge_ticket(request));

	if (one != NULL)
		(void)snprintf(one->reason, sizeof(one->reason), "%s", reason);
}

const char *audit_reason_of(uint64_t ticket)
{
	const struct asked *one = asked_known(ticket);

	return one == NULL ? "" : one->reason;
}

/* The operator alone where so many others have asked since that the request is forgotten. */
static const struct asked *asked_of(uint64_t ticket, uint32_t operator_id)
{
	static struct asked unknown;
	const struct asked *one = asked_known(ticket);

	if (one != NULL)
		return one;
	(void)snprintf(unknown.actor, sizeof(unknown.actor), "operator-%" PRIu32, operator_id);
	return &unknown;
}

void audit_write(struct gateway *gateway, uint64_t ticket, uint32_t operator_id, const char *action,
	player_id player, const char *content, uint32_t status)
{
	char subject[PLAYER_TEXT_MAX];
	player_id_format(player, subject);
	audit_write_of(gateway, ticket, operator_id, action, subject, content, status);
}

void audit_write_of(struct gateway *gateway, uint64_t ticket, uint32_t operator_id,
	const char *action, const char *subject, const char *content, uint32_t status)
{
	char operator_text[16], status_text[16], line[1024];
	const struct asked *who = asked_of(ticket, operator_id);
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	(void)snprintf(status_text, sizeof(status_text), "%" PRIu32, status);
	(void)snprintf(line, sizeof(line), "%s, %s of %s, %.600s, status %s, request %s",
		who->actor, action, subject, content, status_text, who->request_id);
	log_info("audit: %s", line);
	const char *parameters[] = { operator_text, who->actor, action, subject, who->request_id,
		content, status_text };
	pg_pool_query(gateway->pg,
		"insert into gateway.audit (operator, actor, action, subject, request_id, content, "
		"status) "
		"values ($1::integer, $2, $3, $4, $5, $6::jsonb, $7::integer)",
		7, parameters, AUDIT_MS, on_written, strdup(line));
}
