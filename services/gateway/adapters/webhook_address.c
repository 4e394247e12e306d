#include "services/gateway/adapters/webhook_address.h"

/* Networks that are not public. */
static const char closed[] = "0.0.0.0/8 "	/* this network */
			     "10.0.0.0/8 "	/* private */
			     "100.64.0.0/10 "	/* shared by carriers */
			     "127.0.0.0/8 "	/* this machine */
			     "169.254.0.0/16 "	/* link-local; metadata of clouds */
			     "172.16.0.0/12 "	/* private */
			     "192.0.0.0/24 "	/* protocols */
			     "192.0.2.0/24 "	/* documentation */
			     "192.88.99.0/24 "	/* relays to IPv6 */
			     "192.168.0.0/16 "	/* private */
			     "198.18.0.0/15 "	/* measurements */
			     "198.51.100.0/24 " /* documentation */
			     "203.0.113.0/24 "	/* documentation */
			     "224.0.0.0/4 "	/* multicast */
			     "240.0.0.0/4 "	/* reserved, broadcast */
			     "2001::/23 "	/* protocols, Teredo */
			     "2001:db8::/32 "	/* documentation */
			     "2002::/16 "	/* 6to4: embeds IPv4 */
			     "3fff::/20";	/* documentation */

bool webhook_address_public(const struct address *address)
{
	struct networks networks;
	char bad[64];

	if (!networks_parse(closed, &networks, bad, sizeof(bad)) ||
		networks_have(&networks, address))
		return false;
	/* of IPv6 only 2000::/3 is given out */
	return address_is_ipv4(address) || (address->bytes[0] & 0xe0) == 0x20;
}
