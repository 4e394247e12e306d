/* Fuzzes the decoder of a player's state: what it takes encodes to the same bytes. */
#include "libcommon/game/game_state.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct game game = { .number = 1 };
	uint8_t bytes[GAME_STATE_BYTES_MAX];
	struct game_state state;
	size_t count;

	if (!game_state_decode(&game, data, size, &state))
		return 0;
	count = game_state_encode(&state, bytes);
	assert(count == size && memcmp(bytes, data, count) == 0);
	return 0;
}
