/* Where webhooks may be sent to. Pure. */
#ifndef CARILLON_GATEWAY_ADAPTERS_WEBHOOK_ADDRESS_H
#define CARILLON_GATEWAY_ADAPTERS_WEBHOOK_ADDRESS_H

#include "libcommon/edge/address.h"

/* False for an IP address of this machine, of a private, shared, link-local, multicast, reserved or
 * documentation network, or one that embeds an IPv4 address. */
bool webhook_address_public(const struct address *address);

#endif
