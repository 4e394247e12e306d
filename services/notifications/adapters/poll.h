/* GET /v1/events/latest: the frames that a new subscriber would get, for clients that poll. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_POLL_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_POLL_H

#include "libcommon/edge/edge.h"

/* `context` is the struct hub *. */
edge_handler poll_latest;

#endif
