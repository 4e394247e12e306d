/* Webhooks: events that an operator's back end gets by HTTP. The database notices them and keeps
 * what is to be sent (migrations/0017_webhook.sql); the gateways ask it to, take deliveries, send
 * them and mark their outcomes. An event is sent at least once: a gateway that dies between the
 * answer and the mark leaves its delivery to be taken again. */
#ifndef CARILLON_GATEWAY_ADAPTERS_WEBHOOKS_H
#define CARILLON_GATEWAY_ADAPTERS_WEBHOOKS_H

#include "services/gateway/adapters/gateway.h"
#include "services/gateway/core/webhook.h"

/* Loads the key that secrets are derived from, and makes it where it is missing; opens a connection
 * to Postgres. Ends the process if a setting or the key cannot be used. */
void webhooks_begin(struct gateway *gateway);
void webhooks_end(void);
void webhooks_tick(void); /* every 50 ms */
/* The key that secrets are derived from. */
const uint8_t *webhooks_key(void);
/* New deliveries are looked for at once. */
void webhooks_wake(void);

/* What came of a delivery. */
struct webhook_outcome {
	int64_t delivery;
	uint32_t attempt; /* 0: the first */
	bool good;
	int64_t retry_after_s;		/* of the answer; 0: it has no Retry-After */
	char answer[WEBHOOK_ERROR_MAX]; /* for people: "200", "no answer in time" */
};

/* One request; all texts are copied. */
struct webhook_request {
	int64_t delivery;
	uint32_t attempt, webhook, version, old_version; /* old_version 0: one key signs */
	const char *url, *salt, *body, *event;
};

/* webhook_send.c: requests by libcurl, at most WEBHOOK_OPEN_MAX at once. */
#define WEBHOOK_OPEN_MAX 32
#define WEBHOOK_ANSWER_MAX 65536 /* bytes of an answer that are read, and thrown away */

struct webhook_sender;
typedef void webhook_done(void *context, const struct webhook_outcome *outcome);
/* internal: internal addresses may be sent to. Never NULL. */
struct webhook_sender *webhook_sender_new(struct edge *edge, const uint8_t *key, bool internal,
	int64_t timeout_ms, webhook_done *done, void *context);
void webhook_sender_free(struct webhook_sender **sender); /* aborts what is open */
size_t webhook_sender_room(const struct webhook_sender *sender);
/* There must be room. */
void webhook_sender_send(
	struct webhook_sender *sender, const struct webhook_request *request, uint64_t time_s);
void webhook_sender_tick(struct webhook_sender *sender); /* every 50 ms, for timeouts */

#define WEBHOOK_NUMBER_MAX 24 /* text of a webhook's number */

/* webhook_routes.c */
/* Reads the number of the path's webhook; false: 400 was answered. */
bool webhook_path_read(struct edge_request *request, char out[WEBHOOK_NUMBER_MAX]);
/* 404: the operator has no such webhook. */
void webhook_unknown(struct edge_request *request, const char *webhook);
edge_handler on_webhooks, on_webhook_new, on_webhook_action, on_webhook_resend, on_webhook_skip;

/* webhook_events.c */
edge_handler on_webhook_dead, on_webhook_waiting, on_webhook_sent;

#endif
