/* Limits the connections and the request rate of each client address and network. Pure: the caller
 * passes the time.
 *
 * The table has a fixed size. It never forgets an address that has connections. An address without
 * connections may lose its entry to another address; at its next request it may again send a full
 * burst. In the rare case that the table has no room for an address or a network, that one is not
 * limited: a full table must not lock anybody out. */
#ifndef CARILLON_EDGE_CROWDS_H
#define CARILLON_EDGE_CROWDS_H

#include "libcommon/edge/address.h"

/* The bits of an address that identify a client or a network. One IPv6 client usually owns 2^64
 * addresses. */
#define CROWD_ADDRESS_IPV6 64
#define CROWD_NETWORK_IPV4 24
#define CROWD_NETWORK_IPV6 48

struct crowd_limits {
	uint32_t connections; /* at once; 0: no limit */
	uint32_t rate_per_s;  /* sustained requests; 0: no limit */
	uint32_t burst;	      /* the most requests that may come at once */
};

struct crowds;

/* Makes a table for connections_max connections, whatever their addresses. NULL: out of memory. */
struct crowds *crowds_new(const struct crowd_limits *address, const struct crowd_limits *network,
	uint32_t connections_max);
void crowds_free(struct crowds **crowds);
/* Counts a connection. False: the address or its network is at its limit, and nothing was
 * counted. */
bool crowds_enter(struct crowds *crowds, const struct address *client, uint64_t now_us);
/* Ends a counted connection. */
void crowds_leave(struct crowds *crowds, const struct address *client);
/* Counts a request. The address and its network each have a bucket of `burst` tokens, which refills
 * at rate_per_s; a request takes one token from each. False: one of the two buckets is empty.
 * *retry_s_r is then the time until that bucket has a token again, at least 1 s. */
bool crowds_request(
	struct crowds *crowds, const struct address *client, uint64_t now_us, uint32_t *retry_s_r);
/* Connections counted for the address; for tests. */
uint32_t crowds_of(const struct crowds *crowds, const struct address *client);

#endif
