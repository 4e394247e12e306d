/* /healthz, /readyz and /metrics over HTTP (libwebsockets), in a thread of its own, so that a stuck
 * loop can still be seen: /healthz fails when the loop has not turned for 5 s. */
#ifndef CARILLON_IO_HEALTH_H
#define CARILLON_IO_HEALTH_H

#include <stdbool.h>

struct health;
struct health *health_start(const char *listen);	 /* "127.0.0.1:0": a free port */
const char *health_address(const struct health *health); /* with the port really bound */
void health_tick(struct health *health);		 /* the loop turns */
void health_ready(struct health *health, bool ready, const char *why_not);
/* /healthz fails from now on, and says why: what only a restart or the operator can mend. */
void health_fail(struct health *health, const char *why);
void health_stop(struct health **health);

#endif
