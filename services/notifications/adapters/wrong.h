/* Wrong tokens: malformed ones, and those that no key here has signed. Each is counted and logged,
 * with the client's address and never with what was sent. An address that sends many must wait
 * (libcommon/edge/tries.h): its wrong tokens are then refused without a count. Right tokens are
 * served also from an address that must wait, because many players may share it. The gateway does
 * the same (services/gateway/adapters/wrong.c); each process counts for itself. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_WRONG_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_WRONG_H

#include "services/notifications/adapters/clients.h"

struct wrong;

/* per_min: how many wrong tokens within a minute make an address wait; 0: no address waits. */
struct wrong *wrong_new(int64_t per_min);
void wrong_free(struct wrong **wrong);
/* Counts and logs a wrong token, or returns the seconds that its sender must still wait. */
uint32_t wrong_token(struct wrong *wrong, const struct sender *sender);
/* Once a second: logs how many lines were left out. */
void wrong_tick(struct wrong *wrong);

#endif
