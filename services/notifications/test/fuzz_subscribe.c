/* Any bytes of a client: taken or refused, never worse; and what is refused is answered with JSON.
 */
#include "services/notifications/adapters/subscribe.h"

#include <jansson.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct subscription subscription;
	char error[SUBSCRIBE_ERROR_MAX], text[WINNERS_POSITION_TEXT_MAX];
	if (subscribe_parse((const char *)data, size, &subscription, error)) {
		if (!subscription.channels)
			abort();
		winners_position_format(&subscription.position, text);
		return 0;
	}
	json_t *json = json_loads(error, 0, NULL);
	if (!json)
		abort();
	json_decref(json);
	return 0;
}
