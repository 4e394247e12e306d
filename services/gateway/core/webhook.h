/* Webhooks, as far as they need no connection: secrets and signatures, the pause before a retry,
 * and which addresses an operator may name. Pure. */
#ifndef CARILLON_GATEWAY_CORE_WEBHOOK_H
#define CARILLON_GATEWAY_CORE_WEBHOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEBHOOK_SECRET_BYTES 32
#define WEBHOOK_SIGNATURE_HEX 64
#define WEBHOOK_URL_MAX 500
#define WEBHOOK_KINDS_MAX 64	     /* text of all kinds, separated by commas */
#define WEBHOOK_DELAY_MS_MAX 3600000 /* the longest pause before a retry, without jitter */
#define WEBHOOK_REST_MS_MAX 3600000  /* the longest Retry-After that is honoured */
#define WEBHOOK_ERROR_MAX 96

/* The secret of a webhook's version: HMAC-SHA-256 with the installation's key over
 * "carillon webhook <salt> <version>". */
void webhook_secret(const uint8_t key[WEBHOOK_SECRET_BYTES], const char *salt, uint32_t version,
	uint8_t secret_r[WEBHOOK_SECRET_BYTES]);

/* The signature of a request: HMAC-SHA-256 with the secret over "<seconds since 1970>.<body>", in
 * lower-case hex. */
void webhook_sign(const uint8_t secret[WEBHOOK_SECRET_BYTES], uint64_t time_s, const char *body,
	size_t length, char hex_r[WEBHOOK_SIGNATURE_HEX + 1]);

/* The pause after the attempt that failed (0: the first), in milliseconds: first_ms doubled each
 * time, at most WEBHOOK_DELAY_MS_MAX, and up to a quarter more or less by `random`. At least 1. */
int64_t webhook_delay_ms(uint32_t attempt, int64_t first_ms, uint64_t random);

/* How long a webhook rests because its receiver answered an event with Retry-After, in
 * milliseconds: at most WEBHOOK_REST_MS_MAX; 0 for 0 seconds and below. */
int64_t webhook_rest_ms(int64_t retry_after_s);

/* Writes an address for those who may not change it: without a user, a password and a query, which
 * may hold secrets. */
void webhook_url_shown(const char *url, char shown_r[WEBHOOK_URL_MAX + 1]);

/* True when events may be sent to the address: https, a host, a port or none, a path. `internal`:
 * plain http to this machine ("localhost", "127.0.0.1", "[::1]") is allowed as well. Otherwise
 * *expected_r says what was expected; it is static. The host's IP addresses are checked when the
 * connection is made (webhook_address_public). */
bool webhook_url_ok(const char *url, bool internal, const char **expected_r);

/* Reads kinds separated by commas ("hit,payout") and writes them as an array of Postgres. False on
 * an unknown, repeated or missing kind. */
bool webhook_kinds_read(const char *text, char array_r[WEBHOOK_KINDS_MAX + 2]);

/* Reads "SEK=1000000,*=100000", the smallest large win by currency in minor units (* in euro cents,
 * as alone_read), as JSON by the currency's number: {"752":1000000,..}. Empty: {}. False: error_r
 * (ALONE_ERROR_MAX bytes) says why. */
bool webhook_large_read(const char *text, char *json_r, size_t room, char *error_r);

#endif
