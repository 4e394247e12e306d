/* Fuzzes what --verify reads: a message is refused or judged, whatever it says. */
#include "services/spin-engine/adapters/proof.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t key[SECRET_BYTES] = { 5 };
	static struct keys *keys;
	static FILE *out;
	struct proving *proving;
	char error[PROVING_ERROR_MAX] = "";
	size_t at = 0;

	if (!keys) {
		keys = keys_of(key);
		out = fopen("/dev/null", "w");
		assert(keys && out);
	}
	proving = proving_new(keys, out);
	while (at + 2 <= size) { /* several in a row: a length, then the message */
		size_t length = (size_t)data[at] << 8 | data[at + 1];

		at += 2;
		if (length > size - at)
			length = size - at;
		if (!proving_take(proving, data + at, length, error))
			assert(error[0] != '\0');
		at += length;
	}
	proving_free(&proving);
	return 0;
}
