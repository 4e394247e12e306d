/* Wrong credentials: players' tokens that are malformed or that no key of ours has signed, unknown
 * keys of operators, and users' wrong passwords and codes. Each is counted and logged, with the
 * client's address and never with what was sent.
 *
 * An address that sends many must wait (libcommon/edge/tries.h). While it waits, its log-ins and
 * passwords, right or wrong, and its wrong tokens and keys get a 429 and do not count as further
 * wrong credentials. Right tokens and keys are served also from an address that must wait, because
 * many players may share it with somebody who guesses.
 *
 * A token that has expired or was ended does not count as wrong: it was right once, and a page may
 * send it without any fault of its own.
 *
 * Also: requests of users and keys that are known, but may not do what they ask for. Each has a
 * line of the log, at most ten a second. */
#include "services/gateway/adapters/staff.h"

#include "libcommon/edge/tries_log.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const names[WRONG_KINDS] = { "token", "key", "login", "password" };

static struct {
	struct metric *of[WRONG_KINDS], *refused;
} metric;

static struct tries_log lines;

#define DENIED_PER_S 10

static struct {
	const struct gateway *gateway;
	uint32_t lines; /* since the last tick */
	uint64_t untold;
} denied;

void wrong_begin(struct gateway *gateway)
{
	char label[32];

	denied.gateway = gateway;
	for (size_t i = 0; i < WRONG_KINDS; i++) {
		(void)snprintf(label, sizeof(label), "kind=\"%s\"", names[i]);
		metric.of[i] = metric_counter("carillon_gateway_wrong_credentials_total", label,
			"Wrong tokens of players, keys of operators, log-ins and passwords of "
			"users");
	}
	metric.refused = metric_counter("carillon_gateway_tries_refused_total", NULL,
		"Wrong tokens and keys, and log-ins, from addresses that must wait: too many wrong "
		"credentials came from them");
	gateway->tries = tries_new((uint32_t)gateway->settings.wrong_per_min);
	if (gateway->tries == NULL)
		fatal("out of memory");
}

bool wrong_may_try(struct gateway *gateway, struct edge_request *request)
{
	const struct address *client = edge_limited(request);
	uint32_t wait_s;
	char text[16];

	wait_s = client == NULL ? 0
				: tries_wait_s(gateway->tries, client, edge_now_us(gateway->edge));
	if (wait_s == 0)
		return true;
	metric_add(metric.refused, 1);
	(void)snprintf(text, sizeof(text), "%" PRIu32, wait_s);
	edge_answer_header(request, "Retry-After", text);
	edge_answer_error(request, 429, "too_many_wrong",
		"Too many wrong tokens, keys or passwords came from this address. Nothing was "
		"done. Try again later.",
		NULL, NULL, NULL);
	return false;
}

void wrong_note(struct gateway *gateway, const struct edge_request *request, enum wrong_kind kind)
{
	const struct address *client = edge_limited(request);
	uint32_t wait_s = 0;

	metric_add(metric.of[kind], 1);
	if (client != NULL)
		wait_s = tries_wrong(gateway->tries, client, edge_now_us(gateway->edge));
	tries_log_tell(&lines, &(struct tries_told){ .kind = names[kind],
				       .address = edge_peer(request),
				       .route = edge_route_of(request)->pattern,
				       .per_min = gateway->settings.wrong_per_min,
				       .wait_s = wait_s });
}

bool wrong_noted(struct gateway *gateway, struct edge_request *request, enum wrong_kind kind)
{
	if (!wrong_may_try(gateway, request))
		return false;
	wrong_note(gateway, request, kind);
	return true;
}

void wrong_denied(const struct edge_request *request, const char *code)
{
	const struct edge_route *route = edge_route_of(request);
	struct asker asker;

	if (denied.lines == DENIED_PER_S) {
		denied.untold++;
		return;
	}
	denied.lines++;
	log_warn_as("gateway.access.denied", "denied: %s from %s at %s %s: %s [%s]",
		asker_of(denied.gateway, request, &asker) ? asker.name : "nobody",
		edge_peer(request), route->method == EDGE_POST ? "POST" : "GET", route->pattern,
		code, edge_request_id(request));
}

void wrong_tick(struct gateway *gateway)
{
	(void)gateway;
	tries_log_tick(&lines);
	if (denied.untold > 0)
		log_warn_as("gateway.access.denied_more",
			"denied: %" PRIu64 " more in the last second", denied.untold);
	denied.lines = 0;
	denied.untold = 0;
}
