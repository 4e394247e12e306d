/* Settings of the edge, the same for each service that serves clients. They name the proxies that
 * the edge believes. They limit the connections and requests of each client and network, and the
 * connections that have not sent a request yet. */
#ifndef CARILLON_EDGE_DOOR_SETTINGS_H
#define CARILLON_EDGE_DOOR_SETTINGS_H

#include "libcommon/io/settings.h"

struct door_settings {
	char proxies[SETTING_TEXT_MAX], unlimited[SETTING_TEXT_MAX], hosts[SETTING_TEXT_MAX];
	int64_t proxy_protocol; /* 0 or 1 */
	int64_t address_connections, network_connections;
	int64_t address_rate_per_s, network_rate_per_s;
	int64_t half_open_max, arrival_s;
};

/* clang-format off */
/* The rows of a service's table of settings. prefix: "GATEWAY_"; doors: a struct door_settings. */
#define DOOR_SETTINGS(prefix, doors)                                                                 \
	{ prefix "PROXIES", SETTING_TEXT, "", 0, 0, (doors).proxies,                                  \
		"networks of the proxies that are trusted to state a client's address, such as "      \
		"10.0.0.0/8,192.0.2.7; empty: none" },                                                \
	{ prefix "PROXY_PROTOCOL", SETTING_INT, "0", 0, 1, &(doors).proxy_protocol,                   \
		"1: connections from these proxies begin with a PROXY protocol header; 0: they "      \
		"send the header Forwarded" },                                                        \
	{ prefix "UNLIMITED", SETTING_TEXT, "", 0, 0, (doors).unlimited,                              \
		"networks without limits on connections and requests, such as those of "              \
		"operators' back ends; empty: none" },                                                \
	{ prefix "HOSTS", SETTING_TEXT, "", 0, 0, (doors).hosts,                                      \
		"names that the Host header of a request may have, without port, separated by "       \
		"commas; empty: any" },                                                               \
	{ prefix "ADDRESS_CONNECTIONS", SETTING_INT, "1000", 0, 1000000,                              \
		&(doors).address_connections,                                                         \
		"largest number of connections of one address (of IPv6: /64); 0: no limit" },         \
	{ prefix "NETWORK_CONNECTIONS", SETTING_INT, "4000", 0, 1000000,                              \
		&(doors).network_connections,                                                         \
		"largest number of connections of one network (/24, of IPv6 /48); 0: no limit" },     \
	{ prefix "ADDRESS_RATE_PER_S", SETTING_INT, "500", 0, 1000000, &(doors).address_rate_per_s,   \
		"requests a second that one address may keep sending; four times as many may "        \
		"come at once; 0: no limit" },                                                        \
	{ prefix "NETWORK_RATE_PER_S", SETTING_INT, "2000", 0, 1000000, &(doors).network_rate_per_s,  \
		"requests a second that one network may keep sending; four times as many may "        \
		"come at once; 0: no limit" },                                                        \
	{ prefix "HALF_OPEN_MAX", SETTING_INT, "2000", 10, 1000000, &(doors).half_open_max,           \
		"connections that may wait for their first request; if more do, the oldest is "       \
		"closed" },                                                                           \
	{ prefix "ARRIVAL_S", SETTING_INT, "10", 1, 3600, &(doors).arrival_s,                         \
		"time in which the head of a connection's first request must arrive" }
/* clang-format on */

#endif
