/* /healthz, /readyz and /metrics over HTTP (libwebsockets), in their own thread, so a stuck loop is
 * still visible: /healthz fails when the loop has not turned for 5 s. */
#ifndef CARILLON_IO_HEALTH_H
#define CARILLON_IO_HEALTH_H

#include <stdbool.h>

struct health;
struct health *health_start(const char *listen);	 /* "127.0.0.1:0": any free port */
const char *health_address(const struct health *health); /* with the actual port */
void health_tick(struct health *health);		 /* call each turn of the loop */
void health_ready(struct health *health, bool ready, const char *why_not);
/* /readyz adds this note to its answer, ready or not. Use it for something that an operator must
 * look at. One for each thing, of at most 255 bytes; empty: no note. */
enum health_about { HEALTH_COMMANDS, HEALTH_WORK, HEALTH_KAFKA, HEALTH_NOTES_N };
void health_note(struct health *health, enum health_about about, const char *note);
/* From now on /healthz fails with this reason. For faults that need a restart or an operator. */
void health_fail(struct health *health, const char *why);
void health_stop(struct health **health);

#endif
