#include "services/notifications/adapters/wrong.h"

#include "libcommon/edge/tries.h"
#include "libcommon/edge/tries_log.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"

#include <stdlib.h>

struct wrong {
	struct tries *tries;
	int64_t per_min;
	struct tries_log lines;
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

	address_format(&sender->address, address);
	tries_log_tell(&wrong->lines, &(struct tries_told){ .kind = "token",
					      .address = address,
					      .route = sender->route,
					      .per_min = wrong->per_min,
					      .wait_s = wait_s });
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
	tries_log_tick(&wrong->lines);
}
