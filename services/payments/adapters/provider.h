/* The provider of payments over HTTP, by libcurl, with a bound on questions under way. What it
 * answers is read strictly: whatever is not plainly an outcome is none.
 *
 *     POST <url>/v1/payouts        {"id","player","amount_minor","currency"}: pay; the same id
 * again pays nothing new GET  <url>/v1/payouts/<id>   only what it knows; 404: nothing
 *
 * Both are answered with {"id","amount_minor","currency","status":"paid"|"refused"|"pending",
 * "reference"?}. */
#ifndef CARILLON_PAYMENTS_ADAPTERS_PROVIDER_H
#define CARILLON_PAYMENTS_ADAPTERS_PROVIDER_H

#include "services/payments/core/payout.h"

#include <stddef.h>

#define PROVIDER_REFERENCE_MAX 63
#define PROVIDER_FOUND_MAX 160

struct provider;

struct provider_word {
	uint8_t id[PAYOUT_ID_BYTES]; /* of the question */
	enum payout_answer answer;
	char reference[PROVIDER_REFERENCE_MAX + 1]; /* "": none */
	char found[PROVIDER_FOUND_MAX];		    /* what came, for people */
};

/* key: sent as "Authorization: Bearer"; "": none. Never NULL. */
struct provider *provider_new(
	const char *url, const char *key, int64_t timeout_ms, int64_t parallel);
/* As many as may be are under way. */
bool provider_full(const struct provider *provider);
/* False: it is full. */
bool provider_request(struct provider *provider, const struct payout *payout, enum payout_act act);
/* Moves what is under way on; true with the next word that has come. */
bool provider_poll(struct provider *provider, struct provider_word *word_r);
bool provider_idle(const struct provider *provider);
/* Reads an answer; of the question about `payout`. For tests, and for provider_poll. */
enum payout_answer provider_read(const struct payout *payout, enum payout_act act, long status,
	const char *body, size_t length, struct provider_word *word_r);

#endif
