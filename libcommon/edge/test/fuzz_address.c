/* What a client or a proxy says about addresses: with any bytes, the readers stay inside them, and
 * a header of the PROXY protocol is not taken before it has arrived in full. */
#include "libcommon/edge/address.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct networks networks, none = { 0 };
	struct address client;
	char bad[64];
	size_t used = 0, before;
	uint8_t *bytes = malloc(size + 1);
	if (bytes == NULL)
		return 0;
	memcpy(bytes, data, size);
	enum proxy_status status = proxy_header_read(data, size, &client, &used);
	if (status == PROXY_OK || status == PROXY_NONE) {
		if (used == 0 || used > size || used > PROXY_HEADER_MAX)
			abort();
		if (proxy_header_read(data, used - 1, &client, &before) != PROXY_MORE)
			abort();
	} else if (status == PROXY_MORE && size >= PROXY_HEADER_MAX) {
		abort();
	}
	bytes[size] = '\0';
	if (networks_parse((const char *)bytes, &networks, bad, sizeof(bad)))
		for (size_t i = 0; i < networks.n; i++)
			if (!networks_have(&networks, &networks.network[i].first))
				abort();
	(void)forwarded_client((const char *)bytes, &none, &client);
	free(bytes);
	return 0;
}
