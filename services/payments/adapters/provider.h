/* The payment provider over HTTP, by libcurl, with a bound on open requests. Answers are read
 * strictly: only a clear outcome counts as one.
 *
 * POST <url>/v1/payouts {"id","player","amount_minor","currency"} requests a payment; repeating an
 * id pays nothing more.
 *
 * GET <url>/v1/payouts/<id> queries a payment; 404: the provider does not know the id.
 *
 * The answer to both is {"id","amount_minor","currency","status":"paid"|"refused"|"pending",
 * "reference"?}. */
#ifndef CARILLON_PAYMENTS_ADAPTERS_PROVIDER_H
#define CARILLON_PAYMENTS_ADAPTERS_PROVIDER_H

#include "services/payments/core/payout.h"

#include <stddef.h>

#define PROVIDER_REFERENCE_MAX 63
#define PROVIDER_FOUND_MAX 160

struct provider;

struct provider_word {
	uint8_t id[PAYOUT_ID_BYTES]; /* of the request */
	enum payout_answer answer;
	char reference[PROVIDER_REFERENCE_MAX + 1]; /* "" if there is none */
	char found[PROVIDER_FOUND_MAX];		    /* the answer, for people */
};

/* key: sent as "Authorization: Bearer"; "" if there is none. Never NULL. */
struct provider *provider_new(
	const char *url, const char *key, int64_t timeout_ms, int64_t parallel);
/* True when the largest number of requests is open. */
bool provider_full(const struct provider *provider);
/* False when the largest number of requests is open. */
bool provider_request(struct provider *provider, const struct payout *payout, enum payout_act act);
/* Advances the open requests; true with the next answer that has come. */
bool provider_poll(struct provider *provider, struct provider_word *word_r);
bool provider_idle(const struct provider *provider);
/* Reads the answer to a request about `payout`. For tests and for provider_poll. */
enum payout_answer provider_read(const struct payout *payout, enum payout_act act, long status,
	const char *body, size_t length, struct provider_word *word_r);

#endif
