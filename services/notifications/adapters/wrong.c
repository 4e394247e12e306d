#include "services/notifications/adapters/wrong.h"

#include "libcommon/edge/tries.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"

#include <inttypes.h>
#include <stdlib.h>

/* In the log, of wrong tokens, and as many of addresses that must wait: a flood must not fill the
 * disk. */
#define LINES_PER_S 10

struct wrong {
	struct tries *tries;
	int64_t per_min;
	uint32_t lines, waits; /* since the last tick */
	uint64_t untold;       /* wrong tokens without a line */
	struct metric *counted, *refused;
};

struct wrong *wrong_new(int64_t per_min)
{
	struct wrong *wrong = calloc(1, sizeof(*wrong));
	if (wrong == NULL || (wrong->tries = tries_new((uint32_t)per_min)) == NULL)
		fatal("out of memory");
	wrong->per_min = per_min;
	wrong->counted = metric_counter("carillon_notifications_wrong_credentials_total",
		"kind=\"token\"", "Wrong tokens of players");
	wrong->refused = metric_counter("carillon_notifications_tries_refused_total", NULL,
		"Wrong tokens from addresses that must wait: too many wrong tokens came from them");
	return wrong;
}

void wrong_free(struct wrong **wrong)
{
	if (*wrong == NULL)
		return;
	tries_free(&(*wrong)->tries);
	free(*wrong);
	*wrong = NULL;
}

static void tell(struct wrong *wrong, const struct sender *sender, uint32_t wait_s)
{
	char address[ADDRESS_TEXT_MAX];
	uint32_t *told = wait_s > 0 ? &wrong->waits : &wrong->lines;
	if (*told >= LINES_PER_S) {
		wrong->untold++;
		return;
	}
	(*told)++;
	address_format(&sender->address, address);
	if (wait_s > 0)
		log_warn("wrong credentials: a token from %s at %s; this address has sent "
			 "%" PRId64 " within a minute and must wait %" PRIu32 " s",
			address, sender->route, wrong->per_min, wait_s);
	else
		log_warn("wrong credentials: a token from %s at %s", address, sender->route);
}

uint32_t wrong_token(struct wrong *wrong, const struct sender *sender)
{
	uint64_t now_us = clock_mono_us();
	uint32_t wait_s =
		sender->limited ? tries_wait_s(wrong->tries, &sender->address, now_us) : 0;
	if (wait_s > 0) {
		metric_add(wrong->refused, 1);
		return wait_s;
	}
	metric_add(wrong->counted, 1);
	if (sender->limited)
		wait_s = tries_wrong(wrong->tries, &sender->address, now_us);
	tell(wrong, sender, wait_s);
	return 0;
}

void wrong_tick(struct wrong *wrong)
{
	if (wrong->untold > 0)
		log_warn("wrong credentials: %" PRIu64 " more in the last second", wrong->untold);
	wrong->untold = 0;
	wrong->lines = wrong->waits = 0;
}
