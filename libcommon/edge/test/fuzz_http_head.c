/* Heads of requests: with any bytes, results stay inside the buffer, and a head that arrives in
 * pieces gives the same result. */
#include "libcommon/edge/http_head.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_head head;
	size_t used = 0;
	if (size == 0 || size > 2 * HTTP_HEAD_MAX)
		return 0;
	char *bytes = malloc(size);
	if (bytes == NULL)
		return 0;
	memcpy(bytes, data, size);
	enum http_head_status status = http_head_parse(bytes, size, &head, &used);
	if (status == HTTP_HEAD_OK) {
		if (used == 0 || used > size || head.path[0] != '/' ||
			head.fields_n > HTTP_FIELDS_MAX)
			abort();
		for (size_t i = 0; i < head.fields_n; i++)
			if (head.fields[i].value + strlen(head.fields[i].value) >= bytes + used)
				abort();
		(void)http_decode(head.path, false);
		if (head.query != NULL)
			(void)http_decode(head.query, true);
		/* One byte less is not yet a head. */
		size_t before;
		memcpy(bytes, data, size);
		if (http_head_parse(bytes, used - 1, &head, &before) != HTTP_HEAD_MORE)
			abort();
	} else if (status == HTTP_HEAD_MORE && memcmp(bytes, data, size) != 0) {
		abort();
	}
	free(bytes);
	return 0;
}
