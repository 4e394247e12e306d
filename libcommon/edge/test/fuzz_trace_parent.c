/* Values of traceparent: any text is read to its end at most, and what is valid has both ids. */
#include "libcommon/edge/trace_parent.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t none[16];
	uint8_t trace[TRACE_PARENT_BYTES];
	char *text = malloc(size + 1);
	if (text == NULL)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	if (trace_parent_read(text, trace) &&
		(strlen(text) < 55 || memcmp(trace, none, 16) == 0 ||
			memcmp(trace + 16, none, 8) == 0 || trace[24] > 1))
		abort();
	free(text);
	return 0;
}
