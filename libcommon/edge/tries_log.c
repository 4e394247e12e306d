#include "libcommon/edge/tries_log.h"

#include "libcommon/io/log.h"

#include <inttypes.h>

#define LINES_PER_S 10

void tries_log_tell(struct tries_log *log, const struct tries_told *told)
{
	uint32_t *lines = told->wait_s > 0 ? &log->waits : &log->lines;

	if (*lines >= LINES_PER_S) {
		log->untold++;
		return;
	}
	(*lines)++;
	if (told->wait_s > 0)
		log_warn_as("edge.credentials.wrong_waits",
			"wrong credentials: a %s from %s at %s; this address has sent "
			"%" PRId64 " within a minute and must wait %" PRIu32 " s",
			told->kind, told->address, told->route, told->per_min, told->wait_s);
	else
		log_warn_as("edge.credentials.wrong", "wrong credentials: a %s from %s at %s",
			told->kind, told->address, told->route);
}

void tries_log_tick(struct tries_log *log)
{
	if (log->untold > 0)
		log_warn_as("edge.credentials.wrong_more",
			"wrong credentials: %" PRIu64 " more in the last second", log->untold);
	*log = (struct tries_log){ 0 };
}
