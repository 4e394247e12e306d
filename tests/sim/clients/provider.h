/* The payment provider of a world, on the other side of tests/sim/servers/curl.c: what it is asked,
 * and what it does then. Its manners are those of tests/support/payment-stub: it pays or refuses,
 * at once or later, says so twice, late, wrongly, or not at all for a while. */
#ifndef CARILLON_SIM_CLIENTS_PROVIDER_H
#define CARILLON_SIM_CLIENTS_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROVIDER_ANSWER_MAX 512

enum paid_status { PAID_PENDING = 0, PAID_PAID, PAID_REFUSED };

/* A payment as the provider knows it. */
struct paid {
	uint8_t id[16];
	int64_t amount;
	char currency[4];
	enum paid_status status;
	bool said_paid, said_refused; /* to whoever asked; perhaps nobody heard it */
	bool lied, other;	      /* contradicted itself; spoke of another amount */
	uint32_t asked, provider_script;
	uint64_t known_us; /* asked for first */
};

void provider_begin(void);
void provider_end(void);

/* What it does about a question: the HTTP status and the text of its answer; 0: it says nothing.
 * path: "/v1/payouts", with "/<id>" for a look; body NULL: a look. */
long provider_asked(const char *path, const char *body, char answer_r[PROVIDER_ANSWER_MAX]);

/* NULL: it was never asked to pay this. */
const struct paid *provider_paid(const uint8_t id[16]);
/* Each payment it knows, in any order: *at is 0 at first. NULL: that was the last. */
const struct paid *provider_next(size_t *at);

#endif
