/* Any bytes as a provider's answer: never an outcome about another payment, and never a crash. */
#include "services/payments/adapters/provider.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const struct payout asked = {
		.id = { 1 }, .player = 281474976710663, .currency = 978, .amount = 500
	};
	static const long statuses[] = { 200, 201, 202, 404, 409, 422, 500, 0 };
	struct provider_word word;

	if (length == 0)
		return 0;
	enum payout_act act = bytes[0] & 8 ? PAYOUT_LOOK : PAYOUT_REQUEST;
	enum payout_answer answer = provider_read(
		&asked, act, statuses[bytes[0] & 7], (const char *)bytes + 1, length - 1, &word);
	assert(memcmp(word.id, asked.id, sizeof(asked.id)) == 0);
	assert(memchr(word.found, 0, sizeof(word.found)) != NULL);
	assert(memchr(word.reference, 0, sizeof(word.reference)) != NULL);
	if (answer == PAYOUT_SAID_PAID || answer == PAYOUT_SAID_REFUSED)
		assert((bytes[0] & 7) < 3);
	return 0;
}
