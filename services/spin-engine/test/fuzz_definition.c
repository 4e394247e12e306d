/* Fuzzes the loader: whatever it takes must be playable in every mode, whatever it refuses must be
 * told in words. The published bands are left out: they cost exact mathematics and change nothing
 * that the engine does. */
#include "services/spin-engine/adapters/definition_load.h"
#include "services/spin-engine/core/round.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void play(const struct game *game, struct bet *bet, struct rng *rng)
{
	static struct phase phase;
	struct round_state state = { .unlocked = 0 };
	struct round_sum sum;
	struct bet_error error;
	struct money stake;

	for (uint32_t mode = 0; mode < game->mode_count; mode++) {
		bet->mode = mode;
		if (bet_check(game, bet, &stake, &error) != BET_OK) {
			assert(mode > 0);
			continue;
		}
		for (int i = 0; i < 10; i++) {
			assert(round_play(game, bet, &state, rng, &phase, &sum) == ROUND_DONE);
			assert(sum.win_total.minor >= 0);
			state = sum.state;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct game game;
	char error[DEFINITION_ERROR_MAX];
	uint8_t key[RNG_KEY_BYTES] = { 1 };
	struct rng rng;

	if (definition_parse_flags("fuzz", (const char *)data, size, DEFINITION_UNPROVEN, &game,
		    error) != DEFINITION_OK) {
		assert(error[0] && memchr(error, 0, sizeof(error)));
		return 0;
	}
	assert(!error[0]);
	rng_init(&rng, key);
	for (uint32_t c = 0; c < game.currency_count; c++) {
		struct money stake;
		struct bet bet;

		assert(bet_smallest(&game, game.currency[c].number, &bet, &stake) == BET_OK);
		play(&game, &bet, &rng);
	}
	definition_free(&game);
	return 0;
}
