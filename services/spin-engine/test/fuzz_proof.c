/* Fuzzes what --verify reads: a message is refused or judged, whatever it says. */
#include "services/spin-engine/adapters/proof.h"

#include "proof.pb-c.h"

#include <assert.h>
#include <sodium.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The definitions stay; another player's row ends the account of the run before. */
static void forget(struct proving *proving)
{
	Carillon__ProofInput input = CARILLON__PROOF_INPUT__INIT;
	Carillon__ProofMove move = CARILLON__PROOF_MOVE__INIT;
	Carillon__WalletFact row = CARILLON__WALLET_FACT__INIT;
	Carillon__Envelope envelope;
	char error[PROVING_ERROR_MAX];
	uint8_t bytes[64];

	carillon__envelope__init(&envelope);
	input.body_case = CARILLON__PROOF_INPUT__BODY_MOVE;
	input.move = &move;
	move.row = &row;
	row.envelope = &envelope;
	row.player = INT64_MAX;
	assert(proving_take(proving, bytes, carillon__proof_input__pack(&input, bytes), error));
}

static struct proving *begin(void)
{
	static const uint8_t key[SECRET_BYTES] = { 7, 7, 7 }; /* of the rows in the corpus */
	char error[PROVING_ERROR_MAX];
	struct proving *proving;
	FILE *out = fopen("/dev/null", "w");

	assert(out && sodium_init() >= 0);
	proving = proving_new(keys_of(key), out);
	assert(proving_trust(proving, "services/spin-engine/games", error));
	return proving;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct proving *proving;
	char error[PROVING_ERROR_MAX] = "";
	size_t at = 0;

	if (!proving)
		proving = begin();
	forget(proving);
	while (at + 2 <= size) { /* several in a row: a length, then the message */
		size_t length = (size_t)data[at] << 8 | data[at + 1];

		at += 2;
		if (length > size - at)
			length = size - at;
		if (!proving_take(proving, data + at, length, error))
			assert(error[0] != '\0');
		at += length;
	}
	return 0;
}
