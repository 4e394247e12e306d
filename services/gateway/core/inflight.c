/* The ring of open requests. */
#include "services/gateway/core/inflight.h"

#include <string.h>

void inflight_init(struct inflight *inflight, uint64_t random, uint64_t wait_us)
{
	memset(inflight, 0, sizeof(*inflight));
	inflight->wait_us = wait_us;
	inflight->first = inflight->next = random >> 1; /* leaves room to count up */
}

static size_t slot_of(uint64_t correlation)
{
	return (size_t)(correlation % INFLIGHT_MAX);
}

static void skip_done(struct inflight *inflight)
{
	while (inflight->first != inflight->next &&
		inflight->deadline_us[slot_of(inflight->first)] == 0)
		inflight->first++;
}

bool inflight_add(
	struct inflight *inflight, uint64_t now_us, uint64_t *correlation_r, size_t *slot_r)
{
	skip_done(inflight);
	if (inflight->next - inflight->first >= INFLIGHT_MAX)
		return false;
	*correlation_r = inflight->next++;
	*slot_r = slot_of(*correlation_r);
	inflight->deadline_us[*slot_r] = now_us + inflight->wait_us;
	inflight->open++;
	return true;
}

bool inflight_find(const struct inflight *inflight, uint64_t correlation, size_t *slot_r)
{
	/* Unsigned, so also false for numbers before the oldest. */
	if (correlation - inflight->first >= inflight->next - inflight->first)
		return false;
	*slot_r = slot_of(correlation);
	return inflight->deadline_us[*slot_r] != 0;
}

bool inflight_take(struct inflight *inflight, uint64_t correlation, size_t *slot_r)
{
	if (!inflight_find(inflight, correlation, slot_r))
		return false;
	inflight->deadline_us[*slot_r] = 0;
	inflight->open--;
	return true;
}

bool inflight_next(const struct inflight *inflight, uint64_t *at, size_t *slot_r)
{
	if (*at < inflight->first)
		*at = inflight->first;
	while (*at < inflight->next) {
		*slot_r = slot_of((*at)++);
		if (inflight->deadline_us[*slot_r] != 0)
			return true;
	}
	return false;
}

bool inflight_expire(struct inflight *inflight, uint64_t now_us, size_t *slot_r)
{
	skip_done(inflight);
	if (inflight->first == inflight->next ||
		inflight->deadline_us[slot_of(inflight->first)] > now_us)
		return false;
	return inflight_take(inflight, inflight->first, slot_r);
}
