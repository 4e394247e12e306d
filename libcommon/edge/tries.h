/* Slows addresses that send wrong credentials. An address that has sent so many within a minute
 * must wait before it may try again; each further time it waits twice as long. Counts by address
 * (IPv6: by /64) and not by network: a neighbour's credential never waits. Pure: the caller passes
 * the time.
 *
 * The table has a fixed size, and only wrong credentials make entries in it. Where it is full, the
 * entry whose address may try again first is given to the new address: a crowd of addresses gets
 * more tries, but an address that has sent nothing wrong never waits. */
#ifndef CARILLON_EDGE_TRIES_H
#define CARILLON_EDGE_TRIES_H

#include "libcommon/edge/address.h"

#define TRIES_MINUTE_S 60      /* begins with an address's first wrong credential */
#define TRIES_FIRST_S 10       /* the first wait */
#define TRIES_LONGEST_S 900    /* waits do not grow beyond this */
#define TRIES_FORGOTTEN_S 3600 /* without a wrong one, after which waits begin anew */
#define TRIES_ADDRESSES 4096   /* addresses that are remembered */

struct tries;

/* wrong_max: wrong credentials a minute after which an address waits; 0: none ever waits. NULL: out
 * of memory. */
struct tries *tries_new(uint32_t wrong_max);
void tries_free(struct tries **tries);
/* The seconds that the address must still wait, rounded up; 0: it may try. */
uint32_t tries_wait_s(const struct tries *tries, const struct address *client, uint64_t now_us);
/* Counts a wrong credential. Returns the seconds that the address must now wait, 0: none. */
uint32_t tries_wrong(struct tries *tries, const struct address *client, uint64_t now_us);

#endif
