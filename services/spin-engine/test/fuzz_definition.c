/* Fuzzes the loader: whatever it takes must be playable, whatever it refuses must be told in words.
 */
#include "services/spin-engine/adapters/definition_load.h"
#include "services/spin-engine/core/round.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct game game;
	static struct phase phase;
	char error[DEFINITION_ERROR_MAX];
	uint8_t key[RNG_KEY_BYTES] = { 1 };
	struct game_state state;
	struct rng rng;

	if (definition_parse("fuzz", (const char *)data, size, &game, error) != DEFINITION_OK) {
		assert(error[0] && memchr(error, 0, sizeof(error)));
		return 0;
	}
	assert(!error[0]);
	rng_init(&rng, key);
	game_state_init(&game, &state);
	for (uint32_t c = 0; c < game.currency_count; c++)
		for (int i = 0; i < 10; i++) {
			struct round_sum sum;
			struct money stake;
			struct bet bet;
			enum bet_status status =
				bet_smallest(&game, game.currency[c].number, &bet, &stake);

			assert(status == BET_OK);
			assert(round_play(&game, &bet, &state, &rng, &phase, &sum) == ROUND_DONE);
			assert(sum.win_total.minor >= 0);
		}
	return 0;
}
