/* Counts the wrong credentials that each address sends, and says how long it must wait. An address
 * that sends wrong_max wrong credentials within a minute (tries_new) must wait. Each time it does
 * so again, it waits twice as long. Counts by address (IPv6: by /64) and not by network, so an
 * address never waits because of its neighbours. Pure: the caller passes the time.
 *
 * This file refuses nothing; the caller decides what must wait. The gateway serves right tokens and
 * keys also from an address that must wait (services/gateway/adapters/wrong.c).
 *
 * The table has a fixed size, and only wrong credentials make entries in it. The entry of an
 * address is in one of 8 places. The time of an entry is the end of its last wait or its last wrong
 * credential, whichever is later. When all 8 places are taken, a new address replaces the entry
 * with the earliest time. So a crowd of addresses gets more tries, but an address that has sent
 * nothing wrong never waits. */
#ifndef CARILLON_EDGE_TRIES_H
#define CARILLON_EDGE_TRIES_H

#include "libcommon/edge/address.h"

#define TRIES_MINUTE_S 60      /* begins with an address's first wrong credential */
#define TRIES_FIRST_S 10       /* the first wait */
#define TRIES_LONGEST_S 900    /* waits do not grow beyond this */
#define TRIES_FORGOTTEN_S 3600 /* without a wait or a wrong credential: back to TRIES_FIRST_S */
#define TRIES_ADDRESSES 4096   /* addresses that are remembered */

struct tries;

/* wrong_max: how many wrong credentials within a minute make an address wait; 0: no address ever
 * waits. NULL: out of memory. */
struct tries *tries_new(uint32_t wrong_max);
void tries_free(struct tries **tries);
/* The seconds that the address must still wait, rounded up; 0: it need not wait. */
uint32_t tries_wait_s(const struct tries *tries, const struct address *client, uint64_t now_us);
/* Counts a wrong credential. Returns the seconds that the address must now wait, 0: none. */
uint32_t tries_wrong(struct tries *tries, const struct address *client, uint64_t now_us);

#endif
